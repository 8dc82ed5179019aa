#include "builder/cache/unchanged.hpp"

#include <sys/stat.h>

#include <array>
#include <map>
#include <set>

#include "base/json.hpp"
#include "base/sys/file_digest.hpp"
#include "base/text.hpp"
#include "builder/evidence/own_names.hpp"
#include "builder/evidence/verification.hpp"
#include "builder/layers/host_tools.hpp"

namespace hearth::builder {

namespace {

constexpr std::int64_t k_second = 1'000'000'000;

/// What only a build can tell, beside what is kept in k_output_file itself.
constexpr std::array k_records_of_build = {k_manifest_file, k_steps_file, k_timing_file, k_timing_picture};

/// Size, times and inode: a file that was written to, or replaced, looks different. Its time of change can't be set
/// back as that of its contents can (touch -d).
std::string look_of(const fs::path& file) {
  struct stat status {};
  if (::stat(file.c_str(), &status) != 0) return "missing";
  const auto nanoseconds = [](const timespec& time) { return time.tv_sec * k_second + time.tv_nsec; };
  return cat(status.st_size, " ", nanoseconds(status.st_mtim), " ", nanoseconds(status.st_ctim), " ", status.st_ino);
}

/// By the names of all records of a build, digests; empty for one that is not there.
Json digests_of_records(const fs::path& directory) {
  Json digests = Json::object();
  for (const char* name : k_records_of_build) {
    const fs::path file = directory / name;
    digests[name] = is_regular_file(RealFileSystem(), file) ? digest_file(file).sha256 : "";
  }
  return digests;
}

constexpr const char* k_elements = "elements";  // digests of their files, by their names
constexpr const char* k_seal = "seal";          // of the notes themselves
constexpr const char* k_evidence = "evidence";  // what it was, by names; noted when it is written, after the outputs
constexpr std::array k_sealed = {k_sbom_file, k_provenance_file, k_signed_file};

/// Of notes without seals. Who can write in NAME.d could make them tell of whatever he put there, but for the key.
std::string seal_of(Json notes, const FactKey& secrets) {
  notes.erase(k_seal);
  notes.erase(k_evidence);
  return keyed_digest(secrets, format_json(notes));
}

/// Empty for one that is not there.
std::string seal_of_file(const fs::path& file, const FactKey& secrets) {
  if (!is_regular_file(RealFileSystem(), file)) return "";
  return keyed_digest(secrets, cat(file.filename().string(), "\n", digest_file(file).sha256));
}

Json notes_in(const fs::path& directory) {
  const Result<Json> read = parse_json(RealFileSystem().read(directory / k_output_file).value_or("{}"), k_output_file);
  return read.ok() && read.value().is_object() ? read.value() : Json::object();
}

void write_notes(const fs::path& directory, const Json& notes) {
  RealFileSystem().write(directory / k_output_file, cat(format_json(notes), "\n"), {.mode = 0644});
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
          facts.elements_digest(), "\n", host_tools(system), "\n", request.aci_manifest, "\n");
  for (const Step& step : plan.steps) text += cat(step.label(), " ", step.element, "\n");
  for (const auto& [name, value] : request.environment) {
    const bool is_ours = name.starts_with("DIB_") || name.starts_with("HEARTH_") || name == "SOURCE_DATE_EPOCH";
    if (is_ours) text += cat(name, "=", value, files_digest(name, value, facts), "\n");
  }
  for (const fs::path& file : files) text += cat(file.string(), " ", facts.host_digest_of(file), "\n");
  return keyed_digest(secrets, text);
}

namespace {

/// Steps have most facts in common: each stands once, and steps have their numbers.
class NotedFacts {
 public:
  void add(const std::string& label, const Facts& facts) {
    Json numbers = Json::array();
    for (const auto& fact : facts) {
      const auto [known, is_new] = numbers_.try_emplace(fact, numbers_.size());
      if (is_new) facts_.push_back(json_of(Facts{fact}));
      numbers.push_back(known->second);
    }
    steps_.push_back({{"step", label}, {"facts", std::move(numbers)}});
  }
  void put_into(Json& json) && {
    json["facts"] = std::move(facts_);
    json["steps"] = std::move(steps_);
  }

