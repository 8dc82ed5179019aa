// A log file for each deployment, written while its hook runs: `tail -f` shows what a deployment is doing.
#pragma once

#include <string>

#include "base/path.hpp"
#include "base/sys/fd.hpp"

namespace hearth::agent {

/// The seam: tests keep the lines in memory.
class LogBook {
 public:
  virtual ~LogBook() = default;
  /// Adds a line to the log of that name. Never throws: a full disk must not end a deployment.
  virtual void append(const std::string& name, std::string_view line) noexcept = 0;
};

/// Files <directory>/<name>.log (0600) in a directory that is made with mode 0700. One that has grown over 16 MiB when
/// it is opened becomes <name>.log.1; when all of them are over 256 MiB, the oldest go.
class DirectoryLogBook final : public LogBook {
 public:
  explicit DirectoryLogBook(fs::path directory) : directory_(std::move(directory)) {}
  void append(const std::string& name, std::string_view line) noexcept override;

 private:
  void open(const std::string& name);
  fs::path directory_;
  std::string name_;  ///< of the file that is open
  Fd file_;
};

}  // namespace hearth::agent
