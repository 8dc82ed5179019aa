// How long a build is going to take yet, by the times of the image's last build: a Progress that tells the one behind
// it. It counts fetched bytes, too, where apt's own lines tell them.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/json.hpp"
#include "base/progress.hpp"

namespace hearth::builder {

/// Seconds of each step when it last ran: `steps` is what steps.json holds, `timing` what timing.json does; either may
/// be anything else, and tells nothing then.
[[nodiscard]] std::map<std::string, double> last_times(const Json& steps, const Json& timing);

/// The bytes that a line of apt-get says it gets ("Get:3 URL PACKAGE [1,234 kB]"); 0 for other lines.
[[nodiscard]] std::uint64_t fetched_by(std::string_view line);

/// Tells `progress`, as each step begins, how long it and those of `planned` that have not come yet took the last time;
/// nothing while no step to come is in `times`.
[[nodiscard]] std::unique_ptr<Progress> estimate(std::unique_ptr<Progress> progress,
                                                 std::map<std::string, double> times,
                                                 const std::vector<std::string>& planned);

}  // namespace hearth::builder
