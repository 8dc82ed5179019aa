// hearth-agent doctor: why does a deployment stay IN_PROGRESS? There are six causes; each is a check that lists what is
// wrong and what to do about it. Checks change nothing: no message is taken from a queue, no signal is sent.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "base/json.hpp"
#include "base/net/http.hpp"
#include "base/sys/file.hpp"
#include "base/sys/process.hpp"

namespace hearth::agent {

struct Problem {
  std::string what;
  std::string advice;
};

struct CheckResult {
  std::string name;
  std::string question;  ///< what the check asks
  std::vector<Problem> problems;
  std::vector<std::string> notes;  ///< worth knowing, nothing wrong
};

/// What os-collect-config is told by its files and environment.
struct CollectSettings {
  std::string command;
  fs::path cache;
  fs::path backup;
  double polling_interval = 30;
  std::vector<std::string> collectors;
  std::vector<std::string> configured;  ///< those of them whose server is named
  std::vector<std::string> servers;     ///< URLs of metadata and identity servers of these collectors
  std::string error;                    ///< non-empty: the configuration can't be read
};

struct DoctorWorld {
  FileSystem& files;
  CommandRunner& runner;
  HttpClient& http;
  Clock& clock;
  Environment env;
  std::string self;  ///< path of this program
  /// When a file was last changed, in seconds since 1970.
  std::function<std::optional<std::int64_t>(const fs::path&)> modified;
};

/// What one poll of the sources gives, without the destructive ones.
struct Poll {
  Json documents = Json::object();  ///< name → content
  std::string warnings;             ///< what the sources had to say
  std::vector<std::string> asked;
  std::vector<std::string> configured;  ///< of these, who should have an answer
};

[[nodiscard]] CollectSettings read_collect_settings(const DoctorWorld& world);
[[nodiscard]] Poll poll_once(const CollectSettings& settings, const DoctorWorld& world);

/// The names of the files of the documents in the daemon's cache.
[[nodiscard]] std::vector<std::string> cached_documents(const fs::path& cache, const FileReader& files);
/// Those whose last content was not yet applied with success.
[[nodiscard]] std::vector<std::string> unapplied_documents(const fs::path& cache, const FileReader& files);
/// The ids of the deployments that this machine has now; nothing when neither `poll` nor heat-config's file tells.
[[nodiscard]] std::set<std::string> current_deployments(const Poll& poll, const DoctorWorld& world);

/// Are the agents installed, configured and running?
[[nodiscard]] CheckResult check_agents(const CollectSettings& settings, const DoctorWorld& world);
/// Is there a network, and does it lead to the servers?
[[nodiscard]] CheckResult check_network(const CollectSettings& settings, const DoctorWorld& world);
/// Do the sources have metadata for this machine, with deployments?
[[nodiscard]] CheckResult check_metadata(const Poll& poll);
/// Is it polled, and does the command succeed?
[[nodiscard]] CheckResult check_polling(const CollectSettings& settings, const DoctorWorld& world);
/// Is there a hook for every deployment, and did those of the machine's present deployments that ran succeed?
[[nodiscard]] CheckResult check_hooks(const Poll& poll, const DoctorWorld& world);
/// Did the signals arrive?
[[nodiscard]] CheckResult check_signals(const Poll& poll, const DoctorWorld& world);

/// All six, in order.
[[nodiscard]] std::vector<CheckResult> examine(const DoctorWorld& world);

[[nodiscard]] std::string report_text(const std::vector<CheckResult>& results);
/// {"ok": bool, "checks": [{"name", "question", "ok", "problems": [{"what", "advice"}], "notes"}]}
[[nodiscard]] std::string report_json(const std::vector<CheckResult>& results);
[[nodiscard]] bool is_well(const std::vector<CheckResult>& results);

}  // namespace hearth::agent
