#include "core/mpi/ranks.hpp"

#include <algorithm>
#include <utility>

#include "core/error.hpp"
#include "core/mpi/rank_pieces.hpp"
#include "core/mpi/star.hpp"

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
