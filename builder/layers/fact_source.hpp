// Facts as they are now: of the merged hooks, of the host's files, elements, packages and repositories. Whether a layer
// holds, whether outputs are up to date, and which variables a step is handed are all answered here, by the same rules.
//
// It is asked twice for each step. Before: the facts that an earlier build noted are computed again, and the first that
// differs is the reason why the step runs (local_fault). After: what the step was seen to read (Reads, by ReadWatch and
// StepWatch), what its scripts name and which packages it asked for become the facts of its record (after_step).
//
// What must hold: both ways give the same digest for the same world, or nothing is ever taken; so each kind of fact is
// computed in one function. All is read before the first hook runs (prepare), for files are edited while a build runs:
// the build then has facts of before, and the next one sees the edit. What changed between that and the step's own
// reading is a fact that nothing can be kept with, since nobody knows which of the two the step saw.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/sys/file.hpp"
#include "builder/layers/facts.hpp"
#include "builder/layers/hook_entries.hpp"
#include "builder/layers/input_digest.hpp"
#include "builder/layers/read_watch.hpp"
#include "builder/layers/script_inputs.hpp"
#include "builder/layers/step_variables.hpp"
#include "builder/plan/build_plan.hpp"

namespace hearth::builder {

/// What is on other machines.
struct RemoteFacts {
  /// The digest of a Release file ("URL"), the commit of a branch ("git URL REF") or the validators of a document ("url
  /// URL") now; nothing when it can't be told.
  std::function<std::optional<std::string>(const std::string& what)> repository;
  /// The digest of what a fetch ("METHOD URL") would be answered with now; none outside of recordings and replays.
  std::function<std::string(const std::string& fetch)> fetch;
};

struct FactSetup {
  std::function<Environment(Phase)> environment;  ///< of a phase's hooks, before environment.d
  Environment callers;                            ///< what the caller gave: handed to those steps only that may see it
  std::vector<std::string> packages;              ///< -p
  std::vector<fs::path> libraries;                ///< Hearth's own programs and shell library for hooks
  std::vector<fs::path> written;                  ///< where the build itself writes: outputs, caches
  fs::path downloads;             ///< of those: where hooks keep files for later builds; empty = their own
  std::vector<fs::path> emptied;  ///< hooks find nothing there, and what they write there is gone with the build
  fs::path start_directory;       ///< of hooks on the host
  fs::path shown_elements;        ///< where hooks see Hearth's own elements of this build, by their names
  fs::path memory;                ///< of InputDigests
  FactKey key;
  std::function<bool(const fs::path&)> is_nobodys;  ///< whether hooks see a path's owner as nobody; empty = of none
  std::function<bool(const fs::path&)> is_hidden;   ///< whether hooks find nothing there, whatever is; empty = nowhere
};

/// To be made before the build begins: what is told of a file then holds, even if it is changed while steps run, so
/// that the next build sees the change.
class FactSource {
 public:
  FactSource(const FileReader& files, const BuildPlan& plan, FactSetup setup);

  /// What a step is handed of the phase's environment; `step` nothing: what environment.d is sourced with. All but what
  /// the caller gave and the step's scripts do not name: so none of it can matter without being a fact.
  [[nodiscard]] Environment variables(Phase phase, const Step* step) const {
    return variables_.handed(phase, step).environment;
  }
  /// What of environment.d's variables a step is not handed: those of files that are no inputs of it.
  [[nodiscard]] const std::set<std::string>& withheld(const Step& step) const {
    return variables_.handed(step.phase, &step).withheld;
  }
  /// Whether what the step reads of the machine is to be watched. Hearth's own elements say what they read, but for
  /// what hooks take out of all elements.
  [[nodiscard]] bool may_read_unseen(const Step& step) const;
  /// Names of the caller's variables that count in a step of the plan.
  [[nodiscard]] std::set<std::string> counted_variables() const { return variables_.counted(); }
  /// Another environment than at first: a recording adds its proxy.
  void use_environment(std::function<Environment(Phase)> environment) {
    variables_.use_environment(std::move(environment));
  }

  /// Reads what will be told of the plan's steps.
  void prepare() const;
  /// The element whose files are not those that were told any more, if there is one.
  [[nodiscard]] std::string changed_element() const;
  /// Files and directories of the machine, likewise.
  [[nodiscard]] std::set<std::string> changed_inputs() const { return digests_.changed(); }
  /// In the sandbox, where some places look different: after_step() tells what changes from now on.
  void look_again() { digests_.look_again(); }
  /// after_step() tells of these, too.
  void distrust(std::set<std::string> changed) { changed_ = std::move(changed); }
  /// All facts of a step that read `reads`.
  [[nodiscard]] Facts of_step(const Step& step, const Reads& reads) const;
  /// As of_step(), when it has just run. What of the machine has changed since it was read, by the step or before it
  /// for its digest, is told in a fact that nothing can be kept with: nobody knows which of the two the step saw.
  [[nodiscard]] Facts after_step(const Step& step, const Reads& reads) const;
  /// What differs first of the facts noted for the step of this name, as far as this machine knows.
  [[nodiscard]] std::optional<std::string> local_fault(const std::string& label, const Facts& noted) const;
  /// For describe_differences(), of the step of this name: which text names a variable, whose a file is.
  [[nodiscard]] FactPlace place_of(const std::string& label, const std::string& fact) const;
  /// All that differs.
  [[nodiscard]] std::vector<std::string> local_faults(const std::string& label, const Facts& noted) const;
  /// A file or directory of the machine.
  [[nodiscard]] std::string host_digest_of(const fs::path& path) const;
  /// All files of the elements.
  [[nodiscard]] const std::string& elements_digest() const;
  /// Of each element's files, by its name.
  [[nodiscard]] std::map<std::string, std::string> digests_of_elements() const;

