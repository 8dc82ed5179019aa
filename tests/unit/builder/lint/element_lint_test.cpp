#include "builder/lint/element_lint.hpp"

#include <gmock/gmock.h>

#include "tests/unit/builder/element_tree.hpp"

namespace hearth::builder {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr const char* k_hook = "#!/bin/bash\n# DIB_DEBUG_TRACE\nset -euo pipefail\n";

struct ElementLintTest : testing::Test {
  fakes::MemoryFileSystem files;
  ElementTree tree{files};

  Names findings(const std::string& name) {
    const Catalog catalog = tree.catalog();
    ElementLint lint(files, catalog, {});
    Names texts;
    for (const Finding& finding : lint.lint(*catalog.find(name))) texts.push_back(finding_text(finding));
    return texts;
  }
  ElementTree& good(const std::string& name, const std::string& deps = "") {
    return tree.add(name, deps).file(name, "README.md", "# x\n");
  }
};

TEST_F(ElementLintTest, AGoodElementHasNoFindings) {
  tree.add("z");
  good("a", "operating-system z").hook("a", "install.d/10-a", k_hook);
  EXPECT_THAT(findings("a"), IsEmpty());
}

TEST_F(ElementLintTest, ANamelessPurposeIsFound) {
  tree.add("a");
  EXPECT_THAT(findings("a"), ElementsAre(HasSubstr("/elements/a: error: README.md or README.rst is missing")));
}

TEST_F(ElementLintTest, AnUnknownPhaseIsFoundWithTheNearestOne) {
  good("a").hook("a", "instal.d/10-a", k_hook);
  EXPECT_THAT(findings("a"), ElementsAre(HasSubstr("unknown phase instal.d; did you mean install.d?")));
}

TEST_F(ElementLintTest, AHookThatNeverRunsIsAnErrorUnlessAnotherFileTakesIt) {
  good("a").hook("a", "install.d/10-a.sh", k_hook);
  EXPECT_THAT(findings("a"), ElementsAre(HasSubstr("/install.d/10-a.sh: error: it is never run as a hook")));
  tree.hook("a", "install.d/20-a", cat(k_hook, "install -m 755 \"$(dirname \"$0\")/10-a.sh\" /usr/bin/a\n"));
  EXPECT_THAT(findings("a"), IsEmpty());
}

TEST_F(ElementLintTest, AScriptThatNoNodeRunsIsFound) {
  good("a").hook("a", "os-refresh-config/configure.d/10-a.sh", k_hook);
  EXPECT_THAT(findings("a"), ElementsAre(HasSubstr("10-a.sh: warning: no node runs this script, its name may have")));
}

TEST_F(ElementLintTest, AConditionOnAVariableThatNoEnvironmentSetsIsFound) {
  good("a").file("a", "package-installs.yaml", "git:\n  when: DIB_A = yes\ncurl: {when: DIB_B = yes}\n");
  good("b").file("b", "environment.d/10-b", "export DIB_B=${DIB_B:-no}\n");
  EXPECT_THAT(findings("a"),
              ElementsAre(HasSubstr("package-installs.yaml:2: warning: package git asks for DIB_A, which no "
                                    "environment.d sets: a build that is not given it ends there")));
  good("s").file("s", "source-repository-s", "s gitt /opt/s https://h/s\n");
  EXPECT_THAT(findings("s"), ElementsAre(HasSubstr("source-repository-s:1:3: error: no source has the type 'gitt'")));
}

TEST_F(ElementLintTest, TwoNamesOnALineOfElementDepsAreTold) {
  good("z");
  good("a").file("a", "element-deps", "operating-system z\n");
  EXPECT_THAT(findings("a"), ElementsAre(HasSubstr("element-deps:1: error: each line is the name of one element: write "
                                                   "those of 'operating-system z' each on its own")));
}

TEST_F(ElementLintTest, ALayoutThatVmsMayGoBeforeIsFound) {
  const std::string layout = "- local_loop: {name: image0}\n- mkfs: {name: mkfs_root, base: image0}\n";
  good("a").file("a", "block-device-default.yaml", layout);
  EXPECT_THAT(findings("a"), ElementsAre(AllOf(HasSubstr("/elements/a/block-device-default.yaml: warning: "),
                                               HasSubstr("write block-device into element-provides"))));
  tree.file("a", "element-provides", "block-device\n");
  EXPECT_THAT(findings("a"), IsEmpty());
  good("block-device-b").file("block-device-b", "block-device-default.yaml", layout);
  EXPECT_THAT(findings("block-device-b"), IsEmpty());
}

TEST_F(ElementLintTest, AFormerPhaseIsFound) {
  good("a").hook("a", "first-boot.d/10-a", k_hook);
  EXPECT_THAT(findings("a"), ElementsAre(HasSubstr("first-boot.d was a phase once")));
}

TEST_F(ElementLintTest, ADirectoryThatTheElementReadsIsItsOwn) {
  good("a").file("a", "rules.d/x", "").hook("a", "install.d/10-a", cat(k_hook, "cp ../rules.d/x /\n"));
  EXPECT_THAT(findings("a"), IsEmpty());
}

TEST_F(ElementLintTest, ADependencyThatNobodyProvidesIsFoundAtItsLine) {
  tree.add("tools");
  good("a", "base tolls");
  EXPECT_THAT(findings("a"), ElementsAre(HasSubstr("element-deps:1: error: depends on 'base', which no element"),
                                         AllOf(HasSubstr("element-deps:2:"), HasSubstr("did you mean 'tools'?"))));
}

TEST_F(ElementLintTest, ACommentInElementDepsIsToldWithTheNameThatIsMeant) {
  tree.add("tools");
  good("a").file("a", "element-deps", "tolls # for all\n");
  EXPECT_THAT(findings("a"), ElementsAre(AllOf(HasSubstr("element-deps:1: error: element-deps knows no comments"),
                                               HasSubstr("did you mean 'tools'?"))));
  tree.file("a", "element-deps", "tools # for all\n");
  EXPECT_THAT(findings("a"), ElementsAre(HasSubstr("; write 'tools' alone")));
}

TEST_F(ElementLintTest, AVariableThatNobodyDeclaresIsFoundUnlessACommentSwitchesThatOff) {
  const auto hook = [](const std::string& more) { return cat(k_hook, more, "echo $DIB_A_GREETING\n"); };
  good("a").hook("a", "install.d/10-a", hook(""));
  EXPECT_THAT(findings("a"), ElementsAre(HasSubstr("install.d/10-a:4: warning: DIB_A_GREETING has no value")));
  tree.hook("a", "install.d/10-a", hook("# dib-lint: disable=variable\n"));
  EXPECT_THAT(findings("a"), IsEmpty());
}

TEST_F(ElementLintTest, AProvidedDependencyIsFine) {
  tree.add("grub", "", "bootloader");
  good("a", "bootloader");
  EXPECT_THAT(findings("a"), IsEmpty());
}

TEST_F(ElementLintTest, ACycleIsShown) {
  tree.add("b", "c").add("c", "a");
  good("a", "b");
  EXPECT_THAT(findings("a"), ElementsAre(HasSubstr("element-deps form a cycle: a -> b -> c -> a")));
}

TEST_F(ElementLintTest, ACycleElsewhereIsNotThisElementsFault) {
  tree.add("b", "c").add("c", "b");
  good("a", "b");
  EXPECT_THAT(findings("a"), IsEmpty());
}

TEST_F(ElementLintTest, DependenciesStandInOrder) {
  tree.add("b").add("c");
  good("a", "c b");
  EXPECT_THAT(findings("a"), ElementsAre(HasSubstr("element-deps:2: error: not in the order of the alphabet: b")));
}

TEST_F(ElementLintTest, WrongDataIsFoundOnce) {
  good("a").file("a", "package-installs.yaml", "p:\n  fase: x\n");
  EXPECT_THAT(findings("a"), ElementsAre(HasSubstr("package-installs.yaml:2:3: error: unknown key 'fase'")));
}

TEST_F(ElementLintTest, ATemplateThatNoNodeCouldRenderIsFound) {
  good("a").file("a", "os-apply-config/etc/a.conf", "{{#b}}\n{{/c}}\n");
  EXPECT_THAT(findings("a"), ElementsAre(HasSubstr("os-apply-config/etc/a.conf:2:1: error: Section end tag mismatch")));
}

TEST_F(ElementLintTest, TestsOfTheElementAreNotItsHooks) {
  good("a").file("a", "test-elements/t/install.d/x", "#!/bin/bash\n");
  EXPECT_THAT(findings("a"), IsEmpty());
}

TEST_F(ElementLintTest, TheReadmeSwitchesOffForTheWholeElement) {
  tree.add("a").file("a", "README.md", "# a\n<!-- dib-lint: disable=sete setu -->\n");
  tree.hook("a", "install.d/10-a", "#!/bin/bash\n# DIB_DEBUG_TRACE\nset -o pipefail\n");
  EXPECT_THAT(findings("a"), IsEmpty());
}

TEST_F(ElementLintTest, AHookOfTheSameNameInAnotherElementIsAWarning) {
  good("a").hook("a", "install.d/10-x", k_hook);
  good("b").hook("b", "install.d/10-x", k_hook);
  const Catalog catalog = tree.catalog();
  ElementLint lint(files, catalog, {});
  EXPECT_THAT(lint.lint(*catalog.find("a")), IsEmpty());
  const std::vector<Finding> found = lint.lint(*catalog.find("b"));
  ASSERT_EQ(found.size(), 1U);
  EXPECT_THAT(finding_text(found[0]), HasSubstr("warning: the element a has a file of the same name"));
}

}  // namespace
}  // namespace hearth::builder
