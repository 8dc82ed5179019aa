// Cron's expressions: minute, hour, day, month, day of the week, and seconds at the end where there are six.
// Format: crontab(5), with the liberties that Heat's reader takes: names, "@daily" and its kin, L, 5#2.
#pragma once

#include <string>

namespace hearth::metadata {

[[nodiscard]] bool is_cron(const std::string& text);

}  // namespace hearth::metadata
