#include "metadata/parameters/custom_constraints.hpp"

#include <arpa/inet.h>

#include <algorithm>
#include <array>

#include "base/text.hpp"
#include "metadata/model/fault.hpp"
#include "metadata/model/python_pattern.hpp"
#include "metadata/model/value_text.hpp"

namespace hearth::metadata {

namespace {

bool matches(const std::string& text, const PythonPattern& pattern) {
  PatternBudget budget;  // ours take a step or two for each character
  return pattern.full_match(text, budget).has_value();
}

bool is_address(const std::string& text) {
  std::array<unsigned char, 16> bytes{};
  return inet_pton(AF_INET, text.c_str(), bytes.data()) == 1 || inet_pton(AF_INET6, text.c_str(), bytes.data()) == 1;
}

/// An address of any host in the network is good, too; IPv4 only as it would be written again.
bool is_cidr(const std::string& text) {
  const std::size_t slash = text.find('/');
  if (slash == std::string::npos || !is_address(text.substr(0, slash))) return false;
  const bool v4 = text.find(':') == std::string::npos;
  const std::string digits = text.substr(slash + 1);
  const std::optional<std::uint64_t> bits = parse_number(digits);
  return bits && *bits <= (v4 ? 32U : 128U) && !(v4 && digits.size() > 1 && digits.front() == '0');
}

/// Labels of letters, digits and inner hyphens, at most 63 each; the last one of an absolute name is no number.
bool is_dns_name(const std::string& text) {
  if (text.empty()) return true;
  const bool absolute = text.back() == '.';
  const std::string trimmed = absolute ? text.substr(0, text.size() - 1) : text;
  if (trimmed.size() > 255) return false;
  const std::vector<std::string> labels = split(trimmed, '.');
  const bool numeric = labels.back().find_first_not_of("0123456789") == std::string::npos;
  if (absolute && labels.size() > 1 && numeric) return false;
  static const PythonPattern form("(?!-)[a-z0-9-]{1,63}(?<!-)");
  return std::all_of(labels.begin(), labels.end(), [](const std::string& label) { return matches(label, form); });
}

bool is_relative_dns_name(const std::string& text) {
  return text.empty() || (text.back() != '.' && text.size() <= 252 && is_dns_name(text));
}

bool is_dns_domain(const std::string& text) { return text.empty() || (text.back() == '.' && is_dns_name(text)); }

/// The hexadecimal forms that are usual for 48 bits: by 2, 4 or 6 digits, or none apart.
bool is_mac(const std::string& text) {
  const std::string lower = to_lower(text);
  static const PythonPattern form(
      "(?:([0-9a-f]{1,2}:){5}[0-9a-f]{1,2})"
      "|(?:([0-9a-f]{1,2}-){5}[0-9a-f]{1,2})"
      "|(?:([0-9a-f]{1,4}:){2}[0-9a-f]{1,4})"
      "|(?:([0-9a-f]{1,4}-){2}[0-9a-f]{1,4})"
      "|(?:([0-9a-f]{1,4}\\.){2}[0-9a-f]{1,4})"
      "|(?:[0-9a-f]{5,6}[:-][0-9a-f]{5,6})"
      "|(?:[0-9a-f]{11,12})");
  return matches(lower, form);
}

/// ISO 8601 as far as Heat reads it: a date of one to three parts, and a time and zone behind a whole one.
bool is_time(const std::string& text) {
  static const PythonPattern form(
      "([0-9]{4})(?:(?:-([0-9]{1,2})|([0-9]{2})(?!$))(?:(?:-([0-9]{1,2})|([0-9]{2}))(?:[ T]([0-9]{2})(?::?([0-9]{2}))?"
      "(?::?([0-9]{1,2})(?:[.,][0-9]+)?)?(?:Z|[-+]([0-9]{2}):?(?:[0-9]{2})?)?)?)?)?");
  PatternBudget budget;
  const std::optional<PythonPattern::Match> found = form.full_match(text, budget);
  if (!found) return false;
  const auto part = [&](std::size_t place) {
    const PythonPattern::Match::Group& group = found->groups[place];
    return group.begin == std::string::npos ? "" : text.substr(group.begin, group.end - group.begin);
  };
  const auto number = [&](std::size_t one, std::size_t other, int otherwise) {
    const std::string digits = part(one).empty() ? part(other) : part(one);
    return digits.empty() ? otherwise : std::stoi(digits);
  };
  const int year = number(1, 1, 0);
  const int month = number(2, 3, 1);
  const int day = number(4, 5, 1);
  if (year < 1 || month < 1 || month > 12 || day < 1) return false;
  const bool leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
  constexpr std::array<int, 12> k_days{31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  const int days = k_days[static_cast<std::size_t>(month - 1)] + (month == 2 && leap ? 1 : 0);
  return day <= days && number(6, 6, 0) < 24 && number(7, 7, 0) < 60 && number(8, 8, 0) < 60 && number(9, 9, 0) < 24;
}

bool is_zone(const std::string& text) { return text.empty() || is_time_zone(text); }

struct Custom {
  std::string_view name;
  bool (*holds)(const std::string& text);
  std::string_view complaint;
  bool texts_only = true;  ///< a value that is no text breaks the check instead of failing it
};

constexpr std::array<Custom, 12> k_pure{{
    {"ip_addr", is_address, "Invalid IP address", false},
    {"net_cidr", is_cidr, "Invalid net cidr", false},
    {"ip_or_cidr", [](const std::string& t) { return is_address(t) || is_cidr(t); }, "is not a valid IP or CIDR",
     false},
    {"mac_addr", is_mac, "Invalid MAC address.", false},
    {"dns_name", is_dns_name, "not in valid format"},
    {"rel_dns_name", is_relative_dns_name, "not in valid format"},
    {"dns_domain", is_dns_domain, "not in valid format, or does not end with '.'"},
    {"timezone", is_zone, "Invalid timezone", false},
    {"iso_8601", is_time, "not a date or time", false},
    {"expiration", [](const std::string& t) { return t.empty() || is_time(std::string(trim(t))); },
     "Expiration is invalid", false},
    {"cron_expression", [](const std::string& t) { return t.empty() || is_cron(t); }, "Invalid CRON expression", false},
    {"test_constr", [](const std::string&) { return true; }, "", false},
}};

/// What Heat asks a service about.
struct Service {
  std::string_view name;
  std::string_view things;  ///< with blanks between
};
constexpr std::array<Service, 18> k_services{{
    {"barbican", "container secret"},
    {"blazar", "reservation"},
    {"cinder", "backup qos_specs snapshot volume vtype"},
    {"designate", "zone"},
    {"glance", "image"},
    {"ironic", "node portgroup"},
    {"keystone", "domain group project region role service user"},
    {"magnum", "cluster_template"},
    {"manila", "share_network share_snapshot share_type"},
    {"mistral", "workflow"},
    {"monasca", "notification"},
    {"neutron",
     "address_scope flow_classifier lb.provider lbaas.listener lbaas.loadbalancer lbaas.pool lbaas.provider network "
     "port port_pair port_pair_group qos_policy router security_group segment subnet subnetpool taas.tap_flow "
     "taas.tap_service"},
    {"nova", "flavor host keypair network server"},
    {"octavia", "flavor flavorprofile l7policy listener loadbalancer pool"},
    {"sahara", "cluster cluster_template data_source image job_binary job_type plugin"},
    {"senlin", "cluster policy policy_type profile profile_type"},
    {"trove", "flavor"},
    {"zaqar", "queue"},
}};

/// What is no text: nothing at all is good for those that may be left out, all else is wrong.
std::string wrong_kind(const Custom& constraint, const Value& value) {
  if (constraint.name == "test_constr" || (constraint.holds("") && !truth(value))) return "";
  if (constraint.texts_only)
    throw Fault("AttributeError", cat("'", type_name(value), "' object has no attribute 'endswith'"), value.mark());
  return cat("Error validating value '", python_str(value), "': ", constraint.complaint);
}

}  // namespace

bool needs_service(const std::string& name) {
  const std::size_t dot = name.find('.');
  if (dot == std::string::npos) return false;
  return std::any_of(k_services.begin(), k_services.end(), [&](const Service& service) {
    if (service.name != std::string_view(name).substr(0, dot)) return false;
    const std::vector<std::string> things = split_words(std::string(service.things));
    return std::find(things.begin(), things.end(), name.substr(dot + 1)) != things.end();
  });
}

std::string custom_complaint(const std::string& name, const Value& value) {
  if (needs_service(name)) return "";
  for (const Custom& known : k_pure) {
    if (known.name != name) continue;
    if (!value.is_string()) return wrong_kind(known, value);
    const std::string& text = value.text();
    return known.holds(text) ? "" : cat("Error validating value '", text, "': ", known.complaint);
  }
  return cat("\"", python_str(value), "\" does not validate ", name, " (constraint not found)");
}

}  // namespace hearth::metadata
