// Names of packages against the lists of the repositories that they would come from, before anything is fetched: the
// lists of an earlier build's bootstrap, else those of this machine's apt (package_lists.hpp). Where neither has the
// release, nothing is said.
#pragma once

#include <string>
#include <vector>

#include "base/sys/file.hpp"
#include "builder/plan/build_plan.hpp"
#include "builder/report/finding.hpp"
#include "builder/spec/image_request.hpp"

namespace hearth::builder {

/// What a name of a list stands for, by its element's pkg-map, in the system that is built; the name itself where that
/// system is not known.
[[nodiscard]] std::vector<std::string> packages_behind(const FileReader& files, const BuildPlan& plan,
                                                       const Environment& environment, const PackageEntry& entry);

/// What package-installs files and -p ask for and no list has, with the nearest name. `known` are names that were found
/// before ("package SYSTEM RELEASE NAME"); those of this call are added.
[[nodiscard]] std::vector<Finding> unknown_packages(const FileReader& files, const ImageRequest& request,
                                                    const BuildPlan& plan, std::vector<std::string>& known);

/// Scripts that are to start in the image, for a program (python3, ruby …) that neither the base system has nor any of
/// its packages brings, with what they depend on. Where a hook may install further ones, nothing is said.
/// `known` as above: what was found to be there is remembered.
[[nodiscard]] std::vector<Finding> missing_interpreters(const FileReader& files, const ImageRequest& request,
                                                        const BuildPlan& plan, std::vector<std::string>& known);

}  // namespace hearth::builder
