#include "pxe/serve/content.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.hpp"
#include "base/sys/file.hpp"

namespace hearth::pxe {
namespace {

TEST(NormaliseName, GivesThePlainFormOfWhatClientsSend) {
  EXPECT_EQ(normalise_name("/boot/vmlinuz"), "boot/vmlinuz");
  EXPECT_EQ(normalise_name("//grubx64.efi"), "grubx64.efi");
  EXPECT_EQ(normalise_name("\\Boot\\BCD"), "Boot/BCD");
  EXPECT_EQ(normalise_name("./a/./b/"), "a/b");
  EXPECT_EQ(normalise_name("..a/b..c"), "..a/b..c");
}

TEST(NormaliseName, RefusesWhatCouldLeaveTheTree) {
  for (const std::string_view name : {"../etc/passwd", "a/../../b", "..", "a\\..\\b", "", "/", "a\nb", "a\x7f"})
    EXPECT_FALSE(normalise_name(name)) << name;
  EXPECT_FALSE(normalise_name(std::string_view("a\0b", 3)));
}

class FileRootTest : public testing::TestWithParam<FileRoot::LookUp> {
 protected:
  FileRootTest() {
    RealFileSystem files;
    files.write(outside_.path() / "secret", "secret", {});
    files.write(directory_.path() / "file", "0123456789", {});
    files.make_directories(directory_.path() / "sub", 0755);
    fs::create_symlink("../file", directory_.path() / "sub/inside");
    fs::create_symlink(outside_.path() / "secret", directory_.path() / "absolute");
    fs::create_symlink(fs::path("..") / outside_.path().filename() / "secret", directory_.path() / "escaping");
    ::mkfifo((directory_.path() / "fifo").c_str(), 0644);
  }
  [[nodiscard]] std::string read(const std::string& name) const {
    const auto found = FileRoot(directory_.path().string(), GetParam()).open(name);
    if (const auto* refusal = std::get_if<Refusal>(&found))
      return refusal->kind == Refusal::Kind::denied ? "DENIED" : "NOT FOUND";
    const Content& content = std::get<Content>(found);
    std::string bytes(static_cast<std::size_t>(content.size()), '\0');
    bytes.resize(content.read(0, bytes));
    return bytes;
  }
  TempDir outside_ = TempDir::create("/tmp", "hearth-pxe-");
  TempDir directory_ = TempDir::create("/tmp", "hearth-pxe-");
};

TEST_P(FileRootTest, OpensFilesAndLinksThatStayInside) {
  EXPECT_EQ(read("file"), "0123456789");
  EXPECT_EQ(read("sub/inside"), "0123456789");
}

TEST_P(FileRootTest, NoLinkAndNoNameLeadsOut) {
  EXPECT_EQ(read("absolute"), "DENIED");
  EXPECT_EQ(read("escaping"), "DENIED");
  EXPECT_EQ(read("../" + outside_.path().filename().string() + "/secret"), "DENIED");
  EXPECT_EQ(read("/etc/passwd"), "DENIED");
}

TEST_P(FileRootTest, WhatIsNoFileIsNotFoundAndBlocksNothing) {
  EXPECT_EQ(read("nothing"), "NOT FOUND");
  EXPECT_EQ(read("file/below"), "NOT FOUND");
  EXPECT_EQ(read("sub"), "NOT FOUND");
  EXPECT_EQ(read("fifo"), "NOT FOUND");
}

TEST_P(FileRootTest, AMissingDirectoryIsAnErrorAtStart) {
  EXPECT_THROW(FileRoot((directory_.path() / "nothing").string()), Error);
}

TEST_P(FileRootTest, AFileThatShrankGivesLessThanItsSize) {
  const Content content = open_content((directory_.path() / "file").string());
  ASSERT_EQ(::truncate((directory_.path() / "file").c_str(), 4), 0);
  std::array<char, 10> buffer{};
  EXPECT_EQ(content.size(), 10U);
  EXPECT_EQ(content.read(0, buffer), 4U);
}

INSTANTIATE_TEST_SUITE_P(ByKernelAndByHand, FileRootTest,
                         testing::Values(FileRoot::LookUp::by_kernel_if_possible, FileRoot::LookUp::by_hand));

TEST(Content, OfBytesIsReadFromAnyOffset) {
  const Content content = Content::of_bytes("abcdef");
  std::array<char, 4> buffer{};
  EXPECT_EQ(content.read(4, buffer), 2U);
  EXPECT_EQ(std::string_view(buffer.data(), 2), "ef");
  EXPECT_EQ(content.read(6, buffer), 0U);
  EXPECT_EQ(content.fd(), -1);
}

TEST(OpenContent, RefusesADirectory) { EXPECT_THROW((void)open_content("/tmp"), Error); }

}  // namespace
}  // namespace hearth::pxe
