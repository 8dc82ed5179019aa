#include "builder/run/hidden_places.hpp"

#include <gmock/gmock.h>

#include "tests/unit/builder/element_tree.hpp"

namespace hearth::builder {
namespace {

TEST(HiddenPlaces, ASourceOfAHomeThatNothingDeclaresIsTold) {
  fakes::MemoryFileSystem files;
  files.make_directories("/root/source", 0755);
  ElementTree tree(files);
  tree.add("os", "", "operating-system").file("os", "source-repository-web", "web git /srv/web file:///root/source\n");
  SandboxSpec spec;
  spec.output = "/out";
  spec.homes = {"/root"};
  EXPECT_THAT(hidden_places(files, {}, tree.plan({"os"}), spec),
              testing::ElementsAre(
                  testing::HasSubstr("source-repository-web (element os) names /root/source, which hooks don't see")));
  spec.homes = {};
  EXPECT_THAT(hidden_places(files, {}, tree.plan({"os"}), spec), testing::IsEmpty());
}

}  // namespace
}  // namespace hearth::builder
