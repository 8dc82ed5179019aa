// What lies beside an image to tell what it is and where it comes from:
//
//   NAME.d/sbom.spdx.json        packages, SPDX 2.3
//   NAME.d/provenance.json       in-toto statement: digests of the outputs and of k_evidence_files, how they were made,
//   from
//                                what
//   NAME.d/provenance.dsse.json  the statement in a signed envelope, when there is a key
//   NAME.d/hearth.lock           of a recorded or replayed build
//   NAME.d/hearth.lock.d         what git servers answered to it (fetch/git_answers.hpp)
#pragma once

#include <array>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/json.hpp"
#include "base/path.hpp"
#include "base/sys/secret.hpp"
#include "builder/elements/element.hpp"
#include "builder/evidence/image_facts.hpp"
#include "builder/evidence/own_names.hpp"

namespace hearth::builder::evidence {

/// Of NAME.d: what a statement about NAME covers, as far as it is there.
inline constexpr std::array<const char*, 4> k_evidence_files = {k_lock_file, k_manifest_file, k_sbom_file, k_tree_file};

/// What is told of elements, as they are now. Throws Error when a file of one can't be read.
[[nodiscard]] std::vector<ElementFact> element_facts(const std::vector<Element>& elements);

struct EvidenceRequest {
  fs::path stem;            ///< of the image: NAME in NAME.qcow2 and NAME.d; NAME.d/manifest.json is there
  std::string version;      ///< of the image; may be empty
  std::string builder;      ///< who builds
  bool is_ramdisk = false;  ///< built as ramdisk-image-create does
  std::vector<std::string> arguments;
  fs::path directory;
  Environment environment;
  std::set<std::string> read_variables;  ///< names of the caller's variables that count in some step
  std::vector<ElementFact> elements;     ///< element_facts() of before their hooks ran
  std::optional<fetch::Lock> fetched;    ///< of a recorded or replayed build
  fs::path fetches = {};                 ///< the store that has it, of which NAME.d gets what can't be fetched again
  std::optional<Secret> signing_key;     ///< PEM, Ed25519
};

/// Throws Error; what was there before is replaced, file by file, or removed where this build has none.
void write_evidence(const EvidenceRequest& request);

/// Whether what lies in NAME.d is signed.
[[nodiscard]] bool is_signed(const fs::path& directory);

/// Before NAME.d is about another image: all that verifying and reproducing this one takes lies in `to` as well.
void keep_evidence(const fs::path& directory, const fs::path& to);

/// Before NAME.d is about `outputs`: other images beside it that it is about, and no other directory, have all that in
/// `to` as well. Returns their names.
[[nodiscard]] std::vector<std::string> keep_evidence_of_left(const fs::path& directory,
                                                             const std::vector<fs::path>& outputs, const fs::path& to);

/// The statement about an image, read from beside it.
struct Signature {
  std::string key_id;  ///< as it says; ours are hexadecimal public keys
  std::string bytes;
};
struct Statement {
  fs::path directory;                 ///< NAME.d
  Json content;                       ///< what was signed, else what stands in provenance.json
  Json plain;                         ///< provenance.json
  std::string payload;                ///< as signed; empty when there is no envelope
  std::vector<Signature> signatures;  ///< none of them checked
  std::optional<std::string> digest;  ///< sha256 that it gives for the image; nothing when it doesn't know the file
};
/// By the image's name, else by its digest: whatever image and directory are called now. Throws Error: not_found when
/// there is no NAME.d/provenance.json, input when it can't be understood.
[[nodiscard]] Statement read_statement(const fs::path& image);

/// What NAME.d was called when the statement was made: its files are named so there.
[[nodiscard]] std::string recorded_directory(const Statement& statement);

/// The sha256 that a statement gives for one of its subjects.
[[nodiscard]] std::optional<std::string> digest_in(const Json& statement, const std::string& name);

/// Throws Error(input), naming the first, unless these are the elements with these digests (directory_digest()).
void require_elements(const std::vector<Element>& elements, const std::map<std::string, std::string>& digests);

/// 64 hexadecimal digits, of a public or private key in PEM, or of such digits. Throws Error(input).
[[nodiscard]] std::string public_key_hex(const fs::path& file);

}  // namespace hearth::builder::evidence
