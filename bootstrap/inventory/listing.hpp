// Inventory files taken apart: JSON, YAML, CSV, INI and lists of enrolment commands, in the forms that the field writes
// them, to entries with the keys of instackenv.json, each with the place where it stands. Nothing is judged here.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.hpp"
#include "base/result.hpp"

namespace hearth::bootstrap {

/// How a file is written, its form then being known by what is in it; or which form it has, however it is written.
enum class ListingFormat {
  any,
  json,
  yaml,
  csv,
  lines,
  ini,
  instackenv,
  ironic,
  bifrost,
  site,
  metal3,
  ansible,
  maas,
  netbox,
  warewulf,
  tinkerbell,
  openchami,
};

/// By the file's extension.
[[nodiscard]] std::optional<ListingFormat> format_of(std::string_view file_name);
/// What --format says: json, yaml, csv, txt, ini or a form.
[[nodiscard]] std::optional<ListingFormat> format_named(std::string_view name);
[[nodiscard]] const std::vector<std::string>& format_names();
[[nodiscard]] std::string name_of(ListingFormat format);

/// A column of a table that its form does not have.
struct Heading {
  std::string text;  ///< as it is written
  std::string form;  ///< what the table was taken for
  Position at;
};

/// One machine as the file has it.
struct ListingEntry {
  Json data = Json::object();  ///< instackenv's keys
  Position at;
  std::map<std::string, Position> places;  ///< of "mac", "mac[0]", "ports[1].address"
  std::string in_use;                      ///< what says that something runs on it: "status_name Deployed"
  bool may_share_bmc = false;              ///< its form has several machines of one BMC, and nothing to tell them apart
  std::set<std::string> left_out;          ///< fields of the form that nothing here has a use for
  std::vector<std::string> known;          ///< where there are fields that the form does not have: those that it has
  std::map<std::string, Heading> headings;                    ///< of a table whose form does not have all of them
  std::vector<std::pair<std::string, std::string>> faults;    ///< path, what is wrong there
  std::vector<std::pair<std::string, std::string>> warnings;  ///< likewise, of what is taken all the same
  [[nodiscard]] Position place(const std::string& path) const;
};

/// Forms: {"nodes": […]}, a bare list; machines by name with "driver" (bifrost); Ironic's own "driver" and "ports"; the
/// machines of a site file; Metal3, Ansible and Kayobe, MAAS, NetBox, Warewulf, Tinkerbell, OpenCHAMI.
///
/// YAML 1.1 reads an unquoted 52:54:00:11:22:33 as a number of base 60, 0123 as octal and "yes" as a truth value: where
/// text is expected, what was written is taken instead.
[[nodiscard]] Result<std::vector<ListingEntry>> read_listing(std::string_view text, std::string_view source,
                                                             ListingFormat format = ListingFormat::any);

}  // namespace hearth::bootstrap
