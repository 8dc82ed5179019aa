#include "builder/packages/package_list.hpp"

#include <gmock/gmock.h>

#include "tests/unit/builder/element_tree.hpp"

namespace hearth::builder {
namespace {

std::string shown(const std::vector<PackageEntry>& entries) {
  Names parts;
  for (const PackageEntry& entry : entries) {
    const char* sign = entry.action == PackageEntry::Action::build_only ? "+-" : "+";
    parts.push_back(cat(sign, entry.package, "@", entry.element, ":", info(entry.phase).name, ":", entry.at.line));
  }
  return join(parts, " ");
}

TEST(PackageList, IsAPackageALine) {
  EXPECT_EQ(shown(parse_package_list("# tools\n\n  git \ncurl wget\n-build-essential\n", "f", "e", Phase::install)),
            "+git@e:install:3 +curl@e:install:4 +wget@e:install:4 +-build-essential@e:install:5");
}

TEST(PackageList, IsFoundInThePhasesThatInstall) {
  fakes::MemoryFileSystem files;
  ElementTree tree(files);
  tree.add("os", "", "operating-system").add("a");
  tree.file("a", "pre-install.d/package-installs-a", "one\n").file("a", "install.d/package-installs-other", "two\n");
  tree.file("a", "post-install.d/package-installs-a", "three\n").file("a", "root.d/package-installs-a", "never\n");
  tree.file("a", "package-installs.yaml", "zero:\n");
  EXPECT_EQ(shown(load_package_installs(files, tree.close({"a", "os"}))),
            "+zero@a:install:1 +one@a:pre-install:1 +two@other:install:1 +three@a:post-install:1");
}

}  // namespace
}  // namespace hearth::builder
