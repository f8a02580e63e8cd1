#pragma once
// Turns values into bytes and back, for files and messages between processes of one program on machines of one kind.

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/api.hpp"
#include "core/error.hpp"

namespace MATCHCOUNT_API matchcount {

using Bytes = std::vector<std::byte>;

// Values stand one after the other: those of a type that is copied as it is; texts, vectors and spans, each with its
// number of bytes; and records, which list what they are made of once, as fields(), a tuple of references.
class ByteWriter {
 public:
  template <class... T>
  void put(const T&... values) {
    (put_one(values), ...);
  }
  Bytes take() { return std::move(bytes_); }

 private:
  template <class T>
  void put_one(const T& value) {
    if constexpr (requires(T & record) { record.fields(); }) {
      std::apply([&](const auto&... fields) { put(fields...); }, const_cast<T&>(value).fields());
    } else if constexpr (
        requires { std::span(value.data(), value.size()); } && !requires { std::tuple_size<T>{}; }) {
      static_assert(std::is_trivially_copyable_v<std::remove_cvref_t<decltype(*value.data())>>);
      const auto bytes = std::as_bytes(std::span(value.data(), value.size()));
      put_one(static_cast<std::uint64_t>(bytes.size()));
      put_raw(bytes);
    } else {
      static_assert(std::is_trivially_copyable_v<T> && !std::is_pointer_v<T> && !std::is_array_v<T>);
      put_raw(std::as_bytes(std::span(&value, 1)));
    }
  }
  void put_raw(std::span<const std::byte> bytes) {  // not by insert or memcpy, of which GCC 12 warns for nothing
    const std::size_t end = bytes_.size();
    bytes_.resize(end + bytes.size());
    std::ranges::copy(bytes, bytes_.begin() + static_cast<std::ptrdiff_t>(end));
  }
  Bytes bytes_;
};
template <class... T>
Bytes to_bytes(const T&... values) {
  ByteWriter out;
  out.put(values...);
  return out.take();
}

// Throws Error where the bytes end too early.
class ByteReader {
 public:
  explicit ByteReader(std::span<const std::byte> bytes) : bytes_(bytes) {}
  explicit ByteReader(std::string_view bytes) : bytes_(std::as_bytes(std::span(bytes))) {}

  template <class... T>
  void get(T&... values) {
    (get_one(values), ...);
  }
  template <class T>
  T get() {
    T value{};
    get_one(value);
    return value;
  }
  std::span<const std::byte> get_bytes() { return next(get<std::uint64_t>()); }
  void get_raw(std::span<std::byte> target) {  // as many as it takes
    const auto bytes = next(target.size());
    if (!bytes.empty()) std::memcpy(target.data(), bytes.data(), bytes.size());
  }
  std::span<const std::byte> rest() const { return bytes_; }
  bool at_end() const { return bytes_.empty(); }

 private:
  template <class T>
  void get_one(T& value) {
    if constexpr (requires { value.fields(); }) {
      std::apply([&](auto&... fields) { get(fields...); }, value.fields());
    } else if constexpr (requires { value.resize(1); }) {
      const auto bytes = get_bytes();
      if (bytes.size() % sizeof value[0] != 0) throw Error("bytes that end within a value");
      value.resize(bytes.size() / sizeof value[0]);
      if (!bytes.empty()) std::memcpy(value.data(), bytes.data(), bytes.size());
    } else {
      static_assert(std::is_trivially_copyable_v<T> && !std::is_pointer_v<T>);
      get_raw(std::as_writable_bytes(std::span(&value, 1)));
    }
  }
  std::span<const std::byte> next(std::uint64_t count) {
    if (count > bytes_.size()) throw Error("bytes that end too early");
    const auto result = bytes_.first(static_cast<std::size_t>(count));
    bytes_ = bytes_.subspan(static_cast<std::size_t>(count));
    return result;
  }
  std::span<const std::byte> bytes_;
};
// Reads the one value that the bytes begin with.
template <class T>
T from_bytes(std::span<const std::byte> bytes) {
  return ByteReader(bytes).get<T>();
}
// Adds two records, the first of which knows how to add.
template <class Record>
Bytes added_records(const Bytes& earlier, const Bytes& later) {
  auto sum = from_bytes<Record>(earlier);
  sum.add(from_bytes<Record>(later));
  return to_bytes(sum);
}

// Values without their number: the bytes of several such, one after the other, are those of all.
template <class Values>
Bytes packed(const Values& values) {
  const auto bytes = std::as_bytes(std::span(values));
  return {bytes.begin(), bytes.end()};
}
template <class T>
std::vector<T> unpacked(const Bytes& bytes) {
  std::vector<T> values(bytes.size() / sizeof(T));
  ByteReader(bytes).get_raw(std::as_writable_bytes(std::span(values)));
  return values;
}
inline Bytes joined(const Bytes& first, const Bytes& second) {
  Bytes both = first;
  both.insert(both.end(), second.begin(), second.end());
  return both;
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
