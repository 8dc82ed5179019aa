#include "builder/packages/installed_packages.hpp"

#include <gmock/gmock.h>

#include "base/sys/file.hpp"
#include "base/text.hpp"
#include "tests/fakes/scripted_runner.hpp"

namespace hearth::builder {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class InstalledPackagesTest : public testing::Test {
 protected:
  void put(const std::string& path, const std::string& text, std::uint32_t mode = 0644) {
    fs::create_directories((dir.path() / path).parent_path());
    RealFileSystem().write(dir.path() / path, text, {.mode = mode});
  }
  InstalledPackages installed(const Environment& environment = {{"PATH", "/dev/null/nonexistent"}}) {
    return installed_packages(TreeReader(dir.path() / "root"), runner, environment);
  }
  TempDir dir = TempDir::create(fs::temp_directory_path(), "hearth-test-");
  const SystemClock clock{};
  RealRunner runner{clock};
};

TEST_F(InstalledPackagesTest, ThoseOfDpkgHaveTheLicencesThatTheyName) {
  put("root/var/lib/dpkg/status",
      "Package: bash\nStatus: install ok installed\nVersion: 5\nArchitecture: amd64\n\n"
      "Package: old\nStatus: install ok installed\nVersion: 1\nArchitecture: all\n");
  put("root/usr/share/doc/bash/copyright",
      "Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/\n\nFiles: *\nLicense: GPL-3+\n\n"
      "Files: x\nLicense: Expat\n text\n\nLicense: GPL-3+\n");
  put("root/usr/share/doc/old/copyright", "This is free.\nLicense: x\n");
  EXPECT_THAT(installed().packages, ElementsAre(ListedPackage{"deb", "bash", "5", "amd64", "GPL-3+, Expat"},
                                                ListedPackage{"deb", "old", "1", "all", ""}));
  EXPECT_EQ(installed().unlisted, "");
}

TEST_F(InstalledPackagesTest, ALinkOutOfTheTreeIsNotFollowed) {
  put("host/status", "Package: bash\nStatus: install ok installed\nVersion: 5\nArchitecture: amd64\n");
  put("host/rpm/rpmdb.sqlite", "");
  fs::create_directories(dir.path() / "root/var/lib/dpkg");
  fs::create_symlink(dir.path() / "host/status", dir.path() / "root/var/lib/dpkg/status");
  fs::create_symlink(dir.path() / "host/rpm", dir.path() / "root/var/lib/rpm");
  EXPECT_THAT(installed().packages, IsEmpty());
  EXPECT_EQ(installed().unlisted, "");
}

/// An empty list would say that nothing is installed.
TEST_F(InstalledPackagesTest, AnRpmDatabaseThatCannotBeReadIsToldOf) {
  put("root/usr/lib/sysimage/rpm/rpmdb.sqlite", "");
  EXPECT_THAT(installed().unlisted, HasSubstr("this machine has no rpm to read it with"));
  put("bin/rpm", "#!/bin/sh\necho 'error: rpmdb open failed' >&2\nexit 1\n", 0755);
  const Environment environment = {{"PATH", (dir.path() / "bin").string()}};
  EXPECT_THAT(installed(environment).unlisted, HasSubstr("rpmdb open failed"));
  put("bin/rpm", "#!/bin/sh\n", 0755);
  EXPECT_THAT(installed(environment).unlisted, HasSubstr("finds none in it"));
  put("root/lib/apk/db/installed", "");
  EXPECT_THAT(installed(environment).unlisted, HasSubstr("packages of apk are not listed"));
}

TEST_F(InstalledPackagesTest, AnRpmDatabaseIsReadByTheMachinesRpm) {
  put("root/opt/rpm/rpmdb.sqlite", "");
  fs::create_directories(dir.path() / "root/var/lib");
  fs::create_symlink("/opt/rpm", dir.path() / "root/var/lib/rpm");
  put("bin/rpm",
      "#!/bin/sh\nprintf '%s\\t2:1.0-3\\tnoarch\\tMIT\\n' \"$2\"\nprintf 'gpg-pubkey\\t1-2\\t(none)\\tpubkey\\n'\n",
      0755);
  const fs::path database = fs::canonical(dir.path() / "root/opt/rpm");
  EXPECT_THAT(installed({{"PATH", (dir.path() / "bin").string()}}).packages,
              ElementsAre(ListedPackage{"rpm", database.string(), "2:1.0-3", "noarch", "MIT"}));
}

TEST_F(InstalledPackagesTest, GitCommitsOfSourcesAreListedWithoutCredentials) {
  put("root/etc/dib-manifests/dib-manifest-git-web", "app git /opt/app https://me:pw@192.0.2.1/app 0123abcd\nx y\n");
  EXPECT_THAT(installed().sources, ElementsAre(ListedSource{"app", "/opt/app", "https://192.0.2.1/app", "0123abcd"}));
}

}  // namespace
}  // namespace hearth::builder
