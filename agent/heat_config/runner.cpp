#include "agent/heat_config/runner.hpp"

#include "agent/heat_config/deployment/deployment.hpp"
#include "agent/heat_config/hooks/hooks.hpp"
#include "agent/heat_config/transcript.hpp"
#include "agent/signal/real_world.hpp"
#include "agent/value/value.hpp"
#include "base/error.hpp"
#include "base/foreign_json.hpp"
#include "base/python_json.hpp"
#include "base/sys/random.hpp"
#include "base/text.hpp"
#include "base/variable.hpp"

namespace hearth::agent {

namespace {

constexpr std::uint32_t k_private = 0600;
constexpr std::string_view k_hook_applet = "heat-config-hook";
constexpr std::string_view k_notify_applet = "heat-config-notify";
constexpr std::uint64_t k_hook_timeout_seconds = 14400;
constexpr std::uint64_t k_longest_seconds = 1'000'000'000;
constexpr Duration k_notify_timeout = std::chrono::minutes(10);
constexpr std::size_t k_longest_answer = std::size_t{6} << 20U;  ///< a signal takes one million bytes of it
constexpr std::size_t k_shown_answer = std::size_t{1} << 20U;
constexpr std::size_t k_room = std::size_t{64} << 10U;  ///< random, so that no file system makes it less
constexpr std::size_t k_short_output = 4096;            ///< in JSON, twice on the disk, less than the room
constexpr int k_no_hook = 127;
constexpr int k_not_begun = 1;

/// A signal with no more of a hook's output than finds room on any disk.
Json shortened(Json data) {
  for (const char* name : {"deploy_stdout", "deploy_stderr"}) {
    const auto found = data.find(name);
    if (found != data.end() && found->is_string()) *found = last_part(found->get_ref<std::string&>(), k_short_output);
  }
  return data;
}

/// One run over the list of deployments.
class HeatConfigRun {
 public:
  HeatConfigRun(const HeatConfigSettings& settings, const HeatConfigWorld& world)
      : settings_(settings), world_(world), journal_(world.files, settings.deployed) {}

  int run() {
    const std::optional<std::string> text = world_.files.read(settings_.config);
    if (!text) {
      world_.log.error(cat("No config file ", settings_.config.string()));
      return 1;
    }
    make_private(*text);
    prepare_deployed();
    const Result<Json> list = parse_python_json(*text, settings_.config.string());
    if (!list || !list->is_array()) {
      world_.log.error(cat("Could not load config file: ", list ? "it is no list" : list.error().text()));
      return 0;
    }
    for (const Json& item : *list) run_guarded(item);
    return 0;
  }

 private:
  [[nodiscard]] fs::path deployed_file(const std::string& id, std::string_view ending) const {
    return settings_.deployed / cat(id, ending);
  }

  void write_json(const fs::path& path, const Json& value) {
    world_.files.write(path, python_json(value, {.indent = 2}), {.mode = k_private});
  }

  void make_private(const std::string& text) {
    const std::optional<FileStatus> status = world_.files.status(settings_.config);
    if (!status || status->mode == k_private) return;
    world_.files.write(settings_.config, text, {.mode = k_private, .uid = status->uid, .gid = status->gid});
  }

  /// The old place may be on another file system (/var/run), so that its files are copied, not renamed. Its being
  /// empty, not the new one's being there, says that all are: a kill may have come between.
  void prepare_deployed() {
    world_.files.make_directories(settings_.deployed, 0700);
    const std::vector<std::string> names = world_.files.list(settings_.deployed_old);
    for (const std::string& name : names) {
      if (world_.files.status(settings_.deployed / name)) continue;
      const std::optional<std::string> data = world_.files.read(settings_.deployed_old / name);
      if (data) world_.files.write(settings_.deployed / name, *data, {.mode = k_private});
    }
    for (const std::string& name : names) world_.files.remove(settings_.deployed_old / name);
    world_.files.remove(settings_.deployed_old);
  }

  /// What goes wrong with one deployment must not stop the others.
  void run_guarded(const Json& item) {
    try {
      run_one(item);
    } catch (const Error& error) {
      world_.log.error(cat("deployment ", text_member(item, "id"), ": ", error.story()));
    } catch (const Json::exception& error) {
      world_.log.error(cat("deployment ", text_member(item, "id"), " is malformed: ", json_fault(error)));
    }
  }

  void run_one(const Json& item) {
    const std::optional<Json> deployment = resolve_component(with_text_inputs(item));
    if (!deployment) {
      world_.log.warning(
          cat("Skipping group component, no valid script is defined for deploy action ", action_of(item)));
      return;
    }
    const std::string id = text_member(*deployment, "id");
    const std::string group = text_member(*deployment, "group");
    if (!is_safe_id(id)) throw Error(ErrorKind::input, cat("'", id, "' can't be the id of a deployment"));
    if (was_deployed(id)) return;
    const std::optional<std::vector<std::string>> hook = find_hook(hook_name(group));
    if (hook) {
      deploy(id, *deployment, *hook);
    } else if (!is_hookless_group(group)) {
      report_missing_hook(id, *deployment, group);
    }
  }

