// What a build would leave out without a word, told before its first hook and again at its end; with --strict it ends
// the build. Scripts and names that were found right before are remembered beside the layers, so that this costs
// little.
#pragma once

#include <string>
#include <vector>

#include "builder/disk/layout/layout.hpp"
#include "builder/plan/build_plan.hpp"
#include "builder/report/build_log.hpp"
#include "builder/report/finding.hpp"
#include "builder/spec/image_request.hpp"

namespace hearth::builder {

[[nodiscard]] std::vector<Finding> build_warnings(const FileReader& files, const ImageRequest& request,
                                                  const BuildPlan& plan, const DiskLayout& layout,
                                                  CommandRunner& runner);

/// Throws Error(input) with all of them when the request is strict and there are some.
void refuse_warnings(const ImageRequest& request, const std::vector<Finding>& warnings);

/// Throws Error(input) with what is certain to end the build, which then does not begin.
void refuse_certain_faults(const std::vector<Finding>& warnings);

/// What becomes of the image that lies there: that it was signed, or had another version than its replay.
[[nodiscard]] std::vector<std::string> notes_on_earlier_image(const ImageRequest& request);

/// A line each, to the log and to stderr.
void tell_warnings(const std::vector<Finding>& warnings, BuildLog& log);

/// After a failure: the same again, and names of packages that only the lists which the build fetched could tell of.
void tell_at_end(const ImageRequest& request, const BuildPlan& plan, std::vector<Finding> warnings, bool failed,
                 BuildLog& log);

}  // namespace hearth::builder
