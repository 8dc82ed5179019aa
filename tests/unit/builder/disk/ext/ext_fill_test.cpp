// The peers: e2fsck says that a file system is sound, debugfs what is in it, mke2fs -d what should be.
#include "builder/disk/ext/ext_fill.hpp"

#include <gmock/gmock.h>
#include <sys/sysmacros.h>

#include "builder/disk/ext/ext_times.hpp"
#include "tests/unit/builder/disk/disk_fixture.hpp"

namespace hearth::builder {
namespace {

using testing::HasSubstr;

class ExtFillTest : public DiskFixture {
 protected:
  fs::path tree_ = work_.path() / "tree";
  fs::path image_ = work_.path() / "image";
  Extent all_{0, 64 * k_mib};

  void SetUp() override { make_tree(tree_); }

  void make_empty(const std::vector<std::string>& options = {}, const std::string& source = "") {
    files_.write(image_, "", {});
    fs::resize_file(image_, all_.length);
    std::vector<std::string> argv = {"mke2fs", "-q", "-F", "-t", "ext4", "-U", "11111111-2222-4333-8444-555555555555"};
    argv.insert(argv.end(), options.begin(), options.end());
    if (!source.empty()) argv.insert(argv.end(), {"-d", source});
    argv.push_back(image_.string());
    run_checked(runner_, {.argv = argv, .env = maker_environment(k_epoch)});
  }
  void fill(const std::vector<std::string>& options = {}) {
    make_empty(options);
    ASSERT_TRUE(can_fill_ext(image_, all_, tree_));
    fill_ext(image_, all_, tree_);
    EXPECT_THAT(tool({"e2fsck", "-fn", image_.string()}), HasSubstr("exit code 0"));
  }
  /// Without a sync, of which a thousand take their time.
  void plain(const std::string& name, const std::string& text) const {
    const Fd file = Fd::open((tree_ / name).string(), O_CREAT | O_WRONLY);
    write_all(file, text, name);
  }
  std::string debugfs(const std::string& request) { return tool({"debugfs", "-R", request, image_.string()}); }

