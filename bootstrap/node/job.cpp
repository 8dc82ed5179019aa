#include "bootstrap/node/job.hpp"

#include <algorithm>
#include <array>

namespace hearth::bootstrap {

namespace {

constexpr std::array<std::string_view, 11> k_kind_names = {
    "", "verify", "clean", "clean-manual", "inspect", "deploy", "undeploy", "adopt", "rescue", "unrescue", "service"};
constexpr std::array<std::string_view, 23> k_stage_names = {
    "check",      "verify",          "power off",   "boot network",  "power on",  "await agent", "await data",
    "get steps",  "first steps",     "write image", "partition ids", "run steps", "image steps", "boot loader",
    "last steps", "finalize rescue", "leave",       "await off",     "boot disk", "start disk",  "switch off",
    "wipe",       "finish"};

template <typename Word, std::size_t count>
std::optional<Word> word_named(const std::array<std::string_view, count>& names, std::string_view text) {
  const auto found = std::find(names.begin(), names.end(), text);
  return found == names.end() ? std::nullopt : std::optional(static_cast<Word>(found - names.begin()));
}

/// Every note with its key: `each` gets the key, the member, and its value where there is none.
template <typename Notes, typename Each>
void for_each_note(Notes& notes, const Each& each) {
  static const JobNotes none;
  each("agent", notes.agent, none.agent);
  each("heard", notes.heard, none.heard);
  each("data", notes.data, none.data);
  each("first_boot", notes.first_boot, none.first_boot);
  each("until", notes.until, none.until);
  each("booting", notes.booting, none.booting);
  each("awaits_stray", notes.awaits_stray, none.awaits_stray);
  each("boots", notes.boots, none.boots);
  each("restarts", notes.restarts, none.restarts);
  each("step", notes.step, none.step);
  each("command", notes.command, none.command);
  each("steps", notes.steps, none.steps);
  each("plan", notes.plan, none.plan);
  each("partition_ids", notes.partition_ids, none.partition_ids);
  each("strangers", notes.strangers, none.strangers);
  each("bmc", notes.bmc, none.bmc);
}

}  // namespace

std::string_view name(JobKind kind) { return k_kind_names.at(static_cast<std::size_t>(kind)); }
std::string_view name(Stage stage) { return k_stage_names.at(static_cast<std::size_t>(stage)); }

std::optional<JobKind> parse_job_kind(std::string_view text) { return word_named<JobKind>(k_kind_names, text); }
std::optional<Stage> parse_stage(std::string_view text) { return word_named<Stage>(k_stage_names, text); }

Json job_record(const Job& job) {
  Json notes = Json::object();
  for_each_note(job.notes, [&](const char* key, const auto& note, const auto& none) {
    if (note != none) notes[key] = note;
  });
  return {{"kind", name(job.kind)},   {"stage", job.stage_name()},  {"sent", job.sent},
          {"attempt", job.attempt},   {"started", job.started},     {"stage_since", job.stage_since},
          {"retry_at", job.retry_at}, {"arguments", job.arguments}, {"notes", std::move(notes)}};
}

Job job_from_record(const Json& record) {
  Job job;
  const std::optional<JobKind> kind = parse_job_kind(text_member(record, "kind"));
  job.kind = kind.value_or(JobKind::verify);  // another Hearth's: without a stage it fails, and its node comes to rest
  if (kind) job.stage = parse_stage(text_member(record, "stage"));
  job.sent = record.value("sent", false);
  job.attempt = record.value("attempt", 0);
  job.started = record.value("started", Stamp{0});
  job.stage_since = record.value("stage_since", Stamp{0});
  job.retry_at = record.value("retry_at", Stamp{0});
  job.arguments = record.value("arguments", Json::object());
  const Json notes = record.value("notes", Json::object());
  for_each_note(job.notes, [&]<typename Note>(const char* key, Note& note, const Note&) {
    if (const auto found = notes.find(key); found != notes.end()) note = found->template get<Note>();
  });
  return job;
}

}  // namespace hearth::bootstrap
