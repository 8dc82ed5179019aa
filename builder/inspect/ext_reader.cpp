#include "builder/inspect/file_tree.hpp"

#include <ext2fs/ext2_fs.h>
#include <ext2fs/ext2fs.h>
#include <sys/stat.h>

#include <memory>
#include <set>
#include <vector>

#include "base/error.hpp"
#include "base/hash.hpp"
#include "base/sys/stop_signals.hpp"
#include "base/text.hpp"
#include "builder/disk/ext/ext_file_system.hpp"

namespace hearth::builder {

namespace {

constexpr std::size_t k_piece = std::size_t{1} << 18U;
constexpr std::size_t k_largest_file_text = std::size_t{64} << 20U;
constexpr std::size_t k_deepest = 256;

char inode_kind(std::uint16_t mode) {
  if (LINUX_S_ISDIR(mode)) return 'd';
  if (LINUX_S_ISLNK(mode)) return 'l';
  if (LINUX_S_ISBLK(mode)) return 'b';
  if (LINUX_S_ISCHR(mode)) return 'c';
  if (LINUX_S_ISFIFO(mode)) return 'p';
  return LINUX_S_ISSOCK(mode) ? 's' : 'f';
}

class InodeReader {
 public:
  InodeReader(const fs::path& image, std::uint64_t offset) : name_(image.string()), offset_(offset) {
    const std::string options = cat("offset=", offset);
    check(::ext2fs_open2(image.c_str(), options.c_str(), EXT2_FLAG_64BITS | EXT2_FLAG_SOFTSUPP_FEATURES, 0, 0,
                         unix_io_manager, &fs_),
          "opening");
  }
  InodeReader(const InodeReader&) = delete;
  InodeReader& operator=(const InodeReader&) = delete;
  ~InodeReader() {
    if (fs_ != nullptr) ::ext2fs_free(fs_);
  }

  FileTree run() {
    add(EXT2_ROOT_INO, "", 0);
    return std::move(tree_);
  }

 private:
  struct Member {
    ext2_ino_t number;
    std::string name;
  };

  void check(errcode_t code, std::string_view what) const {
    if (code == 0) return;
    const std::string place = offset_ == 0 ? name_ : cat(name_, "?offset=", offset_);
    throw Error(ErrorKind::input, cat(what, " the ext file system in ", name_, ": ", ext_error_text(code)))
        .hint(cat("It is damaged. All that is, of a raw image: e2fsck -fn ", shell_quote(place),
                  "; then build or fetch the image again."));
  }

  std::vector<Member> members(ext2_ino_t directory) const {
    std::vector<Member> found;
    const auto collect = [](ext2_dir_entry* entry, int, int, char*, void* data) {
      const std::string_view name(entry->name, static_cast<std::size_t>(::ext2fs_dirent_name_len(entry)));
      if (name != "." && name != ".." && entry->inode != 0) {
        static_cast<std::vector<Member>*>(data)->push_back({entry->inode, std::string(name)});
      }
      return 0;
    };
    check(::ext2fs_dir_iterate(fs_, directory, 0, nullptr, collect, &found), "listing a directory of");
    return found;
  }

  void add(ext2_ino_t number, const std::string& path, std::size_t depth) {
    if (depth > k_deepest) throw Error(ErrorKind::input, cat(name_, ": directories lie in each other too deeply"));
    ext2_inode_large inode{};
    check(::ext2fs_read_inode_full(fs_, number, reinterpret_cast<ext2_inode*>(&inode), sizeof inode), "reading");
    TreeEntry entry{.kind = inode_kind(inode.i_mode),
                    .mode = static_cast<std::uint32_t>(inode.i_mode & 07777U),
                    .uid = inode_uid(inode),
                    .gid = inode_gid(inode),
                    .time = static_cast<std::int32_t>(inode.i_mtime)};
    if (entry.kind == 'f') entry.size = EXT2_I_SIZE(&inode);
    read_content(number, inode, path, entry);
    read_attributes(number, entry);
    const bool directory = entry.kind == 'd';
    if (path != "lost+found") tree_.entries[path] = std::move(entry);
    if (!directory || path == "lost+found") return;
    if (!directories_.insert(number).second) throw Error(ErrorKind::input, cat(name_, ": directories form a circle"));
    for (const Member& member : members(number)) {
      add(member.number, path.empty() ? member.name : cat(path, "/", member.name), depth + 1);
    }
  }

