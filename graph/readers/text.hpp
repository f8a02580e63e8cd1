#pragma once
// The whole text of a file in memory, decompressed, and a cursor that reads it line by line and field by field.
// Private to graph/.

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <istream>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/error.hpp"
#include "core/run.hpp"
#include "graph/bipartite_graph.hpp"

namespace matchcount::readers {

// Says whether bytes begin as one of these does.
inline bool is_packed(std::string_view bytes) {
  return bytes.starts_with(std::string_view("\xFD"
                                            "7zXZ\0",
                                            6)) ||
         bytes.starts_with("\x28\xB5\x2F\xFD") || (bytes.starts_with("BZh") && bytes.find("1AY&SY") == 4);
}

bool is_tar(std::string_view bytes);
// Returns the names of the files of a tar archive.
std::vector<std::string> tar_members(std::string_view archive, const std::string& name);
// Returns a function that writes what comes next into a place of so many bytes, and says how many there were; 0 at the
// end. The bytes outlive it. It throws InputError for damaged data, and these Unable where libarchive is not installed.
// `member` is the file of a tar archive.
std::function<std::size_t(char* place, std::size_t room)> unpacking(std::string_view bytes, const std::string& name,
                                                                    const std::string& member = {});

bool unpacks();  // says whether libarchive is installed

constexpr std::uint64_t max_vertices = 0x7FFFFFFF;  // a side

// Bytes that end in a newline, with a NUL behind them: a scanner that stops at either needs no bound. No other NUL
// occurs, and there is at least one byte before that newline. A binary text, a NumPy array, planar_code, a MATLAB file
// a tar archive or a ZIP archive of several files, is neither: any bytes, for the reader of its format alone. What
// gzip, xz, zstd, bzip2 or, of one file, ZIP compressed is decompressed.
class Text {
 public:
  // Reads FILE, or standard input for "-". Throws InputError for a file that can't be read, Unable where the text takes
  // more than a memory limit that was given, and as run.check() does, also while a pipe has nothing to say. An empty
  // file is refused where `wanted` was expected.
  static Text from_file(const std::string& file, const RunContext& run = {}, const char* wanted = graph_or_matrix);
  static Text from_stream(std::istream& stream, std::string name, const RunContext& run = {});
  static Text from_memory(std::string_view bytes, std::string name, const RunContext& run = {});

  const std::string& name() const { return name_; }
  const char* begin() const { return begin_; }
  const char* end() const { return end_; }  // points to the NUL
  bool is_binary() const { return is_binary_; }
  std::size_t size() const { return static_cast<std::size_t>(end_ - begin_); }

  // Returns the names of the files of a tar archive, or a ZIP archive of several; none of another text.
  std::vector<std::string> members() const;
  // Returns one of them as a text, which is called so. Requires that it is there.
  Text member(const std::string& name, const std::string& called) const;
  // Decompresses a piece of a binary text, a stream of zlib's.
  std::string inflated(std::string_view piece) const;

  // Returns the run whose limits reading keeps.
  const RunContext& run() const { return run_; }
  // Throws as run.check() does, and Unable where the text and `more` bytes beside it pass a memory limit that was
  // given.
  void check(std::size_t more = 0) const;

  // Returns the most vertices that a file may declare: a vertex with an edge takes more than a byte, so beyond this
  // most are isolated, and a few bytes would ask for gigabytes.
  std::uint64_t vertex_limit() const { return std::max<std::uint64_t>(std::uint64_t{1} << 24, size()); }

 private:
  static constexpr const char* graph_or_matrix = "a graph or a matrix";
  struct Free {
    void operator()(char* pointer) const { std::free(pointer); }
  };
  struct Bytes {
    std::unique_ptr<char, Free> data;
    std::size_t size = 0;
    std::size_t capacity = 0;
    void reserve(std::size_t wanted);  // at least `wanted`; throws std::bad_alloc
  };
  Text(Bytes bytes, std::string name, const RunContext& run, const char* wanted = graph_or_matrix);
  // Takes what read(place, room) gives, piece by piece, until that is nothing. `expected` is how much it may be, `held`
  // what is in memory beside it.
  template <class Read>
  static Bytes taken(std::size_t expected, std::size_t held, const std::string& name, const RunContext& run,
                     Read&& read);
  static Bytes copied(std::string_view bytes, const std::string& name, const RunContext& run);
  // Decompresses gzip, what zlib makes by itself or, of a ZIP archive, the piece of a file.
  enum class Packed { gzip, zlib, zip };
  static Bytes inflated(std::string_view compressed, Packed kind, const std::string& name, const RunContext& run);
  // A file of a ZIP archive, as the list at its end has it.
  struct ZipEntry {
    std::string_view name, packed;
    std::size_t method, size, sum;
  };
  static std::vector<ZipEntry> zip_entries(std::string_view archive, const std::string& name);
  static Bytes unzip(const ZipEntry& entry, const std::string& name, const RunContext& run);

