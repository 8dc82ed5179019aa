// The rehearsal itself: runs as process 1 of namespaces of its own, so that whatever it started ends with it.
#pragma once

#include <functional>

#include "bootstrap/rehearse/plan.hpp"

namespace hearth::bootstrap {

/// Plays the whole site; prints how it goes. 0 when every machine is active, or spare, and every step succeeded.
/// Everything it leaves is in `settings.work`. Where it is to be kept, `kept` gets that code, and it never returns.
/// Throws Error.
int run_rehearsal(const RehearsalSettings& settings, const std::function<void(int)>& kept);

/// The signs on a machine's console of what its agent did (lines of the element site-report).
[[nodiscard]] std::vector<std::string> report_lines(std::string_view console);
/// Whether all results of a run stand there, to their end.
[[nodiscard]] bool has_whole_report(std::string_view console);
/// Whether a system has come up that has a login there.
[[nodiscard]] bool asks_for_login(std::string_view console);

}  // namespace hearth::bootstrap
