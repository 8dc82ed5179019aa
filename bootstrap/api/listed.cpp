#include "bootstrap/api/listed.hpp"

#include <algorithm>

#include "base/net/url.hpp"
#include "base/text.hpp"

namespace hearth::bootstrap {

namespace {

bool asks_for_detail(const ApiCall& call) { return call.truth("detail") || call.parts.back() == "detail"; }

void sort_rows(const ApiCall& call, std::vector<Json>& rows) {
  const std::string key = call.parameter("sort_key");
  const std::string way = call.parameter("sort_dir");
  if (!way.empty() && way != "asc" && way != "desc") {
    throw Refusal(400, cat("Invalid sort direction: ", way, ". Acceptable values are 'asc' or 'desc'"));
  }
  if (!key.empty() && !rows.empty() && (!rows.front().contains(key) || rows.front()[key].is_structured())) {
    throw Refusal(400, cat("The sort_key value ", key, " is an invalid field for sorting"));
  }
  if (!key.empty()) {
    std::stable_sort(rows.begin(), rows.end(), [&](const Json& a, const Json& b) { return a[key] < b[key]; });
  }
  if (way == "desc") std::reverse(rows.begin(), rows.end());
}

/// Those of `fields` that there are: what is told unasked depends on the API's version.
Json brief_row(const Json& row, std::string_view fields) {
  if (fields.empty()) return row;
  Json chosen = Json::object();
  for (const std::string& field : split(cat(fields, ",links"), ',')) {
    if (row.contains(field)) chosen[field] = row[field];
  }
  return chosen;
}

/// Where the page begins: behind the marker.
std::size_t begin_of(const ApiCall& call, const std::vector<Json>& rows) {
  const std::string marker = call.parameter("marker");
  if (marker.empty()) return 0;
  const auto found =
      std::find_if(rows.begin(), rows.end(), [&](const Json& row) { return text_in(row, "uuid") == marker; });
  if (found == rows.end()) throw unknown_marker(marker);
  return static_cast<std::size_t>(found - rows.begin()) + 1;
}

/// The same request for what follows.
std::string next_url(const ApiCall& call, const Listing& listing, std::size_t limit, const std::string& marker) {
  std::string query;
  for (const auto& [name, value] : call.parameters) {
    if (name != "limit" && name != "marker") query += cat(percent_encode(name), "=", percent_encode(value), "&");
  }
  return cat(call.view.base, "/v1/", listing.path, "?", query, "limit=", limit, "&marker=", marker);
}

}  // namespace

Json only_fields(const Json& row, std::string_view fields) {
  if (fields.empty()) return row;
  Json chosen = Json::object();
  for (const std::string& field : split(fields, ',')) {
    if (!row.contains(field)) throw Refusal(400, cat("Field(s) \"", field, "\" are not valid"));
    chosen[field] = row[field];
  }
  if (row.contains("links")) chosen["links"] = row["links"];
  return chosen;
}

bool wants_whole_rows(const ApiCall& call) {
  return asks_for_detail(call) || !call.parameter("fields").empty() || !call.parameter("sort_key").empty();
}

bool is_in_list_order(const ApiCall& call) {
  const std::string way = call.parameter("sort_dir");
  return call.parameter("sort_key").empty() && (way.empty() || way == "asc");
}

std::size_t asked_limit(const ApiCall& call, std::size_t fallback) {
  const std::string text = call.parameter("limit");
  if (text.empty()) return fallback;
  const std::optional<std::uint64_t> limit = parse_number(text);
  if (!limit) throw Refusal(400, cat("Expected an integer for limit: ", text));
  if (*limit == 0) throw Refusal(400, "Limit must be positive");
  return static_cast<std::size_t>(std::min<std::uint64_t>(*limit, fallback));
}

Refusal unknown_marker(std::string_view marker) { return {404, cat("The marker ", marker, " could not be found.")}; }

Json page_of(const ApiCall& call, std::vector<Json> rows, const Listing& listing) {
  const std::string fields = call.parameter("fields");
  const bool detail = asks_for_detail(call);
  if (detail && !fields.empty()) throw Refusal(400, "Can not specify ?detail=True and fields in the same request.");
  const std::size_t limit = asked_limit(call, rows.size());
  Json list = Json::array();
  for (std::size_t at = 0; at < limit; ++at) {
    const bool brief = !detail && fields.empty();
    list.push_back(brief ? brief_row(rows[at], listing.brief) : only_fields(rows[at], fields));
  }
  Json body = {{listing.key, list}};
  if (limit < rows.size()) body["next"] = next_url(call, listing, limit, text_in(rows[limit - 1], "uuid"));
  return body;
}

Json listed(const ApiCall& call, std::vector<Json> rows, const Listing& listing) {
  sort_rows(call, rows);
  rows.erase(rows.begin(), rows.begin() + static_cast<std::ptrdiff_t>(begin_of(call, rows)));
  return page_of(call, std::move(rows), listing);
}

}  // namespace hearth::bootstrap