 private:
  std::map<Facts::value_type, std::size_t> numbers_;
  Json facts_ = Json::array();
  Json steps_ = Json::array();
};

/// Of steps by their labels. Throws Json::exception for what NotedFacts has not written.
std::vector<std::pair<std::string, Facts>> noted_steps(const Json& json) {
  const Json& all = json.at("facts");
  std::vector<Facts> each;
  for (const Json& fact : all) each.push_back(facts_from(fact));
  std::vector<std::pair<std::string, Facts>> steps;
  for (const Json& step : json.at("steps")) {
    Facts facts;
    for (const Json& number : step.at("facts")) {
      const auto index = number.get<std::size_t>();
      (void)all.at(index);  // throws where there is none
      facts.insert(each[index].begin(), each[index].end());
    }
    steps.emplace_back(step.at("step").get<std::string>(), std::move(facts));
  }
  return steps;
}

}  // namespace

void note_outputs(const fs::path& directory, const std::string& key, const std::vector<fs::path>& outputs,
                  const std::vector<StepRecord>& steps, const BuildPlan& plan, const FactSource& facts,
                  const FactKey& secrets) {
  NotedFacts noted;
  std::set<std::string> known;
  for (const StepRecord& step : steps) {
    noted.add(step.label, step.facts);
    known.insert(step.label);
  }
  for (const Step& step : plan.steps) {
    if (known.count(step.label()) == 0) noted.add(step.label(), facts.of_step(step, {}));
  }
  Json looks = Json::object();
  for (const fs::path& output : outputs) looks[output.string()] = look_of(output);
  Json json = {{"key", key},
               {"outputs", looks},
               {"records", digests_of_records(directory)},
               {k_elements, facts.digests_of_elements()}};
  std::move(noted).put_into(json);
  // It tells of earlier outputs. A build that is killed before it tells of these, or can't, is found without it.
  RealFileSystem().remove(directory / k_provenance_file);
  json[k_seal] = seal_of(json, secrets);
  write_notes(directory, json);
}

std::vector<std::string> changed_elements(const fs::path& directory, const FactSource& facts) {
  const Json notes = notes_in(directory);
  const Json noted = object_member(notes, k_elements);
  std::vector<std::string> changed;
  for (const auto& [name, digest] : facts.digests_of_elements()) {
    if (noted.contains(name) && noted.at(name) != Json(digest)) changed.push_back(name);
  }
  return changed;
}

std::vector<fs::path> unchanged_outputs(const fs::path& directory, const std::string& key, const FactSource& facts,
                                        const RemoteFacts& remote, const FactKey& secrets) {
  const Json notes = notes_in(directory);
  try {
    if (notes.value("key", Json()) != Json(key) || notes.value(k_seal, Json()) != Json(seal_of(notes, secrets)))
      return {};
    if (notes.value("records", Json()) != digests_of_records(directory)) return {};
    std::vector<fs::path> outputs;
    for (const auto& [file, look] : notes.at("outputs").items()) {
      if (look != look_of(file)) return {};
      outputs.emplace_back(file);
    }
    const std::vector<std::pair<std::string, Facts>> steps = noted_steps(notes);
    for (const auto& [label, noted] : steps) {
      if (facts.local_fault(label, noted)) return {};
    }
    for (const auto& [label, noted] : steps) {
      if (remote_fault(noted, remote)) return {};
    }
    return outputs;
  } catch (const Json::exception&) {  // of another version
    return {};
  }
}

void note_evidence(const fs::path& directory, const FactKey& secrets) {
  Json notes = notes_in(directory);
  if (notes.empty()) return;  // a build that keeps nothing
  Json seals = Json::object();
  for (const char* name : k_sealed) seals[name] = seal_of_file(directory / name, secrets);
  if (notes.value(k_evidence, Json()) == seals) return;
  notes[k_evidence] = std::move(seals);
  write_notes(directory, notes);
}

std::vector<std::string> changed_evidence(const fs::path& stem, const std::vector<fs::path>& outputs,
                                          const FactKey& secrets) {
  std::vector<std::string> faults = evidence::evidence_faults(stem, outputs.front());
  if (!faults.empty()) return faults;
  const fs::path directory = stem.string() + ".d";
  const Json notes = notes_in(directory);
  const Json seals = notes.contains(k_evidence) ? notes.at(k_evidence) : Json();
  for (const char* name : k_sealed) {
    const std::string seal = seal_of_file(directory / name, secrets);
    const bool is_gone_signature = seal.empty() && name == std::string_view(k_signed_file);
    const bool is_same = seals.is_object() && seals.value(name, Json()) == Json(seal);
    if (!is_gone_signature && !is_same)
      faults.push_back(cat((directory / name).string(), " is not what the builder wrote"));
  }
  return faults;
}

}  // namespace hearth::builder
