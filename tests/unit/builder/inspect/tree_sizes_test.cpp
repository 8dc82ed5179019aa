#include "builder/inspect/tree_sizes.hpp"

#include <gmock/gmock.h>

namespace hearth::builder {
namespace {

using testing::HasSubstr;
using testing::Not;

TreeEntry sized(std::uint64_t bytes) {
  TreeEntry entry;
  entry.size = bytes;
  return entry;
}

FileTree a_system() {
  FileTree tree;
  TreeEntry link;
  link.kind = 'l';
  link.content = "usr/lib";
  link.size = 7;
  tree.entries = {{"lib", link},
                  {"usr/lib/x86/a/libc.so", sized(2048)},
                  {"usr/share/doc/libc/copyright", sized(1024)},
                  {"srv/page", sized(512)}};
  tree.texts = {
      {"var/lib/dpkg/info/libc6:amd64.list", "/.\n/lib\n/lib/x86\n/lib/x86/a/libc.so\n/usr/share/doc/libc/copyright\n"},
      {"var/lib/dpkg/info/gone.list", "/nothere\n"},
      {"var/lib/dpkg/status", "Package: libc6\n"}};
  return tree;
}

TEST(TreeSizes, bytesAreCountedByDirectoryAndByPackage) {
  const TreeSizes sizes = tree_sizes(a_system());
  EXPECT_EQ(sizes.files, 3U);
  EXPECT_EQ(sizes.bytes, 3584U);
  EXPECT_EQ(sizes.directories.at(""), 3584U);
  EXPECT_EQ(sizes.directories.at("usr"), 3072U);
  EXPECT_EQ(sizes.directories.at("usr/lib/x86"), 2048U);
  EXPECT_FALSE(sizes.directories.contains("usr/lib/x86/a")) << "three levels";
  EXPECT_EQ(sizes.packages, (std::map<std::string, std::uint64_t>{{"", 512}, {"libc6", 3072}}))
      << "a package names /lib, which is a link";
}

TEST(TreeSizes, theLargestComeFirst) {
  const std::string text = sizes_text(tree_sizes(a_system()), 2);
  EXPECT_THAT(
      text, HasSubstr("3 files, 3.5 KiB\n\nby directory, with all below it\n     3.5 KiB  (all)\n     3.0 KiB  usr\n"));
  EXPECT_THAT(text, HasSubstr("by package\n     3.0 KiB  libc6\n       512 B  (of no package)\n"));
  EXPECT_THAT(text, Not(HasSubstr("srv")));
  EXPECT_EQ(sizes_json(tree_sizes(a_system()))["packages"][0], (Json{{"name", "libc6"}, {"bytes", 3072}}));
  EXPECT_THAT(sizes_text({}, 2), HasSubstr("no list of files"));
}

TEST(TreeSizes, twoSystemsAreComparedByWhatHasChanged) {
  FileTree after = a_system();
  after.entries["srv/page"] = sized(2560);
  after.entries["opt/new"] = sized(100);
  after.entries.erase("usr/share/doc/libc/copyright");
  const std::string text = sizes_difference_text(tree_sizes(a_system()), tree_sizes(after), 10);
  EXPECT_THAT(text, HasSubstr("3.5 KiB in 3 files -> 4.6 KiB in 3 files\n"));
  EXPECT_THAT(text, HasSubstr("    +2.0 KiB  srv\n"));
  EXPECT_THAT(text, HasSubstr("      +100 B  opt (new)\n"));
  EXPECT_THAT(text, HasSubstr("    -1.0 KiB  usr/share/doc (gone)\n"));
  EXPECT_THAT(text, HasSubstr("    -1.0 KiB  libc6\n"));
  EXPECT_THAT(text, Not(HasSubstr("usr/lib")));
  EXPECT_EQ(sizes_difference_json(tree_sizes(a_system()), tree_sizes(after))["directories"][0],
            (Json{{"name", "srv"}, {"before", 512}, {"after", 2560}}));
}

TEST(TreeSizes, bytesAreCountedByWhoAskedForThePackageAndWhatItDependsOn) {
  FileTree tree;
  std::string status;
  const auto add = [&](const std::string& name, std::uint64_t bytes, const std::string& more) {
    tree.entries["usr/" + name] = sized(bytes);
    tree.texts["var/lib/dpkg/info/" + name + ".list"] = "/usr/" + name + "\n";
    status += "Package: " + name + "\nStatus: install ok installed\n" + more + "\n\n";
  };
  add("base", 1, "Priority: required\nDepends: libc6");
  add("libc6", 2, "Priority: optional");
  add("nginx-light", 4, "Depends: libssl3, libc6, none | other");
  add("libssl3", 8, "Depends: nginx-light");
  add("openssh", 16, "Pre-Depends: libssl3");
  add("jq", 32, "Priority: optional");
  add("left", 64, "Priority: optional");
  tree.texts["var/lib/dpkg/status"] = status;
  tree.entries["srv/page"] = sized(128);
  const PackageAskers asked = {{"nginx-light", "shop"}, {"openssh", "vm"}, {"libc6", "vm"}, {"gone", "x"}, {"jq", ""}};
  const TreeSizes sizes = tree_sizes(tree, {{"srv/page", {"install.d/50-shop", "shop", 128}}}, asked);
  EXPECT_EQ(
      sizes.askers,
      (std::map<std::string, std::uint64_t>{
          {"(the base system)", 3}, {"shop", 4 + 8 + 128}, {"vm", 16}, {"(-p)", 32}, {"(asked for by nobody)", 64}}));
  EXPECT_THAT(sizes_text(sizes, 9), HasSubstr("by element that asked for it, with what its packages depend on\n"
                                              "       140 B  shop\n"));
  EXPECT_THAT(sizes_text(tree_sizes(tree), 9), HasSubstr("a build tells it in NAME.d/manifest.json"));
  EXPECT_EQ(tree_sizes(tree, {}, asked).askers.at(""), 128U) << "of no package, and nobody knows who wrote it";
  EXPECT_EQ(sizes_json(sizes)["asked_by"][0]["name"], "shop");
}

TEST(TreeSizes, aRecordedBuildTellsByElementAndByStep) {
  const FileWriters writers = {{"usr/lib/x86/a/libc.so", {"root.d/08-debootstrap", "debootstrap", 2048}},
                               {"usr/share/doc/libc/copyright", {"install.d/10-b", "debootstrap", 1024}},
                               {"srv/page", {"install.d/50-web", "web", 511}}};
  const TreeSizes sizes = tree_sizes(a_system(), writers);
  EXPECT_EQ(sizes.elements, (std::map<std::string, std::uint64_t>{{"", 512}, {"debootstrap", 3072}}))
      << "a file of another size is another file";
  EXPECT_EQ(sizes.steps.at("root.d/08-debootstrap"), 2048U);
  const std::string text = sizes_text(sizes, 9);
  EXPECT_THAT(
      text,
      HasSubstr(
          "by element whose step wrote it\n     3.0 KiB  debootstrap\n       512 B  (of no step that is known)\n"));
  EXPECT_THAT(text, HasSubstr("by step, the one that wrote a file last\n     2.0 KiB  root.d/08-debootstrap\n"));
  EXPECT_THAT(sizes_text(tree_sizes(a_system()), 9), HasSubstr("a build with --record tells in NAME.d/tree.tsv"));

  FileTree grown = a_system();
  grown.entries["srv/page"] = sized(2560);
  FileWriters later = writers;
  later["srv/page"].size = 2560;
  EXPECT_THAT(sizes_difference_text(sizes, tree_sizes(grown, later), 9),
              HasSubstr("by element whose step wrote it\n    +2.5 KiB  web (new)\n"));
  EXPECT_THAT(sizes_difference_text(tree_sizes(a_system()), sizes, 9),
              HasSubstr("a build with --record tells in NAME.d/tree.tsv"));
  EXPECT_EQ(sizes_json(sizes)["elements"][0]["name"], "debootstrap");
}

}  // namespace
}  // namespace hearth::builder
