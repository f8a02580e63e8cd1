#include "apps/interrupt.hpp"

// Nothing ends a run from outside here but the page, by the worker that it runs in: there is one thread, and no signal.

namespace matchcount::app {

Interrupt::Interrupt() : state_(std::make_shared<State>()) {}
Interrupt::~Interrupt() = default;

std::stop_token Interrupt::watch() { return state_->source.get_token(); }
void Interrupt::keep(Limits) {}
void Interrupt::say_with(std::function<void(const Failure&)>) {}
void Interrupt::advise(std::string) {}

}  // namespace matchcount::app

// No library is loaded: libarchive is one that is not there.
extern "C" void* dlopen(const char*, int) { return nullptr; }
