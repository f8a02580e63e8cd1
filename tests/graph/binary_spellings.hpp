#pragma once
// Writes a known matrix as numpy, SciPy and MATLAB do, byte by byte.

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "graph/spellings.hpp"

namespace matchcount::test::misreading {

// Writes a .npy file: reals, little-endian, in the order of C or Fortran.
inline Spelling npy_matrix(const Truth& truth, Dice& dice) {
  const bool fortran = dice.coin();
  std::vector<Complex> values(static_cast<std::size_t>(truth.rows * truth.columns));
  const auto put = [&](int u, int v, Complex value) {
    values[static_cast<std::size_t>(fortran ? v * truth.rows + u : u * truth.columns + v)] = value;
  };
  for (const Entry& entry : truth.entries) {
    put(entry.u, entry.v, entry.value);
    if (truth.kind == InputKind::undirected) put(entry.v, entry.u, entry.value);
  }
  const char* type = truth.has_complex ? "<c16" : truth.has_reals ? "<f8" : truth.has_values ? "<i8" : "|u1";
  std::string header = std::string("{'descr': '") + type + "', 'fortran_order': " + (fortran ? "True" : "False") +
                       ", 'shape': (" + std::to_string(truth.rows) + ", " + std::to_string(truth.columns) + "), }";
  header.resize((10 + header.size() + 64) / 64 * 64 - 11, ' ');
  header += '\n';
  Spelling file{std::string("\x93NUMPY\x01\0", 8) + static_cast<char>(header.size()) + '\0' + header, ".npy"};
  file.name = "file.npy";
  for (const Complex& value : values) {
    const double parts[2] = {value.real(), value.imag()};
    const auto integer = static_cast<std::int64_t>(value.real());
    const std::size_t size = truth.has_complex ? 16 : truth.has_reals || truth.has_values ? 8 : 1;
    char bytes[16];
    std::memcpy(bytes, truth.has_reals ? static_cast<const void*>(parts) : &integer, std::min<std::size_t>(size, 16));
    file.text.append(bytes, size);
  }
  return file;
}

// Appends the bytes of a number, the lowest first.
template <class Number>
void put_bytes(std::string& text, Number number) {
  char bytes[sizeof number];
  std::memcpy(bytes, &number, sizeof number);
  text.append(bytes, sizeof number);
}

// Returns the entries of the whole matrix, column by column or row by row.
inline std::vector<Entry> sorted_entries(const Truth& truth, bool by_columns) {
  std::vector<Entry> entries = truth.entries;
  for (const Entry& entry : truth.entries) {
    if (truth.kind == InputKind::undirected && entry.u != entry.v)
      entries.push_back({entry.v, entry.u, entry.value, entry.text});
  }
  std::ranges::sort(entries, {}, [&](const Entry& entry) {
    return by_columns ? std::pair(entry.v, entry.u) : std::pair(entry.u, entry.v);
  });
  return entries;
}

// Writes a .mat file of level 5: doubles, sparse or full.
inline Spelling matlab_matrix(const Truth& truth, Dice& dice) {
  const bool sparse = dice.coin();
  const std::vector<Entry> entries = sorted_entries(truth, true);
  Spelling file{"MATLAB 5.0 MAT-file", "matrix of MATLAB", "file.mat"};
  file.text.resize(124, ' ');
  file.text += std::string("\0\1IM", 4);
  std::string body;
  const auto put = [&body](std::uint32_t type, std::string bytes) {
    put_bytes(body, type);
    put_bytes(body, static_cast<std::uint32_t>(bytes.size()));
    bytes.resize((bytes.size() + 7) / 8 * 8);
    body += bytes;
  };
  const auto put_integers = [&](std::uint32_t type, const std::vector<std::size_t>& values) {
    std::string bytes;
    for (const std::size_t value : values) put_bytes(bytes, static_cast<std::uint32_t>(value));
    put(type, bytes);
  };
  const auto size = [](int n) { return static_cast<std::size_t>(n); };
  put_integers(6, {(truth.has_complex ? 0x800u : 0u) + (sparse ? 5u : 6u), entries.size()});
  put_integers(5, {size(truth.rows), size(truth.columns)});
  put(1, "A");
  std::vector<Complex> values(sparse ? 0 : size(truth.rows * truth.columns));
  std::vector<std::size_t> rows, starts(size(truth.columns) + 1, 0);
  for (const Entry& entry : entries) {
    if (!sparse) values[size(entry.v * truth.rows + entry.u)] = entry.value;
    if (sparse) values.push_back(entry.value);
    rows.push_back(size(entry.u));
    for (std::size_t column = size(entry.v) + 1; column < starts.size(); ++column) ++starts[column];
  }
  if (sparse) put_integers(5, rows);
  if (sparse) put_integers(5, starts);
  for (const bool imaginary : {false, true}) {
    std::string bytes;
    for (const Complex& value : values) put_bytes(bytes, imaginary ? value.imag() : value.real());
    if (!imaginary || truth.has_complex) put(9, bytes);
  }
  put_bytes(file.text, std::uint32_t{14});
  put_bytes(file.text, static_cast<std::uint32_t>(body.size()));
  file.text += body;
  return file;
}

// Writes a ZIP archive of files that are not compressed.
inline std::string stored_archive(const std::vector<std::pair<std::string, std::string>>& files) {
  std::string bytes, list;
  for (const auto& [name, content] : files) {
    std::uint32_t sum = ~0u;
    for (const char c : content) {
      sum ^= static_cast<unsigned char>(c);
      for (int bit = 0; bit < 8; ++bit) sum = sum >> 1 ^ ((sum & 1) != 0 ? 0xEDB88320u : 0u);
    }
    const auto put_common = [&](std::string& out) {
      put_bytes(out, std::uint64_t{0});  // flags, method, time and date
      put_bytes(out, static_cast<std::uint32_t>(~sum));
      put_bytes(out, static_cast<std::uint32_t>(content.size()));
      put_bytes(out, static_cast<std::uint32_t>(content.size()));
      put_bytes(out, static_cast<std::uint32_t>(name.size()));
    };
    const auto place = static_cast<std::uint32_t>(bytes.size());
    bytes += std::string("PK\3\4\24\0", 6);
    put_common(bytes);
    bytes += name + content;
    list += std::string("PK\1\2\24\0\24\0", 8);
    put_common(list);
    list += std::string(10, '\0');
    put_bytes(list, place);
    list += name;
  }
  const auto begin = static_cast<std::uint32_t>(bytes.size());
  bytes += list + std::string("PK\5\6\0\0\0\0", 8);
  put_bytes(bytes, static_cast<std::uint16_t>(files.size()));
  put_bytes(bytes, static_cast<std::uint16_t>(files.size()));
  put_bytes(bytes, static_cast<std::uint32_t>(list.size()));
  put_bytes(bytes, begin);
  return bytes + std::string(2, '\0');
}

// Writes a sparse matrix as SciPy does, by rows, by columns or entry by entry.
inline Spelling scipy_matrix(const Truth& truth, Dice& dice) {
  const std::string format = dice.coin() ? "csr" : dice.coin() ? "csc" : "coo";
  const bool by_columns = format == "csc";
  const std::vector<Entry> entries = sorted_entries(truth, by_columns);
  const auto array = [](const char* type, const std::string& shape, const std::string& content) {
    std::string header = std::string("{'descr': '") + type + "', 'fortran_order': False, 'shape': (" + shape + "), }";
    header.resize((10 + header.size() + 64) / 64 * 64 - 11, ' ');
    return std::string("\x93NUMPY\x01\0", 8) + static_cast<char>(header.size() + 1) + '\0' + header + '\n' + content;
  };
  std::string indices, others, data, starts, shape;
  std::vector<std::int32_t> begins(static_cast<std::size_t>(by_columns ? truth.columns : truth.rows) + 1, 0);
  for (const Entry& entry : entries) {
    put_bytes(indices, static_cast<std::int32_t>(by_columns ? entry.u : entry.v));
    put_bytes(others, static_cast<std::int32_t>(entry.u));
    for (std::size_t i = static_cast<std::size_t>(by_columns ? entry.v : entry.u) + 1; i < begins.size(); ++i)
      ++begins[i];
    if (truth.has_complex || truth.has_reals) put_bytes(data, entry.value.real());
    if (truth.has_complex) put_bytes(data, entry.value.imag());
    if (!truth.has_complex && !truth.has_reals) put_bytes(data, static_cast<std::int64_t>(entry.value.real()));
  }
  for (const std::int32_t begin : begins) put_bytes(starts, begin);
  put_bytes(shape, static_cast<std::int64_t>(truth.rows));
  put_bytes(shape, static_cast<std::int64_t>(truth.columns));
  const std::string count = std::to_string(entries.size()) + ",";
  std::vector<std::pair<std::string, std::string>> files = {{"format.npy", array("|S3", "", format)},
                                                            {"shape.npy", array("<i8", "2,", shape)},
                                                            {"data.npy", array(truth.has_complex ? "<c16"
                                                                               : truth.has_reals ? "<f8"
                                                                                                 : "<i8",
                                                                               count, data)}};
  files.emplace_back(format == "coo" ? "col.npy" : "indices.npy", array("<i4", count, indices));
  if (format == "coo")
    files.emplace_back("row.npy", array("<i4", count, others));
  else
    files.emplace_back("indptr.npy", array("<i4", std::to_string(begins.size()) + ",", starts));
  return {stored_archive(files), "sparse matrix of SciPy", "file.npz"};
}

}  // namespace matchcount::test::misreading
