#include "agent/apply/options.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"
#include "tests/fakes/memory_file_system.hpp"

namespace hearth::agent {
namespace {

using OptionsNames = std::vector<std::string>;

class ApplyOptionsTest : public testing::Test {
 protected:
  ApplyOptions parse(const OptionsNames& words, const Environment& env = {}) {
    return parse_apply_options(words, env, files_);
  }
  fakes::MemoryFileSystem files_;
};

TEST_F(ApplyOptionsTest, ListsTakeAllWordsUpToTheNextOption) {
  const ApplyOptions options = parse({"-m", "a", "b", "--fallback-metadata", "-o", "out"});
  EXPECT_EQ(options.metadata.files, (OptionsNames{"a", "b"}));
  EXPECT_TRUE(options.metadata.fallback.empty());
  EXPECT_EQ(options.output, "out");
  EXPECT_EQ(parse({}).metadata.fallback.size(), 3U);
}

TEST_F(ApplyOptionsTest, ASecondListReplacesTheFirstUnlessStrict) {
  const ApplyOptions options = parse({"-m", "a", "-m", "b"});
  EXPECT_EQ(options.metadata.files, OptionsNames{"b"});
  EXPECT_EQ(options.warnings.size(), 1U);
  EXPECT_EQ(parse({"-m", "a", "-m", "b", "--compat", "strict"}).metadata.files, (OptionsNames{"a", "b"}));
  EXPECT_EQ(parse({"-m", "a", "-m", "b"}, {{"HEARTH_AGENT_COMPAT", "strict"}}).metadata.files,
            (OptionsNames{"a", "b"}));
}

TEST_F(ApplyOptionsTest, TheTemplateRootFallsBackToTheOldPlacesOnlyWithoutTheNew) {
  EXPECT_EQ(parse({}).templates, "/usr/libexec/os-apply-config/templates");
  files_.make_directories("/opt/stack/os-apply-config/templates", 0755);
  EXPECT_EQ(parse({}).templates, "/opt/stack/os-apply-config/templates");
  EXPECT_EQ(parse({}).warnings.size(), 1U);
  files_.make_directories("/usr/libexec/os-apply-config/templates", 0755);
  EXPECT_EQ(parse({}).templates, "/usr/libexec/os-apply-config/templates");
  EXPECT_EQ(parse({}, {{"OS_CONFIG_APPLIER_TEMPLATES", "/e"}}).templates, "/e");
  EXPECT_EQ(parse({"-t", "/t"}, {{"OS_CONFIG_APPLIER_TEMPLATES", "/e"}}).templates, "/t");
}

TEST_F(ApplyOptionsTest, WrongWordsAreUsageErrors) {
  for (const OptionsNames& words : {OptionsNames{"--ke", "x"}, OptionsNames{"--key"}, OptionsNames{"--nonsense"},
                                    OptionsNames{"operand"}, OptionsNames{"--compat", "x"}}) {
    EXPECT_THROW((void)parse(words), Error) << words[0];
  }
}

}  // namespace
}  // namespace hearth::agent
