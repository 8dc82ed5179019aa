#include "builder/evidence/evidence.hpp"

#include <gmock/gmock.h>

#include "base/error.hpp"
#include "base/sys/file.hpp"
#include "base/text.hpp"
#include "builder/evidence/commands.hpp"

namespace hearth::builder::evidence {
namespace {

using testing::HasSubstr;

// Made by `openssl genpkey -algorithm ed25519` for these tests.
constexpr const char* k_key =
    "-----BEGIN PRIVATE KEY-----\nMC4CAQAwBQYDK2VwBCIEIJ1hsZ3v/VpguoRK9JLsLMREScVpezJpGXA7rAMcrn9g\n-----END PRIVATE "
    "KEY-----\n";
constexpr const char* k_public = "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511b";

class EvidenceTest : public testing::Test {
 protected:
  void SetUp() override {
    fs::create_directories(dir_.path() / "web.d");
    RealFileSystem files;
    files.write(dir_.path() / "web.tar", "image", {});
    files.write(dir_.path() / "key.pem", k_key, {});
    files.write(dir_.path() / "key.pub", cat(k_public, "\n"), {});
    files.write(
        dir_.path() / "web.d/manifest.json",
        R"({"distribution":"debian","outputs":["web.tar"],"packages":[{"package":"a","version":"1","arch":"all"}]})",
        {});
  }
  void write(bool is_signed, fetch::Lock lock = {}) {
    EvidenceRequest request{.stem = dir_.path() / "web",
                            .arguments = {"-o", "web", "x"},
                            .directory = dir_.path(),
                            .environment = {{"SOURCE_DATE_EPOCH", "7"}},
                            .elements = {},
                            .fetched = std::move(lock),
                            .signing_key = std::nullopt};
    if (is_signed) request.signing_key = Secret::read(dir_.path() / "key.pem");
    write_evidence(request);
  }
  /// The exit code, or the error's story.
  std::string verify(const std::vector<std::string>& options) {
    const cli::Command command = verify_command();
    std::vector<std::string> words = options;
    words.push_back((dir_.path() / "web.tar").string());
    try {
      return std::to_string(command.run(cli::parse_options(command.options, words)));
    } catch (const Error& error) {
      return error.story();
    }
  }
  std::string key() const { return (dir_.path() / "key.pub").string(); }
  TempDir dir_ = TempDir::create("/tmp", "hearth-test-");
};

TEST_F(EvidenceTest, LiesBesideTheImage) {
  write(false);
  const Statement statement = read_statement(dir_.path() / "web.tar");
  EXPECT_EQ(statement.digest, describe_output(dir_.path() / "web.tar").sha256);
  EXPECT_TRUE(statement.payload.empty());
  EXPECT_TRUE(fs::exists(dir_.path() / "web.d/sbom.spdx.json"));
  EXPECT_EQ(verify({}), "0");
  EXPECT_THAT(verify({"--key", key()}), HasSubstr("is not signed"));
}

TEST_F(EvidenceTest, IsBelievedWhenTheRightKeySigned) {
  write(true);
  EXPECT_EQ(read_statement(dir_.path() / "web.tar").key_id, public_key_hex(dir_.path() / "key.pem"));
  EXPECT_EQ(verify({"--key", (dir_.path() / "key.pem").string()}), "0");
  EXPECT_EQ(verify({"--json"}), "0");
  EXPECT_THAT(verify({"--key", key()}), HasSubstr("is signed by another key"));
}

TEST_F(EvidenceTest, ShowsThatAnImageWasChanged) {
  write(false);
  RealFileSystem().write(dir_.path() / "web.tar", "imagf", {});
  EXPECT_THAT(verify({}), HasSubstr("its provenance says sha256:"));
}

TEST_F(EvidenceTest, ShowsThatAStatementWasAltered) {
  write(true);
  const fs::path file = dir_.path() / "web.d/provenance.dsse.json";
  Json sealed = parse_json(read_file(file), "").value_or_throw();
  std::string payload = sealed["payload"];
  payload[20] = payload[20] == 'A' ? 'B' : 'A';
  sealed["payload"] = payload;
  RealFileSystem().write(file, sealed.dump(), {});
  EXPECT_NE(verify({"--key", (dir_.path() / "key.pem").string()}), "0");
  RealFileSystem().write(file, "{}", {});
  EXPECT_THAT(verify({}), HasSubstr("this is no signed statement"));
}

TEST_F(EvidenceTest, IsMissedClearly) {
  EXPECT_THAT(verify({}), HasSubstr("there is no provenance beside"));
  RealFileSystem().write(dir_.path() / "key.bad", "none", {});
  EXPECT_THROW((void)public_key_hex(dir_.path() / "key.bad"), Error);
}

class ReproduceTest : public EvidenceTest {
 protected:
  /// Reproduces by a build that writes `again` and a tree record.
  std::string reproduce(const std::string& again, const std::string& tree = "") {
    const cli::Command command = reproduce_command([&](const Rebuild& rebuild) {
      done_ = rebuild;
      const fs::path output = rebuild.arguments[rebuild.arguments.size() - 4];
      RealFileSystem().write(output.string() + ".tar", again, {});
      fs::create_directories(output.string() + ".d");
      RealFileSystem().write(output.string() + ".d/tree.tsv", tree, {});
      return 0;
    });
    try {
      return std::to_string(command.run(cli::parse_options(command.options, {(dir_.path() / "web.tar").string()})));
    } catch (const Error& error) {
      return error.story();
    }
  }
  Rebuild done_;
};

TEST_F(ReproduceTest, BuildsFromTheProvenanceWithTheNetworkCut) {
  fetch::Lock lock;
  lock.fetches[{"GET", "http://a.example/"}] = {200, std::string(64, '0'), 1, {}};
  write(false, lock);
  EXPECT_EQ(reproduce("image"), "0");
  EXPECT_EQ(done_.arguments[0], "x");
  EXPECT_THAT(done_.arguments, testing::Contains("--offline"));
  EXPECT_EQ(done_.arguments.back(), (dir_.path() / "web.d/hearth.lock").string());
  EXPECT_EQ(done_.environment.at("SOURCE_DATE_EPOCH"), "7");
  EXPECT_EQ(done_.directory, dir_.path());
}

TEST_F(ReproduceTest, NamesTheFirstFileThatDiffersAndItsStep) {
  fetch::Lock lock;
  lock.fetches[{"GET", "http://a.example/"}] = {200, std::string(64, '0'), 1, {}};
  write(false, lock);
  RealFileSystem().write(dir_.path() / "web.d/tree.tsv", "/a\t-0644\t0:0\t1\td1\troot.d/1\n", {});
  EXPECT_THAT(reproduce("imagf", "/a\t-0644\t0:0\t1\td2\troot.d/1\n"),
              HasSubstr("The first file that differs: /a (contents), written by root.d/1"));
  EXPECT_THAT(reproduce("imagf", "/a\t-0644\t0:0\t1\td1\troot.d/1\n"), HasSubstr("The trees are the same"));
}

TEST_F(ReproduceTest, NeedsALock) {
  write(false);
  EXPECT_THAT(reproduce("image"), HasSubstr("was built without a lock"));
}

}  // namespace
}  // namespace hearth::builder::evidence
