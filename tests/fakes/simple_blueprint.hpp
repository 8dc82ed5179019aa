// A Blueprint of a little notation in JSON, so that the engine can be tested without templates:
//   {"name": {"role": "deployment", "needs": ["server"], "server": "server", "properties": {…}, "outputs": […]},
//    "group": {"role": "nested", "is_group": true, "stack": {…}}}
// Values "@PATH.KEY" in properties are what was learned of PATH.
#pragma once

#include <algorithm>
#include <map>

#include "base/error.hpp"
#include "base/hash.hpp"
#include "base/text.hpp"
#include "metadata/engine/blueprint.hpp"

namespace hearth::fakes {

class SimpleBlueprint final : public metadata::live::Blueprint {
 public:
  SimpleBlueprint(std::string name, std::string id, Json tree)
      : name_(std::move(name)), id_(std::move(id)), tree_(std::move(tree)) {}

  metadata::live::PlannedStack stack(const std::string& path) override {
    metadata::live::PlannedStack plan;
    plan.id = path.empty() ? id_ : physical_id(path);
    plan.name = path.empty() ? name_ : cat(name_, "-", replace_all(path, ".", "-"));
    const Json* resources = &tree_;
    if (!path.empty()) {
      plan.is_group = at(path).value("is_group", false);
      for (const Json& name : at(path).value("blacklist", Json::array())) plan.blacklist.push_back(name);
      resources = &at(path)["stack"];
    }
    for (const auto& [name, row] : resources->items()) plan.resources.push_back(planned(name, row));
    return plan;
  }
  std::string physical_id(const std::string& path) override {
    return uuid_of(anew.count(path) == 0 ? path : cat(path, "#", anew[path]));
  }
  Json reference(const std::string& path) override { return uuid_of(path); }
  Json properties(const std::string& path) override {
    ++resolved;
    const Json& row = at(path);
    if (row.contains("broken")) throw Error(ErrorKind::input, row["broken"].get<std::string>());
    Json properties = row.value("properties", Json::object());
    if (const std::string server = server_of(path); anew.count(server) > 0) properties["server"] = physical_id(server);
    for (auto& [key, value] : properties.items()) {
      if (value.is_string() && value.get<std::string>().starts_with("@")) value = learned(value.get<std::string>());
    }
    return properties;
  }
  metadata::live::PlannedDeployment deployment(const std::string& path,
                                               const metadata::live::Trigger& trigger) override {
    const Json& row = at(path);
    metadata::live::PlannedDeployment plan;
    plan.server = server_of(path);
    plan.signal_transport = row.value("transport", "CFN_SIGNAL");
    plan.triggers = false;
    for (const Json& action : row.value("actions", Json{"CREATE", "UPDATE"})) {
      plan.triggers = plan.triggers || action == metadata::live::word(trigger.action);
    }
    plan.input_values = properties(path);
    plan.derived["id"] = trigger.config_id;
    plan.derived["name"] = row.value("name", path);
    plan.derived["inputs"] = plan.input_values;
    if (plan.input_values.contains("replace_on_change")) {
      plan.derived["inputs"] = {
          {{"name", "roc"}, {"replace_on_change", true}, {"value", plan.input_values["replace_on_change"]}}};
    }
    plan.derived["deploy_action"] = metadata::live::word(trigger.action);
    for (const auto& [key, value] : trigger.signal) plan.derived[key] = value;
    plan.derived["outputs"] = row.value("outputs", Json::array());
    return plan;
  }
  metadata::live::PlannedServer server(const std::string& path) override {
    const Json& row = at(path);
    return {row.value("name", path),
            row.value("transport", "POLL_SERVER_CFN"),
            "",
            "",
            row.value("metadata", Json::object()),
            row.value("is_machine", false),
            row.value("public_keys", Json::object())};
  }
  std::string user_data(const std::string& path, const Json&) override {
    return properties(path).value("user_data", std::string());
  }
  metadata::live::PlannedHandle handle(const std::string& path) override {
    using Form = metadata::live::PlannedHandle::Form;
    const std::string form = at(path).value("form", "heat");
    return {form == "aws"     ? Form::aws
            : form == "swift" ? Form::swift
                              : Form::heat,
            at(path).value("transport", "TOKEN_SIGNAL")};
  }
  void renew(const std::string& path) override {
    ++anew[path];
    known.erase(path);
  }
  bool updates_in_place(const std::string& path, const std::vector<std::string>& changed) override {
    const Json fixed = at(path).value("replaced_by", Json::array());
    return std::none_of(changed.begin(), changed.end(), [&](const std::string& name) {
      return std::find(fixed.begin(), fixed.end(), name) != fixed.end();
    });
  }
  metadata::live::PlannedWait wait(const std::string& path) override {
    const Json& row = at(path);
    return {row["handle"], row.value("count", std::size_t{1}), row.value("timeout", std::int64_t{60})};
  }
  std::vector<metadata::live::PlannedOutput> outputs(const std::string&) override {
    std::vector<metadata::live::PlannedOutput> all;
    for (const auto& [path, values] : known) all.push_back({path, "", values, ""});
    return all;
  }
  Json parameters(const std::string&) override { return Json::object(); }
  Json shown_attributes(const std::string& path) override { return known.count(path) ? known[path] : Json::object(); }
  Json source(const std::string& path) override {
    return {{"resources", path.empty() ? tree_ : at(path).value("stack", Json::object())}};
  }
  Json environment() override { return {{"parameters", Json::object()}}; }
  std::vector<std::string> immutable_parameters() override { return {}; }
  void know(const std::string& path, const Json& attributes) override { known[path] = attributes; }

