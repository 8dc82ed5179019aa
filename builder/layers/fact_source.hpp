// Facts as they are now: of the merged hooks as the plan laid them out, of the host's files, elements, packages and
// repositories. Answers are kept, since the same files are asked for by many steps.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/sys/file.hpp"
#include "builder/layers/facts.hpp"
#include "builder/layers/read_watch.hpp"
#include "builder/plan/build_plan.hpp"

namespace hearth::builder {

class FactSource {
 public:
  /// The digest of a repository's Release file ("URL") or the commit of a branch ("git URL REF") now; nothing when it
  /// can't be told.
  using Repository = std::function<std::optional<std::string>(const std::string& url)>;
  /// The digest of what a fetch ("METHOD URL") would be answered with now.
  using Fetch = std::function<std::string(const std::string& fetch)>;

  /// `hooks` are the merged hooks before any of them ran; `packages` what -p asks for.
  FactSource(const FileReader& files, fs::path hooks, const BuildPlan& plan, std::vector<std::string> packages,
             Repository repository, Fetch fetch = {}, FactKey key = {})
      : files_(files),
        hooks_(std::move(hooks)),
        plan_(plan),
        packages_(std::move(packages)),
        repository_(std::move(repository)),
        fetch_(std::move(fetch)),
        key_(std::move(key)) {}

  /// All facts of a step that read `reads` and sees `environment`.
  [[nodiscard]] Facts of_step(const Step& step, const Reads& reads, const Environment& environment) const;

  /// Whether the noted facts hold for a step in this environment; else what differs first.
  [[nodiscard]] std::optional<std::string> fault(const Facts& noted, const Environment& environment) const;

 private:
  [[nodiscard]] std::string digest_of(const std::string& fact, const Environment& environment) const;
  [[nodiscard]] std::string hook_digest(const std::string& path) const;
  [[nodiscard]] std::string list_digest(const std::string& path) const;
  [[nodiscard]] std::string elements_digest() const;
  [[nodiscard]] std::string packages_digest(const std::string& phase) const;
  [[nodiscard]] std::string names_digest() const;
  [[nodiscard]] std::string known_host_digest(const std::string& path) const;
  void add_named_inputs(const Step& step, const std::vector<std::string>& texts, const Environment& environment,
                        Facts& facts) const;
  [[nodiscard]] std::string path_digest(const fs::path& path) const;
  [[nodiscard]] std::vector<std::string> texts_of(const Facts& facts, const Environment& environment) const;

  const FileReader& files_;
  fs::path hooks_;
  const BuildPlan& plan_;
  std::vector<std::string> packages_;
  Repository repository_;
  Fetch fetch_;
  FactKey key_;
  mutable std::map<std::string, std::string> known_;  ///< digests of "hook", "list" and "file" facts
};

/// Kind, mode and content of a file or a whole directory of the host, as one digest; words where there is none. Of
/// directories that only the operating system's packages fill (/usr, /var/lib/dpkg, …) the names.
[[nodiscard]] std::string host_digest(const FileReader& files, const fs::path& path);

/// Names, modes, links and contents of everything below a directory, as one digest. Links are not followed. What comes
/// after the first 256 MiB counts by size and time of change, as does a single larger file.
[[nodiscard]] std::string tree_digest(const FileReader& files, const fs::path& directory);

/// All files of the elements, for whoever looks for names in them.
[[nodiscard]] std::vector<std::string> element_texts(const FileReader& files, const BuildPlan& plan);

}  // namespace hearth::builder
