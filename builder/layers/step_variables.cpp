#include "builder/layers/step_variables.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "base/error.hpp"
#include "base/text.hpp"
#include "base/variable.hpp"
#include "builder/layers/input_digest.hpp"
#include "builder/plan/builders_variables.hpp"

namespace hearth::builder {

namespace {

constexpr const char* k_distribution = "DISTRO_NAME";  // package steps look packages up by it

/// What hooks get whose scripts do not name these: the user is root there, homes are hidden, and there is no terminal.
constexpr std::array<std::pair<const char*, const char*>, 4> k_stand_ins = {
    {{"HOME", "/root"}, {"USER", "root"}, {"LOGNAME", "root"}, {"TERM", "dumb"}}};
/// Of Hearth's own steps, whoever's language the caller's is.
constexpr const char* k_stand_in_locale = "C.UTF-8";
/// Of a SOURCE_DATE_EPOCH that is set: 1980-01-01, which every format has. Times are settled when the tree is done.
constexpr const char* k_stand_in_epoch = "315532800";

bool is_of_builder_in(const std::string& text) {
  return std::any_of(k_handed_variables.begin(), k_handed_variables.end(),
                     [&](std::string_view name) { return names_variable(text, name); });
}

}  // namespace

StepVariables::StepVariables(const FileReader& files, const BuildPlan& plan, Setup setup)
    : files_(files),
      plan_(plan),
      setup_(std::move(setup)),
      scripts_(files, plan, setup_.libraries, variable(setup_.callers, "HOME")) {
  std::string names = variable(setup_.callers, "HEARTH_HOOK_VARIABLES");
  std::replace_if(
      names.begin(), names.end(), [](char c) { return c == ',' || c == ':'; }, ' ');
  for (const std::string& name : split_words(names)) passed_.insert(name);
}

void StepVariables::use_environment(std::function<Environment(Phase)> environment) {
  setup_.environment = std::move(environment);
  handed_.clear();
  environments_.clear();
  variable_names_.reset();
  files_apart_.reset();
  variables_in_.clear();
}

bool StepVariables::is_callers(const std::string& name, const std::string& value) const {
  if (is_of_builder(name)) return true;
  const auto given = setup_.callers.find(name);
  return given != setup_.callers.end() && given->second == value;
}

/// A name without a slash in front is looked for where hooks start.
std::vector<fs::path> StepVariables::paths_in(const std::string& name, const std::string& value, bool on_host) const {
  std::vector<fs::path> paths = input_paths(name, value);
  if (!paths.empty() || !on_host || value.empty() || value.size() > 255 || value.front() == '/' ||
      value.find_first_of("\n:") != std::string::npos || !is_callers(name, value) || is_of_session(name)) {
    return paths;
  }
  fs::path path = setup_.start_directory / value;
  if (!setup_.start_directory.empty() && is_there(path)) paths.push_back(std::move(path));
  return paths;
}

bool StepVariables::is_there(const fs::path& path) const try {
  return files_.status(path).has_value();
} catch (const Error&) {  // hooks can't look at it either
  return false;
}

bool StepVariables::is_file(const fs::path& path) const try {
  return is_regular_file(files_, path);
} catch (const Error&) {  // likewise
  return false;
}

/// What a script of the host means by a mere name: programs of the caller's in PATH (a directory there is none), and
/// files where hooks start. Of these a log is none, nor what could be any word.
const std::map<std::string, fs::path>& StepVariables::nameable() const {
  if (nameable_) return *nameable_;
  nameable_.emplace();
  const auto add = [&](const fs::path& directory, const auto& is_meant) {
    try {
      for (const std::string& name : files_.list(directory)) {
        if (is_meant(name) && is_file(directory / name)) nameable_->emplace(name, directory / name);
      }
    } catch (const Error&) {  // hooks can't look into it either
    }
  };
  const auto is_hidden = [&](const fs::path& directory) {  // as homes are, but for where the build is started
    const std::string home = variable(setup_.callers, "HOME");
    const bool is_started_in = !setup_.start_directory.empty() && holds(setup_.start_directory, directory);
    const bool is_in_home = !home.empty() && home != "/" && holds(home, directory);
    return !is_started_in && (is_in_home || holds("/root", directory) || holds("/home", directory));
  };
  for (const std::string& directory : split(variable(setup_.callers, "PATH"), ':')) {
    if (!directory.starts_with('/') || is_filled_by_packages(directory) || is_hidden(directory)) continue;
    add(directory, [](const auto&) { return true; });
  }
  if (setup_.start_directory.empty()) return *nameable_;
  add(setup_.start_directory,
      [](const std::string& name) { return name.find('.', 1) != std::string::npos && !name.ends_with(".log"); });
  return *nameable_;
}

/// As it was before the first hook ran: a scratch file in /tmp that a hook made is no input.
const std::vector<fs::path>& StepVariables::callers_files(const Script& script) const {
  const auto [known, is_new] = callers_files_.try_emplace(&script);
  std::vector<fs::path>& paths = known->second;
  if (!is_new) return paths;
  for (const auto& [name, path] : nameable()) {
    if (script.words().has(name)) paths.push_back(path);
  }
  const ScriptInputs& inputs = script.inputs(variable(setup_.callers, "HOME"));
  const auto add = [&](const fs::path& path) {
    if (is_there(path)) paths.push_back(path);
  };
  for (const std::string& path : inputs.temporary) add(path);
  for (const std::string& path : inputs.relative) {
    if (!setup_.start_directory.empty()) add(setup_.start_directory / path);
  }
  return paths;
}

std::vector<fs::path> StepVariables::named_by(const Script& script, const Environment& environment,
                                              bool on_host) const {
  std::vector<fs::path> paths;
  const ScriptInputs& inputs = script.inputs(variable(setup_.callers, "HOME"));
  if (on_host) {
    paths = callers_files(script);
    paths.insert(paths.end(), inputs.host.begin(), inputs.host.end());
  }
  for (const std::size_t index : variables_in(script)) {
    const auto found = environment.find(variable_names()[index]);
    if (found == environment.end()) continue;
    for (fs::path& path : paths_in(found->first, found->second, on_host)) paths.push_back(std::move(path));
  }
  return paths;
}

const Environment& StepVariables::environment_of(Phase phase) const {
  const auto [known, is_new] = environments_.try_emplace(phase);
  if (is_new) known->second = setup_.environment(phase);
  return known->second;
}

const std::vector<std::string>& StepVariables::variable_names() const {
  if (variable_names_) return *variable_names_;
  std::set<std::string> names;
  for (const PhaseInfo& each : k_phases) {
    for (const auto& [name, value] : environment_of(each.phase)) names.insert(name);
  }
  for (const auto& [name, file] : files_apart()) {
    for (const Assignment& each : file.sets) names.insert(each.variable);
  }
  return variable_names_.emplace(names.begin(), names.end());
}

/// Many steps run the same scripts, so each is looked through once.
const std::vector<std::size_t>& StepVariables::variables_in(const Script& script) const {
  const auto [known, is_new] = variables_in_.try_emplace(&script);
  if (!is_new) return known->second;
  const std::vector<std::string>& names = variable_names();
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (script.words().names(names[i])) known->second.push_back(i);
  }
  return known->second;
}

