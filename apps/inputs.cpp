#include "apps/inputs.hpp"

#include <sys/stat.h>
#include <unistd.h>
#include <algorithm>
#include <cstddef>
#include <exception>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <string_view>
#include <utility>

#include "apps/answer.hpp"
#include "apps/checkpointed_run.hpp"
#include "apps/commands.hpp"
#include "apps/json.hpp"
#include "apps/matchings.hpp"
#include "apps/placement.hpp"
#include "apps/text.hpp"
#include "core/error.hpp"
#include "core/stopwatch.hpp"
#include "permanent/engine/throughput.hpp"

namespace matchcount::app {

namespace {

// Says whether a line of the answer does not tell which input it is about.
bool has_heads(const Options& options) {
  constexpr std::string_view with_several_lines[] = {"plan", "decompose", "marginals", "sample", "list"};
  const bool has_lines = std::ranges::count(with_several_lines, options.command->name) != 0 || options.sextets ||
                         options.matchings == MatchingKind::by_size || !options.by.empty();
  return !options.json && (has_lines || !options.from.empty());
}

std::string head_of(const std::string& name) { return printable(name) + ":\n"; }

// Keeps the place of a run among its inputs, so that each has its line on stdout however the run ends. The options
// outlive it. A limit that ends the process asks for the rest on a thread of its own.
class Batch {
 public:
  explicit Batch(const Options& options) : options_(options) {}
  // The next answer is of this input: `name` is its file's, at this place among the arguments, or "FILE, graph 3", at
  // this position in a file of several.
  void begin(std::size_t place, std::string name, std::uint64_t position = 0) {
    const std::lock_guard lock(mutex_);
    place_ = {place, std::move(name), position, {}};
    has_head_ = !has_heads(options_);
    answers_before_ = answers_written();
  }

  // The input, one of several in its file, has this title beside its name. Returns what stands before its answer of one
  // line.
  std::string add_title(const std::string& title) {
    const std::lock_guard lock(mutex_);
    if (title.empty()) return {};
    place_.name += " (" + title + ")";
    if (!options_.json && !has_heads(options_)) place_.lead = title + "\t";
    return place_.lead;
  }

  // Writes the input's name above an answer of several lines, once.
  void head() {
    std::string text;
    {
      const std::lock_guard lock(mutex_);
      if (!std::exchange(has_head_, true)) text = head_of(place_.name);
    }
    if (!text.empty()) write_heading(text);
  }

  // Writes the failure in the place of the answer.
  void say_error(const Failure& failure) {
    head();
    const auto [at, name, position, lead] = place();
    write_error(options_.arguments[at], position, failure, lead);
    Failure told = failure;
    if (told.file.empty() && !told.message.starts_with(name)) told.message = name + ": " + told.message;
    complain("matchcount", told);
  }

  // The run ends here: tells of the input that was begun, unless it has its answer, and of all behind it. Where a
  // person or program interrupts it, of no more than that.
  void say_end(const Failure& failure) {
    const auto [begun, name, position, lead] = place();
    if (failure.kind == "interrupted") {
      if (options_.json) write_error(options_.arguments[begun], position, failure);
      return complain("matchcount", failure);
    }
    if (!is_answered()) say_error(failure);
    Failure rest = failure;
    rest.message = "not begun: " + failure.message;
    std::size_t count = 0;
    for (std::size_t next = begun + 1; next < options_.arguments.size(); ++next, ++count) {
      const std::string& file = options_.arguments[next];
      if (has_heads(options_)) write_heading(head_of(file));
      write_error(file, 0, rest);
    }
    if (count > 0) {
      rest.message = std::to_string(count) + (count == 1 ? " FILE was " : " FILEs were ") + rest.message;
      complain("matchcount", rest);
    }
  }

 private:
  struct Place {
    std::size_t argument = 0;
    std::string name;
    std::uint64_t position = 0;
    std::string lead;
  };

  Place place() const {
    const std::lock_guard lock(mutex_);
    return place_;
  }

  bool is_answered() const {
    const std::lock_guard lock(mutex_);
    return answers_written() != answers_before_;
  }

  void write_error(const std::string& file, std::uint64_t position, const Failure& failure,
                   const std::string& lead = {}) const {
    write_failure(options_.json ? line(json_failure(options_, file, position, failure)) : lead + "error\n");
  }

