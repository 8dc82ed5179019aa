#include "builder/run/unchanged.hpp"

#include <sys/stat.h>

#include <set>

#include "base/json.hpp"
#include "base/text.hpp"
#include "builder/evidence/own_names.hpp"
#include "builder/layers/host_tools.hpp"

namespace hearth::builder {

namespace {

constexpr std::int64_t k_second = 1'000'000'000;

/// Size, times and inode: a file that was written to, or replaced, looks different. Its time of change can't be set
/// back as that of its contents can (touch -d).
std::string look_of(const fs::path& file) {
  struct stat status {};
  if (::stat(file.c_str(), &status) != 0) return "missing";
  const auto nanoseconds = [](const timespec& time) { return time.tv_sec * k_second + time.tv_nsec; };
  return cat(status.st_size, " ", nanoseconds(status.st_mtim), " ", nanoseconds(status.st_ctim), " ", status.st_ino);
}

/// What the builder itself reads of the machine.
std::string files_digest(const std::string& name, const std::string& value, const FactSource& facts) {
  std::string text;
  for (const fs::path& path : input_paths(name, value)) text += cat(" ", facts.host_digest_of(path));
  return text;
}

}  // namespace

bool may_be_unchanged(const ImageRequest& request) {
  return request.use_cache && !request.fetching.mode && !request.fresh_from && request.breaks.empty();
}

std::string output_key(const ImageRequest& request, const BuildPlan& plan, const Installation& installation,
                       const FactSource& facts, const std::vector<fs::path>& files, const FactKey& secrets) {
  const RealFileSystem system;
  std::string text =
      cat(HEARTH_VERSION, "\n", look_of(installation.program), "\n", look_of(installation.agent_binary), "\n",
          tree_digest(system, installation.shims), "\n", tree_digest(system, installation.library), "\n",
          shell_join(request.arguments), "\n", request.arguments_text, "\n", request.output.string(), "\n",
          request.architecture, "\n", join(request.elements, " "), "\n", join(plan.elements.names(), " "), "\n",
          facts.elements_digest(), "\n", host_tools(system), "\n");
  for (const Step& step : plan.steps) text += cat(step.label(), " ", step.element, "\n");
  for (const auto& [name, value] : request.environment) {
    const bool is_ours = name.starts_with("DIB_") || name.starts_with("HEARTH_") || name == "SOURCE_DATE_EPOCH" ||
                         name == "ACI_MANIFEST";
    if (is_ours) text += cat(name, "=", value, files_digest(name, value, facts), "\n");
  }
  for (const fs::path& file : files) text += cat(file.string(), " ", facts.host_digest_of(file), "\n");
  return keyed_digest(secrets, text);
}

void note_outputs(const fs::path& directory, const std::string& key, const std::vector<fs::path>& outputs,
                  const std::vector<StepRecord>& steps, const BuildPlan& plan, const FactSource& facts) {
  Json noted = Json::array();
  std::set<std::string> known;
  for (const StepRecord& step : steps) {
    noted.push_back({{"step", step.label}, {"facts", json_of(step.facts)}});
    known.insert(step.label);
  }
  for (const Step& step : plan.steps) {
    if (known.count(step.label()) == 0)
      noted.push_back({{"step", step.label()}, {"facts", json_of(facts.of_step(step, {}))}});
  }
  Json looks = Json::object();
  for (const fs::path& output : outputs) looks[output.string()] = look_of(output);
  const Json json = {{"key", key}, {"steps", noted}, {"outputs", looks}};
  RealFileSystem().write(directory / k_output_file, cat(format_json(json), "\n"), {.mode = 0644});
}

std::vector<fs::path> unchanged_outputs(const fs::path& directory, const std::string& key, const FactSource& facts,
                                        const RemoteFacts& remote) {
  const Result<Json> read = parse_json(RealFileSystem().read(directory / k_output_file).value_or("{}"), k_output_file);
  if (!read.ok() || !read.value().is_object() || read.value().value("key", "") != key) return {};
  try {
    std::vector<fs::path> outputs;
    for (const auto& [file, look] : read.value().at("outputs").items()) {
      if (look != look_of(file)) return {};
      outputs.emplace_back(file);
    }
    const Json& steps = read.value().at("steps");
    for (const Json& step : steps) {
      if (facts.local_fault(step.at("step").get<std::string>(), facts_from(step.at("facts")))) return {};
    }
    for (const Json& step : steps) {
      if (remote_fault(facts_from(step.at("facts")), remote)) return {};
    }
    return outputs;
  } catch (const Json::exception&) {  // of another version
    return {};
  }
}

}  // namespace hearth::builder
