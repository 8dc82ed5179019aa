#include "base/cli/print.hpp"

#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include "base/error.hpp"
#include "base/log.hpp"
#include "base/progress_text.hpp"
#include "base/text.hpp"

namespace hearth::cli {

namespace {

/// Why something for standard output was lost; 0 = nothing was.
std::atomic<int> g_lost = 0;
/// Whoever printed has been told of it, by flush().
std::atomic<bool> g_told = false;
/// A live line stands on the terminal, whose cursor is at its beginning.
std::atomic<bool> g_is_live = false;
constexpr std::string_view k_wiped = "\r\x1b[K";

/// A terminal that went away ends no work.
void write_live(std::string_view text) noexcept { (void)!::write(STDERR_FILENO, text.data(), text.size()); }

void write_to(std::FILE* stream, std::string_view bytes) {
  if (g_is_live.exchange(false)) write_live(k_wiped);
  const bool whole = std::fwrite(bytes.data(), 1, bytes.size(), stream) == bytes.size();
  if (!whole && stream == stdout) lost_output(errno);
}

bool flushed() noexcept {
  if (std::fflush(stdout) != 0) lost_output(errno);
  return g_lost == 0;
}

/// The text without its middle.
std::string without_middle(std::string_view line) {
  constexpr std::size_t k_most = 2000;
  constexpr std::size_t k_end = 500;
  if (line.size() <= k_most) return std::string(line);
  const auto inside = [&](std::size_t at) { return (static_cast<unsigned char>(line[at]) & 0xc0U) == 0x80U; };
  std::size_t head = k_most - k_end;
  while (head > 0 && inside(head)) --head;
  std::size_t tail = line.size() - k_end;
  while (tail > head && inside(tail)) --tail;
  return cat(line.substr(0, head), " […] ", line.substr(tail));
}

/// Empty where the word may be shown as it is.
std::string shown_word(const std::string& word) {
  constexpr std::size_t k_most_columns = 120;
  if (trim(word).empty()) return "";
  const std::string shown = cut_to_width(one_line(word), k_most_columns, {.unicode = true});
  return shown == word ? "" : shown;
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

void show_live(std::string_view line) {
  if (!line.empty())
    write_live(cat(k_wiped, line, "\r"));  // what others write begins where the line does
  else if (g_is_live)
    write_live(k_wiped);
  g_is_live = !line.empty();
}

std::string bounded_story(std::string story, const std::vector<std::string>& words) {
  for (const std::string& word : words) {
    for (const std::string& part : {word, word.substr(word.find('=') + 1)}) {
      if (const std::string shown = shown_word(part); !shown.empty()) story = replace_all(story, part, shown);
    }
  }
  std::vector<std::string> lines = split_lines(story);
  for (std::string& line : lines) line = without_middle(line);
  return join(lines, "\n");
}

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
