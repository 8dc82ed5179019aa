// What failed in a stack, for people: `hearth stack failures list`, and the end of `hearth deploy`.
#pragma once

#include <string>

#include "metadata/live/stack_client.hpp"

namespace hearth::metadata::live {

/// Failed resources that hold no failed stack themselves, with what their deployments wrote; empty when there is none.
/// `place`: "/stacks/NAME/ID"; `path`: how the stack is called in the text.
[[nodiscard]] std::string failures_text(StackClient& client, const std::string& place, const std::string& path);

}  // namespace hearth::metadata::live
