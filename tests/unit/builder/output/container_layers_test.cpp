#include "builder/output/container_layers.hpp"

#include <gmock/gmock.h>

#include "base/sys/file.hpp"
#include "base/text.hpp"

namespace hearth::builder {
namespace {

using testing::ElementsAre;
using testing::SizeIs;

constexpr const char* k_status = R"(Package: base-files
Essential: yes
Status: install ok installed
Depends: libc6 (>= 2.3), mawk | gawk

Package: libc6
Status: install ok installed
Priority: optional
Pre-Depends: libgcc:any
Description: a library
 Depends: nginx

Package: libgcc
Status: install ok installed

Package: gawk
Status: install ok installed

Package: gone
Status: deinstall ok config-files
Priority: required

Package: nginx
Status: install ok installed
Depends: libc6
)";

class ContainerLayersTest : public testing::Test {
 protected:
  void put(const std::string& path, const std::string& text = "x") {
    files_.make_directories((tree_ / path).parent_path(), 0755);
    files_.write(tree_ / path, text, {});
  }
  TempDir work_ = TempDir::create(fs::temp_directory_path(), "layers-");
  fs::path tree_ = work_.path();
  RealFileSystem files_;
};

TEST_F(ContainerLayersTest, TheBaseIsWhatIsEssentialAndAllThatItNeeds) {
  EXPECT_THAT(base_packages(k_status), ElementsAre("base-files", "gawk", "libc6", "libgcc"));
}

TEST_F(ContainerLayersTest, EachFileIsInOneLayerByWhereItComesFrom) {
  put("var/lib/dpkg/status", k_status);
  put("var/lib/dpkg/info/libc6:amd64.list", "/.\n/lib\n/lib/libc.so\n/usr/share/doc/libc6\n/etc/ld.so.conf\n");
  put("var/lib/dpkg/info/nginx.list", "/usr/sbin/nginx\n/usr/share/missing\n");
  put("usr/lib/libc.so");
  fs::create_symlink("usr/lib", tree_ / "lib");
  put("usr/sbin/nginx");
  put("usr/sbin/mine");
  put("etc/ld.so.conf");
  const std::vector<ContainerLayer> layers = plan_container_layers(tree_);
  ASSERT_THAT(layers, SizeIs(3));
  EXPECT_THAT(layers[0].names, ElementsAre("lib", "usr", "usr/lib", "usr/lib/libc.so"));
  EXPECT_THAT(layers[1].names, ElementsAre("usr", "usr/sbin", "usr/sbin/nginx"));
  for (const char* name : {"", "usr", "usr/sbin", "usr/sbin/mine", "etc/ld.so.conf", "var/lib/dpkg/status"}) {
    EXPECT_TRUE(layers[2].holds(name)) << name;
  }
  EXPECT_FALSE(layers[2].holds("usr/lib/libc.so"));
  EXPECT_FALSE(layers[2].holds("usr/sbin/nginx"));
}

TEST_F(ContainerLayersTest, NamesOfOneFileAreInOneLayer) {
  put("var/lib/dpkg/status", k_status);
  put("var/lib/dpkg/info/libc6.list", "/usr/bin/a\n/usr/bin/b\n");
  put("usr/bin/a");
  put("usr/bin/b");
  fs::create_hard_link(tree_ / "usr/bin/a", tree_ / "usr/bin/made-by-a-hook");
  const std::vector<ContainerLayer> layers = plan_container_layers(tree_);
  ASSERT_THAT(layers, SizeIs(2));
  EXPECT_THAT(layers[0].names, ElementsAre("usr", "usr/bin", "usr/bin/b"));
  EXPECT_TRUE(layers[1].holds("usr/bin/a"));
}

TEST_F(ContainerLayersTest, WithoutPackagesThereIsOneLayer) {
  put("bin/sh");
  const std::vector<ContainerLayer> layers = plan_container_layers(tree_);
  ASSERT_THAT(layers, SizeIs(1));
  EXPECT_TRUE(layers[0].holds("bin/sh"));
}

}  // namespace
}  // namespace hearth::builder
