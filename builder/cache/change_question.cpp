#include "builder/cache/change_question.hpp"

#include <unistd.h>

#include <array>
#include <cerrno>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "base/sys/broken_pipe.hpp"
#include "base/text.hpp"

namespace hearth::builder {

namespace {

constexpr std::string_view k_question = "changes?";
const std::string k_end_of_answer(2, '\0');  // no name is empty

/// Up to `end`, not to the pipe's end: a process that connects the sandbox's network may hold that. Nothing when that
/// comes first.
std::optional<std::string> read_until(const Fd& fd, std::string_view end) {
  std::string text;
  std::array<char, 4096> piece{};
  while (!text.ends_with(end)) {
    const ssize_t got = ::read(fd.get(), piece.data(), piece.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return std::nullopt;
    text.append(piece.data(), static_cast<std::size_t>(got));
  }
  return text.substr(0, text.size() - end.size());
}

}  // namespace

void ChangeQuestion::ask(FactSource& facts) {
  facts.look_again();
  told_.write = Fd();
  write_all(asked_.write, k_question, "the pipe to the builder");
  asked_.write = Fd();
  const std::optional<std::string> answer = read_until(told_.read, k_end_of_answer);
  if (!answer) throw Error(ErrorKind::external, "the builder can't tell whether elements were changed meanwhile");
  const std::vector<std::string> changed = split(*answer, '\0');
  if (!changed.front().empty()) {
    throw Error(ErrorKind::input, cat("the element ", changed.front(), " was changed while the build began"))
        .hint("Some of it was read before, some after that. Nothing has been built; start the build again.");
  }
  facts.distrust({changed.begin() + 1, changed.end()});
}

void ChangeQuestion::begin_answering() {
  asked_.write = Fd();
  told_.read = Fd();  // or an answer longer than the pipe would wait for ever for a sandbox that was killed
}

void ChangeQuestion::answer(const FactSource& facts) {
  const Fd told = std::move(told_.write);
  if (!read_until(asked_.read, k_question)) return;
  std::string text = facts.changed_element();
  for (const std::string& path : facts.changed_inputs()) text += cat(std::string(1, '\0'), path);
  const NoBrokenPipeSignal no_signal;
  write_all(told, cat(text, k_end_of_answer), "the pipe to the sandbox");
}

}  // namespace hearth::builder
