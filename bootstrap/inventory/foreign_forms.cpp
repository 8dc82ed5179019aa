#include "bootstrap/inventory/foreign_forms.hpp"

#include <array>
#include <map>
#include <set>

#include "base/text.hpp"
#include "bootstrap/inventory/entry_check.hpp"
#include "bootstrap/inventory/in_use.hpp"
#include "bootstrap/inventory/machine_forms.hpp"
#include "bootstrap/inventory/recognition.hpp"
#include "bootstrap/node/node.hpp"
#include "pxe/net/address.hpp"

namespace hearth::bootstrap {

namespace {

/// Takes driver, driver_info and what properties hold, under instackenv's names.
void take_driver(ListingEntry& entry, Json& out) {
  const Json& data = entry.data;
  out["pm_type"] = data["driver"];
  entry.places["pm_type"] = entry.place("driver");
  if (data.contains("driver_info") && data["driver_info"].is_object()) {
    for (const auto& [key, value] : data["driver_info"].items()) {
      if (const auto at = entry.places.find(cat("driver_info.", key)); at != entry.places.end())
        entry.places[key] = at->second;
      if (key == "deploy_kernel")
        out["kernel_id"] = value;
      else if (key == "deploy_ramdisk")
        out["ramdisk_id"] = value;
      else
        out[key] = value;
    }
  }
  static const std::map<std::string, std::string> names = {
      {"cpu_arch", "arch"}, {"cpus", "cpu"},       {"memory_mb", "memory"},          {"ram", "memory"},
      {"local_gb", "disk"}, {"disk_size", "disk"}, {"capabilities", "capabilities"}, {"root_device", "root_device"}};
  if (!data.contains("properties") || !data["properties"].is_object()) return;
  for (const auto& [key, value] : data["properties"].items()) {
    const auto known = names.find(key);
    out[known == names.end() ? cat("properties.", key) : known->second] = value;
    if (known != names.end()) entry.places[known->second] = entry.place(cat("properties.", key));
  }
}

/// bifrost's own example has what reaches the BMC one level deeper, in "power".
void flatten_power(ListingEntry& entry) {
  const Json power = object_member(object_member(entry.data, "driver_info"), "power");
  if (!power.is_object() || power.empty()) return;
  Json& info = entry.data["driver_info"];
  info.erase("power");
  for (const auto& [key, value] : power.items()) {
    entry.places[key] = entry.place(cat("driver_info.power.", key));
    if (!info.contains(key)) info[key] = value;
  }
}

/// Everything else that the two forms share with ours keeps its name.
void take_rest(const Json& data, Json& out) {
  for (const auto& [key, value] : data.items()) {
    if (key != "driver" && key != "driver_info" && key != "properties" && key != "nics") out[key] = value;
  }
}

/// Ports of a port group are ports; how they are bound is the installed system's business.
void take_port_groups(ListingEntry& entry, Json& out) {
  if (out.contains("chassis_uuid")) entry.left_out.insert("chassis_uuid");
  out.erase("chassis_uuid");
  const Json groups = out.contains("portgroups") ? out["portgroups"] : Json::array();
  if (!groups.is_array() || (out.contains("ports") && !out["ports"].is_array())) return;  // which is a fault by itself
  for (std::size_t i = 0; i < groups.size(); ++i) {
    const Json& ports = list_member(groups[i], "ports");
    for (std::size_t k = 0; k < ports.size(); ++k) {
      const std::string path = cat("portgroups[", i, "].ports[", k, "]");
      entry.places[cat("ports[", out["ports"].size(), "].address")] = entry.place(path + ".address");
      out["ports"].push_back(ports[k]);
    }
    for (const auto& [key, value] : groups[i].items()) {
      if (key != "ports") entry.left_out.insert(cat("portgroups[].", key));
    }
  }
  out.erase("portgroups");
}

struct CsvRow {
  std::vector<std::string> fields;
  std::vector<int> columns;  ///< where each begins, from 1
};

/// One row of CSV, in which no quote stays open.
CsvRow csv_row(std::string_view line, char separator) {
  CsvRow row{{""}, {1}};
  std::vector<std::string>& fields = row.fields;
  bool quoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (quoted && line[i] == '"' && i + 1 < line.size() && line[i + 1] == '"') {
      fields.back().push_back(line[i++]);
    } else if (line[i] == '"') {
      quoted = !quoted;
    } else if (line[i] == separator && !quoted) {
      fields.emplace_back();
      row.columns.push_back(static_cast<int>(i) + 2);
    } else {
      fields.back().push_back(line[i]);
    }
  }
  return row;
}

ParseError at_line(std::string_view source, std::size_t line, std::string what) {
  return {std::string(source), {static_cast<int>(line), 1}, std::move(what)};
}

struct EnrolWords {
  std::map<std::string, std::string> options;
  std::vector<std::string> operands;
};

EnrolWords enrol_words(std::string_view line) {
  EnrolWords words;
  const std::vector<std::string> all = split_words(line);
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all[i].rfind("--", 0) != 0) {
      words.operands.push_back(all[i]);
      continue;
    }
    const std::size_t equals = all[i].find('=');
    const std::string name = replace_all(all[i].substr(2, equals == std::string::npos ? equals : equals - 2), "-", "_");
    words.options[name] = equals != std::string::npos ? all[i].substr(equals + 1) : i + 1 < all.size() ? all[++i] : "";
  }
  return words;
}

}  // namespace

