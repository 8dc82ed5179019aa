#include "agent/apply/command.hpp"

#include <gtest/gtest.h>

#include "base/text.hpp"
#include "tests/fakes/memory_logger.hpp"

namespace hearth::agent {
namespace {

class ApplyCommandTest : public testing::Test {
 protected:
  ApplyCommandTest() {
    put("m.json", R"({"s": "str", "t": true, "f": false})");
    put("t/a", "{{s}}\n");
  }
  void put(const std::string& name, const std::string& text) {
    files_.make_directories((home_ / name).parent_path(), 0755);
    files_.write(home_ / name, text, {});
  }
  int run(std::vector<std::string> args) {
    out_.clear();
    for (const char* word : {"-m", "m.json"}) args.emplace_back(word[0] == '-' ? word : (home_ / word).string());
    for (const auto& [option, name] : {std::pair{"-t", "t"}, std::pair{"-o", "o"}}) {
      args.emplace_back(option);
      args.push_back((home_ / name).string());
    }
    return run_os_apply_config(args, {files_, runner_, log_, env_, [this](std::string_view text) { out_ += text; }});
  }

  TempDir directory_ = TempDir::create("/tmp", "hearth-apply-");
  fs::path home_ = directory_.path();
  RealFileSystem files_;
  SystemClock clock_;
  RealRunner runner_{clock_};
  fakes::MemoryLogger log_;
  Environment env_;
  std::string out_;
};

TEST_F(ApplyCommandTest, WritesTheTreeAndSaysSo) {
  EXPECT_EQ(run({}), 0);
  EXPECT_EQ(read_file(home_ / "o/a"), "str\n");
  EXPECT_EQ(log_.lines.back(), "INFO success");
}

TEST_F(ApplyCommandTest, OneBadTemplateMeansNothingIsWritten) {
  put("t/b", "{{/s}}");
  EXPECT_EQ(run({}), 1);
  EXPECT_FALSE(files_.status(home_ / "o"));
}

TEST_F(ApplyCommandTest, ValidateDiffAndCheckWriteNothing) {
  EXPECT_EQ(run({"--validate"}), 0);
  EXPECT_EQ(run({"--diff"}), 0);
  EXPECT_NE(out_.find("@@ -0,0 +1 @@\n+str\n"), std::string::npos);
  EXPECT_EQ(run({"--check"}), 1);
  EXPECT_FALSE(files_.status(home_ / "o"));
  EXPECT_EQ(run({}), 0);
  EXPECT_EQ(run({"--check", "--diff"}), 0);
  EXPECT_EQ(out_, "");
}

TEST_F(ApplyCommandTest, ExitCodesTellUsageFromErrorsAndBooleans) {
  EXPECT_EQ(run({"--nonsense"}), 2);
  EXPECT_EQ(run({"--key", "missing"}), 1);
  EXPECT_EQ(run({"--key", "s", "--type", "nonsense"}), 1);
  EXPECT_EQ(run({"--boolean-key", "t"}), 0);
  EXPECT_EQ(run({"--boolean-key", "f"}), 1);
  EXPECT_EQ(run({"--boolean-key", "s"}), 255);
}

TEST_F(ApplyCommandTest, KeysAndDefaultsArePrinted) {
  EXPECT_EQ(run({"--key", "s"}), 0);
  EXPECT_EQ(out_, "str\n");
  EXPECT_EQ(run({"--key", "missing", "--key-default", "a b", "--type", "int"}), 0);
  EXPECT_EQ(out_, "a b\n");
}

}  // namespace
}  // namespace hearth::agent
