#include "metadata/parameters/custom_constraints.hpp"

#include <arpa/inet.h>

#include <algorithm>
#include <array>
#include <boost/regex.hpp>

#include "base/text.hpp"
#include "metadata/model/value_text.hpp"

namespace hearth::metadata {

namespace {

bool is_address(const std::string& text) {
  std::array<unsigned char, 16> bytes{};
  return inet_pton(AF_INET, text.c_str(), bytes.data()) == 1 || inet_pton(AF_INET6, text.c_str(), bytes.data()) == 1;
}

bool is_cidr(const std::string& text) {
  const std::size_t slash = text.find('/');
  if (slash == std::string::npos || !is_address(text.substr(0, slash))) return false;
  const std::optional<std::uint64_t> bits = parse_number(text.substr(slash + 1));
  return bits && *bits <= (text.find(':') == std::string::npos ? 32U : 128U);
}

bool matches(const std::string& text, const char* pattern) { return boost::regex_match(text, boost::regex(pattern)); }

/// Labels of letters, digits and hyphens, at most 63 each; `absolute` ends in a dot.
bool is_dns_name(std::string text, bool absolute) {
  if (text.empty() || text.size() > 255) return false;
  if (text.back() == '.') {
    if (!absolute) return false;
    text.pop_back();
  } else if (absolute) {
    return false;
  }
  const std::vector<std::string> labels = split(text, '.');
  return std::all_of(labels.begin(), labels.end(),
                     [](const std::string& label) { return matches(label, "(?!-)[A-Za-z0-9_-]{1,63}(?<!-)"); });
}

bool is_cron(const std::string& text) {
  const std::vector<std::string> fields = split_words(text);
  return (fields.size() == 5 || fields.size() == 6) &&
         std::all_of(fields.begin(), fields.end(),
                     [](const std::string& f) { return matches(f, "[0-9A-Za-z*/,#L?-]+"); });
}

struct Custom {
  std::string_view name;
  bool (*holds)(const std::string& text);
  std::string_view complaint;
};

constexpr std::array<Custom, 12> k_pure{{
    {"ip_addr", is_address, "Invalid IP address"},
    {"net_cidr", is_cidr, "Invalid net cidr"},
    {"ip_or_cidr", [](const std::string& t) { return is_address(t) || is_cidr(t); }, "Invalid IP or CIDR"},
    {"mac_addr",
     [](const std::string& t) {
       return matches(t, "([0-9A-Fa-f]{2}[:-]){5}[0-9A-Fa-f]{2}|[0-9A-Fa-f]{12}|([0-9A-Fa-f]{4}\\.){2}[0-9A-Fa-f]{4}");
     },
     "Invalid MAC address."},
    {"dns_name", [](const std::string& t) { return is_dns_name(t.empty() || t.back() == '.' ? t : t + ".", true); },
     "Invalid DNS name"},
    {"rel_dns_name", [](const std::string& t) { return is_dns_name(t, false); }, "Invalid relative DNS name"},
    {"dns_domain", [](const std::string& t) { return is_dns_name(t, true); }, "Invalid DNS domain"},
    {"timezone", [](const std::string& t) { return matches(t, "[A-Za-z][A-Za-z0-9_+-]*(/[A-Za-z0-9_+-]+)*"); },
     "Invalid timezone"},
    {"iso_8601",
     [](const std::string& t) {
       return matches(t,
                      "\\d{4}-\\d\\d(-\\d\\d)?([T ]\\d\\d:?\\d\\d(:?\\d\\d([.,]\\d+)?)?(Z|[+-]\\d\\d(:?\\d\\d)?)?)?");
     },
     "is not a date or time"},
    {"expiration",
     [](const std::string& t) { return matches(t, "\\d{4}-\\d\\d-\\d\\d([T ]\\d\\d:\\d\\d:\\d\\d(\\.\\d+)?Z?)?"); },
     "Expiration is invalid"},
    {"cron_expression", is_cron, "Invalid CRON expression"},
    {"test_constr", [](const std::string&) { return true; }, ""},
}};

constexpr std::array<std::string_view, 18> k_services{
    "nova",    "glance",  "neutron", "cinder", "keystone", "barbican", "designate", "magnum", "manila",
    "mistral", "octavia", "sahara",  "senlin", "trove",    "zaqar",    "ironic",    "heat",   "vitrage"};

}  // namespace

bool needs_service(const std::string& name) {
  const std::string service = name.substr(0, name.find('.'));
  return name.find('.') != std::string::npos &&
         std::find(k_services.begin(), k_services.end(), service) != k_services.end();
}

std::string custom_complaint(const std::string& name, const Value& value) {
  if (needs_service(name)) return "";
  for (const Custom& known : k_pure) {
    if (known.name != name) continue;
    const std::string text = python_str(value);
    return known.holds(text) ? "" : cat("Error validating value '", text, "': ", known.complaint);
  }
  return cat("\"", python_str(value), "\" does not validate ", name, " (constraint not found)");
}

}  // namespace hearth::metadata
