// python_json against the real json module of python3: random documents, all forms byte for byte.
#include <gtest/gtest.h>

#include "base/python_json.hpp"
#include "base/sys/process.hpp"
#include "base/text.hpp"
#include "base/unicode_printable.hpp"
#include "source_directory.hpp"

namespace hearth {
namespace {

std::string from_hex(std::string_view digits) {
  std::string bytes;
  if (digits == "-") return bytes;
  for (std::size_t i = 0; i + 1 < digits.size(); i += 2) {
    bytes.push_back(static_cast<char>(std::stoi(std::string(digits.substr(i, 2)), nullptr, 16)));
  }
  return bytes;
}

std::string python(const std::vector<std::string>& arguments) {
  const SystemClock clock;
  RealRunner runner(clock);
  std::vector<std::string> argv = {"python3"};
  argv.insert(argv.end(), arguments.begin(), arguments.end());
  return run_checked(runner, Command{.argv = argv});
}

TEST(PythonJsonPeer, RandomDocumentsReadAndWriteAsPythonDoes) {
  const std::string script = cat(HEARTH_SOURCE_DIR, "/tests/peers/base/python_json_peer.py");
  const std::vector<std::string> cases = split_lines(python({script, "1", "20000"}));
  ASSERT_EQ(cases.size(), 20000U);
  for (const std::string& line : cases) {
    const std::vector<std::string> fields = split(line, ' ');
    ASSERT_EQ(fields.size(), 5U);
    const std::string source = from_hex(fields[0]);
    const Result<Json> value = parse_python_json(source, "peer");
    ASSERT_TRUE(value.ok()) << source << "\n" << value.error().text();
    ASSERT_EQ(python_json(*value), from_hex(fields[1])) << source;
    ASSERT_EQ(python_json(*value, {.indent = 2}), from_hex(fields[2])) << source;
    ASSERT_EQ(python_json(*value, {.indent = 4, .sort_keys = true}), from_hex(fields[3])) << source;
    ASSERT_EQ(python_text(*value), from_hex(fields[4])) << source;
  }
}

TEST(PythonJsonPeer, TheSameCharactersArePrintable) {
  if (python({"-c", "import unicodedata; print(unicodedata.unidata_version)"}) != "14.0.0\n") {
    GTEST_SKIP() << "python3 has another Unicode version";
  }
  const std::string marks =
      python({"-c", "print(''.join('1' if chr(c).isprintable() else '0' for c in range(0x110000)), end='')"});
  ASSERT_EQ(marks.size(), 0x110000U);
  for (char32_t value = 0; value < 0x110000; ++value)
    ASSERT_EQ(is_printable(value), marks[value] == '1') << static_cast<unsigned>(value);
}

TEST(PythonJsonPeer, TheSameTextsAreRefused) {
  const std::vector<std::string> bad = {
      "",     "[",    "{",      "[1,]",   "{\"a\"}",    "{\"a\":}",      "{a:1}",   "01",          "1.",    ".5",
      "-",    "+1",   "1e",     "tru",    "nul",        "'a'",           "\"\\x\"", "\"\\u12g4\"", "[1 2]", "{} {}",
      "NaNx", "-NaN", "\"\t\"", "[1,,2]", "{\"a\":1,}", "\"\\ud83d\\u\""};
  for (const std::string& text : bad) {
    const std::string place =
        python({"-c",
                "import json,sys\ntry:\n json.loads(sys.argv[1])\nexcept json.JSONDecodeError as e:\n"
                " print('t:%d:%d: %s' % (e.lineno, e.colno, e.msg), end='')",
                text});
    const Result<Json> ours = parse_python_json(text, "t");
    ASSERT_FALSE(ours.ok()) << text;
    EXPECT_EQ(ours.error().text(), place) << text;
  }
}

}  // namespace
}  // namespace hearth
