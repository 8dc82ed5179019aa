#include <algorithm>
#include <map>
#include <set>

#include "base/error.hpp"
#include "base/json.hpp"
#include "base/text.hpp"
#include "builder/fleet/pipeline.hpp"

namespace hearth::builder {

namespace {

using Stage = PipelineJob::Stage;
using Jobs = std::vector<PipelineJob>;

constexpr int k_not_yet = 75;  // sysexits.h: EX_TEMPFAIL
constexpr const char* k_marks = ".hearth-pipeline";
constexpr int k_retries = 2;
constexpr int k_day = 86400;

std::vector<std::string> names_of(const Jobs& jobs, const std::vector<std::size_t>& chosen) {
  std::vector<std::string> names;
  for (const std::size_t job : chosen) names.push_back(jobs[job].name);
  return names;
}

/// A text of others in a line of comment: in quotes no engine's line goes on in the next one.
std::string remark(const PipelineJob& job) { return cat("# ", format_json(job.about), "\n"); }

/// JSON is YAML, whose readers take each text in it for what it is.
std::string yaml(const Json& value) { return json_document(value); }

// GNU make. Targets are phony: what is up to date ends at once.

std::string for_make(const Jobs& jobs, const PipelineSetup& /*setup*/) {
  std::vector<std::string> all;
  for (const PipelineJob& job : jobs) all.push_back(job.name);
  std::string text =
      cat("# make -j N -k -f THIS          HEARTH=PROGRAM names another hearth\n"
          "SHELL = /bin/sh\n"
          ".PHONY: all ",
          join(all, " "), "\nall: ", join(all, " "), "\n");
  for (const PipelineJob& job : jobs) {
    text +=
        cat("\n", remark(job), job.name, ":", job.needs.empty() ? "" : " ", join(names_of(jobs, job.needs), " "), "\n");
    for (const std::string& command : job.commands) text += cat("\t", replace_all(command, "$", "$$"), "\n");
  }
  return text;
}

// Slurm: a script that submits all, each behind what it needs. Jobs share the directory and the image cache.

constexpr const char* k_slurm_head =
    "# sh THIS [OPTION of sbatch]…          prints a line a job: its number, its name\n"
    "set -eu\n"
    "# submit NAME NEEDS COMMANDS OPTION…: sets id\n"
    "submit() {\n"
    "    name=$1 needs=$2 commands=$3\n"
    "    shift 3\n"
    "    id=$(sbatch --parsable --job-name=\"$name\" --output=\"$name.log\" --kill-on-invalid-dep=yes \\\n"
    "        ${needs:+\"--dependency=afterok$needs\"} --wrap=\"$commands\" \"$@\")\n"
    "    id=${id%%;*}\n"
    "    echo \"$id $name\"\n"
    "}\n";

std::string for_slurm(const Jobs& jobs, const PipelineSetup& /*setup*/) {
  std::string text = k_slurm_head;
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    std::string needs;
    for (const std::size_t need : jobs[i].needs) needs += cat(":$j", need + 1);
    text += cat("\n", remark(jobs[i]), "submit ", jobs[i].name, " \"", needs, "\" ",
                shell_quote(cat("set -eu\n", join(jobs[i].commands, "\n"))), " \"$@\"\nj", i + 1, "=$id\n");
  }
  return text;
}

/// GitLab and GitHub carry files between machines: by patterns, and only what lies below the checkout.
void require_carried(const PipelineJob& job, std::string_view more = "") {
  const std::string refused = cat("*?[]{}!$~\\,", more);
  for (const std::string& file : job.files) {
    if (file.find_first_of(refused) == std::string::npos && !file.starts_with("/") && !file.starts_with("../"))
      continue;
    throw Error(ErrorKind::input, cat("'", job.about, "': the engine can't carry '", file,
                                      "' to later jobs: it takes files below the checkout, by patterns"))
        .hint(cat("Give a name without any of ", refused, " in this directory or below."));
  }
}

// GitLab CI: a file to include, or a child pipeline.

Json gitlab_job(const Jobs& jobs, const PipelineJob& job, const PipelineSetup& setup) {
  require_carried(job);
  Json entry = {{"stage", job.stage_name()},
                {"needs", Json::array()},
                {"script", job.commands},
                {"retry", {{"max", k_retries}, {"when", {"runner_system_failure", "stuck_or_timeout_failure"}}}}};
  for (const std::size_t need : job.needs)
    entry["needs"].push_back({{"job", jobs[need].name}, {"artifacts", jobs[need].stage == Stage::image}});
  if (!setup.container.empty()) entry["image"] = setup.container;
  if (!setup.runner.empty()) entry["tags"] = {setup.runner};
  // Of a build that failed the log is there, which its error names.
  if (!job.files.empty()) entry["artifacts"] = {{"when", "always"}, {"paths", job.files}, {"expire_in", "1 week"}};
  if (!job.report.empty())
    entry["artifacts"] = {{"when", "always"}, {"paths", {job.report}}, {"reports", {{"junit", job.report}}}};
  return entry;
}

std::string for_gitlab(const Jobs& jobs, const PipelineSetup& setup) {
  Json pipeline = {{"stages", {"shared", "image", "test", "publish"}}};
  for (const PipelineJob& job : jobs) pipeline[job.name] = gitlab_job(jobs, job, setup);
  return yaml(pipeline);
}

// GitHub Actions: a workflow that is started by hand or by another.

Json github_artifact(const PipelineJob& job, const char* when) {
  std::vector<std::string> files = job.files;
  if (!job.report.empty()) files.push_back(job.report);
  return {{"uses", "actions/upload-artifact@v4"},
          {"if", when},
          {"with", {{"name", job.name}, {"path", join(files, "\n")}, {"include-hidden-files", true}}}};
}

/// The log of a build that failed. Of one run there is one artifact of a name, however often a job is repeated.
Json github_log(const PipelineJob& job) {
  return {{"uses", "actions/upload-artifact@v4"},
          {"if", "failure()"},
          {"with", {{"name", cat(job.name, "-log")}, {"path", job.files.front()}, {"overwrite", true}}}};
}

/// What no artifact's file may be called; and its list is read a line each, without blanks at its ends, "#" for a
/// remark.
void require_carried_by_github(const PipelineJob& job) {
  require_carried(job, "\":<>|");
  for (const std::string& file : job.files) {
    if (!file.starts_with("#") && file == trim(file)) continue;
    throw Error(ErrorKind::input, cat("'", job.about, "': GitHub can't carry '", file, "' to later jobs"))
        .hint("Give a name without # in front, and without blanks at its ends.");
  }
}

/// An artifact begins at the folder that its files have in common.
Json github_download(const PipelineJob& job) {
  const fs::path folder = fs::path(job.files.front()).parent_path();
  return {{"uses", "actions/download-artifact@v4"},
          {"with", {{"name", job.name}, {"path", folder.empty() ? "." : folder.string()}}}};
}

std::string for_github(const Jobs& jobs, const PipelineSetup& setup) {
  Json entries = Json::object();
  for (const PipelineJob& job : jobs) {
    require_carried_by_github(job);
    Json steps = {{{"uses", "actions/checkout@v4"}}};
    for (const std::size_t need : job.needs) {
      if (jobs[need].stage == Stage::image && job.stage != Stage::image) steps.push_back(github_download(jobs[need]));
    }
    steps.push_back({{"run", join(job.commands, "\n")}});
    if (!job.files.empty()) steps.push_back(github_artifact(job, "success()"));
    if (job.stage == Stage::image) steps.push_back(github_log(job));
    if (!job.report.empty()) steps.push_back(github_artifact(job, "always()"));
    Json entry = {{"runs-on", setup.runner.empty() ? "self-hosted" : setup.runner}, {"steps", std::move(steps)}};
    if (!job.needs.empty()) entry["needs"] = names_of(jobs, job.needs);
    if (!setup.container.empty()) entry["container"] = setup.container;
    entries[job.name] = std::move(entry);
  }
  return yaml({{"name", "images"},
               {"on", {{"workflow_dispatch", Json::object()}, {"workflow_call", Json::object()}}},
               {"defaults", {{"run", {{"shell", "bash"}}}}},
               {"jobs", std::move(entries)}});
}

// Kubernetes and Nomad run jobs in no order. What belongs to one image is therefore one job, and it ends with a code of
// "not yet" until marks in the shared directory say that what it goes on from is there. The order only saves work: an
// image whose shared steps are in no layer runs them itself.

struct JobSequence {
  std::string name;
  std::vector<std::pair<std::string, std::string>> parts;  ///< stage → script
};

/// Jobs that another sequence waits for.
std::set<std::size_t> awaited(const Jobs& jobs) {
  std::set<std::size_t> found;
  for (const PipelineJob& job : jobs) {
    if (job.stage == Stage::shared || job.stage == Stage::image) found.insert(job.needs.begin(), job.needs.end());
  }
  return found;
}

std::vector<JobSequence> sequences_of(const Jobs& jobs) {
  const std::set<std::size_t> marked = awaited(jobs);
  std::vector<JobSequence> sequences;
  std::map<std::size_t, std::size_t> of_image;
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    const PipelineJob& job = jobs[i];
    std::string script = "set -eu\n";
    if (job.stage == Stage::shared || job.stage == Stage::image) {
      if (job.stage == Stage::image) of_image[job.image] = sequences.size();
      sequences.push_back({job.name, {}});
      for (const std::string& need : names_of(jobs, job.needs))
        script += cat("[ -e ", k_marks, "/", need, " ] || exit ", k_not_yet, "\n");
    }
    script += cat(join(job.commands, "\n"), "\n");
    if (marked.count(i) > 0) script += cat("mkdir -p ", k_marks, "\n: > ", k_marks, "/", job.name, "\n");
    JobSequence& sequence = job.stage == Stage::shared ? sequences.back() : sequences[of_image.at(job.image)];
    sequence.parts.emplace_back(job.stage_name(), std::move(script));
  }
  return sequences;
}

