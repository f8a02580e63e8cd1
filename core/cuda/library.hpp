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

  // Becomes a pointer to the function that it is assigned to; null where there is none.
  struct Function {
    void* address;
    template <class Type>
    operator Type*() const {
      return reinterpret_cast<Type*>(address);
    }
  };
  // Finds a function by its name; one that is missing is noted.
  Function operator()(const char* name) {
    const Function function = optional(name);
    if (function.address == nullptr) missing_ = name;
    return function;
  }
  Function optional(const char* name) const { return {found() ? ::dlsym(handle_, name) : nullptr}; }
  const char* missing() const { return missing_; }  // null: nothing was

 private:
  void* handle_ = nullptr;
  const char* missing_ = nullptr;
};

}  // namespace matchcount::cuda
