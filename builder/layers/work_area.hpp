// Where a build's state is while its layers are kept: an overlay over what the plan laid out anew (base) and the layers
// that were taken from the store, with a fresh upper directory for what comes. As long as there is no layer, the state
// is a plain directory, which becomes the first one: what makes an operating system writes more than all that follows,
// and a plain directory is faster. Where the kernel gives user namespaces no overlay, the state stays one and a layer
// is a copy of the whole.
#pragma once

#include <string>
#include <vector>

#include "base/path.hpp"

namespace hearth::builder {

class WorkArea {
 public:
  /// `place` is the directory that hooks work in, with what the plan laid out in it; `store` an empty directory on the
  /// same file system. What is in `place` becomes the base. Without `overlay` the copies are chosen at once.
  [[nodiscard]] static WorkArea create(const fs::path& place, const fs::path& store, bool overlay = true);

  [[nodiscard]] bool is_overlay() const { return is_overlay_; }
  /// Why not, for the user; empty when it is one.
  [[nodiscard]] const std::string& why_not() const { return why_not_; }
  /// What the plan laid out, untouched by hooks.
  [[nodiscard]] const fs::path& base() const { return base_; }
  /// A new empty directory for a layer from the store, on top of those before.
  [[nodiscard]] fs::path add_layer();
  /// Forgets the layers added so far.
  void drop_layers();
  /// Shows everything at `place`; to be called once the layers are there.
  void mount();
  /// Ends the upper layer and begins a new one; returns the directory to be packed. Nothing may be mounted below, no
  /// file there be open. A plain directory is returned itself: it must be packed before anything else runs.
  [[nodiscard]] fs::path freeze();
  /// Mounts it anew where it is an overlay: a hard link to a file of a layer below has two inode numbers until then,
  /// and who packs the tree would make two files of it. As for freeze(), nothing may be open or mounted below.
  void show_anew();
  [[nodiscard]] const fs::path& place() const { return place_; }

 private:
  WorkArea(fs::path place, fs::path store) : place_(std::move(place)), store_(std::move(store)) {}
  void mount_overlay(const fs::path& upper);
  void end_plain();
  void put_back_plain();

  fs::path place_;
  fs::path store_;
  fs::path base_;
  std::vector<fs::path> layers_;  ///< lowest first
  std::size_t number_ = 0;
  fs::path upper_;
  bool is_overlay_ = false;
  std::string why_not_;
};

}  // namespace hearth::builder
