#include "agent/signal/journal.hpp"

#include <algorithm>
#include <array>

#include "base/error.hpp"
#include "base/python_json.hpp"
#include "base/text.hpp"

namespace hearth::agent {

namespace {

constexpr std::string_view k_ending = ".signal";
constexpr std::array<std::string_view, 4> k_states = {"running", "pending", "delivered", "refused"};
constexpr std::int64_t k_first_pause = 30;
constexpr std::int64_t k_longest_pause = 3600;
constexpr int k_lost_hook_status = 1;
constexpr std::uint32_t k_record_mode = 0600;

std::optional<SignalRecord::State> state_of(const Json& json) {
  const auto* const name = std::find(k_states.begin(), k_states.end(), text_member(json, "state"));
  if (name == k_states.end()) return std::nullopt;
  return static_cast<SignalRecord::State>(name - k_states.begin());
}

template <class T>
T value_or(const Json& json, const char* name, T fallback) {
  const auto found = json.find(name);
  if (found == json.end()) return fallback;
  if constexpr (std::is_same_v<T, Json>) return *found;
  if constexpr (std::is_same_v<T, std::string>) return found->is_string() ? found->get<T>() : fallback;
  if constexpr (std::is_integral_v<T>) return found->is_number_integer() ? found->get<T>() : fallback;
}

/// Field 22 of /proc/PID/stat (proc(5)); the name in field 2 may hold blanks and parentheses.
std::string start_time(const std::string& stat) {
  const std::size_t name_end = stat.rfind(')');
  if (name_end == std::string::npos) return "";
  const std::vector<std::string> fields = split_words(std::string_view(stat).substr(name_end + 1));
  return fields.size() > 19 ? fields[19] : "";
}

std::vector<std::string> records_in(const fs::path& directory, const FileReader& files) {
  std::vector<std::string> ids;
  for (const std::string& name : files.list(directory)) {
    const bool matches = name.size() > k_ending.size() && name.front() != '.' &&
                         name.compare(name.size() - k_ending.size(), k_ending.size(), k_ending) == 0;
    if (matches) ids.push_back(name.substr(0, name.size() - k_ending.size()));
  }
  return ids;
}

std::string record_text(const SignalRecord& record) { return python_json(record_to_json(record), {.indent = 2}); }

}  // namespace

Json record_to_json(const SignalRecord& record) {
  Json json;
  json["state"] = std::string(k_states[static_cast<std::size_t>(record.state)]);
  json["attempts"] = record.attempts;
  if (record.next_attempt != 0) json["next_attempt"] = record.next_attempt;
  if (!record.reason.empty()) json["reason"] = record.reason;
  if (!record.owner.empty()) json["owner"] = record.owner;
  if (!record.data.is_null()) json["data"] = record.data;
  if (!record.deployment.is_null()) json["deployment"] = record.deployment;
  return json;
}

std::optional<SignalRecord> record_from_json(const Json& json) {
  const std::optional<SignalRecord::State> state = state_of(json);
  if (!state) return std::nullopt;
  SignalRecord record;
  record.state = *state;
  record.attempts = value_or<int>(json, "attempts", 0);
  record.next_attempt = value_or<std::int64_t>(json, "next_attempt", 0);
  record.reason = value_or<std::string>(json, "reason", "");
  record.owner = value_or<std::string>(json, "owner", "");
  record.data = value_or<Json>(json, "data", nullptr);
  record.deployment = value_or<Json>(json, "deployment", nullptr);
  return record;
}

fs::path SignalJournal::aside(const std::string& id) const { return aside_ / cat(id, k_ending); }

std::optional<SignalRecord> SignalJournal::load(const std::string& id) const {
  std::optional<std::string> text = files_.read(aside(id));
  if (!text) text = files_.read(deployed_ / cat(id, k_ending));
  if (!text) return std::nullopt;
  const Result<Json> json = parse_python_json(*text, id);
  return json ? record_from_json(*json) : std::nullopt;
}

void SignalJournal::store(const std::string& id, const SignalRecord& record) {
  files_.write(deployed_ / cat(id, k_ending), record_text(record), {.mode = k_record_mode});
  files_.remove(aside(id));
}

void SignalJournal::settle(const std::string& id, const SignalRecord& record) {
  try {
    store(id, record);
    return;
  } catch (const Error&) {
    const bool is_over = record.state == SignalRecord::State::delivered || record.state == SignalRecord::State::refused;
    if (is_over && is_forgotten(id)) return;
  }
  files_.make_directories(aside_, 0700);
  files_.write(aside(id), record_text(record), {.mode = k_record_mode});
}

bool SignalJournal::is_forgotten(const std::string& id) {
  try {
    forget(id);
    return true;
  } catch (const Error&) {
    return false;
  }
}

void SignalJournal::forget(const std::string& id) {
  files_.remove(deployed_ / cat(id, k_ending));
  files_.remove(aside(id));
}

void SignalJournal::unmark(const std::string& id) { files_.remove(deployed_ / cat(id, ".json")); }

void SignalJournal::recover() {
  for (const std::string& id : records_in(aside_, files_)) {
    const std::optional<SignalRecord> record = load(id);
    if (record) settle(id, *record);
  }
}

std::vector<std::string> SignalJournal::ids() const {
  std::vector<std::string> ids = records_in(deployed_, files_);
  for (std::string& id : records_in(aside_, files_)) {
    if (std::find(ids.begin(), ids.end(), id) == ids.end()) ids.push_back(std::move(id));
  }
  return ids;
}

std::optional<Json> SignalJournal::deployment(const std::string& id, const SignalRecord& record) const {
  if (!record.deployment.is_null()) return record.deployment;
  return json_in(cat(id, ".json"));
}

std::optional<Json> SignalJournal::answer(const std::string& id) const { return json_in(cat(id, ".notify.json")); }

std::optional<Json> SignalJournal::json_in(const std::string& name) const {
  const std::optional<std::string> text = files_.read(deployed_ / name);
  if (!text) return std::nullopt;
  const Result<Json> json = parse_python_json(*text, name);
  if (!json) return std::nullopt;
  return *json;
}

void record_delivery(SignalRecord& record, const DeliveryResult& result, std::int64_t now_seconds) {
  ++record.attempts;
  record.reason = result.reason;
  record.owner.clear();
  record.next_attempt = 0;
  if (result.outcome == Delivery::later) {
    const int doublings = std::min(record.attempts - 1, 10);
    record.state = SignalRecord::State::pending;
    record.next_attempt = now_seconds + std::min(k_first_pause << doublings, k_longest_pause);
    return;
  }
  record.state = result.outcome == Delivery::delivered ? SignalRecord::State::delivered : SignalRecord::State::refused;
  record.deployment = nullptr;
  if (result.outcome == Delivery::delivered) record.data = nullptr;
}

bool is_due(const SignalRecord& record, std::int64_t now_seconds) {
  return record.next_attempt <= now_seconds || record.next_attempt - now_seconds > k_longest_pause;
}

std::string process_identity(const FileReader& files, int pid) {
  const std::optional<std::string> stat = files.read(cat("/proc/", pid, "/stat"));
  if (!stat) return "";
  const std::string boot = files.read("/proc/sys/kernel/random/boot_id").value_or("");
  return cat(trim(boot), "/", pid, "/", start_time(*stat));
}

bool is_alive(const FileReader& files, const std::string& identity) {
  const std::vector<std::string> parts = split(identity, '/');
  const std::optional<std::uint64_t> pid = parts.size() == 3 ? parse_number(parts[1]) : std::nullopt;
  return pid && process_identity(files, static_cast<int>(*pid)) == identity;
}

Json lost_hook_data() {
  return {
      {"deploy_stdout", ""},
      {"deploy_stderr", "The agent or the machine stopped while the deployment was running; its outcome is not known."},
      {"deploy_status_code", k_lost_hook_status}};
}

}  // namespace hearth::agent
