#include "metadata/model/python_pattern.hpp"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include <algorithm>
#include <array>

#include "base/hex.hpp"
#include "base/text.hpp"
#include "base/utf8.hpp"
#include "metadata/model/fault.hpp"

namespace hearth::metadata {

namespace {

constexpr std::uint32_t k_heap_kib = 64 * 1024;      ///< of one run
constexpr std::uint32_t k_most_matched = 8'000'000;  ///< the engine's own calls of one run; some go by without a step
constexpr std::size_t k_shown = 200;
constexpr std::uint64_t k_looked_at_a_step = 8;    ///< characters that an item goes over
constexpr std::uint64_t k_compared_a_step = 64;    ///< characters that a reference to a group may compare
constexpr std::uint64_t k_compiling_a_letter = 2;  ///< steps
constexpr std::uint64_t k_groups_a_step = 16;      ///< their places are copied at each choice
constexpr std::uint64_t k_least_calls = 20'000;    ///< a list of words has one for each
constexpr std::size_t k_large = 4096;              ///< letters; what follows each item is not looked at beyond that

Fault bad_pattern(const std::string& what) { return {"error", what}; }

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

/// Goes through Python's pattern once.
class Translation {
 public:
  explicit Translation(std::string_view python) : rest_(python) {}

  std::string text() {
    while (!rest_.empty()) {
      const char c = rest_.front();
      if (c == '\\') {
        escape();
      } else if (in_set_) {
        set_member(c);
      } else if (c == '[') {
        begin_set();
      } else if (c == '(') {
        group();
      } else if (c == '{') {
        repetition();
      } else {
        copy(1);
      }
    }
    return std::move(out_);
  }

 private:
  void copy(std::size_t count) {
    count = std::min(count, rest_.size());
    out_ += rest_.substr(0, count);
    rest_.remove_prefix(count);
  }
  [[nodiscard]] char at(std::size_t place) const { return place < rest_.size() ? rest_[place] : '\0'; }

  void replace(std::size_t count, std::string_view with) {
    out_ += with;
    rest_.remove_prefix(count);
  }

  /// \x, \u and \U with exactly so many digits.
  void code(std::size_t digits) {
    const std::string_view number = rest_.substr(std::min<std::size_t>(2, rest_.size()), digits);
    if (number.size() != digits || !std::all_of(number.begin(), number.end(), is_hex_digit))
      throw bad_pattern(cat("incomplete escape ", rest_.substr(0, 2 + digits)));
    replace(2 + digits, cat("\\x{", number, "}"));
  }

  void escape() {
    const char c = at(1);
    const std::string_view known = in_set_ ? "abfnrtdDsSwW" : "abfnrtdDsSwWAB";
    if (c == 'x') return code(2);
    if (c == 'u') return code(4);
    if (c == 'U') return code(8);
    if (c == 'v') return replace(2, "\\x0b");
    if (c == 'Z' && !in_set_) return replace(2, "\\z");
    if (is_letter(c) && known.find(c) == std::string_view::npos) throw bad_pattern(cat("bad escape \\", c));
    copy(2);
  }

  void begin_set() {
    in_set_ = true;
    copy(1);
    if (at(0) == '^') copy(1);
    if (at(0) == ']') replace(1, "\\]");
  }

  void set_member(char c) {
    if (c == '[') return replace(1, "\\[");  // [[:alpha:]] is Perl's
    in_set_ = c != ']';
    copy(1);
  }

  void group() {
    if (at(1) == '*') throw bad_pattern("nothing to repeat");
    if (at(1) != '?') return copy(1);
    const char kind = at(2);
    if (kind == '#') return copy(rest_.find(')') == std::string_view::npos ? rest_.size() : rest_.find(')') + 1);
    const std::string_view second = kind == 'P' ? "<=" : kind == '<' ? "=!" : "";
    if (!second.empty()) {
      if (second.find(at(3)) == std::string_view::npos || at(3) == '\0')
        throw bad_pattern(cat("unknown extension ", rest_.substr(1, 3)));
      return copy(4);
    }
    const bool names_it = kind == ':' || kind == '=' || kind == '!' || kind == '>' || kind == '(';
    if (names_it) return copy(kind == '(' ? 2 : 3);
    std::size_t end = 2;
    while (std::string_view("imsux-").find(at(end)) != std::string_view::npos && at(end) != '\0') ++end;
    if (end == 2 || (at(end) != ')' && at(end) != ':'))
      throw bad_pattern(cat("unknown extension ", rest_.substr(1, 2)));
    std::string flags(rest_.substr(0, end));
    std::erase(flags, 'u');  // Unicode it is in any case
    replace(end, flags);
  }

