#include "builder/layers/keyed_facts.hpp"

#include <algorithm>
#include <array>

#include "base/check.hpp"
#include "base/hex.hpp"
#include "base/hmac.hpp"
#include "base/redaction.hpp"
#include "builder/layers/facts.hpp"
#include "builder/layers/input_digest.hpp"

namespace hearth::builder {

namespace {

/// Of paths, where names_secret() knows nothing.
constexpr std::array<std::string_view, 5> k_secret_places = {".netrc", ".ssh/", "/id_", "shadow", "auth"};

}  // namespace

std::string keyed_digest(const FactKey& key, std::string_view value) {
  hearth::check(!key.bytes.empty(), "what is kept of a secret is made by a key");
  return to_hex(hmac(HashKind::sha256, key.bytes, value)).substr(0, fact_digest("").size());
}

std::string variable_digest(const FactKey& key, const std::string& name, const std::string& value) {
  const bool is_secret = names_secret(name) || without_credentials(value) != value;
  return is_secret ? keyed_digest(key, value) : fact_digest(value);
}

std::string file_digest(const FactKey& key, const std::string& name, const std::string& digest) {
  if (digest == k_no_file || digest == fact_digest(k_no_file)) return digest;  // what is not there keeps no secret
  const bool is_secret =
      names_secret(name) || std::any_of(k_secret_places.begin(), k_secret_places.end(),
                                        [&](std::string_view place) { return name.find(place) != std::string::npos; });
  return is_secret ? keyed_digest(key, digest) : digest;
}

}  // namespace hearth::builder
