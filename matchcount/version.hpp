#pragma once
// MATCHCOUNT_VERSION is the version that a program is compiled with; version() is that of the library it is linked to.

#if __cplusplus < 202002L && !(defined(_MSVC_LANG) && _MSVC_LANG >= 202002L)
#error "matchcount needs C++20: compile with -std=c++20"
#endif

#include <string_view>

#include "core/api.hpp"

#define MATCHCOUNT_VERSION "0.3.0"
#define MATCHCOUNT_VERSION_NUMBER 300  // 10000 * major + 100 * minor + patch

namespace MATCHCOUNT_API matchcount {

std::string_view version();

}  // namespace matchcount
