#include "builder/lint/refused_values.hpp"

#include <gmock/gmock.h>

#include "tests/unit/builder/element_tree.hpp"

namespace hearth::builder {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

struct RefusedValues : testing::Test {
  TempDir directory = TempDir::create(fs::temp_directory_path(), "hearth-test-");
  RealFileSystem files;
  ElementTree tree{files, directory.path() / "elements"};
  ImageRequest request;
  Names known;
  const SystemClock clock;
  RealRunner runner{clock};

  RefusedValues() {
    request.architecture = "amd64";
    request.environment = current_environment();
    tree.add("debootstrap").add("os", "debootstrap", "operating-system").add("dhcp").add("web");
    tree.file("os", "environment.d/10-os", "export DISTRO=mine\n");
    tree.file("dhcp", "environment.d/50-dhcp",
              "export DIB_WAIT=${DIB_WAIT:-30}\nif ! [ \"$DIB_WAIT\" -gt 0 ] 2> /dev/null; then\n"
              "  echo \"DIB_WAIT of $DISTRO $ARCH is a number, not '$DIB_WAIT'\"\n  exit 1\nfi\n");
  }
  Names told(bool is_web_ours = true) {
    BuildPlan plan = tree.plan({"os", "dhcp", "web"});
    for (Element& element : plan.elements.elements) element.built_in = is_web_ours || element.name != "web";
    Names texts;
    for (const Finding& finding : refused_values(files, request, plan, runner, known))
      texts.push_back(finding_text(finding));
    return texts;
  }
};

TEST_F(RefusedValues, WhatAnEnvironmentFileOfOursRefusesIsTold) {
  EXPECT_THAT(told(), IsEmpty());
  request.environment["DIB_WAIT"] = "soon";
  EXPECT_THAT(told(),
              ElementsAre(HasSubstr(
                  "dhcp/environment.d/50-dhcp: error: DIB_WAIT of mine amd64 is a number, not 'soon' [value]")));
  tree.file("web", "environment.d/90-web", "export DIB_WAIT=5\n");
  EXPECT_THAT(told(false), IsEmpty()) << "others may set it";
}

TEST_F(RefusedValues, WhatWasGoodIsNotTriedAgain) {
  EXPECT_THAT(told(), IsEmpty());
  ASSERT_EQ(known.size(), 1U);
  EXPECT_THAT(told(), IsEmpty());
  EXPECT_EQ(known.size(), 1U);
  request.environment["DIB_WAIT"] = "0";
  EXPECT_EQ(told().size(), 1U);
}

TEST_F(RefusedValues, AMirrorWithoutASchemeAndAnArchitectureByAnotherNameAreTold) {
  request.environment["DIB_DISTRIBUTION_MIRROR"] = "deb.example.org/debian";
  request.architecture = "x86_64";
  EXPECT_THAT(told(),
              ElementsAre("environment: error: -a x86_64: Debian calls that architecture amd64 [value]",
                          "environment: error: DIB_DISTRIBUTION_MIRROR: 'deb.example.org/debian' is no URL; did "
                          "you mean http://deb.example.org/debian? [value]"));
  request.architecture = "amd64";
  for (const char* good : {"http://x/debian", "file:/x", "copy:/x", ""}) {
    request.environment["DIB_DISTRIBUTION_MIRROR"] = good;
    EXPECT_THAT(told(), IsEmpty()) << good;
  }
}

}  // namespace
}  // namespace hearth::builder
