#include "builder/lint/node_scripts.hpp"

#include <algorithm>

#include "base/run_parts.hpp"
#include "base/text.hpp"
#include "builder/lint/left_out.hpp"

namespace hearth::builder {

namespace {

std::vector<std::string> node_phase_directories() {
  std::vector<std::string> names;
  for (const std::string_view phase : k_node_phases) names.push_back(cat(phase, ".d"));
  names.emplace_back("error.d");
  return names;
}

class NodeScripts {
 public:
  NodeScripts(const FileReader& files, const Element& element) : files_(files), element_(element) {}

  std::vector<Finding> idle() {
    const std::vector<std::string> phases = node_phase_directories();
    const fs::path top = element_.path / "os-refresh-config";
    if (!is_directory(files_, top)) return {};
    for (const std::string& name : files_.list(top)) {
      if (name.front() == '.') continue;
      if (!is_directory(files_, top / name)) {
        if (is_script(top / name))
          warn(top / name, "phase", cat("no node runs this script, it lies in no phase: ", join(phases, " ")));
      } else if (std::find(phases.begin(), phases.end(), name) != phases.end()) {
        check_phase(top / name);
      } else {
        check_foreign(top / name, phases);
      }
    }
    return std::move(found_);
  }

 private:
  [[nodiscard]] bool is_executable(const fs::path& path) const {
    const std::optional<FileStatus> status = files_.status(path);
    return status && status->type == FileStatus::Type::regular && (status->mode & 0111U) != 0;
  }
  [[nodiscard]] bool is_script(const fs::path& path) const {
    return is_executable(path) || (is_regular_file(files_, path) && files_.read(path).value_or("").starts_with("#!"));
  }
  void warn(const fs::path& path, const char* check, std::string what) {
    if (is_mentioned(files_, element_.path, path.filename().string(), 3, path)) return;
    found_.push_back({path, 0, Severity::warning, check, std::move(what)});
  }

  void check_phase(const fs::path& directory) {
    for (const std::string& name : files_.list(directory)) {
      const fs::path path = directory / name;
      if (name.front() == '.' || !is_script(path)) continue;
      if (!is_run_parts_name(name)) {
        const std::string plain = fs::path(name).stem().string();
        const std::string better = is_run_parts_name(plain) ? cat("; call it ", plain) : "";
        warn(path, "hookname",
             cat("no node runs this script, its name may have letters, digits, _ and - only: '", name, "'", better));
      } else if (!is_executable(path)) {
        warn(path, "executable", "no node runs this script, it is not executable: chmod +x");
      }
    }
  }

  /// Scripts in a directory that is no phase: where it is named as one, or nearly, or has such scripts in it.
  void check_foreign(const fs::path& directory, const std::vector<std::string>& phases) {
    const std::string name = directory.filename().string();
    const std::vector<std::string> below = files_.list(directory);
    const bool has_scripts =
        std::any_of(below.begin(), below.end(), [&](const std::string& each) { return is_script(directory / each); });
    const std::optional<std::string> near = nearest(name.ends_with(".d") ? name : cat(name, ".d"), phases);
    if (!has_scripts) return;
    warn(directory, "phase",
         cat("no node runs the scripts in it: os-refresh-config has no phase ", name,
             near ? cat("; did you mean ", *near, "?") : "", " (phases: ", join(phases, " "), ")"));
  }

  const FileReader& files_;
  const Element& element_;
  std::vector<Finding> found_;
};

}  // namespace

std::vector<Finding> idle_node_scripts(const FileReader& files, const Element& element) {
  return NodeScripts(files, element).idle();
}

}  // namespace hearth::builder
