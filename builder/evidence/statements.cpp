#include "builder/evidence/statements.hpp"

#include <array>
#include <ctime>

#include "base/hash.hpp"
#include "base/hmac.hpp"
#include "base/net/url.hpp"
#include "base/redaction.hpp"
#include "base/text.hpp"

namespace hearth::builder::evidence {

namespace {

/// SPDX ids hold letters, digits, "." and "-" only (section 3.2).
std::string spdx_id(std::string_view kind, std::string_view name) {
  std::string id = cat("SPDXRef-", kind, "-");
  for (const char c : name) {
    const bool plain =
        (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '-';
    id += plain ? std::string(1, c) : cat("-", static_cast<int>(static_cast<unsigned char>(c)), "-");
  }
  return id;
}

/// A package URL (github.com/package-url/purl-spec, types deb and rpm). An rpm's epoch is a qualifier.
std::string package_url(const PackageFact& package, const std::string& distribution) {
  const bool rpm = package.manager == "rpm";
  const std::size_t colon = rpm ? package.version.find(':') : std::string::npos;
  const std::string epoch = colon == std::string::npos ? "" : cat("&epoch=", package.version.substr(0, colon));
  const std::string version = colon == std::string::npos ? package.version : package.version.substr(colon + 1);
  const std::string vendor = distribution.empty() ? (rpm ? "unknown" : "debian") : distribution;
  return cat("pkg:", package.manager, "/", vendor, "/", percent_encode(package.name), "@", percent_encode(version),
             "?arch=", percent_encode(package.architecture), epoch);
}

/// An rpm may be installed in several versions.
std::string package_id(const PackageFact& package) {
  const std::string version = package.manager == "rpm" ? cat("-", package.version) : "";
  return spdx_id("Package", cat(package.name, version, "-", package.architecture));
}

std::string source_id(const SourceFact& source) { return spdx_id("Source", cat(source.name, "-", source.path)); }

Json spdx_package(const std::string& id, const std::string& name) {
  return {{"SPDXID", id},
          {"name", name},
          {"downloadLocation", "NOASSERTION"},
          {"filesAnalyzed", false},
          {"licenseConcluded", "NOASSERTION"},
          {"licenseDeclared", "NOASSERTION"},
          {"copyrightText", "NOASSERTION"}};
}

Json spdx_source(const SourceFact& source) {
  Json entry = spdx_package(source_id(source), source.name);
  entry["versionInfo"] = source.commit;
  if (source.url.find("://") != std::string::npos) {
    entry["downloadLocation"] = cat(source.url.starts_with("git:") ? "" : "git+", source.url, "@", source.commit);
  }
  return entry;
}

Json relationship(const std::string& from, const char* type, const std::string& to) {
  return {{"spdxElementId", from}, {"relationshipType", type}, {"relatedSpdxElement", to}};
}

/// The identity of a set of outputs: the document's name in the world.
std::string outputs_digest(const ImageFacts& facts) {
  std::string text;
  for (const OutputFile& output : facts.outputs) text += cat(output.file.filename().string(), " ", output.sha256, "\n");
  return hex_digest(HashKind::sha256, text);
}

Json dependencies(const ImageFacts& facts) {
  Json all = Json::array();
  for (const ElementFact& element : facts.elements) {
    all.push_back({{"name", cat("element ", element.name)},
                   {"uri", cat("file://", element.path.string())},
                   {"digest", {{"sha256", element.sha256}}}});
    if (const Json origin = json_or_null(element.origin); origin.is_object()) {
      all.back()["annotations"] = {{"origin", origin}};
    }
  }
  for (const SourceFact& source : facts.sources) {
    all.push_back({{"name", cat("source ", source.name)},
                   {"uri", without_credentials(source.url)},
                   {"digest", {{"gitCommit", source.commit}}}});
  }
  for (const auto& [key, fetched] : facts.fetched.fetches) {
    all.push_back({{"uri", without_credentials(key.url)}, {"digest", {{"sha256", fetched.sha256}}}});
  }
  return all;
}

Json parameters(const ImageFacts& facts) {
  Json arguments = Json::array();
  for (const std::string& word : facts.arguments) arguments.push_back(without_credentials(word));
  Json environment = Json::object();
  for (const auto& [name, value] : facts.environment) environment[name] = value;
  Json image = {{"name", facts.name}};
  if (!facts.version.empty()) image["version"] = facts.version;
  Json all = {{"image", std::move(image)},
              {"arguments", std::move(arguments)},
              {"environment", std::move(environment)},
              {k_read_variables, facts.read_variables},
              {"directory", facts.directory.string()}};
  if (facts.is_ramdisk) all["ramdisk"] = true;
  return all;
}

}  // namespace

std::string iso_time(std::int64_t seconds) {
  const auto time = static_cast<std::time_t>(seconds);
  std::tm parts{};
  ::gmtime_r(&time, &parts);
  std::array<char, 32> text{};
  (void)std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", &parts);
  return text.data();
}

bool is_tellable_name(std::string_view variable) {
  constexpr std::size_t longest = 100;
  constexpr std::string_view letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-.%";
  return !variable.empty() && variable.size() <= longest &&
         variable.find_first_not_of(letters) == std::string_view::npos;
}

Json spdx_document(const ImageFacts& facts) {
  Json packages = Json::array();
  Json relationships = Json::array();
  for (const OutputFile& output : facts.outputs) {
    const std::string name = output.file.filename().string();
    const std::string id = spdx_id("Image", name);
    Json image = spdx_package(id, name);
    image["packageFileName"] = name;
    image["checksums"] = Json::array({{{"algorithm", "SHA256"}, {"checksumValue", output.sha256}}});
    // As SPDX's JSON schema has it; the text of clause 7.24 has a hyphen.
    image["primaryPackagePurpose"] = "OPERATING_SYSTEM";
    packages.push_back(std::move(image));
    relationships.push_back(relationship("SPDXRef-DOCUMENT", "DESCRIBES", id));
    for (const PackageFact& package : facts.packages) {
      relationships.push_back(relationship(id, "CONTAINS", package_id(package)));
    }
    for (const SourceFact& source : facts.sources) {
      relationships.push_back(relationship(id, "CONTAINS", source_id(source)));
    }
  }
  for (const PackageFact& package : facts.packages) {
    Json entry = spdx_package(package_id(package), package.name);
    entry["versionInfo"] = package.version;
    if (!package.license.empty()) entry["licenseComments"] = cat("The package names: ", package.license);
    entry["externalRefs"] = Json::array({{{"referenceCategory", "PACKAGE-MANAGER"},
                                          {"referenceType", "purl"},
                                          {"referenceLocator", package_url(package, facts.distribution)}}});
    packages.push_back(std::move(entry));
  }
  for (const SourceFact& source : facts.sources) packages.push_back(spdx_source(source));
  Json document = {
      {"spdxVersion", "SPDX-2.3"},
      {"dataLicense", "CC0-1.0"},
      {"SPDXID", "SPDXRef-DOCUMENT"},
      {"name", facts.name},
      {"documentNamespace", cat("https://spdx.org/spdxdocs/", percent_encode(facts.name), "-", outputs_digest(facts))},
      {"creationInfo",
       {{"created", iso_time(facts.created_s)}, {"creators", Json::array({cat("Tool: hearth-", HEARTH_VERSION)})}}},
      {"packages", std::move(packages)},
      {"relationships", std::move(relationships)}};
  if (!facts.unlisted.empty()) document["comment"] = cat("Not whole: ", facts.unlisted);
  return document;
}

Json provenance_statement(const ImageFacts& facts) {
  Json subjects = Json::array();
  for (const OutputFile& output : facts.outputs) {
    subjects.push_back({{"name", output.file.filename().string()}, {"digest", {{"sha256", output.sha256}}}});
  }
  for (const OutputFile& file : facts.evidence) {
    subjects.push_back({{"name", file.file.string()}, {"digest", {{"sha256", file.sha256}}}});
  }
  Json settings = Json::object();
  for (const auto& [name, value] : facts.fetched.settings) settings[name] = without_credentials(value);
  return {{"_type", k_statement_type},
          {"subject", std::move(subjects)},
          {"predicateType", k_predicate_type},
          {"predicate",
           {{"buildDefinition",
             {{"buildType", k_build_type},
              {"externalParameters", parameters(facts)},
              {"internalParameters", {{"settings", settings}}},
              {"resolvedDependencies", dependencies(facts)}}},
            {"runDetails",
             {{"builder", {{"id", facts.builder}, {"version", {{"hearth", HEARTH_VERSION}}}}},
              {"metadata", {{"finishedOn", iso_time(facts.finished_s)}}}}}}}};
}

std::string signed_text(const std::string& payload) {
  const std::string type = k_payload_type;
  return cat("DSSEv1 ", type.size(), " ", type, " ", payload.size(), " ", payload);
}

Json envelope(const std::string& payload, const std::string& signature, const std::string& key_id) {
  return {{"payloadType", k_payload_type},
          {"payload", base64_encode(payload)},
          {"signatures", Json::array({{{"keyid", key_id}, {"sig", base64_encode(signature)}}})}};
}

}  // namespace hearth::builder::evidence
