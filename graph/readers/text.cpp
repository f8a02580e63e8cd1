// Files are read whole into one buffer: parsing then needs no refills, and an error can be looked for a second time
// with line numbers. Reading rather than mapping keeps a file that shrinks meanwhile from raising a signal.

#include "graph/readers/text.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>
#include <cerrno>
#include <new>
#include <system_error>
#include <utility>

#include "core/amounts.hpp"
#include "graph/large_pages.hpp"
#include "graph/readers/readings.hpp"

namespace matchcount::readers {

namespace {

constexpr std::size_t chunk_bytes = std::size_t{1} << 20;
// Between two looks at the limits: some ms.
constexpr std::size_t most_at_once = std::size_t{1} << 23;

constexpr std::string_view zip_mark = "PK\x03\x04";
constexpr const char* damaged_zip = "a damaged ZIP archive";
constexpr const char* one_zip_file =
    "a ZIP archive of one file, deflated and not encrypted, or of several and --member";

struct File {
  int descriptor = -1;
  bool owned = false;
  ~File() {
    if (owned) ::close(descriptor);
  }
};

[[noreturn]] void refuse_file(const std::string& name, int error) {
  throw InputError(name, 0, "\"" + std::generic_category().message(error) + "\" on opening or reading it",
                   "a file that can be read");
}

// Checks the limits for a text of so many bytes, or more to come.
void check_limits(const std::string& name, std::size_t bytes, const RunContext& run) {
  run.check();
  const std::uint64_t limit = run.options().memory_limit_bytes;
  if (limit != 0 && bytes > limit) {
    throw OverLimit(printable(name) + ": its text takes " + memory_amount(static_cast<double>(bytes)) +
                    " or more, and the memory limit is " + memory_amount(static_cast<double>(limit)));
  }
}

// Waits until there is something to read, or the end. Throws as run.check() does.
void wait_for_input(int descriptor, const RunContext& run) {
  constexpr int patience_ms = 50;
  for (;;) {
    run.check();
    pollfd source{descriptor, POLLIN, 0};
    if (::poll(&source, 1, patience_ms) != 0) return;  // an error is read's to tell
  }
}

}  // namespace

void Text::Bytes::reserve(std::size_t wanted) {
  if (wanted <= capacity) return;
  // If memory is promised without being there, asking for too much would end the process.
  if (wanted > (std::size_t{1} << 28) && wanted - size > available_memory_bytes()) throw std::bad_alloc();
  char* const grown = static_cast<char*>(std::realloc(data.get(), wanted));
  if (grown == nullptr) throw std::bad_alloc();
  (void)data.release();
  data.reset(grown);
  capacity = wanted;
  prefer_large_pages(grown + size, capacity - size);
}

template <class Read>
Text::Bytes Text::taken(std::size_t expected, std::size_t held, const std::string& name, const RunContext& run,
                        Read&& read) {
  Bytes bytes;
  bytes.reserve(expected + 3);  // one to see the end
  for (;;) {
    if (bytes.size + 2 >= bytes.capacity) bytes.reserve(2 * bytes.capacity + chunk_bytes);
    const std::size_t got =
        read(bytes.data.get() + bytes.size, std::min(bytes.capacity - bytes.size - 2, most_at_once));
    if (got == 0) return bytes;
    bytes.size += got;
    check_limits(name, held + bytes.size, run);
  }
}

Text Text::from_file(const std::string& file, const RunContext& run, const char* wanted) {
  File source;
  std::string name = file;
  if (file == "-") {
    source.descriptor = STDIN_FILENO;
    name = "standard input";
  } else {
    // A FIFO that nobody writes to would be waited for in open, beyond any limit.
    source.descriptor = ::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (source.descriptor < 0) refuse_file(name, errno);
    source.owned = true;
  }
  struct stat status {};
  if (::fstat(source.descriptor, &status) != 0) refuse_file(name, errno);
  if (S_ISDIR(status.st_mode)) throw InputError(name, 0, "a directory", "a file");

  const std::size_t size = S_ISREG(status.st_mode) ? static_cast<std::size_t>(status.st_size) : 0;
  check_limits(name, size, run);
  Bytes bytes = taken(size != 0 ? size : chunk_bytes, 0, name, run, [&](char* place, std::size_t room) {
    for (;;) {
      wait_for_input(source.descriptor, run);
      const ssize_t got = ::read(source.descriptor, place, room);
      if (got >= 0) return static_cast<std::size_t>(got);
      if (errno != EINTR && errno != EAGAIN) refuse_file(name, errno);
    }
  });
  return Text(std::move(bytes), std::move(name), run, wanted);
}

Text Text::from_stream(std::istream& stream, std::string name, const RunContext& run) {
  Bytes bytes = taken(chunk_bytes, 0, name, run, [&](char* place, std::size_t room) {
    stream.read(place, static_cast<std::streamsize>(room));
    return static_cast<std::size_t>(stream.gcount());
  });
  if (stream.bad() || !stream.eof())
    throw InputError(std::move(name), 0, "a stream that fails", "a stream that can be read to its end");
  return Text(std::move(bytes), std::move(name), run);
}

Text::Bytes Text::copied(std::string_view bytes, const std::string& name, const RunContext& run) {
  return taken(bytes.size(), 0, name, run, [&](char* place, std::size_t room) {
    const std::size_t count = bytes.copy(place, room);
    bytes.remove_prefix(count);
    return count;
  });
}

Text Text::from_memory(std::string_view text, std::string name, const RunContext& run) {
  check_limits(name, text.size(), run);
  return Text(copied(text, name, run), std::move(name), run);
}

void Text::check(std::size_t more) const { check_limits(name_, bytes_.size + more, run_); }

Text::Text(Bytes bytes, std::string name, const RunContext& run, const char* wanted)
    : name_(std::move(name)), run_(run), bytes_(std::move(bytes)) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(bytes_.data.get()[i]); };
  const std::string_view packed(bytes_.data.get(), bytes_.size);
  bool is_archive = false;
  if (packed.starts_with("\x1F\x8B")) {
    bytes_ = inflated(packed, Packed::gzip, name_, run);
  } else if (packed.starts_with(zip_mark)) {
    const std::vector<ZipEntry> entries = zip_entries(packed, name_);
    is_archive = entries.size() > 1;
    if (!is_archive) bytes_ = unzip(entries[0], name_, run);
  } else if (is_packed(packed)) {
    bytes_ = taken(4 * packed.size(), packed.size(), name_, run, unpacking(packed, name_));
  }
  std::size_t start = 0;
  if (bytes_.size >= 3 && byte(0) == 0xEF && byte(1) == 0xBB && byte(2) == 0xBF) start = 3;  // a UTF-8 byte-order mark
  if (bytes_.size == start) throw InputError(name_, 0, "an empty file", wanted);

  bytes_.reserve(bytes_.size + 2);
  char* const data = bytes_.data.get();
  const std::string_view begin(data, bytes_.size);
  is_archive = is_archive || is_tar(begin);
  if (is_archive || begin.starts_with("\x93NUMPY") || begin.starts_with(">>planar_code") ||
      begin.starts_with("MATLAB 5.0 MAT-file")) {
    is_binary_ = true;
    data[bytes_.size] = '\0';
    begin_ = data;
    end_ = data + bytes_.size;
    return;
  }
  const auto line_of = [data](const void* p) {
    return static_cast<std::uint64_t>(std::count(static_cast<const char*>(data), static_cast<const char*>(p), '\n')) +
           1;
  };
  if (const void* nul = std::memchr(data, '\0', bytes_.size)) {
    const ForeignBytes what = foreign_bytes({data, bytes_.size});
    throw InputError(name_, line_of(nul), std::string(what.found), std::string(what.expected));
  }
  if (data[bytes_.size - 1] != '\n') data[bytes_.size++] = '\n';
  // A carriage return alone ends a line for some, and is a blank for others.
  const char* const last = data + bytes_.size;
  for (const char* p = data; (p = static_cast<const char*>(std::memchr(p, '\r', static_cast<std::size_t>(last - p))));
       ++p) {
    if (p[1] != '\n')
      throw InputError(name_, line_of(p), "a carriage return without a newline",
                       "lines that end in a newline, or in both");
  }
  data[bytes_.size] = '\0';
  begin_ = data + start;
  end_ = data + bytes_.size;
}

