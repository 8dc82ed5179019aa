#include "builder/layers/scratch.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/xattr.h>

#include <optional>
#include <string_view>

#include "base/error.hpp"
#include "base/sys/file.hpp"
#include "base/text.hpp"
#include "builder/layers/archive.hpp"

namespace hearth::builder {

namespace {

constexpr std::string_view k_overlays = "user.overlay.";
constexpr const char* k_covers = "user.overlay.opaque";  ///< of a directory that took the place of another one

struct stat status_of(const fs::path& path) {
  struct stat status {};
  if (::lstat(path.c_str(), &status) != 0) throw Error::from_errno("reading", path.string());
  return status;
}

bool is_mark_of_removal(const struct stat& status) { return S_ISCHR(status.st_mode) && status.st_rdev == 0; }

bool covers_another(const fs::path& directory) { return ::lgetxattr(directory.c_str(), k_covers, nullptr, 0) >= 0; }

/// An overlay sets its own attributes, and lets nobody else.
void drop_attributes_of_overlay(const fs::path& path) {
  const ssize_t size = ::llistxattr(path.c_str(), nullptr, 0);
  if (size <= 0) return;
  std::string names(static_cast<std::size_t>(size), '\0');
  const ssize_t got = ::llistxattr(path.c_str(), names.data(), names.size());
  if (got < 0) throw Error::from_errno("reading the attributes of", path.string());
  names.resize(static_cast<std::size_t>(got));
  for (const std::string& name : split(names, '\0')) {
    if (name.starts_with(k_overlays) && ::lremovexattr(path.c_str(), name.c_str()) != 0)
      throw Error::from_errno(cat("removing the attribute ", name, " of"), path.string());
  }
}

/// Takes out of `directory` what was removed or replaced there, and out of `saved` what says so.
void make_room(const fs::path& saved, const fs::path& directory) {
  for (const std::string& name : RealFileSystem().list(saved)) {
    const fs::path from = saved / name;
    const fs::path to = directory / name;
    const struct stat status = status_of(from);
    const bool merges =
        S_ISDIR(status.st_mode) && !covers_another(from) && fs::symlink_status(to).type() == fs::directory_file;
    if (!merges) fs::remove_all(to);
    if (is_mark_of_removal(status)) {
      fs::remove(from);
      continue;
    }
    drop_attributes_of_overlay(from);
    if (S_ISDIR(status.st_mode)) make_room(from, to);
  }
}

}  // namespace

void save_scratch(const ScratchPlace& place, const fs::path& file) {
  if (RealFileSystem().list(place.written).empty()) return;
  fs::create_directories(file.parent_path());
  const Fd out = Fd::open(file.string(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  pack_tree(place.written, [&](std::string_view bytes) { write_all(out, bytes, file.string()); });
}

void bring_back_scratch(const ScratchPlace& place, const fs::path& file, const fs::path& room) {
  const std::optional<std::string> saved = RealFileSystem().read(file);
  if (!saved) return;
  fs::create_directory(room);
  unpack_tree(*saved, room);
  drop_attributes_of_overlay(room);
  make_room(room, place.directory);
  std::string archive;
  pack_tree(room, [&](std::string_view bytes) { archive += bytes; });
  unpack_tree(archive, place.directory);
  fs::remove_all(room);
}

}  // namespace hearth::builder
