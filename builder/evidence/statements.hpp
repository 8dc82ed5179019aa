// What is said of an image in standard forms: an SPDX 2.3 bill of materials (spdx.github.io/spdx-spec/v2.3), an in-toto
// statement (v1) with SLSA provenance (slsa.dev/spec/v1.0/provenance), and the DSSE envelope that a signed statement is
// wrapped in (secure-systems-lab/dsse, protocol v1). Pure.
#pragma once

#include <cstdint>
#include <string>

#include "base/json.hpp"
#include "builder/evidence/image_facts.hpp"

namespace hearth::builder::evidence {

/// What a statement of ours about an image is, in the words of in-toto and SLSA.
inline constexpr const char* k_statement_type = "https://in-toto.io/Statement/v1";
inline constexpr const char* k_predicate_type = "https://slsa.dev/provenance/v1";
inline constexpr const char* k_build_type = "urn:hearth:image-create:1";

/// Among the external parameters: names of the caller's variables that hooks read and whose values do not stand there.
inline constexpr const char* k_read_variables = "variablesRead";
/// Whether a name may stand there: of few letters, digits, "_", "-", "." and "%", so that it is no URL with a password,
/// and does no harm to a terminal.
[[nodiscard]] bool is_tellable_name(std::string_view variable);

/// "2026-11-23T10:00:00Z", of seconds since 1970; parse_time() reads it.
[[nodiscard]] std::string iso_time(std::int64_t seconds);

[[nodiscard]] Json spdx_document(const ImageFacts& facts);
[[nodiscard]] Json provenance_statement(const ImageFacts& facts);

inline constexpr const char* k_payload_type = "application/vnd.in-toto+json";
/// What is signed in the place of `payload`.
[[nodiscard]] std::string signed_text(const std::string& payload);
/// The envelope; `key_id` is the public key, hexadecimal.
[[nodiscard]] Json envelope(const std::string& payload, const std::string& signature, const std::string& key_id);

}  // namespace hearth::builder::evidence
