#include "agent/run_parts/environment.hpp"

#include <gmock/gmock.h>

#include "base/sys/file.hpp"

namespace hearth::agent {
namespace {

class EnvironmentTest : public testing::Test {
 protected:
  std::string put(const std::string& name, const std::string& text) {
    const fs::path path = dir_.path() / name;
    RealFileSystem().write(path, text, {});
    return path.string();
  }
  Environment sourced(const std::vector<std::string>& files) {
    return std::get<Environment>(source_environment(files, "test"));
  }
  int ended(const std::string& text) {
    return std::get<SourcingEnded>(source_environment({put("x", text)}, "test")).status;
  }
  TempDir dir_ = TempDir::create("/tmp", "environment-test-");
};

TEST_F(EnvironmentTest, FilesAreTakenBytewiseWhateverTheirXBit) {
  for (const char* name : {"abc", "9-nine", "100-hundred", "10-ten", "a b", "x.bash"}) put(name, "");
  RealFileSystem().make_directories(dir_.path() / "11-dir", 0755);
  const std::string at = dir_.path().string() + "/";
  EXPECT_THAT(environment_files(dir_.path().string()),
              testing::ElementsAre(at + "10-ten", at + "100-hundred", at + "9-nine", at + "abc", at + "x.bash"));
}

TEST_F(EnvironmentTest, ExportedVariablesComeBackWithNewlinesAndBlanks) {
  const Environment env = sourced({put("a", "export HEARTH_A=$'two\\nlines '\nHEARTH_B=not-exported\n")});
  EXPECT_EQ(env.at("HEARTH_A"), "two\nlines ");
  EXPECT_EQ(env.count("HEARTH_B"), 0U);
}

TEST_F(EnvironmentTest, ALaterFileSeesWhatAnEarlierOneSet) {
  const Environment env = sourced({put("a", "plain=1\n"), put("b", "export HEARTH_C=$plain\nreturn\n")});
  EXPECT_EQ(env.at("HEARTH_C"), "1");
}

TEST_F(EnvironmentTest, OutputOfAFileDoesNotSpoilTheResult) {
  testing::internal::CaptureStdout();
  const Environment env = sourced({put("a", "echo HEARTH_D=wrong\nexport HEARTH_E=right\n")});
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "HEARTH_D=wrong\n");
  EXPECT_EQ(env.count("HEARTH_D"), 0U);
  EXPECT_EQ(env.at("HEARTH_E"), "right");
}

TEST_F(EnvironmentTest, AFailingCommandAnExitOrAnUnsetVariableEndTheRun) {
  EXPECT_EQ(ended("(exit 7)\n"), 7);
  EXPECT_EQ(ended("exit 3\n"), 3);
  EXPECT_EQ(ended("exit 0\n"), 0);
  EXPECT_EQ(ended("echo $hearth_no_such_variable\n"), 1);
  EXPECT_EQ(ended("false | true\n"), 1);
}

}  // namespace
}  // namespace hearth::agent
