#include "builder/lint/package_lists.hpp"

#include <gmock/gmock.h>

#include "tests/fakes/memory_file_system.hpp"

namespace hearth::builder {
namespace {

TEST(PackageNames, AreThoseThatListsHaveAndProvide) {
  std::unordered_set<std::string> names;
  add_package_names(
      "Package: nginx\nProvides: httpd, httpd-cgi (= 1), nginx-abi:amd64\nDescription: Package: x\n\nPackage: git",
      names);
  EXPECT_THAT(names, testing::UnorderedElementsAre("nginx", "httpd", "httpd-cgi", "nginx-abi", "git"));
}

void put(fakes::MemoryFileSystem& files, const fs::path& path, std::string_view text) {
  files.make_directories(path.parent_path(), 0755);
  files.write(path, text, {});
}

TEST(PackageLists, AreABuildsOwnElseThoseOfThisMachinesApt) {
  fakes::MemoryFileSystem files;
  put(files, "/etc/os-release", "ID=debian\nVERSION_CODENAME=bookworm\n");
  put(files, "/var/lib/apt/lists/host_dists_bookworm_main_binary-amd64_Packages", "");
  put(files, "/var/lib/apt/lists/host_dists_trixie_main_binary-amd64_Packages", "");
  put(files, "/var/lib/apt/lists/other_dists_bookworm_main_binary-arm64_Packages", "");
  EXPECT_THAT(package_lists(files, "/cache", "amd64", {"debian", "bookworm"}),
              testing::ElementsAre("/var/lib/apt/lists/host_dists_bookworm_main_binary-amd64_Packages"));
  const fs::path own = "/cache/apt/debian/lists-bookworm-amd64/m_dists_bookworm-security_main_binary-amd64_Packages";
  put(files, own, "");
  EXPECT_THAT(package_lists(files, "/cache", "amd64", {"debian", "bookworm"}), testing::ElementsAre(own));
}

TEST(PackageLists, ASystemIsListedWhereItsMainPartIs) {
  fakes::MemoryFileSystem files;
  put(files, "/etc/os-release", "ID=debian\nVERSION_CODENAME=bookworm\n");
  put(files, "/var/lib/apt/lists/host_dists_bookworm_main_binary-amd64_Packages", "");
  put(files, "/cache/apt/ubuntu/lists-noble-amd64/m_dists_noble_main_binary-amd64_Packages", "");
  put(files, "/cache/apt/ubuntu/lists-jammy-amd64/docker_dists_jammy_stable_binary-amd64_Packages", "");
  put(files, "/cache/apt/debian/lists-trixie-arm64/m_dists_trixie_main_binary-arm64_Packages", "");
  std::vector<std::string> found;
  for (const PackagedSystem& each : listed_systems(files, "/cache", "amd64")) found.push_back(each.release);
  EXPECT_THAT(found, testing::ElementsAre("bookworm", "noble"));
}

}  // namespace
}  // namespace hearth::builder
