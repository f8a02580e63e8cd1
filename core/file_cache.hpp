#pragma once
// Keeps a folder of small files that any number of processes share: blobs that are costly to make, found again by key.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace matchcount {

// A file holds the whole key, the value and a checksum of both, appears by renaming, and is readable by its owner
// alone. What is torn, edited, of another key or of another user counts as not there, so a find is what was stored
// under this very key. Nothing here throws but for memory: a folder that can't be read or written is a cache without
// hits.
class FileCache {
 public:
  // An empty folder name: no cache. The folder is made by the first store. When its files take more than max_bytes,
  // those that were used least recently are removed.
  explicit FileCache(std::string folder, std::uint64_t max_bytes = std::uint64_t{256} << 20);

  std::optional<std::vector<std::byte>> find(std::string_view key) const;
  // Returns whether it was stored: false for one larger than max_bytes and where the folder can't be written.
  bool store(std::string_view key, std::span<const std::byte> value) const;

 private:
  std::string path_of(std::string_view key) const;
  void remove_oldest() const;

  std::string folder_;
  std::uint64_t max_bytes_;
};

}  // namespace matchcount
