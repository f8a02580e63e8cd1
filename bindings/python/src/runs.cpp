#include <nanobind/stl/string.h>

#include <chrono>
#include <cmath>

#include "binding.hpp"

namespace matchcount::python {

RunOptions take_run(nb::dict& options) {
  RunOptions run;
  run.device = parse_device_choice(take<std::string>(options, "device", "auto"));
  run.precision = from_string<Precision>(take<std::string>(options, "precision", "auto"));
  run.num_threads = take(options, "threads", 0);
  if (run.num_threads < 0) refuse_value("threads", nb::int_(run.num_threads), "a whole number from 0 on");
  run.seed = take<std::uint64_t>(options, "seed", 1);
  run.time_limit_s = take(options, "time_limit", std::numeric_limits<double>::infinity());
  if (!(run.time_limit_s > 0))
    throw InputError("a time limit of " + std::to_string(run.time_limit_s), "seconds above 0");
  const double bytes = take(options, "memory_limit", 0.0);
  // No interpreter is smaller: less is a number of megabytes or gigabytes.
  constexpr double least_bytes = 1 << 20;
  if (bytes != 0 && !(bytes >= least_bytes && bytes < 0x1p63))
    throw InputError("memory_limit=" + std::to_string(bytes), "bytes, from 2^20 to 2^63");
  run.memory_limit_bytes = static_cast<std::uint64_t>(bytes);
  return run;
}

double take_effort(nb::dict& options) {
  const double seconds = take(options, "effort", 0.0);
  if (!(seconds >= 0 && std::isfinite(seconds)))
    throw InputError("an effort of " + std::to_string(seconds), "seconds from 0 on");
  return seconds;
}

CountOptions take_count(nb::dict& options) {
  CountOptions count;
  count.method = from_string<Method>(take<std::string>(options, "method", "auto"));
  count.frontier_strategy = from_string<FrontierStrategy>(take<std::string>(options, "order", "auto"));
  count.frontier_engine = from_string<FrontierEngine>(take<std::string>(options, "engine", "auto"));
  count.expand_degree = take(options, "expand_degree", count.expand_degree);
  count.expand_rows = take(options, "expand_rows", count.expand_rows);
  count.prune = take(options, "prune", true);
  count.reduce = take(options, "reduce", true);
  count.verify = take(options, "verify", false);
  count.effort_s = take_effort(options);
  count.run = take_run(options);
  return count;
}

void refuse_rest(const nb::dict& options) {
  for (const auto& [name, value] : options)
    throw nb::type_error(("unexpected keyword argument '" + nb::cast<std::string>(name) + "'").c_str());
}

void refuse_options(const nb::dict& options, std::initializer_list<const char*> names) {
  for (const char* name : names) {
    if (options.contains(name))
      throw nb::type_error(
          ("unexpected keyword argument '" + std::string(name) + "': it would do nothing here").c_str());
  }
}

void refuse_value(const char* name, nb::handle value, const char* expected) {
  throw InputError(std::string(name) + "=" + nb::cast<std::string>(nb::repr(value)), expected);
}

Interruptible::Interruptible(RunOptions& run, nb::object progress) : progress_(std::move(progress)) {
  run.stop = stop_.get_token();
  if (progress_.is_none()) return;
  run.on_progress = [this](const Progress& news) {
    const std::lock_guard lock(mutex_);
    phase_ = news.phase;
    amount_ = news.done;
    total_ = news.total;
    has_news_ = true;
    changed_.notify_one();
  };
}

void Interruptible::watch(const std::function<void()>& work) {
  constexpr auto between_looks = std::chrono::milliseconds(50);
  done_ = has_news_ = false;
  std::optional<nb::python_error> raised;
  {
    const nb::gil_scoped_release release;
    std::thread worker([&] {
      work();
      const std::lock_guard lock(mutex_);
      done_ = true;
      changed_.notify_one();
    });
    std::unique_lock lock(mutex_);
    while (!changed_.wait_for(lock, between_looks, [&] { return done_; })) {
      const bool tell = has_news_ && !raised;
      has_news_ = false;
      const std::string phase = phase_;
      const double amount = amount_, total = total_;
      lock.unlock();
      {
        const nb::gil_scoped_acquire acquire;
        try {
          if (!raised && PyErr_CheckSignals() != 0) throw nb::python_error();
          if (tell) progress_(phase, amount, total);
        } catch (nb::python_error& error) {
          raised.emplace(std::move(error));
          stop_.request_stop();
        }
      }
      lock.lock();
    }
    lock.unlock();
    worker.join();
  }
  if (raised) throw std::move(*raised);
}

}  // namespace matchcount::python