// Lists the files of an archive (PKWARE, "APPNOTE", 6.3).
std::vector<Text::ZipEntry> Text::zip_entries(std::string_view archive, const std::string& name) {
  constexpr std::size_t end_size = 22, entry_size = 46, head_size = 30;
  const auto number = [&](std::size_t at, std::size_t count) {
    std::size_t value = 0;
    while (count-- > 0) value = 256 * value + static_cast<unsigned char>(archive[at + count]);
    return value;
  };
  const auto require = [&](bool condition, const std::string& found) {
    if (!condition) throw InputError(name, 0, found, one_zip_file);
  };
  const std::size_t end = archive.rfind("PK\x05\x06");
  require(end != archive.npos && archive.size() - end >= end_size, damaged_zip);
  const std::size_t files = number(end + 10, 2);
  require(files != 0, "a ZIP archive of 0 files");
  std::vector<ZipEntry> entries;
  for (std::size_t entry = number(end + 16, 4); entries.size() < files;) {
    require(entry < end && end - entry >= entry_size, damaged_zip);
    const std::size_t flags = number(entry + 8, 2), method = number(entry + 10, 2), size = number(entry + 20, 4);
    const std::size_t head = number(entry + 42, 4), name_size = number(entry + 28, 2);
    require((flags & 1) == 0 && (method == 0 || method == 8), "a ZIP archive that is encrypted or of another method");
    require(head < entry && entry - head >= head_size, damaged_zip);
    const std::size_t begin = head + head_size + number(head + 26, 2) + number(head + 28, 2);
    require(begin <= entry && entry - begin >= size && end - entry - entry_size >= name_size, damaged_zip);
    entries.push_back({archive.substr(entry + entry_size, name_size), archive.substr(begin, size), method,
                       number(entry + 24, 4), number(entry + 16, 4)});
    entry += entry_size + name_size + number(entry + 30, 2) + number(entry + 32, 2);
  }
  return entries;
}

