// How stacks, resources and events look on a terminal: the field's tables and lines. Pure.
#pragma once

#include <map>
#include <string>

#include "base/json.hpp"

namespace hearth::metadata::live {

[[nodiscard]] std::string stack_table(const Json& stacks);
/// What a resource that is being made waits for; empty when nothing is known.
[[nodiscard]] std::string waits_for(const Json& resource);
/// With what its resources wait for, where they are given.
[[nodiscard]] std::string stack_fields(const Json& stack, const Json& resources = Json::array());
[[nodiscard]] std::string resource_fields(const Json& resource);
[[nodiscard]] std::string resource_table(const Json& resources, bool nested);

/// What an update would do, from "resource_changes" of its preview; resources that stay are counted.
[[nodiscard]] std::string change_table(const Json& changes);
/// What a new stack would be made of, from "resources" of its preview.
[[nodiscard]] std::string planned_table(const Json& resources);

/// Names events by the path of their resource, as the field's client does: it has to see a nested stack's parent first.
class EventPaths {
 public:
  explicit EventPaths(std::string root) : root_(std::move(root)) {}
  /// "2017-01-14 13:25:13Z [overcloud.Compute.0]: CREATE_IN_PROGRESS  state changed".
  [[nodiscard]] std::string line(const Json& event);

 private:
  std::string root_;
  std::map<std::string, std::string> paths_;  ///< of stacks, by id
};

/// One failed resource, as `failures list` shows it; a null deployment has no output.
[[nodiscard]] std::string failure_text(const std::string& path, const Json& resource, const Json& deployment);

}  // namespace hearth::metadata::live
