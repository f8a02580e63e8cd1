#pragma once
// Shows a progress bar on stderr for anything over two seconds.

#include <chrono>
#include <string>

#include "core/names.hpp"
#include "core/run.hpp"

namespace matchcount::app {

enum class ProgressMode {
  automatic,  // a bar where stderr is a terminal
  on,         // a bar on a terminal, else a line a minute
  off
};
}  // namespace matchcount::app

template <>
struct matchcount::Names<matchcount::app::ProgressMode> {
  static constexpr std::string_view what = "progress";
  static constexpr Named<app::ProgressMode> all[] = {
      {app::ProgressMode::automatic, "auto"}, {app::ProgressMode::on, "on"}, {app::ProgressMode::off, "off"}};
};

namespace matchcount::app {

class ProgressBar {
 public:
  explicit ProgressBar(ProgressMode mode);
  ~ProgressBar() { clear(); }
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

  void update(const Progress& progress);
  // Removes the bar from the terminal. Call before anything else is written to it.
  void clear();

 private:
  using Clock = std::chrono::steady_clock;
  bool enabled_;
  bool terminal_;
  bool visible_ = false;
  Clock::time_point start_;
  Clock::time_point last_;
  Clock::time_point phase_start_;
  double phase_done_ = 0;  // done when the phase began
  std::string phase_;
};

// Writes the line that is shown, of at most `width` columns: "frontier [####    ]  45 %  1.2e+06/s  12 s left".
std::string progress_line(const Progress& progress, double rate, int width);

}  // namespace matchcount::app
