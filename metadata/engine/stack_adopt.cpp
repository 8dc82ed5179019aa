// A stack that was exported elsewhere comes here: its resources keep their ids and nothing is run again.
#include "base/error.hpp"
#include "base/sys/random.hpp"
#include "base/text.hpp"
#include "metadata/engine/deployment_outcome.hpp"
#include "metadata/engine/records_json.hpp"
#include "metadata/engine/stack_machine.hpp"

namespace hearth::metadata::live {

namespace {

void require(bool holds, const std::string& path, std::string_view key, std::string_view kind) {
  if (!holds)
    throw Error(ErrorKind::input, cat("Invalid adopt data: ", key, " of the resource ", path, " is no ", kind));
}

/// What is known of a server or handle.
ResourceData known_data(const Json& known, const std::string& path) {
  Json data = known.is_object() ? known.value("data", Json::object()) : Json::object();
  require(data.is_object(), path, "data", "map");
  const auto has = [](const Json& map, const char* key) { return map.contains(key) && !map[key].is_null(); };
  for (const char* key : {"key", "object", "container", "name", "transport"}) {
    if (has(data, key)) require(data[key].is_string(), path, key, "text");
  }
  for (const char* key : {"version", "modified"}) {
    if (has(data, key)) require(data[key].is_number_integer(), path, key, "number");
  }
  for (const char* key : {"former", "machine", "told", "os-collect-config", "signals"}) {
    if (has(data, key)) require(data[key].is_object(), path, key, "map");
  }
  for (const auto& [map, key] : {std::pair{"former", "key"}, {"former", "object"}, {"machine", "address"}}) {
    if (has(data, map) && has(data[map], key)) require(data[map][key].is_string(), path, key, "text");
  }
  try {
    return resource_data_from(data);
  } catch (const Json::exception&) {
    throw Error(ErrorKind::input, cat("Invalid adopt data: data of the resource ", path, " is not what an export has"));
  }
}

}  // namespace

/// Takes over what an export says of this resource: ids, credentials, and how its deployments ended.
void StackMachine::restore(std::size_t index) {
  ResourceRecord& resource = tree_.own_resource(index);
  const Json* row = &tree_.adopted;
  std::size_t from = 0;
  const std::string& path = resource.path;
  for (std::size_t end = path.find('.'); row != nullptr; end = path.find('.', from)) {
    const auto resources = row->find("resources");
    const auto found =
        resources == row->end() || !resources->is_object() ? resources : resources->find(path.substr(from, end - from));
    row = resources == row->end() || !resources->is_object() || found == resources->end() ? nullptr : &*found;
    if (end == std::string::npos) break;
    from = end + 1;
  }
  if (row == nullptr || !row->is_object()) return;
  const Json known = row->value("hearth", Json::object());
  resource.era = exported_era(*row);
  if (resource.role == Role::server || resource.role == Role::wait_handle) {
    resource.data = known_data(known, path);
  }
  // What is made of its own data is the same thing as before.
  if (resource.role == Role::deployment || !blueprint_.resource_data(path).empty()) {
    const Json id = row->value("resource_id", Json());
    if (id.is_string() && !id.get_ref<const std::string&>().empty()) resource.physical_id = id;
  }
  if (resource.role == Role::deployment) {
    if (known.is_object() && known.contains("deployment")) resource.deployment = deployment_from(known["deployment"]);
  }
}

/// It was run before it came here: nothing is triggered, and what it told is known.
void StackMachine::adopt_deployment(std::size_t index) {
  ResourceRecord& resource = tree_.own_resource(index);
  if (resource.physical_id.empty()) resource.physical_id = random_uuid();
  const PlannedDeployment plan = blueprint_.deployment(resource.path, {});
  DeploymentState& state = resource.deployment;
  state.server = plan.server;
  state.status = Status::complete;
  if (!state.output_values.is_object()) {
    state.output_values =
        deployment_outcome(plan.derived.value("outputs", Json::array()), Json::object()).output_values;
    for (const Json& output : plan.derived.value("outputs", Json::array())) {
      state.output_values[output.value("name", "")] = Json();
    }
  }
  resource.fingerprint = fingerprint_of(resource);
  touch_server(resource);
  set(index, Action::adopt, Status::in_progress, "state changed");
  complete(index);
}

}  // namespace hearth::metadata::live
