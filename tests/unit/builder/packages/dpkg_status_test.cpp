#include "builder/packages/dpkg_status.hpp"

#include <gtest/gtest.h>

namespace hearth::builder {
namespace {

using Installed = std::map<std::string, InstalledPackage>;

InstalledPackage package(std::string version, std::string architecture) {
  InstalledPackage made;
  made.version = std::move(version);
  made.architecture = std::move(architecture);
  return made;
}

TEST(DpkgStatus, GivesInstalledPackagesWithVersionAndArchitecture) {
  const Installed installed = parse_dpkg_status(
      "Package: bash\nStatus: install ok installed\nArchitecture: amd64\nVersion: 5.2.15-2\nDescription: shell\n"
      " Package: not-this\n .\n more\n"
      "\nPackage: held\nStatus: hold ok installed\nVersion: 1\nArchitecture: all\n");
  EXPECT_EQ(installed, (Installed{{"bash", package("5.2.15-2", "amd64")}, {"held", package("1", "all")}}));
}

TEST(DpkgStatus, WhatIsRemovedOrHalfInstalledIsNotInstalled) {
  const Installed installed = parse_dpkg_status(
      "Package: removed\nStatus: deinstall ok config-files\nVersion: 1\n\n"
      "Package: half\nStatus: install reinstreq half-installed\n\nPackage: none\n\nStatus: install ok installed\n");
  EXPECT_EQ(installed, Installed{});
}

TEST(DpkgStatus, FieldsOfSimilarNamesAreOthers) {
  const Installed installed =
      parse_dpkg_status("Package: a\nPackage-Type: deb\nStatus: install ok installed\nVersion-Note: 9\nVersion: 1\n");
  EXPECT_EQ(installed, (Installed{{"a", package("1", "")}}));
}

TEST(DpkgStatus, TellsBaseSystemsPackagesAndWhatEachNeeds) {
  const Installed installed = parse_dpkg_status(
      "Package: a\nEssential: yes\nStatus: install ok installed\n\n"
      "Package: b\nStatus: install ok installed\nPriority: required\nDepends: libc6 (>= 2.36), x:any | y (<< 3),\n"
      "Pre-Depends: dpkg (>= 1.17)\n\n"
      "Package: c\nPriority: important\nEssential: no\nStatus: install ok installed\nDepends: \n\n"
      "Package: d\nPriority: optional\nStatus: install ok installed\nRecommends: e\n");
  ASSERT_EQ(installed.size(), 4U);
  EXPECT_TRUE(installed.at("a").is_base);
  EXPECT_TRUE(installed.at("b").is_base);
  EXPECT_TRUE(installed.at("c").is_base);
  EXPECT_FALSE(installed.at("d").is_base);
  EXPECT_EQ(installed.at("b").depends, (std::vector<std::string>{"dpkg", "libc6", "x", "y"}));
  EXPECT_EQ(installed.at("c").depends, std::vector<std::string>{});
  EXPECT_EQ(installed.at("d").depends, std::vector<std::string>{});
}

TEST(DpkgStatus, TheLastParagraphNeedsNoNewline) {
  EXPECT_EQ(parse_dpkg_status("\n\nPackage: a\nVersion: 1\nStatus: install ok installed").count("a"), 1U);
  EXPECT_EQ(parse_dpkg_status(""), Installed{});
}

}  // namespace
}  // namespace hearth::builder
