#include "bootstrap/api/image_evidence.hpp"

#include "base/sys/file.hpp"
#include "bootstrap/conductor/transition.hpp"
#include "tests/unit/bootstrap/api_fixture.hpp"

namespace hearth::bootstrap {
namespace {

TEST(ImageEvidence, tellsOfWhatAnImageWasMadeAndWhetherItIsThatImage) {
  const Json manifest = {{"builder", "hearth 0.1.0"},
                         {"distribution", "debian"},
                         {"elements", {"base", 7, "vm"}},
                         {"packages", {{{"package", "bash"}}, {{"package", "apt"}}}}};
  const Json statement = {{"subject", {{{"name", "node.qcow2"}, {"digest", {{"sha256", "ab12"}}}}}},
                          {"predicate", {{"runDetails", {{"metadata", {{"finishedOn", "2026-11-20T10:00:00Z"}}}}}}}};
  const Json shown = evidence_summary(manifest, statement, "ab12");
  EXPECT_EQ(shown, Json({{"builder", "hearth 0.1.0"},
                         {"distribution", "debian"},
                         {"elements", {"base", "vm"}},
                         {"packages", 2},
                         {"agrees", true},
                         {"finished", "2026-11-20T10:00:00Z"}}));
  EXPECT_EQ(evidence_summary(manifest, statement, "cd34")["agrees"], false) << "it tells of another image";
  EXPECT_EQ(evidence_summary(manifest, Json(), "ab12")["agrees"], nullptr);
  for (const char* odd : {"[]", "7", R"({"subject": 7, "predicate": [1]})", R"({"subject": [7, {"digest": []}]})"})
    EXPECT_NE(evidence_summary(manifest, Json::parse(odd), "ab12")["agrees"], true) << odd;
}

TEST(ImageEvidence, isShortHoweverMuchAForeignManifestSays) {
  const Json manifest = {{"builder", std::string(100000, 'b')}, {"elements", Json(5000, std::string(1000, 'e'))}};
  const std::string shown = evidence_summary(manifest, Json(), "").dump();
  EXPECT_LT(shown.size(), 100000U);
  EXPECT_NE(shown.find("eee…"), std::string::npos) << shown.substr(0, 300);
}

class EvidenceFiles : public ApiFixture {};

TEST_F(EvidenceFiles, areGivenToThoseWhoLookAndNothingElseIs) {
  const fs::path folder = conductor->directory() / k_evidence_folder;
  RealFileSystem().make_directories(folder, 0755);
  RealFileSystem().write(folder / "node.manifest.json", R"({"elements": []})", {});
  RealFileSystem().write(folder / "node.provenance.json", "{}", {});
  RealFileSystem().write(folder / "gone.manifest.json", "{}", {});
  RealFileSystem().write(conductor->directory() / "api-token", "secret", {});
  EXPECT_EQ(ask("PUT", "/v1/hearth/images/node", {{"evidence", {{"files", {"manifest.json"}}}}}).status, 204);
  for (const char* odd : {"7", "[]"}) {
    EXPECT_EQ(ask("PUT", "/v1/hearth/images/odd", Json::parse(odd)).status, 400) << odd;
    EXPECT_EQ(ask("GET", "/v1/hearth/images").status, 200) << odd;
  }
  const Caller reader{Role::read, "ria"};
  const auto status = [&](const std::string& target, const Caller& who) {
    return ask("GET", target, Json(), "1.78", "192.0.2.9", who).status;
  };
  EXPECT_EQ(ask("GET", "/v1/hearth/images/node/evidence/manifest.json").body, Json({{"elements", Json::array()}}));
  EXPECT_EQ(status("/v1/hearth/images/node/evidence/manifest.json", reader), 200);
  EXPECT_EQ(status("/v1/hearth/images/node/evidence/manifest.json", {}), 401);
  for (const char* odd :
       {"node/evidence/sbom.spdx.json", "node/evidence/provenance.json", "gone/evidence/manifest.json",
        "node/evidence/api-token", "..%2Fapi-token/evidence/manifest.json", "%2e%2e/evidence/manifest.json",
        "node/evidence/..%2F..%2Fapi-token"})
    EXPECT_EQ(status(cat("/v1/hearth/images/", odd), reader), 404) << odd;
  EXPECT_FALSE(fs::exists(folder / "node.provenance.json")) << "its document does not name it";
  EXPECT_TRUE(fs::exists(folder / "gone.manifest.json")) << "another one's";
  EXPECT_EQ(ask("DELETE", "/v1/hearth/images/node").status, 204);
  EXPECT_FALSE(fs::exists(folder / "node.manifest.json"));
}

TEST(EvidenceShelf, hasAFileInMemoryOnceAndNoMoreOfThemThanFit) {
  const TempDir folder = TempDir::create(fs::temp_directory_path(), "hearth-test-");
  const fs::path one = folder.path() / "one";
  const fs::path other = folder.path() / "other";
  for (const fs::path& file : {one, other}) RealFileSystem().write(file, std::string(60, 'x'), {});
  EvidenceShelf shelf(100);
  std::shared_ptr<const std::string> read = shelf.take(one);
  EXPECT_EQ(read->size(), 60U);
  EXPECT_EQ(shelf.take(one), read) << "a hundred slow readers take the room of one";
  EXPECT_THROW(static_cast<void>(shelf.take(other)), Refusal);
  RealFileSystem().write(one, "changed", {});
  EXPECT_EQ(*shelf.take(one), "changed");
  read = nullptr;
  EXPECT_NE(shelf.take(other), nullptr) << "who read has gone";
  EXPECT_EQ(shelf.take(folder.path() / "none"), nullptr);
  fs::create_symlink(one, folder.path() / "link");
  EXPECT_EQ(shelf.take(folder.path() / "link"), nullptr);
}

}  // namespace
}  // namespace hearth::bootstrap
