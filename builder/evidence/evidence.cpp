#include "builder/evidence/evidence.hpp"

#include <openssl/bio.h>
#include <openssl/evp.h>
#include <openssl/pem.h>

#include <array>
#include <ctime>
#include <memory>

#include "base/error.hpp"
#include "base/frames/signature.hpp"
#include "base/hex.hpp"
#include "base/hmac.hpp"
#include "base/sys/file.hpp"
#include "base/text.hpp"
#include "builder/evidence/statements.hpp"

namespace hearth::builder::evidence {

namespace {

constexpr int k_indent = 2;

fs::path beside(const fs::path& stem) { return stem.string() + ".d"; }

void write_json(const fs::path& file, const Json& value) {
  RealFileSystem().write(file, cat(value.dump(k_indent), "\n"), {.mode = 0644});
}

Json read_json(const fs::path& file) { return parse_json(read_file(file), file.string()).value_or_throw(); }

std::int64_t creation_time(const Environment& environment) {
  const auto found = environment.find("SOURCE_DATE_EPOCH");
  const auto given = found == environment.end() ? std::nullopt : parse_number(found->second);
  return given ? static_cast<std::int64_t>(*given) : static_cast<std::int64_t>(std::time(nullptr));
}

ImageFacts collect(const EvidenceRequest& request) {
  const Json manifest = read_json(beside(request.stem) / "manifest.json");
  ImageFacts facts{.name = request.stem.filename().string(),
                   .distribution = manifest.value("distribution", ""),
                   .created_s = creation_time(request.environment),
                   .arguments = request.arguments,
                   .directory = request.directory,
                   .environment = telling_variables(request.environment),
                   .outputs = {},
                   .packages = {},
                   .elements = {},
                   .fetched = request.fetched};
  for (const Json& output : manifest.at("outputs")) {
    facts.outputs.push_back(describe_output(request.stem.parent_path() / output.get<std::string>()));
  }
  for (const Json& package : manifest.at("packages")) {
    facts.packages.push_back({package.value("package", ""), package.value("version", ""), package.value("arch", "")});
  }
  for (const Element& element : request.elements) {
    facts.elements.push_back({element.name, element.path, directory_digest(element.path)});
  }
  return facts;
}

/// NAME.d of NAME.qcow2, NAME.tar.zst, or NAME.
fs::path directory_of(const fs::path& image) {
  for (fs::path stem = fs::absolute(image);; stem = stem.parent_path() / stem.stem()) {
    if (fs::exists(beside(stem) / "provenance.json")) return beside(stem);
    if (!stem.has_extension()) break;
  }
  throw Error(ErrorKind::not_found, cat("there is no provenance beside ", image.string()))
      .hint(
          "It lies in NAME.d/provenance.json, where `hearth image create` puts it; copy NAME.d along with the image.");
}

void open_envelope(Statement& statement) {
  const fs::path file = statement.directory / "provenance.dsse.json";
  if (!fs::exists(file)) return;
  try {
    const Json envelope = read_json(file);
    const Json& signature = envelope.at("signatures").at(0);
    const auto payload = base64_decode(envelope.at("payload").get<std::string>());
    const auto bytes = base64_decode(signature.at("sig").get<std::string>());
    if (!payload || !bytes) throw Error(ErrorKind::input, "its payload or signature is no base64");
    statement.payload = *payload;
    statement.signature = *bytes;
    statement.key_id = signature.value("keyid", "");
    statement.content = parse_json(statement.payload, file.string()).value_or_throw();
  } catch (const nlohmann::json::exception& error) {
    throw Error(ErrorKind::input, cat(file.string(), ": this is no signed statement: ", error.what()));
  }
}

std::optional<std::string> digest_in(const Json& statement, const std::string& name) {
  if (!statement.contains("subject") || !statement["subject"].is_array()) return std::nullopt;
  for (const Json& subject : statement["subject"]) {
    if (subject.value("name", "") != name) continue;
    return subject.value("digest", Json::object()).value("sha256", "");
  }
  return std::nullopt;
}

}  // namespace

void write_evidence(const EvidenceRequest& request) {
  const fs::path directory = beside(request.stem);
  const ImageFacts facts = collect(request);
  write_json(directory / "sbom.spdx.json", spdx_document(facts));
  const Json statement = provenance_statement(facts);
  write_json(directory / "provenance.json", statement);
  if (!facts.fetched.fetches.empty()) {
    RealFileSystem().write(directory / "hearth.lock", lock_text(facts.fetched), {.mode = 0644});
  }
  RealFileSystem().remove(directory / "provenance.dsse.json");
  if (!request.signing_key) return;
  const std::string_view key = request.signing_key->text();
  const std::string payload = statement.dump();
  write_json(directory / "provenance.dsse.json",
             envelope(payload, frames::sign(signed_text(payload), key), frames::public_key_of(key)));
}

Statement read_statement(const fs::path& image) {
  Statement statement;
  statement.directory = directory_of(image);
  statement.content = read_json(statement.directory / "provenance.json");
  open_envelope(statement);
  statement.digest = digest_in(statement.content, image.filename().string());
  return statement;
}

std::string public_key_hex(const fs::path& file) {
  const std::string text = read_file(file);
  const std::string plain(trim(text));
  if (plain.size() == 64 && plain.find_first_not_of("0123456789abcdef") == std::string::npos) return plain;
  if (text.find("PRIVATE KEY") != std::string::npos) return frames::public_key_of(text);
  const std::unique_ptr<BIO, int (*)(BIO*)> memory(BIO_new_mem_buf(text.data(), static_cast<int>(text.size())),
                                                   BIO_free);
  const std::unique_ptr<EVP_PKEY, void (*)(EVP_PKEY*)> key(PEM_read_bio_PUBKEY(memory.get(), nullptr, nullptr, nullptr),
                                                           EVP_PKEY_free);
  std::array<unsigned char, 32> raw{};
  std::size_t size = raw.size();
  if (!key || EVP_PKEY_get_raw_public_key(key.get(), raw.data(), &size) != 1 || size != raw.size()) {
    throw Error(ErrorKind::input, cat(file.string(), " holds no Ed25519 key"))
        .hint("openssl genpkey -algorithm ed25519 makes a private key, openssl pkey -pubout its public one.");
  }
  return to_hex({reinterpret_cast<const char*>(raw.data()), raw.size()});
}

}  // namespace hearth::builder::evidence
