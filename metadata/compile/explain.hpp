// Where a value in a server's metadata came from.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "metadata/compile/compiler.hpp"
#include "metadata/compile/provenance.hpp"

namespace hearth::metadata {

/// Something that only the run tells, on the way to a value that waits.
struct Wait {
  Event event;
  std::string type{};           ///< of its resource
  std::string place{};          ///< where that is written
  std::string server{};         ///< by name, where it is a deployment: who has to answer
  std::vector<Event> behind{};  ///< what it waits for itself
};

/// A value in a server's document and how it came about.
struct Explanation {
  std::string key;
  std::optional<Value> value{};  ///< nothing while it waits
  std::vector<Event> waits{};    ///< for what, then
  std::vector<Wait> chain{};     ///< these and all that they wait for: first what waits for nothing else
  Origin origin{};
  std::string put_by{};     ///< the deployment's path and place; empty where it is none's
  bool is_derived = false;  ///< it has, or may have, what is made of the site's seed: ids, passwords, keys
};

/// `server` is a path, a name or an id; `key` goes into the document: "deployments.NetworkDeployment.inputs.foo", list
/// items by name or number. Throws Error(not_found) with the nearest name.
[[nodiscard]] Explanation explain(StackModel& model, const Compiled& compiled, const std::string& server,
                                  const std::string& key);
/// What may stand first in a key of that server's.
[[nodiscard]] std::vector<std::string> keys_of(const Compiled& compiled, const std::string& server);
/// For people: the value, the tree below it, what put it there.
[[nodiscard]] std::vector<std::string> explained_lines(const Explanation& explanation);
[[nodiscard]] Value explained_document(const Explanation& explanation);
/// How an input of a deployment came about.
[[nodiscard]] Origin input_origin(const Sources& sources, Resource& deployment, const std::string& input);
/// The deployment of this name on a server; null where there is none.
[[nodiscard]] Resource* deployment_named(StackModel& model, const ServerDocument& server, const std::string& name);

}  // namespace hearth::metadata
