#include "builder/disk/xfs/xfs_tree.hpp"

#include <boost/filesystem/directory.hpp>

#include <fcntl.h>
#include <sys/sysmacros.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <climits>
#include <set>

#include "base/byte_order.hpp"
#include "base/error.hpp"
#include "base/sys/fd.hpp"
#include "base/sys/file.hpp"
#include "base/text.hpp"

namespace hearth::builder {

namespace {

constexpr std::size_t k_inline_target = 336;  // what an inode of 512 bytes has room for
constexpr std::uint64_t k_largest_file = INT_MAX;

std::map<std::string, std::string> extended_attributes(const fs::path& path) {
  std::map<std::string, std::string> attributes;
  std::array<char, 65536> room{};
  const ssize_t size = ::llistxattr(path.c_str(), room.data(), room.size());
  if (size <= 0) return attributes;
  for (const std::string& name : split(std::string(room.data(), static_cast<std::size_t>(size)), '\0')) {
    const ssize_t length = name.empty() ? -1 : ::lgetxattr(path.c_str(), name.c_str(), room.data(), room.size());
    if (length >= 0) attributes[name] = std::string(room.data(), static_cast<std::size_t>(length));
  }
  return attributes;
}

bool is_hole(const fs::path& path) {
  const Fd file = Fd::open(path.string(), O_RDONLY | O_NOFOLLOW);
  return ::lseek(file.get(), 0, SEEK_DATA) < 0 && errno == ENXIO;
}

using Seen = std::set<std::pair<dev_t, ino_t>>;

XfsNode read_node(const fs::path& path, std::string name, Seen& seen) {
  XfsNode node;
  node.name = std::move(name);
  node.path = path;
  if (::lstat(path.c_str(), &node.status) != 0) throw Error::from_errno("reading", path.string());
  node.told = xfs_stand_in(node.name).value_or("");
  const mode_t mode = node.status.st_mode;
  if (!node.is_directory() && node.status.st_nlink > 1 &&
      !seen.emplace(node.status.st_dev, node.status.st_ino).second) {
    node.hard_link = true;
    return node;
  }
  node.attributes = extended_attributes(path);
  node.all_hole = S_ISREG(mode) && node.status.st_size > 0 && node.status.st_blocks == 0 && is_hole(path);
  if (S_ISLNK(mode)) node.target = fs::read_symlink(path).string();
  if (!node.is_directory()) return node;
  std::vector<std::string> names;
  for (const fs::directory_entry& entry : fs::directory_iterator(path)) {
    if (fs::symlink_status(entry.path()).type() != fs::socket_file) names.push_back(entry.path().filename().string());
  }
  std::sort(names.begin(), names.end());
  for (const std::string& each : names) node.children.push_back(read_node(path / each, each, seen));
  return node;
}

bool ends_word(char c) { return c == ' ' || c == '\t' || c == '\n'; }

/// Whether the prototype can tell it as one word.
bool is_word(std::string_view text) {
  return !text.empty() && text.front() != ':' && text != "$" && text.find('\0') == std::string_view::npos &&
         std::none_of(text.begin(), text.end(), ends_word);
}

void flip(std::string& text, std::size_t at, unsigned bit) {
  text[at] = static_cast<char>(static_cast<unsigned char>(text[at]) ^ (1U << bit));
}

class Prototype {
 public:
  Prototype(const XfsNode& root, const fs::path& links) : root_(root), links_(links) {
    fs::create_directory_symlink(fs::absolute(root.path), links / "t");
    RealFileSystem().write(links / "e", "", {});
  }

  std::string text() {
    text_ = "hearth\n0 0\nd--755 0 0\n";
    children_of(root_);
    return text_ + "$\n";
  }

 private:
  void children_of(const XfsNode& node) {
    for (const XfsNode& child : node.children) {
      text_ += cat(child.told, " ", said(child), "\n");
      if (!child.is_directory()) continue;
      children_of(child);
      text_ += "$\n";
    }
  }

  std::string said(const XfsNode& node) {
    if (node.hard_link || node.all_hole) return "---644 0 0 e";
    switch (node.status.st_mode & S_IFMT) {
      case S_IFDIR: return "d--755 0 0";
      case S_IFLNK:
        return cat("l--777 0 0 ", is_word(node.target) ? node.target : std::string(node.target.size(), 'x'));
      case S_IFIFO: return "p--644 0 0";
      case S_IFCHR: return device('c', node);
      case S_IFBLK: return device('b', node);
      default: return cat("---644 0 0 ", node.status.st_size == 0 ? "e" : source_of(node));
    }
  }

  static std::string device(char kind, const XfsNode& node) {
    return cat(std::string(1, kind), "--644 0 0 ", major(node.status.st_rdev), " ", minor(node.status.st_rdev));
  }

  std::string source_of(const XfsNode& node) {
    std::string path = cat("t/", node.path.lexically_relative(root_.path).string());
    if (is_word(path)) return path;
    path = cat("o", ++odd_);
    fs::create_symlink(fs::absolute(node.path), links_ / path);
    return path;
  }

