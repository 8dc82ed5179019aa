#include "bootstrap/bundle/site_parts.hpp"

#include <gmock/gmock.h>

#include <algorithm>

#include "base/error.hpp"
#include "base/sys/file.hpp"
#include "base/text.hpp"

namespace hearth::bootstrap::bundle {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr const char* k_template = R"(heat_template_version: 2018-08-31
parameters:
  greeting: {type: string}
resources:
  Inner: {type: lib/inner.yaml}
  Alias: {type: Site::Alias}
)";
constexpr const char* k_inner = R"(heat_template_version: 2018-08-31
resources:
  Script:
    type: OS::Heat::SoftwareConfig
    properties: {config: {get_file: ../scripts/hello.sh}}
)";
constexpr const char* k_alias = "heat_template_version: 2018-08-31\nresources: {}\n";

class SitePartsTest : public testing::Test {
 protected:
  void SetUp() override {
    for (const char* name : {"out/deploy.kernel", "out/deploy.initramfs", "out/node.qcow2", "out/node.d/manifest.json",
                             "out/other.qcow2", "scripts/hello.sh"}) {
      file(name, "x");
    }
    file("hall.yaml", k_template);
    file("lib/inner.yaml", k_inner);
    file("lib/alias.yaml", k_alias);
    file("env/site.yaml", "resource_registry: {\"Site::Alias\": ../lib/alias.yaml}\n");
  }
  fs::path file(const std::string& name, const std::string& text) {
    fs::create_directories((site_ / name).parent_path());
    RealFileSystem().write(site_ / name, text, {});
    return site_ / name;
  }
  fs::path site_file(const std::string& image = "out/node.qcow2", const std::string& more = "") {
    return file("site.yaml", cat("network: {subnet: 192.0.2.0/24, seed: 192.0.2.1, pool: 192.0.2.100-192.0.2.199}\n",
                                 "deploy: {kernel: out/deploy.kernel, ramdisk: out/deploy.initramfs}\n",
                                 "image: ", image, "\nmachines: [{}]\n", more,
                                 "stack: {template: hall.yaml, environments: [env/site.yaml], "
                                 "parameters: {greeting: hello}}\n"));
  }
  static std::vector<std::string> places(const SiteParts& parts) {
    std::vector<std::string> paths;
    for (const Source& source : parts.sources) paths.push_back(source.path);
    std::sort(paths.begin(), paths.end());
    paths.erase(std::unique(paths.begin(), paths.end()), paths.end());
    return paths;
  }
  std::string refusal(const fs::path& file) {
    try {
      (void)site_parts(file);
      return "";
    } catch (const Error& error) {
      return error.story();
    }
  }
  TempDir dir_ = TempDir::create("/tmp", "hearth-test-");
  fs::path site_ = dir_.path() / "site";
};

TEST_F(SitePartsTest, PasswordsOfBmcsThatTravelAlongAreTold) {
  const fs::path file = site_file("out/node.qcow2", "bmc: {type: ipmi, address: 198.51.100.1, password: secret}\n");
  EXPECT_THAT(site_parts(file).notes, ElementsAre(HasSubstr("passwords of BMCs in the site file can be read")));
  const fs::path own = site_file("out/node.qcow2", "bmc: {type: ipmi, address: 198.51.100.1, ipmi_password: secret}\n");
  EXPECT_THAT(site_parts(own).notes, ElementsAre(HasSubstr("passwords of BMCs in the site file can be read")));
}

TEST_F(SitePartsTest, AreAllThatTheFileAndItsTemplatesNameWhereTheyLieBesideIt) {
  const SiteParts parts = site_parts(site_file());
  EXPECT_EQ(parts.file, "site/site.yaml");
  EXPECT_THAT(parts.notes, testing::IsEmpty());
  EXPECT_THAT(places(parts),
              ElementsAre("site/env/site.yaml", "site/hall.yaml", "site/lib/alias.yaml", "site/lib/inner.yaml",
                          "site/out/deploy.initramfs", "site/out/deploy.kernel", "site/out/node.d",
                          "site/out/node.qcow2", "site/scripts/hello.sh", "site/site.yaml"));
}

TEST_F(SitePartsTest, ASeedsImageComesWithItsTokenOrNotAtAll) {
  const std::string seed = "seed: {image: out/seed.qcow2}\n";
  EXPECT_THAT(site_parts(site_file("out/node.qcow2", seed)).notes, ElementsAre(HasSubstr("there is no")));
  file("out/seed.qcow2", "x");
  file("out/seed.qcow2.token", "secret");
  const SiteParts parts = site_parts(site_file("out/node.qcow2", seed));
  EXPECT_THAT(parts.notes, testing::IsEmpty());
  EXPECT_THAT(places(parts), testing::IsSupersetOf({"site/out/seed.qcow2", "site/out/seed.qcow2.token"}));
}

TEST_F(SitePartsTest, ASiteWhoseMachinesAreDeployedOneByOneNeedsNoStack) {
  const fs::path site = site_file();
  std::string text = RealFileSystem().read(site).value_or("");
  text.erase(text.find("stack:"));
  RealFileSystem().write(site, text, {});
  EXPECT_THAT(places(site_parts(site)), testing::IsSupersetOf({"site/site.yaml", "site/out/node.qcow2"}));
}

TEST_F(SitePartsTest, WhatTheClosedSideWouldNotFindIsRefused) {
  EXPECT_THAT(refusal(site_file("out/gone.qcow2")), AllOf(HasSubstr("there is no"), HasSubstr("gone.qcow2")));
  EXPECT_THAT(refusal(site_file((site_ / "out/node.qcow2").string())),
              AllOf(HasSubstr("image: "), HasSubstr("is an absolute path")));
  RealFileSystem().write(dir_.path() / "node.qcow2", "x", {});
  EXPECT_THAT(refusal(site_file("../node.qcow2")), HasSubstr("lies outside of"));
  file("lib/inner.yaml", "heat_template_version: 2018-08-31\nresources: {A: {type: ../../far.yaml}}\n");
  RealFileSystem().write(dir_.path() / "far.yaml", k_alias, {});
  EXPECT_THAT(refusal(site_file()), AllOf(HasSubstr("far.yaml"), HasSubstr("lies outside of")));
}

}  // namespace
}  // namespace hearth::bootstrap::bundle
