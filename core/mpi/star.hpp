#pragma once
// Sends messages between the first rank and each other one, and turns a failure of any into an exception on all. Below
// that, MPI as this program uses it: messages of bytes between ranks, received by polling so that a waiting rank leaves
// its core to others, and error codes as exceptions; one thread calls at a time.

#include <mpi.h>
#include <algorithm>
#include <chrono>
#include <exception>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <utility>

#include "core/bytes.hpp"
#include "core/error.hpp"
#include "core/mpi/ranks.hpp"
#include "core/run.hpp"
#include "core/work.hpp"

namespace matchcount {

class Communicator {
 public:
  // MPI_Init_thread, MPI_THREAD_SERIALIZED. Throws DeviceError, and Unable for an MPI without that.
  Communicator();
  ~Communicator();
  Communicator(const Communicator&) = delete;
  Communicator& operator=(const Communicator&) = delete;

  int rank() const { return rank_; }
  int size() const { return size_; }
  int local_rank() const { return local_rank_; }
  int local_size() const { return local_size_; }

  struct Message {
    int source = 0;
    int tag = 0;
    Bytes bytes;
  };
  // Blocks until the bytes are on their way; large ones until they are being received.
  void send(int to, int tag, std::span<const std::byte> bytes) const;
  // Returns a message that has come, whosever it is, of that tag or of any.
  std::optional<Message> try_receive(int tag = MPI_ANY_TAG) const;
  // Sends and receives at once, beside the messages; calls `wait` between two looks. What that throws ends it, after
  // what is under way.
  void exchange(std::span<const Outgoing> outgoing, std::span<const Incoming> incoming,
                const std::function<void()>& wait) const;
  // MPI_Bcast from the first rank; the size is known to all.
  void broadcast(std::span<std::byte> bytes) const;
  // MPI_Abort.
  [[noreturn]] void abort(int status) const;

 private:
  MPI_Comm world_ = MPI_COMM_NULL;
  MPI_Comm data_ = MPI_COMM_NULL;  // of exchange
  int rank_ = 0, size_ = 1, local_rank_ = 0, local_size_ = 1;
};

}  // namespace matchcount

namespace matchcount::star {

using Clock = std::chrono::steady_clock;

// Tag tells the messages apart.
enum Tag { request = 1, grant, start, result, decision, size_of_broadcast, number, told, failure };

// Between two looks for messages: short while they come, longer when they don't.
constexpr std::chrono::microseconds shortest_pause{20}, longest_pause{1000};
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
  void operator()();

 private:
  const RunContext& run_;
  Pause pause_;
  std::exception_ptr thrown_;
  Clock::time_point end_;
};

// Writes an exception as a line of text that begins with its kind, and back.
std::string text_of(const std::exception& error);
std::exception_ptr exception_of(int rank, const std::string& text);

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

  // Returns the next message, or nothing. A failure is an exception.
  std::optional<Communicator::Message> poll(int tag = MPI_ANY_TAG);

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
  void fail(const std::exception& error);

 private:
  Communicator communicator_;
  int num_gone_ = 0;  // ranks that have failed
};

}  // namespace matchcount::star