bool is_place(std::string_view column) { return column == "rack" || column == "slot" || column == "location"; }

void from_ironic_form(ListingEntry& entry) {
  if (entry.data.contains("pm_type") || !entry.data.contains("driver")) return;
  entry.in_use = take_ironic_use(entry.data);
  Json out = Json::object();
  take_driver(entry, out);
  take_rest(entry.data, out);
  take_port_groups(entry, out);
  entry.data = std::move(out);
}

void from_bifrost_form(const std::string& name, ListingEntry& entry) {
  flatten_power(entry);
  entry.in_use = take_ironic_use(entry.data);
  Json out = Json::object();
  take_driver(entry, out);
  take_rest(entry.data, out);
  if (!out.contains("name")) out["name"] = name;
  for (const auto& [key, own] :
       {std::pair{"ipa_kernel_url", "kernel_id"}, std::pair{"ipa_ramdisk_url", "ramdisk_id"}}) {
    if (!out.contains(key)) continue;
    entry.places[own] = entry.place(key);
    out[own] = out[key];
    out.erase(key);
  }
  if (entry.data.contains("nics") && entry.data["nics"].is_array()) {
    Json macs = Json::array();
    for (const Json& nic : entry.data["nics"]) {
      entry.places[cat("mac[", macs.size(), "]")] = entry.place(cat("nics[", macs.size(), "].mac"));
      macs.push_back(nic.is_object() && nic.contains("mac") ? nic["mac"] : nic);
    }
    out["mac"] = macs;
  }
  Json seed = Json::object();
  for (const char* key :
       {"ipv4_address", "instance_info", "host_groups", "provisioning_ipv4_address", "addressing_mode",
        "ansible_ssh_host", "ipv4_gateway", "ipv4_subnet_mask", "ipv4_nameserver", "node_network_data"}) {
    if (!out.contains(key)) continue;
    seed[key] = out[key];
    out.erase(key);
  }
  if (!seed.empty()) out["x_seed"] = seed;
  entry.data = std::move(out);
}

namespace {

/// What bifrost's CSV means, as its inventory.py read it until 2018. The columns between are nobody's.
ListingEntry bifrost_row(const CsvRow& row, Position at) {
  const std::vector<std::string>& fields = row.fields;
  static constexpr std::array<std::pair<std::size_t, const char*>, 15> columns = {{{0, "mac"},
                                                                                   {1, "pm_user"},
                                                                                   {2, "pm_password"},
                                                                                   {3, "pm_addr"},
                                                                                   {4, "cpu"},
                                                                                   {5, "memory"},
                                                                                   {6, "disk"},
                                                                                   {9, "uuid"},
                                                                                   {10, "name"},
                                                                                   {11, "ipv4_address"},
                                                                                   {12, "ipmi_target_channel"},
                                                                                   {13, "ipmi_target_address"},
                                                                                   {14, "ipmi_transit_channel"},
                                                                                   {15, "ipmi_transit_address"},
                                                                                   {16, "pm_type"}}};
  ListingEntry entry;
  entry.at = at;
  entry.data = {{"pm_type", "ipmi"}, {"arch", "x86_64"}};
  entry.may_share_bmc = true;  // virtual machines of one host, which its drivers of then found by their MAC
  for (const auto& [column, key] : columns) {
    const std::string value = column < fields.size() ? std::string(trim(fields[column])) : "";
    if (value.empty()) continue;
    entry.places[key] = {at.line, row.columns[column]};
    const std::string_view own = key;
    if (own == "mac") {
      entry.data["mac"] = Json::array({value});
      entry.places["mac[0]"] = entry.places["mac"];
    } else if (own == "ipv4_address") {
      entry.data["x_seed"]["ipv4_address"] = value;
    } else {
      entry.data[key] = value;
    }
  }
  if (text_in(entry.data, "pm_type").find("ipmi") != std::string::npos) entry.data["pm_type"] = "ipmi";
  for (const std::size_t column : {7U, 8U}) {
    if (column < fields.size() && !fields[column].empty()) entry.left_out.insert(cat("column ", column + 1));
  }
  if (fields.size() > 18 && !fields[18].empty()) entry.data["x_seed"]["provisioning_ipv4_address"] = fields[18];
  return entry;
}

ListingEntry headless_row(const CsvRow& row, Position at) {
  static constexpr std::array<const char*, 4> keys = {"pm_type", "pm_addr", "pm_user", "pm_password"};
  ListingEntry entry;
  entry.at = at;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    entry.places[keys.at(i)] = {at.line, row.columns[i]};
    const std::string value(trim(row.fields[i]));
    if (!value.empty()) entry.data[keys.at(i)] = i == 0 ? to_lower(value) : value;
  }
  entry.data["mac"] = Json::array({std::string(trim(row.fields[4]))});
  entry.places["mac[0]"] = {at.line, row.columns[4]};
  return entry;
}

