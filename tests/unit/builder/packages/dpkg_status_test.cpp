#include "builder/packages/dpkg_status.hpp"

#include <gtest/gtest.h>

namespace hearth::builder {
namespace {

using Installed = std::map<std::string, InstalledPackage>;

TEST(DpkgStatus, GivesInstalledPackagesWithVersionAndArchitecture) {
  const Installed installed = parse_dpkg_status(
      "Package: bash\nStatus: install ok installed\nArchitecture: amd64\nVersion: 5.2.15-2\nDescription: shell\n"
      " Package: not-this\n .\n more\n"
      "\nPackage: held\nStatus: hold ok installed\nVersion: 1\nArchitecture: all\n");
  EXPECT_EQ(installed, (Installed{{"bash", {"5.2.15-2", "amd64"}}, {"held", {"1", "all"}}}));
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
  EXPECT_EQ(installed, (Installed{{"a", {"1", ""}}}));
}

TEST(DpkgStatus, TheLastParagraphNeedsNoNewline) {
  EXPECT_EQ(parse_dpkg_status("\n\nPackage: a\nVersion: 1\nStatus: install ok installed").count("a"), 1U);
  EXPECT_EQ(parse_dpkg_status(""), Installed{});
}

}  // namespace
}  // namespace hearth::builder
