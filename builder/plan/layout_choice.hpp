// Which block-device configuration an image's disk is made by: several elements may bring one, and one is taken.
#pragma once

#include <string>
#include <vector>

#include "base/sys/file.hpp"
#include "builder/plan/build_plan.hpp"
#include "builder/report/finding.hpp"
#include "builder/spec/image_request.hpp"

namespace hearth::builder {

struct ConfigText {
  std::string text;
  std::string source;  ///< a path, or what stands for it in messages
};

/// The first hit wins: what the user gives (DIB_BLOCK_DEVICE_CONFIG), then the elements in order, then a plain file
/// system.
[[nodiscard]] ConfigText layout_config(const FileReader& files, const ImageRequest& request, const BuildPlan& plan);

/// Elements whose configuration nobody takes, since another element's comes first. Whoever gives one means that.
[[nodiscard]] std::vector<Finding> idle_layouts(const FileReader& files, const ImageRequest& request,
                                                const BuildPlan& plan);

}  // namespace hearth::builder