Text::Bytes Text::unzip(const ZipEntry& entry, const std::string& name, const RunContext& run) {
  Bytes out = entry.method == 8 ? inflated(entry.packed, Packed::zip, name, run) : copied(entry.packed, name, run);
  const std::size_t sum = crc32_z(0, reinterpret_cast<const Bytef*>(out.data.get()), out.size);
  if (out.size != entry.size || sum != entry.sum) throw InputError(name, 0, damaged_zip, one_zip_file);
  return out;
}

std::vector<std::string> Text::members() const {
  std::vector<std::string> names;
  if (is_binary_ && is_tar(whole(*this))) return tar_members(whole(*this), name_);
  if (!is_binary_ || !whole(*this).starts_with(zip_mark)) return names;
  for (const ZipEntry& entry : zip_entries(whole(*this), name_)) names.push_back(printable(std::string(entry.name)));
  return names;
}

Text Text::member(const std::string& name, const std::string& called) const {
  if (is_tar(whole(*this)))
    return Text(taken(chunk_bytes, size(), name_, run_, unpacking(whole(*this), name_, name)), called, run_);
  const std::vector<ZipEntry> entries = zip_entries(whole(*this), name_);
  const auto entry = std::ranges::find_if(
      entries, [&](const ZipEntry& candidate) { return printable(std::string(candidate.name)) == name; });
  return Text(unzip(*entry, name_, run_), called, run_);
}

std::string Text::inflated(std::string_view piece) const {
  const Bytes bytes = inflated(piece, Packed::zlib, name_, run_);
  return {bytes.data.get(), bytes.size};
}

