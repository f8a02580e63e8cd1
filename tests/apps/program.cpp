#include "apps/program.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <new>
#include <sstream>
#include <stdexcept>

#include "core/stopwatch.hpp"

namespace matchcount::test {
namespace {

void limit(const Setting& setting) {
  signal(SIGPIPE, SIG_DFL);
  signal(SIGXFSZ, SIG_DFL);
  signal(SIGHUP, SIG_DFL);
  if (setting.most_file_bytes != 0) {
    const rlimit limit{setting.most_file_bytes, setting.most_file_bytes};
    setrlimit(RLIMIT_FSIZE, &limit);
  }
  if (setting.most_processes != 0) {
    constexpr uid_t nobody = 65534;
    if (geteuid() == 0 && setuid(nobody) != 0) _exit(126);
    const auto most = static_cast<rlim_t>(setting.most_processes);
    const rlimit limit{most, most};
    setrlimit(RLIMIT_NPROC, &limit);
  }
}

[[noreturn]] void become(const std::vector<std::string>& words, const Setting& setting, int in, int out, int err,
                         const ProgramEnvironment& environment) {
  const std::string& program = setting.program;
  limit(setting);
  dup2(in, STDIN_FILENO);
  dup2(out, STDOUT_FILENO);
  dup2(err, STDERR_FILENO);
  std::vector<char*> arguments = {const_cast<char*>(program.c_str())};
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  execve(program.c_str(), arguments.data(), environment.variables());
  _exit(127);
}

int must_open(const std::string& path, int flags) {
  const int descriptor = open(path.c_str(), flags | O_CLOEXEC, 0600);
  if (descriptor < 0) throw std::runtime_error("cannot open " + path);
  return descriptor;
}

// Returns the writing end.
int closed_pipe() {
  int ends[2] = {-1, -1};
  if (pipe2(ends, O_CLOEXEC) != 0) throw std::runtime_error("cannot make a pipe");
  close(ends[0]);
  return ends[1];
}

// Returns the processor time of a process in seconds.
double cpu_seconds_of(pid_t process) {
  clockid_t clock{};
  timespec time{};
  if (clock_getcpuclockid(process, &clock) != 0 || clock_gettime(clock, &time) != 0) return 0;
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

// Returns a field of /proc/PROCESS/status.
std::string status_of(pid_t process, const std::string& field) {
  std::ifstream stream("/proc/" + std::to_string(process) + "/status");
  for (std::string line; std::getline(stream, line);)
    if (line.starts_with(field + ":\t")) return line.substr(field.size() + 2);
  return {};
}

bool has_signal(pid_t process, const std::string& field, int signal) {
  const std::string mask = status_of(process, field);
  return !mask.empty() && (std::stoull(mask, nullptr, 16) >> (signal - 1) & 1) != 0;
}

// Returns a folder for XDG_CACHE_HOME in which the throughput is that of the models' machine, kept as
// permanent/engine/throughput.cpp reads it.
const std::string& cache_folder() {
  static const Folder folder;
  static const std::string name = [] {
    std::string model = " unknown";
    std::ifstream info("/proc/cpuinfo");
    for (std::string line; model == " unknown" && std::getline(info, line);)
      if (line.starts_with("model name")) model = line.substr(line.find(':') + 1);
    std::filesystem::create_directory(folder.path("matchcount"));
    folder.file("matchcount/throughput", "matchcount-throughput-2" + model + "\n1 1\n");
    return folder.path("");
  }();
  return name;
}

// Does what the setting has for a process on its way.
void act_on(pid_t process, const Setting& setting, const std::string& out_file, Stage* stage) {
  const bool alive = wait_while_alive(process, [&] {
    if (cpu_seconds_of(process) < setting.after_cpu_s) return false;
    if (setting.once_idle && stage->polls == 0) return false;
    struct stat status {};
    if (setting.after_out > 0 &&
        (stat(out_file.c_str(), &status) != 0 || static_cast<std::uint64_t>(status.st_size) < setting.after_out))
      return false;
    if (setting.after_writes > 0 && stage->writes < setting.after_writes) return false;
    return !setting.once || setting.once();
  });
  if (!alive) return;
  if (setting.passing_s > 0) {
    constexpr double moment_s = 0.2;
    const double until_s = cpu_seconds_of(process) + moment_s;
    stage->clock_ns += std::llround(1e9 * setting.passing_s);
    if (setting.signal != 0) wait_while_alive(process, [&] { return cpu_seconds_of(process) >= until_s; });
  }
  if (setting.signal == SIGKILL) kill(process, SIGKILL);
  if (setting.signal != 0 && setting.signal != SIGKILL) interrupt(process, setting.signal);
  if (stage != nullptr) stage->hold_at = 0;
}

}  // namespace

bool wait_while_alive(pid_t process, const std::function<bool()>& come) {
  for (;;) {
    siginfo_t ended{};
    if (waitid(P_PID, static_cast<id_t>(process), &ended, WEXITED | WNOHANG | WNOWAIT) != 0 || ended.si_pid != 0)
      return false;
    if (come()) return true;
    usleep(1000);
  }
}

void interrupt(pid_t process, int signal) {
  if (!wait_while_alive(process, [&] { return has_signal(process, "SigBlk", signal); })) return;
  kill(process, signal);
  wait_while_alive(process, [&] { return !has_signal(process, "ShdPnd", signal); });
}

ProgramEnvironment::ProgramEnvironment(const Folder& folder, bool has_stage, int columns) {
  for (char** variable = environ; *variable != nullptr; ++variable) {
    const std::string_view text = *variable;
    if (!text.starts_with("XDG_CACHE_HOME=") && !text.starts_with("COLUMNS=")) variables_.emplace_back(text);
  }
  if (columns != 0) variables_.push_back("COLUMNS=" + std::to_string(columns));
  variables_.push_back("XDG_CACHE_HOME=" + cache_folder());
  if (has_stage) {
    const std::string name = folder.file("stage", std::string(sizeof(Stage), '\0'));
    const int file = open(name.c_str(), O_RDWR | O_CLOEXEC);
    void* const memory = mmap(nullptr, sizeof(Stage), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    close(file);
    if (memory == MAP_FAILED) throw std::runtime_error("cannot map " + name);
    stage_ = new (memory) Stage;
    variables_.push_back(std::string(Stage::variable) + "=" + name);
    variables_.push_back("LD_PRELOAD=" MATCHCOUNT_TEST_STAGE);
    // A sanitizer's library may come behind it.
    const char* const options = getenv("ASAN_OPTIONS");
    std::erase_if(variables_, [](const std::string& variable) { return variable.starts_with("ASAN_OPTIONS="); });
    variables_.push_back("ASAN_OPTIONS=verify_asan_link_order=0:" + std::string(options != nullptr ? options : ""));
  }
  for (std::string& variable : variables_) pointers_.push_back(variable.data());
  pointers_.push_back(nullptr);
}

ProgramEnvironment::~ProgramEnvironment() {
  if (stage_ != nullptr) munmap(stage_, sizeof(Stage));
}

void check_refused(const std::string& line, const std::string& input, const std::vector<std::string>& words,
                   int status) {
  const Outcome outcome = run_line(line, input);
  CAPTURE(line, outcome.out.substr(0, 200), outcome.err);
  CHECK(outcome.status == status);
  CHECK(outcome.out.empty());
  for (const std::string& word : words) CHECK_THAT(outcome.err, ContainsSubstring(word));
}

std::vector<std::string> lines_of(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> lines;
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

Outcome run_program(const std::vector<std::string>& words, const Setting& setting) {
  const Folder folder;
  int pipe_ends[2] = {-1, -1};
  if (setting.open_input && pipe2(pipe_ends, O_CLOEXEC) != 0) throw std::runtime_error("cannot make a pipe");
  const int in = setting.open_input ? pipe_ends[0] : must_open(folder.file("in", setting.input), O_RDONLY);
  const std::string out_file = setting.out_file.empty() ? folder.path("out") : setting.out_file;
  const int out = setting.closed_output ? closed_pipe() : must_open(out_file, O_WRONLY | O_CREAT);
  const int err = must_open(folder.path("err"), O_WRONLY | O_CREAT);

  const bool stands = setting.still_clock || setting.passing_s > 0;
  const ProgramEnvironment environment(folder, stands || setting.once_idle || setting.after_writes != 0,
                                       setting.columns);
  if (environment.stage() != nullptr) environment.stage()->hold_at = setting.after_writes;
  if (stands) environment.stage()->clock_ns = 1'000'000'000'000;
  Stopwatch stopwatch;
  const pid_t child = fork();
  if (child < 0) throw std::runtime_error("cannot fork");
  if (child == 0) become(words, setting, in, out, err, environment);
  close(in);
  close(out);
  close(err);
  if (setting.signal != 0 || setting.passing_s > 0) act_on(child, setting, out_file, environment.stage());
  int status = 0;
  rusage usage{};
  wait4(child, &status, 0, &usage);
  if (pipe_ends[1] >= 0) close(pipe_ends[1]);

  Outcome outcome;
  outcome.seconds = stopwatch.lap();
  for (const timeval& used : {usage.ru_utime, usage.ru_stime})
    outcome.cpu_seconds += static_cast<double>(used.tv_sec) + 1e-6 * static_cast<double>(used.tv_usec);
  outcome.peak_bytes = static_cast<std::uint64_t>(usage.ru_maxrss) * 1024;
  outcome.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  if (setting.out_file.empty() && !setting.closed_output) outcome.out = read_file(out_file);
  outcome.err = read_file(folder.path("err"));
  return outcome;
}

Outcome run_line(const std::string& line, const std::string& input) {
  std::istringstream stream(line);
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(word);
  return run_program(words, {.input = input});
}

}  // namespace matchcount::test
