#include "agent/net/fields.hpp"

#include <algorithm>
#include <cctype>
#include <limits>

#include "agent/net/address.hpp"
#include "agent/net/schema.hpp"
#include "base/error.hpp"
#include "base/python_json.hpp"
#include "base/text.hpp"

namespace hearth::agent::net {

namespace {

bool is_control(char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }

bool is_true(const std::string& text) {
  const std::string word = to_lower(trim(text));
  return word == "true" || word == "t" || word == "yes" || word == "y" || word == "on" || word == "1";
}

}  // namespace

const Json* Fields::find(const char* name) const {
  const auto found = entry_.find(name);
  return found == entry_.end() || found->is_null() ? nullptr : &*found;
}

void Fields::refuse(const std::string& what) const { throw Error(ErrorKind::input, cat(where_, ": ", what)); }

bool Fields::has(const char* name) const { return find(name) != nullptr; }

std::string Fields::text_of(const Json& value, const char* name) const {
  if (is_parameter(value)) {
    refuse(cat(name, " is ", python_text(value), ", which Heat was to replace by a value and did not"));
  }
  if (!value.is_primitive()) refuse(cat(name, " must be text"));
  std::string text = value.is_string() ? value.get<std::string>() : python_text(value);
  if (std::any_of(text.begin(), text.end(), is_control)) refuse(cat(name, " holds a control character"));
  return text;
}

std::string Fields::text(const char* name) const {
  const Json* value = find(name);
  return value == nullptr ? "" : text_of(*value, name);
}

std::string Fields::required_text(const char* name) const {
  std::string value = text(name);
  if (value.empty()) refuse(cat("'", name, "' is required"));
  return value;
}

int Fields::integer(const char* name, int fallback) const {
  const Json* value = find(name);
  if (value == nullptr) return fallback;
  const std::optional<std::uint64_t> number = parse_number(text_of(*value, name));
  if (!number || *number > static_cast<std::uint64_t>(std::numeric_limits<int>::max())) {
    refuse(cat(name, " is ", python_text(*value), ", which is no whole number from 0"));
  }
  return static_cast<int>(*number);
}

bool Fields::boolean(const char* name, bool fallback) const {
  const Json* value = find(name);
  if (value == nullptr) return fallback;
  return value->is_boolean() ? value->get<bool>() : is_true(text_of(*value, name));
}

const Json& Fields::list(const char* name) const {
  static const Json none = Json::array();
  const Json* value = find(name);
  if (value == nullptr) return none;
  if (!value->is_array()) refuse(cat(name, " must be a list"));
  return *value;
}

std::vector<std::string> Fields::texts(const char* name) const {
  const Json* value = find(name);
  if (value == nullptr) return {};
  if (!value->is_array()) return {text_of(*value, name)};
  std::vector<std::string> texts;
  for (const Json& one : *value) texts.push_back(text_of(one, name));
  return texts;
}

std::vector<Address> Fields::addresses() const {
  std::vector<Address> addresses;
  for (const Json& one : list("addresses")) {
    if (!one.is_object()) refuse("an address must be a mapping with ip_netmask");
    const std::string text = Fields(one, where_).required_text("ip_netmask");
    const std::optional<Address> address = parse_cidr(text);
    if (!address) refuse(cat("ip_netmask '", text, "' is not an IP address with a prefix length"));
    addresses.push_back(*address);
  }
  return addresses;
}

std::vector<Route> Fields::routes() const {
  std::vector<Route> routes;
  for (const Json& one : list("routes")) {
    if (!one.is_object()) refuse("a route must be a mapping");
    const Fields fields(one, where_);
    Route route{.next_hop = fields.text("next_hop"),
                .destination = fields.text("ip_netmask"),
                .is_default = fields.boolean("default", false),
                .options = fields.text("route_options"),
                .table = fields.text("table"),
                .metric = fields.text("metric")};
    if (route.next_hop.empty()) route.next_hop = fields.required_text("nexthop");
    if (route.destination.empty()) route.destination = fields.text("destination");
    if (!route.on_link() && !is_ip(route.next_hop)) refuse(cat("next_hop '", route.next_hop, "' is not an IP address"));
    if (route.destination.empty() && !route.is_default) refuse("a route needs a destination, or default: true");
    if (!route.destination.empty() && !parse_cidr(route.destination)) {
      refuse(cat("'", route.destination, "' is not a destination with a prefix length"));
    }
    routes.push_back(std::move(route));
  }
  return routes;
}

std::vector<Rule> Fields::rules() const {
  std::vector<Rule> rules;
  for (const Json& one : list("rules")) {
    if (!one.is_object()) refuse("a rule must be a mapping");
    const Fields fields(one, where_);
    rules.push_back({fields.required_text("rule"), fields.text("comment")});
  }
  return rules;
}

void check_device_name(const std::string& name, const std::string& where) {
  const bool plain = std::all_of(name.begin(), name.end(), [](unsigned char c) {
    return std::isalnum(c) != 0 || c >= 0x80 ||
           std::string_view("._-:@+,").find(static_cast<char>(c)) != std::string_view::npos;
  });
  if (!name.empty() && name.size() <= 15 && plain && name.front() != '-' && name != "." && name != "..") return;
  throw Error(ErrorKind::input, cat(where, ": '", name, "' cannot be the name of a network device"));
}

}  // namespace hearth::agent::net
