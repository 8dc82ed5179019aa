// Nodes as they are stored: one JSON object each.
#include "bootstrap/node/node.hpp"

namespace hearth::bootstrap {

namespace {

std::string text(const Json& record, const char* key) { return text_in(record, key); }
Stamp stamp(const Json& record, const char* key) { return record.value(key, Stamp{0}); }

Json object(const Json& record, const char* key) {
  const auto found = record.find(key);
  return found == record.end() ? Json::object() : *found;
}

Json ports_record(const Node& node) {
  Json ports = Json::array();
  for (const Port& port : node.ports) {
    ports.push_back({{"uuid", port.uuid},
                     {"address", port.address},
                     {"physical_network", port.physical_network},
                     {"pxe_enabled", port.pxe_enabled},
                     {"group", port.group},
                     {"is_smartnic", port.is_smartnic},
                     {"local_link_connection", port.local_link_connection},
                     {"extra", port.extra},
                     {"created", port.created},
                     {"updated", port.updated}});
  }
  return ports;
}

std::vector<Port> ports_from(const Json& record) {
  std::vector<Port> ports;
  for (const Json& row : record) {
    Port port;
    port.uuid = text(row, "uuid");
    port.address = text(row, "address");
    port.physical_network = text(row, "physical_network");
    port.pxe_enabled = row.value("pxe_enabled", true);
    port.group = text(row, "group");
    port.is_smartnic = row.value("is_smartnic", false);
    port.local_link_connection = object(row, "local_link_connection");
    port.extra = object(row, "extra");
    port.created = stamp(row, "created");
    port.updated = stamp(row, "updated");
    ports.push_back(std::move(port));
  }
  return ports;
}

Json instruction_record(const Instruction& instruction) {
  return {{"action", instruction.action},
          {"text", instruction.text},
          {"since", instruction.since},
          {"deadline", instruction.deadline},
          {"reminded", instruction.reminded}};
}

Instruction instruction_from(const Json& record) {
  return {text(record, "action"), text(record, "text"), stamp(record, "since"), stamp(record, "deadline"),
          stamp(record, "reminded")};
}

/// The objects whose contents are other people's.
void put_objects(const Node& node, Json& record) {
  record["driver_info"] = node.driver_info;
  record["properties"] = node.properties;
  record["instance_info"] = node.instance_info;
  record["extra"] = node.extra;
  record["internal"] = node.internal;
  if (!node.raid_config.empty()) record["raid_config"] = node.raid_config;
  if (!node.target_raid_config.empty()) record["target_raid_config"] = node.target_raid_config;
  record["fields"] = node.fields;
}

void take_objects(const Json& record, Node& node) {
  node.driver_info = object(record, "driver_info");
  node.properties = object(record, "properties");
  node.instance_info = object(record, "instance_info");
  node.extra = object(record, "extra");
  node.internal = object(record, "internal");
  node.raid_config = object(record, "raid_config");
  node.target_raid_config = object(record, "target_raid_config");
  node.fields = object(record, "fields");
}

Power power_from(int number) { return number == 2 ? Power::on : number == 1 ? Power::off : Power::unknown; }

}  // namespace

Json node_record(const Node& node) {
  Json record = {{"uuid", node.uuid},
                 {"name", node.name},
                 {"driver", node.driver},
                 {"state", name(node.state)},
                 {"target", node.target ? name(*node.target) : ""},
                 {"power", static_cast<int>(node.power)},
                 {"target_power", node.target_power},
                 {"last_error", node.last_error},
                 {"maintenance", node.maintenance},
                 {"maintenance_reason", node.maintenance_reason},
                 {"fault", node.fault},
                 {"instance_uuid", node.instance_uuid},
                 {"allocation", node.allocation},
                 {"boot_device", node.boot_device},
                 {"boot_device_persistent", node.boot_device_persistent},
                 {"traits", node.traits},
                 {"observed", static_cast<int>(node.observed)},
                 {"seen", node.seen},
                 {"seen_how", node.seen_how},
                 {"created", node.created},
                 {"updated", node.updated},
                 {"provision_updated", node.provision_updated},
                 {"inspection_started", node.inspection_started},
                 {"inspection_finished", node.inspection_finished}};
  record["ports"] = ports_record(node);
  put_objects(node, record);
  if (node.job.running()) record["job"] = job_record(node.job);
  if (!node.instruction.action.empty()) record["instruction"] = instruction_record(node.instruction);
  return record;
}

Node node_from_record(const Json& record) {
  Node node;
  node.uuid = text(record, "uuid");
  node.name = text(record, "name");
  node.driver = text(record, "driver");
  node.state = parse_state(text(record, "state")).value_or(State::enroll);
  node.target = parse_state(text(record, "target"));
  node.power = power_from(record.value("power", 0));
  node.target_power = text(record, "target_power");
  node.last_error = text(record, "last_error");
  node.maintenance = record.value("maintenance", false);
  node.maintenance_reason = text(record, "maintenance_reason");
  node.fault = text(record, "fault");
  node.instance_uuid = text(record, "instance_uuid");
  node.allocation = text(record, "allocation");
  node.boot_device = text(record, "boot_device");
  node.boot_device_persistent = record.value("boot_device_persistent", false);
  node.traits = record.value("traits", std::vector<std::string>());
  node.observed = power_from(record.value("observed", 0));
  node.seen = stamp(record, "seen");
  node.seen_how = text(record, "seen_how");
  node.created = stamp(record, "created");
  node.updated = stamp(record, "updated");
  node.provision_updated = stamp(record, "provision_updated");
  node.inspection_started = stamp(record, "inspection_started");
  node.inspection_finished = stamp(record, "inspection_finished");
  node.ports = ports_from(record.value("ports", Json::array()));
  take_objects(record, node);
  if (record.contains("job")) node.job = job_from_record(record["job"]);
  if (record.contains("instruction")) node.instruction = instruction_from(record["instruction"]);
  return node;
}

}  // namespace hearth::bootstrap
