#include "agent/cfn/init.hpp"
#include "base/text.hpp"

namespace hearth::agent {

namespace {

using Words = std::vector<std::string>;

/// The commands of the service manager that this machine has.
class ServiceManager {
 public:
  explicit ServiceManager(const CfnWorld& world)
      : world_(world),
        systemd_(has("/bin/systemctl")),
        service_(has("/sbin/service") ? "/sbin/service" : "/usr/sbin/service"),
        chkconfig_(has("/sbin/chkconfig")) {}

  /// start, stop or status.
  int act(const std::string& service, const std::string& action) {
    if (systemd_) return run_logged({"/bin/systemctl", action, cat(service, ".service")}, world_);
    return run_logged({service_, service, action}, world_);
  }

  int enable(const std::string& service, bool on) {
    if (systemd_) return run_logged({"/bin/systemctl", on ? "enable" : "disable", cat(service, ".service")}, world_);
    if (chkconfig_) return run_logged({"/sbin/chkconfig", service, on ? "on" : "off"}, world_);
    return run_logged({"/usr/sbin/update-rc.d", service, on ? "enable" : "disable"}, world_);
  }

 private:
  [[nodiscard]] bool has(const char* path) const { return world_.files.status(path).has_value(); }
  const CfnWorld& world_;
  bool systemd_;
  std::string service_;
  bool chkconfig_;
};

/// Calls `action` with each service of the managers that are known.
template <class Action>
void each_service(const Json& services, const CfnWorld& world, const Action& action) {
  for (const auto& [manager, entries] : services.items()) {
    if (manager != "sysvinit" && manager != "systemd") {
      world.log.warning(cat("Skipping invalid service type: ", manager));
      continue;
    }
    for (const auto& [name, properties] : entries.items()) action(name, properties);
  }
}

}  // namespace

void apply_services(const Json& services, const CfnWorld& world) {
  ServiceManager manager(world);
  each_service(services, world, [&](const std::string& name, const Json& properties) {
    if (const Json* enabled = find_member(properties, "enabled")) (void)manager.enable(name, to_boolean(*enabled));
    const Json* ensure = find_member(properties, "ensureRunning");
    if (ensure == nullptr) return;
    const bool running = manager.act(name, "status") == 0;
    if (to_boolean(*ensure) == running) return;
    world.log.info(cat(running ? "Stopping service " : "Starting service ", name));
    (void)manager.act(name, running ? "stop" : "start");
  });
}

std::vector<std::string> restart_services(const Json& services, const CfnWorld& world) {
  ServiceManager manager(world);
  Words restarted;
  each_service(services, world, [&](const std::string& name, const Json& properties) {
    const Json* ensure = find_member(properties, "ensureRunning");
    if (ensure == nullptr || !to_boolean(*ensure) || manager.act(name, "status") == 0) return;
    world.log.warning(cat("Restarting service ", name));
    if (manager.act(name, "start") != 0) world.log.warning(cat("Service ", name, " did not start."));
    restarted.push_back(name);
  });
  return restarted;
}

}  // namespace hearth::agent
