// A file system, or a directory shown once more, mounted while the object lives.
#pragma once

#include <string>

namespace hearth::agent::deploy {

class Mounted {
 public:
  /// mount(2) with these; the target is made where it is missing. Throws Error(io).
  Mounted(const std::string& type, const std::string& device, std::string target, unsigned long flags);
  /// Shows `source` and all below it at `target` as well.
  Mounted(const std::string& source, std::string target);
  Mounted(const Mounted&) = delete;
  Mounted& operator=(const Mounted&) = delete;
  ~Mounted();

 private:
  std::string target_;
};

}  // namespace hearth::agent::deploy
