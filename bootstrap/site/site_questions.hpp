// What a person is asked for a new site file. The terminal is a seam.
#pragma once

#include <functional>
#include <optional>

#include "bootstrap/site/site_draft.hpp"

namespace hearth::bootstrap {

/// Asks one thing: the question, what holds when nothing is typed, and whether it is to be hidden. Nothing at the end
/// of the input.
using Ask =
    std::function<std::optional<std::string>(const std::string& question, const std::string& usual, bool hidden)>;
/// Says a line.
using Say = std::function<void(const std::string& line)>;

/// Fills what the draft does not have; each question has its number, after those that were `asked` before. Throws Error
/// when the input ends before.
void ask_for_site(SiteDraft& draft, const Ask& ask, const Say& say, int asked = 0);

/// Without questions: fills what has a usual value. What is missing then, a line each, with its option.
[[nodiscard]] std::vector<std::string> fill_site(SiteDraft& draft);

}  // namespace hearth::bootstrap