  /// Every file with what debugfs brings back of it.
  std::string contents(const std::string& name) {
    const fs::path out = work_.path() / name;
    files_.make_directories(out, 0755);
    (void)debugfs(cat("rdump / ", out.string()));
    return tool({"sh", "-c",
                 cat("cd ", out.string(),
                     " && { find . -mindepth 1 -type l -printf '%p %l %U %G\\n' && "
                     "find . -mindepth 1 ! -type l -printf '%p %y %m %U %G %s %n %Ts\\n'; } | sort &&"
                     " find . -type f -exec sha256sum {} + | sort")});
  }
};

TEST_F(ExtFillTest, LaidOutAndReadFromItsFilesItIsTheSameDisk) {
  plain("large", std::string(3 * k_mib + 17, 'l'));
  const std::vector<std::string> options = {"-E", "hash_seed=11111111-2222-4333-8444-555555555555"};
  fill(options);
  normalise_ext(image_, all_, tree_, k_epoch);
  const std::string filled = read_file(image_);
  make_empty(options);
  const std::vector<FilePiece> data = lay_out_ext(image_, all_, tree_);
  normalise_ext(image_, all_, tree_, k_epoch);
  EXPECT_FALSE(read_file(image_) == filled);
  const qcow2::RawDisk disk(image_, data);
  std::string read(filled.size(), '\xee');
  disk.read(0, {reinterpret_cast<std::uint8_t*>(read.data()), read.size()});
  EXPECT_TRUE(read == filled);
  copy_pieces(data, image_, 4096, 2);
  EXPECT_TRUE(read_file(image_) == filled);
}

TEST_F(ExtFillTest, HoldsWhatMke2fsWouldHavePutThere) {
  if (!is_root()) GTEST_SKIP() << "needs root: debugfs gives files away";
  fs::create_symlink(std::string(59, 'f'), tree_ / "fast");
  fs::create_symlink(std::string(60, 's'), tree_ / "slow");
  plain(std::string(255, 'n'), "");
  for (int i = 0; i < 400; ++i) plain(cat("home/with a longer name ", i), cat(i));
  files_.make_directories(tree_ / "var/lib/deep/er", 0700);
  (void)tool({"find", tree_.string(), "-exec", "touch", "-h", "-d", "@1400000000", "{}",
              "+"});  // newer mke2fs cut at the epoch
  (void)tool({"touch", "-d", "@1500000000", (tree_ / "etc/config").string()});
  fill();
  const std::string ours = contents("ours");
  make_empty({}, tree_.string());
  EXPECT_EQ(ours, contents("theirs"));
  EXPECT_THAT(ours, HasSubstr("with a longer name 399"));
}

TEST_F(ExtFillTest, SpecialFilesAttributesAndManyExtentsAreKept) {
  if (!is_root()) GTEST_SKIP() << "needs root to make device nodes";
  ASSERT_EQ(::mkfifo((tree_ / "fifo").c_str(), 0600), 0);
  const bool devices = ::mknod((tree_ / "small").c_str(), S_IFCHR | 0600, makedev(4, 64)) == 0 &&
                       ::mknod((tree_ / "large").c_str(), S_IFBLK | 0600, makedev(259, 300)) == 0;
  const bool attributes = ::setxattr((tree_ / "bin/tool").c_str(), "user.note", "kept", 4, 0) == 0 &&
                          ::setxattr((tree_ / "etc").c_str(), "user.long", std::string(900, 'l').c_str(), 900, 0) == 0;
  {
    const Fd file = Fd::open((tree_ / "holes").string(), O_CREAT | O_WRONLY);
    for (off_t i = 0; i < 700; ++i) ASSERT_EQ(::pwrite(file.get(), "x", 1, i * 8192), 1);
  }
  fill();
  EXPECT_THAT(debugfs("stat /fifo"), HasSubstr("Type: FIFO"));
  if (devices) {
    EXPECT_THAT(debugfs("stat /small"), HasSubstr("Device major/minor number: 04:64"));
    EXPECT_THAT(debugfs("stat /large"), HasSubstr("Device major/minor number: 259:300"));
  }
  if (attributes) {
    EXPECT_THAT(debugfs("ea_get /bin/tool user.note"), HasSubstr("kept"));
    EXPECT_THAT(debugfs("ea_get /etc user.long"), HasSubstr(std::string(900, 'l')));
  }
  EXPECT_THAT(debugfs("stat /holes"), HasSubstr("(5592):"));
  (void)debugfs(cat("dump /holes ", (work_.path() / "back").string()));
  EXPECT_TRUE(read_file(work_.path() / "back") == read_file(tree_ / "holes"));
}

TEST_F(ExtFillTest, IsSoundWithOtherBlocksInodesAndFeatures) {
  const std::vector<std::vector<std::string>> cases = {
      {"-b", "1024"},   {"-b", "2048", "-I", "512"},  {"-I", "128"},
      {"-O", "^64bit"}, {"-O", "^metadata_csum"},     {"-O", "^flex_bg,^dir_index"},
      {"-g", "1024"},   {"-O", "metadata_csum_seed"}, {"-m", "0", "-J", "size=4"}};
  for (const auto& options : cases) {
    fill(options);
    (void)debugfs(cat("dump /bin/twin ", (work_.path() / "back").string()));
    EXPECT_EQ(read_file(work_.path() / "back"), std::string(70000, 't')) << testing::PrintToString(options);
  }
}

TEST_F(ExtFillTest, LeavesToMke2fsWhatItDoesNotKnow) {
  for (const char* features : {"^extents,^64bit", "bigalloc", "inline_data", "quota", "casefold"}) {
    make_empty({"-O", features});
    EXPECT_FALSE(can_fill_ext(image_, all_, tree_)) << features;
  }
  make_empty();
  files_.make_directories(tree_ / "lost+found", 0700);
  EXPECT_FALSE(can_fill_ext(image_, all_, tree_));
}

TEST_F(ExtFillTest, SaysWhatThereIsTooLittleOf) {
  const auto story = [&](const std::vector<std::string>& options) -> std::string {
    make_empty(options);
    try {
      fill_ext(image_, all_, tree_);
    } catch (const Error& error) {
      return error.story();
    }
    return "filled";
  };
  EXPECT_THAT(story({"-N", "40"}), HasSubstr("no inode is free of "));
  files_.write(tree_ / "huge", std::string(60 * k_mib, 'h'), {});
  EXPECT_THAT(story({}), HasSubstr("no block is free"));
}

}  // namespace
}  // namespace hearth::builder
