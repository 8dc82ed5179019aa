// Why the last build of an image ran what it ran, or made none, from what it noted. Pure.
#pragma once

#include <string>
#include <vector>

#include "base/json.hpp"
#include "bootstrap/why/causes/finding.hpp"

namespace hearth::bootstrap::why {

struct ImageFacts {
  Json report;          ///< what steps.json holds (empty where there is none); one that made none as "unfinished"
  std::string table;    ///< the same for people, a line a step
  std::string records;  ///< directory where these lie
};

/// Never empty. Of a report that can't be read as one it throws Json::exception.
[[nodiscard]] std::vector<Finding> causes_of(const ImageFacts& facts);

}  // namespace hearth::bootstrap::why
