#include "builder/disk/ext/ext_tree.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <map>

#include "base/error.hpp"
#include "base/sys/fd.hpp"
#include "base/sys/file.hpp"
#include "base/text.hpp"

namespace hearth::builder {

namespace {

std::string attribute_of(const fs::path& path, const char* name) {
  const ssize_t size = ::lgetxattr(path.c_str(), name, nullptr, 0);
  std::string value(size > 0 ? static_cast<std::size_t>(size) : 0, '\0');
  const ssize_t got = size < 0 ? size : ::lgetxattr(path.c_str(), name, value.data(), value.size());
  if (got < 0) throw Error::from_errno(cat("reading the attribute ", name, " of"), path.string());
  value.resize(static_cast<std::size_t>(got));
  return value;
}

std::vector<std::pair<std::string, std::string>> attributes_of(const fs::path& path) {
  const ssize_t size = ::llistxattr(path.c_str(), nullptr, 0);
  if (size == 0 || (size < 0 && errno == ENOTSUP)) return {};
  std::string names(size > 0 ? static_cast<std::size_t>(size) : 0, '\0');
  const ssize_t got = size < 0 ? size : ::llistxattr(path.c_str(), names.data(), names.size());
  if (got < 0) throw Error::from_errno("reading the attributes of", path.string());
  names.resize(static_cast<std::size_t>(got));
  std::map<std::string, std::string> attributes;
  for (std::size_t at = 0; at < names.size(); at += std::string_view(names.c_str() + at).size() + 1) {
    attributes[names.c_str() + at] = attribute_of(path, names.c_str() + at);
  }
  return {attributes.begin(), attributes.end()};
}

std::vector<DataRange> data_of_sparse(const fs::path& path, std::uint64_t size, std::uint64_t block) {
  const Fd file = Fd::open(path.string(), O_RDONLY | O_NOFOLLOW);
  std::vector<DataRange> ranges;
  off_t data = ::lseek(file.get(), 0, SEEK_DATA);
  while (data >= 0) {
    const off_t hole = ::lseek(file.get(), data, SEEK_HOLE);
    if (hole < 0) throw Error::from_errno("finding the data of", path.string());
    const std::uint64_t begin = static_cast<std::uint64_t>(data) / block * block;
    const std::uint64_t end = std::min(size, (static_cast<std::uint64_t>(hole) + block - 1) / block * block);
    if (!ranges.empty() && begin <= ranges.back().offset + ranges.back().length) {
      ranges.back().length = end - ranges.back().offset;
    } else if (begin < end) {
      ranges.push_back({begin, end - begin});
    }
    data = ::lseek(file.get(), hole, SEEK_DATA);
  }
  if (errno != ENXIO) throw Error::from_errno("finding the data of", path.string());
  return ranges;
}

class ExtTreeScan {
 public:
  ExtTreeScan(const fs::path& root, std::uint64_t block) : root_(root), block_(block) {}

  std::vector<ExtNode> run() {
    add("", "", 0);
    return std::move(nodes_);
  }

 private:
  void add(std::string path, std::string name, std::size_t parent) {
    const fs::path full = path.empty() ? root_ : root_ / path;
    struct stat status {};
    const int failed = path.empty() ? ::stat(full.c_str(), &status) : ::lstat(full.c_str(), &status);
    if (failed != 0) throw Error::from_errno("reading", full.string());
    if (S_ISSOCK(status.st_mode)) return;
    const std::size_t index = nodes_.size();
    if (index > 0) nodes_[parent].children.push_back(index);
    nodes_.push_back(node_of(full, status));
    ExtNode& node = nodes_.back();
    node.path = std::move(path);
    node.name = std::move(name);
    node.parent = parent;
    node.same_as = index;
    if (node.is_directory()) {
      node.links = 2;
      if (index > 0) ++nodes_[parent].links;
      add_children(index, full);
    } else if (status.st_nlink > 1) {
      share(index, status);
    }
  }

  void add_children(std::size_t index, const fs::path& directory) {
    const std::string path = nodes_[index].path;
    for (const std::string& name : RealFileSystem().list(directory)) {
      add(path.empty() ? name : cat(path, "/", name), name, index);
    }
  }

  void share(std::size_t index, const struct stat& status) {
    const auto [first, is_new] = inodes_.try_emplace({status.st_dev, status.st_ino}, index);
    if (is_new) return;
    nodes_[index].same_as = first->second;
    ++nodes_[first->second].links;
  }

  [[nodiscard]] ExtNode node_of(const fs::path& path, const struct stat& status) const {
    ExtNode node;
    node.mode = status.st_mode;
    node.uid = status.st_uid;
    node.gid = status.st_gid;
    node.mtime_s = status.st_mtim.tv_sec;
    node.device = status.st_rdev;
    node.attributes = attributes_of(path);
    const auto size = static_cast<std::uint64_t>(status.st_size);
    if (S_ISLNK(status.st_mode)) {
      node.link = fs::read_symlink(path).string();
      node.size = node.link.size();
    } else if (S_ISREG(status.st_mode) && size > 0) {
      node.size = size;
      const bool may_have_holes = static_cast<std::uint64_t>(status.st_blocks) * 512 < size;
      node.data = may_have_holes ? data_of_sparse(path, size, block_) : std::vector<DataRange>{{0, size}};
    }
    return node;
  }

  const fs::path& root_;
  std::uint64_t block_;
  std::vector<ExtNode> nodes_;
  std::map<std::pair<dev_t, ino_t>, std::size_t> inodes_;
};

}  // namespace

bool ExtNode::is_directory() const { return S_ISDIR(mode); }
bool ExtNode::is_file() const { return S_ISREG(mode); }
bool ExtNode::is_link() const { return S_ISLNK(mode); }

std::vector<ExtNode> read_ext_tree(const fs::path& root, std::uint64_t block_size) {
  return ExtTreeScan(root, block_size).run();
}

}  // namespace hearth::builder
