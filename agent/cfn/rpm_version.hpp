// How RPM orders versions: digits and letters in runs, numbers by value, a number before letters. Everything else only
// separates; "~" sorts before the end. https://rpm-software-management.github.io/rpm/manual/dependencies.html
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace hearth::agent {

/// Negative, zero or positive, as `one` is older than, equal to or newer than `other`.
[[nodiscard]] int compare_rpm_versions(std::string_view one, std::string_view other);
/// Empty when there are none.
[[nodiscard]] std::string newest_rpm_version(const std::vector<std::string>& versions);

}  // namespace hearth::agent
