// Which of the caller's variables a step is handed, and which files of the machine its scripts mean: those that they
// name. So a step can't see what is no fact of it, and an edit of what it does not name leaves its layer as it is.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/sys/file.hpp"
#include "builder/layers/facts.hpp"
#include "builder/layers/plain_environment.hpp"
#include "builder/layers/step_scripts.hpp"
#include "builder/plan/build_plan.hpp"

namespace hearth::builder {

constexpr const char* k_environment_directory = "environment.d";
constexpr const char* k_epoch_variable = "SOURCE_DATE_EPOCH";
/// Files of the caller's home that hooks are shown.
constexpr const char* k_host_files_variable = "HEARTH_HOST_FILES";

/// Whether hooks of the phase run outside of the image's tree.
[[nodiscard]] inline bool runs_on_host(Phase phase) { return info(phase).place != Place::target; }

class StepVariables {
 public:
  using Script = StepScripts::Script;
  using Scripts = StepScripts::Scripts;
  struct Setup {
    std::function<Environment(Phase)> environment;  ///< of a phase's hooks, before environment.d
    Environment callers;
    std::vector<fs::path> libraries;  ///< Hearth's own programs and shell library for hooks
    fs::path start_directory;         ///< of hooks on the host
  };
  struct Handed {
    Environment environment;
    Scripts scripts;
    Mentions mentions;
    StepScripts::Apart apart;                     ///< files of environment.d that are no inputs of it as files
    std::map<std::string, std::string> excerpts;  ///< but what sets a variable that counts, by the file's name
    std::set<std::string> withheld;               ///< what else these set
  };

  StepVariables(const FileReader& files, const BuildPlan& plan, Setup setup);

  /// What a step of the phase is handed, and why; `step` nothing: what environment.d is sourced with.
  [[nodiscard]] const Handed& handed(Phase phase, const Step* step) const;
  /// Names of the caller's variables that count in a step of the plan.
  [[nodiscard]] std::set<std::string> counted() const;
  /// Which text of the step's makes the variable one of its inputs: "named in FILE:LINE"; empty where programs read it
  /// by themselves.
  [[nodiscard]] std::string place_naming(const Step& step, const std::string& variable) const;
  /// By the caller, or by any phase's environment.
  [[nodiscard]] bool is_set(const std::string& variable) const;
  /// Another environment than at first: a recording adds its proxy.
  void use_environment(std::function<Environment(Phase)> environment);

  /// Whether the caller gave the variable, or the builder itself for him.
  [[nodiscard]] bool is_callers(const std::string& name, const std::string& value) const;
  /// What HEARTH_HOOK_VARIABLES asks for.
  [[nodiscard]] const std::set<std::string>& passed() const { return passed_; }
  /// Files and directories of the machine that a variable's value names.
  [[nodiscard]] std::vector<fs::path> paths_in(const std::string& name, const std::string& value, bool on_host) const;
  /// Files of the caller's that a script of the host means by a mere name.
  [[nodiscard]] const std::vector<fs::path>& callers_files(const Script& script) const;

 private:
  struct FileApart {
    const Script* script;
    std::vector<Assignment> sets;
    bool is_of_image = false;  ///< it is Hearth's, and reads what differs between images of the same steps
  };
  [[nodiscard]] Environment choose(const Environment& all, const Mentions& mentions) const;
  [[nodiscard]] bool is_of_hearth(const std::string& element) const;
  [[nodiscard]] bool is_for_scripts(const std::string& variable) const;
  [[nodiscard]] const std::map<std::string, FileApart>& files_apart() const;
  [[nodiscard]] static bool counts_in(const FileApart& file, const Handed& seen);
  void add_excerpts(Handed& seen) const;
  [[nodiscard]] const std::optional<std::set<std::string>>& programs_in(const std::string& directory) const;
  void leave_needed_path(Handed& seen) const;
  [[nodiscard]] const Environment& environment_of(Phase phase) const;
  [[nodiscard]] const std::vector<std::string>& variable_names() const;
  [[nodiscard]] const std::vector<std::size_t>& variables_in(const Script& script) const;
  [[nodiscard]] Mentions mentions_of(const Scripts& scripts) const;
  [[nodiscard]] bool is_there(const fs::path& path) const;
  [[nodiscard]] bool is_file(const fs::path& path) const;
  [[nodiscard]] std::vector<fs::path> named_by(const Script& script, const Environment& environment,
                                               bool on_host) const;
  [[nodiscard]] const std::map<std::string, fs::path>& nameable() const;

  const FileReader& files_;
  const BuildPlan& plan_;
  Setup setup_;
  StepScripts scripts_;
  std::set<std::string> passed_;
  mutable std::map<std::string, Handed> handed_;
  mutable std::optional<std::map<std::string, fs::path>> nameable_;
  mutable std::map<std::string, std::optional<std::set<std::string>>> programs_;  ///< of PATH, by directory
  mutable std::map<const Script*, std::vector<fs::path>> callers_files_;
  mutable std::map<Phase, Environment> environments_;
  mutable std::optional<std::vector<std::string>> variable_names_;          ///< of all phases
  mutable std::map<const Script*, std::vector<std::size_t>> variables_in_;  ///< which of these it names
  mutable std::optional<std::map<std::string, FileApart>> files_apart_;     ///< by name
};

}  // namespace hearth::builder