  void read_content(ext2_ino_t number, const ext2_inode_large& inode, const std::string& path, TreeEntry& entry) {
    const auto* const plain = reinterpret_cast<const ext2_inode*>(&inode);
    if (entry.kind == 'l') {
      const std::size_t size = inode.i_size;
      const bool inside = ::ext2fs_is_fast_symlink(const_cast<ext2_inode*>(plain)) != 0;
      entry.content =
          inside ? std::string(reinterpret_cast<const char*>(inode.i_block), std::min(size, sizeof inode.i_block))
                 : file_text(number, size);
    } else if (entry.kind == 'b' || entry.kind == 'c') {
      const std::uint32_t old_style = inode.i_block[0];
      const std::uint32_t packed = old_style != 0 ? old_style : inode.i_block[1];
      const std::uint32_t major = old_style != 0 ? packed >> 8U : (packed & 0xfff00U) >> 8U;
      const std::uint32_t minor = old_style != 0 ? packed & 0xffU : (packed & 0xffU) | ((packed >> 12U) & 0xfff00U);
      entry.content = cat(major, ":", minor);
    } else if (entry.kind == 'f') {
      if (const auto known = digests_.find(number); known != digests_.end() && !keep_text(path)) {
        entry.content = known->second;  // another name of the same file
        return;
      }
      entry.content = read_file_data(number, path);
      if (inode.i_links_count > 1) digests_[number] = entry.content;
    }
  }

  /// Calls `take` with the pieces of a file.
  template <class Take>
  void each_piece(ext2_ino_t number, const Take& take) {
    ext2_file_t opened = nullptr;
    check(::ext2fs_file_open(fs_, number, 0, &opened), "opening a file of");
    const std::unique_ptr<ext2_file, decltype(&::ext2fs_file_close)> file(opened, &::ext2fs_file_close);
    while (true) {
      unsigned got = 0;
      check(::ext2fs_file_read(opened, buffer_.data(), static_cast<unsigned>(buffer_.size()), &got),
            "reading a file of");
      StopSignals::check();
      if (got == 0) return;
      take(std::string_view(buffer_.data(), got));
    }
  }

  std::string read_file_data(ext2_ino_t number, const std::string& path) {
    Hasher hasher(HashKind::sha256);
    std::string text;
    const bool keep = keep_text(path);
    each_piece(number, [&](std::string_view piece) {
      hasher.update(piece);
      if (keep && text.size() + piece.size() <= k_largest_file_text) text += piece;
    });
    if (keep) tree_.texts[path] = std::move(text);
    return hasher.hex_digest();
  }

  std::string file_text(ext2_ino_t number, std::size_t size) {
    std::string text;
    each_piece(number, [&](std::string_view piece) { text += piece; });
    return text.substr(0, size);
  }

  void read_attributes(ext2_ino_t number, TreeEntry& entry) const {
    ext2_xattr_handle* opened = nullptr;
    if (::ext2fs_xattrs_open(fs_, number, &opened) != 0) return;
    const auto close = [](ext2_xattr_handle* handle) { ::ext2fs_xattrs_close(&handle); };
    const std::unique_ptr<ext2_xattr_handle, decltype(close)> handle(opened, close);
    if (::ext2fs_xattrs_read(opened) != 0) return;
    const auto collect = [](char* name, char* value, std::size_t size, void* data) {
      static_cast<TreeEntry*>(data)->attributes[name] = std::string(value, size);
      return 0;
    };
    ::ext2fs_xattrs_iterate(opened, collect, &entry);
    entry.attributes.erase("system.data");  // where small files keep their data
  }

  std::string name_;
  std::uint64_t offset_;
  ext2_filsys fs_ = nullptr;
  FileTree tree_;
  std::set<ext2_ino_t> directories_;
  std::map<ext2_ino_t, std::string> digests_;
  std::vector<char> buffer_ = std::vector<char>(k_piece);
};

}  // namespace

FileTree read_ext(const fs::path& image, std::uint64_t offset) { return InodeReader(image, offset).run(); }

}  // namespace hearth::builder
