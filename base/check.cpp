#include "base/check.hpp"

#include <unistd.h>

#include <atomic>
#include <charconv>
#include <cstdlib>

namespace hearth {

namespace {

constexpr std::size_t k_line_bytes = 2048;

std::atomic<CheckEnding> ending_by_check{nullptr};

/// Characters that forge no second line and give a terminal no order. No memory is asked for: it may be what is broken.
std::size_t put_text(char* line, std::size_t used, std::size_t size, std::string_view text) {
  for (const char c : text) {
    if (used == size) break;
    line[used++] = c >= ' ' && c != '\x7f' ? c : '?';
  }
  return used;
}

std::array<char, 41> path_of(const Claim& claim) {
  std::array<char, 41> path{};
  for (std::size_t i = 0; i + 1 < path.size(); ++i) path[i] = static_cast<char>(claim.file[i / 8] >> (i % 8 * 8));
  return path;
}

}  // namespace

std::size_t Noted::put(char* line, std::size_t used, std::size_t size) const {
  if (kind_ == Kind::text) return put_text(line, used, size, text_);
  std::array<char, 24> digits{};
  const auto end = kind_ == Kind::number
                       ? std::to_chars(digits.begin(), digits.end(), number_).ptr
                       : std::to_chars(digits.begin(), digits.end(), static_cast<std::int64_t>(number_)).ptr;
  return put_text(line, used, size, {digits.data(), static_cast<std::size_t>(end - digits.data())});
}

void end_by_check(const Claim& claim, const Noted* noted, std::size_t count) {
  std::array<char, k_line_bytes> line{};
  const std::size_t room = line.size() - 1;
  std::size_t used = 0;
  const std::array<char, 41> file = path_of(claim);
  const auto put = [&](const Noted& part) { used = part.put(line.data(), used, room); };
  for (const Noted& part : {Noted("a fault of Hearth, which ends: "), Noted(file.data()), Noted(":"), Noted(claim.line),
                            Noted(": it does not hold that "), Noted(claim.sentence)})
    put(part);
  for (std::size_t at = 0; at + 1 < count; at += 2) {
    put(Noted(at == 0 ? ": " : ", "));
    put(noted[at]);
    put(Noted("="));
    put(noted[at + 1]);
  }
  line[used++] = '\n';
  for (std::size_t told = 0; told < used;) {
    const ssize_t written = ::write(STDERR_FILENO, line.data() + told, used - told);
    if (written <= 0) break;
    told += static_cast<std::size_t>(written);
  }
  if (const CheckEnding ending = ending_by_check.load(); ending != nullptr) ending();
  ::_exit(k_exit_broken_invariant);
}

CheckEnding set_check_ending(CheckEnding ending) { return ending_by_check.exchange(ending); }

}  // namespace hearth
