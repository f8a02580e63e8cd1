// Pieces are handed out as they are asked for, a share of what is left at a time, so that a slow rank gets few and all
// end together. A rank merges what it has done and hands it in with its next request; the first rank keeps the ledger,
// which merges in the same tree whoever did what. On each rank one thread speaks MPI while others compute.
//
// Open MPI 4.1 ends the job when a rank dies, so nobody waits here for a dead one: the first rank gets SIGTERM, writes
// its checkpoint and leaves.

#include "core/mpi/ranks.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <exception>
#include <mutex>
#include <thread>
#include <utility>

#include "core/error.hpp"
#include "core/mpi/communicator.hpp"

namespace matchcount {
namespace {

using Clock = std::chrono::steady_clock;

enum Tag { request = 1, grant, start, result, decision, size_of_broadcast, number, told, failure };

// Between two looks for messages: short while they come, longer when they don't.
constexpr std::chrono::microseconds shortest_pause{20}, longest_pause{1000};
// What a rank has done reaches the first rank after that at the latest.
constexpr std::chrono::milliseconds delivery_interval{200};
// A rank asks for as many pieces as it does in that time, twice over.
constexpr double seconds_ahead = 0.1;
// For others to hand in what they have when the first rank ends before the end, within the second that mpirun leaves.
constexpr std::chrono::milliseconds time_to_hand_in{400};
// For others to come to the same place when this rank is to end. More than mpirun leaves where it is the one that was
// interrupted, but nothing can be kept before they come.
constexpr std::chrono::seconds time_to_come{10};
// For others to end, after a failure.
constexpr std::chrono::seconds patience{5};

class Pause {
 public:
  explicit Pause(std::chrono::microseconds longest = longest_pause) : longest_(longest) {}
  void reset() { length_ = shortest_pause; }
  void operator()() {
    std::this_thread::sleep_for(length_);
    length_ = std::min(2 * length_, longest_);
  }

 private:
  std::chrono::microseconds longest_, length_ = shortest_pause;
};

// Between two looks of one who has a run: throws as that does, a while after.
class WatchedPause {
 public:
  explicit WatchedPause(const RunContext& run, std::chrono::microseconds longest = longest_pause)
      : run_(run), pause_(longest) {}
  void operator()() {
    pause_();
    if (thrown_) {
      if (Clock::now() > end_) std::rethrow_exception(thrown_);
      return;
    }
    try {
      run_.check();
    } catch (const Unable&) {  // Cancelled too
      thrown_ = std::current_exception();
      end_ = Clock::now() + time_to_come;
    }
  }

 private:
  const RunContext& run_;
  Pause pause_;
  std::exception_ptr thrown_;
  Clock::time_point end_;
};

template <class T>
Bytes bytes_of(const T& value) {
  ByteWriter out;
  out.put(value);
  return out.take();
}
Bytes text_bytes(const std::string& text) {
  ByteWriter out;
  out.put_text(text);
  return out.take();
}

// An exception as a line of text that begins with its kind, and back.
std::string text_of(const std::exception& error) {
  const char kind = dynamic_cast<const Cancelled*>(&error)     ? 'c'
                    : dynamic_cast<const InputError*>(&error)  ? 'i'
                    : dynamic_cast<const DeviceError*>(&error) ? 'd'
                                                               : 'u';
  return kind + std::string(error.what());
}
std::exception_ptr exception_of(int rank, const std::string& text) {
  const std::string message = "rank " + std::to_string(rank) + ": " + text.substr(1);
  switch (text[0]) {
    case 'c':
      return std::make_exception_ptr(Cancelled(message));
    case 'i':
      return std::make_exception_ptr(InputError(message, "the same on every rank"));
    case 'd':
      return std::make_exception_ptr(DeviceError(message));
    default:
      return std::make_exception_ptr(Unable(message));
  }
}

// The communicator with what this program's protocol adds: expected messages, and failures instead of them.
class Star {
 public:
  const Communicator& communicator() const { return communicator_; }
  int rank() const { return communicator_.rank(); }
  int size() const { return communicator_.size(); }
  bool is_first() const { return rank() == 0; }

