#include "agent/doctor/status.hpp"

#include <cstdio>

#include "agent/collect/daemon_state.hpp"
#include "agent/heat_config/runner.hpp"
#include "agent/signal/journal.hpp"
#include "base/error.hpp"
#include "base/net/web_client.hpp"
#include "base/python_json.hpp"
#include "base/text.hpp"

namespace hearth::agent {

namespace {

Json daemon_of(const CollectSettings& settings, const DoctorWorld& world) {
  const std::optional<DaemonState> state = read_daemon_state(settings.backup, world.files);
  Json daemon = {{"running", state.has_value()}, {"doing", nullptr}, {"for_seconds", nullptr}};
  daemon["next_poll_in_seconds"] = nullptr;
  if (!state) return daemon;
  const std::int64_t now = awake_seconds(world.clock);
  daemon["doing"] = std::string(doing_name(state->doing));
  daemon["for_seconds"] = now - state->since;
  if (state->doing == DaemonState::Doing::waiting) daemon["next_poll_in_seconds"] = state->until - now;
  return daemon;
}

Json documents_of(const CollectSettings& settings, const DoctorWorld& world) {
  Json documents = Json::array();
  const std::vector<std::string> waiting = unapplied_documents(settings.cache, world.files);
  for (const std::string& name : cached_documents(settings.cache, world.files)) {
    const bool applied = std::find(waiting.begin(), waiting.end(), name) == waiting.end();
    documents.push_back(
        {{"name", name.substr(0, name.size() - std::string_view(".json").size())}, {"applied", applied}});
  }
  return documents;
}

Json deployment_of(const std::string& id, const SignalJournal& journal) {
  Json row = {{"id", id}, {"state", "damaged"}, {"status_code", nullptr}, {"attempts", 0}, {"reason", ""}};
  const std::optional<SignalRecord> record = journal.load(id);
  if (!record) return row;
  row["state"] = record_to_json(*record)["state"];
  row["attempts"] = record->attempts;
  row["reason"] = record->reason;
  const std::optional<Json> answer = journal.answer(id);
  const Json* status = answer ? find_member(*answer, "deploy_status_code") : nullptr;
  if (status != nullptr) row["status_code"] = *status;
  return row;
}

int run_status(const cli::Arguments& arguments) {
  if (!arguments.operands().empty()) throw Error(ErrorKind::usage, "status takes no operands");
  SystemClock clock;
  RealFileSystem files;
  RealRunner runner(clock);
  const Environment env = current_environment();
  WebClient http(clock, env, "hearth-agent/" HEARTH_VERSION);
  const Json status = status_of({files, runner, http, clock, env, "/proc/self/exe", {}});
  const std::string text = arguments.has("json") ? cat(python_json(status, {.indent = 2}), "\n") : status_text(status);
  std::fwrite(text.data(), 1, text.size(), stdout);
  return 0;
}

}  // namespace

Json status_of(const DoctorWorld& world) {
  const CollectSettings settings = read_collect_settings(world);
  Json deployments = Json::array();
  const SignalJournal journal(world.files, HeatConfigSettings::from(world.env).deployed);
  for (const std::string& id : journal.ids()) deployments.push_back(deployment_of(id, journal));
  Json status;
  status["daemon"] = daemon_of(settings, world);
  status["documents"] = documents_of(settings, world);
  status["deployments"] = std::move(deployments);
  return status;
}

std::string status_text(const Json& status) {
  const Json& daemon = status["daemon"];
  std::string text = "os-collect-config: ";
  if (!daemon["running"].get<bool>()) {
    text += "it does not run, or another program of that name does\n";
  } else {
    text += cat(daemon["doing"].get<std::string>(), " for ", daemon["for_seconds"].get<std::int64_t>(), " s");
    if (!daemon["next_poll_in_seconds"].is_null())
      text += cat(", next poll in ", daemon["next_poll_in_seconds"].get<std::int64_t>(), " s");
    text += "\n";
  }
  for (const Json& document : status["documents"]) {
    text += cat("document ", document["name"].get<std::string>(), ": ",
                document["applied"].get<bool>() ? "applied" : "not applied yet", "\n");
  }
  for (const Json& row : status["deployments"]) {
    const Json& code = row["status_code"];
    text +=
        cat("deployment ", row["id"].get<std::string>(), ": ",
            code.is_null() ? "" : cat("status ", python_text(code), ", "), "signal ", row["state"].get<std::string>());
    const std::string reason = row["reason"].get<std::string>();
    text += cat(reason.empty() ? "" : cat(" (", one_line(reason), ")"), "\n");
  }
  return text;
}

cli::Command status_command() {
  return {.words = "status",
          .summary = "what the agents of this machine are doing",
          .details =
              "Whether the daemon polls, which documents are applied, what became of each deployment\n"
              "and its signal. 'hearth-agent doctor' says whether that is good.",
          .options = {{"json", 0, "", "as JSON"}},
          .run = run_status};
}

int status_main(const std::vector<std::string>& args) {
  const cli::Command command = status_command();
  return cli::run_single({"hearth-agent status", command.summary, HEARTH_VERSION, {}}, command, args);
}

}  // namespace hearth::agent
