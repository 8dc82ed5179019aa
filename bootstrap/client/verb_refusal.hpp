// What a conductor's refusal means to the person who typed the verb: the node by its name, and which command comes
// first. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace hearth::bootstrap {

struct VerbRefusal {
  std::string text;  ///< the conductor's, with the node as it was `called`
  std::string hint;  ///< "web1 is available already", or the verbs that lead to where this one is allowed
};

/// nullopt where `text` refuses nothing for the state that its node is in. `called` may be empty: then it is as told.
[[nodiscard]] std::optional<VerbRefusal> verb_refusal(std::string_view text, const std::string& called);

}  // namespace hearth::bootstrap
