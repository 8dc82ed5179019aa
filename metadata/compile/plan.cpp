#include "metadata/compile/plan.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "metadata/compile/explain.hpp"
#include "metadata/model/json_reader.hpp"
#include "metadata/model/value_text.hpp"

namespace hearth::metadata {

namespace {

std::map<std::string, Value> by_name(const Value& list) {
  std::map<std::string, Value> named;
  for (const Value& item : list.is_list() ? list.items() : std::vector<Value>{})
    named[python_str(member(item, "name"))] = item;
  return named;
}

std::string shortened(const Value& value) {
  const std::string text = json_text(value);
  return text.size() > 60 ? text.substr(0, 57) + "..." : text;
}

constexpr std::size_t k_most_places = 3;

/// ", because of env.yaml:2:6"
std::string because(const Origin& origin) {
  std::vector<std::string> places = first_places(origin);
  if (places.empty()) return "";
  const bool more = places.size() > k_most_places;
  if (more) places.resize(k_most_places);
  return cat(", because of ", join(places, ", "), more ? " and others" : "");
}

/// Where what is in a deployment's entry is written.
class Writer {
 public:
  Writer(StackModel* model, const ServerDocument& server, const Value& entry) : model_(model) {
    const Value id = member(entry, "id");
    for (const ServerDocument::Sent& each : server.sent) {
      if (model_ != nullptr && id.is_string() && each.id == id.text())
        deployment_ = model_->root->find_path(each.deployment);
    }
  }
  [[nodiscard]] std::string of_input(const std::string& name) const {
    return deployment_ == nullptr ? "" : because(input_origin(model_->sources, *deployment_, name));
  }
  [[nodiscard]] std::string of_config(const std::string& key) const {
    Resource* config = deployment_ == nullptr ? nullptr : config_of(*deployment_);
    return config == nullptr ? "" : because(property_origin(model_->sources, *config, {key}));
  }

 private:
  StackModel* model_;
  Resource* deployment_ = nullptr;
};

/// What of a deployment differs; ids and signal addresses follow from the rest.
std::vector<std::string> differences(const Value& before, const Value& after, const Writer& writer) {
  std::vector<std::string> found;
  for (const char* key : {"group", "config", "outputs", "options"}) {
    if (member(before, key) == member(after, key)) continue;
    found.push_back(cat(key, writer.of_config(key)));
  }
  const std::map<std::string, Value> old = by_name(member(before, "inputs"));
  for (const auto& [name, input] : by_name(member(after, "inputs"))) {
    if (name.rfind("deploy_", 0) == 0) continue;
    const auto same = old.find(name);
    if (same == old.end()) {
      found.push_back(cat("input ", name, " is new"));
    } else if (!(member(same->second, "value") == member(input, "value"))) {
      found.push_back(cat("input ", name, " ", shortened(member(same->second, "value")), " -> ",
                          shortened(member(input, "value")), writer.of_input(name)));
    }
  }
  return found;
}

std::vector<std::string> changes(StackModel* model, const ServerDocument& server, const Value& before) {
  const Value& after = server.metadata;
  std::vector<std::string> lines;
  const std::map<std::string, Value> old = by_name(member(before, "deployments"));
  const std::map<std::string, Value> fresh = by_name(member(after, "deployments"));
  for (const auto& [name, entry] : fresh) {
    const auto same = old.find(name);
    if (same == old.end()) {
      lines.push_back(cat("+ ", name));
      continue;
    }
    const std::vector<std::string> found = differences(same->second, entry, {model, server, entry});
    if (!found.empty()) lines.push_back(cat("~ ", name, ": ", join(found, "; ")));
  }
  for (const auto& [name, entry] : old) {
    if (fresh.count(name) == 0) lines.push_back(cat("- ", name));
  }
  if (!(member(before, "os-collect-config") == member(after, "os-collect-config")))
    lines.emplace_back("~ os-collect-config");
  return lines;
}

}  // namespace

std::vector<ServerPlan> plan(const Compiled& compiled, const std::map<std::string, Value>& before, StackModel* model) {
  std::vector<ServerPlan> plans;
  for (const ServerDocument& server : compiled.servers) {
    const auto old = before.find(server.path);
    ServerPlan made{.path = server.path,
                    .change = ServerPlan::Change::added,
                    .lines = changes(model, server, old == before.end() ? Value() : old->second)};
    if (old != before.end()) made.change = made.lines.empty() ? ServerPlan::Change::none : ServerPlan::Change::changed;
    plans.push_back(std::move(made));
  }
  for (const auto& [path, document] : before) {
    const bool still = std::any_of(compiled.servers.begin(), compiled.servers.end(),
                                   [&p = path](const ServerDocument& s) { return s.path == p; });
    if (!still) plans.push_back({.path = path, .change = ServerPlan::Change::removed, .lines = {}});
  }
  return plans;
}

std::map<std::string, Value> read_compiled(const fs::path& directory, const FileReader& files) {
  std::map<std::string, Value> documents;
  const std::optional<std::string> index = files.read(directory / "index.json");
  if (!index) return documents;
  const Value read = parse_json_value(*index, (directory / "index.json").string()).value_or_throw();
  const Value servers = member(read, "servers");
  for (const Value& server : servers.is_list() ? servers.items() : std::vector<Value>{}) {
    const fs::path file = directory / python_str(member(server, "metadata"));
    const std::optional<std::string> text = files.read(file);
    if (!text) throw Error(ErrorKind::not_found, cat(file.string(), " is missing, though index.json names it"));
    documents[python_str(member(server, "path"))] = parse_json_value(*text, file.string()).value_or_throw();
  }
  return documents;
}

}  // namespace hearth::metadata
