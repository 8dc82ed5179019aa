// What lies beside an image to tell what it is and where it comes from:
//
//   NAME.d/sbom.spdx.json        packages, SPDX 2.3
//   NAME.d/provenance.json       in-toto statement: the outputs' digests, how they were made, from what
//   NAME.d/provenance.dsse.json  the statement in a signed envelope, when there is a key
//   NAME.d/hearth.lock           of a recorded or replayed build
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/json.hpp"
#include "base/path.hpp"
#include "base/sys/secret.hpp"
#include "builder/elements/element.hpp"
#include "builder/evidence/image_facts.hpp"

namespace hearth::builder::evidence {

struct EvidenceRequest {
  fs::path stem;  ///< of the image: NAME in NAME.qcow2 and NAME.d; NAME.d/manifest.json is there
  std::vector<std::string> arguments;
  fs::path directory;
  Environment environment;
  std::vector<Element> elements;
  fetch::Lock fetched;
  std::optional<Secret> signing_key;  ///< PEM, Ed25519
};

/// Throws Error; what was there before is replaced, file by file.
void write_evidence(const EvidenceRequest& request);

/// The statement about an image, read from beside it.
struct Statement {
  fs::path directory;  ///< NAME.d
  Json content;
  std::string payload;                ///< as signed; empty when there is no envelope
  std::string signature;              ///< bytes
  std::string key_id;                 ///< hexadecimal
  std::optional<std::string> digest;  ///< sha256 that it gives for the image; nothing when it doesn't know the file
};
/// Throws Error: not_found when there is no NAME.d/provenance.json, input when it can't be understood.
[[nodiscard]] Statement read_statement(const fs::path& image);

/// 64 hexadecimal digits, of a public or private key in PEM, or of such digits. Throws Error(input).
[[nodiscard]] std::string public_key_hex(const fs::path& file);

}  // namespace hearth::builder::evidence
