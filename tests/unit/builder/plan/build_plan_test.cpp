#include "builder/plan/build_plan.hpp"

#include <gmock/gmock.h>

#include "tests/fakes/generated_cases.hpp"
#include "tests/unit/builder/element_tree.hpp"

namespace hearth::builder {
namespace {

using fakes::MemoryFileSystem;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class BuildPlanTest : public testing::Test {
 protected:
  BuildPlanTest() { tree.add("os", "", "operating-system"); }
  Names labels(const Names& requested, bool extra_packages = false) {
    Names labels;
    for (const Step& step : tree.plan(requested, extra_packages).steps) labels.push_back(step.label());
    return labels;
  }
  MemoryFileSystem files;
  ElementTree tree{files};
};

TEST_F(BuildPlanTest, ThePhasesComeInTheirOrder) {
  for (const char* phase : {"cleanup", "finalise", "pre-finalise", "block-device", "post-root", "post-install",
                            "install", "pre-install", "extra-data", "root"}) {
    tree.hook("os", cat(phase, ".d/10-x"));
  }
  tree.hook("os", "environment.d/10-x").hook("os", "unknown.d/10-x");
  EXPECT_THAT(labels({"os"}), ElementsAre("root.d/10-x", "extra-data.d/10-x", "pre-install.d/10-x", "install.d/10-x",
                                          "post-install.d/10-x", "post-root.d/10-x", "block-device.d/10-x",
                                          "pre-finalise.d/10-x", "finalise.d/10-x", "cleanup.d/10-x"));
}

TEST_F(BuildPlanTest, PackageStepsStandAmongTheHooksAtUpstreamsPlaces) {
  tree.add("package-installs").file("os", "package-installs.yaml", "vim:\ngcc: {build-only: true}\n");
  tree.hook("os", "install.d/00-first").hook("os", "install.d/50-middle").hook("os", "install.d/99-a");
  EXPECT_THAT(labels({"os", "package-installs"}, true),
              ElementsAre("install.d/00-first", "install.d/01-package-installs", "install.d/50-middle",
                          "install.d/99-a", "install.d/99-package-uninstalls", "install.d/extra-packages"));
}

TEST_F(BuildPlanTest, APhaseGetsOnlyThePackageStepsThatHaveWork) {
  tree.add("package-installs")
      .file("os", "package-installs.yaml", "a: {phase: pre-install.d}\nb: {phase: post-install.d, uninstall: true}\n");
  EXPECT_THAT(labels({"os", "package-installs"}),
              ElementsAre("pre-install.d/10-package-installs", "post-install.d/95-package-uninstalls"));
}

TEST_F(BuildPlanTest, WithoutTheElementPackageFilesMakeNoSteps) {
  tree.file("os", "package-installs.yaml", "vim:\n");
  EXPECT_THAT(labels({"os"}), IsEmpty());
}

TEST_F(BuildPlanTest, AForeignPackageInstallsElementRunsItsOwnHooks) {
  ElementTree foreign(files, "/upstream");
  foreign.add("package-installs").hook("package-installs", "install.d/01-package-installs");
  tree.file("os", "package-installs.yaml", "vim:\n");
  const Catalog catalog = Catalog::scan(files, {"/upstream"}, "/elements");
  const BuildPlan plan = make_plan(files, close_over_dependencies(catalog, {"os", "package-installs"}), false);
  ASSERT_EQ(plan.steps.size(), 1U);
  EXPECT_EQ(plan.steps[0].kind, Step::Kind::hook);
}

TEST_F(BuildPlanTest, AHookWithTheNameOfAPackageStepIsADuplicate) {
  tree.add("package-installs")
      .file("os", "package-installs.yaml", "vim:\n")
      .hook("os", "install.d/01-package-installs");
  EXPECT_THAT(story_of([&] { return tree.plan({"os", "package-installs"}); }), HasSubstr("There is a duplicated hook"));
}

TEST_F(BuildPlanTest, AWrongPackageFileIsRefusedWithItsPlace) {
  tree.file("os", "package-installs.yaml", "vim:\n  phase: now\n");
  EXPECT_THAT(story_of([&] { return tree.plan({"os"}); }), HasSubstr("/elements/os/package-installs.yaml:2:"));
}

TEST_F(BuildPlanTest, TheTextTellsStepPlaceAndElement) {
  tree.hook("os", "root.d/10-os").add("a").hook("a", "install.d/20-a");
  EXPECT_EQ(plan_text(tree.plan({"os", "a"})),
            "elements: a os\n"
            "  host    root.d/10-os                                  os\n"
            "  target  install.d/20-a                                a\n");
}

TEST_F(BuildPlanTest, TheJsonHoldsElementsAndSteps) {
  tree.add("a", "os", "thing").hook("a", "install.d/20-a");
  const Json json = plan_json(tree.plan({"a"}, true));
  EXPECT_EQ(json["elements"][1].dump(), R"({"name":"a","path":"/elements/a","deps":["os"],"provides":["thing"]})");
  EXPECT_EQ(json["steps"][0].dump(),
            R"({"phase":"install","name":"20-a","element":"a","where":"target","kind":"hook"})");
  EXPECT_EQ(json["steps"][1]["kind"], "extra-packages");
}

/// Elements that depend on each other, with scripts, packages and scripts of one name in several phases, under the
/// names that they are given.
void make_elements(fakes::Chance& chance, const Names& names, ElementTree& tree) {
  constexpr std::array phases = {"root.d",    "extra-data.d",   "pre-install.d",
                                 "install.d", "post-install.d", "finalise.d"};
  tree.add("package-installs");
  std::size_t script = 0;
  for (std::size_t i = 0; i < names.size(); ++i) {
    Names needs;
    for (std::size_t other = 0; other < i; ++other) {
      if (chance.percent(30)) needs.push_back(names[other]);
    }
    if (chance.percent(20)) needs.emplace_back("package-installs");
    tree.add(names[i], join(needs, " "), i == 0 ? "operating-system" : "");
    for (std::size_t hooks = chance.below(6); hooks > 0; --hooks)
      tree.hook(names[i], cat(phases.at(chance.below(phases.size())), "/", chance.below(100), "-s", ++script));
    if (chance.percent(40))
      tree.file(names[i], "package-installs.yaml",
                cat("p", chance.below(5), ": {phase: ", phases.at(2 + chance.below(3)),
                    chance.percent(30) ? ", uninstall: true" : "", "}\n"));
  }
}

/// What a build does, with elements told by their numbers.
Names steps_by_number(const BuildPlan& plan, const Names& names) {
  Names told;
  for (const Step& step : plan.steps) {
    const auto found = std::find(names.begin(), names.end(), step.element);
    told.push_back(
        cat(step.label(), " of ", found == names.end() ? step.element : std::to_string(found - names.begin())));
  }
  return told;
}

TEST(BuildPlanOracle, WhatElementsAreCalledChangesNoStep) {
  fakes::for_each_case([](fakes::Chance& chance) {
    Names names(2 + chance.below(8));
    for (std::size_t i = 0; i < names.size(); ++i) names[i] = cat("e", i);
    Names others = names;
    chance.shuffle(others);
    Names requested;
    for (std::size_t i = 1; i < names.size(); ++i) {
      if (chance.percent(50)) requested.push_back(std::to_string(i));
    }
    requested.emplace_back("0");  // once, for it provides something
    const std::size_t seed = chance.below(1'000'000);
    std::vector<Names> told;
    for (const Names& called : {names, others}) {
      MemoryFileSystem files;
      ElementTree tree(files);
      fakes::Chance same(seed);
      make_elements(same, called, tree);
      Names asked;
      for (const std::string& number : requested) asked.push_back(called.at(*parse_number(number)));
      told.push_back(steps_by_number(tree.plan(asked), called));
    }
    EXPECT_EQ(told[0], told[1]);
  });
}

TEST_F(BuildPlanTest, TheGraphHasAnEdgeForEachDependency) {
  tree.add("a", "os");
  const std::string graph = plan_graph(tree.plan({"a"}));
  EXPECT_THAT(graph, HasSubstr("  \"a\" -> \"os\";\n"));
  EXPECT_THAT(graph, HasSubstr("digraph elements {"));
}

}  // namespace
}  // namespace hearth::builder
