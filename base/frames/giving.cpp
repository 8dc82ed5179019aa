#include "base/frames/giving.hpp"

#include "base/hex.hpp"
#include "base/hmac.hpp"
#include "base/text.hpp"

namespace hearth::frames {

std::string giving_token(std::string_view agent_token, std::string_view root) {
  return to_hex(hmac(HashKind::sha256, agent_token, cat("hearth gives ", root)));
}

}  // namespace hearth::frames
