// Which Release files the target's package lists were taken by: what apt installs follows from them, so they are inputs
// of the step in which they came, whoever ran apt-get update.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/sys/tree_reader.hpp"
#include "builder/layers/facts.hpp"

namespace hearth::builder {

class AptLists {
 public:
  /// What is there now came with earlier steps.
  explicit AptLists(const fs::path& target) { (void)changes(target); }
  /// "repository URL" of Release files that came or changed since the last call, and their digests; "unseen …" for one
  /// whose URL neither a source nor `known` tells: a text with URLs of repositories. (What debootstrap took is there
  /// when upstream's element has removed the sources.)
  [[nodiscard]] Facts changes(const fs::path& target, const std::string& known = "");

 private:
  std::map<std::string, std::string> seen_;  ///< name → look
};

/// "http://mirror/dists/x/InRelease" of "mirror_dists_x_InRelease"; `sources` are the texts of sources.list and its
/// like. Nothing when none of them tells the scheme.
[[nodiscard]] std::optional<std::string> release_url(const std::string& list, const std::string& sources);

}  // namespace hearth::builder
