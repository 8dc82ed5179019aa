// What would change for each server against an earlier compile.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "metadata/compile/compiler.hpp"

namespace hearth::metadata {

struct ServerPlan {
  std::string path;
  enum class Change { none, changed, added, removed } change = Change::none;
  std::vector<std::string>
      lines;  ///< "+ second", "~ first: input foo \"a\" -> \"b\", because of env.yaml:2:6", "- third"
};

/// `before`: documents by the servers' paths. With the model that was compiled, what changed is told with the places at
/// which it is written now.
[[nodiscard]] std::vector<ServerPlan> plan(const Compiled& compiled, const std::map<std::string, Value>& before,
                                           StackModel* model = nullptr);
/// The documents of an earlier compile's directory; empty when there is none. Throws Error for what is no such
/// directory.
[[nodiscard]] std::map<std::string, Value> read_compiled(const fs::path& directory, const FileReader& files);

}  // namespace hearth::metadata
