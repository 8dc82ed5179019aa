#include "builder/store/record_signature.hpp"

#include <algorithm>

#include "base/frames/signature.hpp"
#include "base/text.hpp"

namespace hearth::builder {

namespace {

/// What is signed is what was understood, not what was sent: nothing beside it counts.
std::string statement(const std::string& lookup_key, const LayerRecord& record) {
  return cat("hearth record of a remote cache 1\n", lookup_key, "\n", format_json(to_json(record)));
}

}  // namespace

SignedRecord sign_record(const RecordKeys& keys, const std::string& lookup_key, LayerRecord record) {
  std::string signature = keys.signing.empty() ? "" : frames::sign(statement(lookup_key, record), keys.signing);
  return {std::move(record), std::move(signature)};
}

bool is_trusted(const RecordKeys& keys, const std::string& lookup_key, const SignedRecord& given) {
  if (keys.trusted.empty()) return true;
  const std::string text = statement(lookup_key, given.record);
  return std::any_of(keys.trusted.begin(), keys.trusted.end(),
                     [&](const std::string& key) { return frames::verify(text, given.signature, key); });
}

}  // namespace hearth::builder
