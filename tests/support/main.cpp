// Catch2's main, compiled once for all test programs.
#if MATCHCOUNT_CATCH_MAJOR >= 3
#include <catch2/catch_session.hpp>
int main(int argc, char* argv[]) { return Catch::Session().run(argc, argv); }
#else
#define CATCH_CONFIG_RUNNER
#include <catch2/catch.hpp>

#include "support/skip.hpp"

// Catch2 2 has no SKIP: as Catch2 3 does, a run in which every test case was skipped exits with 4.
namespace {

int num_cases = 0;

struct CountCases : Catch::TestEventListenerBase {
  using TestEventListenerBase::TestEventListenerBase;
  void testCaseStarting(const Catch::TestCaseInfo&) override { ++num_cases; }
};
CATCH_REGISTER_LISTENER(CountCases)

}  // namespace

int& matchcount::test::num_skipped() {
  static int count = 0;
  return count;
}

int main(int argc, char* argv[]) {
  const int status = Catch::Session().run(argc, argv);
  return status == 0 && num_cases > 0 && matchcount::test::num_skipped() == num_cases ? 4 : status;
}
#endif
