// A secret read from a file, such as a signing key. Children of this process don't inherit it: the kernel gives a fork
// zeros in its place (MADV_WIPEONFORK), so that whoever can read a child's memory, as hooks of a build can, finds
// nothing.
#pragma once

#include <memory>
#include <string_view>

#include "base/path.hpp"

namespace hearth {

class Secret {
 public:
  /// The whole file, of 64 KiB at most. Throws Error.
  [[nodiscard]] static Secret read(const fs::path& file);
  /// Zeros in a child of the process that read it.
  [[nodiscard]] std::string_view text() const;

 private:
  struct Pages;
  explicit Secret(std::shared_ptr<const Pages> pages) : pages_(std::move(pages)) {}
  std::shared_ptr<const Pages> pages_;
};

}  // namespace hearth
