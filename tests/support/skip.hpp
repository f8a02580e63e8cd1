#pragma once
// MATCHCOUNT_SKIP(reason) ends the test case as skipped, which is never passed: in a program all of whose test cases
// skip the exit status is 4. MATCHCOUNT_DEVICES(found) names the GPUs that are here, and does so where there are none.

#include "core/device_choice.hpp"
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

#define MATCHCOUNT_DEVICES(found)                                    \
  const matchcount::FoundDevices found = matchcount::find_devices(); \
  if (found.devices.empty()) MATCHCOUNT_SKIP(found.reason)
