// Which files of a directory tree are opened: what a step reads of the hooks, watched while it runs (inotify: costs
// nothing where nobody looks, needs no rights, sees through bind mounts and chroot). Executing a script is opening it.
// Asking only whether a file exists is not seen.
#pragma once

#include <map>
#include <set>
#include <string>

#include "base/path.hpp"
#include "base/sys/fd.hpp"

namespace hearth::builder {

/// Paths are relative to the watched root, where nothing else is said.
struct Reads {
  std::set<std::string> files;
  std::set<std::string> directories;                ///< whose names were listed; "" is the root
  std::map<std::string, std::string> machine = {};  ///< of the machine, absolute, with stamps: seen by StepWatch
  std::map<std::string, std::string> asked = {};    ///< likewise, of paths only asked for, what that told
  std::set<std::string> shown = {};                 ///< likewise, shown somewhere else, to be read there
  bool tells_elements = false;                      ///< StepWatch saw the step: of elements it read what `machine` says
  std::set<std::string> copies = {};                ///< places of which all counts by what servers said
  std::set<std::string> reached = {};               ///< of places that count where they are reached: noted before
  bool everything = false;                          ///< too many to tell, or nobody watched: take all as read

  /// To `copies`, and out of what was read of the machine.
  void add_copy(const fs::path& place);
};

class ReadWatch {
 public:
  /// Watches `root` and the directories that are below it now. Where the kernel has no watch left to give
  /// (fs.inotify.max_user_instances, max_user_watches), take() says `everything`.
  explicit ReadWatch(fs::path root);
  /// What was opened since the last call.
  [[nodiscard]] Reads take();

 private:
  [[nodiscard]] bool watch(const std::string& directory);
  fs::path root_;
  Fd events_;
  std::map<int, std::string> directories_;  ///< by watch descriptor
};

}  // namespace hearth::builder