Mentions StepVariables::mentions_of(const Scripts& scripts) const {
  Mentions mentions;
  std::vector<bool> is_named(variable_names().size());
  for (const Script* script : scripts) {
    for (const std::size_t index : variables_in(*script)) is_named[index] = true;
    mentions.lists_variables = mentions.lists_variables || script->words().lists_variables();
  }
  for (std::size_t i = 0; i < is_named.size(); ++i) {
    if (is_named[i]) mentions.names.insert(variable_names()[i]);
  }
  return mentions;
}

const StepVariables::Handed& StepVariables::handed(Phase phase, const Step* step) const {
  const std::string name =
      step == nullptr ? directory_name(phase) : cat(step->label(), " ", static_cast<int>(step->kind));
  const auto [known, is_new] = handed_.try_emplace(name);
  if (!is_new) return known->second;
  const Environment& all = environment_of(phase);
  Handed& seen = known->second;
  const bool is_hearths = step != nullptr && (step->kind != Step::Kind::hook || is_of_hearth(step->element));
  for (const auto& [file, apart] : files_apart()) {
    if (is_hearths || (step != nullptr && apart.is_of_image)) seen.apart.emplace(file, apart.script);
  }
  std::size_t before = 0;
  do {
    before = seen.apart.size();
    seen.scripts = scripts_.of(
        step, [&](const Script& script) { return named_by(script, all, runs_on_host(phase)); }, seen.apart);
    seen.mentions = mentions_of(seen.scripts);
    seen.mentions.is_hearths = is_hearths;
    std::erase_if(seen.apart, [&](const auto& file) { return counts_in(files_apart().at(file.first), seen); });
  } while (seen.apart.size() != before);
  add_excerpts(seen);
  seen.environment = choose(all, seen.mentions);
  if (is_hearths && runs_on_host(phase)) leave_needed_path(seen);
  return seen;
}

