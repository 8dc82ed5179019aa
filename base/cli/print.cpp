#include "base/cli/print.hpp"

#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include "base/error.hpp"
#include "base/log.hpp"
#include "base/text.hpp"

namespace hearth::cli {

namespace {

/// Why something for standard output was lost; 0 = nothing was.
std::atomic<int> g_lost = 0;
/// Whoever printed has been told of it, by flush().
std::atomic<bool> g_told = false;

void write_to(std::FILE* stream, std::string_view bytes) {
  const bool whole = std::fwrite(bytes.data(), 1, bytes.size(), stream) == bytes.size();
  if (!whole && stream == stdout) lost_output(errno);
}

bool flushed() noexcept {
  if (std::fflush(stdout) != 0) lost_output(errno);
  return g_lost == 0;
}

std::string loss() { return cat("writing to standard output: ", std::strerror(g_lost)); }

}  // namespace

void print(std::string_view text) { write_to(stdout, shown_text(text)); }

void print_exact(std::string_view bytes) {
  if (::isatty(STDOUT_FILENO) == 1) return print(bytes);
  write_to(stdout, bytes);
}

void flush() {
  if (flushed()) return;
  g_told = true;
  throw Error(ErrorKind::io, loss());
}

void tell(std::string_view text) { write_to(stderr, shown_text(text)); }

void lost_output(int error_number) noexcept {
  int none = 0;
  g_lost.compare_exchange_strong(none, error_number == 0 ? EIO : error_number);
}

int ended(const std::string& program, int code) noexcept {
  if (flushed()) return code;
  try {
    if (!g_told) tell(cat(program, ": ", loss(), "\n"));
  } catch (...) {  // out of memory: the exit code tells it
  }
  return code == 0 ? 1 : code;
}

}  // namespace hearth::cli
