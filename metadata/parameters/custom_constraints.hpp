// Custom constraints by name. Those that are pure logic are checked; those that ask a service (nova.flavor,
// glance.image, …) can't be answered without it and hold; unknown names never hold.
#pragma once

#include <string>
#include <vector>

#include "metadata/model/value.hpp"

namespace hearth::metadata {

/// What is wrong with the value; empty when nothing is.
[[nodiscard]] std::string custom_complaint(const std::string& name, const Value& value);
/// A name that only a service could answer.
[[nodiscard]] bool needs_service(const std::string& name);

/// The constraints cron_expression and timezone; the latter in any case of letters.
[[nodiscard]] bool is_cron(const std::string& text);
[[nodiscard]] bool is_time_zone(const std::string& name);

}  // namespace hearth::metadata