/// Of a table of instackenv's fields. A machine of several cards has them in one cell, with blanks between.
void take_cell(const std::string& column, const std::string& value, ListingEntry& entry) {
  if (is_place(column)) {
    entry.data["x_seed"][column] = value;
  } else if (column == "mac") {
    entry.data["mac"] = Json::array();
    for (const std::string& mac : split_words(value)) {
      entry.places[cat("mac[", entry.data["mac"].size(), "]")] = entry.places["mac"];
      entry.data["mac"].push_back(mac);
    }
  } else {
    entry.data[column] = column == "pm_type" ? to_lower(value) : value;
  }
}

ListingEntry headed_row(const CsvRow& row, Position at, const std::vector<std::string>& header, ListingFormat form) {
  ListingEntry entry;
  entry.at = at;
  for (std::size_t i = 0; i < header.size(); ++i) {
    const std::string value(trim(row.fields[i]));
    entry.places[header[i]] = {at.line, row.columns[i]};
    if (value.empty() && header[i] == "name") entry.warnings.emplace_back("name", "no name");
    if (value.empty()) continue;
    if (form == ListingFormat::instackenv)
      take_cell(header[i], value, entry);
    else
      entry.data[header[i]] = value;
  }
  if (form == ListingFormat::tinkerbell) from_tinkerbell_row(entry);
  if (form == ListingFormat::netbox) from_netbox_row(entry);
  return entry;
}

class CsvTable {
 public:
  CsvTable(std::string_view source, ListingFormat form) : source_(source), form_(form) {}

  /// Nothing, or what is wrong with the line.
  std::optional<ParseError> row(std::size_t number, const CsvRow& row) {
    const std::vector<std::string>& fields = row.fields;
    const Position at{static_cast<int>(number), 1};
    if (!begun_) {
      begun_ = true;
      if (const std::string fault = begin(fields); !fault.empty()) return at_line(source_, number, fault);
      for (std::size_t i = 0; i < header_.size(); ++i)
        headings_.try_emplace(header_[i],
                              Heading{std::string(trim(fields[i])), name_of(form_), {at.line, row.columns[i]}});
      if (!header_.empty()) return std::nullopt;
    }
    const std::size_t wanted = header_.empty() ? 5 : header_.size();
    if (form_ == ListingFormat::bifrost ? fields.size() < 10 : fields.size() != wanted) {
      const char* columns = header_.empty() ? ": pm_type,pm_addr,pm_user,pm_password,mac" : ", which the header has";
      return at_line(source_, number,
                     form_ == ListingFormat::bifrost
                         ? cat(fields.size(), " columns; bifrost's have 10 at least, the MAC first")
                         : cat(fields.size(), " columns instead of ", wanted, columns));
    }
    ListingEntry entry = form_ == ListingFormat::bifrost ? bifrost_row(row, at)
                         : header_.empty()               ? headless_row(row, at)
                                                         : headed_row(row, at, header_, form_);
    for (const std::string& column : left_out_) {
      if (entry.data.erase(column) > 0) entry.left_out.insert(column);
    }
    if (!entry.known.empty()) entry.headings = headings_;
    if (form_ == ListingFormat::netbox && is_no_machine(entry)) {
      others_.insert(device_text(fields));
      return std::nullopt;
    }
    entries.push_back(std::move(entry));
    return std::nullopt;
  }
  /// Nothing, or why there is no machine.
  std::optional<ParseError> end() {
    if (others_.empty()) return std::nullopt;
    if (entries.empty())
      return at_line(
          source_, 1,
          cat("no device of this export is a machine: none has a MAC (a column mac, or a custom field) or an "
              "out-of-band address (OOB IP); ",
              join(std::vector<std::string>(others_.begin(), others_.end()), ", ")));
    entries.front().left_out.merge(others_);
    return std::nullopt;
  }
  std::vector<ListingEntry> entries;

