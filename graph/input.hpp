#pragma once
// Reads files into graphs. Every reader refuses what it does not understand with InputError: file, line, what stood
// there and what was expected; it never guesses a number.

#include <cstdint>
#include <istream>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/api.hpp"
#include "core/run.hpp"
#include "graph/input_types.hpp"

namespace MATCHCOUNT_API matchcount {

// Says whether this build has libexpat, which reads GraphML. Without it reading that throws NotCompiled.
bool built_with_graphml();
// Says whether this build has nlohmann's JSON, which reads graphs in JSON.
bool built_with_json();

// Returns the names of the formats of whose files an option of reading can be honoured (weight-key, delimiter, header,
// columns, by, base, skeleton, no-edge); it is refused for others. None for other options.
std::vector<std::string_view> formats_with(std::string_view option);

// Reads a number as files have it: [+-]digits, with a slash and digits or as a decimal; exactly. Nothing for other
// text.
std::optional<Rational> read_number(std::string_view text);

// Reads FILE; "-" is standard input; what gzip, ZIP, xz, zstd or bzip2 compressed is
// recognised by its first bytes.
//
// Weights are 64-bit integers where the text of every one is an integer, double-doubles otherwise; edges of weight 0
// are dropped (and their vertices kept) unless keep_zeros. Molecules in SMILES notation, which would pass for names,
// are refused where no format is asked for.
//
// Throws InputError for anything that is not what the format asks: also for a file that is missing, a directory, empty,
// cut in the middle of a gzip stream, not text (NUL or control characters, names that are not UTF-8), for an integer
// beyond 64 bits, an index beyond 2^31 - 1, for more vertices than the text has bytes (beyond 2^24), since a line of a
// few bytes must not ask for gigabytes, and for a file that holds several graphs (InputSequence reads those). Throws
// Unable where memory is short or the time of `run` is over.
//
// One thread. Time linear in the text plus that of BipartiteGraph::from_edges; memory the text, 8 bytes an edge and the
// weights beside the graph.
Input read_input(const std::string& file, const InputOptions& options = {}, const RunContext& run = {});

// The same from memory or a stream; `name` stands for the file in messages.
Input read_input(std::istream& stream, const std::string& name, const InputOptions& options = {},
                 const RunContext& run = {});
Input read_input_text(std::string_view text, const std::string& name, const InputOptions& options = {},
                      const RunContext& run = {});

// Reads the graphs that a file holds, one after another.
//
//   InputSequence sequence(file, options);
//   while (std::optional<Input> input = sequence.next()) count(*input);
class InputSequence {
 public:
  // "-" is standard input. Throws as read_input does where the file can't be read or its format is not known.
  explicit InputSequence(const std::string& file, const InputOptions& options = {}, const RunContext& run = {});
  // Reads from memory or a stream; `name` stands for the file in messages.
  static InputSequence from_text(std::string_view text, const std::string& name, const InputOptions& options = {},
                                 const RunContext& run = {});
  static InputSequence from_stream(std::istream& stream, const std::string& name, const InputOptions& options = {},
                                   const RunContext& run = {});
  InputSequence(InputSequence&&) noexcept;
  InputSequence& operator=(InputSequence&&) noexcept;
  ~InputSequence();

  // Reads the next graph; nothing behind the last. Throws InputError for a bad one, which tells its number, its title
  // and, where there are lines, that of the fault; and the next call goes on behind it.
  std::optional<Input> next();
  // Reads the file's only graph, to be called first. Throws InputError where it holds several or none.
  Input only();
  // Returns the place of the graph that was given or refused last, from 1; 0 before the first.
  std::uint64_t position() const;
  // Returns the title of that graph, which molecules have; empty where there is none.
  const std::string& title() const;
  // Says whether the file holds more than one.
  bool has_several() const;

 private:
  struct State;
  explicit InputSequence(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace matchcount
