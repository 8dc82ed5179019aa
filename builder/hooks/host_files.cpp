#include "builder/hooks/host_files.hpp"

#include <algorithm>
#include <set>

#include "base/error.hpp"
#include "base/text.hpp"
#include "base/variable.hpp"
#include "builder/layers/facts.hpp"
#include "builder/layers/input_digest.hpp"
#include "builder/layers/script_inputs.hpp"

namespace hearth::builder {

namespace {

constexpr std::uint64_t k_largest_script = std::uint64_t{1} << 20U;
constexpr int k_deepest_script = 4;

/// Directories of the system, which a service's account may have as its home.
const std::set<std::string> k_system_directories = {"/",     "/bin", "/boot", "/dev", "/etc", "/lib", "/lib64", "/opt",
                                                    "/proc", "/run", "/sbin", "/srv", "/sys", "/tmp", "/usr",   "/var"};

bool is_below(const fs::path& path, const fs::path& directory) {
  return path.string().starts_with(directory.string() + "/");
}

/// What the caller may not look at, hooks don't see either.
std::optional<FileStatus> status_for_caller(const FileReader& files, const fs::path& path) {
  try {
    return files.status(path);
  } catch (const Error&) {
    return std::nullopt;
  }
}

/// All that the files of elements say, read when it is asked for, once for all variables.
class ElementTexts {
 public:
  ElementTexts(const FileReader& files, const ElementSet& elements) : files_(files), elements_(elements) {}

  [[nodiscard]] bool ask_for(const std::string& variable) {
    if (variable == "HOME" || variable == "PWD" || variable == "OLDPWD" || variable == "PATH") return false;
    if (variable.starts_with("DIB_") || variable.starts_with("HEARTH_")) return true;
    if (!is_read_) {
      for (const Element& element : elements_.elements) add(element.path, k_deepest_script);
      is_read_ = true;
    }
    return names_variable(text_, variable);
  }

 private:
  void add(const fs::path& directory, int depth) try {
    for (const std::string& name : files_.list(directory)) {
      const fs::path path = directory / name;
      const std::optional<FileStatus> status = status_for_caller(files_, path);
      if (!status) continue;
      if (status->type == FileStatus::Type::directory && depth > 1) add(path, depth - 1);
      if (status->type == FileStatus::Type::regular && status->size <= k_largest_script)
        text_ += cat(files_.read(path).value_or(""), "\n");
    }
  } catch (const Error&) {  // it can't be read: evidence::element_facts() tells of it, before the first hook
  }

  const FileReader& files_;
  const ElementSet& elements_;
  std::string text_;
  bool is_read_ = false;
};

/// What looks like an absolute path in a value: "/a:/b", "file:///a", "name=/a other=/b".
std::vector<fs::path> paths_in(std::string value) {
  std::replace_if(
      value.begin(), value.end(), [](char c) { return std::string_view(":,;=\t\n").find(c) != std::string_view::npos; },
      ' ');
  std::vector<fs::path> paths;
  for (const std::string& word : split_words(value)) {
    if (word.starts_with('/')) paths.emplace_back(GuestPath(word).text());
  }
  return paths;
}

/// Itself, with what it lies in, or with something in it.
bool is_shown(const fs::path& path, const std::vector<fs::path>& shown) {
  return std::any_of(shown.begin(), shown.end(), [&](const fs::path& each) {
    return each == path || is_below(path, each) || is_below(each, path);
  });
}

class Declared {
 public:
  Declared(const FileReader& files, const std::vector<fs::path>& homes) : files_(files), homes_(homes) {}

  [[nodiscard]] bool is_hidden(const fs::path& path) const {
    return std::any_of(homes_.begin(), homes_.end(), [&](const fs::path& home) { return is_below(path, home); }) &&
           std::find(homes_.begin(), homes_.end(), path) == homes_.end();
  }

  /// A link is shown with what it leads to.
  void add(const fs::path& named) {
    const fs::path path = GuestPath(named.string()).text();
    if (!is_hidden(path) || !status_for_caller(files_, path)) return;
    add_one(path);
    add_one(fs::weakly_canonical(path));
    const fs::path directory = path.parent_path();
    if (directory.filename() == "bin" && is_hidden(directory.parent_path())) add_one(directory.parent_path());
  }

