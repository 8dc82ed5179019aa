// Invariants that are checked always, in release builds too: what our own code must have made true, whatever comes from
// outside. One that does not hold is a fault of Hearth: the process says which and ends at once, with exit code 70
// (EX_SOFTWARE) and without destructors, so that nothing is written by a state that is known to be wrong. What is
// durable was made so before, and whoever starts next goes on from there.
//
//     check(lease.expires > now, "a lease that is given lasts", "expires", lease.expires, "now", now);
//
// What is wrong with files, messages, machines or users is no matter of this: that is an Error (base/error.hpp).
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>

namespace hearth {

constexpr int k_exit_broken_invariant = 70;  // EX_SOFTWARE of sysexits.h

/// What must hold, and where that is said; made by writing the sentence. The path is that within the tree: where a tree
/// lay when it was compiled stands in no program.
struct Claim {
  const char* sentence;
  int line;
  std::array<std::uint64_t, 5> file{};  ///< its last 40 characters, eight in a word: few instructions at each place

  // NOLINTNEXTLINE(google-explicit-constructor): a sentence is one
  consteval Claim(const char* text, const char* in = __builtin_FILE(), int at = __builtin_LINE())
      : sentence(text), line(at) {
    constexpr std::string_view here = __FILE__;
    constexpr std::string_view tree = here.substr(0, here.size() - std::string_view("base/check.hpp").size());
    std::string_view path(in);
    if (path.substr(0, tree.size()) == tree) path.remove_prefix(tree.size());
    if (path.size() > 8 * file.size()) path.remove_prefix(path.size() - 8 * file.size());
    for (std::size_t i = 0; i < path.size(); ++i)
      file[i / 8] |= std::uint64_t{static_cast<unsigned char>(path[i])} << (i % 8 * 8);
  }
};

/// A value, or the name before it.
class Noted {
 public:
  Noted() = default;
  // NOLINTBEGIN(google-explicit-constructor): values as they are
  template <std::convertible_to<std::string_view> Text>
  Noted(const Text& text) : text_(text), kind_(Kind::text) {}
  template <class Number>
  requires std::integral<Number> || std::is_enum_v<Number> Noted(Number number)
      : number_(static_cast<std::uint64_t>(number)), kind_(is_signed<Number>() ? Kind::signed_number : Kind::number) {}
  // NOLINTEND(google-explicit-constructor)

  /// Adds it to a line of at most `size` bytes; returns how many there are now.
  [[nodiscard]] std::size_t put(char* line, std::size_t used, std::size_t size) const;

 private:
  enum class Kind { number, signed_number, text };

  template <class Number>
  static constexpr bool is_signed() {
    if constexpr (std::is_enum_v<Number>) return std::is_signed_v<std::underlying_type_t<Number>>;
    return std::is_signed_v<Number>;
  }

  std::string_view text_;
  std::uint64_t number_ = 0;
  Kind kind_ = Kind::text;
};

/// Says what did not hold, and ends the process.
[[noreturn, gnu::cold]] void end_by_check(const Claim& claim, const Noted* noted, std::size_t count);

/// `holds`, or the process ends. Behind the sentence stand names and values, in turn; none of them a secret.
template <class... Values>
inline void check(bool holds, const Claim& claim, const Values&... values) {
  static_assert(sizeof...(Values) % 2 == 0, "a name before each value");
  if (holds) [[likely]]
    return;
  const std::array<Noted, sizeof...(Values) + 1> noted{Noted(values)...};
  end_by_check(claim, noted.data(), sizeof...(Values));
}

/// What is done when an invariant does not hold, after it was told and before the process ends; it may end it
/// otherwise. For process 1 of a machine, which must not end; for what plays many worlds, and knows which one this is.
/// Returns what was there before.
using CheckEnding = void (*)() noexcept;
CheckEnding set_check_ending(CheckEnding ending);

}  // namespace hearth
