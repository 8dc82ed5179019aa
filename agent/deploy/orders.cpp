#include "agent/deploy/orders.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>

#include "agent/deploy/deploy_image.hpp"
#include "agent/deploy/erase.hpp"
#include "agent/deploy/root_device.hpp"
#include "base/error.hpp"
#include "base/hmac.hpp"
#include "base/text.hpp"

namespace hearth::agent::deploy {

namespace {

constexpr const char* k_manager = "GenericHardwareManager";

Json versions() { return {{"generic_hardware_manager", "1.2"}}; }

/// A step that this agent knows. Deployments may ask for each by name. None is for service: a machine in use keeps what
/// is on its disks, and is served by the steps of its BMC.
struct Step {
  const char* name;
  int clean_priority;  ///< -1 = not offered for cleaning
  Json (*run)(OrderWorld& world, Session& session, const Json& node, const Json& arguments);
};

Json step_write_image(OrderWorld& world, Session& session, const Json& node, const Json& arguments) {
  return deploy_image(world, session, node, arguments.value("image_info", Json()),
                      arguments.value("configdrive", Json()));
}

/// A stick that somebody has left in the machine is not the site's to erase, but it is told of.
bool passed_over(const Disk& disk, Console& console) {
  if (disk.removable) console.say(cat(disk.name, " is removable: it is NOT erased"));
  return disk.removable;
}

Json step_erase_metadata(OrderWorld& world, Session&, const Json&, const Json&) {
  for (const Disk& disk : world.machine.disks()) {
    if (passed_over(disk, world.console)) continue;
    world.console.say(cat("erasing partition tables and labels of ", disk.name));
    erase_metadata(disk);
  }
  return nullptr;
}

Json step_erase_all(OrderWorld& world, Session&, const Json& node, const Json&) {
  const DriveErase wish = drive_erase_of(node);
  const auto say = [&world](const std::string& text) { world.console.say(text); };
  for (const Disk& disk : world.machine.disks()) {
    if (passed_over(disk, world.console)) continue;
    world.console.say(cat("erasing all of ", disk.name, " (", human_bytes(disk.size), ")"));
    erase_all(disk, wish, world.clock, say);
  }
  return nullptr;
}

constexpr std::array k_steps = {Step{"write_image", -1, step_write_image},
                                Step{"erase_devices_metadata", 99, step_erase_metadata},
                                Step{"erase_devices", 10, step_erase_all}};

/// `kind` is "clean", "deploy" or "service".
bool is_offered(const Step& step, const std::string& kind) {
  return kind == "deploy" || (kind == "clean" && step.clean_priority >= 0);
}

Json steps_json(const std::string& kind) {
  const bool cleaning = kind == "clean";
  Json list = Json::array();
  for (const Step& step : k_steps) {
    if (!is_offered(step, kind)) continue;
    Json row = {{"step", step.name},
                {"priority", cleaning ? step.clean_priority : 0},
                {"interface", "deploy"},
                {"reboot_requested", false}};
    if (cleaning) row["abortable"] = true;
    list.push_back(std::move(row));
  }
  return {{k_manager, std::move(list)}};
}

const Step& step_of(const std::string& kind, const Json& params) {
  const std::string name = text_member(object_member(params, "step"), "step");
  const auto found = std::find_if(k_steps.begin(), k_steps.end(),
                                  [&](const Step& step) { return name == step.name && is_offered(step, kind); });
  if (found == k_steps.end()) {
    throw Error(
        ErrorKind::usage,
        cat("this ramdisk has no ", kind, " step '", name, "'",
            kind == "service" ? ": a machine in use is served by steps of its BMC (bios, raid, firmware)" : ""));
  }
  return *found;
}

Json execute_step(OrderWorld& world, Session& session, const std::string& kind, const Json& params) {
  const Step& step = step_of(kind, params);
  const Json arguments = object_member(object_member(params, "step"), "args");
  const Json result = step.run(world, session, object_member(params, "node"), arguments);
  return {{cat(kind, "_result"), result}, {cat(kind, "_step"), object_member(params, "step")}};
}

void check_step(const std::string& kind, const Json& params) {
  if (step_of(kind, params).run == step_write_image) {
    static_cast<void>(
        parse_image_info(object_member(object_member(params, "step"), "args").value("image_info", Json())));
  }
}

Json install_bootloader(OrderWorld& world, Session& session, const Json& params) {
  const bool uefi = to_lower(text_member(params, "target_boot_mode")) == "uefi";
  const std::optional<MadeParts> made = session.parts.get();
  if (!uefi && !made) {
    world.console.say("BIOS: the image brings its own boot sector");
    return "the image brings its own boot sector";
  }
  const std::optional<Disk> written = session.root_disk.get();
  const Disk disk = written ? *written : root_disk_of(session.node, world, session);
  if (made) {
    const MadeParts& parts = *made;
    world.console.say("installing the image's boot loader");
    const std::string done =
        world.machine.install_grub({disk.name, parts.root, parts.root_type, parts.esp, parts.esp_uuid});
    world.console.say(done);
    if (!uefi) return done;
  }
  const std::string done = world.machine.install_bootloader(disk);
  world.console.say(cat("the firmware's boot entry: ", done));
  return done;
}

/// Under the names that Ironic looks for.
Json partition_uuids(const Session& session) {
  Json uuids = Json::object();
  const std::optional<MadeParts> parts = session.parts.get();
  if (parts) {
    uuids["root uuid"] = parts->root_uuid;
    uuids["partitions"] = {{"root", parts->root}};
    if (!parts->esp.empty()) uuids["efi system partition uuid"] = parts->esp_uuid;
  }
  return parts ? uuids : Json{{"partitions", Json::object()}};
}

Json end_with(OrderWorld& world, Session& session, Ending ending) {
  ::sync();
  world.console.say(ending == Ending::reboot ? "ordered to reboot" : "ordered to switch off");
  session.ending = ending;
  return nullptr;
}

Json system_logs(const OrderWorld& world) {
  const std::string archive = tar_gz({{"hearth-agent.log", world.console.log()}, {"dmesg", kernel_messages()}});
  return {{"system_logs", base64_encode(archive)}};
}

}  // namespace

Disk root_disk_of(const Json& node, OrderWorld& world, const Session& session) {
  const Json hints = object_member(object_member(node, "properties"), "root_device");
  for (int attempt = 1;; ++attempt) {
    const std::vector<Disk> disks = world.machine.disks();
    try {
      return choose_root_device(disks, hints);
    } catch (const Error&) {
      if (attempt >= session.disk_wait_attempts) throw;
    }
    if (attempt == 1) world.console.say("waiting for a disk that fits");
    world.clock.sleep(session.disk_wait_delay);
  }
}

Json progress_json(const Session& session) {
  return {{"phase", session.writing           ? "write_image"
                    : session.root_disk.get() ? "written"
                                              : "waiting"},
          {"fetched", session.progress.fetched.load()},
          {"to_fetch", session.progress.to_fetch.load()},
          {"written", session.progress.written.load()}};
}

std::vector<CommandRow> order_rows(OrderWorld& world, Session& session) {
  const auto steps = [](const std::string& kind) {
    return [kind](const Json&) {
      return Json{{cat(kind, "_steps"), steps_json(kind)}, {"hardware_manager_version", versions()}};
    };
  };
  const auto execute = [&world, &session](const std::string& kind) {
    return [&world, &session, kind](const Json& params) { return execute_step(world, session, kind, params); };
  };
  const auto check = [](const std::string& kind) { return [kind](const Json& params) { check_step(kind, params); }; };
  const auto ends = [&world, &session](Ending ending) {
    return [&world, &session, ending](const Json&) { return end_with(world, session, ending); };
  };
  const auto sync = [](const Json&) {
    ::sync();
    return Json();
  };
  return {
      {"deploy.get_deploy_steps", true, steps("deploy"), {}},
      {"deploy.execute_deploy_step", false, execute("deploy"), check("deploy")},
      {"clean.get_clean_steps", true, steps("clean"), {}},
      {"clean.execute_clean_step", false, execute("clean"), check("clean")},
      {"service.get_service_steps", true, steps("service"), {}},
      {"service.execute_service_step", false, execute("service"), check("service")},
      {"standby.prepare_image", false,
       [&world, &session](const Json& params) {
         return Json(
             deploy_image(world, session, {}, params.value("image_info", Json()), params.value("configdrive", Json())));
       },
       [](const Json& params) { static_cast<void>(parse_image_info(params.value("image_info", Json()))); }},
      {"standby.cache_image", false,
       [&world, &session](const Json& params) {
         return Json(deploy_image(world, session, {}, params.value("image_info", Json()), Json()));
       },
       [](const Json& params) { static_cast<void>(parse_image_info(params.value("image_info", Json()))); }},
      {"standby.get_partition_uuids", true, [&session](const Json&) { return partition_uuids(session); }, {}},
      {"standby.sync", true, sync, {}},
      {"standby.run_image", true, ends(Ending::reboot), {}},
      {"standby.power_off", true, ends(Ending::power_off), {}},
      {"image.install_bootloader",
       false,
       [&world, &session](const Json& params) { return install_bootloader(world, session, params); },
       {}},
      {"rescue.finalize_rescue",
       true,
       [&world](const Json& params) {
         world.machine.let_in(params);
         world.console.say("rescue: log in by SSH as \"rescue\", with the password that was given to the conductor");
         return Json();
       },
       {}},
      {"log.collect_system_logs", true, [&world](const Json&) { return system_logs(world); }, {}},
      {"poll.get_hardware_info", true, [&world](const Json&) { return world.machine.inventory(); }, {}},
  };
}

}  // namespace hearth::agent::deploy
