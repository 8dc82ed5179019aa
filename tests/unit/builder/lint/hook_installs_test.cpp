#include "builder/lint/hook_installs.hpp"

#include <gmock/gmock.h>

#include "tests/unit/builder/element_tree.hpp"

namespace hearth::builder {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Optional;

struct HookInstalls : testing::Test {
  fakes::MemoryFileSystem files;
  ElementTree tree{files};
  HookInstalls() { tree.add("os", "", "operating-system").add("web"); }
  std::optional<Names> of(const std::string& script) {
    tree.hook("web", "install.d/50-web", script);
    BuildPlan plan = tree.plan({"os", "web"});
    for (Element& element : plan.elements.elements) element.built_in = element.name != "web";
    return installed_by_hooks(files, plan);
  }
};

TEST_F(HookInstalls, WhatATextSaysIsKnown) {
  EXPECT_THAT(of("#!/bin/bash\napt-get -y install a b=1 && apt-get remove -y c\n"), Optional(ElementsAre("a", "b")));
  EXPECT_THAT(of("#!/bin/bash\ndpkg --print-architecture\n"), Optional(IsEmpty()));
  EXPECT_THAT(of("#!/bin/bash\n# apt-get install a\n"), Optional(IsEmpty()));
}

TEST_F(HookInstalls, WhatItDoesNotSayIsNot) {
  for (const char* other :
       {"apt-get install -y $X", "apt-get install -y ./a.deb", "apt-get build-dep a", "dpkg -i a.deb",
        "install-packages a", "x apt-get install a", "debootstrap x", "cat <<E\napt-get install a\nE"})
    EXPECT_EQ(of(std::string("#!/bin/bash\n") + other + "\n"), std::nullopt) << other;
}

}  // namespace
}  // namespace hearth::builder
