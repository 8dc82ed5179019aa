#include "builder/packages/package_map.hpp"

#include <gmock/gmock.h>

#include "base/text.hpp"

namespace hearth::builder {
namespace {

using testing::HasSubstr;

constexpr const char* k_map = R"({
  "default": {"a": "default-a", "b": "default-b", "c": "default-c", "d": "default-d", "many": "x  y", "skip": ""},
  "family": {"debian": {"b": "family-b", "c": "family-c", "d": "family-d"}, "redhat": {"b": "redhat-b"}},
  "distro": {"debian": {"c": "distro-c", "d": "distro-d"}},
  "release": {"debian": {"bookworm": {"d": "release-d"}}, "centos": {"8": {"d": "eight-d"}}}})";

std::string mapped(const std::string& name, const std::string& distro, const std::string& release) {
  const PackageMap map = PackageMap::parse(k_map, "pkg-map", distro, release).value_or_throw();
  const std::optional<std::vector<std::string>> found = map.find(name);
  return found ? join(*found, ",") : "unknown";
}

TEST(PackageMap, TheNarrowerSectionWins) {
  EXPECT_EQ(mapped("a", "debian", "bookworm"), "default-a");
  EXPECT_EQ(mapped("b", "debian", "bookworm"), "family-b");
  EXPECT_EQ(mapped("c", "debian", "bookworm"), "distro-c");
  EXPECT_EQ(mapped("d", "debian", "bookworm"), "release-d");
}

TEST(PackageMap, OtherSystemsSeeTheirOwnSections) {
  EXPECT_EQ(mapped("c", "ubuntu", "noble"), "family-c");
  EXPECT_EQ(mapped("d", "debian", "trixie"), "distro-d");
  EXPECT_EQ(mapped("b", "fedora", "40"), "redhat-b");
  EXPECT_EQ(mapped("b", "plan9", "4"), "default-b");
}

TEST(PackageMap, AStreamIsItsRelease) { EXPECT_EQ(mapped("d", "centos", "8-stream"), "eight-d"); }

TEST(PackageMap, AValueMayNameSeveralOrNoPackages) {
  EXPECT_EQ(mapped("many", "debian", ""), "x,y");
  EXPECT_EQ(mapped("skip", "debian", ""), "");
  EXPECT_EQ(mapped("other", "debian", ""), "unknown");
}

TEST(PackageMap, WrongShapesAreRefusedWithTheirPath) {
  const auto fault = [](const char* text) {
    return PackageMap::parse(text, "the/pkg-map", "debian", "12").error().text();
  };
  EXPECT_THAT(fault("[]"), HasSubstr("the/pkg-map:1:1: a pkg-map must be a JSON object"));
  EXPECT_THAT(fault(R"({"default": []})"), HasSubstr("default must be an object"));
  EXPECT_THAT(fault(R"({"distro": {"debian": {"a": 1}}})"), HasSubstr("distro.debian.a must be a text"));
  EXPECT_THAT(fault("{"), HasSubstr("the/pkg-map:"));
}

TEST(PackageMap, FamiliesAreUpstreams) {
  for (const char* distro : {"almalinux", "centos", "fedora", "openeuler", "rhel", "rocky"}) {
    EXPECT_EQ(distribution_family(distro), "redhat") << distro;
  }
  EXPECT_EQ(distribution_family("ubuntu"), "debian");
  EXPECT_EQ(distribution_family("debian"), "debian");
  EXPECT_EQ(distribution_family("opensuse"), "suse");
  EXPECT_EQ(distribution_family("gentoo"), "gentoo");
  EXPECT_EQ(distribution_family("plan9"), "");
}

}  // namespace
}  // namespace hearth::builder
