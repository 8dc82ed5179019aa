// From rendered files to changes on disk: first a plan that can be shown (--diff, --check), then atomic writes.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "agent/apply/tree.hpp"
#include "base/log.hpp"
#include "base/sys/file_batch.hpp"

namespace hearth::agent {

struct FileChange {
  enum class Kind {
    write,   ///< content, mode or owner differ, or the path is a link that a file will replace
    keep,    ///< already as it should be
    remove,  ///< empty, and empty is not allowed
    skip,    ///< empty, not allowed, and not there
  };
  Kind kind = Kind::write;
  std::string path;
  std::string content;
  FileAttributes attributes;
  std::optional<std::string> old_content;  ///< nothing = there is no such file
  std::optional<FileStatus> old_status;    ///< of what a link points to

  [[nodiscard]] bool changes_something() const { return kind == Kind::write || kind == Kind::remove; }
};

/// Mode and owner come from the control file, else from what is there (links followed), else 0644 and the caller.
/// Throws Error(input) when a target is a directory: better before the first write than after it.
[[nodiscard]] std::vector<FileChange> plan_changes(const std::vector<RenderedFile>& files,
                                                   const std::string& output_root, const FileReader& reader);

/// Replaces files together: see write_together.
using WriteTogether = std::function<void(const std::vector<FileToWrite>&)>;

/// Carries the plan out, files whole and fsynced or not at all, and logs "writing P" or "deleting P". What is to be
/// deleted goes last.
void apply_changes(const std::vector<FileChange>& changes, FileSystem& files, const WriteTogether& write, Logger& log);

/// The plan as a unified diff; a change of mode or owner is a "# PATH: mode 0644 -> 0600" line.
[[nodiscard]] std::string describe_changes(const std::vector<FileChange>& changes);

}  // namespace hearth::agent
