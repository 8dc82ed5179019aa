// Runs a body in a forked child, for what can be done to a process only once: killing it, taking its rights away.
#pragma once

#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <exception>

#include "base/sys/fd.hpp"

namespace hearth {

/// A forked child that runs `body` and ends with its return value; 99 when it throws.
template <class Body>
[[nodiscard]] pid_t start_child(const Body& body) {
  std::fflush(nullptr);
  const pid_t pid = ::fork();
  if (pid != 0) return pid;
  int code = 99;
  try {
    code = body();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "in the child: %s\n", error.what());
  }
  std::fflush(nullptr);
  ::_exit(code);
}

/// The exit code; 128 + signal when it was killed.
[[nodiscard]] inline int end_of_child(pid_t pid) {
  int raw = 0;
  ::waitpid(pid, &raw, 0);
  return WIFEXITED(raw) ? WEXITSTATUS(raw) : 128 + WTERMSIG(raw);
}

template <class Body>
[[nodiscard]] int in_child(const Body& body) {
  return end_of_child(start_child(body));
}

}  // namespace hearth
