#include "agent/net/apply.hpp"

#include <algorithm>

#include "agent/net/activation.hpp"
#include "agent/net/snapshot.hpp"
#include "agent/net/state_file.hpp"
#include "base/error.hpp"
#include "base/text.hpp"

namespace hearth::agent::net {

namespace {

bool device_exists(const std::string& device, const World& world) {
  return succeeded(world.runner.run({.argv = {"ip", "link", "show", "dev", device}}).status);
}

/// Runs all; the errors of those that must succeed.
std::vector<std::string> run_steps(const std::vector<Step>& steps, World& world) {
  std::vector<std::string> errors;
  for (const Step& step : steps) {
    if (!step.only_if.empty() && !device_exists(step.only_if, world)) continue;
    world.log.info(cat("running ", shell_join(step.argv)));
    try {
      const CommandResult result = world.runner.run({.argv = step.argv, .merge_err = true});
      if (succeeded(result.status)) continue;
      const std::string story = cat(shell_join(step.argv), ": ", describe(result.status), ": ", trim(result.out));
      if (step.must) errors.push_back(story);
      world.log.log(step.must ? LogLevel::error : LogLevel::debug, story);
    } catch (const Error& error) {
      if (step.must) errors.emplace_back(error.what());
      world.log.log(step.must ? LogLevel::error : LogLevel::debug, error.what());
    }
  }
  return errors;
}

void print_files(const ChangePlan& plan, const World& world) {
  for (const FileChange& file : plan.files) {
    if (file.shown) world.print(cat("File: ", file.path, "\n\n", file.data, "\n----\n"));
  }
}

std::set<std::string> started_by(const ChangePlan& plan) {
  std::set<std::string> names;
  for (const Unit& unit : plan.restart) names.insert(unit.name);
  for (const Replay& one : plan.replayed) names.insert(one.device);
  return names;
}

/// One activation, and the way back from it.
class Activation {
 public:
  Activation(const ChangePlan& plan, const ApplySettings& settings, World& world)
      : plan_(plan),
        settings_(settings),
        world_(world),
        former_units_(present_units(settings.provider, settings.root, world.files)) {
    if (!settings.check) return;
    former_files_ = former_files(plan.files, world.files);
    for (const Unit& unit : plan.restart) remember(unit);
    for (const Replay& one : plan.replayed) remember_functions(one.device);
    const std::set<std::string> answering = answering_gateways(world.probes);
    for (const std::string& gateway : present_gateways(world.runner)) {
      if (answering.count(gateway) == 0) excused_.insert(gateway);
    }
  }

  void run() {
    save_state({started_by(plan_), former_files_}, settings_.root, world_.files);
    (void)run_steps(stop_steps(plan_, settings_.provider, settings_.root), world_);
    std::string failure;
    try {
      write_files(plan_.files, world_.files);
      failure = join(run_steps(start_steps(plan_, settings_.provider, settings_.root), world_), "\n");
    } catch (const Error& error) {
      failure = error.what();
    }
    if (settings_.check && failure.empty()) {
      failure = find_disconnection({*settings_.check, excused_, settings_.patience}, world_.probes).value_or("");
    }
    if (failure.empty()) return save_state({}, settings_.root, world_.files);
    if (settings_.check) roll_back(failure);
    save_state({started_by(plan_), {}}, settings_.root, world_.files);
    throw Error(ErrorKind::external, cat("Failure(s) occurred when applying configuration: ", failure), 1);
  }

 private:
  void remember(const Unit& unit) {
    if (unit.is_virtual || former_units_.count(unit.name) > 0) return;
    const std::string& device = unit.device_now.empty() ? unit.name : unit.device_now;
    for (Step& step : snapshot(device, world_.runner)) restore_.push_back(std::move(step));
  }

  /// Former rules say what a card was; where there are none, it has as many functions again as now.
  void remember_functions(const std::string& device) {
    const std::string name = present_name(device);
    const std::string place = cat("/sys/class/net/", name);
    replayed_back_.push_back({name, {"udevadm", "trigger", "--action=add", place}});
    const std::string number = cat(place, "/device/sriov_numvfs");
    const std::string now{trim(world_.files.read(number).value_or(""))};
    if (now.empty()) return;
    constexpr const char* k_set = R"sh([ "$(cat "$1")" = "$2" ] || { echo 0 > "$1" && echo "$2" > "$1"; })sh";
    replayed_back_.push_back({name, {"/bin/sh", "-c", k_set, "sh", number, now}});
  }

