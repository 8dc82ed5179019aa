// What is to be done to get from the present configuration to the wanted one: which files change, which units are
// stopped and started, in which order. Nothing is touched here.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "agent/net/provider.hpp"

namespace hearth::agent::net {

struct FileChange {
  std::string path;  ///< with the root directory
  std::string data;  ///< empty = the file goes
  bool shown = true;
};

struct ChangePlan {
  std::vector<FileChange> files;
  std::vector<Unit> restart;  ///< in start order
  std::vector<Unit> gone;     ///< configured now and not to be; their text is the present one
  std::vector<std::string> warnings;
  std::vector<Replay> replayed;  ///< first: udev has new rules
  [[nodiscard]] bool empty() const { return files.empty() && restart.empty() && gone.empty() && replayed.empty(); }
};

struct PlanRequest {
  Provider provider = Provider::eni;
  std::string root;
  bool cleanup = false;           ///< units that the layout does not have are stopped and lose their files
  std::set<std::string> pending;  ///< units, and what was replayed, whose last start did not succeed
};

/// A unit is restarted when its text differs from the present one, when it is pending, or when one below it is.
[[nodiscard]] ChangePlan plan_change(const Layout& layout, const PlanRequest& request, const FileReader& files);

/// The files and units of these names go; all else stays as it is.
[[nodiscard]] ChangePlan plan_removal(const std::set<std::string>& names, Provider provider, const std::string& root,
                                      const FileReader& files);

}  // namespace hearth::agent::net
