#include "builder/layers/step_scripts.hpp"

#include <gmock/gmock.h>

#include "tests/unit/builder/element_tree.hpp"

namespace hearth::builder {
namespace {

using testing::Contains;
using testing::IsSupersetOf;
using testing::Not;
using testing::UnorderedElementsAre;

class StepScriptsTest : public testing::Test {
 protected:
  StepScriptsTest() { tree.add("os", "", "operating-system").hook("os", "install.d/10-x", "x\n"); }
  /// Texts that the step may run.
  Names texts(const std::vector<fs::path>& on_host = {}) {
    const BuildPlan plan = tree.plan({"os"});
    const StepScripts scripts(files, plan, {"/lib"}, "/home/u");
    Names found;
    for (const auto* script : scripts.of(&step, [&](const StepScripts::Script&) { return on_host; }))
      found.push_back(script->words().text());
    return found;
  }
  fakes::MemoryFileSystem files;
  ElementTree tree{files};
  Step step{Phase::install, Step::Kind::hook, "10-x", "os"};
};

TEST_F(StepScriptsTest, AStepRunsItsScriptAndEnvironmentD) {
  tree.file("os", "environment.d/10-e", "e\n")
      .hook("os", "install.d/20-other", "other\n")
      .file("os", "bin/unnamed", "u\n");
  EXPECT_THAT(texts(), UnorderedElementsAre("x\n", "e\n"));
}

TEST_F(StepScriptsTest, WhatATextNamesItMayRunAndSoOn) {
  tree.hook("os", "install.d/10-x", "$TMP_HOOKS_PATH/bin/first; import module\n");
  tree.file("os", "bin/first", ". common-functions\n")
      .file("os", "lib/module.py", "m\n")
      .file("os", "data/deep/unnamed", "u\n");
  files.make_directories("/lib", 0755);
  files.write("/lib/common-functions", "c\n", {});
  EXPECT_THAT(texts(),
              UnorderedElementsAre("$TMP_HOOKS_PATH/bin/first; import module\n", ". common-functions\n", "m\n", "c\n"));
}

TEST_F(StepScriptsTest, AScriptThatPutsPathsTogetherMayRunAnyFileBesideTheHooks) {
  tree.hook("os", "install.d/10-x", "for f in $TMP_HOOKS_PATH/data/*; do . $f; done\n");
  tree.file("os", "data/deep/unnamed", "u\n")
      .file("os", "README.md", "r\n")
      .hook("os", "install.d/20-other", "other\n");
  EXPECT_THAT(texts(), Contains("u\n"));
  EXPECT_THAT(texts(), Not(Contains("r\n"))) << "documentation";
  EXPECT_THAT(texts(), Not(Contains("other\n"))) << "a hook";
}

TEST_F(StepScriptsTest, OfTheLibraryEachIsReachedByItsNameOnly) {
  files.make_directories("/lib", 0755);
  files.write("/lib/common-functions", ". $(dirname $BASH_SOURCE)/other\n", {});
  files.write("/lib/other", "o\n", {});
  tree.file("os", "data/x", "data\n");
  files.write("/lib/unnamed", "u\n", {});
  tree.hook("os", "install.d/10-x", "for f in $TMP_HOOKS_PATH/data/*; do . $f; done\n");
  EXPECT_THAT(texts(), Not(Contains("u\n")));
  tree.hook("os", "install.d/10-x", ". common-functions\n");
  EXPECT_THAT(texts(), UnorderedElementsAre(". common-functions\n", ". $(dirname $BASH_SOURCE)/other\n", "o\n"));
}

TEST_F(StepScriptsTest, WhatIsApartOfEnvironmentDCountsWhereItIsNamed) {
  tree.file("os", "environment.d/10-e.bash", "e\n").file("os", "environment.d/20-f", "f\n");
  const auto texts_apart = [&] {
    const BuildPlan plan = tree.plan({"os"});
    const StepScripts scripts(files, plan, {}, "/home/u");
    Names found;
    for (const auto* script : scripts.of(&step, [](const auto&) { return std::vector<fs::path>{}; },
                                         {{"10-e.bash", scripts.environment().at("10-e.bash")}}))
      found.push_back(script->words().text());
    return found;
  };
  EXPECT_THAT(texts_apart(), UnorderedElementsAre("x\n", "f\n"));
  for (const std::string name : {". $TMP_HOOKS_PATH/environment.d/10-e.bash\n", ". 10-e\n"}) {
    tree.hook("os", "install.d/10-x", name);
    EXPECT_THAT(texts_apart(), UnorderedElementsAre(name, "f\n", "e\n"));
  }
  const std::string any = "for f in $TMP_HOOKS_PATH/data/*; do . $f; done\n";
  tree.hook("os", "install.d/10-x", any);
  EXPECT_THAT(texts_apart(), Not(Contains("e\n")));
}

TEST_F(StepScriptsTest, FilesOfTheMachineAreReadWithAllBelowThem) {
  files.make_directories("/srv/tools/below", 0755);
  files.write("/srv/tools/below/run", "r\n", {});
  files.make_directories("/usr/share/x", 0755);
  files.write("/usr/share/x/run", "system\n", {});
  EXPECT_THAT(texts({"/srv/tools", "/usr/share/x"}), UnorderedElementsAre("x\n", "r\n"));
}

TEST_F(StepScriptsTest, PackageStepsReadListsAndTheInstaller) {
  tree.file("os", "package-installs.yaml", "vim:\n").file("os", "bin/install-packages", "apt\n");
  step = {Phase::install, Step::Kind::install_packages, "01-package-installs", ""};
  EXPECT_THAT(texts(), UnorderedElementsAre("vim:\n", "apt\n"));
}

TEST_F(StepScriptsTest, AScriptThatNobodyKnowsMayBeAny) {
  tree.hook("os", "install.d/20-other", "other\n").file("os", "data/x/30-late", "late\n");
  step = {Phase::install, Step::Kind::hook, "30-late", ""};
  EXPECT_THAT(texts(), UnorderedElementsAre("late\n"));
  step.name = "40-unknown";
  EXPECT_THAT(texts(), IsSupersetOf({"x\n", "other\n", "late\n"}));
}

}  // namespace
}  // namespace hearth::builder
