// What git posts when it fetches, without what only says which git it is: so that a lock holds for another version.
// Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace hearth::builder::fetch {

/// A body of application/x-git-upload-pack-request (pkt-lines, gitprotocol-common(5)) without its capabilities agent
/// and session-id; nothing when it is no such body.
[[nodiscard]] std::optional<std::string> without_agent(std::string_view body);

}  // namespace hearth::builder::fetch
