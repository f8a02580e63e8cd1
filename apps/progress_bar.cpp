#include "apps/progress_bar.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include "apps/text.hpp"

namespace matchcount::app {
namespace {

constexpr double seconds_before_first = 2;
constexpr double seconds_between_lines = 60;  // where stderr is no terminal

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace

ProgressBar::ProgressBar(ProgressMode mode)
    : enabled_(mode != ProgressMode::off),
      terminal_(isatty(STDERR_FILENO) == 1),
      start_(Clock::now()),
      last_(start_),
      phase_start_(start_) {
  if (mode == ProgressMode::automatic && !terminal_) enabled_ = false;
}

void ProgressBar::update(const Progress& progress) {
  if (!enabled_) return;
  if (phase_ != progress.phase || progress.done < phase_done_) {
    phase_ = progress.phase;
    phase_start_ = Clock::now();
    phase_done_ = progress.done;
  }
  if (seconds_since(start_) < seconds_before_first) return;
  if (!terminal_ && visible_ && seconds_since(last_) < seconds_between_lines) return;
  const double elapsed = seconds_since(phase_start_);
  const double rate = elapsed > 0 ? (progress.done - phase_done_) / elapsed : 0;
  const std::size_t width = terminal_ ? columns_of(STDERR_FILENO).value_or(80) : 80;
  const std::string line = progress_line(progress, rate, static_cast<int>(width) - 1);
  std::fprintf(stderr, terminal_ ? "\r%s\x1b[K" : "%s\n", line.c_str());
  std::fflush(stderr);
  visible_ = true;
  last_ = Clock::now();
}

void ProgressBar::clear() {
  if (!visible_ || !terminal_) return;
  std::fputs("\r\x1b[K", stderr);
  std::fflush(stderr);
  visible_ = false;
}

std::string progress_line(const Progress& progress, double rate, int width) {
  const double share = progress.total > 0 ? std::clamp(progress.done / progress.total, 0.0, 1.0) : 0.0;
  char numbers[96];
  std::snprintf(numbers, sizeof numbers, " %3.0f %%  %.2g/s  ", 100 * share, rate);
  std::string tail = numbers;
  tail += rate > 0 ? format_seconds((progress.total - progress.done) / rate) + " left" : std::string("? left");
  std::string line(progress.phase);
  const int room = width - static_cast<int>(line.size() + tail.size()) - 3;
  if (room >= 4) {
    const int cells = std::min(room, 30);
    const auto filled = static_cast<std::size_t>(share * cells);
    line += " [" + std::string(filled, '#') + std::string(static_cast<std::size_t>(cells) - filled, ' ') + "]";
  }
  return (line + tail).substr(0, static_cast<std::size_t>(std::max(width, 0)));
}

}  // namespace matchcount::app
