// Filters, paging and order of the orchestration API's lists.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/json.hpp"
#include "base/net/query.hpp"

namespace hearth::metadata::live {

using Fields = std::vector<std::pair<std::string, std::string>>;

/// For every parameter that names a field, the field has one of the values given. "COMPLETE" passes for
/// "CREATE_COMPLETE".
[[nodiscard]] bool passes(const Parameters& parameters, const Fields& fields);
/// tags (all of them), tags-any, not-tags (not all), not-tags-any (none), as comma lists, over a stack's own.
[[nodiscard]] bool passes_tags(const Parameters& parameters, const Json& tags);
/// A number that is not negative; 0 where none is given. Throws EngineError, in Heat's words, for all else.
[[nodiscard]] std::uint64_t number_of(const Parameters& parameters, std::string_view name);
/// `list` from behind the entry `marker` on, `limit` entries at most, by `sort_keys` and `sort_dir` where given.
[[nodiscard]] Json paged(Json list, const Parameters& parameters);

}  // namespace hearth::metadata::live
