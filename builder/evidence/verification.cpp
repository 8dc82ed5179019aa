#include "builder/evidence/verification.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "base/frames/signature.hpp"
#include "base/sys/file.hpp"
#include "base/sys/file_digest.hpp"
#include "base/text.hpp"
#include "builder/evidence/statements.hpp"
#include "builder/fetch/git_answers.hpp"

namespace hearth::builder::evidence {

namespace {

constexpr const char* k_get_again = "Do not use this image; get it, with its .d directory, from its maker again.";

/// A signature of the same key over something else of another kind is none over this.
void require_kind(const Statement& statement) {
  const auto is = [&](const char* pointer, const char* wanted) {
    const Json::json_pointer at(pointer);
    return statement.content.contains(at) && statement.content.at(at) == wanted;
  };
  if (is("/_type", k_statement_type) && is("/predicateType", k_predicate_type) &&
      is("/predicate/buildDefinition/buildType", k_build_type)) {
    return;
  }
  throw Error(ErrorKind::input,
              cat("what lies in ", statement.directory.string(), " is no statement about how an image was built"))
      .hint(k_get_again);
}

void require_signature(const Statement& statement, const std::string& key, const fs::path& image) {
  if (statement.payload.empty()) {
    throw Error(ErrorKind::input, cat(image.string(), " is not signed"))
        .hint("Sign when building: hearth image create --sign-key KEY.");
  }
  std::vector<std::string> others;
  bool has_signed = false;
  for (const Signature& signature : statement.signatures) {
    if (frames::verify(signed_text(statement.payload), signature.bytes, key)) {
      has_signed = true;
    } else if (signature.key_id == key) {
      throw Error(ErrorKind::input,
                  cat("the signature of ", image.string(), " does not hold: its statement was altered"))
          .hint(k_get_again);
    } else {
      others.push_back(signature.key_id);
    }
  }
  if (has_signed) return;
  throw Error(ErrorKind::input, cat(image.string(), " is signed by another key (", join(others, ", "), ")"))
      .hint(k_get_again);
}

/// What was signed is in the envelope; people and other programs read the plain file.
void require_same_provenance(const Statement& statement) {
  if (statement.payload.empty() || statement.plain == statement.content) return;
  throw Error(ErrorKind::input,
              cat((statement.directory / "provenance.json").string(), " is not what was signed (provenance.dsse.json)"))
      .hint(k_get_again);
}

void require_evidence_file(const Statement& statement, const char* name) {
  const fs::path file = statement.directory / name;
  const std::optional<std::string> digest = digest_in(statement.content, cat(recorded_directory(statement), "/", name));
  const bool is_there = fs::exists(fs::symlink_status(file));
  if (!digest && !is_there) return;
  std::string fault;
  if (!digest) {
    fault = "is not among what the provenance names";
  } else if (!is_there) {
    fault = "is missing";
  } else if (!fs::is_regular_file(fs::symlink_status(file)) || describe_output(file).sha256 != *digest) {
    fault = "is not what the provenance says";
  } else {
    return;
  }
  throw Error(ErrorKind::input, cat(file.string(), " ", fault)).hint(k_get_again);
}

/// The lock, which was checked, has their digests. They need not be there.
void require_git_answers(const Statement& statement) {
  const fs::path lock = statement.directory / k_lock_file;
  if (!fs::exists(lock)) return;
  const fetch::Lock content = fetch::parse_lock(read_regular(lock), lock.string()).value_or_throw();
  for (const auto& [file, state] : fetch::git_answers(lock, content)) {
    if (state != fetch::GitAnswer::State::damaged) continue;
    throw Error(ErrorKind::input, cat(file.string(), " is not what the lock says")).hint(k_get_again);
  }
}

/// The directory beside it was found by the name's beginning: "web" of web.tar.
Error missing(const Statement& statement, const fs::path& image) {
  Error error(ErrorKind::not_found, cat("there is no image ", fs::absolute(image).string()));
  std::vector<std::string> names;
  for (const Json& subject : list_member(statement.content, "subject")) {
    const std::string name = text_member(subject, "name");
    if (name.find('/') == std::string::npos && fs::is_regular_file(image.parent_path() / name))
      names.push_back((image.parent_path() / name).string());
  }
  if (!names.empty()) error.hint(cat("Did you mean ", join(names, " or "), "?"));
  return error;
}

}  // namespace

Statement checked_statement(const fs::path& image, const std::vector<std::string>& keys) {
  Statement statement = read_statement(image);
  if (!statement.digest && !fs::exists(image)) throw missing(statement, image);
  for (const std::string& key : keys) require_signature(statement, key, image);
  require_kind(statement);
  require_same_provenance(statement);
  for (const char* name : k_evidence_files) require_evidence_file(statement, name);
  require_git_answers(statement);
  return statement;
}

std::vector<std::string> evidence_faults(const fs::path& stem, const fs::path& image) {
  const fs::path directory = stem.string() + ".d";
  std::vector<std::string> faults;
  for (const char* name : {k_sbom_file, k_provenance_file}) {
    if (!is_regular_file(RealFileSystem(), directory / name))
      faults.push_back(cat((directory / name).string(), " is not there"));
  }
  if (!faults.empty()) return faults;
  try {
    if (!checked_statement(image, {}).digest)
      faults.push_back(cat((directory / k_provenance_file).string(), " knows no ", image.filename().string()));
  } catch (const Error& error) {
    faults.emplace_back(error.what());
  }
  return faults;
}

void require_image(const Statement& statement, const fs::path& image) {
  if (!statement.digest) {
    throw Error(ErrorKind::input,
                cat("the provenance in ", statement.directory.string(), " knows no ", image.filename().string()))
        .hint("Nor does it know another file with these bytes: this one was changed, or has nothing to do with it.");
  }
  const OutputFile file = describe_output(image);
  if (file.sha256 == *statement.digest) return;
  throw Error(ErrorKind::input,
              cat(image.string(), " is sha256:", file.sha256, ", its provenance says sha256:", *statement.digest))
      .hint("It was changed, or cut short, after it was made.");
}

}  // namespace hearth::builder::evidence
