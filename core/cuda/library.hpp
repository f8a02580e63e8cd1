#pragma once
// Loads a shared library that is looked for at run time.

#include <dlfcn.h>

#include <span>
#include <string>

namespace matchcount::cuda {

// Library opens a shared library, which is never unloaded: its threads and exit handlers may outlive whoever asked for
// it.
class Library {
 public:
  // Opens the first of these that the loader takes.
  explicit Library(std::span<const std::string> names) {
    for (const std::string& name : names) {
      handle_ = ::dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
      if (handle_ != nullptr) return;
    }
  }

  bool found() const { return handle_ != nullptr; }
  // Sets a pointer to a function of this name; false where there is none.
  template <class Function>
  bool take(const char* name, Function*& function) const {
    function = reinterpret_cast<Function*>(::dlsym(handle_, name));
    return function != nullptr;
  }

 private:
  void* handle_ = nullptr;
};

}  // namespace matchcount::cuda
