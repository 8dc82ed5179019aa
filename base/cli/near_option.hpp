// What was meant by an option that a command does not have: one that is nearly so, is called otherwise by other
// programs, or stands at another command. Pure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/cli/command.hpp"

namespace hearth::cli {

/// Of "--format json" the option of the table that does it, as it is typed ("--json"); of a letter likewise. Empty
/// where there is none.
[[nodiscard]] std::string near_option(const std::vector<Option>& table, const std::string& name);

/// Of an option that takes some values only, the one that was meant by another.
[[nodiscard]] std::optional<std::string> near_value(const Option& option, const std::string& value);

/// What a person may do in place of the option that `fault` ("unrecognized option '--x'") says; empty where nothing is
/// known. `program` may be null: of a link.
[[nodiscard]] std::string option_advice(const std::string& name, const Command& command, const Program* program,
                                        const std::string& fault);

/// `hearth help --state`: whether any command has that option, and what it is, with the commands.
[[nodiscard]] bool is_option_of_others(const Program& program, const std::string& word);
[[nodiscard]] std::string option_help(const Program& program, const std::string& word);

}  // namespace hearth::cli
