#include "builder/layers/work_area.hpp"

#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include <set>

#include "base/error.hpp"
#include "base/sys/file.hpp"
#include "base/text.hpp"
#include "builder/layers/archive.hpp"
#include "builder/layers/difference.hpp"

namespace hearth::builder {

namespace {

constexpr const char* k_saved_base = ".hearth-base";  // in a copy: what the plan had laid out when it was made

/// "trusted" attributes are not for user namespaces; nothing here is to survive a crash, so nothing is synced.
std::string overlay_options(const std::string& lower, const fs::path& upper, const fs::path& work, const char* sync) {
  return cat("lowerdir=", lower, ",upperdir=", upper.string(), ",workdir=", work.string(), ",userxattr", sync);
}

bool try_overlay(const std::string& lower, const fs::path& upper, const fs::path& work, const fs::path& place) {
  for (const char* sync : {",volatile", ""}) {
    const std::string options = overlay_options(lower, upper, work, sync);
    if (::mount("overlay", place.c_str(), "overlay", MS_NODEV, options.c_str()) == 0) return true;
  }
  return false;
}

/// Whether a directory can take the place of one that was removed: needs attributes of the upper file system, which
/// tmpfs has since Linux 6.6.
std::string overlay_fault(const fs::path& scratch) {
  for (const char* name : {"low/d", "up", "work", "at"}) fs::create_directories(scratch / name);
  const auto path = [&](const char* name) { return scratch / name; };
  if (!try_overlay(path("low").string(), path("up"), path("work"), path("at"))) {
    return cat("the kernel has no overlay for user namespaces there (", std::strerror(errno), ")");
  }
  const fs::path directory = path("at") / "d";
  const bool works = ::rmdir(directory.c_str()) == 0 && ::mkdir(directory.c_str(), 0755) == 0;
  ::umount2(path("at").c_str(), MNT_DETACH);
  return works ? "" : "overlays there can't replace directories";
}

void move_entries(const fs::path& from, const fs::path& to) {
  for (const std::string& name : RealFileSystem().list(from)) fs::rename(from / name, to / name);
}

void copy_tree(const fs::path& from, const fs::path& to) {
  std::string archive;
  pack_tree(from, [&](std::string_view bytes) { archive += bytes; });
  fs::create_directories(to);
  unpack_tree(archive, to);
}

bool same_file(const fs::path& a, const fs::path& b) {
  const RealFileSystem files;
  const std::optional<FileStatus> one = files.status(a);
  const std::optional<FileStatus> other = files.status(b);
  if (!one || !other || one->type != other->type || one->mode != other->mode) return false;
  return one->type != FileStatus::Type::regular || files.read(a) == files.read(b);
}

bool is_folder(const fs::path& path) { return fs::is_directory(fs::symlink_status(path)); }
bool is_there(const fs::path& path) { return fs::exists(fs::symlink_status(path)); }

/// Files that no hook has touched are replaced by those that the plan laid out now; what hooks removed stays away.
void renew_link(const fs::path& old_base, const fs::path& new_base, const fs::path& place) {
  const RealFileSystem files;
  std::set<std::string> untouched;
  for (const std::string& name : files.list(old_base)) {
    if (is_folder(old_base / name)) {
      if (is_folder(place / name)) renew_link(old_base / name, new_base / name, place / name);
    } else if (same_file(old_base / name, place / name)) {
      fs::remove(place / name);
      untouched.insert(name);
    }
  }
  for (const std::string& name : files.list(new_base)) {
    const bool removed_by_hook = is_there(old_base / name) && untouched.count(name) == 0;
    if (is_there(place / name) || removed_by_hook) continue;
    if (is_folder(new_base / name)) {
      copy_tree(new_base / name, place / name);
    } else {
      fs::copy(new_base / name, place / name);
    }
  }
}

}  // namespace

WorkArea WorkArea::create(const fs::path& place, const fs::path& store, bool overlay) {
  WorkArea area(place, store);
  area.why_not_ = overlay ? overlay_fault(store / "probe") : "no overlay is wanted";
  area.is_overlay_ = area.why_not_.empty();
  area.base_ = store / "base";
  fs::create_directory(area.base_);
  if (area.is_overlay_) {
    move_entries(place, area.base_);
  } else {
    copy_tree(place, area.base_);
  }
  return area;
}

fs::path WorkArea::add_layer() {
  fs::path layer = store_ / cat("layer-", number_++);
  fs::create_directory(layer);
  layers_.push_back(layer);
  return layer;
}

void WorkArea::drop_layers() {
  for (const fs::path& layer : layers_) fs::remove_all(layer);
  layers_.clear();
}

void WorkArea::mount() {
  if (!is_overlay_) {
    if (!layers_.empty()) put_back_plain();
    return;
  }
  if (layers_.empty()) {
    copy_tree(base_, place_);
    return;
  }
  upper_ = store_ / cat("layer-", number_++);
  fs::create_directory(upper_);
  mount_overlay(upper_);
}

void WorkArea::mount_overlay(const fs::path& upper) {
  const fs::path work = upper.string() + ".work";
  fs::create_directory(work);
  std::string lower;
  for (auto layer = layers_.rbegin(); layer != layers_.rend(); ++layer) lower += cat(layer->string(), ":");
  if (!try_overlay(lower + base_.string(), upper, work, place_)) {
    throw Error::from_errno("mounting the layers of the build on", place_.string());
  }
}

/// The newest copy holds everything.
void WorkArea::put_back_plain() {
  for (const std::string& name : RealFileSystem().list(place_)) fs::remove_all(place_ / name);
  move_entries(layers_.back(), place_);
  renew_link(place_ / k_saved_base, base_, place_);
  fs::remove_all(place_ / k_saved_base);
}

/// The plain directory becomes the first layer.
void WorkArea::end_plain() {
  upper_ = store_ / cat("layer-", number_++);
  fs::create_directory(upper_);
  move_entries(place_, upper_);
  leave_difference(base_, upper_);
}

fs::path WorkArea::freeze() {
  if (!is_overlay_) {
    fs::remove_all(place_ / k_saved_base);
    copy_tree(base_, place_ / k_saved_base);
    return place_;
  }
  if (layers_.empty()) {
    end_plain();
  } else if (::umount2(place_.c_str(), 0) != 0) {
    throw Error::from_errno("closing the layer of", place_.string());
  }
  layers_.push_back(upper_);
  fs::path frozen = upper_;
  mount();
  return frozen;
}

void WorkArea::show_anew() {
  if (is_overlay_ && !layers_.empty()) (void)freeze();
}

}  // namespace hearth::builder
