#include "agent/apply/root.hpp"

namespace hearth::agent {

JsonRoot::JsonRoot(const Json& value) : value_(value) {
  if (!value.is_object()) return;
  members_.reserve(value.size());
  for (const auto& [name, member] : value.items()) members_.emplace(name, &member);
}

const Json* JsonRoot::member(const std::string& name) const {
  const auto found = members_.find(name);
  return found == members_.end() ? nullptr : found->second;
}

}  // namespace hearth::agent
