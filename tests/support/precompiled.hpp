#pragma once
// Includes what most tests include, compiled once for all. Every test includes what it uses all the same.

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <functional>
#include <limits>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <thread>
#include <utility>
#include <variant>
#include <vector>

#include "core/error.hpp"
#include "core/numbers/integer.hpp"
#include "core/numbers/real.hpp"
#include "core/random.hpp"
#include "graph/generate.hpp"
#include "matchcount/count.hpp"
#include "support/catch.hpp"
