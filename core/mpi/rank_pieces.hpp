#pragma once
// Shares the pieces of a job among ranks: the first rank's side, which keeps the completed ranges, and any other
// rank's.

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "core/completed_ranges.hpp"
#include "core/mpi/star.hpp"
#include "core/work.hpp"

namespace matchcount::star {

// The first rank's side of a job: its own threads take and give here, the others' by messages.
class FirstPieces : public Pieces {
 public:
  FirstPieces(Star& star, CompletedRanges& completed, std::function<void()> on_done)
      : star_(star),
        completed_(completed),
        missing_(completed.missing()),
        on_done_(std::move(on_done)),
        absent_(star.size() - 1) {
    for (const CompletedRanges::Span& span : missing_) left_ += span.end - span.first;
    thread_ = std::thread([this] { serve(); });
  }
  // Waits until every rank has left.
  ~FirstPieces() override {
    if (thread_.joinable()) thread_.join();
  }

  std::optional<CompletedRanges::Span> take_some(std::uint64_t most) override;
  void give(CompletedRanges::Range range) override {
    const std::lock_guard lock(mutex_);
    completed_.add(std::move(range));
    on_done_();
  }
  double share_done() override {
    const std::lock_guard lock(mutex_);
    return static_cast<double>(completed_.num_done()) / static_cast<double>(completed_.num_pieces());
  }

  // Ends when the own threads ended before the end: no more pieces for anybody, and little time for the others. Pieces
  // that are done are saved first.
  void end_early(const std::function<void()>& save);
  // Finishes when the own threads are done. Returns what a rank or the communication threw.
  std::exception_ptr finish() {
    thread_.join();
    return failure_;
  }

 private:
  std::vector<CompletedRanges::Span> hand_out(std::uint64_t wanted);

  void hand_out_no_more() {
    missing_.clear();
    at_ = 0;
    left_ = 0;
  }

  bool is_over() {
    const std::lock_guard lock(mutex_);
    return absent_ == 0 || (deadline_ && Clock::now() > *deadline_);
  }

  void serve();

  Star& star_;
  CompletedRanges& completed_;
  std::mutex mutex_;
  std::vector<CompletedRanges::Span> missing_;
  std::size_t at_ = 0;
  std::uint64_t left_ = 0;
  std::function<void()> on_done_;
  int absent_;
  std::optional<Clock::time_point> deadline_;
  std::exception_ptr failure_;
  std::thread thread_;
};

// Any other rank's side.
class OtherPieces : public Pieces {
 public:
  OtherPieces(Star& star, const Job& job)
      : star_(star), done_(job.num_pieces, job.merge), last_delivery_(Clock::now()) {
    thread_ = std::thread([this] { speak(); });
  }

  std::optional<CompletedRanges::Span> take_some(std::uint64_t most) override;
  void give(CompletedRanges::Range range) override {
    const std::lock_guard lock(mutex_);
    num_given_ += range.size;
    done_.add(std::move(range));
  }
  double share_done() override {
    const std::lock_guard lock(mutex_);
    return share_done_;
  }

  // Finishes when the own threads are done; `problem` says why before the end. Called once.
  void finish(const std::string& problem);

 private:
  void speak();

  // Pieces to have in hand.
  std::uint64_t wanted(Clock::time_point now);

  static constexpr std::uint64_t nothing = ~std::uint64_t{0};

  Star& star_;
  std::mutex mutex_;
  std::condition_variable arrived_;
  std::deque<CompletedRanges::Span> queue_;
  std::uint64_t queued_ = 0;
  std::uint64_t waiting_ = 0;  // pieces that threads wait for, at most
  bool takes_ = false, no_more_ = false, stopped_ = false, leaving_ = false;
  std::string problem_;
  CompletedRanges done_;
  std::uint64_t num_given_ = 0;
  double share_done_ = 0;
  Clock::time_point began_ = Clock::now(), last_delivery_;
  std::exception_ptr failure_;
  std::thread thread_;
};

}  // namespace matchcount::star
