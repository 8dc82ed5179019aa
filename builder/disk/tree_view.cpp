#include "builder/disk/tree_view.hpp"

#include <fcntl.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cstdio>

#include "base/error.hpp"
#include "base/sys/random.hpp"
#include "base/text.hpp"

namespace hearth::builder {

namespace {

std::string octal(unsigned mode) {
  std::array<char, 16> text{};
  std::snprintf(text.data(), text.size(), "%o", mode & 07777U);
  return text.data();
}

/// An empty tmpfs over `directory` that looks like it from outside.
void cover(const fs::path& directory) {
  struct stat before {};
  if (::lstat(directory.c_str(), &before) != 0) throw Error::from_errno("reading", directory.string());
  if (!S_ISDIR(before.st_mode))
    throw Error(ErrorKind::input, cat("the mount point ", directory.string(), " is not a directory"));
  const std::string options =
      cat("size=64k,mode=", octal(before.st_mode), ",uid=", before.st_uid, ",gid=", before.st_gid);
  if (::mount("tmpfs", directory.c_str(), "tmpfs", MS_NOSUID | MS_NODEV, options.c_str()) != 0) {
    throw Error::from_errno("mounting an empty file system on", directory.string());
  }
  const std::array<timespec, 2> times = {before.st_atim, before.st_mtim};
  if (::utimensat(AT_FDCWD, directory.c_str(), times.data(), 0) != 0) {
    throw Error::from_errno("setting the time of", directory.string());
  }
}

}  // namespace

TreeView TreeView::create(const fs::path& tree, const std::vector<fs::path>& hidden, const fs::path& scratch) {
  if (hidden.empty()) return {tree, false};
  const fs::path at = scratch / cat("view-", random_hex(6));
  if (::mkdir(at.c_str(), 0700) != 0) throw Error::from_errno("creating", at.string());
  TreeView view(at, true);
  if (::mount(tree.c_str(), at.c_str(), nullptr, MS_BIND, nullptr) != 0) {
    throw Error::from_errno("binding", tree.string());
  }
  for (const fs::path& directory : hidden) {
    const fs::path covered = at / directory;
    if (fs::exists(covered)) cover(covered);  // below an already covered one there is nothing left
  }
  return view;
}

TreeView::~TreeView() {
  if (!mounted_) return;
  ::umount2(path_.c_str(), MNT_DETACH);
  ::rmdir(path_.c_str());
}

}  // namespace hearth::builder
