// What lint finds: a place, the check's name (by which it is switched off) and what to do about it.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "base/json.hpp"
#include "base/path.hpp"

namespace hearth::builder {

enum class Severity { error, warning };

struct Finding {
  fs::path file;
  int line = 0;  ///< 0: the whole file
  Severity severity = Severity::error;
  std::string check;
  std::string what;
  bool operator==(const Finding&) const = default;
};

/// Names of checks that are switched off.
using Disabled = std::set<std::string>;

/// "FILE:LINE: error: WHAT [CHECK]".
[[nodiscard]] std::string finding_text(const Finding& finding);

/// For --json: file, line, severity, check, what.
[[nodiscard]] Json findings_json(const std::vector<Finding>& findings);

/// The words of comments "dib-lint: disable=a b". In a script it begins its line ("# dib-lint: …"), as upstream has it.
[[nodiscard]] Disabled disabled_checks(std::string_view text, std::string_view before = "# ");

/// The value of `ignore` in the section [dib-lint] of a tox.ini.
[[nodiscard]] Disabled globally_disabled_checks(std::string_view tox_ini);

}  // namespace hearth::builder
