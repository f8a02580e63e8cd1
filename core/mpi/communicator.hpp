#pragma once
// Wraps MPI as this program uses it: messages of bytes between ranks, received by polling so that a waiting rank leaves
// its core to others, and error codes as exceptions. A thin layer; one thread calls at a time.

#include <mpi.h>

#include <functional>
#include <optional>
#include <span>

#include "core/bytes.hpp"
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
