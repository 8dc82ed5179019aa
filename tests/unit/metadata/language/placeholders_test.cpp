#include "metadata/language/placeholders.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "base/text.hpp"
#include "metadata/language/functions.hpp"

namespace hearth::metadata {
namespace {

Expression call_of_str_replace() {
  Expression call;
  call.function = find_function("str_replace", Version::v2018_08_31);
  return call;
}

std::string replaced(std::vector<Placeholder> all, const std::string& text) {
  return Placeholders(std::move(all)).replace_in(text, call_of_str_replace()).text;
}

/// As Heat does it: split at the first, each part at the next, and so on.
std::string as_heat(const std::vector<Placeholder>& all, const std::string& text, std::size_t from = 0) {
  if (from == all.size()) return text;
  std::string out;
  std::size_t begin = 0;
  for (;;) {
    const std::size_t at = text.find(all[from].key, begin);
    out += as_heat(all, text.substr(begin, at == std::string::npos ? at : at - begin), from + 1);
    if (at == std::string::npos) return out;
    out += all[from].value;
    begin = at + all[from].key.size();
  }
}

TEST(Placeholders, takes_the_longest_first_and_never_what_was_replaced) {
  EXPECT_EQ(replaced({{"a", "b"}, {"b", "a"}, {"ab", "[a]"}}, "abba"), "[a]ab");
  EXPECT_EQ(replaced({{"ca", "1"}, {"ab", "2"}}, "cab"), "c2");
  EXPECT_EQ(replaced({}, "x"), "x");
  EXPECT_THROW((void)replaced({{"", "x"}}, "abc"), Fault);
}

TEST(Placeholders, does_what_heat_does_with_anything) {
  std::mt19937 random(20);
  const auto word = [&](std::size_t most) {
    std::string text;
    for (std::size_t left = 1 + random() % most; left > 0; --left)
      text.push_back(static_cast<char>('a' + random() % 3));
    return text;
  };
  for (int round = 0; round < 2000; ++round) {
    std::vector<Placeholder> all;
    for (std::size_t left = random() % 30; left > 0; --left) {
      const std::string key = word(4);
      const bool known = std::any_of(all.begin(), all.end(), [&](const Placeholder& p) { return p.key == key; });
      if (!known) all.push_back({key, cat("<", key, ">")});
    }
    const std::string text = word(40);
    EXPECT_EQ(replaced(all, text), as_heat(Placeholders(all).all(), text)) << text;
  }
}

/// One call inside another for each of them, and a pass over the text for each, they were once.
TEST(Placeholders, may_be_many) {
  std::vector<Placeholder> all;
  std::string text;
  for (int i = 0; i < 80'000; ++i) {
    all.push_back({cat("k", i), cat("<", i, ">")});
    text += cat("k", i, " ");
  }
  const std::string out = replaced(all, text);
  EXPECT_EQ(out.substr(0, 12), "<0> <1> <2> ");
  EXPECT_EQ(out.substr(out.size() - 16), "<79998> <79999> ");
}

TEST(Placeholders, refuses_what_would_take_too_long) {
  std::vector<Placeholder> all;
  for (std::size_t length = 1; length < 1500; ++length) {
    for (char c = 'a'; c < 'a' + 6; ++c) all.push_back({std::string(length, c), "x"});
  }
  EXPECT_THROW((void)replaced(all, std::string(1'000'000, 'z')), Fault);
}

}  // namespace
}  // namespace hearth::metadata
