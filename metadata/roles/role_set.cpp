#include "metadata/roles/role_set.hpp"

#include <map>

#include "base/text.hpp"
#include "metadata/model/value_text.hpp"
#include "metadata/model/yaml_reader.hpp"

namespace hearth::metadata {

namespace {

/// The name of an item of the list `what`, checked to be there once.
std::string role_name(const Value& item, std::string_view what, std::map<std::string, Mark>& seen) {
  const Value* name = item.find("name");
  if (!item.is_map() || name == nullptr || !name->is_string() || name->text().empty())
    throw validation_fault(cat("each ", what, " is a map with a name"), item.mark());
  if (name->text().find('/') != std::string::npos)
    throw validation_fault(cat("the name of a ", what, " becomes part of a file's name: no / in it"), name->mark());
  const auto [known, fresh] = seen.emplace(name->text(), name->mark());
  if (!fresh) {
    throw validation_fault(
        cat("there are two ", what, "s ", name->text(), "; the first is in line ", known->second.line), name->mark());
  }
  return name->text();
}

bool is_enabled(const Value& network) {
  const Value* enabled = network.find("enabled");
  return enabled == nullptr || !enabled->is_bool() || enabled->as_bool();
}

}  // namespace

RoleSet role_set(const Value& roles, const Value& networks) {
  if (!roles.is_list() || roles.items().empty())
    throw validation_fault("roles data is a list of roles, one at least", roles.mark());
  if (!networks.is_null() && !networks.is_list())
    throw validation_fault("network data is a list of networks", networks.mark());
  RoleSet set;
  std::map<std::string, Mark> seen;
  for (const Value& role : roles.items()) set.roles.push_back({role_name(role, "role", seen), role});
  set.all_roles = roles;
  seen.clear();
  std::vector<Value> all;
  const std::vector<Value> given = networks.is_list() ? networks.items() : std::vector<Value>{};
  for (const Value& network : given) {
    const std::string name = role_name(network, "network", seen);
    MapBuilder data(network.entries());
    data.set("idx", Value::integer(static_cast<std::int64_t>(all.size())));
    const Value* lower = network.find("name_lower");
    const std::string name_lower = lower != nullptr && truth(*lower) ? python_str(*lower) : to_lower(name);
    if (is_enabled(network)) data.set("name_lower", Value::string(name_lower));
    all.push_back(Value::map(std::move(data)).with_mark(network.mark()));
    if (is_enabled(network)) set.networks.push_back({name, name_lower, all.back()});
  }
  set.all_networks = Value::list(std::move(all));
  return set;
}

Value read_yaml_file(const FileReader& reader, const std::string& name, Sources& sources, bool optional) {
  const std::optional<std::string> text = reader.read(name);
  if (!text) {
    if (optional) return {};
    throw Fault("not_found", cat("there is no file ", name));
  }
  const std::uint32_t file = sources.add(name);
  auto parsed = parse_yaml(*text, name, file);
  if (parsed.ok()) return parsed.value();
  const ParseError& error = parsed.error();
  throw validation_fault(
      error.what, Mark{file, static_cast<std::uint32_t>(error.at.line), static_cast<std::uint32_t>(error.at.column)});
}

}  // namespace hearth::metadata
