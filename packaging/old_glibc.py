#!/usr/bin/env python3
"""Writes libraries to link against, so that what is linked runs with an older glibc than this machine's.

  packaging/old_glibc.py FOLDER VERSION [COMPILER]      # VERSION as 2.28, COMPILER gcc or one for another machine

FOLDER gets libc.so, libm.so, libdl.so and libpthread.so, which have the symbols of the compiler's C library with the newest
version that is not above VERSION and no code, and newer.o, which has in terms of older ones the few functions that came later and that
C++'s standard library calls. Link with -L FOLDER, the object, and -lpthread and -ldl by --no-as-needed: there is where
an older glibc keeps threads and dlopen. A program takes start.o and --wrap=__libc_start_main too, for it is only from
2.34 on that the C library itself runs a program's constructors. The machine is x86-64 or aarch64.
"""

import pathlib
import re
import subprocess
import sys

NEWER = r"""
#define _GNU_SOURCE
#include <pthread.h>
#include <stdint.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>

// Functions of 2.33 stood in headers before. The first argument is the number of the layout.
#ifdef __x86_64__
#define LAYOUT 1
#else
#define LAYOUT 0
#endif
extern int __xstat(int, const char*, struct stat*), __lxstat(int, const char*, struct stat*), __fxstat(int, int, struct stat*);
extern int __fxstatat(int, int, const char*, struct stat*, int);
#pragma GCC visibility push(hidden)
int stat(const char* path, struct stat* out) { return __xstat(LAYOUT, path, out); }
int lstat(const char* path, struct stat* out) { return __lxstat(LAYOUT, path, out); }
int fstat(int file, struct stat* out) { return __fxstat(LAYOUT, file, out); }
int fstat64(int file, struct stat64* out) { return __fxstat(LAYOUT, file, (struct stat*)out); }
int fstatat(int folder, const char* path, struct stat* out, int flags) { return __fxstatat(LAYOUT, folder, path, out, flags); }

// Tells the standard library that other threads may run, always. 2.32.
char __libc_single_threaded = 0;

// Draws from the kernel. 2.36.
void arc4random_buf(void* out, size_t bytes) {
  for (char* next = out; bytes > 0;) {
    ssize_t drawn = getrandom(next, bytes, 0);
    if (drawn > 0) next += drawn, bytes -= drawn;
  }
}
uint32_t arc4random(void) {
  uint32_t out;
  arc4random_buf(&out, sizeof out);
  return out;
}

// Waits until a time of another clock, by the time that is left of it. 2.30.
static struct timespec of_real_time(clockid_t clock, const struct timespec* until) {
  struct timespec now, real;
  clock_gettime(clock, &now);
  clock_gettime(CLOCK_REALTIME, &real);
  int64_t ns = (until->tv_sec - now.tv_sec) * 1000000000LL + until->tv_nsec - now.tv_nsec + real.tv_nsec;
  int64_t s = ns / 1000000000LL - (ns % 1000000000LL < 0);
  return (struct timespec){real.tv_sec + s, ns - s * 1000000000LL};
}
int pthread_cond_clockwait(pthread_cond_t* condition, pthread_mutex_t* mutex, clockid_t clock, const struct timespec* until) {
  struct timespec real = of_real_time(clock, until);
  return pthread_cond_timedwait(condition, mutex, &real);
}
int pthread_mutex_clocklock(pthread_mutex_t* mutex, clockid_t clock, const struct timespec* until) {
  struct timespec real = of_real_time(clock, until);
  return pthread_mutex_timedlock(mutex, &real);
}
"""

START = r"""
typedef void Constructor(int, char**, char**);
extern Constructor* __init_array_start[] __attribute__((visibility("hidden")));
extern Constructor* __init_array_end[] __attribute__((visibility("hidden")));
extern void _init(void) __attribute__((visibility("hidden")));
extern int __real___libc_start_main(void*, int, char**, Constructor*, void (*)(void), void (*)(void), void*);

static void construct(int argc, char** argv, char** environment) {
  _init();
  for (Constructor** next = __init_array_start; next != __init_array_end; ++next) (*next)(argc, argv, environment);
}
int __wrap___libc_start_main(void* start, int argc, char** argv, Constructor* init, void (*fini)(void),
                             void (*unload)(void), void* stack) {
  return __real___libc_start_main(start, argc, argv, init ? init : construct, fini, unload, stack);
}
"""


