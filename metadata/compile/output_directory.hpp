// A directory of files that appears as a whole: written beside its place, then exchanged with what was there. Not
// synced to disk: it is derived, a compile gives it again.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/path.hpp"
#include "base/sys/file.hpp"

namespace hearth::metadata {

class OutputDirectory {
 public:
  /// Throws Error when the parent of `target` is missing or can't be written.
  explicit OutputDirectory(const fs::path& target);
  /// `name` is relative: "servers/a/metadata.json".
  void write(const std::string& name, std::string_view data);
  /// The directory takes its place; an older one goes.
  void commit();

 private:
  fs::path target_;
  TempDir fresh_;
};

}  // namespace hearth::metadata