  void send(int to, Tag tag, const Bytes& bytes) const { communicator_.send(to, tag, bytes); }
  void send_all(Tag tag, const Bytes& bytes) const {
    for (int to = 1; to < size(); ++to) send(to, tag, bytes);
  }

  // The next message, or nothing. A failure is an exception.
  std::optional<Communicator::Message> poll(int tag = MPI_ANY_TAG) {
    auto message = communicator_.try_receive(tag);
    if (message && message->tag == failure) {
      if (!is_first()) throw EndedByOther("the first rank failed");
      ++num_gone_;
      std::rethrow_exception(exception_of(message->source, ByteReader(message->bytes).get_text()));
    }
    return message;
  }

  Communicator::Message wait(Tag tag) { return wait(tag, Pause()); }
  template <class AnyPause>
  Communicator::Message wait(Tag tag, AnyPause&& pause) {
    for (;;) {
      auto message = poll();
      if (!message) {
        pause();
        continue;
      }
      if (message->tag != tag) {
        throw DeviceError("rank " + std::to_string(message->source) + " sent message " + std::to_string(message->tag) +
                          " where " + std::to_string(tag) + " was due");
      }
      return std::move(*message);
    }
  }

  // Tells the others, each of which calls this too in the end; on the first rank waits for that.
  void fail(const std::exception& error) {
    if (!is_first()) {
      send(0, failure, text_bytes(text_of(error)));
      return;
    }
    send_all(failure, {});
    const auto end = Clock::now() + patience;
    for (Pause pause; num_gone_ + 1 < size();) {
      if (Clock::now() > end) communicator_.abort(3);
      const auto message = communicator_.try_receive();
      if (!message) pause();
      if (message && message->tag == failure) ++num_gone_;
    }
  }

 private:
  Communicator communicator_;
  int num_gone_ = 0;  // ranks that have failed
};

// What a rank asks for and hands in.
struct Request {
  std::uint64_t wanted = 0;
  bool leaves = false;
  std::string problem;  // with `leaves`: why before the end
  Bytes done;           // a serialized ledger

  Bytes as_bytes() const {
    ByteWriter out;
    out.put(wanted);
    out.put(leaves);
    out.put_text(problem);
    out.put_bytes(done);
    return out.take();
  }
  static Request from(const Bytes& bytes) {
    ByteReader in(bytes);
    Request result;
    result.wanted = in.get<std::uint64_t>();
    result.leaves = in.get<bool>();
    result.problem = in.get_text();
    const auto done = in.get_bytes();
    result.done.assign(done.begin(), done.end());
    return result;
  }
};

// The first rank's side of a job: its own threads take and give here, the others' by messages.
class FirstPieces : public Pieces {
 public:
  FirstPieces(Star& star, CompletedRanges& ledger, std::function<void()> on_done)
      : star_(star),
        ledger_(ledger),
        missing_(ledger.missing()),
        on_done_(std::move(on_done)),
        absent_(star.size() - 1) {
    for (const CompletedRanges::Span& span : missing_) left_ += span.end - span.first;
    thread_ = std::thread([this] { serve(); });
  }
  // Waits until every rank has left.
  ~FirstPieces() override {
    if (thread_.joinable()) thread_.join();
  }

  std::optional<CompletedRanges::Span> take_some(std::uint64_t most) override {
    const std::lock_guard lock(mutex_);
    if (at_ == missing_.size()) return std::nullopt;
    const auto spans = hand_out(std::min(most, missing_[at_].end - missing_[at_].first));
    return spans.front();
  }
  void give(CompletedRanges::Range range) override {
    const std::lock_guard lock(mutex_);
    ledger_.add(std::move(range));
    on_done_();
  }
  double share_done() override {
    const std::lock_guard lock(mutex_);
    return static_cast<double>(ledger_.num_done()) / static_cast<double>(ledger_.num_pieces());
  }

