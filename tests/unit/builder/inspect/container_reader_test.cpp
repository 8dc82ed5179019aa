#include "builder/inspect/container_reader.hpp"

#include <gmock/gmock.h>

#include "base/error.hpp"
#include "base/sys/file.hpp"
#include "base/text.hpp"
#include "builder/inspect/image_reader.hpp"
#include "builder/inspect/tree_diff.hpp"
#include "builder/output/container_image.hpp"
#include "tests/fakes/scripted_runner.hpp"

namespace hearth::builder {
namespace {

using testing::HasSubstr;

TEST(PutOverTest, AHigherLayerRemovesAndReplaces) {
  FileTree tree;
  for (const char* file : {"etc/a", "etc/b", "srv/old/x", "srv/kept", "lib"}) tree.entries[file] = {.content = "1"};
  for (const char* directory : {"", "etc", "srv", "srv/old"}) tree.entries[directory] = {.kind = 'd'};
  tree.texts["etc/a"] = "1";
  FileTree layer;
  for (const char* file : {"etc/.wh.a", "srv/.wh..wh..opq", "srv/new", "etc/b"}) layer.entries[file] = {.content = "2"};
  layer.entries["lib"] = {.kind = 'l', .content = "usr/lib"};
  put_over(tree, layer);
  std::vector<std::string> names;
  for (const auto& [name, entry] : tree.entries) names.push_back(cat(name, "=", entry.content));
  EXPECT_THAT(names, testing::ElementsAre("=", "etc=", "etc/b=2", "lib=usr/lib", "srv=", "srv/new=2"));
  EXPECT_TRUE(tree.texts.empty());
}

class ContainerReaderTest : public testing::Test {
 protected:
  ContainerReaderTest() {
    RealFileSystem files;
    files.make_directories(tree() / "etc", 0755);
    files.write(tree() / "etc/os-release", "PRETTY_NAME=\"A system\"\n", {.mode = 0644});
    image_.tag = "shop:1";
    image_.architecture = "amd64";
    image_.config.entrypoint = {"/usr/sbin/nginx", "-g"};
  }
  [[nodiscard]] fs::path tree() const { return work_.path() / "tree"; }
  ImageContents read(const fs::path& file) {
    SystemClock clock;
    RealRunner runner(clock);
    return read_image(file, {.scratch = work_.path()}, runner);
  }
  void expect_shop(const ImageContents& contents, const std::string& kind) {
    EXPECT_EQ(system_tree(contents).text("etc/os-release"), "PRETTY_NAME=\"A system\"\n");
    const std::string text = layout_text(contents_tree(contents, "shop"), false);
    for (const char* told : {"container shop", "shop:1", "linux/amd64", "/usr/sbin/nginx", "layer", "by=hearth: "})
      EXPECT_THAT(text, HasSubstr(told)) << kind;
    EXPECT_EQ(contents.container->kind, kind);
  }
  TempDir work_ = TempDir::create(fs::temp_directory_path(), "hearth-test-");
  ContainerImage image_;
};

TEST_F(ContainerReaderTest, WhatIsWrittenForDockerAndAsOciIsReadAsItsTreeAndSettings) {
  write_container_image(tree(), work_.path() / "shop.docker", image_, work_.path());
  expect_shop(read(work_.path() / "shop.docker"), "docker");
  write_oci_layout(tree(), work_.path() / "shop.oci", image_, {});
  expect_shop(read(work_.path() / "shop.oci"), "oci");
  write_oci_archive(tree(), work_.path() / "shop.oci.tar", image_, work_.path());
  expect_shop(read(work_.path() / "shop.oci.tar"), "oci");
}

TEST_F(ContainerReaderTest, AnotherDirectoryIsNoImageAndALayerElsewhereIsNotRead) {
  RealFileSystem files;
  EXPECT_THROW((void)read(tree()), Error);
  files.write(work_.path() / "secret", "x", {});
  files.write(tree() / "config", "{}", {});
  fs::create_symlink("../secret", tree() / "link");
  for (const char* layer : {"../secret", "/etc/passwd", "link", "none"}) {
    files.write(tree() / "manifest.json", cat("[{\"Config\":\"config\",\"Layers\":[\"", layer, "\"]}]"), {});
    try {
      (void)read_container(tree());
      ADD_FAILURE() << layer;
    } catch (const Error& error) {
      EXPECT_THAT(error.what(), HasSubstr(cat("lacks its file ", layer)));
    }
  }
}

}  // namespace
}  // namespace hearth::builder
