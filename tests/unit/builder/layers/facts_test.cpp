#include "builder/layers/facts.hpp"

#include <gmock/gmock.h>

namespace hearth::builder {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Key;
using testing::UnorderedElementsAre;

TEST(Facts, WhatProgramsReadByThemselvesCountsAlwaysAndTheRestWhereItIsNamed) {
  const Environment env = {{"DIB_RELEASE", "bookworm"}, {"MY_SETTING", "1"},   {"SSH_TTY", "/dev/pts/1"},
                           {"IMAGE_NAME", "web"},       {"_", "/bin/x"},       {"DIB_IMAGE_CACHE", "/c"},
                           {"https_proxy", "http://p"}, {"LC_TIME", "de"},     {"CI_JOB_ID", "7"},
                           {"TMUX_PANE", "%3"},         {"BUILD_NUMBER", "9"}, {"SUDO_COMMAND", "/bin/sh"}};
  EXPECT_THAT(environment_facts(env, {}),
              UnorderedElementsAre(Key("env DIB_RELEASE"), Key("env https_proxy"), Key("env LC_TIME")));
  EXPECT_THAT(
      environment_facts(env, {"echo ${MY_SETTING:-none} $OTHER_CI_JOB_ID"}),
      UnorderedElementsAre(Key("env DIB_RELEASE"), Key("env https_proxy"), Key("env LC_TIME"), Key("env MY_SETTING")))
      << "a part of another name is none";
}

TEST(Facts, AScriptThatListsVariablesDependsOnAllButTheSessions) {
  const Environment env = {{"MY_SETTING", "1"}, {"CI_JOB_ID", "7"}, {"TMUX_PANE", "%3"}};
  for (const char* script : {"for n in ${!MY_*}; do :; done", "env | grep MY_", "export -p", "x=$(env\n)",
                             "eval \"x=\\$MY_$n\"", "print(dict(os.environ))"})
    EXPECT_THAT(environment_facts(env, {script}), UnorderedElementsAre(Key("env MY_SETTING"))) << script;
  EXPECT_THAT(environment_facts(env, {"env | grep CI_JOB_ID"}),
              UnorderedElementsAre(Key("env MY_SETTING"), Key("env CI_JOB_ID")));
}

TEST(Facts, OnlyAPathThatTheBuildItselfDoesNotChangeNamesAnInput) {
  const Environment env = {{"DIB_IMAGE_CACHE", "/home/u/.cache/image-create"}};
  EXPECT_TRUE(may_name_input("MY_DIR", "/srv/files", env));
  for (const char* value : {"", "x", "/", "/hearth/target", "/home/u", "/home/u/.cache/image-create/x"})
    EXPECT_FALSE(may_name_input("MY_DIR", value, env)) << value;
  EXPECT_FALSE(may_name_input("HOME", "/srv/u", env));
}

TEST(Facts, AScriptThatNamesOneOfThoseDependsOnIt) {
  const Environment env = {{"IMAGE_NAME", "web"}, {"BASH_FUNC_get_image_element_array%%", "() { :; }"}, {"CI", "1"}};
  EXPECT_THAT(environment_facts(env, {"echo x", "echo $IMAGE_NAME; get_image_element_array"}),
              UnorderedElementsAre(Key("env IMAGE_NAME"), Key("env BASH_FUNC_get_image_element_array%%")));
}

TEST(Facts, PlacesNeverCountEvenWhenNamed) {
  EXPECT_THAT(environment_facts({{"DIB_IMAGE_CACHE", "/c"}, {"_", "x"}}, {"cd $DIB_IMAGE_CACHE # _"}), IsEmpty());
}

TEST(Facts, DifferencesAreSentencesThatNameTheInput) {
  const Facts before = {{"env A", "1"}, {"hook install.d/10-x", "1"}, {"repository http://m/InRelease", "1"}};
  const Facts now = {{"env B", "1"}, {"hook install.d/10-x", "2"}, {"repository http://m/InRelease", "1"}};
  EXPECT_THAT(describe_differences(before, now),
              ElementsAre("the variable A is gone", "install.d/10-x changed", "the variable B is new"));
  EXPECT_THAT(describe_differences(now, now), IsEmpty());
}

}  // namespace
}  // namespace hearth::builder
