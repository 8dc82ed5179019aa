#include "base/pattern.hpp"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include <array>

#include "base/error.hpp"
#include "base/text.hpp"

namespace hearth {

namespace {

constexpr std::uint64_t k_steps = 20'000'000;  ///< of one search: a second or two
constexpr std::uint64_t k_looked_at_a_step = 8;
constexpr std::uint32_t k_heap_kib = 64 * 1024;

/// ECMAScript's $, \u0061 and groups that took no part. Bytes are looked at, whatever the pattern begins with.
constexpr std::uint32_t k_dialect = PCRE2_DOLLAR_ENDONLY | PCRE2_ALT_BSUX | PCRE2_MATCH_UNSET_BACKREF |
                                    PCRE2_NEVER_UTF | PCRE2_NEVER_UCP | PCRE2_AUTO_CALLOUT;

struct Freed {
  void operator()(pcre2_code* code) const { ::pcre2_code_free(code); }
  void operator()(pcre2_match_data* data) const { ::pcre2_match_data_free(data); }
  void operator()(pcre2_match_context* context) const { ::pcre2_match_context_free(context); }
};

/// What one search may still do.
struct Account {
  std::uint64_t left = k_steps;
  PCRE2_SIZE last = 0;
};

/// Called before each item of a pattern; the one before may have gone over much of the text.
int charge(pcre2_callout_block* block, void* data) {
  auto& account = *static_cast<Account*>(data);
  const PCRE2_SIZE now = block->current_position;
  const std::uint64_t steps = 1 + (now > account.last ? now - account.last : account.last - now) / k_looked_at_a_step;
  account.last = now;
  if (steps > account.left) return PCRE2_ERROR_CALLOUT;
  account.left -= steps;
  return 0;
}

}  // namespace

struct Pattern::Compiled {
  std::string text;
  std::unique_ptr<pcre2_code, Freed> code;

  [[nodiscard]] std::optional<Place> find(const std::string& where, std::size_t from, std::uint32_t options) const {
    Account account{.last = from};
    const std::unique_ptr<pcre2_match_data, Freed> data(::pcre2_match_data_create_from_pattern(code.get(), nullptr));
    const std::unique_ptr<pcre2_match_context, Freed> context(::pcre2_match_context_create(nullptr));
    ::pcre2_set_heap_limit(context.get(), k_heap_kib);
    ::pcre2_set_callout(context.get(), charge, &account);
    const int found = ::pcre2_match(code.get(), reinterpret_cast<PCRE2_SPTR>(where.data()), where.size(), from, options,
                                    data.get(), context.get());
    if (found == PCRE2_ERROR_NOMATCH) return std::nullopt;
    if (found < 0) {
      throw Error(ErrorKind::input, cat("the pattern ", text, " takes too long on this text"))
          .hint("One repetition inside another, or many in a row of the same characters, are what takes long.");
    }
    const PCRE2_SIZE* const ends = ::pcre2_get_ovector_pointer(data.get());
    return Place{ends[0], ends[1]};
  }
};

Pattern::Pattern(const std::string& text) {
  int error = 0;
  PCRE2_SIZE place = 0;
  std::unique_ptr<pcre2_code, Freed> code(
      ::pcre2_compile(reinterpret_cast<PCRE2_SPTR>(text.data()), text.size(), k_dialect, &error, &place, nullptr));
  if (code == nullptr) {
    std::array<char, 256> why{};
    ::pcre2_get_error_message(error, reinterpret_cast<PCRE2_UCHAR*>(why.data()), why.size());
    throw Error(ErrorKind::usage,
                cat("not a regular expression: ", text, " (", why.data(), ", behind ", place, " characters)"));
  }
  compiled_ = std::make_shared<Compiled>(Compiled{text, std::move(code)});
}

std::optional<Pattern::Place> Pattern::find(const std::string& text, std::size_t from) const {
  return compiled_->find(text, from, 0);
}

bool Pattern::matches_all_of(const std::string& text) const {
  return compiled_->find(text, 0, PCRE2_ANCHORED | PCRE2_ENDANCHORED).has_value();
}

std::string Pattern::without(const std::string& text) const {
  std::string rest;
  std::size_t from = 0;
  while (const std::optional<Place> place = compiled_->find(text, from, PCRE2_NOTEMPTY)) {
    rest += text.substr(from, place->begin - from);
    from = place->end;
  }
  return rest + text.substr(from);
}

}  // namespace hearth
