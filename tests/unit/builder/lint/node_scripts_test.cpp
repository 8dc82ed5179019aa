#include "builder/lint/node_scripts.hpp"

#include <gmock/gmock.h>

#include "tests/unit/builder/element_tree.hpp"

namespace hearth::builder {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

struct NodeScriptsTest : testing::Test {
  fakes::MemoryFileSystem files;
  ElementTree tree{files};

  Names idle() {
    Names texts;
    for (const Finding& finding : idle_node_scripts(files, *tree.catalog().find("web")))
      texts.push_back(finding_text(finding));
    return texts;
  }
};

TEST_F(NodeScriptsTest, AScriptThatNoNodeRunsIsTold) {
  tree.add("web")
      .hook("web", "os-refresh-config/configure.d/50-web.sh")
      .file("web", "os-refresh-config/configure.d/60-web", "#!/bin/bash\n")
      .hook("web", "os-refresh-config/configure.d/70-web")
      .file("web", "os-refresh-config/configure.d/notes.txt", "text\n")
      .hook("web", "os-refresh-config/error.d/10-web")
      .hook("web", "os-refresh-config/80-web");
  EXPECT_THAT(
      idle(),
      ElementsAre(AllOf(HasSubstr("os-refresh-config/80-web: warning: "), HasSubstr("it lies in no phase: pre-conf")),
                  AllOf(HasSubstr("os-refresh-config/configure.d/50-web.sh: warning: "),
                        HasSubstr("letters, digits, _ and - only: '50-web.sh'; call it 50-web"), HasSubstr("hookname")),
                  AllOf(HasSubstr("configure.d/60-web: warning: "), HasSubstr("chmod +x"))));
}

TEST_F(NodeScriptsTest, ADirectoryThatIsNoPhaseIsToldWhereItHasScripts) {
  tree.add("web")
      .hook("web", "os-refresh-config/pre-configured.d/50-web")
      .hook("web", "os-refresh-config/install.d/60-web")
      .hook("web", "os-refresh-config/migration/70-web")
      .file("web", "os-refresh-config/data/lists", "text\n");
  EXPECT_THAT(idle(), ElementsAre(AllOf(HasSubstr("install.d: warning: "), HasSubstr("no phase install.d (phases: "),
                                        HasSubstr("pre-configure.d configure.d post-configure.d migration.d error.d")),
                                  HasSubstr("no phase migration; did you mean migration.d?"),
                                  HasSubstr("no phase pre-configured.d; did you mean pre-configure.d?")));
}

TEST_F(NodeScriptsTest, WhatAnotherFileOfTheElementMentionsIsItsOwn) {
  tree.add("web")
      .hook("web", "os-refresh-config/configure.d/50-web", "#!/bin/bash\n$(dirname $0)/../lib/web.sh\n")
      .hook("web", "os-refresh-config/lib/web.sh");
  EXPECT_THAT(idle(), IsEmpty());
}

}  // namespace
}  // namespace hearth::builder
