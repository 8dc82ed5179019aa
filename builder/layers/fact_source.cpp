#include "builder/layers/fact_source.hpp"

#include <algorithm>
#include <array>

#include "base/error.hpp"
#include "base/text.hpp"
#include "builder/layers/script_inputs.hpp"

namespace hearth::builder {

namespace {

constexpr const char* k_missing = "missing";
constexpr const char* k_environment = "environment.d";
constexpr std::uint64_t k_most_read = std::uint64_t{256} << 20U;  // bytes of one input that are hashed
constexpr std::uint64_t k_longest_script = std::uint64_t{1} << 20U;

/// What the packages of the operating system fill: /etc/os-release and the names stand for what is below.
constexpr std::array<const char*, 10> k_system = {"/usr/",     "/lib/",          "/lib64/",       "/bin/",
                                                  "/sbin/",    "/var/lib/dpkg/", "/var/lib/apt/", "/var/lib/rpm/",
                                                  "/etc/ssl/", "/boot/"};
constexpr const char* k_local = "/usr/local/";

/// Variables whose mention makes a step depend on every element's files.
constexpr std::array<const char*, 3> k_element_words = {"IMAGE_ELEMENT_YAML", "get_image_element_array",
                                                        "ELEMENTS_PATH"};

std::string describe(const FileStatus& status, const std::string& content) {
  return cat(static_cast<int>(status.type), " ", status.mode, " ", content);
}

/// A file's content, or how it looks when `left` bytes of what may be read do not suffice.
std::string content_of(const FileReader& files, const fs::path& path, const FileStatus& status, std::uint64_t& left) {
  if (status.size > left) return cat(status.size, " ", status.modified);
  left -= status.size;
  return fact_digest(files.read(path).value_or(""));
}

std::string link_of(const fs::path& path) {
  boost::system::error_code none;
  const fs::path target = fs::read_symlink(path, none);
  return none ? "" : cat(" -> ", target.string());
}

void add_tree(const FileReader& files, const fs::path& directory, const std::string& below, std::string& text,
              std::uint64_t& left) {
  for (const std::string& name : files.list(directory)) {
    const fs::path path = directory / name;
    const std::string link = link_of(path);
    text += cat(below, name, link);
    try {
      const std::optional<FileStatus> status = files.status(path);
      const bool is_file = status && status->type == FileStatus::Type::regular;
      if (status) text += cat(" ", describe(*status, is_file ? content_of(files, path, *status, left) : ""));
      text += "\n";
      if (status && status->type == FileStatus::Type::directory && link.empty())
        add_tree(files, path, cat(below, name, "/"), text, left);
    } catch (const Error&) {  // it may not be looked at, by hooks neither
      text += " unreadable\n";
    }
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
bool is_remote(const std::string& fact) {
  const std::string kind = fact_kind(fact);
  return kind == "fetch" || kind == "repository" || kind == "git";
}

std::string value_of(const Environment& environment, const std::string& name) {
  const auto found = environment.find(name);
  return found == environment.end() ? "" : found->second;
}

bool mentions(const std::vector<std::string>& texts, std::string_view word) {
  return std::any_of(texts.begin(), texts.end(),
                     [&](const std::string& text) { return text.find(word) != std::string::npos; });
}

}  // namespace

std::string tree_digest(const FileReader& files, const fs::path& directory) {
  std::string text;
  std::uint64_t left = k_most_read;
  add_tree(files, directory, "", text, left);
  return fact_digest(text);
}

std::vector<std::string> element_texts(const FileReader& files, const BuildPlan& plan) {
  std::vector<std::string> texts;
  const std::function<void(const fs::path&)> read = [&](const fs::path& directory) {
    for (const std::string& name : files.list(directory)) {
      const fs::path path = directory / name;
      const std::optional<FileStatus> status = files.status(path);
      if (!status) continue;
      if (status->type == FileStatus::Type::directory && link_of(path).empty()) read(path);
      if (status->type != FileStatus::Type::regular || status->size > k_longest_script) continue;
      texts.push_back(files.read(path).value_or(""));
    }
  };
  for (const Element& element : plan.elements.elements) read(element.path);
  return texts;
}

std::string host_digest(const FileReader& files, const fs::path& path) {
  try {
    const std::optional<FileStatus> status = files.status(path);
    if (!status) return k_missing;
    const std::string below = cat(path.string(), "/");
    const bool is_local = below.starts_with(k_local);
    const bool is_system = !is_local && std::any_of(k_system.begin(), k_system.end(),
                                                    [&](const char* system) { return below.starts_with(system); });
    std::string content;
    if (status->type == FileStatus::Type::directory)
      content = is_system ? join(files.list(path), "\n") : tree_digest(files, path);
    std::uint64_t left = k_most_read;
    if (status->type == FileStatus::Type::regular) content = content_of(files, path, *status, left);
    return fact_digest(describe(*status, content));
  } catch (const Error&) {  // it may not be looked at, by hooks neither
    return "unreadable";
  }
}

std::string FactSource::path_digest(const fs::path& path) const {
  const auto [known, is_new] = known_.try_emplace(cat("path ", path.string()));
  if (is_new) known->second = host_digest(files_, path);
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
  facts.merge(environment_facts(environment, texts_of(facts, environment), key_));
  for (const auto& [name, value] : environment) {
    if (facts.count(cat("env ", name)) == 0 || !may_name_input(name, value, environment)) continue;
    const bool named =
        std::any_of(texts.begin(), texts.end(), [&](const std::string& text) { return names_variable(text, name); });
    if (named) facts[cat("file ", name)] = file_digest(key_, name, path_digest(value));
  }
  return facts;
}

/// What a step with these facts may name variables in: its hooks, files of the machine that those name, and the
/// elements where it may read any of their files.
std::vector<std::string> FactSource::texts_of(const Facts& facts, const Environment& environment) const {
  std::vector<std::string> texts;
  const auto add = [&](const fs::path& path) {
    try {
      const std::optional<FileStatus> status = files_.status(path);
      if (status && status->type == FileStatus::Type::regular && status->size <= k_longest_script)
        texts.push_back(files_.read(path).value_or(""));
    } catch (const Error&) {  // hooks can't read it either
    }
  };
  for (const auto& [fact, digest] : facts) {
    const std::string kind = fact_kind(fact);
    if (kind == "hook") add(hooks_ / fact_name(fact));
    if (kind == "host") add(fact_name(fact));
    if (kind == "file") add(value_of(environment, fact_name(fact)));
    if (kind != "elements") continue;
    const std::vector<std::string> all = element_texts(files_, plan_);
    texts.insert(texts.end(), all.begin(), all.end());
  }
  return texts;
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
  if (kind == "git") return repository_(fact).value_or("");
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
  now.merge(environment_facts(environment, texts_of(noted, environment), key_));
  if (const auto differences = describe_differences(before, now); !differences.empty()) return differences.front();
  for (const auto& [fact, digest] : noted) {
    if (!is_remote(fact)) continue;
    const std::string current = digest_of(fact, environment);
    if (current == digest || (fact_kind(fact) != "fetch" && current.empty())) continue;  // nobody can tell: as it was
    return describe_differences({{fact, digest}}, current.empty() ? Facts() : Facts{{fact, current}}).front();
  }
  return std::nullopt;
}

}  // namespace hearth::builder