  const Options& options_;
  mutable std::mutex mutex_;  // of what follows; nothing is written under it
  Place place_;
  bool has_head_ = false;
  std::uint64_t answers_before_ = 0;
};

// Says whether the exception that is being handled tells that nobody reads answers any more.
bool is_answer_lost() {
  try {
    throw;
  } catch (const AnswerLost&) {
    return true;
  } catch (...) {
    return false;
  }
}

// Throws InputError where there is no such file, and names one of its folder that is spelled nearly so.
void require_file(const std::string& file) {
  namespace fs = std::filesystem;
  std::error_code error;
  if (file == "-" || fs::status(file, error).type() != fs::file_type::not_found) return;
  constexpr std::size_t most = 10'000;
  const fs::path path(file), folder = path.parent_path();
  std::vector<std::string> names;
  for (fs::directory_iterator at(folder.empty() ? "." : folder, error), end; at != end && names.size() < most;
       at.increment(error))
    names.push_back(printable(at->path().filename().string()));
  std::ranges::sort(names);
  throw InputError(
      file, 0, "no file of that name",
      "a file, or - for standard input" + suggestion(path.filename().string(), {names.begin(), names.end()},
                                                     folder.empty() ? "" : printable(folder.string()) + "/"));
}

class Answering {
 public:
  Answering(const Options& options, Interrupt& interrupt, bool odd_cycles,
            const std::function<void(Loaded&, CountOptions&, ProgressBar&)>& answer)
      : options_(options),
        interrupt_(interrupt),
        answer_(answer),
        bar_(options.progress),
        input_options_(options.input),
        count_(options.count),
        several_(options.arguments.size() > 1),
        batch_(std::make_shared<Batch>(options)) {
    input_options_.odd_cycles = odd_cycles;
    if (options.ranks) take_share(*options.ranks, count_);
    const int asked = count_.run.num_threads;
    count_.run = resolved(count_.run);
    if (const int threads = count_.run.num_threads; threads < asked) {
      note(options, "only " + std::to_string(threads) + " of " + std::to_string(asked) + " threads can be started");
    }
    count_.run.on_progress = [this](const Progress& progress) { bar_.update(progress); };
    count_.run.stop = interrupt.watch();
    count_.throughput = cached_throughput(default_throughput_file());
    run_ = RunContext(reading_options());
  }

  int operator()() {
    refuse_overwriting();
    if (several_) begin_several();
    std::exception_ptr error;
    try {
      answer_all();
    } catch (...) {
      error = std::current_exception();
    }
    const auto end = [&](Work*) {
      if (error) std::rethrow_exception(error);
      return status_;
    };
    return saved_ ? (*saved_)(end) : end(nullptr);
  }

  // Every rank gets the first one's input.
  void as_rank() {
    const std::string& file = options_.arguments.front();
    if (several_) throw InputError("several FILEs", "one FILE where ranks share the work");
    Stopwatch reading;
    Loaded loaded;
    loaded.file = file;
    loaded.input = broadcast(*options_.ranks, [&] {
      require_file(file);
      return read_input(file, input_options_, run_);
    });
    loaded.read_s = reading.lap();
    give(loaded);
  }

 private:
  void answer_all() {
    for (place_ = 0; place_ < options_.arguments.size() && !is_ended_; ++place_) {
      const std::string& file = options_.arguments[place_];
      batch_->begin(place_, file);
      Stopwatch reading;
      std::optional<InputSequence> inputs;
      try {
        require_file(file);
        inputs.emplace(file, input_options_, run_);
      } catch (const std::exception&) {
        tell();
        continue;
      }
      if (inputs->has_several() && !std::exchange(several_, true)) begin_several();
      while (answer_next(file, *inputs, reading) && inputs->has_several() && !is_ended_) {
      }
    }
  }

  // False: there is no other.
  bool answer_next(const std::string& file, InputSequence& inputs, Stopwatch& reading) {
    const std::uint64_t before = inputs.position();
    if (inputs.has_several()) batch_->begin(place_, file + ", graph " + std::to_string(before + 1), before + 1);
    bool is_given = false;
    try {
      reading.lap();
      std::optional<Input> input = inputs.next();
      Loaded loaded;
      loaded.file = file;
      if (!input && before == 0) throw InputError(loaded.name(), 0, "no graph", "at least one");
      if (!input) return false;
      loaded.input = *std::move(input);
      loaded.read_s = reading.lap();
      loaded.one_of_several = inputs.has_several();
      loaded.position = inputs.position();
      if (inputs.has_several()) loaded.lead = batch_->add_title(loaded.input.title);
      loaded.prefix = prefix(file, inputs);
      if (saved_) loaded.batch = &*saved_;
      is_given = true;
      give(loaded);
    } catch (const std::exception&) {
      if (!is_given && inputs.has_several()) batch_->add_title(inputs.title());
      tell();
      // If a graph cannot be passed over, no later graph of the file can be read.
      return inputs.position() != before;
    }
    return true;
  }

  std::string prefix(const std::string& file, const InputSequence& inputs) const {
    if (inputs.has_several()) return file + ", graph " + std::to_string(inputs.position()) + ": ";
    return several_ ? file + ": " : std::string();
  }

  bool only_plans() const { return options_.command->name == "plan"; }

  // A plan says whether a limit would hold, even where reading alone has passed it: it has a little time in any case.
  RunOptions reading_options() const {
    RunOptions run = count_.run;
    if (only_plans()) run.time_limit_s += to_plan_s;
    return run;
  }

