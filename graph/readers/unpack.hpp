#pragma once
// Decompresses xz, zstd and bzip2. Private to graph/.

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

namespace matchcount::readers {

// Says whether bytes begin as one of these does.
inline bool is_packed(std::string_view bytes) {
  return bytes.starts_with(std::string_view("\xFD"
                                            "7zXZ\0",
                                            6)) ||
         bytes.starts_with("\x28\xB5\x2F\xFD") || (bytes.starts_with("BZh") && bytes.find("1AY&SY") == 4);
}

// Returns a function that writes what comes next into a place of so many bytes, and says how many there were; 0 at the
// end. The bytes outlive it. It throws InputError for damaged data, and this Unable where libarchive is not installed.
std::function<std::size_t(char* place, std::size_t room)> unpacking(std::string_view bytes, const std::string& name);

bool unpacks();  // says whether libarchive is installed

}  // namespace matchcount::readers
