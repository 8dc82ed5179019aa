// The templates that TripleO's process-templates would write from those in Jinja, made when they are read; nothing is
// written. From X.j2.yaml comes X.yaml; from X.role.j2.yaml <role>-X.yaml for each role (in network/config/*:
// ROLE.yaml); from X.network.j2.yaml one for each enabled network, "network" (in …/ports "port") in its name being the
// network's. j2_excludes.yaml names outputs that are not made. Hidden files and directories don't count.
#pragma once

#include <map>
#include <string>
#include <unordered_map>

#include "metadata/compile/files.hpp"
#include "metadata/roles/role_set.hpp"

namespace hearth::metadata {

/// How one output is made.
struct RenderingRule {
  enum class Kind { plain, role, network };
  std::string source;  ///< "overcloud.j2.yaml", below the tree
  Kind kind = Kind::plain;
  std::size_t index = 0;  ///< of the role or network
};

/// By the name of the output below the tree.
using RenderingRules = std::map<std::string, RenderingRule>;

/// `sources`: names of all *.j2.yaml below the tree, sorted. `excludes`: outputs that are not made.
[[nodiscard]] RenderingRules rendering_rules(const std::vector<std::string>& sources, const RoleSet& set,
                                             const std::vector<std::string>& excludes);

/// Names of the *.j2.yaml below `root`.
[[nodiscard]] std::vector<std::string> jinja_files(const FileReader& reader, const fs::path& root);

/// "overcloud.yaml" for "overcloud.j2.yaml": what is compiled, or sent, is the rendered one.
[[nodiscard]] std::string without_jinja(const std::string& name);

/// The nearest directory above `file` with j2_excludes.yaml or network_data.yaml; else the one it is in.
[[nodiscard]] fs::path tree_root(const FileReader& reader, const fs::path& file);

/// Files on disk, those that are rendered before those that are there.
class RenderedFiles final : public FileSource {
 public:
  /// Throws Fault.
  RenderedFiles(const FileReader& reader, fs::path root, RoleSet set, Sources& sources);

  [[nodiscard]] std::optional<std::string> read(const std::string& name) override;
  [[nodiscard]] std::string resolve(const std::string& from, const std::string& reference) override;
  [[nodiscard]] bool strips_templates() const override { return true; }
  [[nodiscard]] const RenderingRules& rules() const { return rules_; }
  /// The text of one output. Throws Fault.
  [[nodiscard]] std::string render_output(const std::string& output);

 private:
  [[nodiscard]] std::string below_root(const std::string& name) const;
  [[nodiscard]] std::vector<std::pair<std::string, Value>> variables(const RenderingRule& rule,
                                                                     const std::string& text) const;

  const FileReader& reader_;
  DiskFiles disk_;
  fs::path root_;
  RoleSet set_;
  Sources& sources_;
  RenderingRules rules_;
  std::unordered_map<std::string, std::string> rendered_;
};

}  // namespace hearth::metadata
