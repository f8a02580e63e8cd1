#include "apps/program.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <thread>

namespace matchcount::test {
namespace {

void limit(const Setting& setting) {
  signal(SIGPIPE, SIG_DFL);
  signal(SIGXFSZ, SIG_DFL);
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

[[noreturn]] void become(const std::vector<std::string>& words, const Setting& setting, int in, int out, int err) {
  const std::string& program = setting.program;
  limit(setting);
  dup2(in, STDIN_FILENO);
  dup2(out, STDOUT_FILENO);
  dup2(err, STDERR_FILENO);
  std::vector<char*> arguments = {const_cast<char*>(program.c_str())};
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  execv(program.c_str(), arguments.data());
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

}  // namespace

TemporaryFolder::TemporaryFolder() {
  std::string name = (std::filesystem::temp_directory_path() / "matchcount-test-XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("cannot make a temporary folder");
  path_ = name;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

std::string TemporaryFolder::file(const std::string& name, const std::string& content) const {
  std::ofstream stream(path(name), std::ios::binary);
  stream << content;
  if (!stream.flush()) throw std::runtime_error("cannot write " + path(name));
  return path(name);
}

std::string read_file(const std::string& path) {
  std::ifstream stream(path, std::ios::binary);
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

Outcome run_program(const std::vector<std::string>& words, const Setting& setting) {
  const TemporaryFolder folder;
  int pipe_ends[2] = {-1, -1};
  if (setting.open_input && pipe2(pipe_ends, O_CLOEXEC) != 0) throw std::runtime_error("cannot make a pipe");
  const int in = setting.open_input ? pipe_ends[0] : must_open(folder.file("in", setting.input), O_RDONLY);
  const std::string out_file = setting.out_file.empty() ? folder.path("out") : setting.out_file;
  const int out = setting.closed_output ? closed_pipe() : must_open(out_file, O_WRONLY | O_CREAT);
  const int err = must_open(folder.path("err"), O_WRONLY | O_CREAT);

  const auto start = std::chrono::steady_clock::now();
  const pid_t child = fork();
  if (child < 0) throw std::runtime_error("cannot fork");
  if (child == 0) become(words, setting, in, out, err);
  close(in);
  close(out);
  close(err);
  if (setting.signal != 0) {
    std::this_thread::sleep_for(std::chrono::duration<double>(setting.signal_after_s));
    kill(child, setting.signal);
  }
  int status = 0;
  rusage usage{};
  wait4(child, &status, 0, &usage);
  if (pipe_ends[1] >= 0) close(pipe_ends[1]);

  Outcome outcome;
  outcome.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
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
  Setting setting;
  setting.input = input;
  return run_program(words, setting);
}

}  // namespace matchcount::test
