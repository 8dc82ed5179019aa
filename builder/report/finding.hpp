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
  int column = 0;  ///< 0: not known
  bool operator==(const Finding&) const = default;
};

/// Names of checks that are switched off.
using Disabled = std::set<std::string>;

/// "FILE:LINE:COLUMN: error: WHAT [CHECK]", as compilers and editors have it; without what is not known.
[[nodiscard]] std::string finding_text(const Finding& finding);

/// For --json: file, line, column, severity, check, what.
[[nodiscard]] Json findings_json(const std::vector<Finding>& findings);

/// The words of comments "dib-lint: disable=a b". In a script it begins its line ("# dib-lint: …"), as upstream has it.
[[nodiscard]] Disabled disabled_checks(std::string_view text, std::string_view before = "# ");

/// The value of `ignore` in the section [dib-lint] of a tox.ini.
[[nodiscard]] Disabled globally_disabled_checks(std::string_view tox_ini);

}  // namespace hearth::builder