 private:
  /// A switch or a PDU: nothing reaches it, and nothing boots from the network.
  static bool is_no_machine(const ListingEntry& entry) {
    return text_in(entry.data, "pm_type") == "manual-management" && !entry.data.contains("pm_addr") &&
           !entry.data.contains("mac");
  }
  /// "device sw1 (leaf, N9K-C93180; neither MAC nor out-of-band address)".
  [[nodiscard]] std::string device_text(const std::vector<std::string>& fields) const {
    std::string name;
    std::string about;
    for (std::size_t i = 0; i < header_.size(); ++i) {
      const std::string& column = header_[i];
      if (column == "name") name = trim(fields[i]);
      const bool tells = column == "role" || column == "device_role" || column == "type" || column == "device_type";
      if (tells && !trim(fields[i]).empty()) about += cat(about.empty() ? "" : ", ", trim(fields[i]));
    }
    return cat("device ", name, " (", about, about.empty() ? "" : "; ", "neither MAC nor out-of-band address)");
  }
  std::string begin(const std::vector<std::string>& fields) {
    const ListingFormat seen = form_of_table(fields);
    if (const std::string guess = seen == ListingFormat::any ? others_header(fields) : ""; !guess.empty()) return guess;
    if (form_ == ListingFormat::any)
      form_ = seen == ListingFormat::any && fields.size() == 5 ? ListingFormat::instackenv : seen;
    if (form_ == ListingFormat::any) {
      // Its words may be a machine's, with a password among them.
      return cat(fields.size(),
                 " columns that are no header of ours: known are pm_type,pm_addr,pm_user,pm_password,mac, bifrost's "
                 "columns, and the headers of "
                 "Tinkerbell's hardware.csv and NetBox' devices");
    }
    const bool headed = form_ == ListingFormat::netbox || form_ == ListingFormat::tinkerbell ||
                        (form_ == ListingFormat::instackenv && seen == form_ && !pxe::parse_mac(trim(fields.back())));
    for (const std::string& field : headed ? fields : std::vector<std::string>{}) header_.push_back(column_name(field));
    return form_ == ListingFormat::instackenv ? own_header_fault() : "";
  }
  /// Of a table whose first line has headings as people call them: which of ours they mean. Empty of a machine's line:
  /// nothing of that is told.
  static std::string others_header(const std::vector<std::string>& fields) {
    std::vector<std::string> meant;
    for (const std::string& field : fields) {
      if (pxe::parse_mac(trim(field)) || pxe::parse_ipv4(trim(field))) return "";
      const std::string ours = meant_by_others(column_name(field));
      if (!ours.empty()) meant.push_back(cat(trim(field), " (", ours, ")"));
    }
    if (meant.size() < 2) return "";
    return cat("a header whose columns have other names here: ", join(meant, ", "),
               "; expected are name,pm_type,pm_addr,pm_user,pm_password,mac, where pm_type is redfish, ipmi, …");
  }
  /// "bmc_ip" → "pm_addr"; empty where nothing is known to be meant.
  static std::string meant_by_others(std::string_view column) {
    static const std::map<std::string, std::vector<std::string>> words = {
        {"pm_addr", {"address", "ip", "ip_address", "host", "ipaddr", "addr"}},
        {"pm_user", {"user", "username", "login"}},
        {"pm_password", {"password", "pass", "passwd"}},
        {"pm_type", {"type", "driver"}},
        {"name", {"name", "hostname", "host_name", "node", "server", "server_name"}},
        {"mac", {"mac", "mac_address", "mac_addr", "boot_mac", "pxe_mac"}}};
    for (const std::string_view prefix : {"pm_", "bmc_", "ipmi_", "redfish_", "idrac_", "ilo_"}) {
      if (column.starts_with(prefix)) column.remove_prefix(prefix.size());
    }
    for (const auto& [field, others] : words) {
      if (std::find(others.begin(), others.end(), column) != others.end()) return field;
    }
    return "";
  }
  /// A column that is nobody's is left out, and told of; one that is near to ours is a mistake, and so is one that
  /// stands twice, of which one's values would be lost.
  std::string own_header_fault() {
    std::vector<std::string> faults;
    std::set<std::string> known;
    for (std::string& column : header_) {
      if (column == "mac_address" || column == "mac_addr") column = "mac";
      if (column.empty()) continue;
      const bool is_misnamed =  // what drivers take for pm_addr, and nothing else does
          column == "pm_address" && std::find(header_.begin(), header_.end(), "pm_addr") == header_.end();
      if (!is_misnamed && (is_place(column) || is_entry_field(column))) {
        if (!known.insert(column).second) return cat("the column ", column, " stands twice");
        continue;
      }
      const std::string meant = meant_column(column);
      if (meant.empty())
        left_out_.insert(column);
      else
        faults.push_back(cat(column, " (do you mean ", meant, "?)"));
    }
    return faults.empty() ? "" : cat("unknown columns: ", join(faults, ", "));
  }
  /// By other words for what no column of the table has, or by its letters: else each row would lack it.
  [[nodiscard]] std::string meant_column(const std::string& column) const {
    const std::string field = meant_by_others(column);
    const bool is_there = std::find(header_.begin(), header_.end(), field) != header_.end();
    return field.starts_with("pm_") && !is_there ? field : meant_entry_field(column);
  }

