#include "metadata/engine/step_around.hpp"

#include "base/sys/random.hpp"
#include "base/text.hpp"

namespace hearth::metadata::live {

namespace {

/// What was adopted may have none: nobody could sign with it.
void require_key(ResourceData& data) {
  if (data.key.empty()) data.key = random_hex(16);
}

}  // namespace

Changes StepAround::all(Changes changes) {
  changes.settings = std::exchange(settings_, {});
  changes.when_kept = std::exchange(when_kept_, {});
  return changes;
}

/// The former trigger's URL is worth nothing from now on.
Parameters StepAround::signal_inputs(const StackTree& tree, ResourceRecord& resource, const std::string& transport) {
  DeploymentState& state = resource.deployment;
  when_kept_.emplace_back([&engine = engine_, former = state.key_id,
                           object = cat(tree.project, "/", tree.stack(resource.stack).id, "/", state.key_id)] {
    engine.keys_.erase(former);
    engine.objects_.erase(object);
  });
  state.key_id = transport == "NO_SIGNAL" ? "" : random_hex(16);
  return engine_.credentials_.signal_inputs(transport, tree.project, tree.stack(resource.stack), resource, now());
}

void StepAround::prepare_server(const StackTree& tree, ResourceRecord& resource, const PlannedServer& plan) {
  require_key(resource.data);
  resource.data.name = plan.name;
  resource.data.transport = plan.transport;
  resource.data.metadata = plan.metadata;
  if (plan.transport == "POLL_TEMP_URL" && resource.data.object.empty()) {
    resource.data.container = plan.container.empty() ? plan.name : plan.container;
    resource.data.object = plan.object.empty() ? random_uuid() : plan.object;
  }
  Json section = engine_.credentials_.collect_section(tree.project, tree.stack(resource.stack), resource);
  // What the agent was told of another transport is taken back, or its configuration of the boot would go on with it.
  for (const auto& [name, values] : resource.data.os_collect_config.items()) {
    if (!values.is_object() || section.contains(name)) continue;
    for (const auto& [key, value] : values.items()) section[name][key] = nullptr;
  }
  resource.data.os_collect_config = std::move(section);
}

Json StepAround::prepare_handle(const StackTree& tree, ResourceRecord& resource, const PlannedHandle& plan) {
  require_key(resource.data);
  return engine_.credentials_.handle_attributes(plan, tree.project, tree.stack(resource.stack), resource, now());
}

bool StepAround::is_polling(const ResourceRecord& server) const {
  if (!polls_) return engine_.is_polling(server);
  const auto found = polls_->find(server.physical_id);
  return engine_.is_polling(found == polls_->end() ? 0 : found->second);
}

void StepAround::forget(const StackTree& tree, const ResourceRecord& resource) {
  const std::string key = resource.data.key;
  when_kept_.emplace_back([&engine = engine_, key, of_deployment = resource.deployment.key_id] {
    engine.keys_.erase(of_deployment);
    engine.keys_.erase(key);
  });
  if (resource.role == Role::server && !key.empty()) forget_server(tree, resource, key);
}

/// A server that goes is remembered: when its machine still asks, it is told, and so are we.
void StepAround::forget_server(const StackTree& tree, const ResourceRecord& resource, const std::string& key) {
  const StackRecord& stack = tree.stack(resource.stack);
  Json row = Json::object();
  row["key"] = key;
  row["name"] = resource.data.name.empty() ? resource.name : resource.data.name;
  row["stack_id"] = stack.id;
  row["stack_name"] = stack.name;
  row["resource"] = resource.name;
  row["type"] = resource.type;
  row["physical_id"] = resource.physical_id;
  row["until"] = now() + k_retired_kept;
  row["object"] = resource.data.object.empty()
                      ? cat("key/", key)
                      : cat(tree.project, "/", resource.data.container, "/", resource.data.object);
  const std::size_t current = tree.find_path(resource.path);
  const bool replaced = current != k_none && &tree.resource(current) != &resource;
  if (replaced && tree.resource(current).physical_id == resource.physical_id) return;  // only its key is another
  const bool same_object =
      replaced && tree.resource(current).data.object == resource.data.object && !resource.data.object.empty();
  settings_.emplace_back(cat("retired/", key), format_json(row));
  when_kept_.emplace_back(
      [&engine = engine_, row = std::move(row), same_object, replaced, tree_id = tree.id, path = resource.path] {
        const std::string id = row.value("physical_id", "");
        const std::string object = row.value("object", "");
        engine.servers_.erase(id);
        engine.served_.erase(id);
        engine.polls_.erase(id);
        engine.runs_.erase(id);
        engine.retired_[row.value("key", "")] = row;
        if (!same_object) {
          engine.objects_.erase(object);
          engine.retired_[object] = row;
        }
        if (replaced) return;
        std::erase_if(engine.addresses_,
                      [&](const auto& entry) { return entry.second.tree == tree_id && entry.second.path == path; });
      });
}

}  // namespace hearth::metadata::live
