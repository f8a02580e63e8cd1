// Open MPI 4.1 ends the job when a rank dies, so nobody waits here for a dead one: the first rank gets SIGTERM, writes
// its checkpoint and leaves.

#include "core/mpi/star.hpp"

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