  /// {,3} is {0,3}.
  void repetition() {
    std::size_t end = 2;
    while (is_digit(at(end))) ++end;
    if (at(1) != ',' || at(end) != '}') return copy(1);
    replace(1, "{0");
  }

  std::string_view rest_;
  std::string out_;
  bool in_set_ = false;
};

struct Freed {
  void operator()(pcre2_code* code) const { ::pcre2_code_free(code); }
  void operator()(pcre2_match_data* data) const { ::pcre2_match_data_free(data); }
  void operator()(pcre2_match_context* context) const { ::pcre2_match_context_free(context); }
  void operator()(pcre2_compile_context* context) const { ::pcre2_compile_context_free(context); }
};

std::string shown_pattern(const std::string& pattern) {
  if (pattern.size() <= k_shown) return pattern;
  std::size_t end = k_shown;
  while (end > 0 && (static_cast<unsigned char>(pattern[end]) & 0xc0U) == 0x80U) --end;
  return pattern.substr(0, end) + "…";
}

/// What one run has done.
struct Account {
  PatternBudget* budget;
  std::uint64_t each;  ///< beside what an item goes over
  PCRE2_SIZE last = 0;
};

/// Called before each item of a pattern.
int charge(pcre2_callout_block* block, void* data) {
  auto& account = *static_cast<Account*>(data);
  const PCRE2_SIZE now = block->current_position;
  const PCRE2_SIZE gone = now > account.last ? now - account.last : account.last - now;
  account.last = now;
  return account.budget->take(account.each + gone / k_looked_at_a_step) ? 0 : PCRE2_ERROR_CALLOUT;
}

}  // namespace

struct PythonPattern::Compiled {
  std::unique_ptr<pcre2_code, Freed> code;
  bool counted = true;      ///< it calls before each item; else it is too large for that
  bool references = false;  ///< to groups
  std::uint32_t groups = 0;

  static std::shared_ptr<const Compiled> make(const std::string& pattern, const PatternFlags& flags, bool characters) {
    const std::string text = pcre2_pattern(pattern);
    const std::unique_ptr<pcre2_compile_context, Freed> context(::pcre2_compile_context_create(nullptr));
    ::pcre2_set_newline(context.get(), PCRE2_NEWLINE_LF);
    const std::uint32_t options =
        (characters ? PCRE2_UTF | PCRE2_UCP : 0U) | (flags.ignore_case ? PCRE2_CASELESS : 0U) |
        (flags.multi_line ? PCRE2_MULTILINE : 0U) | (text.size() > k_large ? PCRE2_NO_AUTO_POSSESS : 0U) |
        (flags.dot_all ? PCRE2_DOTALL : 0U);
    auto made = std::make_shared<Compiled>();
    int error = 0;
    PCRE2_SIZE place = 0;
    for (const bool counted : {true, false}) {
      made->counted = counted;
      made->code.reset(::pcre2_compile(reinterpret_cast<PCRE2_SPTR>(text.data()), text.size(),
                                       options | (counted ? PCRE2_AUTO_CALLOUT : 0U), &error, &place, context.get()));
      if (made->code || error != PCRE2_ERROR_PATTERN_TOO_LARGE) break;
    }
    if (!made->code) {
      std::array<PCRE2_UCHAR, 256> words{};
      ::pcre2_get_error_message(error, words.data(), words.size());
      throw bad_pattern(
          cat(reinterpret_cast<const char*>(words.data()), " at position ", std::min(place, text.size())));
    }
    std::uint32_t highest = 0;
    ::pcre2_pattern_info(made->code.get(), PCRE2_INFO_BACKREFMAX, &highest);
    made->references = highest > 0;
    ::pcre2_pattern_info(made->code.get(), PCRE2_INFO_CAPTURECOUNT, &made->groups);
    return made;
  }
};

/// Runs a pattern over one text.
class PythonPattern::Run {
 public:
  Run(const PythonPattern& pattern, const std::string& text, PatternBudget& budget)
      : pattern_(pattern),
        compiled_(pattern.compiled_for(text)),
        text_(text),
        budget_(budget),
        account_{&budget, 1 + compiled_->groups / k_groups_a_step +
                              (compiled_->references ? text.size() / k_compared_a_step : 0)},
        data_(::pcre2_match_data_create_from_pattern(compiled_->code.get(), nullptr)),
        context_(::pcre2_match_context_create(nullptr)) {
    if (!budget_.take(pattern.pattern_.size() * k_compiling_a_letter)) too_long();
    ::pcre2_set_heap_limit(context_.get(), k_heap_kib);
    ::pcre2_set_match_limit(context_.get(), k_most_matched);
    ::pcre2_set_callout(context_.get(), charge, &account_);
  }

