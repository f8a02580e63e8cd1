#include "core/work.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>

#include "core/error.hpp"
#include "core/parallel.hpp"
#include "core/random.hpp"
#include "support/catch.hpp"
#include "support/folder.hpp"
#include "support/permutations.hpp"

using namespace matchcount;
using test::Folder;

namespace {

Bytes record(double value) { return to_bytes(std::vector<double>{value}); }
double value_of(const Bytes& bytes) { return ByteReader(bytes).get<std::vector<double>>().at(0); }
Bytes add_doubles(const Bytes& a, const Bytes& b) { return record(value_of(a) + value_of(b)); }

// Sums whose last bits depend on their order.
double piece_value(std::uint64_t piece) { return std::sqrt(static_cast<double>(piece) + 0.1) * (piece % 3 ? 1 : -1); }

std::vector<std::uint64_t> shuffled(std::uint64_t count, std::uint64_t seed) {
  Random random(seed);
  return test::random_permutation<std::uint64_t>(count, random);
}

Job job(std::uint64_t num_pieces) { return {"sum", "doubles", num_pieces, add_doubles}; }

}  // namespace

TEST_CASE("a ledger's total has the same bits in whatever order its pieces come") {
  for (const std::uint64_t count : {0, 1, 2, 3, 31, 32, 33, 63, 64, 65, 1000, 4096}) {
    double first = 0;
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
      CompletedRanges ledger(count, add_doubles);
      for (const std::uint64_t piece : shuffled(count, seed)) ledger.add({piece, 1, record(piece_value(piece))});
      CAPTURE(count, seed);
      REQUIRE(ledger.complete());
      REQUIRE(ledger.missing().empty());
      const CompletedRanges::Prefix all = ledger.prefix();
      REQUIRE(all.num_pieces == count);
      if (count == 0) {
        REQUIRE(all.record.empty());
        break;
      }
      if (seed == 1) first = value_of(all.record);
      REQUIRE(value_of(all.record) == first);
    }
  }
}

TEST_CASE("a ledger of 10^5 pieces loses none, and refuses every piece that comes twice") {
  constexpr std::uint64_t count = 100'000;
  const auto add = [](const Bytes& a, const Bytes& b) {
    return to_bytes(std::vector<std::uint64_t>{ByteReader(a).get<std::vector<std::uint64_t>>()[0] +
                                               ByteReader(b).get<std::vector<std::uint64_t>>()[0]});
  };
  CompletedRanges ledger(count, add);
  std::uint64_t done = 0;
  for (const std::uint64_t piece : shuffled(count, 7)) {
    ledger.add({piece, 1, to_bytes(std::vector<std::uint64_t>{piece * piece})});
    REQUIRE(ledger.num_done() == ++done);
    if (done % 1000 == 0) {
      REQUIRE_THROWS_WITH(ledger.add({piece, 1, {}}), ContainsSubstring("twice"));
      std::uint64_t missing = 0;
      for (const auto& span : ledger.missing()) missing += span.end - span.first;
      REQUIRE(missing == count - done);
    }
  }
  CHECK(ByteReader(ledger.prefix().record).get<std::vector<std::uint64_t>>()[0] ==
        (count - 1) * count * (2 * count - 1) / 6);
  CHECK_THROWS_AS(ledger.add({count, 1, {}}), Error);
}

TEST_CASE("a prefix ends before the first piece that is missing, whatever there is behind it") {
  CompletedRanges ledger(100, add_doubles);
  for (std::uint64_t piece = 0; piece < 100; ++piece) {
    if (piece != 37) ledger.add({piece, 1, record(1)});
  }
  CHECK(ledger.prefix().num_pieces == 37);
  CHECK(value_of(ledger.prefix().record) == 37);
  CHECK_THROWS_AS(total_of(ledger), Error);
  ledger.add({37, 1, record(1)});
  CHECK(value_of(total_of(ledger)) == 100);
}

