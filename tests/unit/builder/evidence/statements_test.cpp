#include "builder/evidence/statements.hpp"

#include <gmock/gmock.h>

#include <regex>
#include <set>

namespace hearth::builder::evidence {
namespace {

ImageFacts sample() {
  ImageFacts facts;
  facts.name = "web";
  facts.version = "1.2";
  facts.builder = "urn:example:site";
  facts.finished_s = 2 * 86400;
  facts.distribution = "debian";
  facts.created_s = 86400;
  facts.arguments = {"-o", "web", "vm"};
  facts.directory = "/here";
  facts.environment = {{"DIB_RELEASE", "bookworm"}};
  facts.outputs = {{"/here/web.qcow2", "d1", 7}, {"/here/web.tar", "d2", 8}};
  facts.packages = {{"libstdc++6", "12.2.0-14+deb12u1", "amd64"}, {"tzdata", "1:2024a", "all"}};
  facts.elements = {{"vm", "/e/vm", "d3"}};
  facts.evidence = {{"web.d/sbom.spdx.json", "d5", 9}};
  facts.fetched.fetches[{"GET", "http://a.example/x?token=t&b=c"}] = {200, "d4", 1, {}};
  facts.fetched.settings["DIB_RELEASE"] = "bookworm";
  return facts;
}

/// What SPDX 2.3 (clauses 6, 7 and 11) asks of ids, references and fields that must be there.
TEST(SpdxDocument, IsWholeAndItsReferencesLeadSomewhere) {
  const Json document = spdx_document(sample());
  EXPECT_EQ(document["spdxVersion"], "SPDX-2.3");
  EXPECT_EQ(document["dataLicense"], "CC0-1.0");
  EXPECT_EQ(document["creationInfo"]["created"], "1970-01-02T00:00:00Z");
  std::set<std::string> ids = {"SPDXRef-DOCUMENT"};
  for (const Json& package : document["packages"]) {
    const std::string id = package["SPDXID"];
    EXPECT_TRUE(std::regex_match(id, std::regex("SPDXRef-[A-Za-z0-9.-]+"))) << id;
    EXPECT_TRUE(ids.insert(id).second) << id << " stands there twice";
    for (const char* field : {"name", "downloadLocation"}) EXPECT_TRUE(package.contains(field));
  }
  EXPECT_EQ(ids.size(), 5U);
  for (const Json& link : document["relationships"]) {
    EXPECT_EQ(ids.count(link["spdxElementId"].get<std::string>()), 1U);
    EXPECT_EQ(ids.count(link["relatedSpdxElement"].get<std::string>()), 1U);
  }
  EXPECT_EQ(document["relationships"].size(), 6U) << "two images, two packages in each";
}

/// The JSON schema of SPDX 2.3 knows these words only.
TEST(SpdxDocument, SaysWhatAnImageIsInTheSchemasWords) {
  const Json document = spdx_document(sample());
  EXPECT_EQ(document["packages"][0]["primaryPackagePurpose"], "OPERATING_SYSTEM");
  EXPECT_EQ(document["packages"][2]["externalRefs"][0]["referenceCategory"], "PACKAGE-MANAGER");
}

TEST(SpdxDocument, NamesPackagesByTheirUrls) {
  const Json document = spdx_document(sample());
  EXPECT_EQ(document["packages"][2]["externalRefs"][0]["referenceLocator"],
            "pkg:deb/debian/libstdc%2B%2B6@12.2.0-14%2Bdeb12u1?arch=amd64");
  EXPECT_EQ(document["packages"][3]["externalRefs"][0]["referenceLocator"], "pkg:deb/debian/tzdata@1%3A2024a?arch=all");
}

TEST(SpdxDocument, KnowsRpmsTheirLicencesAndGitCommits) {
  ImageFacts facts = sample();
  facts.distribution = "fedora";
  facts.packages = {{"kernel", "2:6.1-3", "x86_64", "rpm", "GPLv2"}, {"kernel", "6.2-1", "x86_64", "rpm", ""}};
  facts.sources = {{"app", "/opt/app", "https://192.0.2.1/app", "0123abcd"}};
  const Json document = spdx_document(facts);
  const Json& kernel = document["packages"][2];
  EXPECT_EQ(kernel["externalRefs"][0]["referenceLocator"], "pkg:rpm/fedora/kernel@6.1-3?arch=x86_64&epoch=2");
  EXPECT_EQ(kernel["licenseComments"], "The package names: GPLv2");
  EXPECT_NE(kernel["SPDXID"], document["packages"][3]["SPDXID"]);
  EXPECT_EQ(document["packages"][4]["downloadLocation"], "git+https://192.0.2.1/app@0123abcd");
  EXPECT_EQ(provenance_statement(facts)["predicate"]["buildDefinition"]["resolvedDependencies"][1]["digest"],
            (Json{{"gitCommit", "0123abcd"}}));
  EXPECT_FALSE(document.contains("comment"));
  facts.unlisted = "packages of apk are not listed";
  EXPECT_EQ(spdx_document(facts)["comment"], "Not whole: packages of apk are not listed");
}

TEST(SpdxDocument, HasAnotherNameForOtherImages) {
  ImageFacts other = sample();
  other.outputs[0].sha256 = "d9";
  EXPECT_EQ(spdx_document(sample())["documentNamespace"], spdx_document(sample())["documentNamespace"]);
  EXPECT_NE(spdx_document(sample())["documentNamespace"], spdx_document(other)["documentNamespace"]);
}

TEST(Provenance, SaysWhatWasMadeHowAndOfWhat) {
  const Json statement = provenance_statement(sample());
  EXPECT_EQ(statement["_type"], "https://in-toto.io/Statement/v1");
  EXPECT_EQ(statement["predicateType"], "https://slsa.dev/provenance/v1");
  EXPECT_EQ(statement["subject"][1], (Json{{"name", "web.tar"}, {"digest", {{"sha256", "d2"}}}}));
  const Json& definition = statement["predicate"]["buildDefinition"];
  EXPECT_EQ(definition["externalParameters"]["arguments"], Json({"-o", "web", "vm"}));
  EXPECT_EQ(definition["externalParameters"]["environment"]["DIB_RELEASE"], "bookworm");
  EXPECT_EQ(definition["resolvedDependencies"].size(), 2U);
  EXPECT_EQ(definition["resolvedDependencies"][1]["uri"], "http://a.example/x?token=REDACTED&b=c");
  EXPECT_EQ(statement["subject"][2], (Json{{"name", "web.d/sbom.spdx.json"}, {"digest", {{"sha256", "d5"}}}}));
  EXPECT_EQ(definition["externalParameters"]["image"], (Json{{"name", "web"}, {"version", "1.2"}}));
  EXPECT_EQ(statement["predicate"]["runDetails"]["builder"]["id"], "urn:example:site");
  EXPECT_EQ(statement["predicate"]["runDetails"]["metadata"]["finishedOn"], "1970-01-03T00:00:00Z");
}

TEST(Envelope, SignsTypeAndLengthsBesidesTheText) {
  EXPECT_EQ(signed_text("{}"), "DSSEv1 28 application/vnd.in-toto+json 2 {}");
  const Json sealed = envelope("{}", "sig", "key");
  EXPECT_EQ(sealed["payload"], "e30=");
  EXPECT_EQ(sealed["signatures"][0]["sig"], "c2ln");
}

}  // namespace
}  // namespace hearth::builder::evidence
