#include "builder/layers/fact_source.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "base/text.hpp"
#include "builder/layers/script_inputs.hpp"

namespace hearth::builder {

namespace {

constexpr const char* k_missing = "missing";
constexpr const char* k_environment = "environment.d";
constexpr std::uint64_t k_largest_file = std::uint64_t{256} << 20U;

/// Variables whose mention makes a step depend on every element's files.
constexpr std::array<const char*, 3> k_element_words = {"IMAGE_ELEMENT_YAML", "get_image_element_array",
                                                        "ELEMENTS_PATH"};

std::string describe(const FileStatus& status, const std::string& content) {
  return cat(static_cast<int>(status.type), " ", status.mode, " ", content);
}

void add_tree(const FileReader& files, const fs::path& directory, const std::string& below, std::string& text) {
  for (const std::string& name : files.list(directory)) {
    const fs::path path = directory / name;
    const std::optional<FileStatus> status = files.status(path);
    if (!status) continue;
    const bool is_file = status->type == FileStatus::Type::regular;
    const std::string content = is_file ? fact_digest(files.read(path).value_or("")) : "";
    text += cat(below, name, " ", describe(*status, content), "\n");
    const bool is_link = fs::is_symlink(fs::symlink_status(path));
    if (status->type == FileStatus::Type::directory && !is_link) add_tree(files, path, cat(below, name, "/"), text);
  }
}

void add_names(const FileReader& files, const fs::path& path, const std::string& name, std::string& text) {
  const std::optional<FileStatus> status = files.status(path);
  text += cat(name, "\n");
  if (!status || status->type != FileStatus::Type::directory || fs::is_symlink(fs::symlink_status(path))) return;
  for (const std::string& below : files.list(path)) add_names(files, path / below, cat(name, "/", below), text);
}

std::string fact_kind(const std::string& fact) { return fact.substr(0, fact.find(' ')); }
std::string fact_name(const std::string& fact) { return fact.substr(std::min(fact.size(), fact.find(' ') + 1)); }

/// A fact of something that is not on this machine.
bool is_remote(const std::string& fact) { return fact_kind(fact) == "fetch" || fact_kind(fact) == "repository"; }

std::string value_of(const Environment& environment, const std::string& name) {
  const auto found = environment.find(name);
  return found == environment.end() ? "" : found->second;
}

bool names_a_file(const FileReader& files, const std::string& value) {
  static const std::string sandbox = "/hearth/";  // the build's own files
  if (value.empty() || value.front() != '/' || value.compare(0, sandbox.size(), sandbox) == 0) return false;
  try {
    const std::optional<FileStatus> status = files.status(value);
    return status && status->type == FileStatus::Type::regular && status->size <= k_largest_file;
  } catch (const Error&) {  // a list of directories, of which the first is another user's, say
    return false;
  }
}

bool mentions(const std::vector<std::string>& texts, std::string_view word) {
  return std::any_of(texts.begin(), texts.end(),
                     [&](const std::string& text) { return text.find(word) != std::string::npos; });
}

}  // namespace

std::string tree_digest(const FileReader& files, const fs::path& directory) {
  std::string text;
  add_tree(files, directory, "", text);
  return fact_digest(text);
}

std::string host_digest(const FileReader& files, const fs::path& path) {
  try {
    const std::optional<FileStatus> status = files.status(path);
    if (!status) return k_missing;
    std::string content;
    if (status->type == FileStatus::Type::directory) content = join(files.list(path), "\n");
    if (status->type == FileStatus::Type::regular) {
      content = status->size <= k_largest_file ? files.read(path).value_or("") : std::to_string(status->size);
    }
    return fact_digest(describe(*status, content));
  } catch (const Error&) {  // it may not be looked at, by hooks neither
    return "unreadable";
  }
}

std::string FactSource::path_digest(const fs::path& path) const {
  const auto [known, is_new] = known_.try_emplace(cat("path ", path.string()));
  if (is_new) {
    const std::optional<FileStatus> status = files_.status(path);
    const bool is_file = status && status->type == FileStatus::Type::regular;
    known->second = !status ? k_missing : fact_digest(describe(*status, is_file ? files_.read(path).value_or("") : ""));
  }
  return known->second;
}

std::string FactSource::hook_digest(const std::string& path) const { return path_digest(hooks_ / path); }

std::string FactSource::list_digest(const std::string& path) const {
  return fact_digest(join(files_.list(hooks_ / path), "\n"));
}

std::string FactSource::elements_digest() const {
  const auto [known, is_new] = known_.try_emplace("elements");
  if (is_new) {
    std::string text;
    for (const Element& element : plan_.elements.elements) {
      text += cat(element.name, " ", tree_digest(files_, element.path), "\n");
    }
    known->second = fact_digest(text);
  }
  return known->second;
}

/// Everything that could change what a phase installs: the entries of all elements, and the maps of names.
std::string FactSource::packages_digest(const std::string& phase) const {
  if (phase == "-p") return fact_digest(join(packages_, "\n"));
  std::string text;
  for (const Element& element : plan_.elements.elements) {
    for (const char* file : {"package-installs.yaml", "package-installs.json", "pkg-map"}) {
      if (const auto content = files_.read(element.path / file)) text += cat(element.name, "/", file, "\n", *content);
    }
    for (const std::string& name : files_.list(element.path)) {
      if (name.find("package-installs-") != 0) continue;
      text += cat(element.name, "/", name, "\n");
      text += files_.read(element.path / name).value_or("");
    }
  }
  return fact_digest(text);
}

/// What the scripts name, whether they open it or only ask whether it is there.
void FactSource::add_named_inputs(const Step& step, const std::vector<std::string>& texts,
                                  const Environment& environment, Facts& facts) const {
  const bool on_host = info(step.phase).place != Place::target;
  for (const std::string& text : texts) {
    const ScriptInputs inputs = inputs_in(text, value_of(environment, "HOME"));
    for (const std::string& path : inputs.hooks) facts.emplace(cat("hook ", path), hook_digest(path));
    if (inputs.any_hook) facts.emplace("names hooks", names_digest());
    for (const std::string& path : inputs.host) {
      if (on_host) facts.emplace(cat("host ", path), known_host_digest(path));
    }
  }
}

/// Names of everything that the merged hooks hold beside the scripts of phases.
std::string FactSource::names_digest() const {
  const auto [known, is_new] = known_.try_emplace("names");
  if (is_new) {
    std::string text;
    for (const std::string& name : files_.list(hooks_)) {
      const bool is_phase = name.size() > 2 && parse_phase(name.substr(0, name.size() - 2)).has_value();
      if (!is_phase) add_names(files_, hooks_ / name, name, text);
    }
    known->second = fact_digest(text);
  }
  return known->second;
}

std::string FactSource::known_host_digest(const std::string& path) const {
  const auto [known, is_new] = known_.try_emplace(cat("host ", path));
  if (is_new) known->second = file_digest(key_, path, host_digest(files_, path));
  return known->second;
}

Facts FactSource::of_step(const Step& step, const Reads& reads, const Environment& environment) const {
  Facts facts;
  std::vector<std::string> texts;
  const auto read = [&](const std::string& path) {
    facts[cat("hook ", path)] = hook_digest(path);
    if (auto content = files_.read(hooks_ / path)) texts.push_back(std::move(*content));
  };
  facts[cat("list ", k_environment)] = list_digest(k_environment);
  for (const std::string& name : files_.list(hooks_ / k_environment)) read(cat(k_environment, "/", name));
  if (step.kind == Step::Kind::hook) {
    read(step.label());
  } else {
    const std::string phase = step.kind == Step::Kind::extra_packages ? "-p" : directory_name(step.phase);
    facts[cat("packages ", phase)] = packages_digest(phase);
  }
  for (const std::string& path : reads.files) read(path);
  for (const std::string& path : reads.directories) facts[cat("list ", path)] = list_digest(path);
  if (reads.everything) facts["elements all"] = elements_digest();
  for (const char* word : k_element_words) {
    if (mentions(texts, word)) facts["elements all"] = elements_digest();
  }
  add_named_inputs(step, texts, environment, facts);
  facts.merge(environment_facts(environment, texts, key_));
  for (const auto& [name, value] : environment) {
    if (facts.count(cat("env ", name)) == 0 || !names_a_file(files_, value)) continue;
    if (mentions(texts, name)) facts[cat("file ", name)] = file_digest(key_, name, path_digest(value));
  }
  return facts;
}

std::string FactSource::digest_of(const std::string& fact, const Environment& environment) const {
  const std::string kind = fact_kind(fact);
  const std::string name = fact_name(fact);
  if (kind == "env") return environment.count(name) > 0 ? variable_digest(key_, name, value_of(environment, name)) : "";
  if (kind == "hook") return hook_digest(name);
  if (kind == "list") return list_digest(name);
  if (kind == "names") return names_digest();
  if (kind == "host") return known_host_digest(name);
  if (kind == "file") return file_digest(key_, name, path_digest(value_of(environment, name)));
  if (kind == "packages") return packages_digest(name);
  if (kind == "elements") return elements_digest();
  if (kind == "fetch" && fetch_) return fetch_(name);
  if (kind == "repository") return repository_(name).value_or("");
  return "";
}

/// The network is asked last, and only as long as all holds.
std::optional<std::string> FactSource::fault(const Facts& noted, const Environment& environment) const {
  Facts before;
  Facts now;
  for (const auto& [fact, digest] : noted) {
    if (is_remote(fact)) continue;
    before[fact] = digest;
    if (std::string current = digest_of(fact, environment); !current.empty()) now[fact] = std::move(current);
  }
  for (const auto& [name, value] : environment) {
    if (!counts_only_when_named(name)) now.emplace(cat("env ", name), variable_digest(key_, name, value));
  }
  if (const auto differences = describe_differences(before, now); !differences.empty()) return differences.front();
  for (const auto& [fact, digest] : noted) {
    if (!is_remote(fact)) continue;
    const std::string current = digest_of(fact, environment);
    if (current == digest || (fact_kind(fact) == "repository" && current.empty()))
      continue;  // nobody can tell: as it was
    return describe_differences({{fact, digest}}, current.empty() ? Facts() : Facts{{fact, current}}).front();
  }
  return std::nullopt;
}

}  // namespace hearth::builder
