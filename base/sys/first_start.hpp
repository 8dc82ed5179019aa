// What a service lays down in its state directory before it serves: of a first start that does not happen nothing is
// left. A directory in which anything was before stays as it is.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/path.hpp"
#include "base/sys/lock.hpp"

namespace hearth {

class FirstStart {
 public:
  /// Looks whether anything is in `folder`, and makes nothing.
  explicit FirstStart(fs::path folder);
  /// For a service without a lock file, when the folder is there: one that begins beside it leaves it alone then.
  void hold();
  /// It serves: all stays.
  void happened() { is_first_ = false; }
  FirstStart(const FirstStart&) = delete;
  FirstStart& operator=(const FirstStart&) = delete;
  /// Takes away what is there now, the folders above it that were not there, too, unless somebody else holds the
  /// folder, or has the file "lock" in it.
  ~FirstStart();

 private:
  void take_away() const;

  fs::path folder_;
  bool is_first_ = false;
  std::vector<fs::path> missing_;  ///< which were not there, the innermost first
  std::optional<FileLock> held_;
};

}  // namespace hearth
