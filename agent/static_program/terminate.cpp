// What the program says when an exception that nobody expects ends it. libstdc++'s own words come with a demangler of
// 50 kB, to show the exception's type; ours does without.
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <exception>

namespace {

void say(const char* text) { [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, text, std::strlen(text)); }

}  // namespace

namespace __gnu_cxx {

/// std::terminate's default handler (libstdc++ manual, "Verbose Terminate Handler").
void __verbose_terminate_handler() {
  say("hearth-agent: this should not happen, please report it: ");
  try {
    if (std::current_exception()) std::rethrow_exception(std::current_exception());
    say("terminate() was called");
  } catch (const std::exception& error) {
    say(error.what());
  } catch (...) {
    say("an exception of an unknown kind");
  }
  say("\n");
  std::abort();
}

}  // namespace __gnu_cxx
