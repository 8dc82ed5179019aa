// The host's part in every step.
#pragma once

#include <string>

#include "base/sys/file.hpp"

namespace hearth::builder {

/// The host's release, and versions of the packages that bring what bootstraps and fetches; on hosts without dpkg the
/// release stands for them.
[[nodiscard]] std::string host_tools(const FileReader& files);

}  // namespace hearth::builder
