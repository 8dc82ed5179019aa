#include "base/sys/stop_signals.hpp"

#include <csignal>
#include <initializer_list>

namespace hearth {

namespace {

volatile std::sig_atomic_t g_stop_signal = 0;  // the one global that style allows: a handler can reach nothing else

}  // namespace

StopSignals::StopSignals() {
  struct sigaction action {};
  action.sa_handler = [](int number) { g_stop_signal = number; };
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) ::sigaction(number, &action, nullptr);
}

StopSignals::~StopSignals() {
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) ::signal(number, SIG_DFL);
}

int StopSignals::received() { return g_stop_signal; }

}  // namespace hearth
