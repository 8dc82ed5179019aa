#include "base/cli/junit.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "base/utf8.hpp"

namespace hearth::cli {

namespace {

using Outcome = JunitCase::Outcome;

/// XML 1.0 has no place for most control characters, nor for U+FFFE and U+FFFF, however they are written.
std::string xml_text(const std::string& text) {
  std::string out = xml_escaped(replace_invalid_utf8(text));
  std::replace_if(
      out.begin(), out.end(), [](char c) { return static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\t'; },
      '?');
  return replace_all(replace_all(out, "\xef\xbf\xbe", "?"), "\xef\xbf\xbf", "?");
}

/// In an attribute ends of lines and tabs are blanks for whoever reads them, unless they are written as numbers.
std::string xml_attribute(const std::string& text) {
  return replace_all(replace_all(xml_text(text), "\n", "&#10;"), "\t", "&#9;");
}

std::string test_case(const JunitCase& each, const std::string& suite) {
  const std::string head = cat("    <testcase classname=\"", xml_attribute(suite), "\" name=\"",
                               xml_attribute(each.name), "\" time=\"", fixed(each.seconds, 3), "\"");
  if (each.outcome == Outcome::passed) return cat(head, "/>\n");
  if (each.outcome == Outcome::skipped)
    return cat(head, "><skipped message=\"", xml_attribute(each.message), "\"/></testcase>\n");
  const std::string output =
      each.output.empty() ? "" : cat("      <system-out>", xml_text(each.output), "</system-out>\n");
  const char* const what = each.outcome == Outcome::error ? "error" : "failure";
  return cat(head, ">\n      <", what, " type=\"", xml_attribute(each.kind), "\" message=\"",
             xml_attribute(each.message), "\">", xml_text(each.story), "</", what, ">\n", output, "    </testcase>\n");
}

}  // namespace

std::string junit_xml(const std::string& suite, const std::vector<JunitCase>& cases, double seconds) {
  const auto count = [&](Outcome outcome) {
    return std::count_if(cases.begin(), cases.end(), [&](const JunitCase& each) { return each.outcome == outcome; });
  };
  const std::string counts =
      cat(" tests=\"", cases.size(), "\" failures=\"", count(Outcome::failed), "\" errors=\"", count(Outcome::error),
          "\" skipped=\"", count(Outcome::skipped), "\" time=\"", fixed(seconds, 3), "\"");
  std::string xml = cat("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites", counts, ">\n  <testsuite name=\"",
                        xml_attribute(suite), "\"", counts, ">\n");
  for (const JunitCase& each : cases) xml += test_case(each, suite);
  return cat(xml, "  </testsuite>\n</testsuites>\n");
}

}  // namespace hearth::cli
