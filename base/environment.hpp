// The variables of a process, as a value.
#pragma once

#include <map>
#include <string>

namespace hearth {

/// Environment variables by name; ordered, so that whatever is derived from it is deterministic.
using Environment = std::map<std::string, std::string>;

}  // namespace hearth
