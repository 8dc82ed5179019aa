#include "agent/apply/control.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"

namespace hearth::agent {
namespace {

const Accounts k_accounts = {"root:x:0:0::/root:/bin/sh\nuser:x:1000:100::/:/bin/sh\n", "root:x:0:\nstaff:x:50:\n"};

FileControl control(const std::string& yaml) { return parse_control(yaml, "t/a", k_accounts); }

std::string error_of(const std::string& yaml) {
  try {
    (void)control(yaml);
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

TEST(Control, AllKeysAreRead) {
  const FileControl found = control("mode: 0640\nowner: user\ngroup: 50\nallow_empty: no\n");
  EXPECT_EQ(found, (FileControl{.mode = 0640, .uid = 1000, .gid = 50, .allow_empty = false}));
  EXPECT_EQ(control(""), FileControl{});
  EXPECT_EQ(control("mode: 0").mode, std::nullopt);
  for (const char* nothing : {"false", "no", "0", "0.0", "''", "[]", "{}", "~"}) {
    EXPECT_EQ(control(nothing), FileControl{}) << nothing;
  }
}

TEST(Control, WrongValuesAreNamedInTheFieldsOwnWords) {
  EXPECT_EQ(error_of("mode: '0600'"), "(\"mode '0600' is not numeric\", 't/a')");
  EXPECT_EQ(error_of("mode: 600"), "(\"mode '0o1130' out of range\", 't/a')");
  EXPECT_EQ(error_of("owner: other"), "(\"owner 'other' not found in passwd database\", 't/a')");
  EXPECT_EQ(error_of("owner: '1000'"), "(\"owner '1000' not found in passwd database\", 't/a')");
  EXPECT_EQ(error_of("group: [1]"), "(\"group '[1]' must be a string or int\", 't/a')");
  EXPECT_EQ(error_of("allow_empty: '1'"), "(\"allow_empty requires Boolean, got: '1'\", 't/a')");
  EXPECT_EQ(error_of("k: 1"), "(\"unrecognised file control key 'k'\", 't/a')");
  EXPECT_EQ(error_of("[1]"), "('header is not a dict: t/a', 't/a')");
}

TEST(Control, BadYamlIsAnErrorNotACrash) { EXPECT_NE(error_of("a: [").find("bad YAML: t/a.oac:"), std::string::npos); }

}  // namespace
}  // namespace hearth::agent
