#include "core/mpi/ranks.hpp"

#include <algorithm>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "core/completed_ranges.hpp"
#include "core/error.hpp"
#include "core/mpi/star.hpp"

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
    thread_ = std::jthread([this] { serve(); });
  }

  std::optional<CompletedRanges::Span> take_some(std::uint64_t most) override {
    const std::lock_guard lock(mutex_);
    if (at_ == missing_.size()) return std::nullopt;
    const auto spans = hand_out(std::min(most, missing_[at_].end - missing_[at_].first));
    return spans.front();
  }

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
  void end_early(const std::function<void()>& save) {
    const std::lock_guard lock(mutex_);
    hand_out_no_more();
    deadline_ = Clock::now() + time_to_hand_in;
    save();
  }

  // Finishes when the own threads are done. Returns what a rank or the communication threw.
  std::exception_ptr finish() {
    thread_.join();
    return failure_;
  }

 private:
  std::vector<CompletedRanges::Span> hand_out(std::uint64_t wanted) {
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

  void hand_out_no_more() {
    missing_.clear();
    at_ = 0;
    left_ = 0;
  }

  bool is_over() {
    const std::lock_guard lock(mutex_);
    return absent_ == 0 || (deadline_ && Clock::now() > *deadline_);
  }

  void serve() {
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
  std::jthread thread_;  // waits for every rank to leave
};

// Any other rank's side.
class OtherPieces : public Pieces {
 public:
  OtherPieces(Star& star, const Job& job)
      : star_(star), done_(job.num_pieces, job.merge), last_delivery_(Clock::now()) {
    thread_ = std::jthread([this] { speak(); });
  }
  // Leaves, where that is yet to be done.
  ~OtherPieces() override {
    const std::lock_guard lock(mutex_);
    leaving_ = true;
  }

  std::optional<CompletedRanges::Span> take_some(std::uint64_t most) override {
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
  void finish(const std::string& problem) {
    {
      const std::lock_guard lock(mutex_);
      leaving_ = true;
      problem_ = problem;
    }
    thread_.join();
    if (failure_) std::rethrow_exception(failure_);
  }

 private:
  void speak() {
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

  // Pieces to have in hand.
  std::uint64_t wanted(Clock::time_point now) {
    const double seconds = std::chrono::duration<double>(now - began_).count();
    const double rate = static_cast<double>(num_given_) / std::max(seconds, 1e-3);
    return static_cast<std::uint64_t>(2 * seconds_ahead * rate) + waiting_ + 1;
  }

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
  std::jthread thread_;
};

}  // namespace
}  // namespace matchcount::star

namespace matchcount {

namespace {

using namespace star;

class RankWork : public Work {
 public:
  RankWork(Star& star, Checkpoint* checkpoint) : Work(checkpoint), star_(star) {
    if (star.is_first()) star.send_all(number, to_bytes(checkpoint != nullptr));
    keeps_ = star.is_first() ? checkpoint != nullptr : from_bytes<bool>(star.wait(number).bytes);
  }

  std::string decide(const std::string& name, const std::string& mine) override {
    if (!star_.is_first()) return from_bytes<std::string>(star_.wait(decision).bytes);
    const std::string made = Work::decide(name, mine);
    star_.send_all(decision, to_bytes(made));
    return made;
  }

  std::optional<std::string> decided(const std::string& name) override {
    std::optional<std::string> made;
    if (star_.is_first()) {
      made = Work::decided(name);
      star_.send_all(decision, to_bytes(made.has_value(), made.value_or("")));
    } else {
      const auto message = star_.wait(decision);
      ByteReader in(message.bytes);
      if (in.get<bool>()) made = in.get<std::string>();
    }
    return made;
  }

  int num_ranks() const override { return star_.size(); }
  bool is_first() const override { return star_.is_first(); }
  bool keeps() const override { return keeps_; }

  int rank() const override { return star_.rank(); }

  std::vector<Bytes> tell_all(Bytes mine, const RunContext& run) override {
    WatchedPause pause(run);
    std::vector<Bytes> all(static_cast<std::size_t>(star_.size()));
    if (star_.is_first()) {
      all.front() = std::move(mine);
      for (int others = 1; others < star_.size(); ++others) {
        auto message = star_.wait(told, pause);
        all[static_cast<std::size_t>(message.source)] = std::move(message.bytes);
      }
      ByteWriter out;
      for (const Bytes& one : all) out.put(one);
      star_.send_all(told, out.take());
      return all;
    }
    star_.send(0, told, mine);
    const auto message = star_.wait(told, pause);
    ByteReader in(message.bytes);
    for (Bytes& one : all) in.get(one);
    return all;
  }

  void exchange(std::span<const Outgoing> outgoing, std::span<const Incoming> incoming,
                const RunContext& run) override {
    WatchedPause pause(run, shortest_pause);
    star_.communicator().exchange(outgoing, incoming, [&] {
      star_.poll(failure);
      pause();
    });
  }

  CompletedRanges run(const Job& job, const std::function<void(Pieces&)>& execute) override {
    return star_.is_first() ? run_first(job, execute) : run_other(job, execute);
  }

 private:
  CompletedRanges run_first(const Job& job, const std::function<void(Pieces&)>& execute) {
    CompletedRanges completed = restored(job);
    star_.send_all(start, to_bytes(completed.complete(), job.name + ": " + job.description, job.num_pieces));
    if (!completed.complete()) {
      std::uint64_t written = completed.num_done();
      const auto write = [&] {
        save(job, completed);
        checkpoint()->write();
        written = completed.num_done();
      };
      const auto write_new = [&] {
        const bool first = checkpoint() && !checkpoint()->resumed() && checkpoint()->num_writes() == 0;
        if (checkpoint() && (first || completed.num_done() > written)) write();
      };
      FirstPieces pieces(star_, completed, [&] {
        if (checkpoint() && checkpoint()->due()) write();
      });
      std::exception_ptr thrown;
      try {
        execute(pieces);
      } catch (...) {
        thrown = std::current_exception();
        pieces.end_early(write_new);
      }
      const std::exception_ptr elsewhere = pieces.finish();
      if (thrown || elsewhere) {
        write_new();
        std::rethrow_exception(thrown ? thrown : elsewhere);
      }
      save(job, completed);
    }
    star_.send_all(result, completed.serialize());
    return completed;
  }

  CompletedRanges run_other(const Job& job, const std::function<void(Pieces&)>& execute) {
    const auto begun = star_.wait(start);
    ByteReader in(begun.bytes);
    const auto complete = in.get<bool>();
    const auto of_first = in.get<std::string>();
    const std::string mine = job.name + ": " + job.description;
    if (of_first != mine || in.get<std::uint64_t>() != job.num_pieces) {
      throw Unable("this rank would sum " + mine + ", the first rank sums " + of_first);
    }
    if (!complete) {
      OtherPieces pieces(star_, job);
      std::string problem;
      std::exception_ptr thrown;
      try {
        execute(pieces);
      } catch (const std::exception& error) {
        problem = text_of(error);
        thrown = std::current_exception();
      }
      pieces.finish(problem);
      // The first rank has the reason now and ends the run.
      if (thrown) std::rethrow_exception(thrown);
    }
    CompletedRanges completed(job.num_pieces, job.merge);
    completed.add_serialized(star_.wait(result).bytes);
    return completed;
  }

  Star& star_;
  bool keeps_ = false;
};

class MpiRanks : public Ranks {
 public:
  int rank() const override { return star_.rank(); }
  int size() const override { return star_.size(); }
  int local_rank() const override { return star_.communicator().local_rank(); }
  int local_size() const override { return star_.communicator().local_size(); }

  Bytes broadcast(Bytes bytes) override {
    if (star_.is_first()) {
      star_.send_all(size_of_broadcast, to_bytes(static_cast<std::uint64_t>(bytes.size())));
    } else {
      bytes.resize(from_bytes<std::uint64_t>(star_.wait(size_of_broadcast).bytes));
    }
    star_.communicator().broadcast(bytes);
    return bytes;
  }

  int least(int value) override {
    if (star_.is_first()) {
      for (int others = 1; others < size(); ++others)
        value = std::min(value, from_bytes<int>(star_.wait(number).bytes));
      star_.send_all(number, to_bytes(value));
      return value;
    }
    star_.send(0, number, to_bytes(value));
    return from_bytes<int>(star_.wait(number).bytes);
  }

  std::unique_ptr<Work> work(Checkpoint* checkpoint) override { return std::make_unique<RankWork>(star_, checkpoint); }
  void fail(const std::exception& error) override { star_.fail(error); }

 private:
  Star star_;
};

}  // namespace

bool built_with_mpi() { return true; }
std::unique_ptr<Ranks> Ranks::join() { return std::make_unique<MpiRanks>(); }

}  // namespace matchcount
