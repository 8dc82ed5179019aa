// The options of os-collect-config, as one table: their names in files, on the command line and in the environment,
// their types and defaults. Parsing, precedence, help and completion all come from these rows.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/cli/options.hpp"

namespace hearth::agent {

enum class SettingType { text, number, boolean, list };

struct SettingRow {
  std::string_view group;   ///< "DEFAULT" or the collector's name
  std::string_view name;    ///< in files
  std::string_view option;  ///< behind "--"; empty = not on the command line
  char letter = 0;
  SettingType type = SettingType::text;
  std::vector<std::string> preset;  ///< default; none = not configured (lists: empty)
  std::string_view help;
};

[[nodiscard]] const std::vector<SettingRow>& setting_rows();

/// The row of a name in a (normal) group; nothing when there is none.
[[nodiscard]] const SettingRow* find_row(std::string_view group, std::string_view name);

/// "no-" form of a boolean option: "noone-time", in groups "zaqar-nouse-websockets".
[[nodiscard]] std::string inverse_option(const SettingRow& row);

/// Rows, inverses and aliases as a command line table.
[[nodiscard]] std::vector<cli::Option> command_line_table();

/// Further long names of an option, as oslo.log knows them ("logfile" for "log-file").
struct OptionAlias {
  std::string_view alias;
  std::string_view option;
};
[[nodiscard]] const std::vector<OptionAlias>& option_aliases();

/// The environment variable that sets a row: OS_<GROUP>__<NAME>.
[[nodiscard]] std::string environment_name(const SettingRow& row);

}  // namespace hearth::agent
