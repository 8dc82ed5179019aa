// Inventory files taken apart: JSON, YAML, CSV and lists of enrolment commands, in the shapes that the field writes
// them, to entries with the keys of instackenv.json, each with the place where it stands. Nothing is judged here.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.hpp"
#include "base/result.hpp"

namespace hearth::bootstrap {

enum class ListingFormat { json, yaml, csv, lines };

/// By the file's extension.
[[nodiscard]] std::optional<ListingFormat> format_of(std::string_view file_name);

/// One machine as the file has it.
struct ListingEntry {
  Json data = Json::object();  ///< instackenv's keys
  Position at;
  std::map<std::string, Position> places;  ///< of "mac", "mac[0]", "ports[1].address"
  [[nodiscard]] Position place(const std::string& path) const;
};

/// Forms: {"nodes": […]}, a bare list; machines by name with "driver" (bifrost); Ironic's own "driver" and "ports"; the
/// machines of a site file.
///
/// YAML 1.1 reads an unquoted 52:54:00:11:22:33 as a number of base 60, 0123 as octal and "yes" as a truth value: where
/// text is expected, what was written is taken instead.
[[nodiscard]] Result<std::vector<ListingEntry>> read_listing(std::string_view text, std::string_view source,
                                                             ListingFormat format);

}  // namespace hearth::bootstrap