  const XfsNode& root_;
  const fs::path& links_;
  std::string text_;
  unsigned odd_ = 0;
};

/// Linux hands ACLs out as a version and entries of {tag, rights, id}; XFS keeps a count and {tag, id, rights, 0}.
std::string xfs_acl(const std::string& value) {
  const std::size_t count = value.size() < 4 ? 0 : (value.size() - 4) / 8;
  std::string out(4 + count * 12, '\0');
  put_be(out, 0, count, 4);
  for (std::size_t i = 0; i < count; ++i) {
    put_be(out, 4 + i * 12, get_le(value, 4 + i * 8, 2), 4);
    put_be(out, 8 + i * 12, get_le(value, 8 + i * 8, 4), 4);
    put_be(out, 12 + i * 12, get_le(value, 6 + i * 8, 2), 2);
  }
  return out;
}

struct StoredAttribute {
  std::uint8_t space = 0;  ///< 0 user, 2 trusted, 4 security
  std::string name;
  std::string value;
};

std::optional<StoredAttribute> stored(const std::string& name, const std::string& value) {
  if (name == "system.posix_acl_access") return StoredAttribute{2, "SGI_ACL_FILE", xfs_acl(value)};
  if (name == "system.posix_acl_default") return StoredAttribute{2, "SGI_ACL_DEFAULT", xfs_acl(value)};
  if (name.starts_with("user.")) return StoredAttribute{0, name.substr(5), value};
  if (name.starts_with("trusted.")) return StoredAttribute{2, name.substr(8), value};
  if (name.starts_with("security.")) return StoredAttribute{4, name.substr(9), value};
  return std::nullopt;
}

}  // namespace

XfsNode read_xfs_tree(const fs::path& source) {
  Seen seen;
  XfsNode root = read_node(source, "", seen);
  if (!root.is_directory()) throw Error(ErrorKind::input, cat(source.string(), " is not a directory"));
  return root;
}

std::optional<std::string> xfs_stand_in(const std::string& name) {
  std::string told = name;
  for (std::size_t i = 0; i < told.size(); ++i) {
    if (!ends_word(told[i]) && !(i == 0 && told[i] == ':') && told != "$") continue;
    const bool last = i + 1 == told.size();
    if (last && i == 0) return std::nullopt;
    flip(told, i, last ? 7 : 0);
    last ? flip(told, i - 1, 0) : flip(told, i + 1, 7);
  }
  if (!is_word(told)) return std::nullopt;
  return told;
}

std::optional<std::string> xfs_obstacle(const XfsNode& node) {
  const std::string shown = node.path.string();
  const bool file = S_ISREG(node.status.st_mode) && !node.hard_link && !node.all_hole;
  if (file && static_cast<std::uint64_t>(node.status.st_size) > k_largest_file)
    return cat(shown, " is larger than 2 GiB");
  if (node.target.size() > k_inline_target) return cat("the link ", shown, " has a very long target");
  const std::size_t room = node.target.empty() ? 256 : 280 - std::min<std::size_t>(node.target.size(), 280);
  if (!node.attributes.empty() && !xfs_attribute_fork(node.attributes, room))
    return cat("the extended attributes of ", shown, " don't fit into an inode");
  std::set<std::string> told;
  for (const XfsNode& child : node.children) {
    if (child.told.empty() || !told.insert(child.told).second)
      return cat("mkfs.xfs can't be told the name of ", child.path.string());
    if (std::optional<std::string> obstacle = xfs_obstacle(child)) return obstacle;
  }
  return std::nullopt;
}

std::optional<std::string> xfs_obstacle(const std::vector<std::string>& options) {
  for (const std::string& option : options) {
    for (const char* odd : {"-n", "-r", "-p", "crc=0", "logdev", "-i"}) {
      if (option.find(odd) != std::string::npos) return cat("its options (", join(options, " "), ")");
    }
  }
  return std::nullopt;
}

std::uint64_t largest_file(const XfsNode& root) {
  std::uint64_t largest = S_ISREG(root.status.st_mode) ? static_cast<std::uint64_t>(root.status.st_size) : 0;
  for (const XfsNode& child : root.children) largest = std::max(largest, largest_file(child));
  return largest;
}

std::string xfs_prototype(const XfsNode& root, const fs::path& links) { return Prototype(root, links).text(); }

std::optional<std::string> xfs_attribute_fork(const std::map<std::string, std::string>& attributes, std::size_t room) {
  std::string held(4, '\0');
  std::size_t count = 0;
  for (const auto& [name, value] : attributes) {
    const std::optional<StoredAttribute> each = stored(name, value);
    if (!each) continue;
    if (each->name.size() > 255 || each->value.size() > 255) return std::nullopt;
    held += static_cast<char>(each->name.size());
    held += static_cast<char>(each->value.size());
    held += static_cast<char>(each->space);
    held += each->name + each->value;
    ++count;
  }
  if (count == 0) return "";
  if (count > 255 || held.size() > room) return std::nullopt;
  put_be(held, 0, held.size(), 2);
  put_be(held, 2, count, 1);
  return held;
}

}  // namespace hearth::builder