Text::Bytes Text::inflated(std::string_view compressed, Packed kind, const std::string& name, const RunContext& run) {
  struct Stream : z_stream {
    explicit Stream(int window) : z_stream{} {
      if (inflateInit2(this, window) != Z_OK) throw std::bad_alloc();
    }
    ~Stream() { inflateEnd(this); }
    Stream(const Stream&) = delete;
    Stream& operator=(const Stream&) = delete;
  };
  Stream stream(kind == Packed::gzip ? 15 + 16 : kind == Packed::zlib ? 15 : -15);
  const std::string stream_of = kind == Packed::gzip ? "gzip" : kind == Packed::zlib ? "zlib" : "ZIP";
  std::size_t used = 0;
  bool is_over = false;
  return taken(4 * compressed.size(), compressed.size(), name, run, [&](char* place, std::size_t room) {
    stream.next_out = reinterpret_cast<Bytef*>(place);
    stream.avail_out = static_cast<uInt>(room);
    while (!is_over && stream.avail_out == room) {
      run.check();
      const std::size_t input = std::min(compressed.size() - used, most_at_once);
      stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(compressed.data() + used));
      stream.avail_in = static_cast<uInt>(input);
      const int status = inflate(&stream, Z_NO_FLUSH);
      used += input - stream.avail_in;
      if (status == Z_STREAM_END) {
        is_over = used == compressed.size();
        if (!is_over) inflateReset(&stream);  // members may follow one another
      } else if (status == Z_MEM_ERROR) {
        throw std::bad_alloc();
      } else if (status != Z_OK && status != Z_BUF_ERROR) {
        throw InputError(name, 0,
                         "damaged " + stream_of + " data (" + (stream.msg ? stream.msg : "no reason given") + ")",
                         "a whole " + stream_of + " stream");
      } else if (used == compressed.size() && stream.avail_out != 0) {
        throw InputError(name, 0, "a " + stream_of + " stream that ends in the middle",
                         "a whole " + stream_of + " stream");
      }
    }
    return room - stream.avail_out;
  });
}

void refuse(const Text& text, std::uint64_t line, std::string found, std::string expected) {
  throw InputError(text.name(), line, std::move(found), std::move(expected));
}

void check_vertex_counts(const Text& text, std::uint64_t line, std::uint64_t rows, std::uint64_t columns) {
  if (rows + columns > text.vertex_limit()) {
    refuse(text, line,
           std::to_string(rows + columns) + " vertices declared in a text of " + std::to_string(text.size()) + " bytes",
           "at most " + std::to_string(text.vertex_limit()) +
               " for a text of this length, since nearly all of them would have no edge");
  }
}

std::size_t utf8_length(std::string_view bytes, std::uint32_t& code) {
  constexpr std::uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};  // by length: others have a shorter form
  const auto lead = static_cast<unsigned char>(bytes[0]);
  if (lead < 0x80) return code = lead, 1;
  const std::size_t length = lead < 0xC0 ? 0 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : lead < 0xF8 ? 4 : 0;
  if (length == 0 || bytes.size() < length) return 0;
  code = lead & (0x7Fu >> length);
  for (const char c : bytes.substr(1, length - 1)) {
    if ((c & 0xC0) != 0x80) return 0;
    code = code << 6 | (c & 63);
  }
  const bool is_surrogate = code >= 0xD800 && code <= 0xDFFF;
  return code < least[length] || code > 0x10FFFF || is_surrogate ? 0 : length;
}

bool is_utf8(std::string_view bytes) {
  unsigned char seen = 0;  // most texts are ASCII
  for (const char c : bytes) seen |= static_cast<unsigned char>(c);
  if (seen < 0x80) return true;
  for (std::uint32_t code = 0; !bytes.empty();) {
    const std::size_t length = utf8_length(bytes, code);
    if (length == 0) return false;
    bytes.remove_prefix(length);
  }
  return true;
}

std::string in_quotes(std::string_view bytes) {
  constexpr std::size_t longest = 40;
  std::string result = "'";
  std::size_t shown = 0;
  while (shown < bytes.size() && shown < longest) {
    const std::string_view rest = bytes.substr(shown);
    std::uint32_t code = 0;
    const std::size_t length = utf8_length(rest, code);
    const auto byte = static_cast<unsigned char>(rest[0]);
    if (length == 0 || byte < 0x20 || byte == 0x7F) {
      constexpr char digits[] = "0123456789abcdef";
      result += {'\\', 'x', digits[byte >> 4], digits[byte & 15]};
      ++shown;
    } else {
      result += rest.substr(0, length);
      shown += length;
    }
  }
  result += "'";
  if (shown < bytes.size()) result += "... (" + std::to_string(bytes.size()) + " bytes)";
  return result;
}

