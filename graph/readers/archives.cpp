// Compressed data and archives. libarchive is loaded when it is first needed: linked, it brings ten libraries along,
// and each start of the program took 2 of 8 ms longer. It reads tar archives, and xz, zstd and bzip2; ZIP and gzip are
// read without (text.cpp).

#include <dlfcn.h>

#include <algorithm>

#include "graph/readers/formats.hpp"
#include "graph/readers/text.hpp"

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

// Data that libarchive reads.
class Archive {
 public:
  Archive(std::string_view bytes, const std::string& name, bool has_files) : name_(name) {
    if (!unpacks())
      throw Unable(name +
                   ": xz, zstd, bzip2 and tar are read where libarchive is installed, which is in the package "
                   "libarchive-dev; gzip and ZIP are read anywhere");
    source_.reset(call<void*>("archive_read_new"), [](void* archive) { call<int>("archive_read_free", archive); });
    for (const char* const what : {"filter_xz", "filter_zstd", "filter_bzip2", has_files ? "format_tar" : "format_raw"})
      call<int>(("archive_read_support_" + std::string(what)).c_str(), source_.get());
    require(call<int>("archive_read_open_memory", source_.get(), static_cast<const void*>(bytes.data()), bytes.size()));
  }
  // Moves to the next file; false behind the last.
  bool next() { return require(call<int>("archive_read_next_header", source_.get(), &entry_)) != 1; }  // ARCHIVE_EOF
  bool is_file() const { return (call<unsigned>("archive_entry_filetype", entry_) & 0170000u) == 0100000u; }
  // Returns the name of the file, printable.
  std::string file() const {
    for (const char* const function : {"archive_entry_pathname", "archive_entry_pathname_utf8"})
      if (const char* const path = call<const char*>(function, entry_)) return printable(path);
    return {};
  }
  std::size_t read(char* place, std::size_t room) {
    return require(call<long>("archive_read_data", source_.get(), static_cast<void*>(place), room));
  }
  std::size_t bytes_taken() { return require(call<std::int64_t>("archive_filter_bytes", source_.get(), -1)); }

 private:
  // Refuses what libarchive does; anything else is a number from 0 on.
  std::size_t require(long result) const {
    if (result >= 0) return static_cast<std::size_t>(result);
    const char* const reason = call<const char*>("archive_error_string", source_.get());
    throw InputError(name_, 0, "damaged compressed data (" + std::string(reason ? reason : "no reason given") + ")",
                     "a whole file of xz, zstd, bzip2 or tar");
  }

  std::string name_;
  std::shared_ptr<void> source_;
  void* entry_ = nullptr;
};

// Says whether a file of an archive may be a graph, by its name: others stand beside one.
bool may_be_graph(std::string_view path) {
  const std::string_view name = path.substr(path.rfind('/') + 1);
  const auto begins = [&](std::string_view word) { return equal_ignoring_case(name.substr(0, word.size()), word); };
  constexpr std::string_view heads[] = {".", "readme", "license", "licence", "copying", "citation", "meta."};
  constexpr std::string_view ends[] = {".md", ".pdf", ".html", ".htm", ".bib", ".png", ".jpg", ".svg", ".doc", ".docx"};
  return !name.empty() && !path.starts_with("__MACOSX/") && std::ranges::none_of(heads, begins) &&
         std::ranges::none_of(ends, [&](std::string_view end) { return ends_with_ignoring_case(name, end); });
}

}  // namespace

bool unpacks() { return library() != nullptr; }

bool is_tar(std::string_view bytes) {
  constexpr std::size_t head = 512, mark = 257;  // behind fields that zeros fill
  return bytes.size() >= head && bytes.substr(mark, 5) == "ustar" && bytes.substr(0, mark).find('\0') != bytes.npos;
}

std::vector<std::string> tar_members(std::string_view archive, const std::string& name) {
  std::vector<std::string> names;
  for (Archive source(archive, name, true); source.next();)
    if (source.is_file()) names.push_back(source.file());
  return names;
}

std::function<std::size_t(char*, std::size_t)> unpacking(std::string_view bytes, const std::string& name,
                                                         const std::string& member) {
  Archive source(bytes, name, !member.empty());
  bool is_empty = !source.next();
  while (!is_empty && !member.empty() && source.file() != member) is_empty = !source.next();
  return [source, is_empty, size = bytes.size(), name, member](char* place, std::size_t room) mutable {
    const std::size_t count = is_empty ? 0 : source.read(place, room);
    // The beginning of a second stream of bzip2 is passed over by libarchive, whether or not the rest was cut off.
    if (count == 0 && member.empty() && source.bytes_taken() != size)
      throw InputError(name, 0, "bytes behind the end of the compressed data", "a whole file of xz, zstd or bzip2");
    return count;
  };
}

Text taken_member(Text text, const std::string& asked, std::string& note) {
  const std::vector<std::string> names = text.members();
  if (names.empty() && !is_tar(whole(text))) {
    if (asked.empty() || is_mat(text, InputFormat::mat) || own_format(text) == InputFormat::pajek) return text;
    throw InputError("--member " + in_quotes(asked), "a ZIP or tar archive, .npz, .mat or .paj file of several");
  }
  if (asked.empty() && is_npz(text, InputFormat::npz)) return text;
  if (std::ranges::any_of(names, [](const std::string& name) { return name.starts_with("xl/"); }))
    refuse(text, 0, "a spreadsheet (.xlsx)", "a table saved as CSV");
  std::vector<std::string> chosen;
  for (const std::string& name : names)
    if (asked.empty() ? may_be_graph(name) : name == asked || name == asked + ".npy") chosen.push_back(name);
  if (chosen.size() == 1) {
    if (asked.empty() && names.size() > 1)
      note = text.name() + ": read is " + in_quotes(chosen[0]) + " alone of " + counted(names.size(), "file");
    Text member = text.member(chosen[0], text.name() + "/" + chosen[0]);
    if (!member.members().empty()) refuse(text, 0, "an archive within an archive", "a file of another kind");
    return member;
  }
  refuse(
      text, 0,
      (asked.empty() ? "" : "no single file " + in_quotes(asked) + " in ") + "an archive of " + counted(names, "file"),
      "an archive of one graph, or --member with the name of one");
}

}  // namespace matchcount::readers
