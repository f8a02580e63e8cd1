#pragma once
// Runs that end before they are done.

#include <atomic>
#include <cstdint>
#include <utility>

#include "core/error.hpp"
#include "core/work.hpp"

namespace matchcount::test {

// Ends a run after so many pieces.
class ShortWork : public Work {
 public:
  ShortWork(Checkpoint* checkpoint, std::uint64_t most_pieces) : Work(checkpoint), left_(most_pieces) {}

  CompletedRanges run(const Job& job, const std::function<void(Pieces&)>& execute) override {
    return Work::run(job, [&](Pieces& pieces) {
      Counted counted(pieces, *this);
      execute(counted);
    });
  }
  std::uint64_t taken() const { return taken_; }

 private:
  class Counted : public Pieces {
   public:
    Counted(Pieces& pieces, ShortWork& work) : pieces_(pieces), work_(work) {}
    std::optional<CompletedRanges::Span> take_some(std::uint64_t most) override {
      const auto span = pieces_.take_some(most);
      if (span && work_.taken_.fetch_add(span->end - span->first) >= work_.left_) throw Cancelled("enough");
      return span;
    }
    void give(CompletedRanges::Range range) override { pieces_.give(std::move(range)); }
    double share_done() override { return pieces_.share_done(); }

   private:
    Pieces& pieces_;
    ShortWork& work_;
  };
  std::uint64_t left_;
  std::atomic<std::uint64_t> taken_{0};
};

}  // namespace matchcount::test