  void give(Loaded& loaded) {
    CountOptions count = count_;
    count.run.time_limit_s = std::max(0.0, count.run.time_limit_s - run_.elapsed_s());
    if (is_over() && !only_plans()) throw OverLimit("the time limit was over when the file had been read");
    meet_conditions(options_, loaded.input);
    for (const std::string& sentence : loaded.input.notes) note(options_, loaded.prefix + sentence);
    if (several_) batch_->head();
    take_rotation(options_, loaded.input, count);
    answer_(loaded, count, bar_);
    bar_.clear();
  }

  // The time, to the millisecond where there are several inputs: else what is left would refuse each of the last ones.
  bool is_over() const { return run_.seconds_left() <= (several_ ? 1e-3 : 0.0); }

  // Tells of a failure in the input's place, where there are others; of the other FILEs too, where the time is over.
  void tell() {
    if (is_answer_lost()) throw;
    const Failure failure = current_failure("matchcount");
    const bool is_last = is_over();
    if (!several_ || failure.kind == "interrupted" || (is_last && options_.arguments.size() == 1)) throw;
    bar_.clear();
    if (is_last) {
      batch_->say_end(failure);
      is_ended_ = true;
    } else {
      batch_->say_error(failure);
    }
    status_ = std::max(status_, failure.status);
  }

  void begin_several() {
    if (!options_.checkpoint.file.empty()) saved_.emplace(options_, bar_, interrupt_, "batch");
    if (!options_.output.empty()) throw InputError(options_.output_option + " with several inputs", "one input");
    for (const auto& [file, name] : {std::pair(&options_.order_file, "--order"),
                                     {&options_.rotation_file, "--rotation"},
                                     {&options_.pairs_file, "--pairs"}})
      if (!file->empty()) throw InputError(std::string(name) + " FILE with several inputs", "one input");
    interrupt_.say_with([batch = batch_](const Failure& failure) { batch->say_end(failure); });
  }

  // An input that is a file is kept, whatever name of it is given.
  void refuse_overwriting() const {
    struct stat output {};
    if (options_.output.empty() || ::stat(options_.output.c_str(), &output) != 0 || !S_ISREG(output.st_mode)) return;
    std::vector<std::string> inputs = options_.arguments;
    for (const std::string& file :
         {options_.coordinates, options_.order_file, options_.rotation_file, options_.pairs_file})
      if (!file.empty()) inputs.push_back(file);
    for (const std::string& file : inputs) {
      struct stat input {};
      const int found = file == "-" ? ::fstat(STDIN_FILENO, &input) : ::stat(file.c_str(), &input);
      if (found == 0 && input.st_dev == output.st_dev && input.st_ino == output.st_ino)
        throw InputError(options_.output_option + " " + options_.output + ", which is the input",
                         "the name of another file");
    }
  }

  const Options& options_;
  Interrupt& interrupt_;
  const std::function<void(Loaded&, CountOptions&, ProgressBar&)>& answer_;
  ProgressBar bar_;
  InputOptions input_options_;
  CountOptions count_;
  RunContext run_;
  bool several_;
  std::shared_ptr<Batch> batch_;
  std::optional<CheckpointedRun> saved_;  // the answers of several inputs
  std::size_t place_ = 0;                 // of the FILE
  bool is_ended_ = false;
  int status_ = 0;
};

}  // namespace

void Loaded::require_square(const char* expected) const {
  const Vertex rows = input.graph.num_rows(), columns = input.graph.num_columns();
  if (rows != columns)
    throw InputError(name(), 0, "a matrix of " + std::to_string(rows) + " x " + std::to_string(columns), expected);
}

int answer_each(const Options& options, Interrupt& interrupt, bool odd_cycles,
                const std::function<void(Loaded&, CountOptions&, ProgressBar&)>& answer) {
  const std::string command(options.command->name);
  if (options.arguments.empty()) throw UsageError(command, command + " needs a FILE (- is standard input)");
  if (std::count(options.arguments.begin(), options.arguments.end(), "") > 0)
    throw UsageError(command, "the name of a FILE is empty");
  const auto from_stdin = std::count(options.arguments.begin(), options.arguments.end(), "-");
  if (from_stdin > 1) throw UsageError(command, "standard input can be read once");
  for (const auto& [file, name] : {std::pair(&options.coordinates, "--coordinates"),
                                   {&options.order_file, "--order"},
                                   {&options.rotation_file, "--rotation"}})
    if (from_stdin > 0 && *file == "-")
      throw UsageError(command, "standard input can be read once: it is a FILE and " + std::string(name) + " here");
  Answering answering(options, interrupt, odd_cycles, answer);
  if (!options.ranks) return answering();
  answering.as_rank();
  return 0;
}

}  // namespace matchcount::app
