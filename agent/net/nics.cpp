#include "agent/net/nics.hpp"

#include <algorithm>

#include "agent/net/address.hpp"
#include "base/error.hpp"
#include "base/python_json.hpp"
#include "base/text.hpp"

namespace hearth::agent::net {

namespace {

constexpr std::string_view k_sys = "/sys/class/net/";

std::string attribute(const std::string& device, std::string_view name, const FileReader& files) {
  try {
    return to_lower(trim(files.read(cat(k_sys, device, "/", name)).value_or("")));
  } catch (const Error&) {  // some attributes can't be read while the device is down
    return "";
  }
}

bool is_real(const std::string& device, const FileReader& files) {
  const auto node = files.status(cat(k_sys, device, "/device"));
  return device != "lo" && node && node->type == FileStatus::Type::directory && !mac_of(device, files).empty() &&
         !files.status(cat(k_sys, device, "/device/physfn"));
}

bool is_active(const std::string& device, const FileReader& files) {
  return is_real(device, files) && attribute(device, "operstate", files) == "up";
}

/// The run of digits, or of other characters, that begins at `at`.
std::string_view run_at(std::string_view text, std::size_t at) {
  std::size_t end = at;
  while (end < text.size() && is_digit(text[end]) == is_digit(text[at])) ++end;
  return text.substr(at, end - at);
}

bool embedded(std::string_view name) {
  return name.substr(0, 2) == "em" || name.substr(0, 3) == "eth" || name.substr(0, 3) == "eno";
}

/// By numbers where both have one at the same place.
bool natural_less(std::string_view left, std::string_view right) {
  std::size_t at_left = 0;
  std::size_t at_right = 0;
  while (at_left < left.size() && at_right < right.size()) {
    const std::string_view l = run_at(left, at_left);
    const std::string_view r = run_at(right, at_right);
    const std::optional<std::uint64_t> l_number = parse_number(l);
    const std::optional<std::uint64_t> r_number = parse_number(r);
    if (l_number && r_number && *l_number != *r_number) return *l_number < *r_number;
    if (!(l_number && r_number) && l != r) return l < r;
    at_left += l.size();
    at_right += r.size();
  }
  return left.size() - at_left < right.size() - at_right;
}

/// The card that a mapping's value means; empty when this machine lacks it.
std::string find_card(const std::string& wanted, const std::vector<std::string>& cards, const FileReader& files) {
  if (!is_mac(wanted)) return std::find(cards.begin(), cards.end(), wanted) == cards.end() ? "" : wanted;
  const std::string mac = replace_all(to_lower(wanted), "-", ":");
  const auto found =
      std::find_if(cards.begin(), cards.end(), [&](const std::string& card) { return mac_of(card, files) == mac; });
  return found == cards.end() ? "" : *found;
}

bool is_mapped(const std::map<std::string, std::string>& nics, const std::string& card) {
  return std::any_of(nics.begin(), nics.end(), [&card](const auto& nic) { return nic.second == card; });
}

void add_mapped(std::map<std::string, std::string>& nics, const std::string& alias, const Json& value,
                const FileReader& files, Logger& log) {
  const std::string wanted = python_text(value);
  const std::vector<std::string> cards = real_nics(files, false);
  const std::string card = find_card(wanted, cards, files);
  if (card.empty()) {
    log.error(cat(is_mac(wanted) ? "mac " : "nic ", wanted, " not found in available nics ", join(cards, ", ")));
    return;
  }
  if (is_mapped(nics, card)) {
    throw Error(ErrorKind::input, cat("interface ", card, " already mapped, check mapping file for duplicates"));
  }
  if (is_active(alias, files)) {
    throw Error(ErrorKind::input, cat("cannot map ", card, " to alias ", alias, ", alias overlaps with active NIC."));
  }
  nics[alias] = card;
}

}  // namespace

std::vector<std::string> real_nics(const FileReader& files, bool only_active) {
  std::vector<std::string> nics;
  for (std::string& name : files.list(std::string(k_sys.substr(0, k_sys.size() - 1)))) {
    if (only_active ? is_active(name, files) : is_real(name, files)) nics.push_back(std::move(name));
  }
  std::sort(nics.begin(), nics.end(), [](const std::string& left, const std::string& right) {
    return embedded(left) != embedded(right) ? embedded(left) : natural_less(left, right);
  });
  return nics;
}

std::string mac_of(const std::string& device, const FileReader& files) { return attribute(device, "address", files); }

std::map<std::string, std::string> map_nics(const Json& mapping, const FileReader& files, Logger& log) {
  std::map<std::string, std::string> nics;
  if (mapping.is_object()) {
    for (const auto& [alias, value] : mapping.items()) add_mapped(nics, alias, value, files, log);
  }
  const std::vector<std::string> active = real_nics(files, true);
  for (std::size_t i = 0; i < active.size(); ++i) {
    if (is_mapped(nics, active[i])) continue;
    const auto [alias, added] = nics.emplace(cat("nic", i + 1), active[i]);
    if (!added) {
      log.warning(
          cat("no mapping for interface ", active[i], " because ", alias->first, " is mapped to ", alias->second));
    }
  }
  for (const auto& [alias, card] : nics) log.info(cat(alias, " => ", card));
  if (nics.empty()) log.warning("No active nics found.");
  return nics;
}

NicReport report_nics(const std::map<std::string, std::string>& nics, const std::vector<std::string>& names) {
  NicReport report;
  for (const std::string& name : names) {
    const auto found = nics.find(name);
    if (found != nics.end()) {
      report.mapping[name] = found->second;
    } else if (is_mapped(nics, name)) {
      report.mapping[name] = name;
    } else {
      report.complete = false;
    }
  }
  if (!names.empty()) return report;
  std::vector<std::pair<std::string, std::string>> all(nics.begin(), nics.end());
  std::sort(all.begin(), all.end(),
            [](const auto& left, const auto& right) { return natural_less(left.first, right.first); });
  for (const auto& [alias, card] : all) report.mapping[alias] = card;
  return report;
}

}  // namespace hearth::agent::net
