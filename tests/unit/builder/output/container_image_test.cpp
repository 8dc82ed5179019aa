#include "builder/output/container_image.hpp"

#include <gmock/gmock.h>

#include "base/hash.hpp"
#include "base/json.hpp"
#include "tests/unit/builder/disk/disk_fixture.hpp"

namespace hearth::builder {
namespace {

class ContainerImageTest : public DiskFixture {
 protected:
  void SetUp() override { make_tree(tree_); }
  std::string member(const std::string& name) {
    return run_checked(runner_, {.argv = {"tar", "-xOf", target_.string(), cat("./", name)}});
  }
  fs::path tree_ = work_.path() / "tree";
  fs::path target_ = work_.path() / "image.docker";
  ContainerImage image_{"me:1", "amd64", k_epoch};
};

TEST_F(ContainerImageTest, ManifestConfigurationAndLayerNameEachOther) {
  write_container_image(tree_, target_, image_, work_.path());
  const Json manifest = parse_json(member("manifest.json"), "manifest").value_or_throw().at(0);
  EXPECT_EQ(manifest.at("RepoTags").at(0), "me:1");
  const std::string config_name = manifest.at("Config");
  const std::string config = member(config_name);
  EXPECT_EQ(cat(hex_digest(HashKind::sha256, config), ".json"), config_name);
  const Json parsed = parse_json(config, config_name).value_or_throw();
  EXPECT_EQ(parsed.at("architecture"), "amd64");
  EXPECT_EQ(parsed.at("created"), "2020-09-13T12:26:40Z");
  const std::string layer = member(manifest.at("Layers").at(0));
  EXPECT_EQ(parsed.at("rootfs").at("diff_ids").at(0), cat("sha256:", hex_digest(HashKind::sha256, layer)));
}

TEST_F(ContainerImageTest, LayersTogetherAreTheTree) {
  files_.make_directories(tree_ / "var/lib/dpkg/info", 0755);
  files_.write(tree_ / "var/lib/dpkg/status", "Package: tool\nEssential: yes\nStatus: install ok installed\n", {});
  files_.write(tree_ / "var/lib/dpkg/info/tool.list", "/bin/tool\n/bin/twin\n", {});
  set_times(tree_ / "bin", k_epoch - 5);
  write_container_image(tree_, target_, image_, work_.path());
  const Json layers = parse_json(member("manifest.json"), "manifest").value_or_throw().at(0).at("Layers");
  ASSERT_EQ(layers.size(), 2U);
  const fs::path unpacked = work_.path() / "unpacked";
  files_.make_directories(unpacked, 0755);
  for (const std::string name : layers) {
    files_.write(work_.path() / name, member(name), {});
    run_checked(runner_, {.argv = {"tar", "-xf", (work_.path() / name).string(), "-C", unpacked.string()}});
  }
  const auto listing = [&](const fs::path& tree) {
    return run_checked(runner_, {.argv = {"find", ".", "-printf", "%P %y %m %U %G %n %l\n"}, .cwd = tree});
  };
  EXPECT_EQ(listing(unpacked), listing(tree_));
  EXPECT_EQ(read_file(unpacked / "bin/tool"), read_file(tree_ / "bin/tool"));
  EXPECT_EQ(fs::last_write_time(unpacked / "bin"), k_epoch - 5) << "the last layer has the directory's time";
}

TEST_F(ContainerImageTest, ALayerDoesNotDependOnTheOthers) {
  files_.make_directories(tree_ / "var/lib/dpkg/info", 0755);
  files_.write(tree_ / "var/lib/dpkg/status", "Package: tool\nEssential: yes\nStatus: install ok installed\n", {});
  files_.write(tree_ / "var/lib/dpkg/info/tool.list", "/bin/tool\n/bin/twin\n", {});
  for (const char* name : {"bin/tool", "."}) set_times(tree_ / name, k_epoch - 100);
  const auto layers = [&] {
    write_container_image(tree_, target_, image_, work_.path());
    return parse_json(member("manifest.json"), "manifest").value_or_throw().at(0).at("Layers");
  };
  const Json before = layers();
  files_.write(tree_ / "bin/mine", "mine", {});
  image_.epoch += 50;
  const Json after = layers();
  EXPECT_EQ(before.at(0), after.at(0));
  EXPECT_NE(before.at(1), after.at(1));
}

TEST_F(ContainerImageTest, ALayoutTakesThePlaceOfTheOldOne) {
  const fs::path layout = work_.path() / "image.oci";
  write_oci_layout(tree_, layout, image_);
  const std::string first = read_file(layout / "index.json");
  image_.epoch += 1;
  write_oci_layout(tree_, layout, image_, work_.path() / "kept.oci");
  EXPECT_EQ(read_file(work_.path() / "kept.oci/index.json"), first);
  EXPECT_NE(read_file(layout / "index.json"), first);
  write_oci_layout(tree_, layout, image_);
  EXPECT_EQ(files_.list(work_.path()), (std::vector<std::string>{"image.oci", "kept.oci", "tree"}));
}

TEST_F(ContainerImageTest, WhatAKilledBuildLeftIsSwept) {
  const fs::path layout = work_.path() / "image.oci";
  files_.make_directories(work_.path() / ".image.oci.aB3dE9/layout/blobs", 0755);
  files_.make_directories(work_.path() / ".image.oci.mine", 0755);
  write_oci_layout(tree_, layout, image_);
  EXPECT_EQ(files_.list(work_.path()), (std::vector<std::string>{".image.oci.mine", "image.oci", "tree"}));
}

TEST_F(ContainerImageTest, EqualTreesGiveEqualBytes) {
  write_container_image(tree_, target_, image_, work_.path());
  write_container_image(tree_, work_.path() / "again", image_, work_.path());
  EXPECT_EQ(read_file(target_), read_file(work_.path() / "again"));
}

}  // namespace
}  // namespace hearth::builder