  static std::string action_of(const Json& item) { return input_text(item, "deploy_action"); }

  bool was_deployed(const std::string& id) {
    const fs::path file = deployed_file(id, ".json");
    if (!world_.files.status(file)) return false;
    world_.log.warning(cat("Skipping config ", id, ", already deployed"));
    world_.log.warning(cat("To force-deploy, rm ", file.string()));
    return true;
  }

  [[nodiscard]] std::optional<std::vector<std::string>> find_hook(const std::string& name) const {
    if (name.empty()) return std::nullopt;
    for (const fs::path& directory : settings_.hook_directories) {
      const std::optional<FileStatus> status = world_.files.status(directory / name);
      if (status && status->type != FileStatus::Type::directory)
        return std::vector<std::string>{(directory / name).string()};
    }
    if (hearth::agent::find_hook(name) == nullptr) return std::nullopt;
    std::vector<std::string> argv = applet(k_hook_applet);
    argv.push_back(name);
    return argv;
  }

  [[nodiscard]] std::vector<std::string> applet(std::string_view name) const {
    std::vector<std::string> argv = world_.self;
    argv.emplace_back(name);
    return argv;
  }

  void deploy(const std::string& id, const Json& deployment, const std::vector<std::string>& hook) {
    try {
      begin(id, deployment);
    } catch (const Error& error) {
      report_not_begun(id, deployment, error);
      return;
    }
    const HookOutcome outcome = run_hook(deployment, hook);
    const Json data = signal_data(outcome, !is_set(find_member(deployment, "config")));
    keep(id, deployment, data);
    notify(id, deployed_file(id, ".json"), data, SecretMask(deployment));
  }

  /// A hook may have filled the disk: then the room goes that was set aside for its result. Where even that does not
  /// help (read-only since), the result is in memory.
  void keep(const std::string& id, const Json& deployment, const Json& data) {
    if (is_kept(id, deployment, data)) return;
    try {
      world_.files.remove(room());
      if (is_kept(id, deployment, data) || is_kept(id, deployment, shortened(data))) return;
    } catch (const Error& error) {
      world_.log.error(error.what());
    }
    keep_record(id, {.state = SignalRecord::State::pending, .data = data});
  }

  void keep_record(const std::string& id, const SignalRecord& record) {
    try {
      journal_.settle(id, record);
    } catch (const Error& error) {
      world_.log.error(error.what());
    }
  }

  bool is_kept(const std::string& id, const Json& deployment, const Json& data) {
    try {
      if (!world_.files.status(settings_.deployed)) {  // the hook has removed all of it, and would run again
        world_.files.make_directories(settings_.deployed, 0700);
        mark(id, deployment);
      }
      write_json(deployed_file(id, ".notify.json"), data);
      journal_.store(id, {.state = SignalRecord::State::pending, .data = data});
      return true;
    } catch (const Error& error) {
      world_.log.error(cat("The result of deployment ", id, " can't be kept: ", error.what()));
      return false;
    }
  }

  [[nodiscard]] fs::path room() const { return settings_.deployed / ".room"; }

  /// In this order, so that a kill between any two steps loses nothing: without <id>.json the hook has never begun, and
  /// may; with it, the record says that it did, and <id>.notify.json, once it is there, how it ended
  /// (signal/resend.cpp).
  void begin(const std::string& id, const Json& deployment) {
    const std::optional<FileStatus> there = world_.files.status(room());
    if (!there || there->size < k_room) world_.files.write(room(), random_bytes(k_room), {.mode = k_private});
    world_.files.remove(deployed_file(id, ".notify.json"));
    mark(id, deployment);
  }

  void mark(const std::string& id, const Json& deployment) {
    journal_.store(id, {.state = SignalRecord::State::running, .owner = world_.identity});
    write_json(deployed_file(id, ".json"), deployment);
  }

  /// Told once.
  void report_missing_hook(const std::string& id, const Json& deployment, const std::string& group) {
    world_.log.error(cat("Skipping group ", group, " with no hook script None"));
    if (journal_.load(id)) return;
    signal_unrun(id, deployment, cat("There is no hook for group ", group, " on this machine."), k_no_hook);
  }

  /// Without a mark on disk the hook could run twice: it does not run, and is tried again when the list changes.
  void report_not_begun(const std::string& id, const Json& deployment, const Error& error) {
    const std::string reason = cat("Deployment ", id, " was not begun: ", error.what());
    world_.log.error(reason);
    signal_unrun(id, deployment, reason, k_not_begun);
  }

  /// A failure of a deployment that did not run.
  void signal_unrun(const std::string& id, const Json& deployment, const std::string& reason, int status) {
    const Json data = plain_answer("", reason, status);
    keep_record(id, {.state = SignalRecord::State::pending, .data = data, .deployment = deployment});
    const fs::path description = write_description(id, deployment);
    notify(id, description, data, SecretMask(deployment));
    world_.files.remove(description);
    world_.files.remove(deployed_file(id, ".json"));
  }

