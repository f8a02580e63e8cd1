// Stands in for the loader of libraries in a static program: glibc's there would take those of the glibc that it was built with.
void* dlopen(const char* file, int mode) { return (void)file, (void)mode, (void*)0; }
void* dlsym(void* library, const char* name) { return (void)library, (void)name, (void*)0; }
int dlclose(void* library) { return (void)library, 0; }
char* dlerror(void) { return "a static program loads no library"; }
