// Paths. `fs` is Boost.Filesystem (1.81: its remove_all walks by openat and can't be raced through a symlink).
// GuestPath is a path inside an image's root; it becomes a host path only through in(root), which drops ".." parts,
// so the two can't be confused and a guest path can't leave its root by its text.
#pragma once

#include <boost/filesystem/operations.hpp>
#include <boost/filesystem/path.hpp>
#include <string>

namespace hearth {

namespace fs = boost::filesystem;

class GuestPath {
 public:
  /// `text` must be absolute; "." and ".." parts are resolved by text ("/.." is "/").
  explicit GuestPath(const std::string& text);

  [[nodiscard]] const std::string& text() const { return text_; }
  [[nodiscard]] fs::path in(const fs::path& root) const;
  bool operator==(const GuestPath&) const = default;

 private:
  std::string text_;
};

}  // namespace hearth
