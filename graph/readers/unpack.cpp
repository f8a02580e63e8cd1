// libarchive is loaded when it is first needed: linked, it brings ten libraries along, and each start of the program
// took 2 of 8 ms longer. An archive within what it decompresses, such as .tar, stays what it is.

#include "graph/readers/unpack.hpp"

#include <dlfcn.h>

#include <cstdint>
#include <memory>

#include "core/error.hpp"

namespace matchcount::readers {
namespace {

void* library() {
  static void* const handle = ::dlopen("libarchive.so.13", RTLD_NOW | RTLD_LOCAL);
  return handle;
}

template <class Result, class... Arguments>
Result call(const char* function, Arguments... arguments) {
  return reinterpret_cast<Result (*)(Arguments...)>(::dlsym(library(), function))(arguments...);
}

}  // namespace

std::function<std::size_t(char*, std::size_t)> unpacking(std::string_view bytes, const std::string& name) {
  if (!unpacks())
    throw Unable(name +
                 ": xz, zstd and bzip2 are read where libarchive is installed, which is in the package "
                 "libarchive-dev; gzip and ZIP are read anywhere");
  const std::shared_ptr<void> source(call<void*>("archive_read_new"),
                                     [](void* archive) { call<int>("archive_read_free", archive); });
  // Refuses what libarchive does; anything else is a number from 0 on.
  const auto require = [source, name](long result) {
    if (result >= 0) return static_cast<std::size_t>(result);
    const char* const reason = call<const char*>("archive_error_string", source.get());
    throw InputError(name, 0, "damaged compressed data (" + std::string(reason ? reason : "no reason given") + ")",
                     "a whole file of xz, zstd or bzip2");
  };
  for (const char* const what : {"filter_xz", "filter_zstd", "filter_bzip2", "format_raw"})
    call<int>(("archive_read_support_" + std::string(what)).c_str(), source.get());
  require(call<int>("archive_read_open_memory", source.get(), static_cast<const void*>(bytes.data()), bytes.size()));
  void* entry = nullptr;
  const bool is_empty = require(call<int>("archive_read_next_header", source.get(), &entry)) == 1;  // ARCHIVE_EOF
  return [source, require, is_empty, size = bytes.size(), name](char* place, std::size_t room) {
    const std::size_t count =
        is_empty ? 0 : require(call<long>("archive_read_data", source.get(), static_cast<void*>(place), room));
    // The beginning of a second stream of bzip2 is passed over by libarchive, whether or not the rest was cut off.
    if (count == 0 && require(call<std::int64_t>("archive_filter_bytes", source.get(), -1)) != size)
      throw InputError(name, 0, "bytes behind the end of the compressed data", "a whole file of xz, zstd or bzip2");
    return count;
  };
}

bool unpacks() { return library() != nullptr; }

}  // namespace matchcount::readers
