// Run by mpi_test.cpp under mpirun: sums over pieces by ranks of unequal speed. The first rank prints the bits of the
// totals, and how many pieces each rank did.

#include <chrono>
#include <cmath>
#include <cstdio>
#include <string>
#include <thread>

#include "core/error.hpp"
#include "core/mpi/ranks.hpp"
#include "core/parallel.hpp"

using namespace matchcount;

namespace {

Bytes record(double value) { return to_bytes(std::vector<double>{value}); }
double value_of(const Bytes& bytes) { return ByteReader(bytes).get<std::vector<double>>().at(0); }

// Computes the sum of square roots with signs, whose last bits depend on the order.
double sum(Work& work, Ranks& ranks, std::uint64_t count, int threads, std::chrono::microseconds slowness) {
  const Job job{"roots of " + std::to_string(count), "doubles", count,
                [](const Bytes& a, const Bytes& b) { return record(value_of(a) + value_of(b)); }};
  const CompletedRanges ledger = work.run(job, [&](Pieces& pieces) {
    parallel_until(threads, [&](int) {
      const auto piece = pieces.take();
      if (!piece) return false;
      // Each rank is half as fast as the one before.
      if (slowness.count() > 0) std::this_thread::sleep_for(slowness * (1 << ranks.rank()));
      pieces.give(*piece, record(std::sqrt(static_cast<double>(*piece) + 0.1) * (*piece % 3 ? 1 : -1)));
      return true;
    });
  });
  return value_of(total_of(ledger));
}

int run(Ranks& ranks, const std::string& what) {
  const bool first = ranks.rank() == 0;
  const auto work = ranks.work(nullptr);
  if (what == "sums") {
    for (const std::uint64_t count : {1, 2, 31, 33, 1000, 100'000}) {
      const double total = sum(*work, ranks, count, 1 + ranks.rank() % 2, std::chrono::microseconds(0));
      if (first) std::printf("%llu %a\n", static_cast<unsigned long long>(count), total);
    }
    const double unequal = sum(*work, ranks, 300, 1, std::chrono::microseconds(300));
    if (first) std::printf("unequal %a\n", unequal);
    const std::string large(3 << 20, static_cast<char>('a' + ranks.rank()));
    const Bytes mine(reinterpret_cast<const std::byte*>(large.data()),
                     reinterpret_cast<const std::byte*>(large.data()) + large.size());
    const Bytes all = ranks.broadcast(first ? mine : Bytes{});
    const bool same = all.size() == large.size() && all.front() == std::byte{'a'} && all.back() == std::byte{'a'};
    const int agreed = ranks.least(same ? 7 + ranks.rank() : -1);
    const std::string decision = work->decide("colour", ranks.rank() == 0 ? "red" : "blue");
    if (first) std::printf("broadcast %d %s\n", agreed, decision.c_str());
    return decision == "red" ? 0 : 1;
  }
  if (what == "differ") {
    // The ranks would sum different things.
    const Job job{"a sum", "by rank " + std::to_string(ranks.rank() / 2), 10, {}};
    work->run(job, [](Pieces&) {});
    return 1;
  }
  if (what == "throw") {
    // Enough pieces for the last rank to get one before the others have done all.
    const Job job{"a sum", "of nothing", 1'000'000'000, [](const Bytes& a, const Bytes&) { return a; }};
    work->run(job, [&](Pieces& pieces) {
      while (const auto piece = pieces.take()) {
        if (ranks.rank() == ranks.size() - 1) throw DeviceError("the device is gone");
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
        pieces.give(*piece, {});
      }
    });
    return 1;
  }
  return 2;
}

}  // namespace

int main(int, char* argv[]) {
  const auto ranks = Ranks::join();
  try {
    return run(*ranks, argv[1]);
  } catch (const std::exception& error) {
    if (ranks->rank() == 0) std::printf("%s\n", error.what());
    std::fflush(stdout);
    ranks->fail(error);
    return ranks->rank() == 0 ? 3 : 0;
  }
}
