#include "bootstrap/api/routes.hpp"

#include <algorithm>
#include <array>

#include "base/cli/layout.hpp"
#include "base/text.hpp"
#include "base/utf8.hpp"
#include "bootstrap/conductor/transition.hpp"

namespace hearth::bootstrap {

namespace {

constexpr std::string_view k_pages = "detail fields limit marker sort_key sort_dir";
constexpr std::string_view k_plain_pages = "limit marker sort_key sort_dir";
constexpr std::string_view k_volume_pages = "node detail fields limit marker sort_key sort_dir";
constexpr std::string_view k_group_filters = "node address detail fields limit marker sort_key sort_dir";
constexpr std::string_view k_node_filters =
    "detail fields limit marker sort_key sort_dir instance_uuid associated maintenance provision_state driver "
    "resource_class conductor_group owner lessee project retired fault conductor chassis_uuid description_contains "
    "parent_node include_children";
constexpr std::string_view k_port_filters =
    "detail fields limit marker sort_key sort_dir address node node_uuid portgroup";

constexpr auto k_routes = std::to_array<Route>(
    {{"nodes", "GET POST", k_node_filters},
     {"nodes/detail", "GET", k_node_filters},
     {"nodes/*", "GET PATCH DELETE", "fields reset_interfaces"},
     {"nodes/*/states", "GET", ""},
     {"nodes/*/states/provision", "PUT", ""},
     {"nodes/*/states/power", "PUT", ""},
     {"nodes/*/states/console", "GET PUT", ""},
     {"nodes/*/states/boot_mode", "PUT", ""},
     {"nodes/*/states/secure_boot", "PUT", ""},
     {"nodes/*/states/raid", "PUT", ""},
     {"nodes/*/maintenance", "PUT DELETE", ""},
     {"nodes/*/management/boot_device", "GET PUT", ""},
     {"nodes/*/management/boot_device/supported", "GET", ""},
     {"nodes/*/management/inject_nmi", "PUT", ""},
     {"nodes/*/bios", "GET", "detail fields"},
     {"nodes/*/bios/*", "GET", ""},
     {"nodes/*/firmware", "GET", "detail fields"},
     {"nodes/*/children", "GET", ""},
     {"nodes/*/vendor_passthru", "GET POST PUT DELETE", "method"},
     {"nodes/*/vendor_passthru/*", "GET POST PUT DELETE", ""},
     {"nodes/*/traits", "GET PUT DELETE", ""},
     {"nodes/*/traits/*", "PUT DELETE", ""},
     {"nodes/*/validate", "GET", ""},
     {"nodes/*/history", "GET", "detail"},
     {"nodes/*/history/*", "GET", ""},
     {"nodes/*/ports", "GET", k_pages},
     {"nodes/*/ports/detail", "GET", k_pages},
     {"nodes/*/portgroups", "GET", k_pages},
     {"nodes/*/portgroups/detail", "GET", k_plain_pages},
     {"nodes/*/volume", "GET", ""},
     {"nodes/*/volume/connectors", "GET", k_pages},
     {"nodes/*/volume/targets", "GET", k_pages},
     {"nodes/*/allocation", "GET DELETE", "fields"},
     {"nodes/*/vifs", "GET POST", ""},
     {"nodes/*/vifs/*", "DELETE", ""},
     {"nodes/*/inventory", "GET", ""},
     {"ports", "GET POST", k_port_filters},
     {"ports/detail", "GET", k_port_filters},
     {"ports/*", "GET PATCH DELETE", "fields"},
     {"drivers", "GET", "detail type fields"},
     {"drivers/*", "GET", "fields"},
     {"drivers/*/properties", "GET", ""},
     {"drivers/*/raid/logical_disk_properties", "GET", ""},
     {"drivers/*/vendor_passthru", "GET POST PUT DELETE", "method"},
     {"drivers/*/vendor_passthru/*", "GET POST PUT DELETE", ""},
     {"conductors", "GET", k_pages},
     {"conductors/*", "GET", "fields"},
     {"introspection", "GET", "limit marker state"},
     {"introspection/*", "GET POST", "manage_boot"},
     {"introspection/*/data", "GET", ""},
     {"introspection/*/abort", "POST", ""},
     {"chassis", "GET POST", k_pages},
     {"chassis/detail", "GET", k_plain_pages},
     {"chassis/*", "GET PATCH DELETE", "fields"},
     {"chassis/*/nodes", "GET", k_node_filters},
     {"chassis/*/nodes/detail", "GET", k_node_filters},
     {"portgroups", "GET POST", k_group_filters},
     {"portgroups/detail", "GET", k_group_filters},
     {"portgroups/*", "GET PATCH DELETE", "fields"},
     {"portgroups/*/ports", "GET", k_pages},
     {"portgroups/*/ports/detail", "GET", k_plain_pages},
     {"allocations", "GET POST", "fields limit marker sort_key sort_dir node resource_class state owner"},
     {"allocations/*", "GET PATCH DELETE", "fields"},
     {"deploy_templates", "GET POST", k_pages},
     {"deploy_templates/*", "GET PATCH DELETE", "fields"},
     {"volume", "GET", ""},
     {"volume/connectors", "GET POST", k_volume_pages},
     {"volume/connectors/*", "GET PATCH DELETE", "fields"},
     {"volume/targets", "GET POST", k_volume_pages},
     {"volume/targets/*", "GET PATCH DELETE", "fields"},
     {"hearth/import", "POST", ""},
     {"hearth/waiting", "GET", ""},
     {"hearth/waiting/*", "POST", ""},
     {"hearth/export", "GET", "secrets"},
     {"hearth/given", "GET", ""},
     {"hearth/given/*", "PUT DELETE", ""},
     {"hearth/events", "GET DELETE", "after limit newest node keep"},
     {"hearth/engine", "GET", ""},
     {"hearth/me", "GET", ""},
     {"hearth/pace", "GET", ""},
     {"hearth/capabilities", "GET", "text"},
     {"hearth/seeds", "GET", ""},
     {"hearth/consoles/*", "GET PUT DELETE", "from keyboard"},
     {"hearth/log/*", "GET", ""},
     {"hearth/boot-log/*", "GET", ""},
     {"hearth/instructions", "GET", ""},
     {"hearth/instructions/*", "DELETE", "since"},
     {"hearth/images", "GET", ""},
     {"hearth/images/*", "GET PUT DELETE", ""},
     {"hearth/images/*/evidence/*", "GET", ""},
     {"hearth/roles", "GET", ""},
     {"hearth/roles/*", "GET PUT DELETE", ""},
     {"hearth/configure_boot", "POST", ""},
     {"hearth/handover", "GET POST DELETE", ""}});  // whoever serves has given nothing away: 404

bool matches(std::string_view path, const std::vector<std::string>& parts) {
  const std::vector<std::string> wanted = split(path, '/');
  return wanted.size() == parts.size() &&
         std::equal(wanted.begin(), wanted.end(), parts.begin(),
                    [](const std::string& want, const std::string& part) { return want == "*" || want == part; });
}

bool has_word(std::string_view words, std::string_view word) {
  const std::vector<std::string> list = split_words(words);
  return std::find(list.begin(), list.end(), word) != list.end();
}

std::string route_text(const Route& route) {
  constexpr std::size_t k_width = 80;
  constexpr std::size_t k_indent = 6;
  std::vector<std::string> facts;
  for (const std::string& method : split_words(route.methods))
    facts.push_back(cat(method, " (", name_of(needed_role(split(route.path, '/'), method, false)), ")"));
  std::string line = join(facts, ", ");
  if (!route.parameters.empty()) line += cat("; ?", join(split_words(route.parameters), ", "));
  return cat("  /v1/", route.path, "\n", std::string(k_indent, ' '), cli::wrapped(line, k_width, k_indent, k_indent),
             "\n");
}

}  // namespace

Role needed_role(const std::vector<std::string>& parts, std::string_view method, bool secrets) {
  const std::string what = parts.empty() ? "" : parts[0];
  const std::string part = parts.size() > 2 ? parts[2] : "";
  const bool console = what == "hearth" && parts.size() > 1 && parts[1] == "consoles";
  if (console) return Role::operate;  // it may show secrets
  if (method == "GET" || method == "HEAD") return secrets ? Role::admin : Role::read;
  const bool of_node = what == "nodes" && (part == "states" || part == "maintenance" || part == "management");
  const bool instruction = what == "hearth" && parts.size() > 1 && parts[1] == "instructions";
  const bool holding = what == "allocations" || (what == "nodes" && part == "allocation");
  return of_node || instruction || holding || what == "introspection" ? Role::operate : Role::admin;
}

std::string routes_text() {
  std::string text;
  for (const Route& route : k_routes) text += route_text(route);
  return text;
}

void check_route(const std::vector<std::string>& parts, const std::string& method, const Parameters& parameters) {
  const auto* const route =
      std::find_if(k_routes.begin(), k_routes.end(), [&](const Route& one) { return matches(one.path, parts); });
  const auto is_text = [](const std::string& part) { return is_valid_utf8(part); };
  if (!std::all_of(parts.begin(), parts.end(), is_text))
    throw Refusal(400, "The path is no text in UTF-8");  // no answer could say of what it tells
  if (route == k_routes.end()) throw Refusal(404, "Not Found");
  if (!has_word(route->methods, method == "HEAD" ? "GET" : method)) throw Refusal(405, "Method Not Allowed");
  for (const auto& [name, value] : parameters) {
    if (!is_text(name) || !is_text(value)) throw Refusal(400, "The query is no text in UTF-8");
    if (!has_word(route->parameters, name)) throw Refusal(400, cat("Unknown argument: \"", name, "\""));
  }
}

}  // namespace hearth::bootstrap
