#include "builder/disk/ext/ext_times.hpp"

#include <sys/stat.h>

#include <algorithm>

#include "base/error.hpp"
#include "builder/disk/ext/ext_file_system.hpp"

namespace hearth::builder {

namespace {

void set_ext_times(ext2_inode_large& inode, std::uint32_t time, std::size_t inode_size) {
  inode.i_atime = inode.i_ctime = inode.i_mtime = time;
  if (inode_size <= EXT2_GOOD_OLD_INODE_SIZE || inode.i_extra_isize < 24) return;
  inode.i_crtime = time;
  inode.i_atime_extra = inode.i_ctime_extra = inode.i_mtime_extra = inode.i_crtime_extra = 0;
}

void take_root_attributes(ext2_inode_large& inode, const fs::path& source, std::uint32_t latest) {
  struct stat root {};
  if (::stat(source.c_str(), &root) != 0) throw Error::from_errno("reading", source.string());
  inode.i_mode = static_cast<__u16>(LINUX_S_IFDIR | (root.st_mode & 07777U));
  inode.i_uid = static_cast<__u16>(root.st_uid & 0xffffU);
  inode.i_gid = static_cast<__u16>(root.st_gid & 0xffffU);
  inode.osd2.linux2.l_i_uid_high = static_cast<__u16>(root.st_uid >> 16U);
  inode.osd2.linux2.l_i_gid_high = static_cast<__u16>(root.st_gid >> 16U);
  inode.i_mtime = static_cast<std::uint32_t>(std::clamp<std::int64_t>(root.st_mtim.tv_sec, 0, latest));
}

class InodePass {
 public:
  InodePass(ext2_filsys filsys, const fs::path& source, std::uint32_t latest)
      : fs_(filsys), source_(source), latest_(latest), size_(EXT2_INODE_SIZE(filsys->super)) {}

  void run() {
    check_ext(::ext2fs_read_bitmaps(fs_), "reading the bitmaps");
    for (ext2_ino_t number = 1; number <= fs_->super->s_inodes_count; ++number) {
      if (::ext2fs_test_inode_bitmap2(fs_->inode_map, number) != 0) normalise(number);
    }
  }

 private:
  void normalise(ext2_ino_t number) {
    ext2_inode_large inode{};
    auto* const plain = reinterpret_cast<ext2_inode*>(&inode);
    const int bytes = static_cast<int>(std::min(size_, sizeof inode));
    check_ext(::ext2fs_read_inode_full(fs_, number, plain, bytes), "reading an inode");
    if (inode.i_mode == 0) return;  // reserved and never used
    if (number == EXT2_ROOT_INO && !source_.empty()) take_root_attributes(inode, source_, latest_);
    set_ext_times(inode, std::min(inode.i_mtime, latest_), size_);
    check_ext(::ext2fs_write_inode_full(fs_, number, plain, bytes), "writing an inode");
  }

  ext2_filsys fs_;
  const fs::path& source_;
  std::uint32_t latest_;
  std::size_t size_;
};

void set_superblock(ext2_filsys filsys, std::uint32_t time) {
  ext2_super_block& super = *filsys->super;
  super.s_wtime = super.s_lastcheck = super.s_mkfs_time = time;
  super.s_mtime = 0;
  super.s_kbytes_written = 0;
  filsys->now = time;
  filsys->flags &= ~EXT2_FLAG_MASTER_SB_ONLY;  // the backups carry the same counters
  ::ext2fs_mark_super_dirty(filsys);
}

}  // namespace

void normalise_ext(const fs::path& image, const Extent& extent, const fs::path& source, std::int64_t epoch) {
  const auto latest = static_cast<std::uint32_t>(std::clamp<std::int64_t>(epoch, 1, INT32_MAX));
  ExtFileSystem file_system(image, extent.offset);
  InodePass(file_system.get(), source, latest).run();
  set_superblock(file_system.get(), latest);
  file_system.close();
}

}  // namespace hearth::builder