bool equal_ignoring_case(std::string_view a, std::string_view b) {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c; };
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [&](char x, char y) { return lower(x) == lower(y); });
}

bool ends_with_ignoring_case(std::string_view text, std::string_view end) {
  return text.size() >= end.size() && equal_ignoring_case(text.substr(text.size() - end.size()), end);
}

std::string_view trimmed(std::string_view text) {
  constexpr const char* blanks = " \t\r\n";
  text.remove_prefix(std::min(text.find_first_not_of(blanks), text.size()));
  return text.substr(0, text.find_last_not_of(blanks) + 1);
}

std::optional<std::uint64_t> parse_natural(std::string_view text) {
  if (text.empty() || !std::ranges::all_of(text, is_digit)) return std::nullopt;
  std::uint64_t value = 0;
  const auto error = std::from_chars(text.data(), text.data() + text.size(), value).ec;
  return error == std::errc{} ? value : std::numeric_limits<std::uint64_t>::max();
}

std::string counted(std::uint64_t count, std::string_view what) {
  return std::to_string(count) + " " + std::string(what) + (count == 1 ? "" : "s");
}

std::string counted(const std::vector<std::string>& names, std::string_view what) {
  constexpr std::size_t most_named = 10;
  std::string text = counted(names.size(), what);
  for (std::size_t i = 0; i < std::min(names.size(), most_named); ++i)
    text += (i == 0 ? ": " : ", ") + in_quotes(names[i]);
  return names.size() > most_named ? text + " and others" : text;
}

std::string_view take_word(std::string_view& text) {
  constexpr const char* blanks = " \t\r";
  text.remove_prefix(std::min(text.find_first_not_of(blanks), text.size()));
  const std::string_view word = text.substr(0, text.find_first_of(blanks));
  text.remove_prefix(word.size());
  return word;
}

std::string_view first_xml_element(const Text& text, std::string_view* type) {
  std::string_view rest = trimmed(whole(text));
  while (rest.starts_with("<?") || rest.starts_with("<!")) {
    const std::string_view end = rest[1] == '?' ? "?>" : rest.starts_with("<!--") ? "-->" : ">";
    const std::size_t at = rest.find(end);
    const std::string_view found = rest.substr(0, at == rest.npos ? at : at + end.size());
    if (type && found.starts_with("<!DOCTYPE") && found.find('[') == found.npos) *type = found;
    rest = trimmed(rest.substr(found.size()));
  }
  return rest;
}

std::string_view rest_of_line(const char* p) { return {p, std::strchr(p, '\n')}; }

std::string_view Cursor::field(const char* expected) {
  if (at_line_end()) refuse_here(expected);
  const char* const start = p_;
  while (static_cast<unsigned char>(*p_) > ' ') ++p_;
  if (!is_blank(*p_) && *p_ != '\n')
    refuse(*text_, line_, "the control character " + in_quotes({p_, 1}), "text in ASCII or UTF-8");
  return {start, static_cast<std::size_t>(p_ - start)};
}

bool next_dimacs_line(Cursor& cursor) {
  for (; cursor.skip_to_data(""); cursor.next_line())
    if (cursor.position()[0] != 'c' || static_cast<unsigned char>(cursor.position()[1]) > ' ') return true;
  return false;
}

void Cursor::refuse_here(const std::string& expected) {
  if (at_line_end()) refuse(*text_, line_, *p_ == '\0' ? "the end of the file" : "the end of the line", expected);
  const char* last = p_;
  while (!is_blank(*last) && *last != '\n') ++last;
  refuse(*text_, line_, in_quotes({p_, static_cast<std::size_t>(last - p_)}), expected);
}

void Cursor::refuse_number(std::uint64_t low, std::uint64_t limit, const char* what) {
  std::string expected = what;
  if (limit < low)
    expected += ", of which there are none";
  else
    expected += " from " + std::to_string(low) + " to " + std::to_string(limit);
  refuse_here(expected);
}

}  // namespace matchcount::readers