TEST_CASE("a serialized ledger goes on where it was, and one of another sum is refused") {
  CompletedRanges ledger(1000, add_doubles);
  for (const std::uint64_t piece : shuffled(1000, 3)) {
    if (piece % 7) ledger.add({piece, 1, record(piece_value(piece))});
  }
  CompletedRanges again(1000, add_doubles);
  again.add_serialized(ledger.serialize());
  CHECK(again.num_done() == ledger.num_done());
  CHECK_THROWS_AS(again.add_serialized(ledger.serialize()), Error);
  CompletedRanges other(1001, add_doubles);
  CHECK_THROWS_AS(other.add_serialized(ledger.serialize()), Error);
}

TEST_CASE("work that is interrupted again and again ends with the same total, no piece done twice") {
  constexpr std::uint64_t count = 5000;
  double expected = 0;
  {
    Work work;
    expected = value_of(total_of(work.run(job(count), [](Pieces& pieces) {
      while (const auto piece = pieces.take()) pieces.give(*piece, record(piece_value(*piece)));
    })));
  }
  const Folder folder;
  std::vector<int> done(count, 0);
  bool complete = false;
  for (int attempt = 0; !complete; ++attempt) {
    REQUIRE(attempt < 100);
    Checkpoint checkpoint({.file = folder.path() / "c", .interval_s = attempt % 2 ? 0.0 : 1000.0, .resume = true});
    Work work(&checkpoint);
    std::atomic<int> left = 100 + 17 * attempt;
    try {
      const CompletedRanges ledger = work.run(job(count), [&](Pieces& pieces) {
        parallel_until(1 + attempt % 3, [&](int) {
          const auto piece = pieces.take();
          if (!piece) return false;
          if (--left < 0) throw Cancelled("enough");
          pieces.give(*piece, record(piece_value(*piece)));
          ++done[*piece];
          return true;
        });
      });
      complete = true;
      CHECK(value_of(total_of(ledger)) == expected);
    } catch (const Cancelled&) {
    }
  }
  CHECK(std::all_of(done.begin(), done.end(), [](int times) { return times == 1; }));
}

TEST_CASE("a file that a method writes within a piece has the pieces before it, and is not written over") {
  const Folder folder;
  const CheckpointOptions options{.file = folder.path() / "c", .interval_s = 1000, .resume = true};
  const Bytes half = record(0.5);
  {
    Checkpoint checkpoint(options);
    Work work(&checkpoint);
    const auto begin_two = [&](Pieces& pieces) {
      pieces.give(*pieces.take(), record(piece_value(0)));
      pieces.keep();
      pieces.take();
      const Checkpoint::Extra extra{"so far", "half", {half}};
      checkpoint.write(&extra);
      throw Cancelled("enough");
    };
    CHECK_THROWS_AS(work.run(job(4), begin_two), Cancelled);
  }
  Checkpoint checkpoint(options);
  Work work(&checkpoint);
  const auto found = checkpoint.find("so far", "half");
  REQUIRE(found.has_value());
  CHECK(std::ranges::equal(*found, half));
  std::vector<std::uint64_t> taken;
  const double sum = value_of(total_of(work.run(job(4), [&](Pieces& pieces) {
    while (const auto piece = pieces.take()) {
      taken.push_back(*piece);
      pieces.give(*piece, record(piece_value(*piece)));
    }
  })));
  CHECK(taken == std::vector<std::uint64_t>{1, 2, 3});
  CHECK(sum == piece_value(0) + piece_value(1) + (piece_value(2) + piece_value(3)));
}

TEST_CASE("a decision that was put by is kept to") {
  const Folder folder;
  const CheckpointOptions options{.file = folder.path() / "c", .resume = true};
  {
    Checkpoint checkpoint(options);
    Work work(&checkpoint);
    CHECK_FALSE(work.decided("method").has_value());
    CHECK(work.decide("method", "this") == "this");
    checkpoint.write();
  }
  Checkpoint checkpoint(options);
  Work work(&checkpoint);
  CHECK(work.decided("method") == "this");
  CHECK(work.decide("method", "that") == "this");
  CHECK(Work().decide("method", "that") == "that");
}
