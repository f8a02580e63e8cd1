#include "apps/exit_status.hpp"

#include <cstdio>
#include <exception>
#include <new>

#include "apps/options.hpp"
#include "core/error.hpp"

namespace matchcount::app {

int exit_status(const std::string& program, const std::function<int()>& work) {
  constexpr int bad_input = 2, unable = 3, device_failed = 4;
  const auto complain = [&](const char* message, int status) {
    std::fprintf(stderr, "%s: %s\n", program.c_str(), message);
    return status;
  };
  try {
    return work();
  } catch (const UsageError& error) {
    complain(error.what(), bad_input);
    const std::string command = error.command().empty() ? "" : " " + error.command();
    std::fprintf(stderr, "see %s%s --help\n", program.c_str(), command.c_str());
    return bad_input;
  } catch (const InputError& error) {
    return complain(error.what(), bad_input);
  } catch (const DeviceError& error) {
    return complain(error.what(), device_failed);
  } catch (const std::bad_alloc&) {
    return complain("there is not enough memory", unable);
  } catch (const std::exception& error) {
    return complain(error.what(), unable);
  }
}

}  // namespace matchcount::app
