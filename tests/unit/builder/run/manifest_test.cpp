#include "builder/run/manifest.hpp"

#include <gmock/gmock.h>

#include "tests/fakes/manual_clock.hpp"
#include "tests/fakes/recording_progress.hpp"
#include "tests/fakes/scripted_runner.hpp"
#include "tests/unit/builder/element_tree.hpp"

namespace hearth::builder {
namespace {

class ManifestTest : public testing::Test {
 protected:
  ManifestTest() {
    tree.add("os", "", "operating-system").add("a", "os");
    request.formats = parse_formats("tar");
    request.architecture = "amd64";
    request.output = dir.path() / "out";
    request.arguments_text = "-t tar a";
    files.make_directories(dir.path() / "out.d", 0755);
    files.make_directories(dir.path() / "root/var/lib/dpkg", 0755);
  }
  Json written(const char* name, const std::vector<TimingRow>& timings = {}) {
    const BuildPlan plan = tree.plan({"a"});
    const DiskPlan disk = plan_disk(request, plan);
    const Installation installation;
    FactSource facts(files, plan, {});
    write_manifest({request, plan, installation, disk, runner, progress, log, clock, facts}, dir.path() / "root",
                   timings, {{"nginx-light", "a"}, {"jq", ""}}, {dir.path() / "out.tar"});
    return parse_json(read_file(dir.path() / "out.d" / name), name).value_or_throw();
  }
  TempDir dir = TempDir::create(fs::temp_directory_path(), "hearth-test-");
  RealFileSystem files;
  ElementTree tree{files, dir.path() / "elements"};
  ImageRequest request;
  fakes::ScriptedRunner runner;
  fakes::RecordingProgress progress;
  fakes::ManualClock clock;
  BuildLog log{clock};
};

TEST_F(ManifestTest, TellsElementsArgumentsAndPackages) {
  files.write(dir.path() / "root/var/lib/dpkg/status",
              "Package: bash\nStatus: install ok installed\nVersion: 5\nArchitecture: amd64\n\n"
              "Package: gone\nStatus: deinstall ok config-files\nVersion: 1\n",
              {});
  const Json manifest = written("manifest.json");
  EXPECT_EQ(manifest["arguments"], "-t tar a");
  EXPECT_EQ(manifest["architecture"], "amd64");
  EXPECT_EQ(manifest["elements"].dump(), R"(["os","a"])");
  EXPECT_EQ(manifest["packages"].dump(), R"([{"package":"bash","version":"5","arch":"amd64"}])");
  EXPECT_EQ(manifest["asked"].dump(), R"([{"package":"nginx-light","element":"a"},{"package":"jq"}])");
  EXPECT_EQ(manifest["builder"].get<std::string>().compare(0, 7, "hearth "), 0);
}

TEST_F(ManifestTest, ATreeWithoutDpkgHasNoPackages) { EXPECT_EQ(written("manifest.json")["packages"].dump(), "[]"); }

TEST_F(ManifestTest, LinksOfTheTreeDoNotLeadToThisMachine) {
  files.make_directories(dir.path() / "host/dpkg", 0755);
  files.make_directories(dir.path() / "root/etc", 0755);
  files.write(dir.path() / "host/dpkg/status", "Package: bash\nStatus: install ok installed\nVersion: 5\n", {});
  files.write(dir.path() / "host/os-release", "ID=host\n", {});
  fs::remove(dir.path() / "root/var/lib/dpkg");
  fs::create_symlink(dir.path() / "host/dpkg", dir.path() / "root/var/lib/dpkg");
  fs::create_symlink("../../host/os-release", dir.path() / "root/etc/os-release");
  const Json manifest = written("manifest.json");
  EXPECT_EQ(manifest["packages"].dump(), "[]");
  EXPECT_EQ(manifest["distribution"], "");
}

TEST_F(ManifestTest, TellsTheSecondsOfEachStepInOrder) {
  const Json timing = written(
      "timing.json",
      {{.name = "root.d/10-a", .duration = std::chrono::milliseconds(1500)},
       {.name = "install.d/10-b", .duration = std::chrono::seconds(2), .begin = std::chrono::milliseconds(1750)}});
  EXPECT_EQ(timing.dump(), R"([{"step":"root.d/10-a","seconds":1.5,"begin":0.0},)"
                           R"({"step":"install.d/10-b","seconds":2.0,"begin":1.75}])");
}

}  // namespace
}  // namespace hearth::builder
