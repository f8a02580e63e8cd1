// Open MPI 4.1 ends the job when a rank dies, so nobody waits here for a dead one: the first rank gets SIGTERM, writes
// its checkpoint and leaves.

#include "core/mpi/star.hpp"

#include <cstdlib>
#include <vector>

namespace matchcount {

namespace {

// Counts of MPI are ints. A message's first part says how long all of it is.
constexpr std::size_t largest_part = std::size_t{1} << 30;
constexpr std::size_t first_part = std::size_t{1} << 16;

// The one place where codes become exceptions.
void check(int code, const char* what) {
  if (code == MPI_SUCCESS) return;
  char text[MPI_MAX_ERROR_STRING] = "";
  int length = 0;
  MPI_Error_string(code, text, &length);
  throw DeviceError(std::string(what) + ": " + std::string(text, static_cast<std::size_t>(length)));
}

}  // namespace

Communicator::Communicator() {
  int provided = 0;
  check(MPI_Init_thread(nullptr, nullptr, MPI_THREAD_SERIALIZED, &provided), "MPI_Init_thread");
  if (provided < MPI_THREAD_SERIALIZED) throw Unable("this MPI can't be called from more than one thread");
  check(MPI_Comm_dup(MPI_COMM_WORLD, &world_), "MPI_Comm_dup");
  check(MPI_Comm_set_errhandler(world_, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
  check(MPI_Comm_dup(world_, &data_), "MPI_Comm_dup");
  check(MPI_Comm_rank(world_, &rank_), "MPI_Comm_rank");
  check(MPI_Comm_size(world_, &size_), "MPI_Comm_size");
  MPI_Comm host = MPI_COMM_NULL;
  check(MPI_Comm_split_type(world_, MPI_COMM_TYPE_SHARED, rank_, MPI_INFO_NULL, &host), "MPI_Comm_split_type");
  check(MPI_Comm_rank(host, &local_rank_), "MPI_Comm_rank");
  check(MPI_Comm_size(host, &local_size_), "MPI_Comm_size");
  check(MPI_Comm_free(&host), "MPI_Comm_free");
}

Communicator::~Communicator() {
  MPI_Comm_free(&data_);
  MPI_Comm_free(&world_);
  MPI_Finalize();
}

void Communicator::send(int to, int tag, std::span<const std::byte> bytes) const {
  const std::size_t head = std::min(bytes.size(), first_part);
  const Bytes first = to_bytes(static_cast<std::uint64_t>(bytes.size()), bytes.first(head));
  check(MPI_Send(first.data(), static_cast<int>(first.size()), MPI_BYTE, to, tag, world_), "MPI_Send");
  for (bytes = bytes.subspan(head); !bytes.empty(); bytes = bytes.subspan(std::min(bytes.size(), largest_part))) {
    check(MPI_Send(bytes.data(), static_cast<int>(std::min(bytes.size(), largest_part)), MPI_BYTE, to, tag, world_),
          "MPI_Send");
  }
}

std::optional<Communicator::Message> Communicator::try_receive(int tag) const {
  int there = 0;
  MPI_Status status;
  check(MPI_Iprobe(MPI_ANY_SOURCE, tag, world_, &there, &status), "MPI_Iprobe");
  if (!there) return std::nullopt;
  Message message;
  message.source = status.MPI_SOURCE;
  message.tag = status.MPI_TAG;
  int count = 0;
  check(MPI_Get_count(&status, MPI_BYTE, &count), "MPI_Get_count");
  Bytes first(static_cast<std::size_t>(count));
  check(MPI_Recv(first.data(), count, MPI_BYTE, message.source, message.tag, world_, MPI_STATUS_IGNORE), "MPI_Recv");
  ByteReader in(first);
  const auto size = in.get<std::uint64_t>();
  in.get(message.bytes);
  std::size_t at = message.bytes.size();
  message.bytes.resize(size);
  while (at < size) {
    const std::size_t part = std::min(size - at, largest_part);
    check(MPI_Recv(message.bytes.data() + at, static_cast<int>(part), MPI_BYTE, message.source, message.tag, world_,
                   MPI_STATUS_IGNORE),
          "MPI_Recv");
    at += part;
  }
  return message;
}

void Communicator::exchange(std::span<const Outgoing> outgoing, std::span<const Incoming> incoming,
                            const std::function<void()>& wait) const {
  std::vector<MPI_Request> requests;
  const auto in_parts = [&](auto bytes, auto&& begin) {
    for (; !bytes.empty(); bytes = bytes.subspan(std::min(bytes.size(), largest_part))) {
      begin(bytes.data(), static_cast<int>(std::min(bytes.size(), largest_part)), &requests.emplace_back());
    }
  };
  const auto all_over = [&] {
    int over = 0;
    check(MPI_Testall(static_cast<int>(requests.size()), requests.data(), &over, MPI_STATUSES_IGNORE), "MPI_Testall");
    return over != 0;
  };
  copy_own(rank_, outgoing, incoming);
  for (const Incoming& in : incoming) {
    if (in.from == rank_) continue;
    in_parts(in.bytes, [&](void* data, int size, MPI_Request* request) {
      check(MPI_Irecv(data, size, MPI_BYTE, in.from, 0, data_, request), "MPI_Irecv");
    });
  }
  const std::size_t num_receives = requests.size();
  for (const Outgoing& out : outgoing) {
    if (out.to == rank_) continue;
    in_parts(out.bytes, [&](const void* data, int size, MPI_Request* request) {
      check(MPI_Isend(data, size, MPI_BYTE, out.to, 0, data_, request), "MPI_Isend");
    });
  }
  try {
    while (!all_over()) wait();
  } catch (...) {
    // The caller's memory is written to no more once what has begun to come is here.
    for (std::size_t i = 0; i < num_receives; ++i) {
      if (requests[i] != MPI_REQUEST_NULL) MPI_Cancel(&requests[i]);
    }
    constexpr std::chrono::milliseconds patience{200};
    const auto end = std::chrono::steady_clock::now() + patience;
    while (!all_over() && std::chrono::steady_clock::now() < end) {
    }
    throw;
  }
}

void Communicator::broadcast(std::span<std::byte> bytes) const {
  while (!bytes.empty()) {
    const std::size_t part = std::min(bytes.size(), largest_part);
    check(MPI_Bcast(bytes.data(), static_cast<int>(part), MPI_BYTE, 0, world_), "MPI_Bcast");
    bytes = bytes.subspan(part);
  }
}

void Communicator::abort(int status) const {
  MPI_Abort(world_, status);
  std::abort();
}

}  // namespace matchcount

namespace matchcount::star {

namespace {

// Others have so long to come to the same place when this rank is to end. That is more than mpirun leaves if it was
// interrupted itself, but nothing can be kept before they come.
constexpr std::chrono::seconds time_to_come{10};
// Others have so long to end after a failure.
constexpr std::chrono::seconds patience{5};

}  // namespace

void WatchedPause::operator()() {
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

std::optional<Communicator::Message> Star::poll(int tag) {
  auto message = communicator_.try_receive(tag);
  if (message && message->tag == failure) {
    if (!is_first()) throw EndedByOther("the first rank failed");
    ++num_gone_;
    std::rethrow_exception(exception_of(message->source, from_bytes<std::string>(message->bytes)));
  }
  return message;
}

void Star::fail(const std::exception& error) {
  if (!is_first()) {
    send(0, failure, to_bytes(text_of(error)));
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

}  // namespace matchcount::star
