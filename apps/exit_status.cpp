#include "apps/exit_status.hpp"

#include <algorithm>
#include <cstdio>
#include <exception>
#include <new>

#include "apps/options.hpp"
#include "core/error.hpp"

namespace matchcount::app {
namespace {

constexpr int bad_input = 2, unable = 3, device_failed = 4;

// A message may quote anything that stood on the command line; its own lines stay apart.
std::string without_controls(std::string_view message) {
  std::string text;
  while (!message.empty()) {
    const std::size_t end = std::min(message.find('\n'), message.size());
    text += printable(std::string(message.substr(0, end)));
    if (end < message.size()) text += '\n';
    message.remove_prefix(std::min(end + 1, message.size()));
  }
  return text;
}

}  // namespace

Failure current_failure(const std::string& program) {
  try {
    throw;
  } catch (const UsageError& error) {
    Failure result{bad_input, "usage", error.what()};
    result.advice = "see " + program + (error.command().empty() ? "" : " " + error.command()) + " --help";
    return result;
  } catch (const InputError& error) {
    Failure result{bad_input, "input", error.what()};
    result.file = error.file();
    result.line = error.line();
    result.found = error.found();
    result.expected = error.expected();
    return result;
  } catch (const DeviceError& error) {
    return {device_failed, "device", error.what()};
  } catch (const OverLimit& error) {
    Failure result{unable, "limit", error.what()};
    if (error.is_forecast()) result.forecast = {error.seconds(), error.memory_bytes()};
    return result;
  } catch (const Cancelled& error) {
    // The caller is a person here, or another program.
    const bool is_plain = std::string_view(error.what()) == "cancelled by the caller";
    return {unable, "interrupted", is_plain ? "interrupted" : error.what()};
  } catch (const NotCompiled& error) {
    return {unable, "not_compiled", error.what()};
  } catch (const std::bad_alloc&) {
    return {unable, "memory", "there is not enough memory"};
  } catch (const std::exception& error) {
    return {unable, "unable", error.what()};
  }
}

void complain(const std::string& program, const Failure& failure) {
  std::fprintf(stderr, "%s: %s\n", program.c_str(), without_controls(failure.message).c_str());
  if (!failure.advice.empty()) std::fprintf(stderr, "%s\n", without_controls(failure.advice).c_str());
}

int exit_status(const std::string& program, const std::function<int()>& work,
                const std::function<void(const Failure&)>& tell) {
  try {
    return work();
  } catch (...) {
    const Failure failure = current_failure(program);
    tell(failure);
    return failure.status;
  }
}

}  // namespace matchcount::app
