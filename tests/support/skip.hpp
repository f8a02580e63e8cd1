#pragma once
// MATCHCOUNT_SKIP(reason) ends the test case as skipped, which is never passed: in a program all of whose test cases
// skip the exit status is 4.

#include "support/catch.hpp"

#if MATCHCOUNT_CATCH_MAJOR >= 3
#define MATCHCOUNT_SKIP(reason) SKIP(reason)
#else
namespace matchcount::test {
int& num_skipped();
}
#define MATCHCOUNT_SKIP(reason)        \
  do {                                 \
    WARN("skipped: " << reason);       \
    ++matchcount::test::num_skipped(); \
    return;                            \
  } while (false)
#endif
