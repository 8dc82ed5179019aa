#include "builder/layers/facts.hpp"

#include <gmock/gmock.h>

namespace hearth::builder {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Key;
using testing::UnorderedElementsAre;

TEST(Facts, VariablesCountUnlessTheyAreASessionsOrTheBuildersOwn) {
  const Environment env = {{"DIB_RELEASE", "bookworm"}, {"MY_SETTING", "1"}, {"SSH_TTY", "/dev/pts/1"},
                           {"IMAGE_NAME", "web"},       {"_", "/bin/x"},     {"DIB_IMAGE_CACHE", "/c"}};
  EXPECT_THAT(environment_facts(env, {}), UnorderedElementsAre(Key("env DIB_RELEASE"), Key("env MY_SETTING")));
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
