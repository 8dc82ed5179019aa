#include "builder/inspect/file_tree.hpp"

#include <gmock/gmock.h>
#include <sys/stat.h>
#include <sys/xattr.h>

#include "base/hash.hpp"
#include "builder/packing/tree_archive.hpp"
#include "tests/unit/builder/disk/disk_fixture.hpp"

namespace hearth::builder {
namespace {

using testing::HasSubstr;

class ArchiveReaderTest : public DiskFixture {
 protected:
  fs::path tree_ = work_.path() / "tree";
  fs::path target_ = work_.path() / "out.tar";

  std::string error_of() {
    try {
      (void)read_archive(target_);
      return "no error";
    } catch (const Error& error) {
      return error.what();
    }
  }
  /// A tar with one member of this name, by Python, which writes what it is told.
  void write_member(const std::string& name, const std::string& kind, const std::string& link) {
    run_checked(runner_,
                {.argv = {"python3", "-c",
                          "import sys,tarfile\nt=tarfile.open(sys.argv[1],'w')\ni=tarfile.TarInfo(sys.argv[2])\n"
                          "i.type=getattr(tarfile,sys.argv[3])\ni.linkname=sys.argv[4]\nt.addfile(i)\nt.close()",
                          target_.string(), name, kind, link}});
  }
};

TEST_F(ArchiveReaderTest, WhatWasWrittenIsReadInEveryCompression) {
  make_tree(tree_);
  files_.write(tree_ / "etc/os-release", "NAME=test\n", {});
  const bool attributes = ::setxattr((tree_ / "bin/tool").c_str(), "user.note", "hello", 5, 0) == 0;
  for (const Compression compression : {Compression::none, Compression::gzip, Compression::zstd}) {
    write_tree_archive(tree_, target_, compression, k_epoch);
    const FileTree tree = read_archive(target_);
    EXPECT_EQ(tree.entries.at("bin/tool").content, hex_digest(HashKind::sha256, std::string(70000, 't')));
    EXPECT_EQ(tree.entries.at("bin/tool").mode, 04755U);
    EXPECT_EQ(tree.entries.at("bin/twin"), tree.entries.at("bin/tool")) << "a hard link is the file";
    EXPECT_EQ(tree.entries.at("etc/link").content, "../bin/tool");
    EXPECT_EQ(tree.entries.at("home/sparse").size, 3 * k_mib);
    EXPECT_EQ(tree.text("etc/os-release"), "NAME=test\n");
    if (attributes) {
      EXPECT_EQ(tree.entries.at("bin/tool").attributes.at("user.note"), "hello");
    }
  }
}

TEST_F(ArchiveReaderTest, EntriesThatEscapeAreRefused) {
  for (const char* name : {"../evil", "a/../../evil", "/../evil"}) {
    write_member(name, "REGTYPE", "");
    EXPECT_THAT(error_of(), HasSubstr("leads out of the archive")) << name;
  }
  write_member("a", "LNKTYPE", "../../etc/passwd");
  EXPECT_THAT(error_of(), HasSubstr("leads out of the archive"));
  write_member("a", "LNKTYPE", "not-there");
  EXPECT_THAT(error_of(), HasSubstr("a hard link to not-there"));
}

TEST_F(ArchiveReaderTest, DamageIsAnErrorThatNamesTheFile) {
  files_.write(target_, "this is no archive", {});
  EXPECT_THAT(error_of(), HasSubstr(target_.string()));
}

}  // namespace
}  // namespace hearth::builder
