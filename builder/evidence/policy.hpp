// What whoever uses an image asks of the statement about it, besides who signed it. Pure.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/json.hpp"

namespace hearth::builder::evidence {

struct Policy {
  std::optional<std::string> builder;  ///< runDetails.builder.id
  std::optional<std::string> name;     ///< of the image
  std::optional<std::string> version;  ///< --image-version of its build
  std::optional<std::string>
      minimum_version;                     ///< this or a later one: an older image is no answer to a question of today
  std::optional<std::int64_t> not_before;  ///< when the build ended, seconds since 1970
};

/// What the statement does not fulfil, as sentences; none when it does.
[[nodiscard]] std::vector<std::string> policy_faults(const Json& statement, const Policy& policy);

/// What a statement says of these: "builder", "name", "version", "finished"; empty where it says nothing.
[[nodiscard]] std::map<std::string, std::string> identity_in(const Json& statement);

/// "2026-11-23", "2026-11-23T10:00:00Z", or seconds since 1970.
[[nodiscard]] std::optional<std::int64_t> parse_time(const std::string& text);

}  // namespace hearth::builder::evidence
