#include "builder/run/plan_page.hpp"

#include <gmock/gmock.h>

#include "tests/unit/builder/element_tree.hpp"

namespace hearth::builder {
namespace {

using testing::HasSubstr;
using testing::Not;

class PlanPageTest : public testing::Test {
 protected:
  PlanPageTest() {
    tree.add("os", "", "operating-system").file("os", "package-installs.yaml", R"(vim:
firmware: {arch: arm64}
git: {phase: pre-install.d}
dropped: {uninstall: true}
grub: {when: "DIB_LOADER = grub"}
)");
    request.formats = parse_formats("raw,tar");
    request.architecture = "amd64";
    request.output = dir.path() / "web";
    request.packages = {"nginx"};
    request.environment = {{"HEARTH_NETWORK", "host"}};
  }
  Json details() {
    plan = tree.plan({"os"}, true);
    return plan_details(request, plan, plan_disk(request, plan));
  }
  std::string text() { return plan_details_text(details()); }

  TempDir dir = TempDir::create(fs::temp_directory_path(), "hearth-test-");
  RealFileSystem files;
  ElementTree tree{files, dir.path() / "elements"};
  ImageRequest request;
  BuildPlan plan;
};

TEST_F(PlanPageTest, TellsWhatWouldBeWrittenAndHowLargeTheDiskIs) {
  EXPECT_THAT(text(), HasSubstr(cat("Output: ", (dir.path() / "web.raw").string(), "\n")));
  EXPECT_THAT(text(), HasSubstr(cat("Output: ", (dir.path() / "web.tar").string(), "\n")));
  EXPECT_THAT(text(), HasSubstr("Disk size: as the tree needs\nDisk maker: direct ("));
  EXPECT_TRUE(details()["disk"]["bytes"].is_null());
  request.image_size_gib = 2;
  EXPECT_THAT(text(), HasSubstr("Disk size: 2.0 GiB\n"));
  EXPECT_EQ(details()["disk"]["bytes"], std::uint64_t{2} << 30U);
  request.formats = parse_formats("tar");
  EXPECT_FALSE(details().contains("disk"));
  EXPECT_THAT(text(), Not(HasSubstr("Disk")));
}

TEST_F(PlanPageTest, TellsPackagesByPhaseAndWhatDecidesThem) {
  EXPECT_THAT(text(), HasSubstr("Packages (install): "));
  EXPECT_THAT(text(), HasSubstr("vim"));
  EXPECT_THAT(text(), HasSubstr("grub (if DIB_LOADER = grub)"));
  EXPECT_THAT(text(), HasSubstr("nginx"));
  EXPECT_THAT(text(), HasSubstr("Packages (install, uninstall): dropped\n"));
  EXPECT_THAT(text(), HasSubstr("Packages (pre-install): git\n"));
  EXPECT_THAT(text(), Not(HasSubstr("firmware")));  // of another architecture
  request.architecture = "arm64";
  EXPECT_THAT(text(), HasSubstr("firmware"));
}

TEST_F(PlanPageTest, TellsWhatAMapMakesOfNames) {
  tree.add("debian-minimal").file("os", "element-deps", "debian-minimal\n");
  tree.file("os", "pkg-map", R"({"family": {"debian": {"vim": "vim-tiny", "git": "", "grub": "grub-pc"}}})");
  request.environment["DIB_RELEASE"] = "bookworm";
  EXPECT_THAT(text(), HasSubstr("vim-tiny (as vim)"));
  EXPECT_THAT(text(), HasSubstr("grub-pc (as grub, if DIB_LOADER = grub)"));
  EXPECT_THAT(text(), HasSubstr("Packages (pre-install): git (which is nothing there)\n"));
  EXPECT_EQ(details()["packages"][0]["packages"].dump(), R"(["vim-tiny"])");
}

TEST_F(PlanPageTest, TellsWhatNetworkHooksGet) {
  EXPECT_THAT(text(), HasSubstr("Network of hooks: all of this machine's, its loopback, too: "));
  request.fetching = {.mode = fetch::FetchMode::record, .lock = "/w/hearth.lock"};
  EXPECT_EQ(details()["network"], "recorded into /w/hearth.lock");
  request.fetching.mode = fetch::FetchMode::locked;
  EXPECT_EQ(details()["network"], "only what /w/hearth.lock names");
  request.fetching.mode = fetch::FetchMode::offline;
  EXPECT_EQ(details()["network"], "none; answers come from what was recorded for /w/hearth.lock");
}

TEST_F(PlanPageTest, TheTreeTellsOfEachStepWhetherItIsKeptAndEachReasonOnce) {
  tree.hook("os", "root.d/10-os")
      .hook("os", "install.d/20-a")
      .hook("os", "install.d/30-b")
      .hook("os", "cleanup.d/40-c");
  const Json known = details();
  std::vector<StepForecast> forecasts;
  for (const Step& step : plan.steps) {
    const bool kept = step.phase == Phase::root || step.phase == Phase::pre_install;
    forecasts.push_back({step.label(), kept, kept ? "" : step.phase == Phase::cleanup ? "always" : "A is new"});
  }
  const std::string text = cli::tree_text(plan_tree(plan, forecasts, {}, known), false);
  EXPECT_THAT(text, HasSubstr(cat(plan.steps.size(), " steps, ")));
  EXPECT_THAT(text, HasSubstr("root.d, on this machine\n"));
  EXPECT_THAT(text, HasSubstr("10-os"));
  EXPECT_THAT(text, HasSubstr("kept: nothing that it depends on has changed\n"));
  EXPECT_THAT(text, HasSubstr("install.d, in the image\n"));
  EXPECT_EQ(text.find("A is new"), text.rfind("A is new"));
  EXPECT_THAT(text, HasSubstr("runs: always\n"));
  EXPECT_THAT(text, HasSubstr("install, uninstall  dropped\n"));
  EXPECT_THAT(text, HasSubstr((dir.path() / "web.tar").string()));
  const std::string done = cli::tree_text(
      plan_tree(plan, forecasts, {.outputs = {"web"}, .faults = {}, .servers = {"http://m"}}, known), false);
  EXPECT_THAT(done,
              testing::StartsWith("up to date: nothing would run\n|- as long as these servers have nothing new\n"));
  EXPECT_THAT(done, Not(HasSubstr("kept")));
}

}  // namespace
}  // namespace hearth::builder
