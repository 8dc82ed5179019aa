// Regular expressions as Python's re module has them, for all that a template or a request may bring. PCRE2 runs them;
// what is Perl's alone is refused, as Python refuses it. Each run is paid for: a pattern such as "(a*)*b" takes more
// steps than anybody can wait for.
// Source: docs.python.org, library/re; pcre2pattern(3), pcre2callout(3).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace hearth::metadata {

/// What the patterns of one evaluation may still do, in steps of the engine: some tenths of a second altogether.
class PatternBudget {
 public:
  static constexpr std::uint64_t k_steps = 40'000'000;
  explicit PatternBudget(std::uint64_t steps = k_steps) : left_(steps) {}
  /// Whether there were as many left; else none are left afterwards.
  bool take(std::uint64_t steps) {
    const bool enough = steps < left_;
    left_ = enough ? left_ - steps : 0;
    return enough;
  }
  [[nodiscard]] bool is_gone() const { return left_ == 0; }
  [[nodiscard]] std::uint64_t left() const { return left_; }

 private:
  std::uint64_t left_;
};

struct PatternFlags {
  bool ignore_case = false;
  bool multi_line = false;
  bool dot_all = false;
};

class PythonPattern {
 public:
  /// The whole and its groups, by bytes of the text; npos where a group took no part.
  struct Match {
    struct Group {
      std::size_t begin = std::string::npos;
      std::size_t end = std::string::npos;
    };
    std::vector<Group> groups;
  };

  /// Throws Fault("error") for what is no pattern in Python.
  explicit PythonPattern(std::string pattern, PatternFlags flags = {});

  /// All throw ValueError where the budget does not last.
  /// re.finditer(): those that don't overlap, the first `most` of them (0: all).
  [[nodiscard]] std::vector<Match> find_all(const std::string& text, std::size_t most, PatternBudget& budget) const;
  /// re.match(), and whether it ends with the text.
  [[nodiscard]] bool matches_to_the_end(const std::string& text, PatternBudget& budget) const;
  /// re.fullmatch()
  [[nodiscard]] std::optional<Match> full_match(const std::string& text, PatternBudget& budget) const;

 private:
  struct Compiled;
  class Run;
  [[nodiscard]] std::shared_ptr<const Compiled> compiled_for(const std::string& text) const;

  std::string pattern_;
  PatternFlags flags_;
  std::shared_ptr<const Compiled> compiled_;  ///< for UTF-8
};

/// Python's pattern in PCRE2's words: "\Z", "\v", "\u00e9", "{,3}", and brackets in a set. Throws Fault("error").
[[nodiscard]] std::string pcre2_pattern(std::string_view python);

}  // namespace hearth::metadata
