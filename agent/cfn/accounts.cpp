#include "agent/cfn/init.hpp"
#include "agent/value/value.hpp"
#include "base/text.hpp"

namespace hearth::agent {

namespace {

using Words = std::vector<std::string>;

/// "--flag TEXT" when the account has that property.
void add_property(Words& argv, const Json& properties, const char* name, const char* flag) {
  const Json* value = find_member(properties, name);
  if (value == nullptr || value->is_null()) return;
  argv.emplace_back(flag);
  argv.push_back(value_text(value));
}

void create(const Words& argv, std::string_view what, const CfnWorld& world) {
  if (run_logged(argv, world) == 0) {
    world.log.info(cat(argv[1], " has been successfully created"));
  } else {
    world.log.error(cat("An error occured creating ", argv[1], " ", what));
  }
}

std::string group_list(const Json& properties) {
  const Json* groups = find_member(properties, "groups");
  if (groups == nullptr || !groups->is_array()) return value_text(groups);
  Words names;
  for (const Json& group : *groups) names.push_back(value_text(&group));
  return join(names, ",");
}

}  // namespace

void apply_groups(const Json& groups, const CfnWorld& world) {
  for (const auto& [name, properties] : groups.items()) {
    Words argv = {"groupadd", name};
    add_property(argv, properties, "gid", "--gid");
    create(argv, "group", world);
  }
}

void apply_users(const Json& users, const CfnWorld& world) {
  for (const auto& [name, properties] : users.items()) {
    Words argv = {"useradd", name};
    add_property(argv, properties, "uid", "--uid");
    add_property(argv, properties, "homeDir", "--home");
    const std::string groups = group_list(properties);
    if (!groups.empty()) argv.insert(argv.end(), {"--groups", groups});
    argv.insert(argv.end(), {"--shell", "/sbin/nologin"});  // they are users of services, by definition
    create(argv, "user", world);
  }
}

}  // namespace hearth::agent
