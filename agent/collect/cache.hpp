// What was collected, on disk: for each document NAME.json (now), NAME.json.orig (the first ever) and NAME.json.last
// (as of the last successful command), and os_config_files.json, the list that os-apply-config reads. Every file is
// written beside its place, fsynced and renamed; mode 0600, since metadata hold passwords.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/json.hpp"
#include "base/log.hpp"
#include "base/path.hpp"
#include "base/sys/file.hpp"

namespace hearth::agent {

class Cache {
 public:
  Cache(fs::path directory, FileSystem& files, Logger& log)
      : directory_(std::move(directory)), files_(files), log_(log) {}

  /// Names come from outside. One that would leave the directory, hide, or take the place of our own list is refused.
  [[nodiscard]] static bool is_safe_name(std::string_view name);

  struct Stored {
    fs::path path;
    bool changed = false;  ///< differs, as a value, from what the last successful command saw
  };
  /// `name` must be safe. Creates the directory (0755) when it is missing.
  Stored store(const std::string& name, const Json& content);
  /// Marks the present content of a document as seen by a successful command.
  void commit(const std::string& name);
  /// Writes os_config_files.json: the documents' paths.
  void store_list(const std::vector<std::string>& names);
  /// Makes `backup` a copy of this directory. Never throws: a missing copy must not stop the agent.
  void back_up(const fs::path& backup);

 private:
  [[nodiscard]] fs::path path_of(std::string_view name) const;
  [[nodiscard]] bool differs_from_last(const fs::path& path, const Json& content) const;
  void write(const fs::path& path, std::string_view data);
  void copy_to(const fs::path& backup);

  fs::path directory_;
  FileSystem& files_;
  Logger& log_;
};

}  // namespace hearth::agent
