#include "builder/layers/fact_source.hpp"

#include <algorithm>
#include <array>
#include <iterator>

#include "base/error.hpp"
#include "base/json.hpp"
#include "base/text.hpp"
#include "base/variable.hpp"
#include "builder/layers/package_facts.hpp"
#include "builder/layers/script_inputs.hpp"
#include "builder/layers/shown_files.hpp"

namespace hearth::builder {

namespace {

/// In the place of a digest: the directory changes with each build.
constexpr const char* k_written = "written";
/// More files of a step that nothing names are no list of inputs that anybody wants to compare.
constexpr std::size_t k_most_unnamed = 256;
constexpr std::size_t k_most_asked = 2048;
/// Files that hooks find beside them, one by one; of more it counts only which they are.
constexpr std::size_t k_most_names = 256;

/// Variables whose mention makes a step depend on every element's files.
constexpr std::array<const char*, 3> k_element_words = {"IMAGE_ELEMENT_YAML", "get_image_element_array",
                                                        "ELEMENTS_PATH"};

constexpr const char* k_all_elements = "elements all";

/// Of a directory that was only listed. As it is now: others may have changed it while the build ran.
std::string names_in(const fs::path& directory) { return fact_digest(join(RealFileSystem().list(directory), "\n")); }

}  // namespace

std::optional<std::string> unkeepable(const Facts& facts) {
  for (const auto& [fact, digest] : facts) {
    if (fact_kind(fact) == "unseen") return fact_name(fact);
    if (digest == k_written)
      return cat(fact_kind(fact) == "file" ? "what the variable " : "", fact_name(fact),
                 fact_kind(fact) == "file" ? " names" : "", " holds the build's own output or cache");
  }
  return std::nullopt;
}

FactSource::FactSource(const FileReader& files, const BuildPlan& plan, FactSetup setup)
    : files_(files),
      plan_(plan),
      beside_(files_beside_hooks(plan)),
      setup_(std::move(setup)),
      variables_(files, plan,
                 {.environment = setup_.environment,
                  .callers = setup_.callers,
                  .libraries = setup_.libraries,
                  .start_directory = setup_.start_directory}),
      digests_(files, setup_.memory, setup_.is_nobodys) {
  for (fs::path& path : setup_.written) path = fs::weakly_canonical(path);
  for (fs::path& path : setup_.emptied) path = fs::weakly_canonical(path);
  if (!setup_.downloads.empty()) setup_.downloads = fs::weakly_canonical(setup_.downloads);
}

Step FactSource::step_of(const std::string& label) const {
  for (const Step& step : plan_.steps) {
    if (step.label() == label) return step;
  }
  const std::size_t end = label.find(".d/");
  const std::string phase = label.substr(0, end);
  return {parse_phase(phase).value_or(Phase::root), Step::Kind::hook,
          end == std::string::npos ? label : label.substr(end + 3), ""};
}

void FactSource::prepare() const {
  if (setup_.is_nobodys) (void)setup_.is_nobodys("/etc/passwd");  // in the sandbox nobody could find it out any more
  for (const auto& [directory, entries] : plan_.hooks.directories()) {
    for (const auto& [name, entry] : entries) {
      if (!entry.is_directory) (void)hook_digest(cat(directory, "/", name));
    }
  }
  for (const Step& step : plan_.steps) (void)of_step(step, {});
  note_listings("");
  (void)hook_links();
  Facts elements;
  add_elements(elements);
  digests_.save();
}

std::string FactSource::changed_element() const {
  const RealFileSystem files;
  InputDigests now(files, setup_.memory);
  for (const Element& element : plan_.elements.elements) {
    if (now.path(element.path) != digests_.path(element.path)) return element.name;
  }
  return "";
}

std::string FactSource::hook_digest(const std::string& path) const {
  if (const auto made = beside_.find(path); made != beside_.end()) return fact_digest(made->second);
  std::string text;
  for (const fs::path& source : plan_.hooks.sources(path)) {
    if (digests_.path(source) != k_no_file) text += cat(element_digest(source), "\n");
  }
  return text.empty() ? k_no_file : fact_digest(text);
}

std::vector<std::string> FactSource::hook_names(const std::string& directory) const {
  std::set<std::string> names;
  if (directory.empty()) {
    for (const auto& [name, entries] : plan_.hooks.directories()) names.insert(name);
    for (const fs::path& file : plan_.hooks.top_files()) names.insert(file.filename().string());
  } else if (directory.find('/') == std::string::npos) {
    for (const auto& [name, entry] : plan_.hooks.directory(directory)) names.insert(name.substr(0, name.find('/')));
  } else {
    for (const fs::path& source : plan_.hooks.sources(directory)) try {
        for (const std::string& name : files_.list(source)) names.insert(name);
      } catch (const Error&) {  // element_facts() tells of it, before the first hook
      }
  }
  return {names.begin(), names.end()};
}

std::vector<std::string> FactSource::names_seen_by(const Step& step, const std::string& directory) const {
  std::vector<std::string> names = hook_names(directory);
  if (directory == k_environment_directory)
    std::erase_if(names,
                  [&](const std::string& name) { return variables_.handed(step.phase, &step).apart.count(name) > 0; });
  return names;
}

/// What `ls -l` tells of the names in a directory. Scripts of phases and of environment.d, of which most edits are,
/// count by their contents where they are run. Of the others as prepare() saw it: an edit meanwhile is the next
/// build's.
std::string FactSource::listing_digest(const Step& step, const std::string& directory) const {
  if (is_of_scripts(directory)) return fact_digest(join(names_seen_by(step, directory), "\n"));
  const auto [known, is_new] = listings_.try_emplace(directory);
  if (!is_new) return known->second;
  std::string text;
  for (const std::string& name : hook_names(directory))
    text +=
        cat(name, look_of_entry(hook_entry(plan_.hooks, directory.empty() ? name : cat(directory, "/", name))), "\n");
  return known->second = fact_digest(text);
}

/// Of all directories beside the phases.
void FactSource::note_listings(const std::string& directory) const {
  if (is_of_scripts(directory)) return;
  (void)listing_digest({}, directory);
  for (const std::string& name : hook_names(directory)) {
    const std::string path = directory.empty() ? name : cat(directory, "/", name);
    const fs::path entry = hook_entry(plan_.hooks, path);
    boost::system::error_code failed;
    const bool is_below =
        directory.empty() ? plan_.hooks.directories().count(name) > 0 : fs::is_directory(entry, failed);
    if (is_below && !is_link(entry)) note_listings(path);
  }
}

const std::map<std::string, HookLink>& FactSource::hook_links() const {
  if (!hook_links_)
    hook_links_ = links_among(plan_.hooks, [this](const std::string& path) { return hook_names(path); });
  return *hook_links_;
}

/// A link that a step went through to what it read counts; of one that leads elsewhere nobody was told.
void FactSource::add_links(const Step& step, Facts& facts) const {
  if (hook_links().empty()) return;
  std::vector<std::string> read;
  for (const auto& [fact, digest] : facts) {
    const std::string path = fact_name(fact);
    const bool is_of_hooks = fact_kind(fact) == "hook" || fact_kind(fact) == "list";
    if (is_of_hooks && path != step.label() && !is_of_scripts(path.substr(0, path.find('/')))) read.push_back(path);
  }
  if (read.empty()) return;
  for (const auto& [path, link] : hook_links()) {
    const bool counts = link.to.empty() || std::any_of(read.begin(), read.end(),
                                                       [&, to = link.to](const auto& each) { return holds(to, each); });
    if (counts) facts[cat("link ", path)] = fact_digest(link.text);
  }
}

const std::string& FactSource::elements_digest() const {
  const auto [known, is_new] = known_.try_emplace("elements");
  if (is_new) {
    std::string text;
    for (const Element& element : plan_.elements.elements) {
      text += cat(element.name, " ", digests_.path(element.path), "\n");
    }
    known->second = fact_digest(text);
  }
  return known->second;
}

std::map<std::string, std::string> FactSource::digests_of_elements() const {
  std::map<std::string, std::string> digests;
  for (const Element& element : plan_.elements.elements) digests[element.name] = digests_.path(element.path);
  return digests;
}

void FactSource::add_elements(Facts& facts) const {
  if (!facts.emplace(k_all_elements, elements_digest()).second) return;
  for (const Element& element : plan_.elements.elements) {
    for (const std::string& name : files_.list(element.path))
      facts.emplace(cat("element ", element.name, "/", name), digests_.path(element.path / name));
  }
}

/// A link's own text, too: a hook may copy the link, wherever it leads.
std::string FactSource::element_digest(const fs::path& path) const {
  boost::system::error_code none;
  const fs::path target = fs::read_symlink(path, none);
  return none ? digests_.path(path) : fact_digest(cat(digests_.path(path), " -> ", target.string()));
}

/// Of each element, where it lies without links; empty for one that is gone.
const std::vector<fs::path>& FactSource::real_places() const {
  if (real_places_.empty()) {
    for (const Element& element : plan_.elements.elements) {
      boost::system::error_code failed;
      real_places_.push_back(fs::canonical(element.path, failed));
    }
  }
  return real_places_;
}

/// What a step was seen to read of elements, by whatever path it came there. Of a directory that it listed all counts;
/// from one that holds elements it may have asked for any file of theirs without anybody being told.
void FactSource::add_element_reads(const Reads& reads, Facts& facts) const {
  const bool has_listed = std::any_of(reads.machine.begin(), reads.machine.end(), [this](const auto& read) {
    return read.first != setup_.start_directory && holds_elements(read.first);  // interpreters list that one
  });
  if (has_listed || reads.everything) return add_elements(facts);
  std::set<fs::path> paths(reads.shown.begin(), reads.shown.end());
  for (const auto& [path, stamp] : reads.machine) paths.insert(path);
  for (const auto& [path, look] : reads.asked) paths.insert(path);
  if (paths.empty()) return;
  for (std::size_t i = 0; i < plan_.elements.elements.size(); ++i) {
    const Element& element = plan_.elements.elements[i];
    const fs::path& real = real_places()[i];
    for (const fs::path& path : paths) {
      const fs::path shown = setup_.shown_elements.empty() ? fs::path() : setup_.shown_elements / element.name;
      const bool is_shown = !shown.empty() && element.built_in && holds(shown, path);
      const fs::path& place = is_shown ? shown : holds(element.path, path) ? element.path : real;
      if (place.empty() || !holds(place, path)) continue;
      const fs::path inner = path.lexically_relative(place);
      const bool is_whole = inner.empty() || inner == ".";
      facts.emplace(is_whole ? cat("element ", element.name) : cat("element ", element.name, "/", inner.string()),
                    is_whole ? digests_.path(element.path) : element_digest(element.path / inner));
    }
  }
}

/// Everything that could change what a phase installs: the entries of all elements, and the maps of names.
void FactSource::add_packages(const std::string& phase, Facts& facts) const {
  if (phase == "-p") {
    for (const std::string& name : setup_.packages) facts[cat("package -p ", name)] = "-";
    return;
  }
  if (!packages_) packages_ = package_facts(files_, plan_);
  facts.insert(packages_->begin(), packages_->end());
}

/// Of what the merged hooks hold below a directory: which files there are, and what `test` tells of them. Empty: of all
/// beside the scripts of phases.
void FactSource::add_names(const std::string& directory, Facts& facts) const {
  const auto [known, is_new] = names_.try_emplace(directory);
  if (is_new) {
    const std::function<void(const std::string&)> add = [&, all = &known->second](const std::string& path) {
      const fs::path entry = hook_entry(plan_.hooks, path);
      const std::vector<std::string> names = is_link(entry) ? std::vector<std::string>() : hook_names(path);
      const std::string told = told_of_entry(entry);
      if (names.empty()) (*all)[cat("beside ", path)] = told.empty() ? "-" : fact_digest(told);
      for (const std::string& name : names) add(cat(path, "/", name));
    };
    for (const std::string& name : hook_names("")) {
      const bool is_phase = is_of_scripts(name) && name != k_environment_directory;
      if (directory.empty() ? !is_phase : name == directory) add(name);
    }
  }
  if (known->second.size() <= k_most_names) {
    facts.insert(known->second.begin(), known->second.end());
    return;
  }
  std::string text;
  for (const auto& [name, told] : known->second) text += cat(name, " ", told, "\n");
  facts[cat("names ", directory.empty() ? "hooks" : directory)] = fact_digest(text);
}

std::string FactSource::host_digest_of(const fs::path& path) const {
  named_.insert(path.string());
  const auto [known, is_new] = host_digests_.try_emplace(path.string());
  if (!is_new) return known->second;
  boost::system::error_code failed;
  const fs::path real = fs::weakly_canonical(path, failed);
  const bool changes = !failed && std::any_of(setup_.written.begin(), setup_.written.end(),
                                              [&](const fs::path& written) { return holds(real, written); });
  return known->second = changes ? k_written : digests_.host(path);
}

/// At or below a place that the step has a copy at.
bool FactSource::is_copy(const fs::path& path) const {
  if (copies_.empty()) return false;
  boost::system::error_code failed;
  const fs::path real = fs::weakly_canonical(path, failed);
  return !failed && std::any_of(copies_.begin(), copies_.end(), [&](const auto& copy) { return holds(copy, real); });
}

void FactSource::add_host(const std::string& path, Facts& facts) const {
  if (is_copy(path)) return;
  const std::string digest = host_digest_of(path);
  facts[cat("host ", path)] = digest == k_written ? digest : file_digest(setup_.key, path, digest);
}

/// A file that somebody, or an earlier build, left where hooks keep theirs. The names there change with each build.
bool FactSource::is_download(const fs::path& path) const {
  boost::system::error_code failed;
  const fs::path real = fs::weakly_canonical(path, failed);
  return !setup_.downloads.empty() && !failed && holds(setup_.downloads, real) && !fs::is_directory(real, failed);
}

/// Below these whatever a step reads is in the facts already: what a script or variable of it names, links in its path
/// or not, and the elements, whose files count by other facts.
std::vector<fs::path> FactSource::places_that_count() const {
  const auto add = [](const fs::path& place, fs::path real, std::vector<fs::path>& places) {
    places.push_back(place);
    if (!real.empty() && real != place) places.push_back(std::move(real));
  };
  if (element_places_.empty()) {
    for (std::size_t i = 0; i < plan_.elements.elements.size(); ++i)
      add(plan_.elements.elements[i].path, real_places()[i], element_places_);
  }
  std::vector<fs::path> places = element_places_;
  for (const std::string& path : named_) {
    boost::system::error_code failed;
    add(path, fs::canonical(path, failed), places);
  }
  return places;
}

bool FactSource::holds_elements(const fs::path& directory) const {
  return directory == setup_.shown_elements ||
         std::any_of(plan_.elements.elements.begin(), plan_.elements.elements.end(),
                     [&](const Element& element) { return element.path.parent_path() == directory; });
}

/// Without them there would be no build: where it starts, reads its elements and writes.
bool FactSource::must_be_there(const fs::path& path) const {
  const auto is_in_it = [&](const fs::path& place) { return holds(path, place); };
  return is_in_it(setup_.start_directory) || std::any_of(setup_.written.begin(), setup_.written.end(), is_in_it) ||
         std::any_of(plan_.elements.elements.begin(), plan_.elements.elements.end(),
                     [&](const Element& element) { return is_in_it(element.path); });
}

/// What was seen to be read or asked for and nothing names: a path that a script or a program put together.
void FactSource::add_unnamed(const Reads& reads, Facts& facts) const {
  if (reads.machine.empty() && reads.asked.empty() && reads.shown.empty()) return;
  const std::vector<fs::path> places = places_that_count();
  const auto is_in_one_of = [](const std::vector<fs::path>& all, const fs::path& path) {
    return std::any_of(all.begin(), all.end(), [&](const fs::path& place) { return holds(place, path); });
  };
  const auto counts_otherwise = [&](const fs::path& path) {
    return is_filled_by_packages(path) || is_in_one_of(places, path);
  };
  const auto is_builders = [&](const fs::path& path) {
    return !is_download(path) && is_in_one_of(setup_.written, path);
  };
  for (const std::string& path : reads.shown) {
    if (counts_otherwise(path) || is_in_one_of(setup_.emptied, path)) continue;
    if (!setup_.downloads.empty() && holds(setup_.downloads, path)) {  // pip's cache, say
      const std::string digest = host_digest_of(path);
      facts[cat("shown ", path)] = digest == k_written ? digest : file_digest(setup_.key, path, digest);
      continue;
    }
    facts[cat("unseen it mounted ", path, " somewhere else, or made it a root: nobody could tell what it read of it")] =
        "-";
  }
  std::set<std::string> unnamed;
  for (const auto& [path, stamp] : reads.machine) {
    boost::system::error_code failed;
    const bool is_start = path == setup_.start_directory && fs::is_directory(path, failed);  // interpreters list it
    const bool is_ours = path == setup_.shown_elements;
    if (!is_start && !is_builders(path) && !is_ours && !counts_otherwise(path)) unnamed.insert(path);
  }
  std::map<std::string, std::string> asked;
  for (const auto& [path, look] : reads.asked) {
    const bool is_hidden = setup_.is_hidden && setup_.is_hidden(path);
    if (is_hidden || unnamed.count(path) > 0 || must_be_there(path) || is_builders(path)) continue;
    if (!counts_otherwise(path)) asked.emplace(path, look);
  }
  if (unnamed.size() > k_most_unnamed || asked.size() > k_most_asked) {
    const bool has_read = unnamed.size() > k_most_unnamed;
    facts[cat("unseen it ", has_read ? "read" : "asked for", " more than ", has_read ? k_most_unnamed : k_most_asked,
              " files of this machine that neither a script nor a variable names, ",
              has_read ? *unnamed.begin() : asked.begin()->first, " first")] = "-";
    return;
  }
  for (const std::string& path : unnamed) {
    boost::system::error_code failed;
    const std::string digest = fs::is_directory(path, failed) ? names_in(path) : digests_.host(path);
    facts[cat("read ", path)] = file_digest(setup_.key, path, digest);
  }
  for (const auto& [path, look] : asked) facts[cat("asked ", path)] = file_digest(setup_.key, path, fact_digest(look));
}

const std::vector<FactSource::HookText>& FactSource::hook_texts(const std::string& path) const {
  const auto [known, is_new] = hook_texts_.try_emplace(path);
  if (!is_new) return known->second;
  for (const fs::path& source : plan_.hooks.sources(path)) {
    const std::optional<FileStatus> status = files_.status(source);
    if (!status || status->type != FileStatus::Type::regular) continue;
    const std::string text = files_.read(source).value_or("");
    known->second.push_back(
        {.inputs = inputs_in(text, variable(setup_.callers, "HOME")),
         .names_elements = std::any_of(k_element_words.begin(), k_element_words.end(),
                                       [&](const char* word) { return text.find(word) != std::string::npos; }),
         .names_bootstrap = text.find(k_bootstrap_packages) != std::string::npos});
  }
  return known->second;
}

/// Absolute paths of all elements' files of this name.
const std::vector<std::string>& FactSource::host_files() const {
  if (host_files_) return *host_files_;
  host_files_.emplace();
  for (const Element& element : plan_.elements.elements) {
    for (const std::string& line : split_lines(files_.read(element.path / "host-files").value_or(""))) {
      const std::string path(trim(line));
      if (path.starts_with('/')) host_files_->push_back(path);
      if (path.starts_with("~/")) host_files_->push_back(cat(variable(setup_.callers, "HOME"), path.substr(1)));
    }
  }
  return *host_files_;
}

/// What its scripts and what it read say of inputs: files beside the hooks, of the machine, all elements' files.
void FactSource::add_texts(const Step& step, const Reads& reads, Facts& facts) const {
  const std::string home = variable(setup_.callers, "HOME");
  std::vector<std::string> paths(reads.files.begin(), reads.files.end());
  for (const auto& [name, file] : variables_.handed(step.phase, &step).apart)
    std::erase(paths, cat(k_environment_directory, "/",
                          name));  // the shell that sources all of them is a step's first program
  for (const std::string& name : names_seen_by(step, k_environment_directory))
    paths.push_back(cat(k_environment_directory, "/", name));
  if (step.kind == Step::Kind::hook) paths.push_back(step.label());
  const auto add_inputs = [&](const ScriptInputs& inputs, bool is_deep = false) {
    paths.insert(paths.end(), inputs.hooks.begin(), inputs.hooks.end());
    if (inputs.any_hook || inputs.own_directory || (inputs.own_hooks && is_deep)) add_names("", facts);
    for (const std::string& path : inputs.hooks) {
      if (path.find('/') == std::string::npos) add_names(path, facts);
    }
    for (const std::string& path : inputs.host) {
      if (runs_on_host(step.phase)) add_host(path, facts);
    }
  };
  for (std::size_t i = 0; i < paths.size(); ++i) {
    const std::string path = paths[i];
    if (!facts.emplace(cat("hook ", path), hook_digest(path)).second) continue;
    for (const HookText& text : hook_texts(path)) {
      add_inputs(text.inputs, std::count(path.begin(), path.end(), '/') > 1);
      if (text.names_elements && !reads.tells_elements) add_elements(facts);
      if (!text.names_bootstrap) continue;
      for (const char* phase : {"install.d", "-p"}) add_packages(phase, facts);
    }
  }
  for (const auto& [name, text] : variables_.handed(step.phase, &step).excerpts) {
    facts[cat("hook ", k_environment_directory, "/", name)] = fact_digest(text);
    add_inputs(inputs_in(text, home));
  }
  for (const StepScripts::Script* script : variables_.handed(step.phase, &step).scripts) {
    if (script->place() == StepScripts::Script::Place::host) add_inputs(script->inputs(home));
    if (!runs_on_host(step.phase) || script->place() == StepScripts::Script::Place::host_below) continue;
    for (const fs::path& path : variables_.callers_files(*script)) add_host(path.string(), facts);
  }
}

/// Many steps see the same ones.
const std::string& FactSource::digest_of_variable(const std::string& name, const std::string& value) const {
  const auto [known, is_new] = variable_digests_.try_emplace({name, value});
  if (is_new) known->second = variable_digest(setup_.key, name, value);
  return known->second;
}

/// Where a step read nothing beside the elements of the build, it counts which there are, and what it read of them by
/// other facts, but not where they lie: a colleague's copy of the tree is as good.
void FactSource::forget_places(const Reads& reads, Facts& facts) const {
  const auto is_beside = [this](const fs::path& path) {
    return !is_of_element(path) &&
           std::any_of(plan_.elements.elements.begin(), plan_.elements.elements.end(), [&](const Element& element) {
             const fs::path parent = element.path.parent_path();
             return path != parent && holds(parent, path);
           });
  };
  const bool has_read =
      std::any_of(reads.machine.begin(), reads.machine.end(),
                  [&](const auto& read) { return is_beside(read.first); }) ||
      std::any_of(reads.asked.begin(), reads.asked.end(), [&](const auto& asked) { return is_beside(asked.first); }) ||
      std::any_of(reads.shown.begin(), reads.shown.end(), [&](const std::string& path) { return is_beside(path); });
  if (!reads.tells_elements || has_read) return;
  for (const char* name : {"BASH_FUNC_get_image_element_array%%", "IMAGE_ELEMENT_YAML", "ELEMENTS_PATH"}) {
    if (const auto found = facts.find(cat("env ", name)); found != facts.end())
      found->second = fact_digest(join(plan_.elements.names(), " "));
  }
}

/// Variables that it sees, and what of the machine those name.
void FactSource::add_variables(const Step& step, const Reads& reads, Facts& facts) const {
  const StepVariables::Handed& seen = variables_.handed(step.phase, &step);
  const bool on_host = runs_on_host(step.phase);
  facts.merge(environment_facts(
      seen.environment, seen.mentions, variables_.passed(),
      [this](const std::string& name, const std::string& value) { return digest_of_variable(name, value); }));
  if (const std::string epoch = variable(seen.environment, k_epoch_variable); !epoch.empty())
    facts.emplace(cat("env ", k_epoch_variable), fact_digest(epoch));
  const auto add_paths = [&](const std::string& name, const std::string& value, bool where_reached) {
    std::string digest;
    const std::vector<fs::path> paths = variables_.paths_in(name, value, on_host);
    const auto is_reached = [&](const fs::path& path) {
      return may_be_a_programs(path, setup_.callers) || came_to(reads, path, setup_.start_directory);
    };
    if (where_reached && reads.reached.count(name) == 0 && std::none_of(paths.begin(), paths.end(), is_reached)) return;
    for (const fs::path& path : paths) {
      if (is_copy(path)) continue;
      const std::string one = host_digest_of(path);
      digest = digest.empty() || one == k_written ? one : digest == k_written ? digest : fact_digest(cat(digest, one));
    }
    if (!digest.empty())
      facts[cat("file ", name)] = digest == k_written ? digest : file_digest(setup_.key, name, digest);
  };
  for (const auto& [name, value] : seen.environment) {
    const bool is_named = seen.mentions.names.count(name) > 0;
    const bool is_read_unnamed =
        always_counts(name) || variables_.passed().count(name) > 0;  // of one that is only listed the value
    const bool where_reached = !is_named && may_be_an_elements(name) && may_read_unseen(step);
    if (is_named || (on_host && is_read_unnamed && variables_.is_callers(name, value)))
      add_paths(name, value, where_reached);
  }
}

bool FactSource::may_read_unseen(const Step& step) const {
  const Element* const element = plan_.elements.find(step.element);
  const bool is_others = element == nullptr || !element->built_in;
  return step.kind == Step::Kind::hook && runs_on_host(step.phase) && (is_others || step.phase == Phase::extra_data);
}

/// What HEARTH_HOST_FILES and files host-files show to hooks: a watched step has those that it came to, and which there
/// are; any other, of which no text names one, what programs find by themselves.
void FactSource::add_shown(const Step& step, const Reads& reads, Facts& facts) const {
  if (!runs_on_host(step.phase)) return;
  std::vector<std::string> shown = host_files();
  const bool is_watched = may_read_unseen(step);
  if (const std::string given = variable(setup_.callers, k_host_files_variable); !given.empty()) {
    const std::string home = variable(setup_.callers, "HOME");
    facts["env HOME"] = fact_digest(home);
    if (is_watched) facts[cat("env ", k_host_files_variable)] = fact_digest(given);
    for (const fs::path& path : input_paths(k_host_files_variable, replace_all(given, "~/", cat(home, "/"))))
      shown.push_back(path.string());
  }
  if (is_watched && !host_files().empty()) facts["given host-files"] = fact_digest(join(host_files(), "\n"));
  for (const std::string& path : shown) {
    const bool is_reached =
        is_watched && (reads.reached.count(path) > 0 || came_to(reads, path, setup_.start_directory));
    if (is_reached || may_be_a_programs(path, setup_.callers)) add_host(path, facts);
  }
}

Facts FactSource::of_step(const Step& step, const Reads& reads) const {
  Facts facts;
  named_.clear();
  copies_ = reads.copies;
  for (const std::string& copy : copies_) facts[cat("copy ", copy)] = "-";
  facts[cat("list ", k_environment_directory)] = listing_digest(step, k_environment_directory);
  if (step.kind != Step::Kind::hook) {
    const std::string phase = step.kind == Step::Kind::extra_packages ? "-p" : directory_name(step.phase);
    add_packages(phase, facts);
  }
  for (const std::string& path : reads.directories) facts[cat("list ", path)] = listing_digest(step, path);
  add_element_reads(reads, facts);
  add_texts(step, reads, facts);
  add_variables(step, reads, facts);
  add_shown(step, reads, facts);
  add_links(step, facts);
  forget_places(reads, facts);
  add_unnamed(reads, facts);
  return facts;
}

bool FactSource::is_of_element(const fs::path& path) const {
  (void)places_that_count();  // which finds out where they lie
  return std::any_of(element_places_.begin(), element_places_.end(),
                     [&](const fs::path& place) { return holds(place, path); });
}

/// Without looks for what the step finds, or has put, in the directory of downloads: what it found counts as it was
/// read, and what it put there it finds the next time. That it found nothing counts: somebody may lay it there.
Reads FactSource::without_downloads(Reads reads) const {
  std::erase_if(reads.asked, [&](const auto& look) {
    boost::system::error_code failed;
    return is_download(look.first) && (digests_.asked(look.first).value_or("") != look.second ||
                                       fs::symlink_status(look.first, failed).type() != fs::file_not_found);
  });
  return reads;
}

Facts FactSource::after_step(const Step& step, const Reads& reads) const {
  Facts facts = of_step(step, without_downloads(reads));
  std::set<std::string> changed;
  for (const std::string& path : named_) {
    if (changed_.count(path) > 0 || digests_.has_changed(path)) changed.insert(path);
  }
  for (const auto& [path, stamp] : reads.machine) {
    const bool is_input = facts.count(cat("read ", path)) > 0 || is_of_element(path);
    if (is_input && !stamp.empty() && (input_stamp(path) != stamp || digests_.has_changed(path))) changed.insert(path);
  }
  if (!changed.empty()) facts[cat("unseen ", *changed.begin(), " was changed while the build ran")] = "-";
  return facts;
}

/// Where the element of a fact ("web/static/etc") lies now.
void FactSource::add_path_of(const std::string& entry, Reads& reads) const {
  const std::size_t slash = entry.find('/');
  const Element* const element = plan_.elements.find(entry.substr(0, slash));
  if (element == nullptr) return;
  reads.machine.emplace((slash == std::string::npos ? element->path : element->path / entry.substr(slash + 1)).string(),
                        "");
}

std::optional<std::string> FactSource::local_fault(const std::string& label, const Facts& noted) const {
  std::vector<std::string> faults = local_faults(label, noted);
  return faults.empty() ? std::nullopt : std::optional(std::move(faults.front()));
}

FactPlace FactSource::place_of(const std::string& label, const std::string& fact) const {
  if (fact_kind(fact) == "env")
    return {variables_.place_naming(step_of(label), fact_name(fact)), variables_.is_set(fact_name(fact))};
  if (fact_kind(fact) != "beside" && fact_kind(fact) != "hook") return {};
  FactPlace place;
  for (const fs::path& source : plan_.hooks.sources(fact_name(fact))) {
    if (!files_.status(source)) continue;
    place.is_there = true;
    for (const Element& element : plan_.elements.elements) {
      const bool is_told = place.text.empty() && fact_kind(fact) == "beside" && holds(element.path, source);
      if (is_told) place.text = cat("of the element ", element.name);
    }
  }
  return place;
}

std::vector<std::string> FactSource::local_faults(const std::string& label, const Facts& noted) const {
  if (auto reason = unkeepable(noted)) return {*reason};
  Facts before;
  Reads reads;
  reads.tells_elements = noted.count(k_all_elements) == 0;
  for (const auto& [fact, digest] : noted) {
    if (is_remote(fact)) continue;
    before[fact] = digest;
    if (fact_kind(fact) == "hook") reads.files.insert(fact_name(fact));
    if (fact_kind(fact) == "list") reads.directories.insert(fact_name(fact));
    if (fact_kind(fact) == "elements") reads.everything = true;
    if (fact_kind(fact) == "element" && reads.tells_elements) add_path_of(fact_name(fact), reads);
    if (fact_kind(fact) == "read") reads.machine.emplace(fact_name(fact), "");
    if (fact_kind(fact) == "host" || fact_kind(fact) == "file") reads.reached.insert(fact_name(fact));
    if (fact_kind(fact) == "copy") reads.copies.insert(fact_name(fact));
    if (fact_kind(fact) == "shown") reads.shown.insert(fact_name(fact));
    if (fact_kind(fact) == "asked")
      reads.asked.emplace(fact_name(fact), digests_.asked(fact_name(fact)).value_or("unreadable"));
  }
  const Facts now = of_step(step_of(label), reads);
  std::vector<std::string> faults =
      describe_differences(before, now, [&](const std::string& fact) { return place_of(label, fact); });
  if (const auto reason = unkeepable(now)) faults.push_back(*reason);
  return faults;
}

std::optional<std::string> remote_fault(const Facts& noted, const RemoteFacts& remote) {
  for (const auto& [fact, digest] : noted) {
    if (!is_remote(fact)) continue;
    const bool is_fetch = fact_kind(fact) == "fetch";
    const std::string what = fact_kind(fact) == "repository" || is_fetch ? fact_name(fact) : fact;
    std::string current;
    if (is_fetch && remote.fetch) current = remote.fetch(what);
    if (!is_fetch && remote.repository) current = remote.repository(what).value_or("");
    if (current == digest || (!is_fetch && current.empty())) continue;  // nobody can tell: as it was
    return describe_differences({{fact, digest}}, current.empty() ? Facts() : Facts{{fact, current}}).front();
  }
  return std::nullopt;
}

}  // namespace hearth::builder
