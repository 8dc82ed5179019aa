// The peers are the tools that check and read such file systems: e2fsck, debugfs, fsck.vfat, mtools, blkid, btrfs.
#include "builder/disk/file_system_maker.hpp"

#include <gmock/gmock.h>

#include "base/hash.hpp"
#include "builder/disk/layout/image_size.hpp"
#include "tests/fakes/generated_cases.hpp"
#include "tests/unit/builder/disk/disk_fixture.hpp"

namespace hearth::builder {
namespace {

using testing::HasSubstr;

class FileSystemMakerTest : public DiskFixture {
 protected:
  fs::path tree_ = work_.path() / "tree";
  fs::path image_ = work_.path() / "image";
  static constexpr const char* k_uuid = "11111111-2222-4333-8444-555555555555";

  void SetUp() override { make_tree(tree_); }

  FileSystemJob job(const std::string& type, std::uint64_t bytes) {
    files_.write(image_, "", {});
    fs::resize_file(image_, 2 * k_mib + bytes);
    FileSystemJob result{.file_system = {.name = "x", .type = type, .label = "LABEL", .uuid = k_uuid},
                         .extent = {k_mib, bytes},
                         .image = image_,
                         .source = tree_,
                         .scratch = work_.path(),
                         .epoch = k_epoch};
    if (result.file_system.is_fat()) result.file_system.uuid = "ABCD-1234";
    return result;
  }

  fs::path made(const FileSystemJob& job) {
    make_file_system(job, runner_);
    return cut(image_, job.extent, "part");
  }

