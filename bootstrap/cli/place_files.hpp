// Where other programs of this computer find the services.
#pragma once

#include <vector>

#include "base/path.hpp"

namespace hearth::bootstrap {

/// Files that say where this process serves: nobody is to find them when it does no more, or never began to.
class PlaceFiles {
 public:
  PlaceFiles() = default;
  PlaceFiles(const PlaceFiles&) = delete;
  PlaceFiles& operator=(const PlaceFiles&) = delete;
  ~PlaceFiles() { remove(); }
  void add(fs::path file) { files_.push_back(std::move(file)); }
  void remove() noexcept {
    boost::system::error_code ignored;
    for (const fs::path& file : files_) fs::remove(file, ignored);
    files_.clear();
  }

 private:
  std::vector<fs::path> files_;
};

}  // namespace hearth::bootstrap