Json kubernetes_container(const std::string& name, const std::string& script, const PipelineSetup& setup) {
  return {{"name", name},
          {"image", setup.container},
          {"command", {"/bin/sh", "-c", script}},
          {"workingDir", "/work"},
          {"envFrom", {{{"configMapRef", {{"name", "hearth"}, {"optional", true}}}}}},
          {"volumeMounts", {{{"name", "work"}, {"mountPath", "/work"}}}}};
}

Json kubernetes_job(const JobSequence& sequence, const PipelineSetup& setup) {
  Json first = Json::array();
  for (const auto& [stage, script] : sequence.parts) first.push_back(kubernetes_container(stage, script, setup));
  Json last = {first.back()};
  first.erase(first.size() - 1);
  const Json not_yet = {{"action", "Ignore"}, {"onExitCodes", {{"operator", "In"}, {"values", {k_not_yet}}}}};
  Json pod = {{"restartPolicy", "Never"},
              {"containers", std::move(last)},
              {"volumes", {{{"name", "work"}, {"persistentVolumeClaim", {{"claimName", "hearth"}}}}}}};
  if (!first.empty()) pod["initContainers"] = std::move(first);
  return {{"apiVersion", "batch/v1"},
          {"kind", "Job"},
          {"metadata", {{"name", sequence.name}, {"labels", {{"app.kubernetes.io/part-of", "hearth-images"}}}}},
          {"spec",
           {{"backoffLimit", k_retries},
            {"activeDeadlineSeconds", k_day},
            {"podFailurePolicy", {{"rules", {not_yet}}}},
            {"template", {{"spec", std::move(pod)}}}}}};
}

