#include "builder/lint/package_lint.hpp"

#include <gmock/gmock.h>

#include "tests/unit/builder/element_tree.hpp"

namespace hearth::builder {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

struct PackageLintTest : testing::Test {
  fakes::MemoryFileSystem files;
  ElementTree tree{files};

  PackageLintTest() {
    list("debian", "bookworm", "Package: lsof\nProvides: httpd\n\nPackage: git\n");
    tree.add("debian-minimal", "", "operating-system").add("ubuntu-minimal", "", "operating-system").add("web");
    tree.add("other-os", "", "operating-system");
  }
  void list(const std::string& distro, const std::string& release, const std::string& text) {
    const fs::path lists = cat("/cache/apt/", distro, "/lists-", release, "-amd64");
    files.make_directories(lists, 0755);
    files.write(lists / cat("m_dists_", release, "_main_binary-amd64_Packages"), text, {});
  }
  Names found() {
    const Catalog catalog = tree.catalog();
    PackageLint lint(files, catalog, "/cache", "amd64");
    Element web = *catalog.find("web");
    web.built_in = false;
    Names texts;
    for (const Finding& finding : lint.unknown(web)) texts.push_back(finding_text(finding));
    return texts;
  }
  Names faults(const std::string& yaml) {
    tree.file("web", "package-installs.yaml", yaml);
    return found();
  }
};

TEST_F(PackageLintTest, ANameThatNoListHasIsToldWithTheSystemAndTheNearest) {
  EXPECT_THAT(faults("git:\nhttpd:\nlsoff:\n"),
              ElementsAre(HasSubstr("/web/package-installs.yaml:3: warning: lsoff is in no repository of debian "
                                    "bookworm; did you mean lsof? [package]")));
  EXPECT_THAT(faults("our-own-agent:\n"), ElementsAre(HasSubstr("'# dib-lint: disable=package' says so")));
}

TEST_F(PackageLintTest, ANameThatOneOfTheSystemsHasIsNoMistake) {
  list("ubuntu", "noble", "Package: snapd\n\nPackage: git\n");
  EXPECT_THAT(faults("snapd:\ngit:\nlsof:\n"), IsEmpty());
  EXPECT_THAT(faults("nothing-such:\n"), ElementsAre(HasSubstr("no repository of debian bookworm or ubuntu noble")));
}

TEST_F(PackageLintTest, OnlySystemsThatTheElementMayBeForCount) {
  list("ubuntu", "noble", "Package: snapd\n");
  tree.file("web", "element-deps", "debian-minimal\n");
  EXPECT_THAT(faults("snapd:\n"), ElementsAre(HasSubstr("snapd is in no repository of debian bookworm")));
  EXPECT_THAT(faults("snapd: {when: DISTRO_NAME = ubuntu}\n"), IsEmpty());
  EXPECT_THAT(faults("snapd: {uninstall: true}\n"), IsEmpty());
  EXPECT_THAT(faults("lsoff: {when: DIB_ANY = 1}\n"), ElementsAre(HasSubstr("lsoff")))
      << "in some build it is asked for";
  tree.file("web", "element-deps", "other-os\n");
  EXPECT_THAT(faults("kernel-core:\n"), IsEmpty()) << "whose packages nobody here knows";
}

TEST_F(PackageLintTest, NamesOfAMapAreLookedUpForTheSystemsThatItNames) {
  tree.file("web", "pkg-map",
            "{\"default\": {\"any\": \"kernel-core\"},\n"
            " \"family\": {\"redhat\": {\"tool\": \"tool-el\"},\n"
            "            \"debian\": {\"tool\": \"git lsoff\", \"none\": \"\"}}}\n");
  EXPECT_THAT(faults("tool:\nnone:\n"), ElementsAre(HasSubstr("/web/pkg-map:3: warning: lsoff is in no repository")));
}

TEST_F(PackageLintTest, NothingIsSaidWhereAnotherRepositoryMayHaveIt) {
  tree.file("web", "pre-install.d/10-repository", "echo deb … > /etc/apt/sources.list.d/our.list\n");
  EXPECT_THAT(faults("our-own-agent:\n"), IsEmpty());
}

TEST_F(PackageLintTest, NothingIsSaidWhereNoListIsHereOrCanBeRead) {
  list("debian", "bookworm", "\x1f\x8b damaged");
  EXPECT_THAT(faults("lsoff:\n"), IsEmpty());
  fakes::MemoryFileSystem none;
  const Catalog catalog = tree.catalog();
  EXPECT_TRUE(PackageLint(none, catalog, "/cache", "amd64").is_blind());
  EXPECT_FALSE(PackageLint(files, catalog, "/cache", "amd64").is_blind());
}

}  // namespace
}  // namespace hearth::builder