  std::string name_;
  RunContext run_;
  Bytes bytes_;
  const char* begin_ = nullptr;
  const char* end_ = nullptr;
  bool is_binary_ = false;
};

// Takes the file of an archive that was asked for, or else the only one that can be a graph, with a note on the others.
// Refuses several, unless they are one matrix, and a name where there are none.
Text taken_member(Text text, const std::string& asked, std::string& note);

[[noreturn]] void refuse(const Text& text, std::uint64_t line, std::string found, std::string expected);

// Returns the bytes in quotes for a message: at most 40 of them, control characters and bytes that are no UTF-8
// escaped.
std::string in_quotes(std::string_view bytes);

// Returns the length of the UTF-8 character that a text begins with, 0 where there is none (RFC 3629).
std::size_t utf8_length(std::string_view bytes, std::uint32_t& code);
bool is_utf8(std::string_view bytes);

// Refuses more vertices in all than Text::vertex_limit.
void check_vertex_counts(const Text& text, std::uint64_t line, std::uint64_t rows, std::uint64_t columns);

constexpr bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }
constexpr bool is_digit(char c) { return static_cast<unsigned char>(c - '0') < 10; }
constexpr bool is_control(char c) { return static_cast<unsigned char>(c) < ' ' || c == '\x7F'; }
bool equal_ignoring_case(std::string_view a, std::string_view b);
bool ends_with_ignoring_case(std::string_view text, std::string_view end);

// Returns the text without the blanks and newlines around it.
std::string_view trimmed(std::string_view text);
// Returns the number that digits alone make, one beyond 64 bits as the largest; nothing for another text.
std::optional<std::uint64_t> parse_natural(std::string_view text);

// Returns "1 field" or "2 fields".
std::string counted(std::uint64_t count, std::string_view what);
// Returns "2 fields: 'a', 'b'", of many the first ten.
std::string counted(const std::vector<std::string>& names, std::string_view what);

// Takes the first word, which a blank ends, off a text; empty where there is none.
std::string_view take_word(std::string_view& text);
// Returns an XML text from its first element on, which stands behind declarations and comments. `type` becomes that of
// the document, unless it declares entities or elements.
std::string_view first_xml_element(const Text& text, std::string_view* type = nullptr);
// Returns what is left of the line at p, without its newline.
std::string_view rest_of_line(const char* p);

// Returns the whole of a text.
inline std::string_view whole(const Text& text) { return {text.begin(), text.end()}; }

// Reads the digits at p (at least one, else false) and moves past them; a number beyond 64 bits becomes the largest.
[[gnu::always_inline]] inline bool scan_digits(const char*& p, std::uint64_t& value) {
  if (!is_digit(*p)) return false;
  const char* const start = p;
  std::uint64_t v = 0;
  while (is_digit(*p)) v = 10 * v + static_cast<std::uint64_t>(*p++ - '0');
  if (p - start > 19 && std::from_chars(start, p, v).ec != std::errc{}) [[unlikely]]
    v = std::numeric_limits<std::uint64_t>::max();
  value = v;
  return true;
}

// A position in a text. Fields are separated by blanks; a line ends at its newline.
class Cursor {
 public:
  explicit Cursor(const Text& text) : text_(&text), p_(text.begin()) {}

  std::uint64_t line() const { return line_; }
  const char* position() const { return p_; }
  void set_position(const char* p) { p_ = p; }  // in the same line
  bool at_end() const { return *p_ == '\0'; }
  // Skips blanks, and says whether the line ends.
  bool at_line_end() {
    while (is_blank(*p_)) ++p_;
    return *p_ == '\n' || *p_ == '\0';
  }
  // Moves to the first character of the next line.
  void next_line() {
    if (*p_ == '\0') return;
    if (*p_ != '\n') {
      p_ = static_cast<const char*>(std::memchr(p_, '\n', static_cast<std::size_t>(text_->end() - p_)));
    }
    ++p_;
    constexpr std::uint64_t lines_a_check = std::uint64_t{1} << 14;
    if (++line_ % lines_a_check == 0) text_->check();
  }
  // Moves to the first line, this one included, that isn't empty and doesn't start with one of `comment_marks`;
  // false at the end of the text.
  bool skip_to_data(const char* comment_marks) {
    for (; !at_end(); next_line()) {
      if (at_line_end()) continue;
      const char* mark = comment_marks;
      while (*mark != '\0' && *mark != *p_) ++mark;
      if (*mark == '\0') return true;
    }
    return false;
  }

  // Reads the next field of this line; refuses a line that ends here.
  std::string_view field(const char* expected);
  // Reads a number without a sign, from `low` to `limit`.
  std::uint64_t natural(std::uint64_t limit, const char* what, std::uint64_t low = 0) {
    while (is_blank(*p_)) ++p_;
    const char* const start = p_;
    std::uint64_t value = 0;
    if (scan_digits(p_, value) && value >= low && value <= limit && (is_blank(*p_) || *p_ == '\n')) [[likely]] {
      return value;
    }
    p_ = start;
    refuse_number(low, limit, what);
  }
  // Reads an index from 1 to `limit`, less one.
  Vertex index(std::uint64_t limit, const char* what) { return static_cast<Vertex>(natural(limit, what, 1) - 1); }
  // Requires nothing but blanks before the end of this line, and moves to the next.
  void end_line(const char* expected) {
    if (!at_line_end()) [[unlikely]]
      refuse_here(expected);
    if (*p_ == '\n') {
      ++p_;
      ++line_;
    }
  }
  // Refuses the field that stands here, or the end of the line or file.
  [[noreturn]] void refuse_here(const std::string& expected);

 private:
  [[noreturn]] void refuse_number(std::uint64_t low, std::uint64_t limit, const char* what);

  const Text* text_;
  const char* p_;
  std::uint64_t line_ = 1;
};

// Moves to the first line, this one included, that isn't empty and no comment of DIMACS, whose first field is "c";
// false at the end of the text.
bool next_dimacs_line(Cursor& cursor);

}  // namespace matchcount::readers