  std::string debugfs(const fs::path& part, const std::string& request) {
    return tool({"debugfs", "-R", request, part.string()});
  }
};

TEST_F(FileSystemMakerTest, EveryExtTypeIsSoundAndHasItsIds) {
  for (const char* type : {"ext2", "ext3", "ext4"}) {
    const fs::path part = made(job(type, 32 * k_mib));
    EXPECT_THAT(tool({"e2fsck", "-fn", part.string()}), HasSubstr("exit code 0")) << type;
    const std::string shown = tool({"blkid", "-p", part.string()});
    EXPECT_THAT(shown, HasSubstr(cat("TYPE=\"", type, "\""))) << type;
    EXPECT_THAT(shown, HasSubstr(cat("UUID=\"", k_uuid, "\""))) << type;
    EXPECT_THAT(shown, HasSubstr("LABEL=\"LABEL\"")) << type;
  }
}

/// A tree of a few directories with files of any size, holes, links of both kinds and odd names.
void make_up_tree(fakes::Chance& chance, const fs::path& tree, RealFileSystem& files) {
  std::vector<fs::path> directories = {tree};
  files.make_directories(tree, 0755);
  std::optional<fs::path> file;
  for (std::size_t i = 0, count = 1 + chance.below(25); i < count; ++i) {
    const fs::path home = directories[chance.below(directories.size())];
    const fs::path path =
        home / cat(chance.percent(20) ? "odd name \xc3\xbc " : "n", i, std::string(chance.below(120), 'x'));
    switch (chance.below(5)) {
      case 0:
        files.make_directories(path, 0755);
        directories.push_back(path);
        break;
      case 1: fs::create_symlink(std::string(1 + chance.below(200), 'l'), path); break;
      case 2:
        if (file) fs::create_hard_link(*file, path);
        break;
      default:
        files.write(path, std::string(chance.below(chance.percent(20) ? 600'000 : 9000), static_cast<char>('a' + i)),
                    {.mode = chance.percent(30) ? 0600U : 0755U});
        if (chance.percent(20)) fs::resize_file(path, fs::file_size(path) + chance.below(300'000));
        file = path;
    }
  }
}

/// "PATH KIND MODE CONTENT" of each entry.
std::vector<std::string> told_tree(const fs::path& tree) {
  std::vector<std::string> told;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(tree)) {
    const fs::path& path = entry.path();
    const fs::file_status status = fs::symlink_status(path);
    if (path.filename() == "lost+found") continue;
    const std::string name = path.lexically_relative(tree).string();
    const bool is_link = status.type() == fs::symlink_file;
    const std::string content = is_link                             ? fs::read_symlink(path).string()
                                : status.type() == fs::regular_file ? hex_digest(HashKind::sha256, read_file(path))
                                                                    : "";
    told.push_back(cat(name, " ", static_cast<int>(status.type()), " ",
                       is_link ? 0U : static_cast<unsigned>(status.permissions() & 0777), " ", content));
  }
  std::sort(told.begin(), told.end());
  return told;
}

TEST_F(FileSystemMakerTest, MadeUpTreesAreReadBackAsTheyWere) {
  fakes::for_each_case([&](fakes::Chance& chance) {
    fs::remove_all(tree_);
    make_up_tree(chance, tree_, files_);
    const std::vector<std::string> expected = told_tree(tree_);
    std::vector<std::string> types = {cat("ext", 2 + chance.below(3))};
    if (chance.percent(25)) types.emplace_back("btrfs");
    for (const std::string& type : types) {
      const fs::path part = made(job(type, type == "btrfs" ? 120 * k_mib : 24 * k_mib));
      const fs::path back = work_.path() / "back";
      fs::remove_all(back);
      files_.make_directories(back, 0755);
      const std::string said = type == "btrfs" ? tool({"btrfs", "restore", "-m", "-S", part.string(), back.string()})
                                               : tool({"debugfs", "-R", cat("rdump / ", back.string()), part.string()});
      EXPECT_EQ(told_tree(back), expected) << type << ": " << said;
    }
  });
}

TEST_F(FileSystemMakerTest, ExtKeepsOwnersModesLinksAndHoles) {
  if (!is_root()) GTEST_SKIP() << "needs root to give files away";
  const fs::path part = made(job("ext4", 32 * k_mib));
  EXPECT_THAT(debugfs(part, "stat /etc/config"), HasSubstr("User:    33   Group:    42"));
  EXPECT_THAT(debugfs(part, "stat /bin/tool"), HasSubstr("Mode:  04755"));
  EXPECT_THAT(debugfs(part, "stat /bin/twin"), HasSubstr("Links: 2"));
  EXPECT_THAT(debugfs(part, "stat /etc/link"), HasSubstr("Fast link dest: \"../bin/tool\""));
  EXPECT_THAT(debugfs(part, "stat /home/sparse"), HasSubstr("Blockcount: 8\n"));
}

TEST_F(FileSystemMakerTest, ExtTimesAreTheModificationTimeAndNeverLaterThanTheEpoch) {
  set_times(tree_ / "etc/config", 1'000'000'000);
  const fs::path part = made(job("ext4", 32 * k_mib));
  const std::string config = debugfs(part, "stat /etc/config");
  for (const char* time :
       {" atime: 0x3b9aca00:00000000", " ctime: 0x3b9aca00:00000000", "crtime: 0x3b9aca00:00000000"}) {
    EXPECT_THAT(config, HasSubstr(time));
  }
  EXPECT_THAT(debugfs(part, "stat /bin/tool"), HasSubstr(" mtime: 0x5f5e1000:00000000"));  // the epoch
}

TEST_F(FileSystemMakerTest, TheRootDirectoryTakesTheTreesModeAndOwner) {
  if (!is_root()) GTEST_SKIP() << "needs root to give files away";
  ::chmod(tree_.c_str(), 0711);
  ASSERT_EQ(::chown(tree_.c_str(), 0, 7), 0);
  const std::string root = debugfs(made(job("ext4", 32 * k_mib)), "stat <2>");
  EXPECT_THAT(root, HasSubstr("Mode:  0711"));
  EXPECT_THAT(root, HasSubstr("Group:     7"));
}

TEST_F(FileSystemMakerTest, UserOptionsAreHonouredExtendedOnesIncluded) {
  FileSystemJob wanted = job("ext4", 64 * k_mib);
  wanted.file_system.options = {"-m", "1", "-E", "stride=4", "-i", "4096", "-J", "size=8"};
  const std::string shown = tool({"dumpe2fs", "-h", made(wanted).string()});
  EXPECT_THAT(shown, HasSubstr("RAID stride:              4"));
  EXPECT_THAT(shown, HasSubstr("Inode count:              16384"));
  EXPECT_THAT(shown, HasSubstr("Total journal size:       8M"));
}

TEST_F(FileSystemMakerTest, ATreeFitsIntoItsLeastSizeAndNotIntoMuchLess) {
  for (int i = 0; i < 400; ++i) files_.write(tree_ / "home" / cat("file-", i), std::string(100000, 'x'), {});
  for (const char* type : {"ext2", "ext4"}) {
    FileSystemJob wanted = job(type, 8 * k_mib);
    wanted.file_system.options = {"-i", "4096"};
    const std::uint64_t least = least_size(wanted.file_system, measure_tree(tree_));
    fs::resize_file(image_, 2 * k_mib + least);
    wanted.extent.length = least;
    EXPECT_NO_THROW(make_file_system(wanted, runner_)) << type;
    wanted.extent.length = least * 92 / 100 / 4096 * 4096;
    EXPECT_THROW(make_file_system(wanted, runner_), Error) << type;
  }
}

TEST_F(FileSystemMakerTest, NothingIsWrittenOutsideOfTheExtent) {
  for (const char* type : {"ext4", "swap", "btrfs"}) {
    const FileSystemJob wanted = job(type, 160 * k_mib);
    make_file_system(wanted, runner_);
    const std::string all = read_file(image_);
    EXPECT_EQ(all.size(), 162 * k_mib);
    EXPECT_EQ(all.substr(0, k_mib), std::string(k_mib, '\0')) << type;
    EXPECT_EQ(all.substr(161 * k_mib), std::string(k_mib, '\0')) << type;
  }
}

TEST_F(FileSystemMakerTest, FatHoldsTheFilesUnderTheirLongNames) {
  FileSystemJob wanted = job("vfat", 48 * k_mib);
  wanted.source = tree_ / "boot";
  const fs::path part = made(wanted);
  EXPECT_THAT(tool({"fsck.vfat", "-n", part.string()}), HasSubstr("exit code 0"));
  EXPECT_THAT(tool({"blkid", "-p", part.string()}), HasSubstr("UUID=\"ABCD-1234\""));
  EXPECT_THAT(tool({"mdir", "-b", "-/", "-i", part.string(), "::"}),
              HasSubstr("::/efi/EFI/loader with a long name.efi"));
  EXPECT_EQ(tool({"mtype", "-i", part.string(), "::/kernel"}), cat(std::string(9000, 'k'), "exit code 0"));
}

TEST_F(FileSystemMakerTest, TheKindOfFatFollowsThePartitionAndNotTheDisk) {
  FileSystemJob wanted = job("vfat", 64 * k_mib);
  fs::resize_file(image_, 4096 * k_mib);
  wanted.source = "";
  EXPECT_THAT(tool({"blkid", "-p", made(wanted).string()}), HasSubstr("VERSION=\"FAT16\""));
}

TEST_F(FileSystemMakerTest, FatRefusesASymbolicLinkInsteadOfFollowingIt) {
  FileSystemJob wanted = job("vfat", 48 * k_mib);
  wanted.source = tree_ / "etc";
  try {
    make_file_system(wanted, runner_);
    FAIL() << "taken";
  } catch (const Error& error) {
    EXPECT_THAT(error.story(), HasSubstr("etc/link, which is a symbolic link"));
    EXPECT_THAT(error.story(), HasSubstr("while making the vfat file system x"));
  }
}

TEST_F(FileSystemMakerTest, BlkidKnowsTheSwapArea) {
  FileSystemJob wanted = job("swap", 8 * k_mib);
  wanted.source = "";
  const std::string shown = tool({"blkid", "-p", made(wanted).string()});
  EXPECT_THAT(shown, HasSubstr("TYPE=\"swap\""));
  EXPECT_THAT(shown, HasSubstr(cat("UUID=\"", k_uuid, "\"")));
  EXPECT_THAT(shown, HasSubstr("LABEL=\"LABEL\""));
}

TEST_F(FileSystemMakerTest, ASwapAreaThatTheKernelWouldRefuseIsAnError) {
  EXPECT_THROW(make_file_system(job("swap", 8192), runner_), Error);
}

TEST_F(FileSystemMakerTest, BtrfsIsSoundAndHasItsIds) {
  const fs::path part = made(job("btrfs", 160 * k_mib));
  EXPECT_THAT(tool({"btrfs", "check", part.string()}), HasSubstr("no error found"));
  EXPECT_THAT(tool({"blkid", "-p", part.string()}), HasSubstr(cat("UUID=\"", k_uuid, "\"")));
  const std::string trees = tool({"btrfs", "inspect-internal", "dump-tree", part.string()});
  EXPECT_THAT(replace_all(trees, "\\ ", " "), HasSubstr("name: loader with a long name.efi"));  // newer ones escape
}

TEST_F(FileSystemMakerTest, OtherTypesAreUnsupported) {
  try {
    make_file_system(job("f2fs", 32 * k_mib), runner_);
    FAIL() << "taken";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::unsupported);
  }
}

TEST(ProgramsTest, AMissingProgramIsNamedWithItsPackage) {
  DiskLayout layout;
  layout.file_systems = {{.type = "ext4"}, {.type = "vfat"}, {.type = "ext3"}};
  const std::vector<NeededProgram> programs = programs_for(layout);
  EXPECT_EQ(programs.size(), 4U);
  try {
    require_programs(programs, {{"PATH", "/dev/null/nonexistent"}});
    FAIL() << "found";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "not installed: mke2fs, mkfs.vfat, mmd, mcopy");
    EXPECT_THAT(error.story(), HasSubstr("apt-get install e2fsprogs dosfstools mtools"));
  }
}

}  // namespace
}  // namespace hearth::builder
