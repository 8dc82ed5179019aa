#include "builder/lint/baked_metadata.hpp"

#include <gmock/gmock.h>

#include "tests/unit/builder/element_tree.hpp"

namespace hearth::builder {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

struct BakedMetadataTest : testing::Test {
  fakes::MemoryFileSystem files;
  ElementTree tree{files};
  ImageRequest request;

  BakedMetadataTest() {
    tree.add("os", "", "operating-system").add("hearth-agent").add("fleet");
    request.environment["DIB_HEAT_METADATA"] = "/metadata.json";
  }
  Names told(const std::string& deployments, const Names& elements = {"os", "hearth-agent", "fleet"}) {
    files.write("/metadata.json", cat("{\"deployments\": [", deployments, "]}"), {});
    Names texts;
    for (const Finding& finding : deployments_without_hook(files, request, tree.plan(elements)))
      texts.push_back(finding_text(finding));
    return texts;
  }
};

TEST_F(BakedMetadataTest, AGroupWithoutAHookIsToldWithItsDeployments) {
  const std::string two = R"({"name": "A", "group": "fleet"}, {"name": "B", "group": "fleet"})";
  EXPECT_THAT(told(two), ElementsAre(HasSubstr("/metadata.json: warning: the image has no hook for deployments of the "
                                               "group fleet (A, B): none of its elements brings one; hearth help "
                                               "heat-config-hook")));
  EXPECT_THAT(told(R"({"name": "A", "group": "pupet"})"), ElementsAre(HasSubstr("did you mean puppet?")));
  EXPECT_THAT(
      told(R"({"name": "A", "group": "component", "config": {"configs": [{"tool": "fleet"}, {"tool": "script"}]}})"),
      ElementsAre(HasSubstr("the group fleet (A)")));
  tree.file("fleet", "static/var/lib/heat-config/hooks/fleet", "#!/bin/sh\n");
  EXPECT_THAT(told(two), ElementsAre(HasSubstr("hooks/fleet: warning: the hook for deployments of the group fleet is "
                                               "not executable: chmod +x")));
  EXPECT_THAT(told(R"({"name": "A", "group": "flet"})"), ElementsAre(HasSubstr("did you mean fleet?")));
  tree.file("fleet", "static/var/lib/heat-config/hooks/fleet", "#!/bin/sh\n", 0755);
  EXPECT_THAT(told(two), IsEmpty());
  EXPECT_EQ(told(two, {"os", "hearth-agent"}).size(), 1U) << "the element is not of this image";
}

TEST_F(BakedMetadataTest, WhatTheAgentRunsItselfAndImagesWithoutItAreNoFindings) {
  EXPECT_THAT(told(R"({"name": "A", "group": "script"}, {"name": "B", "group": "os-apply-config"}, {"name": "C"})"),
              IsEmpty());
  EXPECT_THAT(told(R"({"name": "A", "group": "fleet"})", {"os", "fleet"}), IsEmpty());
  request.environment.clear();
  EXPECT_THAT(told(R"({"name": "A", "group": "fleet"})"), IsEmpty());
}

}  // namespace
}  // namespace hearth::builder