  // When the own threads ended before the end: no more pieces for anybody, and little time for the others. What is
  // done already is put by first.
  void end_early(const std::function<void()>& put_by) {
    const std::lock_guard lock(mutex_);
    hand_out_no_more();
    deadline_ = Clock::now() + time_to_hand_in;
    put_by();
  }
  // When the own threads are done. Returns what a rank or the communication threw.
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
        const Request asked = Request::from(message->bytes);
        const std::lock_guard lock(mutex_);
        if (!asked.done.empty()) {
          ledger_.add_serialized(asked.done);
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
        ByteWriter out;
        out.put_vector(hand_out(std::min(asked.wanted, share)));
        out.put(static_cast<double>(ledger_.num_done()) / static_cast<double>(ledger_.num_pieces()));
        star_.send(message->source, grant, out.take());
      }
    } catch (...) {
      failure_ = std::current_exception();
      const std::lock_guard lock(mutex_);
      hand_out_no_more();
    }
  }

  Star& star_;
  CompletedRanges& ledger_;
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

  // When the own threads are done; `problem` says why before the end. Called once.
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
          const auto spans = in.get_vector<CompletedRanges::Span>();
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
          // Without an answer due, what is done goes with a request for nothing.
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
        star_.send(0, request, next.as_bytes());
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
  std::thread thread_;
};

class RankWork : public Work {
 public:
  RankWork(Star& star, Checkpoint* checkpoint) : Work(checkpoint), star_(star) {
    if (star.is_first()) star.send_all(number, bytes_of(checkpoint != nullptr));
    keeps_ = star.is_first() ? checkpoint != nullptr : ByteReader(star.wait(number).bytes).get<bool>();
  }

  std::string decide(const std::string& name, const std::string& mine) override {
    if (!star_.is_first()) return ByteReader(star_.wait(decision).bytes).get_text();
    const std::string made = Work::decide(name, mine);
    star_.send_all(decision, text_bytes(made));
    return made;
  }

  std::optional<std::string> decided(const std::string& name) override {
    std::optional<std::string> made;
    if (star_.is_first()) {
      made = Work::decided(name);
      ByteWriter out;
      out.put(made.has_value());
      out.put_text(made.value_or(""));
      star_.send_all(decision, out.take());
    } else {
      const auto message = star_.wait(decision);
      ByteReader in(message.bytes);
      if (in.get<bool>()) made = in.get_text();
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
      for (const Bytes& one : all) out.put_bytes(one);
      star_.send_all(told, out.take());
      return all;
    }
    star_.send(0, told, mine);
    const auto message = star_.wait(told, pause);
    ByteReader in(message.bytes);
    for (Bytes& one : all) {
      const auto bytes = in.get_bytes();
      one.assign(bytes.begin(), bytes.end());
    }
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
    CompletedRanges ledger = restored(job);
    ByteWriter out;
    out.put(ledger.complete());
    out.put_text(job.name + ": " + job.description);
    out.put(job.num_pieces);
    star_.send_all(start, out.take());
    if (!ledger.complete()) {
      std::uint64_t written = ledger.num_done();
      const auto write = [&] {
        put_by(job, ledger);
        checkpoint()->write();
        written = ledger.num_done();
      };
      const auto write_new = [&] {
        const bool first = checkpoint() && !checkpoint()->resumed() && checkpoint()->num_writes() == 0;
        if (checkpoint() && (first || ledger.num_done() > written)) write();
      };
      FirstPieces pieces(star_, ledger, [&] {
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
      put_by(job, ledger);
    }
    star_.send_all(result, ledger.serialize());
    return ledger;
  }

  CompletedRanges run_other(const Job& job, const std::function<void(Pieces&)>& execute) {
    const auto begun = star_.wait(start);
    ByteReader in(begun.bytes);
    const bool complete = in.get<bool>();
    const std::string of_first = in.get_text();
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
    CompletedRanges ledger(job.num_pieces, job.merge);
    ledger.add_serialized(star_.wait(result).bytes);
    return ledger;
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
      star_.send_all(size_of_broadcast, bytes_of(static_cast<std::uint64_t>(bytes.size())));
    } else {
      bytes.resize(ByteReader(star_.wait(size_of_broadcast).bytes).get<std::uint64_t>());
    }
    star_.communicator().broadcast(bytes);
    return bytes;
  }

  int least(int value) override {
    if (star_.is_first()) {
      for (int others = 1; others < size(); ++others)
        value = std::min(value, ByteReader(star_.wait(number).bytes).get<int>());
      star_.send_all(number, bytes_of(value));
      return value;
    }
    star_.send(0, number, bytes_of(value));
    return ByteReader(star_.wait(number).bytes).get<int>();
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