  /// For heat-config-notify, where there is room for it.
  fs::path write_description(const std::string& id, const Json& deployment) {
    try {
      write_json(deployed_file(id, ".json"), deployment);
      return deployed_file(id, ".json");
    } catch (const Error&) {
      fs::path description = settings_.volatile_directory / cat("heat-config-", id);
      write_json(description, deployment);
      return description;
    }
  }

  HookOutcome run_hook(const Json& deployment, const std::vector<std::string>& hook) {
    HookOutcome outcome{.hook = hook_name(text_member(deployment, "group"))};
    Transcript transcript(deployment, world_.log, world_.book);
    Command command{.argv = hook, .env = world_.env, .input = python_json(deployment)};
    command.on_line = [&](Stream stream, std::string_view line) {
      if (stream == Stream::err) transcript.line(line);
    };
    command.collect_lines = true;
    command.keep_last = k_longest_answer;
    if (settings_.hook_timeout > Duration::zero())
      command.deadline = Deadline::after(settings_.hook_timeout, world_.clock);
    world_.log.info(cat("Running ", join(hook, " "), " for deployment ", text_member(deployment, "id")));
    try {
      outcome.result = world_.runner.run(command);
    } catch (const Error& error) {
      outcome.error = error.what();
    }
    log_outcome(outcome, transcript);
    return outcome;
  }

  /// A hook that logged nothing while it ran (a foreign one) is shown by its answer.
  void log_outcome(const HookOutcome& outcome, Transcript& transcript) {
    if (outcome.error) {
      world_.log.error(cat("The hook could not be run: ", *outcome.error));
      return;
    }
    if (transcript.is_empty()) {
      const std::string shown = last_part(outcome.result.out, k_shown_answer);
      for (const std::string& line : split_lines(replace_all(shown, "\\n", "\n"))) transcript.line(line);
    }
    transcript.finish();
    if (succeeded(outcome.result.status)) {
      world_.log.info(cat("Completed hook ", outcome.hook));
    } else {
      world_.log.error(cat("Error running hook ", outcome.hook, ": ", describe(outcome.result.status)));
    }
  }

  void notify(const std::string& id, const fs::path& description, const Json& data, const SecretMask& mask) {
    Command command{.argv = notify_command(),
                    .env = world_.env,
                    .input = python_json(data),
                    .deadline = Deadline::after(k_notify_timeout, world_.clock)};
    command.argv.push_back(description.string());
    // A server that did not answer is not waited for again: what is pending is resent between polls.
    if (server_is_away_) command.env->insert_or_assign("HEAT_CONFIG_NOTIFY_PATIENCE", "0");
    CommandResult result;
    try {
      result = world_.runner.run(command);
    } catch (const Error& error) {
      world_.log.error(cat("Signal of deployment ", id, " stays pending: ", error.what()));
      return;
    }
    for (const std::string& line : split_lines(mask.apply(result.out + result.err))) world_.log.info(line);
    if (!succeeded(result.status)) {
      server_is_away_ = true;
      world_.log.error(
          cat("Error running ", command.argv.front(), ": ", describe(result.status), ", the signal stays on disk"));
      return;
    }
    std::optional<SignalRecord> record = journal_.load(id);  // ours has noted the outcome itself, others' don't
    const bool is_open =
        record && (record->state == SignalRecord::State::pending || record->state == SignalRecord::State::running);
    if (!is_open) return;
    record_delivery(*record, {}, unix_seconds(world_.clock.wall()));
    journal_.settle(id, *record);
  }

  [[nodiscard]] std::vector<std::string> notify_command() const {
    const bool is_default = settings_.notify == k_notify_applet;
    if (is_default && !find_program(settings_.notify, world_.env)) return applet(k_notify_applet);
    return {settings_.notify};
  }

  const HeatConfigSettings& settings_;
  const HeatConfigWorld& world_;
  SignalJournal journal_;
  bool server_is_away_ = false;
};

}  // namespace

HeatConfigSettings HeatConfigSettings::from(const Environment& env) {
  HeatConfigSettings settings;
  const std::string extra = variable(env, "HEAT_CONFIG_HOOKS", "");
  if (!extra.empty()) settings.hook_directories.emplace_back(extra);
  settings.hook_directories.emplace_back("/usr/libexec/heat-config/hooks");
  settings.hook_directories.emplace_back("/var/lib/heat-config/hooks");
  settings.config = variable(env, "HEAT_SHELL_CONFIG", "/var/run/heat-config/heat-config");
  settings.deployed = variable(env, "HEAT_CONFIG_DEPLOYED", k_deployed_directory);
  settings.deployed_old = variable(env, "HEAT_CONFIG_DEPLOYED_OLD", "/var/run/heat-config/deployed");
  settings.notify = variable(env, "HEAT_CONFIG_NOTIFY", k_notify_applet);
  const std::optional<std::uint64_t> seconds = parse_number(variable(env, "HEAT_CONFIG_HOOK_TIMEOUT", ""));
  settings.hook_timeout = std::chrono::seconds(std::min(seconds.value_or(k_hook_timeout_seconds), k_longest_seconds));
  return settings;
}

int run_heat_config(const HeatConfigSettings& settings, const HeatConfigWorld& world) {
  return HeatConfigRun(settings, world).run();
}

}  // namespace hearth::agent
