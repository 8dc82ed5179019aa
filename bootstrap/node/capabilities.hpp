// What Hearth, and Ironic beside it, read of a node's capabilities: people may have more of their own. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace hearth::bootstrap {

/// A capability that means something, with the values that do; none: any.
struct KnownCapability {
  std::string_view name;
  std::vector<std::string> values;
};
[[nodiscard]] const std::vector<KnownCapability>& known_capabilities();

/// What is odd about it, as a sentence: a name or a value that is near a known one. One's own is no oddity: empty.
[[nodiscard]] std::string capability_doubt(const std::string& name, const std::string& value);

/// The same of all in "k:v,k2:v2"; what is no KEY:VALUE is odd, too.
[[nodiscard]] std::vector<std::string> capability_doubts(std::string_view text);

}  // namespace hearth::bootstrap