  [[nodiscard]] std::string present_name(const std::string& device) const {
    const auto renamed = std::find_if(plan_.restart.begin(), plan_.restart.end(), [&device](const Unit& unit) {
      return unit.name == device && !unit.device_now.empty();
    });
    return renamed == plan_.restart.end() ? device : renamed->device_now;
  }

  /// The plan that leads back: units that were configured before are started from their former files.
  [[nodiscard]] ChangePlan way_back() const {
    ChangePlan back;
    back.files = former_files_;
    back.replayed = replayed_back_;
    for (const std::vector<Unit>* units : {&plan_.restart, &plan_.gone}) {
      for (const Unit& unit : *units) {
        if (former_units_.count(unit.name) > 0 && unit.device_now.empty()) back.restart.push_back(unit);
      }
    }
    return back;
  }

  [[noreturn]] void roll_back(const std::string& failure) {
    world_.log.error(cat("rolling back: ", failure));
    ChangePlan forth = plan_;
    forth.gone.clear();
    (void)run_steps(stop_steps(forth, settings_.provider, settings_.root), world_);
    write_files(former_files_, world_.files);
    const ChangePlan back = way_back();
    for (const Unit& unit : plan_.restart) {
      if (unit.device_now.empty()) continue;
      (void)run_steps({{{"ip", "link", "set", "dev", unit.name, "name", unit.device_now}, false, unit.name}}, world_);
    }
    const std::vector<std::string> errors = run_steps(start_steps(back, settings_.provider, settings_.root), world_);
    (void)run_steps(restore_, world_);
    save_state({started_by(back), {}}, settings_.root, world_.files);
    if (errors.empty()) save_state({}, settings_.root, world_.files);
    Error error(ErrorKind::external, cat("the new configuration was rolled back: ", failure), 1);
    if (!errors.empty()) error.hint(cat("The former one did not come up either: ", join(errors, "; ")));
    throw error;
  }

  const ChangePlan& plan_;
  const ApplySettings& settings_;
  World& world_;
  std::map<std::string, std::string> former_units_;
  std::vector<FileChange> former_files_;
  std::vector<Step> restore_;
  std::vector<Replay> replayed_back_;
  std::set<std::string> excused_;
};

bool carry_out(const ChangePlan& plan, const ApplySettings& settings, World& world) {
  for (const std::string& warning : plan.warnings) world.log.warning(warning);
  for (const FileChange& file : plan.files) {
    world.log.info(
        cat(settings.noop ? "NOOP: " : "", file.data.empty() ? "Removing config " : "Writing config ", file.path));
  }
  if (plan.empty()) world.log.info("No interface changes are required.");
  if (settings.noop) {
    print_files(plan, world);
  } else if (!plan.empty() && settings.activate) {
    Activation(plan, settings, world).run();
  } else {
    write_files(plan.files, world.files);
  }
  return !plan.files.empty();
}

}  // namespace

bool apply_layout(const Layout& layout, const ApplySettings& settings, World& world) {
  const PlanRequest request{settings.provider, settings.root, settings.cleanup,
                            load_state(settings.root, world.files).pending};
  return carry_out(plan_change(layout, request, world.files), settings, world);
}

bool remove_units(const std::set<std::string>& names, const ApplySettings& settings, World& world) {
  const ChangePlan plan = plan_removal(names, settings.provider, settings.root, world.files);
  (void)carry_out(plan, settings, world);
  return !plan.gone.empty();
}

void repair_after_crash(const ApplySettings& settings, World& world) {
  State state = load_state(settings.root, world.files);
  if (state.rollback.empty() || settings.noop) return;
  world.log.warning("an earlier run died before it knew whether its configuration works: its files are put back");
  write_files(state.rollback, world.files);
  state.rollback.clear();
  save_state(state, settings.root, world.files);
}

}  // namespace hearth::agent::net
