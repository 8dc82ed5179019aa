// The names of time zones (IANA's tz database), so that a template can be checked on a machine that has none.
#pragma once

#include <string>

namespace hearth::metadata {

/// In any case of letters.
[[nodiscard]] bool is_time_zone(const std::string& name);

}  // namespace hearth::metadata
