#pragma once
// Library opens a shared library that need not be there: what a benchmark compares with, or asks for a counter.

#include <dlfcn.h>

#include <string>
#include <vector>

namespace matchcount::bench {

class Library {
 public:
  // Opens the first of these files that there is, and never closes it.
  explicit Library(const std::vector<std::string>& files) {
    for (const std::string& file : files) {
      if (handle_ == nullptr && !file.empty()) handle_ = dlopen(file.c_str(), RTLD_NOW);
    }
  }
  // Returns null where the library or the symbol is missing.
  template <class Function>
  Function* symbol(const char* name) const {
    return handle_ == nullptr ? nullptr : reinterpret_cast<Function*>(dlsym(handle_, name));
  }

 private:
  void* handle_ = nullptr;
};

}  // namespace matchcount::bench
