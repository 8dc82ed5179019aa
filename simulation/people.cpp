#include "simulation/people.hpp"

#include "base/error.hpp"

namespace hearth::simulation {

namespace {

using bootstrap::text_in;
using std::chrono::seconds;

constexpr const char* k_checksum = "0000000000000000000000000000000000000000000000000000000000000000";

}  // namespace

Person::Person(Site& site, std::vector<std::unique_ptr<Machine>>& machines)
    : site_(site),
      machines_(machines),
      random_(Random::of(site.seed, "person")),
      http_(site.network, site.layout.person()) {}

std::string Person::inventory() const {
  Json nodes = Json::array();
  for (const auto& machine : machines_) {
    nodes.push_back({{"name", machine->name()},
                     {"pm_type", "redfish"},
                     {"pm_addr", cat("http://", site_.layout.bmc(machine->number()))},
                     {"pm_user", "admin"},
                     {"pm_password", cat("password of ", machine->name())},
                     {"pm_system_id", cat("/redfish/v1/Systems/", machine->name())},
                     {"mac", {machine->mac()}},
                     {"kernel_id", cat(site_.directory, "/kernel")},
                     {"ramdisk_id", cat(site_.directory, "/ramdisk")},
                     {"capabilities", machine->is_uefi() ? "boot_mode:uefi" : "boot_mode:bios"},
                     {"root_device", {{"serial", machine->meant()}}}});
    const std::string& address = site_.layout.machines[machine->number()].address;
    if (!address.empty()) nodes.back()["x_seed"] = {{"ipv4_address", address}};
  }
  return format_json({{"nodes", nodes}});
}

std::optional<Json> Person::ask(const std::string& method, const std::string& path, const Json& body) {
  HttpRequest request;
  request.method = method;
  request.url = {"http", "", site_.layout.people(), 6385, path};
  request.headers = {{"X-Auth-Token", k_admin_token}, {"X-OpenStack-Ironic-API-Version", "1.82"}};
  if (!body.is_null()) request.body = format_json(body);
  request.deadline = Deadline::after(seconds(60), site_.scheduler.clock());
  try {
    const HttpResponse response = http_.send(request);
    if (!response.ok()) {
      site_.note("person", "person", cat(method, " ", path, ": ", response.status, " ", response.body));
      return std::nullopt;
    }
    return parse_json(response.body.empty() ? "{}" : response.body, "answer").value_or_throw();
  } catch (const Error& error) {
    site_.note("person", "person", error.what());
    return std::nullopt;
  }
}

void Person::order(const std::string& node, const std::string& target, Json further) {
  further["target"] = target;
  for (int times = twice_ ? 2 : 1; times > 0; --times)
    (void)ask("PUT", cat("/v1/nodes/", node, "/states/provision"), further);
}

void Person::start() {
  site_.scheduler.start(Scheduler::k_world, [this] {
    while (true) {
      site_.scheduler.sleep(random_.between(seconds(20), seconds(90)));
      go_round();
    }
  });
}

void Person::go_round() {
  const std::optional<Json> list = ask("GET", "/v1/nodes/detail", Json());
  if (!list) return;
  const Json nodes = list->value("nodes", Json::array());
  content_ = nodes.size() == machines_.size();
  worry_ = content_ ? "" : "nodes are missing";
  if (!content_) {
    (void)ask("POST", "/v1/hearth/import", {{"text", inventory()}, {"source", "nodes.json"}, {"format", "json"}});
    return;
  }
  for (const Json& node : nodes) look_after(node);
}

void Person::look_after(const Json& node) {
  const std::string name = text_in(node, "name");
  const auto machine =
      std::find_if(machines_.begin(), machines_.end(), [&](const auto& one) { return one->name() == name; });
  if (machine == machines_.end()) return;
  const std::string state = text_in(node, "provision_state");
  const bool good = state == "active" && (*machine)->runs_system() && !node.value("maintenance", false) &&
                    text_in(node, "power_state") == "power on" && text_in(node, "target_power_state").empty();
  if (good) return;
  if (content_)
    worry_ = cat(name, " is ", state, ", its machine ", (*machine)->doing(), ", ", text_in(node, "last_error"));
  content_ = false;
  mend(node, **machine);
}

void Person::mend(const Json& node, Machine& machine) {
  const std::string name = machine.name();
  const std::string state = text_in(node, "provision_state");
  const std::string error = text_in(node, "last_error");
  if (error.find("password") != std::string::npos || error.find("credentials") != std::string::npos)
    site_.mend_password(machine.number());
  if (error.find("input/output") != std::string::npos) machine.replace_disk();
  if (node.value("maintenance", false)) {
    site_.mend_password(machine.number());
    (void)ask("DELETE", cat("/v1/nodes/", name, "/maintenance"), Json());
  }
  if (state == "enroll") return order(name, "manage");
  if (state == "manageable") return order(name, "provide");
  if (state == "clean failed") return order(name, "manage");
  if (state == "error") return order(name, "deleted");
  if (state == "active") {  // it runs no system, or is off
    if (text_in(node, "power_state") == "power off")
      (void)ask("PUT", cat("/v1/nodes/", name, "/states/power"), {{"target", "power on"}});
    else if (machine.doing().find("stands") == 0)
      order(name, "rebuild", {{"configdrive", {{"user_data", secret_of(name)}}}});
    return;
  }
  if (state != "available" && state != "deploy failed") return;
  const Json image = {{"image_source", cat("http://", site_.layout.server(), "/images/", name, ".raw")},
                      {"image_os_hash_algo", "sha256"},
                      {"image_os_hash_value", k_checksum}};
  Json patch = Json::array();
  for (const auto& [key, value] : image.items())
    patch.push_back({{"op", "add"}, {"path", cat("/instance_info/", key)}, {"value", value}});
  patch.push_back(
      {{"op", "add"}, {"path", "/driver_info/kernel_append_params"}, {"value", "ipa-advertise-protocol=http"}});
  if (!ask("PATCH", cat("/v1/nodes/", name), patch)) return;
  order(name, "active", {{"configdrive", {{"user_data", secret_of(name)}}}});
}

void Person::err(std::size_t machine) {
  site_.scheduler.start(Scheduler::k_world, [this, machine] {
    const std::string& name = machines_[machine]->name();
    const auto power = [&](const char* target) {
      (void)ask("PUT", cat("/v1/nodes/", name, "/states/power"), {{"target", target}, {"timeout", 60}});
    };
    switch (random_.below(8)) {
      case 0: return order(name, "deleted");
      case 1: return order(name, "abort");
      case 2: return order(name, "rebuild", {{"configdrive", {{"user_data", secret_of(name)}}}});
      case 3: return power("power off");
      case 4: return power("power on");
      case 5: power("soft power off"); break;
      case 6: power("soft rebooting"); break;
      default: return power("rebooting");
    }
    // While its system ends they have changed their mind.
    site_.scheduler.sleep(random_.between(seconds(5), seconds(120)));
    order(name, "rebuild", {{"configdrive", {{"user_data", secret_of(name)}}}});
  });
}

}  // namespace hearth::simulation
