#include "builder/target/target_tree.hpp"

#include <gmock/gmock.h>

#include "base/sys/file.hpp"
#include "base/text.hpp"

namespace hearth::builder {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class TargetTreeTest : public testing::Test {
 protected:
  void put(const std::string& path, const std::string& text) {
    files.make_directories((root / path).parent_path(), 0755);
    files.write(root / path, text, {});
  }
  [[nodiscard]] std::string text(const std::string& path) const { return files.read(root / path).value_or("(none)"); }

  TempDir dir = TempDir::create(fs::temp_directory_path(), "hearth-test-");
  fs::path root = dir.path() / "root";
  RealFileSystem files;
  std::string host = files.read("/etc/resolv.conf").value_or("");
};

TEST_F(TargetTreeTest, LostAndFoundAndTmpAreNoContent) {
  EXPECT_FALSE(has_root_content(root));
  fs::create_directories(root / "lost+found");
  fs::create_directories(root / "tmp");
  EXPECT_FALSE(has_root_content(root));
  put("file", "");
  EXPECT_TRUE(has_root_content(root));
}

TEST_F(TargetTreeTest, WhatBoundDeviceNodesLeaveBehindGoes) {
  put("dev/null", "");
  put("dev/with-contents", "x");
  fs::create_symlink("/proc/self/fd", root / "dev/fd");
  remove_placeholders(root / "dev");
  EXPECT_THAT(files.list(root / "dev"), ElementsAre("fd", "with-contents"));
  remove_placeholders(root / "none");
}

TEST_F(TargetTreeTest, TheUsageReportHasTheLargestFirst) {
  put("small", "x");
  put("usr/share/large", std::string(std::size_t{11} << 20U, 'x'));
  const std::vector<std::string> notable = usage_report(root, false);
  ASSERT_EQ(notable.size(), 8U) << join(notable, "\n");  // headline, /, /usr, /usr/share, the file, end
  EXPECT_THAT(notable[5], testing::EndsWith("\t/usr/share"));
  EXPECT_THAT(usage_report(root, true), testing::Contains(testing::EndsWith("\t/small")));
}

TEST_F(TargetTreeTest, ResolvConfIsLentAndTakenBack) {
  put("etc/resolv.conf", "the image's\n");
  lend_resolv_conf(root);
  EXPECT_EQ(text("etc/resolv.conf"), host);
  EXPECT_EQ(files.status(root / "etc/resolv.conf")->mode, 0777U);
  take_back_resolv_conf(root);
  EXPECT_EQ(text("etc/resolv.conf"), "the image's\n");
  EXPECT_THAT(files.list(root / "etc"), ElementsAre("resolv.conf"));
}

TEST_F(TargetTreeTest, ATreeWithoutResolvConfHasNoneAfterwards) {
  fs::create_directories(root / "etc");
  lend_resolv_conf(root);
  EXPECT_EQ(text("etc/resolv.conf"), host);
  take_back_resolv_conf(root);
  EXPECT_THAT(files.list(root / "etc"), IsEmpty());
}

TEST_F(TargetTreeTest, ADanglingLinkIsKeptAndNotWrittenThrough) {
  fs::create_directories(root / "etc");
  fs::create_symlink(dir.path() / "outside", root / "etc/resolv.conf");
  lend_resolv_conf(root);
  EXPECT_FALSE(fs::exists(dir.path() / "outside"));
  EXPECT_EQ(text("etc/resolv.conf"), host);
  take_back_resolv_conf(root);
  EXPECT_EQ(fs::read_symlink(root / "etc/resolv.conf"), dir.path() / "outside");
}

TEST_F(TargetTreeTest, ALinkThatAHookMadeStays) {
  put("etc/resolv.conf", "the image's\n");
  lend_resolv_conf(root);
  fs::remove(root / "etc/resolv.conf");
  fs::create_symlink("../run/systemd/resolve/stub-resolv.conf", root / "etc/resolv.conf");
  take_back_resolv_conf(root);
  EXPECT_TRUE(fs::is_symlink(fs::symlink_status(root / "etc/resolv.conf")));
  EXPECT_THAT(files.list(root / "etc"), ElementsAre("resolv.conf"));
}

TEST_F(TargetTreeTest, ATreeWithoutEtcIsLeftAlone) {
  fs::create_directories(root);
  lend_resolv_conf(root);
  take_back_resolv_conf(root);
  EXPECT_THAT(files.list(root), IsEmpty());
}

TEST_F(TargetTreeTest, TidyingEmptiesTmpAndLogs) {
  put("tmp/a/b", "x");
  put("var/log/apt/term.log", "text");
  put("root/install.log", "text");
  put("root/notes", "text");
  put("etc/motd", "text");
  tidy_tree(root);
  EXPECT_THAT(files.list(root / "tmp"), IsEmpty());
  EXPECT_EQ(text("var/log/apt/term.log"), "");
  EXPECT_THAT(files.list(root / "root"), ElementsAre("notes"));
  EXPECT_EQ(text("etc/motd"), "text");
}

TEST_F(TargetTreeTest, TidyingNeverLeavesTheTree) {
  files.make_directories(dir.path() / "host/log", 0755);
  for (const char* name : {"host/precious", "host/a.log", "host/log/b"}) files.write(dir.path() / name, "x", {});
  fs::create_directories(root / "var/log");
  fs::create_symlink(dir.path() / "host", root / "tmp");
  fs::create_symlink(dir.path() / "host", root / "root");
  fs::create_symlink(dir.path() / "host/precious", root / "var/log/link");
  tidy_tree(root);
  fs::remove_all(root / "var");
  fs::create_symlink(dir.path() / "host", root / "var");  // now /var/log is the host's
  tidy_tree(root);
  for (const char* name : {"host/precious", "host/a.log", "host/log/b"})
    EXPECT_EQ(read_file(dir.path() / name), "x") << name;
}

TEST_F(TargetTreeTest, AnEtcThatLeadsOutOfTheTreeIsLeftAlone) {
  files.make_directories(dir.path() / "host-etc", 0755);
  files.write(dir.path() / "host-etc/resolv.conf", "the host's", {});
  fs::create_directories(root);
  fs::create_symlink(dir.path() / "host-etc", root / "etc");
  lend_resolv_conf(root);
  take_back_resolv_conf(root);
  EXPECT_EQ(read_file(dir.path() / "host-etc/resolv.conf"), "the host's");
}

TEST_F(TargetTreeTest, TidyingAnEmptyTreeIsFine) {
  fs::create_directories(root);
  tidy_tree(root);
  EXPECT_THAT(files.list(root), IsEmpty());
}

}  // namespace
}  // namespace hearth::builder