  std::optional<Match> next(std::size_t from, std::uint32_t options) {
    if (!compiled_->counted) {
      // Between two of its calls the engine may go over the whole text, and over the whole pattern.
      const std::uint64_t between = 1 + (text_.size() + pattern_.pattern_.size()) / k_looked_at_a_step;
      const std::uint64_t most = std::max(k_least_calls, budget_.left() / between);
      ::pcre2_set_match_limit(context_.get(),
                              static_cast<std::uint32_t>(std::min<std::uint64_t>(most, k_most_matched)));
    }
    account_.last = from;
    const int found = ::pcre2_match(compiled_->code.get(), reinterpret_cast<PCRE2_SPTR>(text_.data()), text_.size(),
                                    from, options | PCRE2_NO_UTF_CHECK, data_.get(), context_.get());
    if (found == PCRE2_ERROR_NOMATCH) return std::nullopt;
    if (found < 0) too_long();
    if (budget_.is_gone()) too_long();
    const PCRE2_SIZE* ends = ::pcre2_get_ovector_pointer(data_.get());
    Match match;
    for (std::size_t i = 0; i < ::pcre2_get_ovector_count(data_.get()); ++i) {
      const bool took_part = static_cast<int>(i) < found && ends[2 * i] != PCRE2_UNSET;
      match.groups.push_back(took_part ? Match::Group{ends[2 * i], ends[2 * i + 1]} : Match::Group{});
    }
    return match;
  }

 private:
  [[noreturn]] void too_long() {
    (void)budget_.take(budget_.left());  // whatever was the matter, there is no second try
    Fault fault("ValueError",
                cat("the pattern \"", shown_pattern(pattern_.pattern_), "\" takes too long on this text"));
    fault.hint(
        "Write it so that no part can match in many ways: one repetition inside another, or many in a row of the "
        "same characters, are what takes long.");
    throw fault;
  }

  const PythonPattern& pattern_;
  std::shared_ptr<const Compiled> compiled_;
  const std::string& text_;
  PatternBudget& budget_;
  Account account_;
  std::unique_ptr<pcre2_match_data, Freed> data_;
  std::unique_ptr<pcre2_match_context, Freed> context_;
};

PythonPattern::PythonPattern(std::string pattern, PatternFlags flags) : pattern_(std::move(pattern)), flags_(flags) {
  try {
    compiled_ = Compiled::make(pattern_, flags_, is_valid_utf8(pattern_));
  } catch (const Fault& fault) {
    throw bad_pattern(cat("bad regular expression \"", shown_pattern(pattern_), "\": ", fault.text()));
  }
}

std::shared_ptr<const PythonPattern::Compiled> PythonPattern::compiled_for(const std::string& text) const {
  return is_valid_utf8(text) ? compiled_ : Compiled::make(pattern_, flags_, false);
}

std::vector<PythonPattern::Match> PythonPattern::find_all(const std::string& text, std::size_t most,
                                                          PatternBudget& budget) const {
  Run run(*this, text, budget);
  std::vector<Match> all;
  std::size_t from = 0;
  std::uint32_t options = 0;
  while (std::optional<Match> match = run.next(from, options)) {
    const Match::Group whole = match->groups.front();
    from = whole.end;
    options = whole.begin == whole.end ? PCRE2_NOTEMPTY_ATSTART : 0U;  // the next one is another
    all.push_back(std::move(*match));
    if (all.size() == most) break;
  }
  return all;
}

bool PythonPattern::matches_to_the_end(const std::string& text, PatternBudget& budget) const {
  const std::optional<Match> match = Run(*this, text, budget).next(0, PCRE2_ANCHORED);
  return match && match->groups.front().end == text.size();
}

std::optional<PythonPattern::Match> PythonPattern::full_match(const std::string& text, PatternBudget& budget) const {
  return Run(*this, text, budget).next(0, PCRE2_ANCHORED | PCRE2_ENDANCHORED);
}

std::string pcre2_pattern(std::string_view python) { return Translation(python).text(); }

}  // namespace hearth::metadata
