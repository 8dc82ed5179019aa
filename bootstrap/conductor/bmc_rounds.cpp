// The rounds of bmc_steps.hpp.
#include <algorithm>
#include <optional>

#include "base/redaction.hpp"
#include "base/text.hpp"
#include "bootstrap/conductor/bmc_steps.hpp"
#include "bootstrap/conductor/jobs.hpp"
#include "bootstrap/conductor/raid_config.hpp"
#include "bootstrap/conductor/raid_plan.hpp"

namespace hearth::bootstrap {

namespace {

using Then = BmcRound::Then;
using Reason = PowerFault::Reason;

constexpr Stamp k_resting = microseconds(Seconds(30));  ///< a task that has not begun by then waits for a start
constexpr Stamp k_lag = microseconds(Seconds(60));
constexpr Stamp k_bmc_away = microseconds(Seconds(300));  ///< so long a BMC may start anew, as Ironic has it

struct RoundOf {
  PowerDriver& driver;
  const Node& node;
  const Json& arguments;
  Stamp now;
  Seconds patience;
};

/// What a BMC shows may come some time after it has said yes: nothing when it was waited for long enough.
std::optional<BmcRound> lag_round(const RoundOf& asked, Json at) {
  const Stamp since = at.value("lags", asked.now);
  if (asked.now - since > k_lag) return std::nullopt;
  at["lags"] = since;
  BmcRound round;
  round.at = std::move(at);
  round.then = Then::wait;
  return round;
}

BmcRound failed_round(std::string why) {
  BmcRound round;
  round.then = Then::failed;
  round.fault = std::move(why);
  return round;
}

bool has_text(const Json& list, const std::string& text) {
  return list.is_array() && std::find(list.begin(), list.end(), Json(text)) != list.end();
}

// BIOS.

/// What is not as it was wished.
Json not_updated(const Json& wishes, const Json& told) {
  const Json& settings = object_member(told, "settings");
  Json left = Json::object();
  for (const auto& [name, value] : wishes.items()) {
    if (member_or_null(settings, name) != value) left[name] = value;
  }
  return left;
}

BmcRound bios_round(const RoundOf& asked, const std::string& step, Json at) {
  Json wishes = Json::object();
  for (const Json& row : list_member(asked.arguments, "settings")) wishes[text_in(row, "name")] = row["value"];
  BmcRound round;
  if (!at.contains("told")) {
    step == "factory_reset" ? asked.driver.reset_bios(asked.node) : asked.driver.set_bios(asked.node, wishes);
    round.at = {{"told", true}};
    round.then = Then::restart;
    round.news = cat("step ", step, ": its BIOS was told; the machine starts anew to take it");
    return round;
  }
  round.firmware = firmware_json(asked.driver.firmware(asked.node));
  const Json left = not_updated(wishes, round.firmware);
  round.then = left.empty() ? Then::done : Then::failed;
  if (!left.empty()) {
    round.fault =
        cat("Redfish BIOS apply_configuration step failed. Attributes ", format_json(left), " are not updated.");
  }
  return round;
}

// RAID. `at` has what controllers were asked for ("asked": they do one thing at a time), the tasks that came of it, and
// whether the machine is to start anew for them ("start").

/// Of the tasks under way; nothing when there is none any more.
std::optional<BmcRound> task_round(const RoundOf& asked, const Json& before) {
  Json at = before;
  if (!at.value("looking", false)) return std::nullopt;
  Json running = Json::array();
  for (const Json& path : list_member(at, "tasks")) {
    const BmcTask task = asked.driver.task(asked.node, path.get<std::string>());
    if (!task.fault.empty()) return failed_round(task.fault);
    if (task.running) running.push_back(path);
  }
  if (running.empty()) return std::nullopt;
  const Stamp waited = asked.now - at.value("since", asked.now);
  if (waited > microseconds(asked.patience)) {
    return failed_round(cat("Timeout reached while waiting for the BMC's task ", text_of(running[0]),
                            ": it has run for ", waited / 1'000'000, " s"));
  }
  at["tasks"] = running;
  BmcRound round;
  round.at = std::move(at);
  round.then = Then::wait;
  return round;
}

/// After something was asked for.
void note_order(Json& at, const std::string& controller, const BmcOrder& order) {
  if (!order.task.empty()) at["tasks"].push_back(order.task);
  if (order.at_start) at["start"] = true;
  if (!order.task.empty() || order.at_start) at["asked"].push_back(controller);
}

bool waits_for_start(const RaidHardware& hardware, const std::string& controller) {
  return std::any_of(hardware.controllers.begin(), hardware.controllers.end(),
                     [&](const RaidController& one) { return one.id == controller && one.at_start; });
}

/// What a controller keeps for the machine's next start may keep all else from it: an order of a conductor that was
/// killed before it noted it, or somebody's. That start comes first, once; nothing then.
template <typename Give>
std::optional<BmcOrder> order_unless_full(const RaidHardware& hardware, const std::string& controller, Json& at,
                                          const Give& give) {
  try {
    BmcOrder order = give();
    at.erase("full");
    return order;
  } catch (const PowerFault& fault) {
    if (fault.reason() != Reason::busy || !waits_for_start(hardware, controller) ||
        has_text(list_member(at, "full"), controller))
      throw;
  }
  at["full"].push_back(controller);
  note_order(at, controller, {.task = "", .at_start = true});
  return std::nullopt;
}

BmcRound full_round(Json at, const std::string& controller) {
  BmcRound round;
  round.at = std::move(at);
  round.news = cat("its storage controller ", controller,
                   " has something for the machine's next start already: that comes first");
  return round;
}

/// Nobody more can be asked: what was begun is waited for. Nothing where nothing was.
std::optional<BmcRound> look_round(const RoundOf& asked, Json at) {
  if (list_member(at, "asked").empty()) return std::nullopt;
  const bool start = at.value("start", false);
  at["start"] = false;
  at["looking"] = true;
  at["since"] = asked.now;
  BmcRound round;
  round.at = std::move(at);
  round.then = start ? Then::restart : Then::go_on;
  if (start) round.news = "its BMC was told of its volumes; the machine starts anew, which is when they are changed";
  return round;
}

Json without_orders(Json at) {
  for (const char* key : {"looking", "tasks", "asked", "since"}) at.erase(key);
  at["tasks"] = Json::array();
  at["asked"] = Json::array();
  return at;
}

/// Deletes the volumes one by one; done when there is none.
BmcRound delete_round(const RoundOf& asked, const Json& before) {
  if (std::optional<BmcRound> waiting = task_round(asked, before)) return *waiting;
  Json at = before.value("looking", false) || before.empty() ? without_orders(before) : before;
  const RaidHardware hardware = asked.driver.raid(asked.node);
  BmcRound round;
  if (hardware.volumes.empty()) {
    round.then = Then::done;
    round.raid = raid_json(hardware);
    return round;
  }
  for (const Volume& volume : hardware.volumes) {
    if (has_text(at["asked"], volume.controller)) continue;
    if (has_text(list_member(at, "gone"), volume.path)) {
      if (std::optional<BmcRound> lags = lag_round(asked, at)) return *lags;
      BmcRound failed = failed_round(cat("its BMC said yes to deleting volume ", volume.id, ", and shows it still"));
      failed.raid = raid_json(hardware);
      return failed;
    }
    const auto order = order_unless_full(hardware, volume.controller, at,
                                         [&] { return asked.driver.delete_volume(asked.node, volume); });
    if (!order) return full_round(std::move(at), volume.controller);
    note_order(at, volume.controller, *order);
    at["gone"].push_back(volume.path);
    round.at = std::move(at);
    round.news = cat("volume ", volume.id, " (", volume.raid_type, ") is deleted");
    return round;
  }
  return *look_round(asked, std::move(at));
}

Json wish_json(const PlannedVolume& planned) {
  const VolumeWish& wish = planned.wish;
  return {{"controller", wish.controller}, {"type", wish.raid_type}, {"name", wish.name},
          {"bytes", wish.bytes},           {"drives", wish.drives},  {"root", planned.root}};
}

VolumeWish wish_from(const Json& row) {
  return {text_in(row, "controller"), text_in(row, "type"), text_in(row, "name"), row.value("bytes", std::uint64_t{0}),
          row.value("drives", std::vector<std::string>())};
}

/// The volume that was made of a wish, if it is there: of those that were not before, on the very drives.
const Volume* volume_for(const RaidHardware& hardware, const Json& row, const Json& taken) {
  std::vector<std::string> wanted = wish_from(row).drives;
  std::sort(wanted.begin(), wanted.end());
  for (const Volume& volume : hardware.volumes) {
    std::vector<std::string> drives = volume.drives;
    std::sort(drives.begin(), drives.end());
    if (drives == wanted && volume.raid_type == text_in(row, "type") && !has_text(taken, volume.path)) return &volume;
  }
  return nullptr;
}

BmcRound plan_round(const RoundOf& asked, const Json& config) {
  const RaidHardware hardware = asked.driver.raid(asked.node);
  const Json disks = wanted_disks(config, asked.arguments.value("create_root_volume", true),
                                  asked.arguments.value("create_nonroot_volumes", true));
  const RaidPlan plan = plan_raid(disks, hardware);
  if (!plan.fault.empty()) return failed_round(cat("Redfish exception occurred. Error: ", plan.fault));
  BmcRound round;
  round.at = without_orders({{"before", Json::array()}, {"todo", Json::array()}, {"made", Json::array()}});
  for (const Volume& volume : hardware.volumes) round.at["before"].push_back(volume.path);
  for (const PlannedVolume& planned : plan.volumes) round.at["todo"].push_back(wish_json(planned));
  return round;
}

/// All were made: which is which, and what the node is to keep of them.
BmcRound made_round(const RoundOf& asked, const Json& at) {
  const RaidHardware hardware = asked.driver.raid(asked.node);
  BmcRound round;
  round.then = Then::done;
  round.raid = raid_json(hardware);
  Json taken = at["before"];
  for (const Json& row : at["made"]) {
    const Volume* volume = volume_for(hardware, row, taken);
    if (volume == nullptr) {
      if (std::optional<BmcRound> lags = lag_round(asked, at)) return *lags;
      round.then = Then::failed;
      round.fault = cat("its BMC said yes to a ", text_in(row, "type"), " volume, and shows none on ",
                        join(wish_from(row).drives, ", "));
      return round;
    }
    taken.push_back(volume->path);
    if (!row.value("root", false)) continue;
    for (Json& shown : round.raid["logical_disks"]) {
      if (shown["id"] != volume->id || shown["controller"] != volume->controller) continue;
      shown["is_root_volume"] = true;
      if (!volume->wwn.empty()) shown["root_device_hint"] = {{"wwn", volume->wwn}};
    }
  }
  return round;
}

/// The next volume whose controller is free.
BmcRound order_round(const RoundOf& asked, Json at) {
  Json todo = at["todo"];
  for (std::size_t index = 0; index < todo.size(); ++index) {
    const Json row = todo[index];
    const VolumeWish wish = wish_from(row);
    if (has_text(at["asked"], wish.controller)) continue;
    Json taken = at["before"];
    const RaidHardware now = asked.driver.raid(asked.node);
    for (const Json& made : at["made"]) {
      if (const Volume* volume = volume_for(now, made, taken)) taken.push_back(volume->path);
    }
    BmcRound round;
    // A conductor that was killed after the order, and before it was noted: it is there.
    if (volume_for(now, row, taken) == nullptr) {
      const auto order =
          order_unless_full(now, wish.controller, at, [&] { return asked.driver.create_volume(asked.node, wish); });
      if (!order) return full_round(std::move(at), wish.controller);
      note_order(at, wish.controller, *order);
    }
    todo.erase(index);
    at["todo"] = std::move(todo);
    at["made"].push_back(row);
    round.at = std::move(at);
    round.news = cat("a ", wish.raid_type, " volume of ", wish.drives.size(), " drives is asked for");
    return round;
  }
  if (std::optional<BmcRound> looks = look_round(asked, at)) return *looks;
  return made_round(asked, at);
}

BmcRound create_round(const RoundOf& asked, const Json& config, const Json& before) {
  if (asked.arguments.value("delete_existing", false) && !before.contains("todo")) {
    BmcRound round = delete_round(asked, before.value("deleting", Json::object()));
    if (round.then != Then::done) {
      round.at = {{"deleting", round.at}};
      return round;
    }
    return plan_round(asked, config);
  }
  if (!before.contains("todo")) return plan_round(asked, config);
  if (std::optional<BmcRound> waiting = task_round(asked, before)) return *waiting;
  return order_round(asked, before.value("looking", false) ? without_orders(before) : before);
}

BmcRound raid_round(const RoundOf& asked, const std::string& step, const Json& at) {
  if (step == "delete_configuration") return delete_round(asked, at);
  return create_round(
      asked, step == "apply_configuration" ? asked.arguments["raid_config"] : asked.node.target_raid_config, at);
}

// Firmware. `at` has which of the images it is at ("index"), and how far ("phase").

std::string version_of(const Firmware& firmware, const std::string& component) {
  for (const FirmwarePart& part : firmware.parts) {
    if (part.component == component) return part.version;
  }
  return "";
}

std::string parts_text(const Firmware& firmware) {
  std::vector<std::string> names;
  for (const FirmwarePart& part : firmware.parts) names.push_back(part.component);
  return names.empty() ? "none" : join(names, ", ");
}

BmcRound begin_update(const RoundOf& asked, const Json& image, Json at) {
  const std::string component = text_in(image, "component");
  const Firmware found = asked.driver.firmware(asked.node);
  const std::string version = version_of(found, component);
  if (!component.empty() && version.empty()) {
    return failed_round(
        cat("its BMC shows no firmware of ", component, "; of what it shows firmware: ", parts_text(found)));
  }
  at["phase"] = "order";
  at["before"] = asked.driver.tasks(asked.node);
  at["version"] = version;
  at["started"] = false;
  BmcRound round;
  round.at = std::move(at);
  round.firmware = firmware_json(found);
  return round;
}

/// The BMC's task of an update that was not there before the order: that of one whose answer was lost, or whose
/// conductor was killed before it noted it. Empty where there is none.
std::string task_of_lost_order(const RoundOf& asked, const Json& at) {
  for (const std::string& path : asked.driver.tasks(asked.node)) {
    if (has_text(at["before"], path)) continue;
    const std::string of = asked.driver.task(asked.node, path).of;
    if (of.empty() || of.find("SimpleUpdate") != std::string::npos) return path;
  }
  return "";
}

/// What was there before it is durable by now, so that it is given once.
BmcRound order_update(const RoundOf& asked, const Json& image, Json at) {
  const std::string component = text_in(image, "component");
  const std::string version = text_in(at, "version");
  BmcRound round;
  at["since"] = asked.now;
  at["phase"] = "task";
  at["task"] = task_of_lost_order(asked, at);
  if (!text_in(at, "task").empty()) {
    round.news = cat("its BMC has the order for ", without_credentials(text_in(image, "url")), " already");
  } else if (version_of(asked.driver.firmware(asked.node), component) != version) {
    at["phase"] = "settle";
  } else {
    at["task"] = asked.driver.update_firmware(asked.node, {text_in(image, "url"), text_in(image, "checksum")}).task;
    round.news =
        cat("its BMC fetches ", without_credentials(text_in(image, "url")),
            component.empty() ? "" : cat(" for ", component), version.empty() ? "" : cat(", which is ", version));
  }
  round.at = std::move(at);
  return round;
}

/// A BMC that is given firmware goes away now and then: it is waited for.
template <typename Ask>
std::optional<BmcRound> unless_away(const RoundOf& asked, const Json& at, Stamp patience, const Ask& ask) {
  try {
    ask();
    return std::nullopt;
  } catch (const PowerFault& fault) {
    if (!fault.passing() || asked.now - at.value("since", asked.now) > patience) throw;
    BmcRound round;
    round.at = at;
    round.then = Then::wait;
    return round;
  }
}

BmcRound restart_for_update(Json at, Stamp now, const char* phase) {
  at["started"] = true;
  at["phase"] = phase;
  at["since"] = now;
  BmcRound round;
  round.at = std::move(at);
  round.then = Then::restart;
  round.news = "the machine starts anew, which is when it takes its firmware";
  return round;
}

BmcRound follow_update(const RoundOf& asked, const Json& image, Json at) {
  const Stamp limit = microseconds(asked.patience);
  BmcTask task;
  const std::string path = text_in(at, "task");
  const auto ask = [&] {
    if (!path.empty()) task = asked.driver.task(asked.node, path);
  };
  if (std::optional<BmcRound> away = unless_away(asked, at, limit, ask)) return *away;
  if (!task.fault.empty()) return failed_round(task.fault);
  const Stamp waited = asked.now - at.value("since", asked.now);
  const bool own = text_in(image, "component") == "bmc";
  const bool started = at.value("started", false);
  if (task.running && task.rests && !own && !started && waited > k_resting)
    return restart_for_update(std::move(at), asked.now, "task");
  if (task.running && waited > limit) {
    return failed_round(
        cat("Timeout reached while waiting for the BMC's task ", path, ": it has run for ", waited / 1'000'000, " s"));
  }
  BmcRound round;
  if (task.running) {
    round.then = Then::wait;
  } else if (!own && !started) {
    return restart_for_update(std::move(at), asked.now, "settle");
  } else {
    at["phase"] = "settle";
    at["since"] = asked.now;
  }
  round.at = std::move(at);
  return round;
}

/// Until the new version is told, or long enough: the same version again is no failure, as in Ironic.
BmcRound settle_update(const RoundOf& asked, const Json& image, Json at, std::size_t images) {
  const Stamp limit = image.contains("wait") ? microseconds(Seconds(image["wait"].get<std::int64_t>())) : k_bmc_away;
  Firmware found;
  const auto ask = [&] { found = asked.driver.firmware(asked.node); };
  if (std::optional<BmcRound> away = unless_away(asked, at, std::max(limit, k_bmc_away), ask)) return *away;
  const std::string component = text_in(image, "component");
  const std::string version = version_of(found, component);
  const bool same = version.empty() || version == text_in(at, "version");
  const bool may_change = component == "bmc" || image.contains("wait");
  BmcRound round;
  if (same && may_change && asked.now - at.value("since", asked.now) <= limit) {
    round.at = std::move(at);
    round.then = Then::wait;
    return round;
  }
  round.firmware = firmware_json(found);
  if (!component.empty()) round.news = cat("firmware of ", component, ": ", text_in(at, "version"), " → ", version);
  const std::size_t next = at.value("index", std::size_t{0}) + 1;
  round.at = {{"index", next}};
  round.then = next < images ? Then::go_on : Then::done;
  return round;
}

BmcRound update_round(const RoundOf& asked, const Json& images, const Json& at) {
  const std::size_t index = at.value("index", std::size_t{0});
  const Json& image = images.at(index);
  const std::string phase = text_in(at, "phase");
  if (phase == "order") return order_update(asked, image, at);
  if (phase == "task") return follow_update(asked, image, at);
  if (phase == "settle") return settle_update(asked, image, at, images.size());
  return begin_update(asked, image, {{"index", index}});
}

}  // namespace

BmcRound bmc_round(PowerDriver& driver, const Node& node, const Json& step, const Json& at, Stamp now,
                   Seconds patience) {
  const Json arguments = step.value("args", Json::object());
  const RoundOf asked{driver, node, arguments, now, patience};
  const std::string interface = text_in(step, "interface");
  const std::string name = text_in(step, "step");
  if (interface == "bios") return bios_round(asked, name, at);
  BmcRound round = interface == "raid"
                       ? raid_round(asked, name, at)
                       : update_round(asked, arguments[name == "update" ? "settings" : "firmware_images"], at);
  if (!round.fault.empty()) round.fault = cat("step ", interface, ".", name, " failed: ", round.fault);
  return round;
}

Json raid_json(const RaidHardware& hardware) {
  Json disks = Json::array();
  for (const Volume& volume : hardware.volumes) {
    const std::string level = raid_level_of(volume.raid_type);
    disks.push_back({{"id", volume.id},
                     {"name", volume.name},
                     {"controller", volume.controller},
                     {"size_gb", volume.bytes >> 30U},
                     {"raid_level", level.empty() ? volume.raid_type : level}});
  }
  return {{"logical_disks", disks}};
}

void keep_raid(Node& node, Json raid, Stamp now) {
  if (!raid.is_object()) return;
  raid["last_updated"] = stamp_json(now);
  for (const Json& disk : list_member(raid, "logical_disks")) {
    if (!disk.value("is_root_volume", false)) continue;
    node.properties["local_gb"] = disk["size_gb"];
    if (disk.contains("root_device_hint")) node.properties["root_device"] = disk["root_device_hint"];
    node.set_capability("raid_level", text_in(disk, "raid_level"));
  }
  node.raid_config = std::move(raid);
}

Json bmc_round_json(const BmcRound& round) {
  return {{"at", round.at},       {"then", static_cast<int>(round.then)}, {"news", round.news},
          {"fault", round.fault}, {"firmware", round.firmware},           {"raid", round.raid}};
}

BmcRound bmc_round_from(const Json& json) {
  return {json["at"],
          static_cast<Then>(json["then"].get<int>()),
          text_in(json, "news"),
          text_in(json, "fault"),
          json["firmware"],
          json["raid"]};
}

}  // namespace hearth::bootstrap
