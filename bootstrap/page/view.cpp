#include "bootstrap/page/view.hpp"

#include <array>

#include "base/net/served.hpp"
#include "base/redaction.hpp"
#include "base/text.hpp"

namespace hearth::bootstrap {

namespace {

std::string_view kind_name(State state) {
  constexpr std::array<std::string_view, 5> names = {"stable", "working", "waiting", "failed", "held"};
  return names.at(static_cast<std::size_t>(kind_of(state)));
}

/// How a node looks: out of service it is held, whatever failed before a person took it out (a fault is why the
/// conductor did), and one whose power management failed is not new.
std::string_view row_kind(const Node& node) {
  if (!node.fault.empty()) return "failed";
  const StateKind kind = kind_of(node.state);
  const bool rests = !node.job.running() && (kind == StateKind::stable || kind == StateKind::failed);
  if (rests && node.maintenance) return "held";
  return rests && node.state == State::enroll && !node.last_error.empty() ? "failed" : kind_name(node.state);
}

Json job_shown(const Node& node, bool automated_clean) {
  if (!node.job.running()) return nullptr;
  const auto own = node.fields.find("automated_clean");
  if (own != node.fields.end() && own->is_boolean()) automated_clean = own->get<bool>();
  Json stages = Json::array();
  for (const Stage stage : flow_of(node.job.kind, node, automated_clean)) stages.push_back(name(stage));
  return {{"kind", name(node.job.kind)},
          {"stage", node.job.stage_name()},
          {"stages", stages},
          {"since", stamp_json(node.job.stage_since)},
          {"started", stamp_json(node.job.started)}};
}

Json instruction_shown(const Instruction& instruction) {
  if (instruction.action.empty()) return nullptr;
  return {{"action", instruction.action},
          {"text", instruction.text},
          {"since", stamp_json(instruction.since)},
          {"deadline", stamp_json(instruction.deadline)}};
}

Json place_shown(const Node& node) {
  Json place = Json::object();
  const Json seed = node.extra.value("x_seed", Json::object());
  for (const char* key : {"rack", "slot", "location"}) {
    if (seed.is_object() && seed.contains(key)) place[key] = text_in(seed, key);
  }
  return place;
}

Json verbs_shown(State state) {
  Json verbs = Json::array();
  for (const Verb verb : verbs_of(state)) verbs.push_back(name(verb));
  return verbs;
}

}  // namespace

Json page_row(const Node& node, bool automated_clean) {
  Json macs = Json::array();
  for (const Port& port : node.ports) macs.push_back(port.address);
  Json row = {{"id", node.uuid},
              {"name", node.name},
              {"driver", node.driver},
              {"state", name(node.state)},
              {"kind", row_kind(node)},
              {"since", stamp_json(node.provision_updated)},
              {"power", power_json(node.power)},
              {"macs", macs},
              {"verbs", verbs_shown(node.state)}};
  // What is not there is left out: there are a thousand rows.
  if (node.target) row["target"] = name(*node.target);
  if (!node.target_power.empty()) row["target_power"] = node.target_power;
  if (node.maintenance) row["maintenance"] = node.maintenance_reason;
  if (!node.fault.empty()) row["fault"] = node.fault;
  if (!node.last_error.empty()) row["error"] = node.last_error;
  if (node.seen != 0) row["seen"] = {{"at", stamp_json(node.seen)}, {"how", node.seen_how}};
  if (!node.progress.is_null() && node.job.running()) row["progress"] = node.progress;
  const Json place = place_shown(node);
  if (!place.empty()) row["place"] = place;
  Json job = job_shown(node, automated_clean);
  if (!job.is_null()) row["job"] = std::move(job);
  Json todo = instruction_shown(node.instruction);
  if (!todo.is_null()) row["todo"] = std::move(todo);
  if (const std::optional<std::string> profile = node.capability("profile")) row["profile"] = *profile;
  return row;
}

Json page_details(const Node& node, bool automated_clean) {
  Json shown = page_row(node, automated_clean);
  shown["properties"] = Json::object();
  for (const char* key : {"cpus", "cpu_arch", "memory_mb", "local_gb", "capabilities"}) {
    if (node.properties.contains(key)) shown["properties"][key] = node.properties[key];
  }
  if (node.properties.contains("root_device"))
    shown["properties"]["root_device"] = format_json(node.properties["root_device"]);
  shown["instance"] = Json::object();
  if (!node.instance_uuid.empty()) shown["instance"]["uuid"] = node.instance_uuid;
  const std::string image = text_in(node.instance_info, "image_source");
  if (!image.empty()) shown["instance"]["image"] = without_credentials(without_secrets(image));
  Json ports = Json::array();
  for (const Port& port : node.ports) {
    ports.push_back({{"address", port.address},
                     {"pxe", port.pxe_enabled},
                     {"switch", text_in(port.local_link_connection, "switch_info")},
                     {"switch_port", text_in(port.local_link_connection, "port_id")}});
  }
  shown["ports"] = ports;
  shown["description"] = text_in(node.fields, "description");
  shown["boot_device"] = node.boot_device;
  shown["boot_mode"] = node.boot_mode();
  for (const auto& [key, stamp] :
       {std::pair("created", node.created), std::pair("inspected", node.inspection_finished)})
    shown[key] = stamp_json(stamp);
  return shown;
}

Json page_image(const std::string& name, const Json& document) {
  return {{"name", name},
          {"source", without_credentials(without_secrets(text_in(document, "image_source")))},
          {"format", text_in(document, "image_disk_format")},
          {"digest_kind", text_in(document, "image_os_hash_algo")},
          {"digest", text_in(document, "image_os_hash_value")},
          {"boots", !text_in(document, "kernel").empty() && !text_in(document, "ramdisk").empty()},
          {"evidence", member_or_null(document, "evidence")}};
}

Json page_event(const Event& event) {
  Json shown = {{"id", event.id},      {"at", stamp_json(event.at)}, {"node", event.node},
                {"name", event.title}, {"kind", event.kind},         {"text", event.text}};
  if (const std::string who = text_in(event.detail, "who"); !who.empty()) shown["who"] = who;
  return shown;
}

Json page_boot(const Json& line) {
  constexpr double k_boot_second = 1e6;
  const auto number = [&](const char* key) {
    const auto found = line.find(key);
    return found != line.end() && found->is_number() ? found->get<double>() : 0.0;
  };
  return {{"at", stamp_json(static_cast<Stamp>(number("time") * k_boot_second))},
          {"protocol", text_in(line, "protocol")},
          {"what", without_secrets(text_in(line, "what"))},
          {"seconds", number("seconds")}};
}

Json page_states() {
  Json states = Json::object();
  for (int i = 0; i <= static_cast<int>(State::service_hold); ++i) {
    const auto state = static_cast<State>(i);
    states[std::string(name(state))] = {{"kind", kind_name(state)}};
    if (const std::optional<State> target = target_of(state)) states[std::string(name(state))]["to"] = name(*target);
  }
  return states;
}

}  // namespace hearth::bootstrap
