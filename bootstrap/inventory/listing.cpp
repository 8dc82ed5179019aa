#include "bootstrap/inventory/listing.hpp"

#include <algorithm>
#include <array>

#include "base/text.hpp"
#include "bootstrap/inventory/foreign_forms.hpp"
#include "bootstrap/inventory/site_form.hpp"
#include "metadata/model/json_reader.hpp"
#include "metadata/model/value.hpp"
#include "metadata/model/value_text.hpp"
#include "metadata/model/yaml_reader.hpp"

namespace hearth::bootstrap {

namespace {

using metadata::Entry;
using metadata::Kind;
using metadata::Value;

Position position(const Value& value) {
  return {static_cast<int>(value.mark().line), static_cast<int>(value.mark().column)};
}

/// Keys whose values are text, whatever YAML takes them for.
bool wants_text(std::string_view path) {
  static constexpr std::array<std::string_view, 9> words = {"password", "user", "name",   "addr", "mac",
                                                            "_id",      "uuid", "serial", "wwn"};
  return std::any_of(words.begin(), words.end(),
                     [&](std::string_view word) { return path.find(word) != std::string_view::npos; });
}

bool looks_like_mac(std::string_view text) {
  if (text.size() != 17) return false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool good = i % 3 == 2 ? text[i] == ':' : std::isxdigit(static_cast<unsigned char>(text[i])) != 0;
    if (!good) return false;
  }
  return true;
}

/// Turns values into JSON and notes where each stood.
class Converter {
 public:
  Converter(std::string_view text, bool yaml) : yaml_(yaml) {
    if (yaml) lines_ = split_lines(text);
  }

  Json convert(const Value& value, const std::string& path) {
    places_[path] = position(value);
    if (value.is_list()) {
      Json list = Json::array();
      for (const Value& item : value.items()) list.push_back(convert(item, cat(path, "[", list.size(), "]")));
      return list;
    }
    if (value.is_map()) {
      Json map = Json::object();
      for (const Entry& entry : value.entries()) {
        const std::string key = metadata::python_str(entry.key);
        map[key] = convert(entry.value, path.empty() ? key : cat(path, ".", key));
      }
      return map;
    }
    return scalar(value, path);
  }
  std::map<std::string, Position> take_places() { return std::exchange(places_, {}); }

 private:
  Json scalar(const Value& value, const std::string& path) const {
    if (yaml_ && !value.is_string() && !value.is_null()) {
      const std::string written = written_at(position(value));
      if (looks_like_mac(written) || (wants_text(path) && !written.empty())) return written;
    }
    if (value.is_bool()) return value.as_bool();
    if (value.kind() == Kind::integer) return value.as_integer();
    if (value.is_number()) return value.as_real();
    return value.is_string() ? Json(value.text()) : Json();
  }

  /// The plain scalar that stands there. Columns count characters, but before a plain scalar of digits there is
  /// hardly anything but ASCII; what does not fit gives nothing or another text, and the number stays.
  [[nodiscard]] std::string written_at(const Position& at) const {
    if (at.line < 1 || at.line > static_cast<int>(lines_.size())) return "";
    const std::string& line = lines_[static_cast<std::size_t>(at.line) - 1];
    const auto from = static_cast<std::size_t>(at.column) - 1;
    if (from >= line.size()) return "";
    std::size_t to = line.find_first_of(",]}", from);
    const std::size_t comment = line.find(" #", from);
    to = std::min({to, comment, line.size()});
    return std::string(trim(std::string_view(line).substr(from, to - from)));
  }

  bool yaml_;
  std::vector<std::string> lines_;
  std::map<std::string, Position> places_;
};

ListingEntry entry_of(const Value& value, Converter& converter) {
  ListingEntry entry;
  entry.at = position(value);
  entry.data = converter.convert(value, "");
  entry.places = converter.take_places();
  return entry;
}

/// A site file has a network and its machines.
bool is_site_file(const Value& top) {
  const Value* machines = top.find("machines");
  return top.find("network") != nullptr && machines != nullptr && machines->is_list();
}

std::vector<ListingEntry> site_entries(const Value& top, Converter& converter) {
  ListingEntry defaults;
  if (const Value* bmc = top.find("bmc"); bmc != nullptr) {
    defaults.data["bmc"] = converter.convert(*bmc, "bmc");
    defaults.places = converter.take_places();
  }
  std::vector<ListingEntry> entries;
  for (const Value& item : top.find("machines")->items()) {
    entries.push_back(entry_of(item, converter));
    ListingEntry& entry = entries.back();
    if (entry.data.is_object() && !entry.data.contains("name")) entry.data["name"] = cat("node", entries.size());
    from_site_form(entry, defaults);
  }
  return entries;
}

Result<std::vector<ListingEntry>> entries_of(const Value& top, Converter& converter, std::string_view source) {
  std::vector<ListingEntry> entries;
  if (is_site_file(top)) return site_entries(top, converter);
  const Value* nodes = top.is_list() ? &top : top.find("nodes");
  if (nodes != nullptr && nodes->is_list()) {
    for (const Value& item : nodes->items()) {
      entries.push_back(entry_of(item, converter));
      if (item.is_map()) from_ironic_form(entries.back());
    }
    return entries;
  }
  const bool by_name = top.is_map() && !top.entries().empty() &&
                       std::all_of(top.entries().begin(), top.entries().end(), [](const Entry& e) {
                         return e.value.is_map() && e.value.find("driver") != nullptr;
                       });
  if (!by_name) {
    return ParseError{std::string(source), position(top),
                      "expected a list of nodes, or an object with the key \"nodes\""};
  }
  for (const Entry& item : top.entries()) {
    entries.push_back(entry_of(item.value, converter));
    entries.back().at = position(item.key);
    from_bifrost_form(metadata::python_str(item.key), entries.back());
  }
  return entries;
}

}  // namespace

Position ListingEntry::place(const std::string& path) const {
  const auto found = places.find(path);
  return found == places.end() ? at : found->second;
}

std::optional<ListingFormat> format_of(std::string_view file_name) {
  const std::size_t dot = file_name.rfind('.');
  const std::string end = dot == std::string_view::npos ? "" : to_lower(file_name.substr(dot + 1));
  if (end == "json") return ListingFormat::json;
  if (end == "yaml" || end == "yml") return ListingFormat::yaml;
  if (end == "csv") return ListingFormat::csv;
  if (end == "txt" || end == "sh") return ListingFormat::lines;
  return std::nullopt;
}

Result<std::vector<ListingEntry>> read_listing(std::string_view text, std::string_view source, ListingFormat format) {
  if (format == ListingFormat::csv) return read_csv_listing(text, source);
  if (format == ListingFormat::lines) return read_enrol_lines(text, source);
  const bool yaml = format == ListingFormat::yaml;
  const Result<Value> top = yaml ? metadata::parse_yaml(text, source) : metadata::parse_json_value(text, source);
  if (!top) return top.error();
  Converter converter(text, yaml);
  return entries_of(*top, converter, source);
}

}  // namespace hearth::bootstrap