  std::string_view source_;
  ListingFormat form_;
  bool begun_ = false;
  std::vector<std::string> header_;
  std::map<std::string, Heading> headings_;
  std::set<std::string> left_out_;
  std::set<std::string> others_;  ///< devices that are no machines
};

}  // namespace

Result<std::vector<ListingEntry>> read_csv_listing(std::string_view text, std::string_view source, ListingFormat form) {
  CsvTable table(source, form);
  std::size_t number = 0;
  std::size_t first = 1;
  std::string row;  // of several lines where a quoted field has some
  bool open = false;
  std::optional<char> separator;
  for (const std::string& line : split_lines(text)) {
    ++number;
    row += open ? cat("\n", line) : line;
    if (std::count(line.begin(), line.end(), '"') % 2 != 0) open = !open;
    if (open) continue;
    if (!trim(row).empty()) {
      if (!separator) separator = separator_of(row);
      if (*separator == '\t' && row.ends_with('\r')) row.pop_back();
      const std::string_view cells = *separator == '\t' ? std::string_view(row) : trim(row);  // the last may be empty
      if (const std::optional<ParseError> fault = table.row(first, csv_row(cells, *separator))) return *fault;
    }
    row.clear();
    first = number + 1;
  }
  if (open) return at_line(source, first, "a quote is not closed");
  if (const std::optional<ParseError> fault = table.end()) return *fault;
  return std::move(table.entries);
}

Result<std::vector<ListingEntry>> read_enrol_lines(std::string_view text, std::string_view source) {
  std::vector<ListingEntry> entries;
  std::size_t number = 0;
  for (const std::string& line : split_lines(text)) {
    ++number;
    if (trim(line).empty() || trim(line).front() == '#') continue;
    const EnrolWords words = enrol_words(line);
    const std::size_t count = words.operands.size();
    if (count < 5) return at_line(source, number, "expected HOST CPUS MEMORY_MB DISK_GB MAC");
    ListingEntry entry;
    entry.at = {static_cast<int>(number), 1};
    entry.data["cpu"] = words.operands[count - 4];
    entry.data["memory"] = words.operands[count - 3];
    entry.data["disk"] = words.operands[count - 2];
    entry.data["mac"] = Json::array({words.operands[count - 1]});
    for (const auto& [name, value] : words.options) {
      if (name == "pm_address")
        entry.data["pm_addr"] = value;
      else
        entry.data[name] = value;
    }
    entry.data["x_seed"] = {{"service_host", words.operands[count - 5]}};
    if (!entry.data.contains("pm_type")) entry.data["pm_type"] = entry.data.contains("pm_addr") ? "ipmi" : "fake_pxe";
    entries.push_back(std::move(entry));
  }
  return entries;
}

}  // namespace hearth::bootstrap
