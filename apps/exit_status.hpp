#pragma once
// From exceptions to what a program leaves behind.

#include <functional>
#include <string>

namespace matchcount::app {

// What `work` returns; where it throws, a line on stderr and 2 for bad usage or input, 4 for a failed device, 3 for
// anything else that could not be done here.
int exit_status(const std::string& program, const std::function<int()>& work);

}  // namespace matchcount::app
