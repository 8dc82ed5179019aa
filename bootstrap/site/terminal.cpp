#include "bootstrap/site/terminal.hpp"

#include <termios.h>
#include <unistd.h>

#include <iostream>

#include "base/cli/print.hpp"
#include "base/text.hpp"

namespace hearth::bootstrap {

namespace {

/// What is typed is not shown while this lives.
class HiddenTyping {
 public:
  explicit HiddenTyping(bool hidden) {
    if (!hidden || ::tcgetattr(STDIN_FILENO, &before_) != 0) return;
    termios quiet = before_;
    quiet.c_lflag &= ~static_cast<tcflag_t>(ECHO);
    active_ = ::tcsetattr(STDIN_FILENO, TCSANOW, &quiet) == 0;
  }
  HiddenTyping(const HiddenTyping&) = delete;
  HiddenTyping& operator=(const HiddenTyping&) = delete;
  ~HiddenTyping() {
    if (!active_) return;
    ::tcsetattr(STDIN_FILENO, TCSANOW, &before_);
    cli::tell("\n");
  }

 private:
  termios before_{};
  bool active_ = false;
};

}  // namespace

std::optional<std::string> ask_person(const std::string& question, const std::string& usual, bool hidden) {
  cli::tell(cat(question, usual.empty() ? "" : cat(" [", usual, "]"), ": "));
  const HiddenTyping typing(hidden);
  std::string line;
  const bool is_answered = static_cast<bool>(std::getline(std::cin, line));
  if (::isatty(STDIN_FILENO) == 0) cli::tell("\n");  // nobody has typed the end of that line
  return is_answered ? std::optional(line) : std::nullopt;
}

void say_to_person(const std::string& line) { cli::tell(cat(line, "\n")); }

}  // namespace hearth::bootstrap