LOADERS = {"x86_64": "ld-linux-x86-64.so.2", "aarch64": "ld-linux-aarch64.so.1"}
COMPILER = sys.argv[3] if len(sys.argv) > 3 else "gcc"


def asked(option):
    """What the compiler answers."""
    return subprocess.run([COMPILER, option], check=True, capture_output=True, text=True).stdout.strip()


def number(version):
    return tuple(int(part) for part in version.split("."))


def symbols(library, newest):
    """(name, version, whether it is a function, bytes) of each symbol, with the newest version that is old enough."""
    table = subprocess.run(["readelf", "--dyn-syms", "--wide", library], check=True, capture_output=True, text=True).stdout
    best = {}
    for line in table.splitlines():
        match = re.match(r"\s*\d+: \S+\s+(\d+|0x\S+)\s+(FUNC|IFUNC|OBJECT)\s+\S+\s+DEFAULT\s+(?!UND)\S+\s+(\w+)@@?GLIBC_([\d.]+)$",
                         line)
        if match and number(match[4]) <= newest:
            best.setdefault(match[3], []).append((number(match[4]), match[4], match[2] != "OBJECT", int(match[1], 0)))
    return [(name, *max(found)[1:]) for name, found in sorted(best.items())]


def file_of(library):
    return asked(f"-print-file-name={library}")


def write_stub(folder, name, soname, listed):
    source = []
    for i, (symbol, version, is_function, size) in enumerate(listed):
        kind = "function" if is_function else "object"
        source.append(f".section {'.text' if is_function else '.bss'}\n.globl s{i}\n.type s{i},%{kind}\n.size s{i},{size}\n"
                      f"s{i}: {'.skip 1' if is_function else f'.skip {max(size, 1)}'}\n"
                      f".symver s{i},{symbol}@@GLIBC_{version},remove\n")
    versions = sorted({version for _, version, *_ in listed}, key=number)
    nodes = "".join(f"GLIBC_{version} {{}};\n" for version in versions) or "NONE { local: *; };\n"
    (folder / f"{name}.s").write_text("".join(source) + '.section .note.GNU-stack,"",%progbits\n')
    (folder / f"{name}.map").write_text(nodes)
    subprocess.run([COMPILER, "-shared", "-nostdlib", f"-Wl,-soname,{soname}", f"-Wl,--version-script,{folder}/{name}.map",
                    "-o", folder / f"{name}.so", folder / f"{name}.s"], check=True)


def main():
    folder, newest = pathlib.Path(sys.argv[1]), number(sys.argv[2])
    folder.mkdir(parents=True, exist_ok=True)
    loader = LOADERS[asked("-dumpmachine").split("-")[0]]
    for name, soname in (("libc", "libc.so.6"), ("libm", "libm.so.6"), ("ld", loader)):
        write_stub(folder, name, soname, symbols(file_of(soname), newest))
    # An archive beside the C library has what is linked into every program.
    (folder / "libc.so").rename(folder / "libc.so.6")
    (folder / "libc.so").write_text(f"GROUP ( {folder.resolve()}/libc.so.6 {file_of('libc_nonshared.a')} "
                                     f"AS_NEEDED ( {folder.resolve()}/ld.so ) )\n")
    for name, soname in (("libdl", "libdl.so.2"), ("libpthread", "libpthread.so.0")):
        write_stub(folder, name, soname, [])
    for name, text in (("newer", NEWER), ("start", START)):
        (folder / f"{name}.c").write_text(text)
        subprocess.run([COMPILER, "-O2", "-fPIC", "-Wall", "-c", "-o", folder / f"{name}.o", folder / f"{name}.c"], check=True)


if __name__ == "__main__":
    main()