  std::vector<fs::path> take() { return std::move(paths_); }

 private:
  void add_one(const fs::path& path) {
    if (std::find(paths_.begin(), paths_.end(), path) == paths_.end()) paths_.push_back(path);
  }

  const FileReader& files_;
  const std::vector<fs::path>& homes_;
  std::vector<fs::path> paths_;
};

}  // namespace

std::vector<fs::path> homes_of(const FileReader& files, const Environment& environment) {
  std::vector<fs::path> homes = {"/root", "/home"};
  for (const std::string& name : files.list("/home")) homes.push_back(fs::path("/home") / name);
  const std::string own = variable(environment, "HOME");
  if (own.starts_with('/')) homes.push_back(fs::weakly_canonical(own));
  std::erase_if(homes, [&](const fs::path& home) {
    const std::optional<FileStatus> status = status_for_caller(files, home);
    const std::string first = cat("/", home.relative_path().begin()->string());
    const bool holds_system = k_system_directories.count(home.string()) > 0 || first == "/usr" || first == "/etc";
    return !status || status->type != FileStatus::Type::directory || holds_system;
  });
  std::sort(homes.begin(), homes.end());
  homes.erase(std::unique(homes.begin(), homes.end()), homes.end());
  return homes;
}

std::vector<fs::path> declared_host_files(const FileReader& files, const ElementSet& elements,
                                          const Environment& environment, const std::vector<fs::path>& homes) {
  Declared declared(files, homes);
  ElementTexts texts(files, elements);
  for (const auto& [name, value] : environment) {
    std::vector<fs::path> paths = paths_in(value);
    std::erase_if(paths, [&](const fs::path& path) { return !declared.is_hidden(path); });
    if (paths.empty() || !texts.ask_for(name)) continue;
    for (const fs::path& path : paths) declared.add(path);
  }
  const std::string own = variable(environment, "HOME");
  const fs::path home = own.starts_with('/') ? own : "/nonexistent";
  for (const Element& element : elements.elements) {
    for (const std::string& line : split_lines(files.read(element.path / "host-files").value_or(""))) {
      const std::string path(trim(line));
      if (path.starts_with("~/")) declared.add(home / path.substr(2));
      if (path.starts_with('/')) declared.add(path);
    }
  }
  for (const char* name : {"authorized_keys", "id_ed25519.pub", "id_ecdsa.pub", "id_rsa.pub", "id_dsa.pub"}) {
    declared.add(home / ".ssh" / name);
  }
  return declared.take();
}

std::vector<fs::path> hidden_host_files(const FileReader& files, std::string_view script,
                                        const Environment& environment, const std::vector<fs::path>& homes,
                                        const std::vector<fs::path>& shown) {
  const Declared declared(files, homes);
  std::vector<fs::path> hidden;
  for (const std::string& name : inputs_in(script, variable(environment, "HOME")).host) {
    const fs::path path = GuestPath(name).text();
    if (!is_shown(path, shown) && declared.is_hidden(path) && status_for_caller(files, path)) hidden.push_back(path);
  }
  return hidden;
}

bool is_hidden_home(const fs::path& path, const std::vector<fs::path>& homes, const std::vector<fs::path>& shown) {
  const bool is_of_home = std::any_of(homes.begin(), homes.end(),
                                      [&](const fs::path& home) { return path == home || is_below(path, home); });
  return is_of_home && !is_shown(path, shown);
}

std::string path_of_hooks(const FileReader& files, std::string_view path, const std::vector<fs::path>& homes,
                          const std::vector<fs::path>& shown) {
  std::vector<std::string> seen;
  const auto holds_nothing = [&](const std::string& directory) {
    try {
      return !is_systems_for_programs(directory) && files.list(directory).empty();
    } catch (const Error&) {  // nobody can tell
      return false;
    }
  };
  for (const std::string& directory : split(path, ':')) {
    const std::optional<FileStatus> status = status_for_caller(files, directory);
    const bool is_seen = status && !is_hidden_home(directory, homes, shown) && !holds_nothing(directory);
    const bool is_again = std::find(seen.begin(), seen.end(), directory) != seen.end();
    if (!is_again && (!directory.starts_with('/') || is_seen)) seen.push_back(directory);
  }
  return join(seen, ":");
}

}  // namespace hearth::builder
