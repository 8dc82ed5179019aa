#include "builder/layers/step_scripts.hpp"

#include <algorithm>
#include <array>
#include <set>

#include "base/error.hpp"
#include "base/text.hpp"
#include "builder/layers/input_digest.hpp"

namespace hearth::builder {

namespace {

constexpr std::uint64_t k_longest_script = std::uint64_t{1} << 20U;
constexpr std::size_t k_most_host_files = 500;  // of one directory; beyond, their variables have to be named elsewhere
constexpr const char* k_environment_hooks = "environment.d";
constexpr const char* k_installer = "install-packages";

bool is_phase_directory(const std::string& name) {
  return name.ends_with(".d") && parse_phase(name.substr(0, name.size() - 2)).has_value();
}

bool is_documentation(const std::string& name) {
  return name.starts_with("README") || name.ends_with(".md") || name.ends_with(".rst") || name.ends_with(".pyc");
}

bool is_package_list(const std::string& name) { return name.starts_with("package-installs") || name == "pkg-map"; }

/// Directories of the machine in which nobody's scripts are but the system's.
bool is_of_system(const fs::path& path) {
  static constexpr std::array<std::string_view, 7> k_systems_own = {"/usr/",  "/lib",      "/bin/",    "/sbin/",
                                                                    "/boot/", "/var/lib/", "/etc/ssl/"};
  const std::string below = cat(path.string(), "/");
  return !below.starts_with("/usr/local/") &&
         std::any_of(k_systems_own.begin(), k_systems_own.end(),
                     [&](std::string_view system) { return below.starts_with(system); });
}

/// "lib.sh" is named by "lib", too: Python's modules are.
std::string stem_of(const std::string& name) {
  const std::size_t dot = name.find('.', 1);
  return name.substr(0, dot);
}

bool is_script(const FileReader& files, const fs::path& path) {
  try {
    const std::optional<FileStatus> status = files.status(path);
    return status && status->type == FileStatus::Type::regular && status->size <= k_longest_script;
  } catch (const Error&) {  // hooks can't read it either
    return false;
  }
}

}  // namespace

const ScriptWords& StepScripts::Script::words() const {
  if (words_) return *words_;
  std::string text;
  try {
    text = files_.read(path_).value_or("");
  } catch (const Error&) {  // hooks can't read it either
  }
  words_ = std::make_unique<ScriptWords>(std::move(text), place_ == Place::host_below ? ScriptWords::Kind::may_be_data
                                                          : place_ == Place::library  ? ScriptWords::Kind::hearths
                                                          : is_own_                   ? ScriptWords::Kind::own
                                                                                      : ScriptWords::Kind::script);
  return *words_;
}

const ScriptInputs& StepScripts::Script::inputs(const std::string& home) const {
  if (!inputs_) inputs_ = inputs_in(words().text(), home);
  return *inputs_;
}

StepScripts::StepScripts(const FileReader& files, const BuildPlan& plan, const std::vector<fs::path>& libraries,
                         std::string home)
    : files_(files), home_(std::move(home)) {
  for (const Element& element : plan.elements.elements) {
    if (element.built_in) own_.push_back(element.path);
  }
  for (const auto& [directory, entries] : plan.hooks.directories()) {
    const auto place = is_phase_directory(directory) ? Script::Place::hook : Script::Place::beside;
    for (const auto& [name, entry] : entries) {
      if (entry.is_directory) add_elements_directory(entry, place);
      const bool is_sourced = directory == k_environment_hooks;  // whatever its name, and however long it is
      const Script* script = nullptr;
      if (!entry.is_directory)
        script = is_sourced ? &add_script(entry.path, name, place) : add_file(entry.path, name, place);
      if (script == nullptr) continue;
      if (is_sourced) environment_.emplace(name, script);
      hooks_[cat(directory, "/", name)] = script;
    }
  }
  for (const fs::path& path : plan.hooks.top_files()) {
    const Script* const script = add_file(path, path.filename().string(), Script::Place::beside);
    if (script != nullptr && is_package_list(path.filename().string())) packages_.push_back(script);
  }
  for (const fs::path& library : libraries) add_directory(library, Script::Place::library);
}

bool StepScripts::is_own(const fs::path& path) const {
  return std::any_of(own_.begin(), own_.end(), [&](const fs::path& element) { return holds(element, path); });
}

const StepScripts::Script* StepScripts::add_file(const fs::path& path, const std::string& name, Script::Place place) {
  return is_documentation(name) || !is_script(files_, path) ? nullptr : &add_script(path, name, place);
}

const StepScripts::Script& StepScripts::add_script(const fs::path& path, const std::string& name, Script::Place place) {
  scripts_.push_back(std::make_unique<Script>(files_, path, place, is_own(path)));
  const Script& script = *scripts_.back();
  by_name_.emplace(name, &script);
  if (stem_of(name) != name) by_name_.emplace(stem_of(name), &script);
  return script;
}

void StepScripts::add_elements_directory(const HookEntry& entry, Script::Place place) try {
  add_directory(entry.path, place);
} catch (Error& error) {
  throw while_reading_elements(error, cat("reading the files of the element ", entry.element));
}

void StepScripts::add_directory(const fs::path& directory, Script::Place place) {
  for (const std::string& name : files_.list(directory)) {
    const fs::path path = directory / name;
    const std::optional<FileStatus> status = files_.status(path);
    if (!status) continue;
    const bool is_link = fs::is_symlink(fs::symlink_status(path));
    if (status->type == FileStatus::Type::directory && !is_link) add_directory(path, place);
    if (status->type == FileStatus::Type::regular) (void)add_file(path, name, place);
  }
}

/// A script that an earlier hook put there is one of those by its name (install-types links them), or was written by
/// one: then it may be any.
StepScripts::Scripts StepScripts::roots(const Step* step, const Apart& apart) const {
  Scripts roots;
  for (const auto& [name, script] : environment_) {
    if (apart.count(name) == 0) roots.push_back(script);
  }
  if (step == nullptr) return roots;
  if (step->kind != Step::Kind::hook) {
    roots.insert(roots.end(), packages_.begin(), packages_.end());
    const auto [first, last] = by_name_.equal_range(k_installer);
    for (auto found = first; found != last; ++found) roots.push_back(found->second);
    return roots;
  }
  if (const auto hook = hooks_.find(step->label()); hook != hooks_.end()) {
    roots.push_back(hook->second);
    return roots;
  }
  const auto [first, last] = by_name_.equal_range(step->name);
  for (auto found = first; found != last; ++found) roots.push_back(found->second);
  if (first == last) {
    for (const auto& script : scripts_) roots.push_back(script.get());
  }
  return roots;
}

const StepScripts::Scripts& StepScripts::mentioned_in(const Script& script) const {
  const auto [known, is_new] = mentioned_.try_emplace(&script);
  if (!is_new) return known->second;
  const ScriptInputs& inputs = script.inputs(home_);  // of the library each is reached by its name only
  const bool any = inputs.any_hook || (inputs.own_directory && script.place() != Script::Place::library);
  const auto may_be_run = [&](const Script& other) {
    const std::string path = other.path().string();
    return other.place() == Script::Place::beside &&
           (any || std::any_of(inputs.hooks.begin(), inputs.hooks.end(), [&](const std::string& hooks) {
              return path.find(cat("/", hooks, "/")) != std::string::npos;
            }));
  };
  for (const auto& [name, other] : by_name_) {
    if (may_be_run(*other) || script.words().has(name)) known->second.push_back(other);
  }
  return known->second;
}

StepScripts::Scripts StepScripts::on_host(const fs::path& path) const {
  const auto [known, is_new] = on_host_.try_emplace(path.string());
  if (!is_new || is_of_system(path)) return known->second;
  std::size_t visited = 0;
  const std::function<void(const fs::path&)> add = [&, known = known](const fs::path& at) {
    if (++visited > k_most_host_files) return;
    if (is_script(files_, at)) {
      host_scripts_.push_back(
          std::make_unique<Script>(files_, at, at == path ? Script::Place::host : Script::Place::host_below));
      known->second.push_back(host_scripts_.back().get());
      return;
    }
    try {
      if (at != path && fs::is_symlink(fs::symlink_status(at))) return;
      for (const std::string& name : files_.list(at)) add(at / name);
    } catch (const Error&) {  // hooks can't read it either
    }
  };
  add(path);
  return known->second;
}

bool StepScripts::is_named(std::string_view variable) const {
  return std::any_of(scripts_.begin(), scripts_.end(), [&](const std::unique_ptr<Script>& script) {
    const bool is_environment = std::any_of(environment_.begin(), environment_.end(),
                                            [&](const auto& file) { return file.second == script.get(); });
    return !is_environment && script->words().names(variable);
  });
}

StepScripts::Scripts StepScripts::of(const Step* step, const HostPaths& host_paths, const Apart& apart) const {
  Scripts found;
  std::set<const Script*> seen;
  const auto add = [&](const Scripts& scripts) {
    for (const Script* script : scripts) {
      if (seen.insert(script).second) found.push_back(script);
    }
  };
  const auto add_mentioned = [&](const Script& by) {
    Scripts mentioned = mentioned_in(by);
    for (const auto& [name, script] : apart) {  // not by a path put together, whoever is `by`
      if (!by.words().has(name) && !by.words().has(stem_of(name))) std::erase(mentioned, script);
    }
    add(mentioned);
  };
  add(roots(step, apart));
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (found[i]->place() == Script::Place::host_below) continue;     // it may be data
    if (found[i]->words().has(k_bootstrap_packages)) add(packages_);  // conditions of the lists decide what it takes
    for (const fs::path& path : host_paths(*found[i])) add(on_host(path));
    apart.empty() ? add(mentioned_in(*found[i])) : add_mentioned(*found[i]);
  }
  return found;
}

}  // namespace hearth::builder
