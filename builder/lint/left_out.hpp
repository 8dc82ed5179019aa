// What a build would leave out without a word: hooks that can't run, places of an element that nothing reads,
// conditions that can't be true. Asked before the first hook of every build, in a plan and by lint; so it reads little.
#pragma once

#include <vector>

#include "base/sys/file.hpp"
#include "base/sys/process.hpp"
#include "builder/plan/build_plan.hpp"
#include "builder/report/finding.hpp"

namespace hearth::builder {

/// Whether a file of the element, hooks above all, mentions `name`: then it is data of its own. Not asked: READMEs,
/// `except`, and what lies more than `depth` directories below.
[[nodiscard]] bool is_mentioned(const FileReader& files, const fs::path& directory, const std::string& name, int depth,
                                const fs::path& except = {});

/// Hooks of the phases that are passed over: without an x bit, with a name that run-parts does not take, in a
/// directory.
[[nodiscard]] std::vector<Finding> idle_hooks(const FileReader& files, const Element& element);

/// Directories and files that look like those that a build reads, and are not: "post-instal.d", "package-installs.yml".
[[nodiscard]] std::vector<Finding> unread_places(const FileReader& files, const Element& element);

/// Parts of elements that another element reads, which is not among those of the image: static/ without install-static.
[[nodiscard]] std::vector<Finding> parts_without_reader(const FileReader& files, const ElementSet& elements);

/// Keys of svc-map and pkg-map that name no system, where one is near.
[[nodiscard]] std::vector<Finding> unknown_systems(const FileReader& files, const Element& element);

/// Scripts and lists with the line ends of Windows, which neither kernel nor shell reads as such.
[[nodiscard]] std::vector<Finding> foreign_line_ends(const FileReader& files, const Element& element);

/// Conditions of package-installs files that hold nowhere.
[[nodiscard]] std::vector<Finding> vain_conditions(const std::vector<PackageEntry>& entries);

/// Hooks and environment files that bash does not understand (bash -n). `known` are digests of those that it does, from
/// earlier calls; those of this one are added.
[[nodiscard]] std::vector<Finding> syntax_faults(const FileReader& files, const std::vector<Element>& elements,
                                                 CommandRunner& runner, std::vector<std::string>& known);

/// Users of elements whom nobody can log in as.
[[nodiscard]] std::vector<Finding> locked_out_users(const FileReader& files, const ElementSet& elements,
                                                    const Environment& environment);

/// Variables DIB_… that are set and that nothing reads, where one that something reads is near.
[[nodiscard]] std::vector<Finding> misspelt_variables(const FileReader& files, const ElementSet& elements,
                                                      const Environment& environment);

/// Conditions on variables that neither `environment` nor an environment.d of the elements sets, which is told by
/// `what`: the build would end with those.
[[nodiscard]] std::vector<Finding> unset_conditions(
    const FileReader& files, const std::vector<PackageEntry>& packages, const std::vector<Element>& elements,
    const Environment& environment, std::string_view what = "which nobody sets: the build will end there");

/// Files that variables of Hearth's own elements name and that are not there.
[[nodiscard]] std::vector<Finding> missing_files(const FileReader& files, const ElementSet& elements,
                                                 const Environment& environment);

/// DIB_RELEASE that is none of those that this machine knows (its own, those of its apt's lists and of debootstrap),
/// where one of these is near. What nothing here knows may be new, or of another archive.
[[nodiscard]] std::vector<Finding> misspelt_release(const FileReader& files, const ElementSet& elements,
                                                    const Environment& environment);

/// All of these, of all elements but those of Hearth's own tree, which are tested; less what comments switch off.
[[nodiscard]] std::vector<Finding> left_out(const FileReader& files, const BuildPlan& plan,
                                            const Environment& environment, CommandRunner& runner,
                                            std::vector<std::string>& known);

}  // namespace hearth::builder