/// Names in a directory of PATH; nothing where nobody may list them, though programs there may be run.
const std::optional<std::set<std::string>>& StepVariables::programs_in(const std::string& directory) const {
  const auto [known, is_new] = programs_.try_emplace(directory);
  if (is_new) {
    try {
      const auto names = files_.list(directory);
      known->second.emplace(names.begin(), names.end());
    } catch (const Error&) {  // it is not looked at again
    }
  }
  return known->second;
}

/// Hearth's own steps have of the caller's own directories in PATH those that hold a program which a text or a variable
/// of the step names, which the system has, too, or which git finds by itself. So what else somebody has installed does
/// not matter, and what another program leads to does.
void StepVariables::leave_needed_path(Handed& seen) const {
  const auto path = seen.environment.find("PATH");
  if (path == seen.environment.end() || passed_.count("PATH") > 0 || passed_.count("*") > 0) return;
  const std::vector<std::string> own = split(variable(setup_.callers, "PATH"), ':');
  std::string values;
  for (const auto& [name, value] : seen.environment) {
    if (name != "PATH") values += cat(value, "\n");
  }
  const ScriptWords given(std::move(values));
  std::vector<std::string> directories = split(path->second, ':');
  std::vector<std::string> systems = directories;
  std::erase_if(systems, [](const std::string& directory) { return !is_systems_for_programs(directory); });
  const auto is_needed = [&](const std::string& program) {
    return program.starts_with("git-") || given.has(program) ||
           std::any_of(systems.begin(), systems.end(),
                       [&](const std::string& each) {
                         const auto& programs = programs_in(each);
                         return programs && programs->count(program) > 0;
                       }) ||
           std::any_of(seen.scripts.begin(), seen.scripts.end(),
                       [&](const Script* script) { return script->words().has(program); });
  };
  std::erase_if(directories, [&](const std::string& directory) {
    const bool is_own = directory.starts_with('/') && !is_systems_for_programs(directory) &&
                        std::find(own.begin(), own.end(), directory) != own.end();
    if (!is_own) return false;
    const auto& programs = programs_in(directory);
    return programs && std::none_of(programs->begin(), programs->end(), [&](const std::string& program) {
             return is_needed(program) && is_file(fs::path(directory) / program);
           });
  });
  path->second = join(directories, ":");
}

bool StepVariables::is_of_hearth(const std::string& element) const {
  return std::any_of(plan_.elements.elements.begin(), plan_.elements.elements.end(),
                     [&](const Element& each) { return each.name == element && each.built_in; });
}

/// A variable that hooks name is read by those that do. One that nobody names is for programs, which a package may
/// bring (WAZUH_MANAGER), and so is what others read by themselves, or what the builder itself sets; but DIB_… are
/// elements' own, and such a one that nobody names yet is read by nobody of Hearth's.
bool StepVariables::is_for_scripts(const std::string& variable) const {
  const bool is_for_programs = always_counts(variable) && !may_be_an_elements(variable);
  if (is_for_programs || is_of_session(variable) || is_of_builder(variable) || never_counts(variable) ||
      variable == k_distribution || passed_.count(variable) > 0 || passed_.count("*") > 0)
    return false;
  for (const PhaseInfo& each : k_phases) {
    const Environment& all = environment_of(each.phase);
    if (const auto set = all.find(variable); set != all.end() && !is_callers(variable, set->second)) return false;
  }
  return may_be_an_elements(variable) || scripts_.is_named(variable);
}

/// Files of environment.d that only set variables for scripts, and Hearth's that besides refuse what can't be. Hearth's
/// own steps, whose scripts name what they read, see nothing of those that set nothing they name; anybody's steps may
/// run programs which read what no script says, and so may anybody's files of environment.d: where one of these does
/// more than to set variables, there are none. What Hearth's make of the image's name is no program's: it is left out
/// of anybody's steps, too, that do not name it.
const std::map<std::string, StepVariables::FileApart>& StepVariables::files_apart() const {
  if (files_apart_) return *files_apart_;
  files_apart_.emplace();
  std::map<std::string, FileApart> files;
  for (const auto& [name, script] : scripts_.environment()) {
    const std::string& text = script->words().text();
    auto sets = plainly_set(text);
    const bool is_own = is_of_hearth(plan_.hooks.directory(k_environment_directory).at(name).element);
    if (!sets && !is_own) return *files_apart_;
    const bool is_plain = sets.has_value();
    if (const auto variables = is_plain ? std::nullopt : set_with_checks(text)) {
      sets.emplace();
      for (const std::string& variable : *variables) sets->push_back({variable, text});
    }
    const bool is_apart = sets && std::all_of(sets->begin(), sets->end(),
                                              [this](const auto& each) { return is_for_scripts(each.variable); });
    if (!is_apart) continue;
    const bool is_of_image = is_own && is_plain && std::any_of(sets->begin(), sets->end(), [](const Assignment& each) {
                               return is_of_builder_in(each.text);
                             });
    files.emplace(name, FileApart{script, std::move(*sets), is_of_image});
  }
  return *(files_apart_ = std::move(files));
}

