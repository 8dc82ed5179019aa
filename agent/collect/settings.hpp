// The settings of one os-collect-config process: command line over environment over files, with $-substitution.
//
// Scalars take the strongest source: command line, OS_<GROUP>__<NAME>, last file that sets them, default. Lists append:
// files in their order, then the command line; the environment form (comma separated) takes the files' place; operands
// replace the list of collectors. A blank value means "not configured": Heat's null values render as such, and must not
// stop the daemon.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "agent/collect/ini.hpp"
#include "agent/collect/option_table.hpp"
#include "base/cli/options.hpp"
#include "base/sys/file.hpp"
#include "base/sys/process.hpp"

namespace hearth::agent {

class Settings {
 public:
  /// Throws Error(usage) when a number or boolean can't be read.
  Settings(const std::vector<Assignment>& files, const Environment& env, const cli::Arguments& arguments);

  /// Nothing when not configured or blank. The option must be in the table.
  [[nodiscard]] std::optional<std::string> text(std::string_view group, std::string_view name) const;
  [[nodiscard]] std::string text_or(std::string_view group, std::string_view name, std::string fallback) const;
  [[nodiscard]] double number(std::string_view group, std::string_view name) const;
  [[nodiscard]] bool flag(std::string_view group, std::string_view name) const;
  /// Blank elements are left out.
  [[nodiscard]] std::vector<std::string> list(std::string_view group, std::string_view name) const;
  /// What was odd but not fatal: unknown names behind "$".
  [[nodiscard]] const std::vector<std::string>& warnings() const { return warnings_; }

 private:
  using Key = std::pair<std::string_view, std::string_view>;  ///< group and name, out of the table
  void read_files(const std::vector<Assignment>& files);
  void read_environment(const Environment& env);
  void read_arguments(const cli::Arguments& arguments);
  void add(const SettingRow& row, std::string value);
  void check_types() const;
  [[nodiscard]] const std::vector<std::string>& raw(std::string_view group, std::string_view name) const;
  [[nodiscard]] std::string expand(std::string_view text, std::string_view group, const std::set<Key>& open,
                                   std::vector<std::string>* warnings) const;
  [[nodiscard]] std::optional<std::string> reference(std::string_view name, std::string_view group,
                                                     std::set<Key> open) const;
  [[nodiscard]] std::string shown(const SettingRow& row, const std::set<Key>& open) const;

  std::map<Key, std::vector<std::string>> values_;  ///< before substitution
  std::vector<std::string> warnings_;
};

/// Configuration files that take part, in reading order.
struct ConfigFiles {
  std::vector<std::string> files;      ///< named or default ones; a change of theirs re-executes the program
  std::vector<std::string> from_dirs;  ///< *.conf of the directories
  bool operator==(const ConfigFiles&) const = default;
};

/// Throws Error(not_found) when a file named on the command line is missing.
[[nodiscard]] ConfigFiles find_config_files(const cli::Arguments& arguments, const std::string& home,
                                            const FileReader& files);

/// Throws Error(input) for a file with a syntax error.
[[nodiscard]] std::vector<Assignment> read_config_files(const ConfigFiles& config, const FileReader& files);

/// MD5 over the contents of the files; unreadable ones are passed over.
[[nodiscard]] std::string fingerprint(const std::vector<std::string>& paths, const FileReader& files);

}  // namespace hearth::agent
