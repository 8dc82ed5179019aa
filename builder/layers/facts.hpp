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
///   "file NAME"        the file or directory of the host that this variable, which it uses, names
///   "names hooks"      the names of all files of the merged hooks but scripts: for a step that may ask for any
///   "host PATH"        a file or directory of the host that its scripts name, whether they open it or not
///   "repository URL"   a Release file that packages were taken by
///   "git URL REF"      the commit that was taken of a branch or tag
///   "fetch METHOD URL" what a recorded or replayed request was answered with
///   "packages PHASE"   what package-installs files ask for
using Facts = std::map<std::string, std::string>;

/// The digest of a fact's value.
[[nodiscard]] std::string fact_digest(std::string_view value);

/// A variable that programs read without being told its name: proxies, the locale, what package managers, compilers and
/// interpreters take, and diskimage-builder's own. It counts in every step.
[[nodiscard]] bool always_counts(std::string_view variable);

/// Of a login session or a build service, or what the builder itself passes in (image name, command line, list of
/// elements): a script depends on it where it names it, and never by listing all variables.
[[nodiscard]] bool is_of_session(std::string_view variable);

/// Whether a text has the variable's name as a word.
[[nodiscard]] bool names_variable(std::string_view text, std::string_view variable);

/// Whether a value may be the path of an input: absolute, not the build's own, not of a session, and neither in the
/// image cache nor around it, which every build writes to.
[[nodiscard]] bool may_name_input(const std::string& variable, const std::string& value,
                                  const Environment& environment);

/// "env" facts of a step that sees `environment` and whose scripts are `texts`: what always counts, what they name, and
/// where they read variables whose names they do not say (`${!name}`, `env`), all but a session's.
[[nodiscard]] Facts environment_facts(const Environment& environment, const std::vector<std::string>& texts,
                                      const FactKey& key = {});

/// What differs, as sentences: "DIB_RELEASE has another value", "install.d/20-x changed".
[[nodiscard]] std::vector<std::string> describe_differences(const Facts& before, const Facts& now);

}  // namespace hearth::builder
