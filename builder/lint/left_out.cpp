#include "builder/lint/left_out.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <set>

#include "base/hash.hpp"
#include "base/run_parts.hpp"
#include "base/sys/user_places.hpp"
#include "base/text.hpp"
#include "base/variable.hpp"
#include "builder/elements/condition_values.hpp"
#include "builder/elements/phase.hpp"
#include "builder/elements/unknown_element.hpp"
#include "builder/lint/node_scripts.hpp"
#include "builder/lint/node_templates.hpp"
#include "builder/lint/package_lists.hpp"
#include "builder/lint/source_check.hpp"
#include "builder/lint/variable_lint.hpp"
#include "builder/packages/package_map.hpp"
#include "builder/plan/builders_variables.hpp"
#include "builder/spec/checked_values.hpp"
#include "builder/yaml/yaml_fault.hpp"

namespace hearth::builder {

namespace {

/// Directories in ".d" that are no phases and that upstream's own elements or the core read.
const std::set<std::string> k_data_directories = {
    "environment.d", "init.d",      "udev.d",     "binary-deps.d", "ramdisk-install.d", "dracut-drivers.d",
    "modprobe.d",    "yum.repos.d", "apt.conf.d", "sysctl.d",      "cloud.cfg.d",       "dracut.conf.d"};

/// Phases of long ago.
const std::set<std::string> k_former_phases = {"block-device-size.d", "first-boot.d"};

/// Files at the top of an element that a build reads by name.
const std::vector<std::string> k_data_files = {
    "package-installs.yaml", "package-installs.json", "pkg-map",    "svc-map",
    "element-deps",          "element-provides",      "host-files", "block-device-default.yaml"};

/// Directories that have one of these names are not looked into.
const std::set<std::string> k_foreign = {"test-elements", "tests", "__pycache__", ".git"};

std::vector<std::string> phase_directories() {
  std::vector<std::string> names = {"environment.d"};
  for (const PhaseInfo& phase : k_phases) names.push_back(directory_name(phase.phase));
  return names;
}

/// The name as people spell it differently: lower case, "-" between words, without the extension.
std::string plain_name(const std::string& name) {
  std::string plain = replace_all(to_lower(name), "_", "-");
  for (const char* end : {".yml", ".yaml", ".json", ".txt", ".d"}) {
    if (plain.ends_with(end)) return plain.substr(0, plain.size() - std::string_view(end).size());
  }
  return plain;
}

/// What a name of `known` was probably meant to be.
std::optional<std::string> meant(const std::string& name, const std::vector<std::string>& known) {
  for (const std::string& each : known) {
    if (plain_name(each) == plain_name(name)) return each;
  }
  return nearest(name, known);
}

/// An older form of package-installs, or what it is for: PHASE.d/package-installs-NAME.
bool is_list_of_packages(const std::string& name) {
  return name.starts_with("package-installs-") || name.starts_with("package-uninstalls-");
}

void find_idle(const FileReader& files, const fs::path& directory, const std::string& name,
               std::vector<Finding>& found) {
  const fs::path path = directory / name;
  const std::optional<FileStatus> status = files.status(path);
  if (!status || name.front() == '.' || is_list_of_packages(name)) return;
  const bool numbered = name.size() > 2 && std::isdigit(static_cast<unsigned char>(name[0])) != 0;
  const auto warn = [&](const char* check, std::string what) {
    found.push_back({path, 0, Severity::warning, check, std::move(what)});
  };
  if (status->type == FileStatus::Type::directory && numbered &&
      !name.ends_with("-install")) {  // install-types runs those
    for (const std::string& below : files.list(path)) {
      const std::optional<FileStatus> inner = files.status(path / below);
      if (!inner || inner->type != FileStatus::Type::regular || (inner->mode & 0111U) == 0) continue;
      warn("hookname", "hooks in a directory are not run: move them up, or name the directory NAME-source-install");
      return;
    }
  }
  if (status->type != FileStatus::Type::regular) return;
  const bool is_script = files.read(path).value_or("").starts_with("#!");
  const bool is_executable = (status->mode & 0111U) != 0;
  if (!is_executable && (is_script || numbered))
    warn("executable", "this hook does not run, it is not executable: chmod +x");
  if (!is_run_parts_name(name) && (is_executable || (is_script && numbered))) {
    if (is_mentioned(files, directory.parent_path(), name, 3, path)) return;  // another hook takes it
    warn("hookname", cat("this hook does not run, its name may have letters, digits, _ and - only: '", name, "'"));
  } else if (is_executable && !is_script &&
             !files.read(path).value_or("").starts_with("\x7f"
                                                        "ELF")) {
    warn("shebang", "this hook can't be started: its first line is not like #!/bin/bash");
  }
}

/// Keys where systems stand, each with its place.
void find_unknown(const YAML::Node& map, const std::vector<std::string>& known, const fs::path& file,
                  const std::string& what, std::vector<Finding>& found) {
  if (!map.IsMap()) return;
  for (const auto& pair : map) {
    const std::string key = pair.first.IsScalar() ? pair.first.Scalar() : "";
    if (std::find(known.begin(), known.end(), key) != known.end()) continue;
    const std::optional<std::string> near = nearest(to_lower(key), known);
    if (!near) continue;  // a distribution that we don't know
    found.push_back({file, position_of(pair.first.Mark()).line, Severity::warning, "mapkey",
                     cat("no ", what, " is called '", key, "'; did you mean ", *near, "?")});
  }
}

void find_unknown_in(const YAML::Node& root, const fs::path& file, bool is_service_map, std::vector<Finding>& found) {
  if (!root.IsMap()) return;
  if (is_service_map) {
    std::vector<std::string> systems = {"default"};
    systems.insert(systems.end(), map_families().begin(), map_families().end());
    systems.insert(systems.end(), map_distributions().begin(), map_distributions().end());
    for (const auto& service : root) find_unknown(service.second, systems, file, "system", found);
    return;
  }
  for (const auto& section : root) {
    const std::string name = section.first.IsScalar() ? section.first.Scalar() : "";
    if (name == "family") find_unknown(section.second, map_families(), file, "family", found);
    if (name == "distro" || name == "release")
      find_unknown(section.second, map_distributions(), file, "distribution", found);
  }
}

/// The files in which one line's end decides: scripts of hooks, and lists of names.
std::vector<fs::path> line_files(const FileReader& files, const Element& element) {
  std::vector<fs::path> paths;
  for (const std::string& name : files.list(element.path)) {
    const fs::path path = element.path / name;
    const bool list = name == "element-deps" || name == "element-provides" || name == "host-files" ||
                      name.starts_with("source-repository-");
    if (list && is_regular_file(files, path)) paths.push_back(path);
    if ((!name.ends_with(".d") && name != "bin") || !is_directory(files, path)) continue;
    for (const std::string& below : files.list(path)) {
      if (is_regular_file(files, path / below)) paths.push_back(path / below);
    }
  }
  return paths;
}

/// Hooks and environment files that a shell reads.
std::vector<fs::path> shell_files(const FileReader& files, const Element& element) {
  std::vector<fs::path> paths;
  for (const std::string& directory : phase_directories()) {
    for (const std::string& name : files.list(element.path / directory)) {
      const fs::path path = element.path / directory / name;
      if (name.front() == '.' || !is_regular_file(files, path)) continue;
      const std::string text = files.read(path).value_or("");
      const std::string first = text.substr(0, text.find('\n'));
      const bool shell = first.starts_with("#!") && (first.ends_with("bash") || first.ends_with("/sh"));
      if (shell || directory == "environment.d") paths.push_back(path);
    }
  }
  return paths;
}

/// "FILE: line 3: syntax error near …" of bash, in our form.
std::optional<Finding> syntax_finding(const std::string& line) {
  const std::size_t at = line.find(": line ");
  if (at == std::string::npos) return std::nullopt;
  const std::size_t begin = at + std::string_view(": line ").size();
  const std::size_t end = line.find(':', begin);
  if (end == std::string::npos) return std::nullopt;
  const auto number = static_cast<int>(parse_number(line.substr(begin, end - begin)).value_or(0));
  return Finding{line.substr(0, at), number, Severity::warning, "syntax", cat("bash: ", trim(line.substr(end + 1)))};
}

std::string condition_fault(const std::string& line) {
  const std::size_t equals = line.find('=');
  const std::string name(trim(line.substr(0, equals > 0 && line[equals - 1] == '!' ? equals - 1 : equals)));
  const std::string wanted(trim(line.substr(equals + 1)));
  if (wanted.starts_with("=")) {
    return cat("'", line, "' asks whether ", name, " is '", wanted, "': write one '='");
  }
  const bool quoted = wanted.size() > 1 && wanted.front() == wanted.back() && (wanted[0] == '"' || wanted[0] == '\'');
  return quoted ? cat("'", line, "' compares with ", wanted, ", the quotes included: leave them out") : "";
}

/// Two conditions of which only one can hold.
std::string contradiction(const std::vector<std::string>& conditions) {
  for (std::size_t i = 0; i < conditions.size(); ++i) {
    for (std::size_t j = i + 1; j < conditions.size(); ++j) {
      const std::string a = replace_all(conditions[i], " ", "");
      const std::string b = replace_all(conditions[j], " ", "");
      const std::size_t at = a.find('=');
      const std::size_t other = b.find('=');
      const bool one = a[at - 1] != '!' && b[other - 1] != '!';
      if (one && a.substr(0, at) == b.substr(0, other) && a != b) {
        return cat("'", conditions[i], "' and '", conditions[j], "' can't both hold");
      }
      if (replace_all(a, "!=", "=") == replace_all(b, "!=", "=") && a != b) {
        return cat("'", conditions[i], "' and '", conditions[j], "' can't both hold");
      }
    }
  }
  return "";
}

/// DIB_… of diskimage-builder's own programs. Hearth is in their place.
const std::vector<std::string> k_upstreams_variables = {"DIB_BLOCK_DEVICE", "DIB_PYTHON_LOGGING_CONFIG_FILE",
                                                        "DIB_RUN_PARTS"};

void add_variables_below(const FileReader& files, const fs::path& directory, int depth, std::set<std::string>& names) {
  for (const std::string& name : files.list(directory)) {
    const fs::path path = directory / name;
    const std::optional<FileStatus> status = files.status(path);
    if (!status || k_foreign.count(name) > 0) continue;
    if (status->type == FileStatus::Type::directory && depth > 0) add_variables_below(files, path, depth - 1, names);
    if (status->type == FileStatus::Type::regular) add_variables_in(files.read(path).value_or(""), names);
  }
}

/// Whether two names are the same but for a few letters in one place: a word more or another is no slip of the hand,
/// but the variable of an element that is not in this image.
bool is_slip(const std::string& a, const std::string& b) {
  constexpr std::size_t most = 3;
  const std::size_t shorter = std::min(a.size(), b.size());
  std::size_t head = 0;
  while (head < shorter && a[head] == b[head]) ++head;
  std::size_t tail = 0;
  while (tail < shorter - head && a[a.size() - 1 - tail] == b[b.size() - 1 - tail]) ++tail;
  return std::max(a.size(), b.size()) - head - tail <= most;
}

/// The variable of "NAME = value".
std::string condition_variable(const std::string& line) {
  const std::size_t equals = line.find('=');
  return std::string(trim(line.substr(0, equals > 0 && line[equals - 1] == '!' ? equals - 1 : equals)));
}

}  // namespace

std::vector<Finding> idle_hooks(const FileReader& files, const Element& element) {
  std::vector<Finding> found;
  for (const PhaseInfo& phase : k_phases) {
    const fs::path directory = element.path / directory_name(phase.phase);
    for (const std::string& name : files.list(directory)) find_idle(files, directory, name, found);
  }
  return found;
}

std::vector<Finding> unread_places(const FileReader& files, const Element& element) {
  std::vector<Finding> found;
  const std::vector<std::string> phases = phase_directories();
  const auto warn = [&](const fs::path& path, const char* check, std::string what) {
    found.push_back({path, 0, Severity::error, check, std::move(what)});
  };
  for (const std::string& name : files.list(element.path)) {
    const fs::path path = element.path / name;
    const bool known_phase = std::find(phases.begin(), phases.end(), name) != phases.end();
    const bool known_file = std::find(k_data_files.begin(), k_data_files.end(), name) != k_data_files.end();
    if (name.front() == '.' || known_phase || known_file || k_foreign.count(name) > 0) continue;
    if (is_directory(files, path)) {
      const bool suffixed = name.size() > 2 && name.ends_with(".d");
      if (k_data_directories.count(name) > 0) continue;
      if (k_former_phases.count(name) > 0) {
        warn(path, "phase", cat(name, " was a phase once; nothing runs it any more"));
        continue;
      }
      const std::optional<std::string> near = meant(name, phases);
      const bool alike = near && (suffixed || plain_name(*near) == plain_name(name));
      if ((!suffixed && !alike) || is_mentioned(files, element.path, name, 2)) continue;
      warn(path, "phase",
           cat("unknown phase ", name, near ? cat("; did you mean ", *near, "?") : "", " (phases: ", join(phases, " "),
               ")"));
    } else if (is_regular_file(files, path)) {
      const std::optional<std::string> near = meant(name, k_data_files);
      if (!near || name.starts_with("block-device-") || is_mentioned(files, element.path, name, 2)) continue;
      warn(path, "filename", cat("nothing reads a file of this name; did you mean ", *near, "?"));
    }
  }
  return found;
}

std::vector<Finding> unknown_systems(const FileReader& files, const Element& element) {
  std::vector<Finding> found;
  for (const char* name : {"svc-map", "pkg-map"}) {
    const fs::path file = element.path / name;
    const std::optional<FileStatus> status = files.status(file);
    if (!status || status->type != FileStatus::Type::regular || (status->mode & 0111U) != 0) continue;
    try {
      find_unknown_in(load_yaml(files.read(file).value_or("")), file, std::string_view(name) == "svc-map", found);
    } catch (const YAML::Exception&) {  // said with its place by whoever reads it
      continue;
    }
  }
  return found;
}

std::vector<Finding> foreign_line_ends(const FileReader& files, const Element& element) {
  std::vector<Finding> found;
  for (const fs::path& path : line_files(files, element)) {
    const std::string text = files.read(path).value_or("");
    const std::size_t end = text.find('\n');
    if (end == std::string::npos || end == 0 || text[end - 1] != '\r') continue;
    const std::string what = text.starts_with("#!")
                                 ? cat("the kernel looks for a program '", text.substr(2, end - 3), "\\r'")
                                 : "names in it end with a carriage return";
    found.push_back({path, 1, Severity::error, "crlf",
                     cat("its lines end as on Windows (CRLF): ", what, "; sed -i 's/\\r$//' mends it")});
  }
  return found;
}

std::vector<Finding> vain_conditions(const std::vector<PackageEntry>& entries) {
  std::vector<Finding> found;
  for (const PackageEntry& entry : entries) {
    const auto warn = [&](const std::string& what) {
      found.push_back({entry.file, entry.at.line, Severity::warning, "when",
                       cat("package ", entry.package, " is never installed: ", what)});
    };
    for (const std::string& line : entry.when) {
      const std::string fault = condition_fault(line);
      if (!fault.empty() && line.find("!=") == std::string::npos) warn(fault);
    }
    if (const std::string fault = contradiction(entry.when); !fault.empty()) warn(fault);
    const std::vector<std::string>& known = known_architectures();
    const bool some = std::any_of(entry.arch.begin(), entry.arch.end(), [&](const std::string& arch) {
      return std::find(known.begin(), known.end(), arch) != known.end();
    });
    if (!entry.arch.empty() && !some) warn(cat("no machine is called ", join(entry.arch, ", ")));
    const std::vector<std::string>& types = known_install_types();
    const bool any =
        entry.install_type.empty() || std::find(types.begin(), types.end(), entry.install_type) != types.end();
    if (!any) warn(cat("no installtype is called ", entry.install_type, " (", join(types, ", "), ")"));
  }
  return found;
}

std::vector<Finding> syntax_faults(const FileReader& files, const std::vector<Element>& elements, CommandRunner& runner,
                                   std::vector<std::string>& known) {
  const std::set<std::string> understood(known.begin(), known.end());
  std::vector<std::string> argv = {"bash", "-c", "for file in \"$@\"; do bash -n \"$file\"; done", "syntax"};
  const std::size_t fixed = argv.size();
  std::vector<std::string> digests;
  for (const Element& element : elements) {
    for (const fs::path& path : shell_files(files, element)) {
      std::string digest = hex_digest(HashKind::sha256, files.read(path).value_or(""));
      if (understood.count(digest) > 0) continue;
      argv.push_back(path.string());
      digests.push_back(std::move(digest));
    }
  }
  if (argv.size() == fixed) return {};
  Environment environment = current_environment();
  environment["LC_ALL"] = "C";
  environment.erase("BASH_ENV");
  std::vector<Finding> found;
  std::set<std::string> wrong;
  for (const std::string& line : split_lines(runner.run({.argv = argv, .env = environment}).err)) {
    std::optional<Finding> finding = syntax_finding(line);
    if (finding && wrong.insert(finding->file.string()).second) found.push_back(std::move(*finding));
  }
  for (std::size_t i = 0; i < digests.size(); ++i) {
    if (wrong.count(argv[fixed + i]) == 0) known.push_back(digests[i]);
  }
  return found;
}

std::vector<Finding> locked_out_users(const FileReader& files, const ElementSet& elements,
                                      const Environment& environment) {
  const Element* const devuser = elements.find("devuser");
  if (devuser == nullptr) return {};
  for (const char* name : {"DIB_DEV_USER_PASSWORD", "DIB_DEV_USER_AUTHORIZED_KEYS"}) {
    if (!variable(environment, name).empty()) return {};
    for (const Element& element : elements.elements) {  // another element may set it
      if (element.name != "devuser" && is_mentioned(files, element.path / "environment.d", name, 0)) return {};
    }
  }
  for (const char* type : {"ed25519", "ecdsa", "rsa", "dsa"}) {
    if (files.status(home_directory(environment) / ".ssh" / cat("id_", type, ".pub"))) return {};
  }
  const std::string user = variable(environment, "DIB_DEV_USER_USERNAME");
  return {
      {devuser->path, 0, Severity::warning, "login",
       cat("nobody can log in as ", user.empty() ? "devuser" : user,
           ": there is neither a public key in ~/.ssh, nor DIB_DEV_USER_AUTHORIZED_KEYS, nor DIB_DEV_USER_PASSWORD")}};
}

bool is_mentioned(const FileReader& files, const fs::path& directory, const std::string& name, int depth,
                  const fs::path& except) {
  for (const std::string& entry : files.list(directory)) {
    const fs::path path = directory / entry;
    const std::optional<FileStatus> status = files.status(path);
    if (!status || path == except || entry == ".git" || entry.starts_with("README")) continue;
    if (status->type == FileStatus::Type::directory) {
      if (depth > 0 && is_mentioned(files, path, name, depth - 1, except)) return true;
    } else if (status->type == FileStatus::Type::regular) {
      if (files.read(path).value_or("").find(name) != std::string::npos) return true;
    }
  }
  return false;
}

std::vector<Finding> parts_without_reader(const FileReader& files, const ElementSet& elements) {
  static constexpr std::array<std::pair<std::string_view, const char*>, 5> k_readers = {
      {{"static", "install-static"},
       {"source-repository-", "source-repositories"},
       {"os-apply-config", "os-apply-config"},
       {"os-refresh-config", "os-refresh-config"},
       {"svc-map", "svc-map"}}};
  std::vector<Finding> found;
  for (const Element& element : elements.elements) try {
      if (element.built_in) continue;
      for (const std::string& name : files.list(element.path)) {
        const auto part = std::find_if(k_readers.begin(), k_readers.end(), [&](const auto& one) {
          return one.first.ends_with('-') ? name.starts_with(one.first) : name == one.first;
        });
        if (part == k_readers.end() || elements.find(part->second) != nullptr) continue;
        if (is_mentioned(files, element.path, name, 3)) continue;  // a hook of its own reads it
        found.push_back({element.path / name, 0, Severity::warning, "reader",
                         cat("nothing reads it: ", part->second, " is not among the elements; add that to ",
                             (element.path / "element-deps").string())});
      }
    } catch (Error& error) {
      throw error.during(cat("reading the files of the element ", element.name));
    }
  return found;
}

std::vector<Finding> missing_files(const FileReader& files, const ElementSet& elements,
                                   const Environment& environment) {
  static constexpr std::array<std::pair<const char*, const char*>, 3> k_named = {
      {{"DIB_DEV_USER_AUTHORIZED_KEYS", "devuser"},
       {"DIB_APT_KEYRING", "debootstrap"},
       {"DIB_DEBIAN_KEYRING", "debootstrap"}}};
  std::vector<Finding> found;
  for (const auto& [name, reader] : k_named) {
    const Element* const element = elements.find(reader);
    const fs::path path = variable(environment, name);
    if (element == nullptr || !element->built_in || path.empty() || files.status(path)) continue;
    const fs::path directory = path.has_parent_path() ? path.parent_path() : fs::path(".");
    const auto near = is_directory(files, directory) ? nearest(path.filename().string(), files.list(directory))
                                                     : std::optional<std::string>();
    found.push_back({"environment", 0, Severity::error, "file",
                     cat(name, ": there is no file ", path.string(),
                         near ? cat("; did you mean ", (path.parent_path() / *near).string(), "?") : "")});
  }
  return found;
}

namespace {

/// Whether a file of an element has the word.
bool is_among_elements(const FileReader& files, const ElementSet& elements, const std::string& word) {
  return std::any_of(elements.elements.begin(), elements.elements.end(),
                     [&](const Element& element) { return is_mentioned(files, element.path, word, 3); });
}

}  // namespace

std::vector<Finding> misspelt_variables(const FileReader& files, const ElementSet& elements,
                                        const Environment& environment) {
  std::set<std::string> set;
  for (const auto& [name, value] : environment) {
    const bool composed = name.starts_with("DIB_REPO");
    if (name.starts_with("DIB_") && !composed && !value.empty()) set.insert(name);
  }
  std::erase_if(set, is_read_by_builder);
  std::vector<Finding> found;
  if (const auto path = mistyped_search_path(environment); path && !is_among_elements(files, elements, *path))
    found.push_back({"environment", 0, Severity::warning, "variable",
                     cat(*path, " is set, and nothing reads it; did you mean ELEMENTS_PATH?")});
  if (set.empty()) return found;
  std::set<std::string> read(k_builders_variables.begin(), k_builders_variables.end());
  for (const Element& element : elements.elements) add_variables_below(files, element.path, 3, read);
  for (const std::string& name : set) {
    if (read.count(name) > 0) continue;
    if (std::find(k_upstreams_variables.begin(), k_upstreams_variables.end(), name) != k_upstreams_variables.end()) {
      found.push_back({"environment", 0, Severity::warning, "variable",
                       cat(name, " is set, and has no effect: it is for diskimage-builder's own programs")});
      continue;
    }
    const std::optional<std::string> near = nearest(name, {read.begin(), read.end()});
    if (!near || !is_slip(name, *near)) continue;
    found.push_back({"environment", 0, Severity::warning, "variable",
                     cat(name, " is set, and nothing in this image reads it; did you mean ", *near, "?")});
  }
  return found;
}

std::vector<Finding> misspelt_release(const FileReader& files, const ElementSet& elements,
                                      const Environment& environment) {
  const std::string release = variable(environment, "DIB_RELEASE");
  if (release.empty() || elements.find("debootstrap") == nullptr) return {};
  constexpr std::string_view k_before = "_dists_";
  std::vector<std::string> known = files.list("/usr/share/debootstrap/scripts");
  for (const char* distro : {"debian", "ubuntu"}) {
    if (std::string here = host_release(files, distro); !here.empty()) known.push_back(std::move(here));
  }
  for (const std::string& list : files.list("/var/lib/apt/lists")) {
    const std::size_t at = list.find(k_before);
    if (at == std::string::npos) continue;
    const std::size_t begin = at + k_before.size();
    known.push_back(list.substr(begin, list.find('_', begin) - begin));
  }
  if (std::find(known.begin(), known.end(), release) != known.end()) return {};
  const std::optional<std::string> near = nearest(release, known);
  if (!near || !is_slip(release, *near)) return {};
  return {{"environment", 0, Severity::warning, "release",
           cat("DIB_RELEASE=", release, " is no release that this machine knows; did you mean ", *near, "?")}};
}

std::vector<Finding> unset_conditions(const FileReader& files, const std::vector<PackageEntry>& packages,
                                      const std::vector<Element>& elements, const Environment& environment,
                                      std::string_view what) {
  std::vector<Finding> found;
  for (const PackageEntry& entry : packages) {
    for (const std::string& line : entry.when) {
      const std::string name = condition_variable(line);
      const bool builders = name == "ARCH" || name == "FS_TYPE" || name == "SKIP_BASE" || name.starts_with("IMAGE_") ||
                            is_read_by_builder(name);
      const bool is_set = builders || environment.count(name) > 0 ||
                          std::any_of(elements.begin(), elements.end(), [&](const Element& element) {
                            return is_mentioned(files, element.path / "environment.d", name, 0);
                          });
      if (is_set) continue;
      found.push_back({entry.file, entry.at.line, Severity::warning, "when",
                       cat("package ", entry.package, " asks for ", name, ", ", what,
                           "; a file in environment.d can have its default")});
    }
  }
  return found;
}

namespace {

/// A hook, or a file of environment.d, that bash can't read to its end, and does not leave before.
bool ends_build(const FileReader& files, const Finding& finding, const std::vector<Element>& foreign) {
  if (finding.check == "file" || finding.check == "source") return finding.severity == Severity::error;
  if (finding.check != "syntax") return false;
  const std::string directory = finding.file.parent_path().filename().string();
  const bool is_environment = directory == "environment.d";
  const bool is_of_phase = directory.ends_with(".d") && parse_phase(directory.substr(0, directory.size() - 2));
  const bool is_elements = std::any_of(foreign.begin(), foreign.end(), [&](const Element& element) {
    return finding.file.parent_path().parent_path() == element.path;
  });
  const std::optional<FileStatus> status = files.status(finding.file);
  if (!is_elements || !status || !(is_environment || (is_of_phase && (status->mode & 0111U) != 0))) return false;
  const std::string text = files.read(finding.file).value_or("");
  static constexpr std::array<std::string_view, 3> k_leave = {"exit", "exec", "return"};
  return std::none_of(k_leave.begin(), k_leave.end(), [&](std::string_view word) {  // bash reads on as it runs
    return text.find(word) != std::string::npos;
  });
}

}  // namespace

std::vector<Finding> left_out(const FileReader& files, const BuildPlan& plan, const Environment& environment,
                              CommandRunner& runner, std::vector<std::string>& known) {
  std::vector<Element> foreign;
  std::vector<Finding> all;
  const auto add = [&](std::vector<Finding> found) {
    for (Finding& finding : found) all.push_back(std::move(finding));
  };
  for (const Element& element : plan.elements.elements) {
    if (element.built_in) continue;
    foreign.push_back(element);
    add(idle_hooks(files, element));
    add(unread_places(files, element));
    add(idle_node_scripts(files, element));
    add(node_template_faults(files, element, plan.elements.elements));
    add(unknown_systems(files, element));
    add(foreign_line_ends(files, element));
    const bool are_fetched =
        plan.elements.find("source-repositories") != nullptr && environment.count("NO_SOURCE_REPOSITORIES") == 0;
    if (are_fetched) add(source_faults(files, element, environment));
  }
  add(syntax_faults(files, foreign, runner, known));
  add(parts_without_reader(files, plan.elements));
  add(vain_conditions(plan.packages));
  add(unset_conditions(files, plan.packages, plan.elements.elements, environment));
  add(locked_out_users(files, plan.elements, environment));
  add(misspelt_variables(files, plan.elements, environment));
  add(missing_files(files, plan.elements, environment));
  add(misspelt_release(files, plan.elements, environment));
  std::erase_if(all, [&](const Finding& finding) {
    const bool has_text = is_regular_file(files, finding.file);  // not of a directory, nor of the command line
    if (has_text && disabled_checks(files.read(finding.file).value_or("")).count(finding.check) > 0) return true;
    return std::any_of(foreign.begin(), foreign.end(), [&](const Element& element) {
      if (!finding.file.string().starts_with(element.path.string() + "/")) return false;
      for (const char* name : {"README.rst", "README.md"}) {
        if (disabled_checks(files.read(element.path / name).value_or(""), "").count(finding.check) > 0) return true;
      }
      return false;
    });
  });
  for (Finding& finding : all)
    finding.severity = ends_build(files, finding, foreign) ? Severity::error : Severity::warning;
  return all;
}

}  // namespace hearth::builder
