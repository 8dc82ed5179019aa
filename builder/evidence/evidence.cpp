#include "builder/evidence/evidence.hpp"

#include <openssl/evp.h>

#include <algorithm>
#include <array>
#include <memory>

#include "base/certificate.hpp"
#include "base/error.hpp"
#include "base/frames/signature.hpp"
#include "base/hex.hpp"
#include "base/hmac.hpp"
#include "base/redaction.hpp"
#include "base/sys/file.hpp"
#include "base/sys/file_digest.hpp"
#include "base/text.hpp"
#include "builder/evidence/statements.hpp"
#include "builder/fetch/git_answers.hpp"

namespace hearth::builder::evidence {

namespace {

fs::path beside(const fs::path& stem) { return stem.string() + ".d"; }

Json read_json(const fs::path& file) { return parse_json(read_regular(file), file.string()).value_or_throw(); }

ImageFacts collect(const EvidenceRequest& request) {
  const Json manifest = read_json(beside(request.stem) / k_manifest_file);
  ImageFacts facts{.name = request.stem.filename().string(),
                   .version = request.version,
                   .builder = request.builder,
                   .distribution = manifest.value("distribution", ""),
                   .created_s = creation_time(request.environment),
                   .finished_s = static_cast<std::int64_t>(std::time(nullptr)),
                   .is_ramdisk = request.is_ramdisk,
                   .arguments = request.arguments,
                   .directory = request.directory,
                   .environment = telling_variables(request.environment),
                   .read_variables = {},
                   .outputs = {},
                   .evidence = {},
                   .packages = {},
                   .sources = {},
                   .unlisted = manifest.value("unlisted", ""),
                   .elements = request.elements,
                   .fetched = request.fetched.value_or(fetch::Lock())};
  for (const std::string& name : request.read_variables) {
    if (!tells_what_is_built(name) && is_tellable_name(name)) facts.read_variables.push_back(name);
  }
  for (auto& [name, value] : facts.fetched.settings) value = without_credentials(value);
  for (const Json& output : manifest.at("outputs")) {
    facts.outputs.push_back(describe_output(request.stem.parent_path() / output.get<std::string>()));
  }
  for (const Json& package : manifest.at("packages")) {
    facts.packages.push_back({package.value("package", ""), package.value("version", ""), package.value("arch", ""),
                              package.value("manager", "deb"), package.value("license", "")});
  }
  for (const Json& source : manifest.value("sources", Json::array())) {
    facts.sources.push_back(
        {source.value("name", ""), source.value("path", ""), source.value("url", ""), source.value("commit", "")});
  }
  return facts;
}

/// What lies in NAME.d now, by the names under which a statement has it.
std::vector<OutputFile> evidence_in(const fs::path& directory) {
  std::vector<OutputFile> found;
  for (const char* name : k_evidence_files) {
    if (!fs::exists(directory / name)) continue;
    OutputFile file = describe_output(directory / name);
    file.file = directory.filename() / name;
    found.push_back(std::move(file));
  }
  return found;
}

/// Whether a statement has a file with this digest among the images that it is about.
bool is_about(const Json& statement, const std::string& sha256) {
  if (!statement.is_object() || !statement.contains("subject") || !statement["subject"].is_array()) return false;
  return std::any_of(statement["subject"].begin(), statement["subject"].end(), [&](const Json& subject) {
    if (!subject.is_object() || !subject.contains("name") || !subject["name"].is_string()) return false;
    const std::string name = subject["name"];
    return name.find('/') == std::string::npos && digest_in(statement, name) == sha256;
  });
}

/// Of the directories beside an image, but `none_of`, the one whose statement is about its bytes; empty for none.
fs::path directory_by_digest(const fs::path& image, const fs::path& none_of = {}) {
  std::string sha256;
  const fs::path parent = fs::absolute(image).parent_path();
  std::vector<std::string> names = RealFileSystem().list(parent);
  std::sort(names.begin(), names.end());
  for (const std::string& name : names) {
    const fs::path provenance = parent / name / "provenance.json";
    if (!name.ends_with(".d") || !fs::exists(provenance) || parent / name == none_of) continue;
    if (sha256.empty()) sha256 = describe_output(image).sha256;
    const std::optional<std::string> text = RealFileSystem().read(provenance);
    if (text && is_about(json_or_null(*text), sha256)) return parent / name;
  }
  return {};
}

/// NAME.d of NAME.qcow2, NAME.tar.zst, or NAME; else whichever is about it.
fs::path directory_of(const fs::path& image) {
  for (fs::path stem = fs::absolute(image);; stem = stem.parent_path() / stem.stem()) {
    if (fs::exists(beside(stem) / k_provenance_file)) return beside(stem);
    if (!stem.has_extension()) break;
  }
  if (fs::exists(image)) {
    if (fs::path found = directory_by_digest(image); !found.empty()) return found;
  }
  if (!fs::exists(image)) throw Error(ErrorKind::not_found, cat("there is no image ", fs::absolute(image).string()));
  throw Error(ErrorKind::not_found,
              cat("there is no provenance beside ", image.string(), ", by its name or by its digest"))
      .hint(
          "It lies in NAME.d/provenance.json, where `hearth image create` puts it; copy NAME.d along with the image. "
          "Where "
          "it is there, the image was changed.");
}

void open_envelope(Statement& statement) {
  const fs::path file = statement.directory / k_signed_file;
  if (!fs::exists(file)) return;
  try {
    const Json envelope = read_json(file);
    const auto payload = base64_decode(envelope.at("payload").get<std::string>());
    if (!payload || payload->empty()) throw Error(ErrorKind::input, "its payload is no base64");
    if (envelope.value("payloadType", "") != k_payload_type) throw Error(ErrorKind::input, "it is of another type");
    for (const Json& signature : envelope.at("signatures")) {
      const auto bytes = base64_decode(signature.at("sig").get<std::string>());
      if (!bytes) throw Error(ErrorKind::input, "a signature is no base64");
      const std::string key_id = signature.value("keyid", "");  // it is printed, and anyone may have written it
      const bool is_printable = std::all_of(key_id.begin(), key_id.end(), [](char c) { return c > ' ' && c < '\x7f'; });
      statement.signatures.push_back({is_printable ? key_id : "(unreadable)", *bytes});
    }
    statement.payload = *payload;
    statement.content = parse_json(statement.payload, file.string()).value_or_throw();
  } catch (const std::exception& error) {
    throw Error(ErrorKind::input, cat(file.string(), ": this is no signed statement: ", error.what()));
  }
}

}  // namespace

std::optional<std::string> digest_in(const Json& statement, const std::string& name) {
  for (const Json& subject : list_member(statement, "subject")) {
    if (member_or_null(subject, "name") == name) return text_member(member_or_null(subject, "digest"), "sha256");
  }
  return std::nullopt;
}

std::vector<ElementFact> element_facts(const std::vector<Element>& elements) {
  std::vector<ElementFact> facts;
  for (const Element& element : elements) try {
      const auto origin = RealFileSystem().read(element.path.parent_path() / ".origin.json");
      facts.push_back({element.name, element.path, directory_digest(element.path), origin.value_or("")});
    } catch (Error& error) {
      throw error.during(cat("reading the element ", element.name, ", of which all files are told"))
          .hint("Whoever builds has to be able to read them; where it was changed meanwhile, start again.");
    }
  return facts;
}

void require_elements(const std::vector<Element>& elements, const std::map<std::string, std::string>& digests) {
  constexpr const char* hint = "Give the elements that it was made of, by ELEMENTS_PATH.";
  std::map<std::string, std::string> missing = digests;
  for (const Element& element : elements) {
    missing.erase(element.name);
    const auto wanted = digests.find(element.name);
    if (wanted == digests.end()) {
      throw Error(ErrorKind::input, cat("the image was made without the element ", element.name)).hint(hint);
    }
    if (const std::string digest = directory_digest(element.path); digest != wanted->second) {
      throw Error(ErrorKind::input, cat("the element ", element.name, " in ", element.path.string(),
                                        " is not the one that the image was made of (sha256:", digest,
                                        ", its provenance says sha256:", wanted->second, ")"))
          .hint(hint);
    }
  }
  if (missing.empty()) return;
  throw Error(ErrorKind::input, cat("the image was made with the element ", missing.begin()->first, ", too"))
      .hint(hint);
}

void write_evidence(const EvidenceRequest& request) {
  const fs::path directory = beside(request.stem);
  RealFileSystem files;
  files.remove(directory / k_signed_file);  // it is about what is being replaced
  ImageFacts facts = collect(request);
  RealFileSystem().write(directory / k_sbom_file, json_document(spdx_document(facts)), {});
  if (request.fetched) {
    fetch::ObjectStore store(request.fetches);
    fetch::keep_git_answers(directory / k_lock_file, facts.fetched, store);
    files.write(directory / k_lock_file, lock_text(facts.fetched), {.mode = 0644});
  } else {
    for (const char* earlier : {k_lock_file, k_tree_file}) files.remove(directory / earlier);
  }
  fetch::remove_other_git_answers(directory / k_lock_file, facts.fetched);
  facts.evidence = evidence_in(directory);
  const Json statement = provenance_statement(facts);
  RealFileSystem().write(directory / k_provenance_file, json_document(statement), {});
  if (!request.signing_key) return;
  const std::string_view key = request.signing_key->text();
  const std::string payload = format_json(statement);
  RealFileSystem().write(
      directory / k_signed_file,
      json_document(envelope(payload, frames::sign(signed_text(payload), key), frames::public_key_of(key))), {});
}

bool is_signed(const fs::path& directory) { return fs::exists(directory / k_signed_file); }

std::vector<std::string> keep_evidence_of_left(const fs::path& directory, const std::vector<fs::path>& outputs,
                                               const fs::path& to) {
  const Json statement = json_or_null(RealFileSystem().read(directory / k_provenance_file).value_or(""));
  std::vector<std::string> left;
  for (const Json& subject : list_member(statement, "subject")) {
    const std::string name = text_member(subject, "name");
    const fs::path file = directory.parent_path() / name;
    const bool is_made = std::find(outputs.begin(), outputs.end(), file) != outputs.end();
    if (name.empty() || name.find('/') != std::string::npos || is_made || !fs::exists(file)) continue;
    if (describe_output(file).sha256 != digest_in(statement, name)) continue;
    if (directory_by_digest(file, directory).empty()) left.push_back(name);
  }
  if (!left.empty()) keep_evidence(directory, to);
  return left;
}

/// What is written there later takes the names of these files, and not their place.
void keep_evidence(const fs::path& directory, const fs::path& to) {
  std::vector<fs::path> names = {k_provenance_file, k_signed_file};
  names.insert(names.end(), k_evidence_files.begin(), k_evidence_files.end());
  for (const std::string& name : RealFileSystem().list(directory / k_lock_answers))
    names.push_back(fs::path(k_lock_answers) / name);
  for (const fs::path& name : names) {
    if (!fs::is_regular_file(fs::symlink_status(directory / name))) continue;
    fs::create_directories((to / name).parent_path());
    boost::system::error_code failed;
    fs::create_hard_link(directory / name, to / name, failed);
    if (failed) fs::copy_file(directory / name, to / name, fs::copy_options::overwrite_existing);
  }
}

namespace {

Statement statement_in(const fs::path& directory, const fs::path& image) {
  Statement statement;
  statement.directory = directory;
  statement.plain = read_json(statement.directory / k_provenance_file);
  statement.content = statement.plain;
  open_envelope(statement);
  statement.digest = digest_in(statement.content, image.filename().string());
  if (!statement.digest && fs::exists(image)) {  // under another name it is the same image
    const std::string sha256 = describe_output(image).sha256;
    if (is_about(statement.content, sha256)) statement.digest = sha256;
  }
  return statement;
}

}  // namespace

Statement read_statement(const fs::path& image) {
  Statement statement = statement_in(directory_of(image), image);
  if (statement.digest || !fs::exists(image)) return statement;
  const fs::path other = directory_by_digest(image);  // a later build without this output has taken its NAME.d
  return other.empty() ? statement : statement_in(other, image);
}

std::string recorded_directory(const Statement& statement) {
  const Json& content = statement.content;
  if (content.is_object() && content.contains("subject") && content["subject"].is_array()) {
    for (const Json& subject : content["subject"]) {
      if (!subject.is_object() || !subject.contains("name") || !subject["name"].is_string()) continue;
      const std::string name = subject["name"];
      if (const std::size_t slash = name.find('/'); slash != std::string::npos) return name.substr(0, slash);
    }
  }
  return statement.directory.filename().string();
}

std::string public_key_hex(const fs::path& file) {
  if (!fs::exists(file))
    throw Error(ErrorKind::not_found, cat("there is no key ", file.string()))
        .hint(
            "The file with the public key of whoever signed is meant: openssl pkey -in key.pem -pubout -out key.pub "
            "makes it of the private one.");
  const std::string text = read_regular(file);
  std::string plain(trim(text));
  if (is_hex(plain, 64)) return plain;
  if (text.find("PRIVATE KEY") != std::string::npos) return frames::public_key_of(text);
  const PublicKey key = read_public_key(text);
  std::array<unsigned char, 32> raw{};
  std::size_t size = raw.size();
  if (!key || EVP_PKEY_get_raw_public_key(key.get(), raw.data(), &size) != 1 || size != raw.size()) {
    throw Error(ErrorKind::input, cat(file.string(), " holds no Ed25519 key"))
        .hint("openssl genpkey -algorithm ed25519 makes a private key, openssl pkey -pubout its public one.");
  }
  return to_hex({reinterpret_cast<const char*>(raw.data()), raw.size()});
}

}  // namespace hearth::builder::evidence