bool StepVariables::counts_in(const FileApart& file, const Handed& seen) {
  return std::any_of(seen.scripts.begin(), seen.scripts.end(), [&](const Script* script) {
    return script == file.script || script->words().has(k_environment_directory);
  });
}

/// Of a file that sets several variables a step may depend on one: a condition of a package, and the bootstrap on that.
/// Neither the others are its inputs nor what the file says of them; but whatever the one is made of.
void StepVariables::add_excerpts(Handed& seen) const {
  std::set<const Assignment*> counted;
  // Who lists variables is not told what differs between images of the same steps, nor what is made of that.
  const auto matters = [&](const FileApart& apart, const std::string& name) {
    const bool is_named = seen.mentions.names.count(name) > 0 || passed_.count(name) > 0;
    return apart.is_of_image ? is_named : counts(name, seen.mentions, passed_);
  };
  for (bool has_more = true; has_more;) {
    has_more = false;
    for (const auto& [file, script] : seen.apart) {
      for (const Assignment& each : files_apart().at(file).sets) {
        if (!matters(files_apart().at(file), each.variable) || !counted.insert(&each).second) continue;
        has_more = true;
        const ScriptWords words(each.text, ScriptWords::Kind::script);
        for (const std::string& name : variable_names()) {
          if (words.has(name)) seen.mentions.names.insert(name);
        }
      }
    }
  }
  for (const auto& [file, script] : seen.apart) {
    std::set<std::string_view> texts;  // of a file with checks all is each one's
    for (const Assignment& each : files_apart().at(file).sets) {
      if (counted.count(&each) == 0) seen.withheld.insert(each.variable);
      if (counted.count(&each) > 0 && texts.insert(each.text).second) seen.excerpts[file] += cat(each.text, "\n");
    }
  }
}

Environment StepVariables::choose(const Environment& all, const Mentions& mentions) const {
  Environment chosen;
  const bool shows_home = setup_.callers.count(k_host_files_variable) > 0;
  for (const auto& [name, value] : all) {
    if (value.empty() && is_proxy(name)) continue;  // as if it were not set
    const bool is_free = !is_callers(name, value) || never_counts(name) || (shows_home && name == "HOME");
    if (is_free || counts(name, mentions, passed_)) chosen.emplace(name, value);
  }
  for (const auto& [name, value] : k_stand_ins) chosen.emplace(name, value);
  if (mentions.is_hearths) {
    chosen.emplace("LANG", k_stand_in_locale);
    chosen.emplace("LC_ALL", "C");  // as the builder sets it for all, whether the caller did so or not
  }
  if (all.count(k_epoch_variable) > 0) chosen.emplace(k_epoch_variable, k_stand_in_epoch);
  return chosen;
}

std::set<std::string> StepVariables::counted() const {
  std::set<std::string> names;
  for (const Step& step : plan_.steps) {
    const Handed& seen = handed(step.phase, &step);
    for (const auto& [name, value] : seen.environment) {
      const bool is_given = !is_of_builder(name) && is_callers(name, value);
      if (is_given && counts(name, seen.mentions, passed_)) names.insert(name);
    }
  }
  return names;
}

bool StepVariables::is_set(const std::string& variable) const {
  const std::vector<std::string>& names = variable_names();
  return setup_.callers.count(variable) > 0 || std::binary_search(names.begin(), names.end(), variable);
}

std::string StepVariables::place_naming(const Step& step, const std::string& variable) const {
  const Handed& seen = handed(step.phase, &step);
  Scripts scripts = seen.scripts;
  for (const auto& [file, script] : seen.apart) scripts.push_back(script);
  for (const Script* script : scripts) {
    if (!script->words().names(variable)) continue;
    const std::size_t line = script->words().line_naming(variable);
    return cat("named in ", script->path().string(), line == 0 ? "" : cat(":", line));
  }
  if (always_counts(variable)) return "";
  for (const Script* script : scripts) {
    if (script->words().lists_variables()) return cat(script->path().string(), " asks for all variables");
  }
  return "";
}

}  // namespace hearth::builder
