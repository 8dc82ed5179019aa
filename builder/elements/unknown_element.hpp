// What is told of an element that the catalog does not have: which one was meant, and what has it be found.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/environment.hpp"
#include "base/error.hpp"
#include "builder/elements/catalog.hpp"

namespace hearth::builder {

/// `needed_by`: who depends on it; empty where a person asked for it.
[[nodiscard]] Error unknown_element(const Catalog& catalog, const std::string& name, const std::string& needed_by);

/// Elements that may have been meant: those with the name in theirs, else the one that is written nearly so.
[[nodiscard]] std::vector<std::string> near_elements(const Catalog& catalog, const std::string& name);

/// Of a directory of this name here, or in a folder here: how ELEMENTS_PATH finds it; empty where there is none.
[[nodiscard]] std::string found_by_search_path(const std::string& name);

/// A variable that is set and that nothing reads, whose name is nearly ELEMENTS_PATH.
[[nodiscard]] std::optional<std::string> mistyped_search_path(const Environment& environment);

}  // namespace hearth::builder
