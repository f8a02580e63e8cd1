#pragma once
// Turns values into bytes and back, for files and messages between processes of one program on machines of one kind.

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "core/api.hpp"
#include "core/error.hpp"

namespace MATCHCOUNT_API matchcount {

using Bytes = std::vector<std::byte>;

class ByteWriter {
 public:
  template <class T>
  void put(const T& value) {
    static_assert(std::is_trivially_copyable_v<T>);
    put_raw(std::as_bytes(std::span(&value, 1)));
  }
  void put_bytes(std::span<const std::byte> bytes) {  // with their number
    put(static_cast<std::uint64_t>(bytes.size()));
    put_raw(bytes);
  }
  void put_text(std::string_view text) { put_bytes(std::as_bytes(std::span(text))); }
  template <class T>
  void put_vector(const std::vector<T>& values) {
    static_assert(std::is_trivially_copyable_v<T>);
    put_bytes(std::as_bytes(std::span(values)));
  }
  Bytes take() { return std::move(bytes_); }

 private:
  void put_raw(std::span<const std::byte> bytes) {  // not by insert, of which GCC 12 warns for nothing
    const std::size_t end = bytes_.size();
    bytes_.resize(end + bytes.size());
    if (!bytes.empty()) std::memcpy(bytes_.data() + end, bytes.data(), bytes.size());
  }
  Bytes bytes_;
};

// One after the other.
inline Bytes joined(const Bytes& first, const Bytes& second) {
  Bytes both = first;
  both.insert(both.end(), second.begin(), second.end());
  return both;
}

// Throws Error where the bytes end too early.
class ByteReader {
 public:
  explicit ByteReader(std::span<const std::byte> bytes) : bytes_(bytes) {}

  template <class T>
  T get() {
    static_assert(std::is_trivially_copyable_v<T>);
    T value;
    std::memcpy(&value, next(sizeof value).data(), sizeof value);
    return value;
  }
  std::span<const std::byte> get_bytes() { return next(get<std::uint64_t>()); }
  std::string get_text() {
    const auto bytes = get_bytes();
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
  }
  template <class T>
  std::vector<T> get_vector() {
    const auto bytes = get_bytes();
    if (bytes.size() % sizeof(T) != 0) throw Error("bytes that end within a value");
    std::vector<T> values(bytes.size() / sizeof(T));
    if (!values.empty()) std::memcpy(values.data(), bytes.data(), bytes.size());
    return values;
  }
  void get_raw(std::span<std::byte> target) {  // as many as it takes
    const auto bytes = next(target.size());
    if (!bytes.empty()) std::memcpy(target.data(), bytes.data(), bytes.size());
  }
  bool at_end() const { return bytes_.empty(); }

 private:
  std::span<const std::byte> next(std::uint64_t count) {
    if (count > bytes_.size()) throw Error("bytes that end too early");
    const auto result = bytes_.first(static_cast<std::size_t>(count));
    bytes_ = bytes_.subspan(static_cast<std::size_t>(count));
    return result;
  }
  std::span<const std::byte> bytes_;
};

template <class T>
Bytes vector_bytes(const std::vector<T>& values) {
  ByteWriter out;
  out.put_vector(values);
  return out.take();
}

// A hash of 128 bits, for telling inputs apart and finding damage; no defence against forgery. Two chains of bijective
// steps over words, so that a single changed word changes each for certain.
class Hash {
 public:
  template <class T>
  void add(const T& value) {
    static_assert(std::is_trivially_copyable_v<T> && std::has_unique_object_representations_v<T>);
    add_bytes(std::as_bytes(std::span(&value, 1)));
  }
  void add(double value) { add(std::bit_cast<std::uint64_t>(value)); }
  template <class T>
  void add_all(const std::vector<T>& values) {
    add(static_cast<std::uint64_t>(values.size()));
    for (const T& value : values) add(value);
  }
  void add_bytes(std::span<const std::byte> bytes) {
    step(bytes.size());
    while (bytes.size() >= 8) {
      std::uint64_t word;
      std::memcpy(&word, bytes.data(), 8);
      step(word);
      bytes = bytes.subspan(8);
    }
    std::uint64_t last = 0;
    if (!bytes.empty()) std::memcpy(&last, bytes.data(), bytes.size());
    step(last);
  }
  void add_text(std::string_view text) { add_bytes(std::as_bytes(std::span(text))); }

  struct Value {
    std::uint64_t first, second;
    bool operator==(const Value&) const = default;
  };
  Value value() const { return {first_ ^ first_ >> 29, second_ ^ second_ >> 31}; }
  std::string hex() const;  // 32 digits

 private:
  // Murmur3's and splitmix64's odd multipliers.
  void step(std::uint64_t word) {
    first_ = (first_ ^ word) * 0xff51afd7ed558ccd;
    first_ ^= first_ >> 32;
    second_ = (std::rotl(second_, 27) ^ word) * 0xbf58476d1ce4e5b9;
    second_ ^= second_ >> 29;
  }
  std::uint64_t first_ = 0x9e3779b97f4a7c15, second_ = 0xc2b2ae3d27d4eb4f;
};

}  // namespace matchcount
