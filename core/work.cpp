#include "core/work.hpp"

#include <cstring>
#include <mutex>

#include "core/error.hpp"
#include "core/parallel.hpp"

namespace matchcount {
namespace {

class LocalPieces : public Pieces {
 public:
  LocalPieces(CompletedRanges& completed, std::function<void()> on_done, std::function<void()> on_keep)
      : completed_(completed),
        missing_(completed.missing()),
        on_done_(std::move(on_done)),
        on_keep_(std::move(on_keep)) {}

  std::optional<CompletedRanges::Span> take_some(std::uint64_t most) override {
    const std::lock_guard lock(mutex_);
    while (at_ < missing_.size() && missing_[at_].first == missing_[at_].end) ++at_;
    if (at_ == missing_.size()) return std::nullopt;
    return missing_[at_].cut(most);
  }
  void give(CompletedRanges::Range range) override {
    const std::lock_guard lock(mutex_);
    completed_.add(std::move(range));
    if (on_done_) on_done_();
  }
  void keep() override {
    const std::lock_guard lock(mutex_);
    if (on_keep_) on_keep_();
  }
  double share_done() override {
    const std::lock_guard lock(mutex_);
    return static_cast<double>(completed_.num_done()) / static_cast<double>(completed_.num_pieces());
  }

 private:
  std::mutex mutex_;
  CompletedRanges& completed_;
  std::vector<CompletedRanges::Span> missing_;
  std::size_t at_ = 0;
  std::function<void()> on_done_, on_keep_;
};

const std::string decisions = "decision: ";

}  // namespace

void Work::identify(const std::vector<std::pair<std::string, std::string>>& fields) {
  if (checkpoint_) checkpoint_->identify(fields);
}

std::optional<std::string> Work::decided(const std::string& name) {
  if (!checkpoint_) return std::nullopt;
  const auto made = checkpoint_->find(decisions + name, {});
  if (!made) return std::nullopt;
  return from_bytes<std::string>(*made);
}

std::string Work::decide(const std::string& name, const std::string& mine) {
  if (!checkpoint_) return mine;
  if (const auto made = Work::decided(name)) return *made;
  checkpoint_->put(decisions + name, {}, to_bytes(mine));
  return mine;
}

CompletedRanges Work::restored(const Job& job) const {
  CompletedRanges completed(job.num_pieces, job.merge);
  if (checkpoint_) {
    if (const auto bytes = checkpoint_->find(job.name, job.description)) completed.add_serialized(*bytes);
  }
  return completed;
}

void Work::save(const Job& job, const CompletedRanges& completed) {
  if (checkpoint_) checkpoint_->put(job.name, job.description, completed.serialize());
}

CompletedRanges Work::run(const Job& job, const std::function<void(Pieces&)>& execute) {
  CompletedRanges completed = restored(job);
  if (completed.complete()) return completed;
  std::uint64_t written = completed.num_done();
  const auto write = [&] {
    save(job, completed);
    checkpoint_->write();
    written = completed.num_done();
  };
  std::uint64_t kept = written, writes_when_kept = 0;
  std::function<void()> on_done, on_keep;
  if (checkpoint_) {
    on_done = [&] {
      if (checkpoint_->due()) write();
    };
    on_keep = [&] {
      save(job, completed);
      kept = completed.num_done();
      writes_when_kept = checkpoint_->num_writes();
    };
  }
  LocalPieces pieces(completed, std::move(on_done), std::move(on_keep));
  try {
    execute(pieces);
  } catch (...) {
    // A file that has more than these ranges is left as it is: a method may have saved what it has of a piece.
    const bool first = checkpoint_ && !checkpoint_->resumed() && checkpoint_->num_writes() == 0;
    if (checkpoint_ && kept > written && checkpoint_->num_writes() > writes_when_kept) written = kept;
    if (checkpoint_ && (first || completed.num_done() > written)) write();
    throw;
  }
  save(job, completed);
  return completed;
}

bool Work::is_done(const Job& job, const RunContext& run) {
  return from_bytes<bool>(tell_all(to_bytes(restored(job).complete()), run).front());
}

std::vector<Bytes> Work::tell_all(Bytes mine, const RunContext&) { return {std::move(mine)}; }

void Work::exchange(std::span<const Outgoing> outgoing, std::span<const Incoming> incoming, const RunContext&) {
  copy_own(0, outgoing, incoming);
}

void copy_own(int rank, std::span<const Outgoing> outgoing, std::span<const Incoming> incoming) {
  auto in = incoming.begin();
  for (const Outgoing& out : outgoing) {
    if (out.to != rank) continue;
    while (in != incoming.end() && in->from != rank) ++in;
    if (in == incoming.end() || in->bytes.size() != out.bytes.size()) throw Error("ranks that expect other bytes");
    if (!out.bytes.empty()) std::memcpy(in->bytes.data(), out.bytes.data(), out.bytes.size());
    ++in;
  }
}

CompletedRanges run_job(const Job& job, const RunContext& run, const std::function<void(Pieces&)>& execute) {
  Work here;
  return (run.work() ? run.work() : &here)->run(job, execute);
}

Bytes sum_on_threads(int num_threads, const Job& job, const RunContext& run,
                     const std::function<Bytes(std::uint64_t piece, double share_done)>& record_of) {
  return total_of(run_job(job, run, [&](Pieces& pieces) {
    parallel_until(num_threads, [&](int) {
      const auto piece = pieces.take();
      if (piece) pieces.give(*piece, record_of(*piece, pieces.share_done()));
      return piece.has_value();
    });
  }));
}

Bytes total_of(const CompletedRanges& completed) {
  if (!completed.complete()) throw Error("a sum ended before all of its pieces were done");
  return completed.prefix().record;
}

}  // namespace matchcount
