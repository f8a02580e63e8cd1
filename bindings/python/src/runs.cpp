#include <chrono>
#include <exception>
#include <thread>

#include "binding.hpp"

namespace matchcount::python {

Interruptible::Interruptible(RunOptions& run, nb::handle progress) {
  run.stop = stop_.get_token();
  if (!progress.is_valid() || progress.is_none() || progress.is(Py_False)) return;
  is_bar_ = progress.is(Py_True);
  if (!is_bar_ && PyCallable_Check(progress.ptr()) == 0)
    refuse_value("progress", progress, "True, False, or a callable of phase, done and total");
  progress_ = is_bar_ ? nb::module_::import_("matchcount._progress").attr("Bar")() : nb::borrow(progress);
  run.on_progress = [this](const Progress& news) {
    const std::lock_guard lock(mutex_);
    phase_ = news.phase;
    amount_ = news.done;
    total_ = news.total;
    has_news_ = true;
    changed_.notify_one();
  };
}

Interruptible::~Interruptible() {
  if (!is_bar_) return;
  const nb::object closed = nb::steal(PyObject_CallMethod(progress_.ptr(), "close", nullptr));
  if (!closed.is_valid()) PyErr_WriteUnraisable(nullptr);
}

void Interruptible::watch(const std::function<void()>& work) {
  constexpr auto between_looks = std::chrono::milliseconds(50);
  done_ = has_news_ = false;
  std::exception_ptr raised;
  {
    const nb::gil_scoped_release release;
    const std::jthread worker([&] {
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
        } catch (...) {
          raised = std::current_exception();
          stop_.request_stop();
        }
      }
      lock.lock();
    }
  }
  if (raised) std::rethrow_exception(raised);
}

}  // namespace matchcount::python
