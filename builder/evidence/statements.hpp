// What is said of an image in standard forms: an SPDX 2.3 bill of materials (spdx.github.io/spdx-spec/v2.3), an in-toto
// statement (v1) with SLSA provenance (slsa.dev/spec/v1.0/provenance), and the DSSE envelope that a signed statement is
// wrapped in (secure-systems-lab/dsse, protocol v1). Pure.
#pragma once

#include <string>

#include "base/json.hpp"
#include "builder/evidence/image_facts.hpp"

namespace hearth::builder::evidence {

[[nodiscard]] Json spdx_document(const ImageFacts& facts);
[[nodiscard]] Json provenance_statement(const ImageFacts& facts);

inline constexpr const char* k_payload_type = "application/vnd.in-toto+json";
/// What is signed in the place of `payload`.
[[nodiscard]] std::string signed_text(const std::string& payload);
/// The envelope; `key_id` is the public key, hexadecimal.
[[nodiscard]] Json envelope(const std::string& payload, const std::string& signature, const std::string& key_id);

}  // namespace hearth::builder::evidence