std::string for_kubernetes(const Jobs& jobs, const PipelineSetup& setup) {
  Json items = Json::array();
  for (const JobSequence& sequence : sequences_of(jobs)) items.push_back(kubernetes_job(sequence, setup));
  return yaml({{"apiVersion", "v1"}, {"kind", "List"}, {"items", std::move(items)}});
}

/// Nomad reads a task's texts as templates of HCL: an expansion of sh's would be a fault there.
std::string nomad_text(const std::string& script) { return replace_all(script, "${", "$${"); }

std::string for_nomad(const Jobs& jobs, const PipelineSetup& setup) {
  constexpr std::int64_t second = 1'000'000'000;
  Json groups = Json::array();
  for (const JobSequence& sequence : sequences_of(jobs)) {
    std::string script;
    for (const auto& [stage, part] : sequence.parts) script += part;
    const Json task = {{"Name", "hearth"},
                       {"Driver", "docker"},
                       {"Config",
                        {{"image", setup.container},
                         {"command", "/bin/sh"},
                         {"args", {"-c", nomad_text(script)}},
                         {"work_dir", "/work"}}},
                       {"VolumeMounts", {{{"Volume", "work"}, {"Destination", "/work"}}}}};
    groups.push_back({{"Name", sequence.name},
                      {"Count", 1},
                      {"RestartPolicy", {{"Attempts", 0}, {"Mode", "fail"}}},
                      {"ReschedulePolicy",
                       {{"Attempts", 100},
                        {"Interval", k_day * second},
                        {"Delay", 30 * second},
                        {"DelayFunction", "exponential"},
                        {"MaxDelay", 600 * second},
                        {"Unlimited", false}}},
                      {"Volumes", {{"work", {{"Name", "work"}, {"Type", "host"}, {"Source", "hearth"}}}}},
                      {"Tasks", {task}}});
  }
  return json_document({{"Job",
                         {{"ID", "hearth-images"},
                          {"Name", "hearth-images"},
                          {"Type", "batch"},
                          {"Datacenters", {"*"}},
                          {"TaskGroups", std::move(groups)}}}});
}

