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
  const std::string layer = member(manifest.at("Layers").at(0));
  EXPECT_EQ(parsed.at("rootfs").at("diff_ids").at(0), cat("sha256:", hex_digest(HashKind::sha256, layer)));
}

TEST_F(ContainerImageTest, EqualTreesGiveEqualBytes) {
  write_container_image(tree_, target_, image_, work_.path());
  write_container_image(tree_, work_.path() / "again", image_, work_.path());
  EXPECT_EQ(read_file(target_), read_file(work_.path() / "again"));
}

}  // namespace
}  // namespace hearth::builder
