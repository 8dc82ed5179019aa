// What a step's result depends on, as values: facts such as "env DIB_RELEASE" = digest. Pure. A kept result is valid
// while every fact that was noted when it was made still holds.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/sys/process.hpp"
#include "builder/layers/keyed_facts.hpp"

namespace hearth::builder {

/// Kind and name, separated by one blank, to a digest:
///   "env NAME"         a variable that the step sees
///   "hook PATH"        a file of the merged hooks that it read ("missing" when there is none)
///   "list PATH"        a directory there whose names it read
///   "file PATH"        a file of the host that a variable which it uses names
///   "names hooks"      the names of all files of the merged hooks but scripts: for a step that may ask for any
///   "host PATH"        a file or directory of the host that its scripts name, whether they open it or not
///   "repository URL"   a Release file that packages were taken by
///   "fetch METHOD URL" what a recorded or replayed request was answered with
///   "packages PHASE"   what package-installs files ask for
using Facts = std::map<std::string, std::string>;

/// The digest of a fact's value.
[[nodiscard]] std::string fact_digest(std::string_view value);

/// A variable that says nothing about what a hook does unless the hook names it: those of a login session, and what the
/// builder itself passes in (image name, command line, list of elements). All others count by themselves.
[[nodiscard]] bool counts_only_when_named(std::string_view variable);

/// "env" facts of a step that sees `environment` and whose scripts are `texts`.
[[nodiscard]] Facts environment_facts(const Environment& environment, const std::vector<std::string>& texts,
                                      const FactKey& key = {});

/// What differs, as sentences: "DIB_RELEASE has another value", "install.d/20-x changed".
[[nodiscard]] std::vector<std::string> describe_differences(const Facts& before, const Facts& now);

}  // namespace hearth::builder
