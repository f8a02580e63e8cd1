#pragma once
// Holds the command line as values.

#include <algorithm>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "approx/estimate.hpp"
#include "approx/estimated_distribution.hpp"
#include "apps/option_table.hpp"
#include "apps/progress_bar.hpp"
#include "core/checkpoint.hpp"
#include "core/mpi/ranks.hpp"
#include "graph/generate.hpp"
#include "graph/input.hpp"
#include "linear/determinant.hpp"
#include "matchcount/count.hpp"
#include "matchcount/matchings.hpp"
#include "matchcount/optimal_matchings.hpp"

namespace matchcount::app {

// A command line that says nothing sensible. Exit status 2, with a pointer to --help.
class UsageError : public std::runtime_error {
 public:
  UsageError(std::string command, const std::string& message)
      : std::runtime_error(message), command_(std::move(command)) {}
  const std::string& command() const { return command_; }

 private:
  std::string command_;
};

struct Options {
  Ranks* ranks = nullptr;  // this process is one of several; null: alone
  bool is_first() const { return ranks == nullptr || ranks->rank() == 0; }

  const CommandSpec* command = nullptr;
  std::vector<std::string> arguments;   // FILE, or what else stands without dashes
  std::vector<std::string_view> given;  // the options that stand there, in the order of the command's table
  std::string asked;                    // those that an answer depends on, with their values
  bool has(std::string_view option) const { return std::ranges::count(given, option) != 0; }
  bool help = false;
  bool help_all = false;
  bool version = false;

  InputOptions input;
  CountOptions count;
  MatchingKind matchings = MatchingKind::perfect;
  std::optional<Optimum> optimum;  // --matchings minimum-weight or maximum-weight
  std::optional<Rational> activity;
  std::string by;                  // --by as given; empty: matchings are not told apart
  std::string conditions;          // --given; empty: none
  std::string pairs_file;          // --pairs FILE; empty: none
  std::optional<Vertex> near;      // --pairs all-near K
  DeterminantOptions determinant;  // but for the run's options, which are count's
  double rtol = 0, atol = 0;       // by which entries that should be conjugate may differ
  bool has_loop_column = false;    // --loops, of a matrix with a column more
  EstimateOptions estimate;        // but for the run's options, which are count's
  // Options for marginals --estimate and sample --approximate, but for the run's options.
  DistributionEstimateOptions distribution_estimate;
  bool by_estimate = false;              // marginals --estimate, sample --approximate
  int planned_ranks = 1;                 // plan --ranks
  const CommandSpec* planned = nullptr;  // plan --of, where that is not count
  CheckpointOptions checkpoint;          // file, interval_s and resume; no file: none
  int digits = 17;                       // at most, of reals and complex numbers
  std::string output;                    // --output, --write or --svg; empty: none
  std::string output_option;             // which of these it is, with dashes
  std::string order_file;                // --order FILE; empty: none
  std::string rotation_file;             // --rotation FILE; empty: none
  std::optional<Point> periods;          // --periods X,Y, of the coordinates that a rotation is taken from
  std::string coordinates;               // --coordinates FILE; empty: none
  std::string from;                      // reach --from; empty: from every vertex
  std::string weights;                   // --weights as given; empty: none
  std::string weights_by_direction;      // the same
  std::optional<Boundary> boundary;      // generate --boundary
  bool json = false;
  bool quiet = false;
  bool explain = false;
  ProgressMode progress = ProgressMode::automatic;
  bool kuratowski = false;
  bool exact = false;              // marginals --exact
  bool sextets = false;            // count --sextets
  bool weighted = false;           // marginals and sample --weighted
  std::uint64_t samples = 1;       // sample --samples
  std::uint64_t first_sample = 0;  // sample --first-sample
  std::uint64_t first = 0;         // list --first; 0: all
  std::uint64_t skip = 0;          // list --skip
  bool manual = false;             // help --man
  std::string completion;          // help --completion SHELL
};

// Says whether --by asks for the number of fixed points of cycle covers.
inline bool is_by_loops(const Options& options) { return options.by == "loops" && options.command->name == "cycles"; }

// Throws UsageError, InputError for a value that an option can't have, NotCompiled for a device that this build lacks.
Options parse_command_line(int argc, const char* const* argv);

// Throws InputError for a command that a wing would have which is not built: it names the option that builds it.
void refuse_missing(std::string_view name);

// Reads "90", "1.5h", "20min" or "1:30:00" as seconds, or nothing.
std::optional<double> parse_duration(std::string_view text);

// Reads "512M", "2G", "1.5G", "4096": bytes, powers of 1024. Throws InputError.
std::uint64_t parse_size(const std::string& text);

}  // namespace matchcount::app
