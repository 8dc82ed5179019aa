#include "builder/channels/pointer.hpp"

#include <algorithm>
#include <set>

#include "base/base64.hpp"
#include "base/debian_version.hpp"
#include "base/error.hpp"
#include "base/foreign_json.hpp"
#include "base/frames/signature.hpp"
#include "base/hex.hpp"
#include "base/json.hpp"
#include "base/log.hpp"
#include "base/text.hpp"
#include "builder/evidence/policy.hpp"
#include "builder/evidence/statements.hpp"

namespace hearth::builder::channels {

namespace {

constexpr const char* k_channel_type = "urn:hearth:channel:1";
constexpr std::size_t k_longest_word = 128;
constexpr std::size_t k_longest_path = 1024;
constexpr std::size_t k_most_files = 100'000;
constexpr std::uint64_t k_largest_serial = std::uint64_t{1} << 53U;  // what JSON's numbers hold everywhere

bool is_word(std::string_view text) {
  constexpr std::string_view k_letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-";
  return !text.empty() && text.size() <= k_longest_word && text.front() != '.' && text.front() != '-' &&
         text.find_first_not_of(k_letters) == std::string_view::npos;
}

/// Relative, and it leads nowhere else than its text says.
bool is_safe_path(const std::string& path) {
  if (path.empty() || path.size() > k_longest_path || one_line(path) != path) return false;
  const std::vector<std::string> parts = split(path, '/');
  return std::none_of(parts.begin(), parts.end(),
                      [](const std::string& part) { return part.empty() || part == "." || part == ".."; });
}

NamedFile file_of(const Json& subject, const Json& sizes) {
  NamedFile file{.path = subject.at("name").get<std::string>(),
                 .sha256 = subject.at("digest").at("sha256").get<std::string>()};
  if (!is_safe_path(file.path)) throw Error(ErrorKind::input, cat("'", one_line(file.path), "' is no name of a file"));
  if (!is_hex(file.sha256, 64)) throw Error(ErrorKind::input, cat("'", file.path, "' has no digest"));
  file.size = sizes.at(file.path).get<std::uint64_t>();
  return file;
}

/// No file stands where another has its directory, and none is there twice.
void require_a_tree(const std::vector<NamedFile>& files) {
  if (files.empty()) throw Error(ErrorKind::input, "it names no image");
  std::set<std::string> paths;
  std::set<std::string> directories;
  for (const NamedFile& file : files) {
    if (!paths.insert(file.path).second) throw Error(ErrorKind::input, cat("'", file.path, "' is in it twice"));
    for (std::size_t at = file.path.find('/'); at != std::string::npos; at = file.path.find('/', at + 1))
      directories.insert(file.path.substr(0, at));
  }
  for (const std::string& path : paths) {
    if (directories.count(path) > 0) throw Error(ErrorKind::input, cat("'", path, "' is a file and a directory"));
  }
}

std::int64_t time_of(const Json& predicate, const char* member) {
  const auto time = evidence::parse_time(predicate.at(member).get<std::string>());
  if (!time) throw Error(ErrorKind::input, cat("'", member, "' is no time"));
  return *time;
}

Pointer pointer_in(const std::string& statement, const std::string& source) {
  const Json json = parse_json(statement, source).value_or_throw();
  if (text_member(json, "_type") != evidence::k_statement_type || text_member(json, "predicateType") != k_channel_type)
    throw Error(ErrorKind::input, "this is no statement about a channel");
  const Json& predicate = json.at("predicate");
  Pointer pointer{.reference = {predicate.at("name").get<std::string>(), predicate.at("channel").get<std::string>()},
                  .serial = predicate.at("serial").get<std::uint64_t>(),
                  .published_s = time_of(predicate, "published"),
                  .expires_s = {},
                  .version = text_member(predicate, "version"),
                  .files = {}};
  if (pointer.serial > k_largest_serial) throw Error(ErrorKind::input, "its serial is too large");
  if (predicate.contains("expires")) pointer.expires_s = time_of(predicate, "expires");
  if (predicate.contains("built")) pointer.built_s = time_of(predicate, "built");
  const Json& subjects = json.at("subject");
  if (subjects.size() > k_most_files) throw Error(ErrorKind::input, "it names too many files");
  for (const Json& subject : subjects) pointer.files.push_back(file_of(subject, predicate.at("sizes")));
  require_a_tree(pointer.files);
  return pointer;
}

Opened read_envelope(const std::string& text, const std::string& source) {
  const Json envelope = parse_json(text, source).value_or_throw();
  if (text_member(envelope, "payloadType") != evidence::k_payload_type)
    throw Error(ErrorKind::input, "this is no signed statement");
  const auto payload = base64_decode(envelope.at("payload").get<std::string>());
  const Json& signature = envelope.at("signatures").at(0);
  const auto bytes = base64_decode(signature.at("sig").get<std::string>());
  Opened opened{.pointer = {}, .key_id = signature.at("keyid").get<std::string>(), .statement = payload.value_or("")};
  if (!payload || !bytes || !is_hex(opened.key_id, 64) ||
      !frames::verify(evidence::signed_text(*payload), *bytes, opened.key_id)) {
    throw Error(ErrorKind::input, "its signature does not hold: it was altered");
  }
  return opened;
}

}  // namespace

std::optional<Reference> parse_reference(std::string_view text) {
  const std::size_t at = text.find('@');
  if (at == std::string_view::npos) return std::nullopt;
  const std::string_view name = text.substr(0, at);
  const std::string_view channel = text.substr(at + 1);
  if (!is_word(name) || !is_word(channel)) return std::nullopt;
  return Reference{std::string(name), std::string(channel)};
}

Reference reference_of(std::string_view text) {
  if (auto reference = parse_reference(text)) return *std::move(reference);
  throw Error(ErrorKind::usage, cat("'", one_line(text), "' is no NAME@CHANNEL"))
      .hint(
          "As web@stable: each of letters, digits, '_', '.' and '-', at most 128. Where an image's own name is not so: "
          "--name NAME.");
}

std::string sealed(const Pointer& pointer, std::string_view key_pem) {
  Json subjects = Json::array();
  Json sizes = Json::object();
  for (const NamedFile& file : pointer.files) {
    subjects.push_back({{"name", file.path}, {"digest", {{"sha256", file.sha256}}}});
    sizes[file.path] = file.size;
  }
  Json predicate = {{"name", pointer.reference.name},
                    {"channel", pointer.reference.channel},
                    {"serial", pointer.serial},
                    {"published", evidence::iso_time(pointer.published_s)}};
  if (pointer.expires_s) predicate["expires"] = evidence::iso_time(*pointer.expires_s);
  if (!pointer.version.empty()) predicate["version"] = pointer.version;
  if (pointer.built_s != 0) predicate["built"] = evidence::iso_time(pointer.built_s);
  predicate["sizes"] = std::move(sizes);
  const std::string payload = format_json({{"_type", evidence::k_statement_type},
                                           {"subject", std::move(subjects)},
                                           {"predicateType", k_channel_type},
                                           {"predicate", std::move(predicate)}});
  return json_document(evidence::envelope(payload, frames::sign(evidence::signed_text(payload), key_pem),
                                          frames::public_key_of(key_pem)));
}

Opened open_pointer(const std::string& envelope, const Reference& wanted, const std::vector<std::string>& keys,
                    const std::string& source) {
  const auto refused = [&](const std::string& why) {
    return Error(ErrorKind::input, cat(wanted.text(), ": ", source, " is refused: ", why));
  };
  try {
    Opened opened = read_envelope(envelope, source);
    if (!keys.empty() && std::find(keys.begin(), keys.end(), opened.key_id) == keys.end()) {
      throw refused(cat("it is signed by another key (", opened.key_id, ")"))
          .hint(cat("The key that must have signed is ", join(keys, " or "), "."));
    }
    opened.pointer = pointer_in(opened.statement, source);
    if (opened.pointer.reference != wanted)
      throw refused(cat("it is about ", opened.pointer.reference.text())).hint("Somebody has put it in this place.");
    return opened;
  } catch (const Json::exception& error) {
    throw refused(cat("it is not understood, or cut short: ", json_fault(error)));
  } catch (const Error& error) {
    if (std::string_view(error.what()).starts_with(wanted.text())) throw;
    throw refused(error.what()).hint("Fetch it again; where it stays so, who publishes it has to do so again.");
  }
}

void require_unexpired(const Pointer& pointer, std::int64_t now_s) {
  if (!pointer.expires_s || now_s < *pointer.expires_s) return;
  throw Error(ErrorKind::input,
              cat(pointer.reference.text(), " is refused: it has expired, at ", evidence::iso_time(*pointer.expires_s)))
      .hint(cat("What is served is old, or nobody has renewed it: hearth image channel promote ",
                pointer.reference.text(), " ", pointer.reference.channel,
                " --expires DAYS. Or is this machine's clock wrong?"));
}

std::string older_than(const Pointer& next, const Pointer& now) {
  if (!next.version.empty() && !now.version.empty()) {
    const int order = compare_debian_versions(next.version, now.version);
    if (order < 0) return cat("version ", next.version, " is older than ", now.version);
    if (order > 0) return "";
  }
  if (next.built_s == 0 || now.built_s == 0 || next.built_s >= now.built_s) return "";
  return cat("it was built at ", evidence::iso_time(next.built_s), ", before ", evidence::iso_time(now.built_s));
}

}  // namespace hearth::builder::channels
