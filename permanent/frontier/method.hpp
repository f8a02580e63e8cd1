#pragma once
// Gives the engine the frontier method.

#include "permanent/method.hpp"

namespace matchcount {

// Takes every block; what it costs is said by the best order that a search finds (permanent/frontier/frontier.hpp). A
// graph with odd cycles can be verified along a second order.
MethodVerbs frontier_method();

}  // namespace matchcount