enum class Setting { none, may, must };

struct PipelineEngine {
  const char* name;
  const char* title;       ///< as people write it
  const char* first_line;  ///< nullptr where there is no comment
  Setting container;
  Setting runner;
  std::string (*text)(const Jobs& jobs, const PipelineSetup& setup);
};

constexpr PipelineEngine k_engines[] = {
    {"make", "make", "", Setting::none, Setting::none, for_make},
    {"slurm", "Slurm", "#!/bin/sh\n", Setting::none, Setting::none, for_slurm},
    {"gitlab", "GitLab", "", Setting::may, Setting::may, for_gitlab},
    {"github", "GitHub", "", Setting::may, Setting::may, for_github},
    {"kubernetes", "Kubernetes", "", Setting::must, Setting::none, for_kubernetes},
    {"nomad", "Nomad", nullptr, Setting::must, Setting::none, for_nomad},
};

void require_setting(const PipelineEngine& engine, const char* option, Setting wanted, const std::string& value) {
  if (wanted == Setting::must && value.empty()) {
    throw Error(ErrorKind::usage, cat("--for ", engine.name, " needs ", option))
        .hint("It names the container image that has Hearth.");
  }
  if (wanted == Setting::none && !value.empty())
    throw Error(ErrorKind::usage, cat("--for ", engine.name, " has no use for ", option));
}

const PipelineEngine& engine_of(const std::string& name) {
  for (const PipelineEngine& engine : k_engines) {
    if (name == engine.name) return engine;
  }
  const std::vector<std::string> names = pipeline_engines();
  const auto meant = nearest(name, names);
  throw Error(ErrorKind::usage,
              cat("--for: there is no engine '", name, "'", meant ? cat("; did you mean '", *meant, "'?") : "",
                  " Engines: ", join(names, ", ")));
}

}  // namespace

std::vector<std::string> pipeline_engines() {
  std::vector<std::string> names;
  for (const PipelineEngine& engine : k_engines) names.emplace_back(engine.name);
  return names;
}

std::vector<std::string> pipeline_engine_titles() {
  std::vector<std::string> titles;
  for (const PipelineEngine& engine : k_engines) titles.emplace_back(engine.title);
  return titles;
}

std::string pipeline_text(const std::string& engine, const std::vector<PipelineJob>& jobs, const PipelineSetup& setup) {
  const PipelineEngine& chosen = engine_of(engine);
  require_setting(chosen, "--container", chosen.container, setup.container);
  require_setting(chosen, "--runner", chosen.runner, setup.runner);
  std::string head;
  if (chosen.first_line != nullptr) {
    head = cat(chosen.first_line, "# Made by: hearth image pipeline --for ", engine,
               ". Change the file of images, and make this anew.\n");
    if (!setup.elements_path.empty())
      head += cat("# Jobs need ELEMENTS_PATH, too: a variable of theirs; it was ", format_json(setup.elements_path),
                  " when this was made.\n");
  }
  return head + chosen.text(jobs, setup);
}

}  // namespace hearth::builder