  std::map<std::string, Json> known;
  std::map<std::string, int> anew;  ///< how often it was renewed, by path
  int resolved = 0;

 private:
  [[nodiscard]] std::string server_of(const std::string& path) const {
    const std::size_t dot = path.rfind('.');
    const std::string server = at(path).value("server", "");
    return dot == std::string::npos ? server : cat(path.substr(0, dot), ".", server);
  }
  static metadata::live::PlannedResource planned(const std::string& name, const Json& row) {
    static const std::map<std::string, metadata::live::Role> roles = {
        {"plain", metadata::live::Role::plain},
        {"fixed", metadata::live::Role::fixed},
        {"server", metadata::live::Role::server},
        {"deployment", metadata::live::Role::deployment},
        {"nested", metadata::live::Role::nested},
        {"wait_handle", metadata::live::Role::wait_handle},
        {"wait_condition", metadata::live::Role::wait_condition}};
    metadata::live::PlannedResource plan;
    plan.name = name;
    plan.role = roles.at(row.value("role", "plain"));
    plan.type = row.value("type", row.value("role", "plain"));
    for (const Json& need : row.value("needs", Json::array())) plan.needs.push_back(need);
    for (const Json& hook : row.value("hooks", Json::array())) plan.hooks.push_back(hook);
    return plan;
  }
  const Json& at(const std::string& path) const {
    const Json* stack = &tree_;
    const Json* row = nullptr;
    for (const std::string& name : split(path, '.')) {
      if (!stack->contains(name)) throw Error(ErrorKind::input, cat("there is no ", path));
      row = &stack->at(name);
      if (row->contains("stack")) stack = &(*row)["stack"];
    }
    return *row;
  }
  Json learned(const std::string& reference) {
    const std::size_t dot = reference.rfind('.');
    const auto found = known.find(reference.substr(1, dot - 1));
    return found == known.end() ? Json("waiting") : found->second.value(reference.substr(dot + 1), Json());
  }
  std::string uuid_of(const std::string& path) const {
    const std::string hex = hex_digest(HashKind::md5, cat(id_, "/", path));
    return cat(hex.substr(0, 8), "-", hex.substr(8, 4), "-4", hex.substr(13, 3), "-8", hex.substr(17, 3), "-",
               hex.substr(20));
  }

  std::string name_;
  std::string id_;
  Json tree_;
};

class SimpleBlueprintMaker final : public metadata::live::BlueprintMaker {
 public:
  std::unique_ptr<metadata::live::Blueprint> make(const metadata::live::StackDefinition& definition) override {
    const Json& resources = definition.body.at("template").at("resources");
    if (resources.contains("refused")) throw Error(ErrorKind::input, "the template is refused");
    auto blueprint = std::make_unique<SimpleBlueprint>(definition.name, definition.id, resources);
    last = blueprint.get();
    return blueprint;
  }
  SimpleBlueprint* last = nullptr;
};

}  // namespace hearth::fakes