 private:
  /// What a file of the merged hooks says of inputs.
  struct HookText {
    ScriptInputs inputs;
    bool names_elements = false;   ///< as a whole
    bool names_bootstrap = false;  ///< the packages that a bootstrap takes
  };
  void add_elements(Facts& facts) const;  ///< all their files as one fact, and which they are
  [[nodiscard]] std::string element_digest(const fs::path& path) const;
  [[nodiscard]] const std::vector<fs::path>& real_places() const;
  void add_element_reads(const Reads& reads, Facts& facts) const;
  void add_path_of(const std::string& entry, Reads& reads) const;
  [[nodiscard]] const std::vector<HookText>& hook_texts(const std::string& path) const;
  [[nodiscard]] const std::vector<std::string>& host_files() const;
  void add_shown(const Step& step, const Reads& reads, Facts& facts) const;
  [[nodiscard]] Step step_of(const std::string& label) const;
  void add_texts(const Step& step, const Reads& reads, Facts& facts) const;
  void add_variables(const Step& step, const Reads& reads, Facts& facts) const;
  [[nodiscard]] const std::string& digest_of_variable(const std::string& name, const std::string& value) const;
  [[nodiscard]] bool is_copy(const fs::path& path) const;
  void add_host(const std::string& path, Facts& facts) const;
  void add_unnamed(const Reads& reads, Facts& facts) const;
  void forget_places(const Reads& reads, Facts& facts) const;
  [[nodiscard]] bool is_download(const fs::path& path) const;
  [[nodiscard]] Reads without_downloads(Reads reads) const;
  [[nodiscard]] std::vector<fs::path> places_that_count() const;
  [[nodiscard]] bool holds_elements(const fs::path& directory) const;
  [[nodiscard]] bool is_of_element(const fs::path& path) const;
  [[nodiscard]] bool must_be_there(const fs::path& path) const;
  [[nodiscard]] std::string hook_digest(const std::string& path) const;
  [[nodiscard]] std::vector<std::string> hook_names(const std::string& directory) const;
  [[nodiscard]] const std::map<std::string, HookLink>& hook_links() const;
  void note_listings(const std::string& directory) const;
  void add_links(const Step& step, Facts& facts) const;
  [[nodiscard]] std::string listing_digest(const Step& step, const std::string& directory) const;
  [[nodiscard]] std::vector<std::string> names_seen_by(const Step& step, const std::string& directory) const;
  void add_packages(const std::string& phase, Facts& facts) const;
  void add_names(const std::string& directory, Facts& facts) const;

  const FileReader& files_;
  const BuildPlan& plan_;
  std::map<std::string, std::string> beside_;  ///< files_beside_hooks()
  FactSetup setup_;
  StepVariables variables_;
  mutable InputDigests digests_;
  std::set<std::string> changed_;         ///< before look_again()
  mutable std::set<std::string> named_;   ///< files and directories of the machine that the step at hand names
  mutable std::set<std::string> copies_;  ///< of the step at hand
  mutable std::map<std::string, std::string> known_;
  mutable std::optional<std::map<std::string, HookLink>> hook_links_;
  mutable std::optional<Facts> packages_;
  mutable std::map<std::string, Facts> names_;           ///< of add_names(), by directories
  mutable std::map<std::string, std::string> listings_;  ///< likewise, of listing_digest()
  mutable std::map<std::string, std::vector<HookText>> hook_texts_;
  mutable std::optional<std::vector<std::string>> host_files_;
  mutable std::map<std::string, std::string> host_digests_;
  mutable std::map<std::pair<std::string, std::string>, std::string> variable_digests_;
  mutable std::vector<fs::path> element_places_;
  mutable std::vector<fs::path> real_places_;
};

/// What differs first of the facts of other machines. To be asked when nothing else differs: it takes its time.
[[nodiscard]] std::optional<std::string> remote_fault(const Facts& noted, const RemoteFacts& remote);

/// Why a step with these facts can't be kept, whatever comes; nothing when it can.
[[nodiscard]] std::optional<std::string> unkeepable(const Facts& facts);

}  // namespace hearth::builder
