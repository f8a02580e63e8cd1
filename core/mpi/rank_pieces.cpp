// Pieces are handed out as they are asked for, a share of what is left at a time, so that a slow rank gets few and all
// end together. A rank merges what it has done and hands it in with its next request; the first rank keeps the
// completed ranges, which merges in the same tree whoever did what. On each rank one thread speaks MPI while others
// compute.

#include "core/mpi/rank_pieces.hpp"

#include <algorithm>

#include "core/bytes.hpp"
#include "core/error.hpp"

namespace matchcount::star {
namespace {

// A rank hands its finished pieces to the first rank after that time at the latest.
constexpr std::chrono::milliseconds delivery_interval{200};
// A rank asks for as many pieces as it does in that time, twice over.
constexpr double seconds_ahead = 0.1;
// Others have so long to hand in what they have when the first rank ends before the end, within the second that mpirun
// leaves.
constexpr std::chrono::milliseconds time_to_hand_in{400};
// Request is what a rank asks for and hands in.
struct Request {
  std::uint64_t wanted = 0;
  bool leaves = false;
  std::string problem;  // with `leaves`: why before the end
  Bytes done;           // serialized completed ranges

  auto fields() { return std::tie(wanted, leaves, problem, done); }
};

}  // namespace

std::optional<CompletedRanges::Span> FirstPieces::take_some(std::uint64_t most) {
  const std::lock_guard lock(mutex_);
  if (at_ == missing_.size()) return std::nullopt;
  const auto spans = hand_out(std::min(most, missing_[at_].end - missing_[at_].first));
  return spans.front();
}

std::vector<CompletedRanges::Span> FirstPieces::hand_out(std::uint64_t wanted) {
  std::vector<CompletedRanges::Span> spans;
  while (wanted > 0 && at_ < missing_.size()) {
    CompletedRanges::Span& span = missing_[at_];
    spans.push_back(span.cut(wanted));
    const std::uint64_t count = spans.back().end - spans.back().first;
    wanted -= count;
    left_ -= count;
    if (span.first == span.end) ++at_;
  }
  return spans;
}

void FirstPieces::serve() {
  try {
    for (Pause pause; !is_over();) {
      const auto message = star_.poll();
      if (!message) {
        pause();
        continue;
      }
      pause.reset();
      if (message->tag != request) throw DeviceError("a message came that no request is");
      const auto asked = from_bytes<Request>(message->bytes);
      const std::lock_guard lock(mutex_);
      if (!asked.done.empty()) {
        completed_.add_serialized(asked.done);
        on_done_();
      }
      if (asked.leaves) {
        --absent_;
        if (!asked.problem.empty()) {
          hand_out_no_more();
          if (!failure_) failure_ = exception_of(message->source, asked.problem);
        }
        continue;
      }
      const std::uint64_t share = left_ / (2 * static_cast<std::uint64_t>(star_.size())) + 1;
      const double share_done =
          static_cast<double>(completed_.num_done()) / static_cast<double>(completed_.num_pieces());
      star_.send(message->source, grant, to_bytes(hand_out(std::min(asked.wanted, share)), share_done));
    }
  } catch (...) {
    failure_ = std::current_exception();
    const std::lock_guard lock(mutex_);
    hand_out_no_more();
  }
}

void FirstPieces::end_early(const std::function<void()>& save) {
  const std::lock_guard lock(mutex_);
  hand_out_no_more();
  deadline_ = Clock::now() + time_to_hand_in;
  save();
}

std::optional<CompletedRanges::Span> OtherPieces::take_some(std::uint64_t most) {
  std::unique_lock lock(mutex_);
  takes_ = true;
  waiting_ += most;
  arrived_.wait(lock, [&] { return !queue_.empty() || no_more_; });
  waiting_ -= most;
  if (queue_.empty() || stopped_) return std::nullopt;
  const CompletedRanges::Span span = queue_.front().cut(most);
  if (queue_.front().first == queue_.front().end) queue_.pop_front();
  queued_ -= span.end - span.first;
  return span;
}

void OtherPieces::finish(const std::string& problem) {
  {
    const std::lock_guard lock(mutex_);
    leaving_ = true;
    problem_ = problem;
  }
  thread_.join();
  if (failure_) std::rethrow_exception(failure_);
}

void OtherPieces::speak() {
  try {
    bool asked = false;
    for (Pause pause;;) {
      if (const auto message = star_.poll()) {
        if (message->tag != grant) throw DeviceError("a message came that no grant is");
        ByteReader in(message->bytes);
        const auto spans = in.get<std::vector<CompletedRanges::Span>>();
        const std::lock_guard lock(mutex_);
        for (const CompletedRanges::Span& span : spans) {
          queue_.push_back(span);
          queued_ += span.end - span.first;
        }
        share_done_ = in.get<double>();
        no_more_ = no_more_ || spans.empty();
        asked = false;
        arrived_.notify_all();
        pause.reset();
      }
      Request next;
      {
        const std::lock_guard lock(mutex_);
        const auto now = Clock::now();
        const bool late = now - last_delivery_ >= delivery_interval;
        next.leaves = leaving_ && !asked;
        const std::uint64_t ahead = wanted(now);
        const bool hungry = takes_ && !asked && !no_more_ && (waiting_ > 0 || 2 * queued_ < ahead);
        // Pieces that are done go, if no answer is due, with a request for nothing.
        const bool deliver = !asked && late && done_.num_done() > 0;
        if (next.leaves || hungry || deliver) {
          if (done_.num_done() > 0) next.done = done_.serialize();
          done_.clear();
          last_delivery_ = now;
          next.wanted = no_more_ || leaving_ ? 0 : hungry ? ahead : 1;
          next.problem = problem_;
          if (!next.leaves) asked = true;
        } else {
          next.wanted = nothing;
        }
      }
      if (next.wanted == nothing) {
        pause();
        continue;
      }
      star_.send(0, request, to_bytes(next));
      if (next.leaves) return;
    }
  } catch (...) {
    failure_ = std::current_exception();
    const std::lock_guard lock(mutex_);
    no_more_ = stopped_ = true;
    arrived_.notify_all();
  }
}

std::uint64_t OtherPieces::wanted(Clock::time_point now) {
  const double seconds = std::chrono::duration<double>(now - began_).count();
  const double rate = static_cast<double>(num_given_) / std::max(seconds, 1e-3);
  return static_cast<std::uint64_t>(2 * seconds_ahead * rate) + waiting_ + 1;
}

}  // namespace matchcount::star
