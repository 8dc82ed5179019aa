#include "builder/element_info.hpp"

#include <gmock/gmock.h>

#include "tests/unit/builder/element_tree.hpp"

namespace hearth::builder {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

struct InfoTest : testing::Test {
  fakes::MemoryFileSystem files;
  ElementTree tree{files};
  InfoTest() { tree.add("os", "", "operating-system").add("web", "lib").add("lib"); }
};

TEST_F(InfoTest, NamesAreOneLine) { EXPECT_EQ(element_names_text(tree.close({"web", "os"})), "lib os web\n"); }

TEST_F(InfoTest, VariablesAreForBashToEvaluate) {
  EXPECT_EQ(element_variables_text(tree.close({"web", "os"})),
            "export IMAGE_ELEMENT='lib os web'\n"
            "export IMAGE_ELEMENT_YAML='lib: /elements/lib\nos: /elements/os\nweb: /elements/web\n'\n"
            "function get_image_element_array {\n"
            "  echo \"[lib]=/elements/lib [os]=/elements/os [web]=/elements/web \"\n"
            "};\n"
            "export -f get_image_element_array;\n");
}

TEST_F(InfoTest, UnusualPathsAreQuotedInYaml) {
  fakes::MemoryFileSystem other;
  ElementTree odd(other, "/my elements");
  odd.add("os", "", "operating-system");
  EXPECT_THAT(element_variables_text(odd.close({"os"})), HasSubstr("os: '\\''/my elements/os'\\''\n"));
}

TEST_F(InfoTest, TheSummaryIsTheReadmesFirstSentence) {
  tree.file("web", "README.rst", "===\nweb\n===\nServes pages\nto people. And more.\n");
  tree.file("lib", "README.md", "# lib\n\nHelps:\n\n    code\n");
  const Catalog catalog = tree.catalog();
  EXPECT_EQ(summary_of(files, *catalog.find("web")), "Serves pages to people");
  EXPECT_EQ(summary_of(files, *catalog.find("lib")), "Helps");
  EXPECT_EQ(summary_of(files, *catalog.find("os")), "");
  tree.file("os", "README.md", "# os\n\n    os [-f] URL\n\nAn operating\nsystem. More.\n");
  EXPECT_EQ(summary_of(files, *catalog.find("os")), "An operating system");
  tree.file("os", "README.md", "");
  tree.file("os", "README.rst", "Needs :doc:`../manifests/README`, :ref:`x` and a: `word`.\n");
  EXPECT_EQ(summary_of(files, *catalog.find("os")), "Needs manifests, x and a: `word`");
}

TEST_F(InfoTest, APageTellsWhatAnElementNeedsInstallsAndRuns) {
  tree.add("grub", "", "bootloader").add("disk", "bootloader grub");
  tree.hook("web", "install.d/9-a", "echo $DIB_WEB_PORT $MY_DIB_NOT\n")
      .hook("web", "install.d/10-b")
      .hook("web", "root.d/1");
  tree.file("web", "install.d/data", "DIB_WEB_PORT DIB_DEBUG_TRACE DIB_OTHER_x DIB_\n");
  tree.file("web", "package-installs.yaml", "nginx:\n  - {}\n  - {uninstall: true}\ncurl:\n");
  tree.file("web", "environment.d/10-web",
            "# MY_NOT=1\nexport WEB_GREETING=${WEB_GREETING:-hi}\n  WEB_ROOT=/srv\nexport PATH\n");
  const Catalog catalog = tree.catalog();
  const ElementPage page = describe_element(files, catalog, *catalog.find("web"));
  EXPECT_THAT(page.hooks, ElementsAre("root.d/1", "install.d/9-a", "install.d/10-b"));
  EXPECT_THAT(page.packages, ElementsAre("nginx", "curl"));
  EXPECT_THAT(page.variables, ElementsAre("DIB_OTHER_x", "DIB_WEB_PORT", "WEB_GREETING", "WEB_ROOT"));
  EXPECT_THAT(describe_element(files, catalog, *catalog.find("lib")).needed_by, ElementsAre("web"));
  EXPECT_THAT(describe_element(files, catalog, *catalog.find("grub")).needed_by, ElementsAre("disk"));
  EXPECT_THAT(page_text(page), HasSubstr("packages:   nginx curl\n            nginx: removed, not installed\n"));
  tree.file("web", "README.md", "# web\n");
  EXPECT_THAT(page_text(describe_element(files, catalog, *catalog.find("web"))),
              HasSubstr("/web/README.md (hearth help web)\n"));
}

TEST_F(InfoTest, APageTellsWhichFilesTheImageHasAndWhatANodeDoes) {
  tree.file("web", "static/etc/web/main.conf", "")
      .file("web", "static/etc/motd", "")
      .file("web", "os-apply-config/etc/web/sites.conf", "{{sites}}")
      .file("web", "os-apply-config/etc/web/sites.conf.oac", "mode: 0600\n")
      .hook("web", "os-refresh-config/configure.d/50-web");
  const Catalog catalog = tree.catalog();
  const ElementPage page = describe_element(files, catalog, *catalog.find("web"));
  EXPECT_THAT(page.files, ElementsAre("/etc/motd", "/etc/web/main.conf"));
  EXPECT_THAT(page_text(page), HasSubstr("files:      /etc/motd /etc/web/main.conf\n"
                                         "templates:  /etc/web/sites.conf\n"
                                         "on nodes:   configure.d/50-web\n"));
  for (int i = 0; i < 30; ++i) tree.file("web", cat("static/srv/", i), "");
  EXPECT_THAT(page_text(describe_element(files, catalog, *catalog.find("web"))), HasSubstr(" and 12 more\n"));
}

TEST_F(InfoTest, APageTellsWhatAMapMakesOfNamesInWhichCaseAPackageIsInstalledAndWhatDoesNotRun) {
  tree.file("web", "package-installs.yaml",
            "webserver:\njq:\nnone:\ntcpdump:\n  phase: post-install.d\n  arch: amd64\n  when: [A = 1, B != 2]\n");
  tree.file("web", "pkg-map", R"({"default": {"webserver": "httpd", "jq": "jq"},
                                  "family": {"debian": {"webserver": "nginx-light", "none": ""}}})");
  tree.file("web", "post-install.d/50-web", "#!/bin/sh\n");
  const Catalog catalog = tree.catalog();
  const ElementPage page = describe_element(files, catalog, *catalog.find("web"));
  EXPECT_THAT(page.packages, ElementsAre("webserver", "jq", "none", "tcpdump"));
  EXPECT_THAT(page.package_notes,
              ElementsAre("tcpdump: in post-install.d, only on amd64, when A = 1 and B != 2",
                          "webserver: nginx-light on debian (pkg-map)", "none: nothing on debian (pkg-map)"));
  EXPECT_THAT(page.hooks, testing::IsEmpty());
  EXPECT_THAT(page_text(page, 80), HasSubstr("\nnot run:    post-install.d/50-web: this hook does not run, it is not "
                                             "executable:\n            chmod +x\n"));
  tree.file("web", "pkg-map", "{\"default\": 1}");
  EXPECT_THAT(story_of([&] { return describe_element(files, catalog, *catalog.find("web")); }), HasSubstr("pkg-map"));
}

TEST(InfoOfFiles, WhatIsBehindLinkedDirectoriesIsNotLookedFor) {
  const TempDir dir = TempDir::create(fs::temp_directory_path(), "hearth-test-");
  RealFileSystem disk;
  ElementTree(disk, dir.path()).file("web", "static/etc/motd", "hello\n");
  fs::create_directory_symlink("..", dir.path() / "web/static/etc/loop");
  fs::create_directory_symlink("/", dir.path() / "web/static/machine");
  const Catalog catalog = Catalog::scan(disk, {}, dir.path());
  EXPECT_THAT(describe_element(disk, catalog, *catalog.find("web")).files, ElementsAre("/etc/motd"));
}

}  // namespace
}  // namespace hearth::builder
