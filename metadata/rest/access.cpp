#include "metadata/rest/access.hpp"

#include "base/hex.hpp"
#include "base/hmac.hpp"
#include "base/text.hpp"

namespace hearth::metadata::live {

namespace {

bool is_loopback(const std::string& peer) {
  return address_in_range(peer, "127.0.0.0/8") || address_in_range(peer, "::1") ||
         address_in_range(peer, "::ffff:127.0.0.0/104");
}

std::string basic_password(const ServedRequest& request) {
  const std::string header = request.header("Authorization").value_or("");
  if (header.compare(0, 6, "Basic ") != 0) return "";
  const std::string plain = base64_decode(trim(header.substr(6))).value_or("");
  const std::size_t colon = plain.find(':');
  return colon == std::string::npos ? "" : plain.substr(colon + 1);
}

std::optional<Caller> agent_of(const std::string& token, const Engine& engine, std::int64_t now) {
  const std::vector<std::string> parts = split(token, '.');
  if (parts.size() != 4 || parts[0] != "agent") return std::nullopt;
  const std::optional<std::uint64_t> expires = parse_number(parts[2]);
  const std::optional<AccessKey> key = engine.access_key(parts[1]);
  if (!expires || !key || static_cast<std::int64_t>(*expires) <= now) return std::nullopt;
  const std::string expected = agent_token(parts[1], key->secret, static_cast<std::int64_t>(*expires));
  if (!equal_in_constant_time(expected, token)) return std::nullopt;
  return Caller{cat("agent ", parts[1]), Right::reads, "", parts[1]};
}

}  // namespace

std::optional<Caller> identify(const ServedRequest& request, const AccessPolicy& policy, const Engine& engine,
                               std::int64_t now) {
  const std::string token = request.header("X-Auth-Token").value_or("");
  if (token.compare(0, 6, "agent.") == 0) return agent_of(token, engine, now);
  if (policy.tokens != nullptr) {
    for (const std::string& given : {token, basic_password(request)}) {
      std::optional<PeopleToken> known = policy.tokens->find(given, now);
      if (!known && !given.empty() && policy.read_again) {
        policy.read_again();
        known = policy.tokens->find(given, now);
      }
      if (known) return Caller{cat("token ", known->name), known->right, known->project};
    }
  }
  if (policy.trust_loopback && is_loopback(request.peer)) return Caller{"loopback", Right::everything, ""};
  return std::nullopt;
}

}  // namespace hearth::metadata::live
