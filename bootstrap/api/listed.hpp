// Lists as Ironic's REST API answers them: sorted, cut into pages, with all fields of a row or some. Pure.
#pragma once

#include <string_view>
#include <vector>

#include "bootstrap/api/ironic_api.hpp"

namespace hearth::bootstrap {

/// The fields of `row` that are named, and its links; all for "". Throws Refusal (400) for one that there is not.
[[nodiscard]] Json only_fields(const Json& row, std::string_view fields);
/// Whether the request asks for whole rows: /detail, detail, fields or sort_key.
[[nodiscard]] bool wants_whole_rows(const ApiCall& call);

struct Listing {
  std::string_view key;    ///< "nodes"
  std::string_view path;   ///< behind /v1: "volume/targets"
  std::string_view brief;  ///< fields of a row unless the request says otherwise; "" = all
};
/// {KEY: rows, "next": URL} by sort_key, sort_dir, marker, limit, fields and detail. Throws Refusal (400).
[[nodiscard]] Json listed(const ApiCall& call, std::vector<Json> rows, const Listing& listing);
/// Whether the request's page is cut from the list's own order: then page_of() needs no other rows.
[[nodiscard]] bool is_in_list_order(const ApiCall& call);
/// How many rows the page has; the fallback where the request doesn't say. Throws Refusal (400).
[[nodiscard]] std::size_t asked_limit(const ApiCall& call, std::size_t fallback);
[[nodiscard]] Refusal unknown_marker(std::string_view marker);
/// As listed(), of rows that begin behind the marker; more of them than asked_limit() where the list goes on.
[[nodiscard]] Json page_of(const ApiCall& call, std::vector<Json> rows, const Listing& listing);

}  // namespace hearth::bootstrap
