#include "builder/hooks/package_steps.hpp"

#include <gmock/gmock.h>

#include "tests/fakes/manual_clock.hpp"
#include "tests/fakes/recording_progress.hpp"
#include "tests/fakes/scripted_runner.hpp"
#include "tests/unit/builder/element_tree.hpp"

namespace hearth::builder {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class PackageStepsTest : public testing::Test {
 protected:
  PackageStepsTest() {
    tree.add("os", "", "operating-system").add("package-installs");
    runner.on("install-packages", 0);
    files.make_directories(target / "var/lib/dpkg", 0755);
  }
  void wants(const std::string& text) { tree.file("os", "package-installs.yaml", text); }
  void has_installed(const std::string& package) {
    files.write(target / "var/lib/dpkg/status", cat("Package: ", package, "\nStatus: install ok installed\n"), {});
  }
  /// The commands that one step ran, as text.
  Names commands_of(Phase phase, Step::Kind kind) {
    with_steps([&](PackageSteps& steps) { steps.run({phase, kind, "01-packages", "package-installs"}, environment); });
    Names commands;
    for (const Command& command : runner.ran) commands.push_back(join(command.argv, " "));
    return commands;
  }
  std::string bootstrap() {
    std::string packages;
    with_steps([&](PackageSteps& steps) { packages = join(steps.bootstrap_packages(environment), " "); });
    return packages;
  }
  template <class Body>
  void with_steps(const Body& body) {
    const BuildPlan plan = tree.plan({"os", "package-installs"});
    PhaseRunner phases({runner, progress, log, clock, environment, {}, dir.path() / "hooks", target}, plan);
    PackageSteps steps(plan, request, target, phases);
    body(steps);
  }

  TempDir dir = TempDir::create(fs::temp_directory_path(), "hearth-test-");
  fs::path target = dir.path() / "target";
  RealFileSystem files;
  ElementTree tree{files, dir.path() / "elements"};
  ImageRequest request;
  Environment environment = {{"DISTRO_NAME", "debian"}, {"DIB_RELEASE", "bookworm"}, {"ARCH", "amd64"}};
  fakes::ScriptedRunner runner;
  fakes::RecordingProgress progress;
  fakes::ManualClock clock;
  BuildLog log{clock};
};

TEST_F(PackageStepsTest, InstallsEverythingOfAPhaseInOneCommandInTheTarget) {
  wants("vim:\ncurl:\nlater: {phase: post-install.d}\nold: {uninstall: true}\n");
  EXPECT_THAT(commands_of(Phase::install, Step::Kind::install_packages), ElementsAre("install-packages vim curl"));
  EXPECT_EQ(runner.ran[0].root, target);
  EXPECT_EQ(*runner.ran[0].env, environment);
}

TEST_F(PackageStepsTest, RemovesWhatIsUnwantedOrForTheBuildOnly) {
  wants("vim:\nold: {uninstall: true}\ngcc: {build-only: true}\n");
  EXPECT_THAT(commands_of(Phase::install, Step::Kind::remove_packages), ElementsAre("install-packages -e old gcc"));
}

TEST_F(PackageStepsTest, NamesGoThroughTheMapOfTheirElement) {
  wants("web:\nnothing:\nplain:\nweb-too:\n");
  tree.file("os", "pkg-map",
            R"({"distro": {"debian": {"web": "nginx nginx-common", "nothing": "", "web-too": "nginx"}}})");
  EXPECT_THAT(commands_of(Phase::install, Step::Kind::install_packages),
              ElementsAre("install-packages nginx nginx-common plain"));
}

TEST_F(PackageStepsTest, TheMapOfAnotherElementDoesNotCount) {
  wants("web:\n");
  tree.file("package-installs", "pkg-map", R"({"default": {"web": "wrong"}})");
  EXPECT_THAT(commands_of(Phase::install, Step::Kind::install_packages), ElementsAre("install-packages web"));
}

TEST_F(PackageStepsTest, WhatIsInstalledAlreadyIsLeftOut) {
  wants("vim:\ncurl:\n");
  has_installed("vim");
  EXPECT_THAT(commands_of(Phase::install, Step::Kind::install_packages), ElementsAre("install-packages curl"));
}

TEST_F(PackageStepsTest, WithNothingToDoNothingRuns) {
  wants("vim:\n");
  has_installed("vim");
  EXPECT_THAT(commands_of(Phase::install, Step::Kind::install_packages), IsEmpty());
  EXPECT_THAT(commands_of(Phase::install, Step::Kind::remove_packages), IsEmpty());
}

TEST_F(PackageStepsTest, PackagesOfTheCommandLineAreTakenAsTheyAre) {
  request.packages = {"tmux", "web"};
  tree.file("os", "pkg-map", R"({"default": {"web": "wrong"}})");
  EXPECT_THAT(commands_of(Phase::install, Step::Kind::extra_packages), ElementsAre("install-packages tmux web"));
}

TEST_F(PackageStepsTest, AFailureNamesTheStepAndKeepsTheCode) {
  wants("vim:\n");
  runner.on("install-packages", 100);
  try {
    (void)commands_of(Phase::install, Step::Kind::install_packages);
    FAIL() << "it did not fail";
  } catch (const Error& error) {
    EXPECT_EQ(error.exit_code(), 100);
    EXPECT_THAT(error.story(), HasSubstr("install.d/01-packages failed: exit code 100"));
  }
}

TEST_F(PackageStepsTest, AWrongMapIsToldWithItsFile) {
  wants("vim:\n");
  tree.file("os", "pkg-map", "[]");
  EXPECT_THAT(story_of([&] { return commands_of(Phase::install, Step::Kind::install_packages); }),
              HasSubstr("os/pkg-map:1:1"));
}

TEST_F(PackageStepsTest, TheBootstrapMayTakeWhatStays) {
  request.packages = {"tmux"};
  wants(
      "early: {phase: pre-install.d}\nvim:\nvim-too:\ngcc: {build-only: true}\nold: {uninstall: true}\n"
      "late: {phase: post-install.d}\narm: {arch: arm64}\n");
  tree.file("os", "pkg-map", R"({"default": {"vim-too": "vim"}})");
  EXPECT_EQ(bootstrap(), "early vim tmux");
}

TEST_F(PackageStepsTest, TheBootstrapGoesByTheInstallTypeThatIsNotYetAVariable) {
  wants("from-source: {installtype: source}\nfrom-package: {installtype: package}\n");
  EXPECT_EQ(bootstrap(), "from-source");
  request.install_type = "package";
  EXPECT_EQ(bootstrap(), "from-package");
  environment["DIB_DEFAULT_INSTALLTYPE"] = "source";
  EXPECT_EQ(bootstrap(), "from-source");
}

}  // namespace
}  // namespace hearth::builder
