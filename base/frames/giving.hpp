// What a machine that gives verified frames of an image to its neighbours, and the conductor that plans who asks whom,
// must know alike (agent/deploy/image/gathering.hpp tells the whole).
#pragma once

#include <string>
#include <string_view>

namespace hearth::frames {

/// Where an agent gives an image: this, and the image's root.
constexpr std::string_view k_giving_path = "/v1/hearth/image/";

/// What has to be shown to be given frames of that image by the machine whose agent has that token: whoever knows it
/// learns nothing of the token, and nothing of another image.
[[nodiscard]] std::string giving_token(std::string_view agent_token, std::string_view root);

}  // namespace hearth::frames
