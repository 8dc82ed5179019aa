// The texts that a step may run, told before it runs: its script, environment.d, files beside the hooks, of the shell
// library and of the machine that those name, and what these name in turn. Which variables a step is handed follows
// from them, so that it can't see one that is none of its inputs.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/sys/file.hpp"
#include "builder/layers/facts.hpp"
#include "builder/layers/script_inputs.hpp"
#include "builder/plan/build_plan.hpp"

namespace hearth::builder {

/// Who names it takes what the lists of packages ask for.
constexpr const char* k_bootstrap_packages = "HEARTH_BOOTSTRAP_PACKAGES";

class StepScripts {
 public:
  /// Read when asked for.
  class Script {
   public:
    /// In a phase's directory; elsewhere among the hooks; of Hearth's library; of the machine, by itself or below a
    /// directory.
    enum class Place { hook, beside, library, host, host_below };
    /// `own`: of one of Hearth's own elements.
    Script(const FileReader& files, fs::path path, Place place, bool own = false)
        : files_(files), path_(std::move(path)), place_(place), is_own_(own) {}
    [[nodiscard]] Place place() const { return place_; }
    [[nodiscard]] const fs::path& path() const { return path_; }
    [[nodiscard]] const ScriptWords& words() const;
    /// What it says of its inputs; `home` is the caller's.
    [[nodiscard]] const ScriptInputs& inputs(const std::string& home) const;

   private:
    const FileReader& files_;
    fs::path path_;
    Place place_;
    bool is_own_;
    mutable std::unique_ptr<ScriptWords> words_;
    mutable std::optional<ScriptInputs> inputs_;
  };
  using Scripts = std::vector<const Script*>;

  /// `libraries` are directories of Hearth's own shell library and programs for hooks.
  StepScripts(const FileReader& files, const BuildPlan& plan, const std::vector<fs::path>& libraries, std::string home);

  /// `step` nothing: environment.d alone. `host_paths` tells which files of the machine a text names. Files of
  /// environment.d that are `apart` count where another text names them.
  using HostPaths = std::function<std::vector<fs::path>(const Script& script)>;
  using Apart = std::map<std::string, const Script*>;
  [[nodiscard]] Scripts of(const Step* step, const HostPaths& host_paths, const Apart& apart = {}) const;

  /// By their names.
  [[nodiscard]] const std::map<std::string, const Script*>& environment() const { return environment_; }
  /// Whether a text that is none of environment.d's has the name as a word.
  [[nodiscard]] bool is_named(std::string_view variable) const;

 private:
  /// Nothing where it is no script by its name or size.
  const Script* add_file(const fs::path& path, const std::string& name, Script::Place place);
  const Script& add_script(const fs::path& path, const std::string& name, Script::Place place);
  void add_elements_directory(const HookEntry& entry, Script::Place place);
  void add_directory(const fs::path& directory, Script::Place place);
  [[nodiscard]] Scripts roots(const Step* step, const Apart& apart) const;
  [[nodiscard]] const Scripts& mentioned_in(const Script& script) const;
  [[nodiscard]] Scripts on_host(const fs::path& path) const;

  [[nodiscard]] bool is_own(const fs::path& path) const;

  const FileReader& files_;
  std::string home_;
  std::vector<fs::path> own_;  ///< where Hearth's own elements lie
  std::vector<std::unique_ptr<Script>> scripts_;
  std::multimap<std::string, const Script*> by_name_;
  std::map<std::string, const Script*> hooks_;  ///< by label
  std::map<std::string, const Script*> environment_;
  Scripts packages_;
  mutable std::map<const Script*, Scripts> mentioned_;
  mutable std::map<std::string, Scripts> on_host_;
  mutable std::vector<std::unique_ptr<Script>> host_scripts_;
};

}  // namespace hearth::builder
