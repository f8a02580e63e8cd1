#pragma once
// Includes Catch2 2 or 3 under one name.
#if MATCHCOUNT_CATCH_MAJOR >= 3
#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/generators/catch_generators_range.hpp>
#include <catch2/matchers/catch_matchers.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
using Catch::Approx;
using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::StartsWith;
#else
#define CATCH_CONFIG_EXTERNAL_INTERFACES  // main.cpp listens
#include <catch2/catch.hpp>
using Catch::Matchers::Contains;
using Catch::Matchers::StartsWith;
inline auto ContainsSubstring(const std::string& text) { return Contains(text); }
#endif
