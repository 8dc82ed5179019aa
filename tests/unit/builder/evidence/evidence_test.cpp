#include "builder/evidence/evidence.hpp"

#include <gmock/gmock.h>

#include "base/error.hpp"
#include "base/frames/signature.hpp"
#include "base/sys/file.hpp"
#include "base/sys/file_digest.hpp"
#include "base/text.hpp"
#include "builder/evidence/commands.hpp"
#include "builder/evidence/statements.hpp"
#include "builder/evidence/verification.hpp"
#include "builder/fetch/object_store.hpp"

namespace hearth::builder::evidence {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

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
  EvidenceRequest request() const {
    return {.stem = dir_.path() / "web",
            .version = "1.2",
            .builder = "urn:example:site",
            .arguments = {"-o", "web", "x"},
            .directory = dir_.path(),
            .environment = {{"SOURCE_DATE_EPOCH", "7"}},
            .elements = {},
            .fetched = std::nullopt,
            .signing_key = std::nullopt};
  }
  void write(bool is_signed, std::optional<fetch::Lock> lock = std::nullopt) {
    EvidenceRequest request = this->request();
    request.fetched = std::move(lock);
    if (is_signed) request.signing_key = Secret::read(dir_.path() / "key.pem");
    write_evidence(request);
  }
  /// Signs another statement in the place of the one that is there.
  void sign(const Json& statement, const std::string& type = "application/vnd.in-toto+json") {
    const std::string payload = statement.dump();
    Json sealed = envelope(payload, frames::sign(signed_text(payload), k_key), frames::public_key_of(k_key));
    sealed["payloadType"] = type;
    RealFileSystem().write(file("provenance.dsse.json"), sealed.dump(), {});
    RealFileSystem().write(file("provenance.json"), payload, {});
  }
  Json read(const std::string& name) const { return parse_json(read_file(file(name)), name).value_or_throw(); }
  fs::path file(const std::string& name) const { return dir_.path() / "web.d" / name; }
  /// The exit code, or the error's story.
  std::string verify(const std::vector<std::string>& options) {
    const cli::Command command = verify_command();
    std::vector<std::string> words = options;
    words.push_back((dir_.path() / "web.tar").string());
    try {
      return std::to_string(command.run(cli::parse_options(command.options, words)));
    } catch (const Error& error) {
      return cat(error.exit_code(), ": ", error.story());
    }
  }
  /// With the key that write() signs with.
  std::string verify_signed(const std::vector<std::string>& options = {}) {
    std::vector<std::string> words = {"--key", (dir_.path() / "key.pem").string()};
    words.insert(words.end(), options.begin(), options.end());
    return verify(words);
  }
  std::string key() const { return (dir_.path() / "key.pub").string(); }
  TempDir dir_ = TempDir::create("/tmp", "hearth-test-");
};

TEST_F(EvidenceTest, anImageIsVerifiedByItsDigestWhateverItIsCalled) {
  write(true);
  fs::rename(dir_.path() / "web.tar", dir_.path() / "site.img");
  const auto verify_renamed = [&](const char* name) {
    try {
      const Statement statement = checked_statement(dir_.path() / name, {frames::public_key_of(k_key)});
      require_image(statement, dir_.path() / name);
      return std::string();
    } catch (const Error& error) {
      return error.story();
    }
  };
  EXPECT_EQ(verify_renamed("site.img"), "");
  fs::rename(dir_.path() / "web.d", dir_.path() / "other.d");
  EXPECT_EQ(verify_renamed("site.img"), "") << "the directory, too";
  RealFileSystem().write(dir_.path() / "other.d/sbom.spdx.json", "{}", {});
  EXPECT_THAT(verify_renamed("site.img"), HasSubstr("sbom.spdx.json is not what the provenance says"));
  RealFileSystem().write(dir_.path() / "site.img", "imagE", {});
  EXPECT_THAT(verify_renamed("site.img"), HasSubstr("by its name or by its digest"));
  fs::rename(dir_.path() / "site.img", dir_.path() / "other.tar");
  EXPECT_NE(verify_renamed("other.tar"), "") << "a statement of its name that is about other bytes";
}

TEST_F(EvidenceTest, OfAnImageThatIsKeptItIsKeptBesideIt) {
  write(true);
  fs::create_directories(dir_.path() / "web.d/hearth.lock.d");
  RealFileSystem files;
  files.write(dir_.path() / "web.d/hearth.lock.d/answer", "git", {});
  fs::rename(dir_.path() / "web.tar", dir_.path() / "web-2026.11.26-22.56.57.tar");
  keep_evidence(dir_.path() / "web.d", dir_.path() / "web-2026.11.26-22.56.57.d");
  files.write(dir_.path() / "web.tar", "another", {});
  write(false);
  EXPECT_FALSE(is_signed(dir_.path() / "web.d"));
  const fs::path kept = dir_.path() / "web-2026.11.26-22.56.57.tar";
  const Statement statement = checked_statement(kept, {public_key_hex(dir_.path() / "key.pem")});
  EXPECT_NO_THROW(require_image(statement, kept));
  EXPECT_EQ(read_file(statement.directory / "hearth.lock.d/answer"), "git");
}

TEST_F(EvidenceTest, OfAnOutputThatALaterBuildDoesNotMakeItIsFoundToo) {
  write(false);
  const fs::path left = dir_.path() / "web.tar";
  const fs::path records = dir_.path() / "web.d";
  const fs::path kept = dir_.path() / "web-2026.11.27-03.33.39.d";
  EXPECT_THAT(keep_evidence_of_left(records, {left}, kept), testing::IsEmpty()) << "it is made again";
  EXPECT_FALSE(fs::exists(kept));
  EXPECT_THAT(keep_evidence_of_left(records, {dir_.path() / "web.qcow2"}, kept), testing::ElementsAre("web.tar"));
  EXPECT_THAT(keep_evidence_of_left(records, {}, dir_.path() / "once.d"), testing::IsEmpty()) << "it has some";
  Json later = read("provenance.json");
  for (Json& subject : later["subject"]) {
    if (subject["name"] == "web.tar") subject = {{"name", "web.qcow2"}, {"digest", {{"sha256", "00"}}}};
  }
  RealFileSystem().write(file("provenance.json"), later.dump(), {});
  const Statement statement = checked_statement(left, {});
  EXPECT_EQ(statement.directory, kept);
  EXPECT_NO_THROW(require_image(statement, left));
  RealFileSystem().write(left, "others", {});
  EXPECT_THROW(require_image(read_statement(left), left), Error);
}

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
  EXPECT_EQ(read_statement(dir_.path() / "web.tar").signatures.at(0).key_id, public_key_hex(dir_.path() / "key.pem"));
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

/// Each of them says what the image is: none may be changed, taken away or added.
TEST_F(EvidenceTest, CoversBillOfMaterialsManifestLockAndTree) {
  RealFileSystem().write(file("tree.tsv"), "/a\t-0644\t0:0\t1\td1\troot.d/1\n", {});
  write(true, fetch::Lock());
  ASSERT_EQ(verify_signed(), "0");
  for (const char* name : k_evidence_files) {
    const std::string before = read_file(file(name));
    RealFileSystem().write(file(name), "{\"evil\": 1}", {});
    EXPECT_THAT(verify_signed(), AllOf(StartsWith("1: "), HasSubstr(cat(name, " is not what the provenance says"))));
    fs::remove(file(name));
    EXPECT_THAT(verify_signed(), HasSubstr(cat(name, " is missing")));
    fs::create_symlink("/etc/hostname", file(name));
    EXPECT_THAT(verify_signed(), HasSubstr(cat(name, " is not what the provenance says")));
    fs::remove(file(name));
    RealFileSystem().write(file(name), before, {});
  }
  ASSERT_EQ(verify_signed(), "0");
  write(true);
  EXPECT_FALSE(fs::exists(file("hearth.lock"))) << "this build recorded nothing";
  EXPECT_FALSE(fs::exists(file("tree.tsv")));
  RealFileSystem().write(file("hearth.lock"), "", {});
  EXPECT_THAT(verify_signed(), HasSubstr("hearth.lock is not among what the provenance names"));
}

TEST_F(EvidenceTest, ARecordedBuildThatFetchedNothingHasItsLock) {
  write(false, fetch::Lock());
  EXPECT_TRUE(fs::exists(file("hearth.lock")));
}

TEST_F(EvidenceTest, ThePlainProvenanceIsTheSignedOne) {
  write(true);
  Json plain = read("provenance.json");
  plain["predicate"]["runDetails"]["builder"]["id"] = "urn:evil";
  RealFileSystem().write(file("provenance.json"), plain.dump(), {});
  EXPECT_THAT(verify_signed(), HasSubstr("provenance.json is not what was signed"));
}

/// A key signs more than images: what it says of something else must not count.
TEST_F(EvidenceTest, IsAStatementAboutABuildOfOurs) {
  write(true);
  const Json good = read("provenance.json");
  sign(good);
  EXPECT_EQ(verify_signed(), "0");
  for (const char* pointer : {"/_type", "/predicateType", "/predicate/buildDefinition/buildType"}) {
    Json other = good;
    other[Json::json_pointer(pointer)] = "urn:other";
    sign(other);
    EXPECT_THAT(verify_signed(), HasSubstr("is no statement about how an image was built")) << pointer;
  }
  sign(good, "text/plain");
  EXPECT_THAT(verify_signed(), HasSubstr("it is of another type"));
}

TEST_F(EvidenceTest, EverySignatureIsChecked) {
  write(true);
  Json sealed = read("provenance.dsse.json");
  const Json ours = sealed["signatures"][0];
  const Json strangers = {{"keyid", k_public}, {"sig", ours["sig"]}};
  const auto with = [&](const Json& signatures) {
    sealed["signatures"] = signatures;
    RealFileSystem().write(file("provenance.dsse.json"), sealed.dump(), {});
  };
  with({strangers, ours});
  EXPECT_EQ(verify_signed(), "0") << "ours is the second";
  EXPECT_THAT(verify_signed({"--key", key()}), HasSubstr("does not hold")) << "each of the keys must have signed";
  with({ours, {{"keyid", ours["keyid"]}, {"sig", "AAAA"}}});
  EXPECT_THAT(verify_signed(), HasSubstr("does not hold"));
  with(Json::array());
  EXPECT_THAT(verify_signed(), HasSubstr("is signed by another key"));
}

TEST_F(EvidenceTest, ThePolicyAsksForBuilderNameVersionAndTime) {
  write(true);
  EXPECT_EQ(verify_signed({"--builder", "urn:example:site", "--name", "web", "--image-version", "1.2",
                           "--minimum-version", "1.0", "--not-before", "2020-01-01"}),
            "0");
  EXPECT_THAT(verify_signed({"--builder", "urn:x"}),
              AllOf(StartsWith("3: "), HasSubstr("its builder is 'urn:example")));
  EXPECT_THAT(verify_signed({"--name", "db"}), HasSubstr("its name is 'web', not 'db'"));
  EXPECT_THAT(verify_signed({"--minimum-version", ""}), HasSubstr("--minimum-version: nothing is asked for"));
  EXPECT_THAT(verify_signed({"--minimum-version", "1.10"}), HasSubstr("its version is '1.2', older than '1.10'"));
  EXPECT_THAT(verify_signed({"--not-before", "2999-01-01"}), StartsWith("3: "));
  EXPECT_THAT(verify_signed({"--not-before", "soon"}), StartsWith("2: "));
  EXPECT_THAT(verify({"--name", "web"}), AllOf(StartsWith("2: "), HasSubstr("goes with --key")));
}

TEST_F(EvidenceTest, NoSecretIsWrittenDown) {
  EvidenceRequest with_secrets = request();
  with_secrets.environment = {{"DIB_DISTRIBUTION_MIRROR", "http://me:s3cret@192.0.2.1/debian"},
                              {"DIB_REPOLOCATION_x", "https://tok:s3cret@192.0.2.1/x?access_token=s3cret"},
                              {"DIB_DEV_USER_PASSWORD", "s3cret"}};
  with_secrets.arguments = {"-o", "web", "--qemu-img-options", "http://me:s3cret@192.0.2.1/", "x"};
  fetch::Lock lock;
  lock.settings["DIB_DISTRIBUTION_MIRROR"] = "http://me:s3cret@192.0.2.1/debian";
  with_secrets.fetched = lock;
  write_evidence(with_secrets);
  EXPECT_EQ(read_file(file("provenance.json")).find("s3cret"), std::string::npos) << read_file(file("provenance.json"));
  EXPECT_EQ(read_file(file("hearth.lock")).find("s3cret"), std::string::npos) << read_file(file("hearth.lock"));
}

TEST_F(EvidenceTest, IsMissedClearly) {
  EXPECT_THAT(verify({}), HasSubstr("there is no provenance beside"));
  RealFileSystem().write(dir_.path() / "key.bad", "none", {});
  EXPECT_THROW((void)public_key_hex(dir_.path() / "key.bad"), Error);
}

TEST_F(EvidenceTest, ANameWithoutAFileIsToldAsSuch) {
  write(false);
  const fs::path image = dir_.path() / "web";
  try {
    (void)checked_statement(image, {k_public});
    FAIL() << "there is only web.tar";
  } catch (const Error& error) {
    EXPECT_THAT(error.story(), AllOf(HasSubstr(cat("there is no image ", image.string())),
                                     HasSubstr(cat("Did you mean ", image.string(), ".tar?"))));
  }
}

TEST_F(EvidenceTest, WhatWasTakenAwayOrChangedIsAFault) {
  const auto faults = [&] { return evidence_faults(dir_.path() / "web", dir_.path() / "web.tar"); };
  EXPECT_THAT(faults(), testing::ElementsAre(cat(file("sbom.spdx.json").string(), " is not there"),
                                             cat(file("provenance.json").string(), " is not there")));
  const auto faults_after = [&](const std::function<void()>& change) {
    write(false);
    EXPECT_THAT(faults(), testing::IsEmpty());
    change();
    return join(faults(), "; ");
  };
  const auto has = [&](const char* name, const std::string& content) {
    RealFileSystem().write(file(name), content, {});
  };
  EXPECT_THAT(faults_after([&] { fs::remove(file("sbom.spdx.json")); }), HasSubstr("sbom.spdx.json is not there"));
  EXPECT_THAT(faults_after([&] { has("sbom.spdx.json", "{}"); }),
              HasSubstr("sbom.spdx.json is not what the provenance says"));
  EXPECT_THAT(faults_after([&] { has("provenance.json", ""); }), HasSubstr("provenance.json:1:1: "));
  for (const char* other : {"[]", "{}", "7", R"({"subject": [7]})"}) {
    EXPECT_THAT(faults_after([&] { has("provenance.json", other); }), HasSubstr("is no statement")) << other;
  }
  EXPECT_THAT(faults_after([&] { has("hearth.lock", "x"); }), HasSubstr("is not among what the provenance names"));
}

class ReproduceTest : public EvidenceTest {
 protected:
  ReproduceTest() {
    fs::create_directories(dir_.path() / "elements/x");
    RealFileSystem().write(dir_.path() / "elements/x/element-deps", "y", {});
  }
  void write_recorded(const std::vector<std::string>& arguments, const Environment& environment = {}) {
    EvidenceRequest recorded = request();
    recorded.arguments = arguments;
    recorded.environment = environment;
    recorded.elements = element_facts({{.name = "x", .path = dir_.path() / "elements/x", .deps = {}, .provides = {}}});
    recorded.fetched = fetch::Lock();
    recorded.signing_key = Secret::read(dir_.path() / "key.pem");
    write_evidence(recorded);
  }
  /// Reproduces by a build that writes `again` and a tree record.
  std::string reproduce(const std::string& again = "image", const std::string& tree = "",
                        const std::vector<std::string>& options = {"--unsigned"}) {
    const std::vector<cli::Option> table = {
        {"", 'o', "NAME", ""},      {"", 't', "TYPE", ""},         {"break", 0, "POINT", ""},
        {"logfile", 0, "FILE", ""}, {"sign-key", 0, "FILE", ""},   {"record", 0, "", ""},
        {"no-cache", 0, "", ""},    {"image-size", 0, "SIZE", ""}, {"image-version", 0, "VERSION", ""},
        {"new-thing", 0, "", ""}};
    const cli::Command command = reproduce_command(table, [&](const Rebuild& rebuild) {
      done_ = rebuild;
      const fs::path output = rebuild.arguments[2];
      RealFileSystem().write(output.string() + ".tar", again, {});
      fs::create_directories(output.string() + ".d");
      RealFileSystem().write(output.string() + ".d/tree.tsv", tree, {});
      return 0;
    });
    std::vector<std::string> words = options;
    words.push_back((dir_.path() / "web.tar").string());
    try {
      return std::to_string(command.run(cli::parse_options(command.options, words)));
    } catch (const Error& error) {
      return cat(error.exit_code(), ": ", error.story());
    }
  }
  Rebuild done_;
};

TEST_F(ReproduceTest, BuildsFromTheProvenanceWithTheNetworkCut) {
  write_recorded({"-o", "web", "--record", "--sign-key=k", "--image-size", "3", "--image-version", "1.4", "x"},
                 {{"SOURCE_DATE_EPOCH", "7"}});
  EXPECT_EQ(reproduce(), "0");
  ASSERT_EQ(done_.arguments.size(), 12U);
  EXPECT_THAT(std::vector<std::string>(done_.arguments.begin() + 3, done_.arguments.end()),
              testing::ElementsAre("--offline", "--lock", file("hearth.lock").string(), "--image-size", "3",
                                   "--image-version", "1.4", "--", "x"))
      << "a version gives UUIDs and a container's label";
  EXPECT_EQ(done_.environment.at("SOURCE_DATE_EPOCH"), "7");
  EXPECT_EQ(done_.elements, (std::map<std::string, std::string>{{"x", directory_digest(dir_.path() / "elements/x")}}));
}

TEST_F(ReproduceTest, BelievesASignatureOrAWordOfTheUsers) {
  write_recorded({"x"});
  EXPECT_THAT(reproduce("image", "", {}), AllOf(StartsWith("2: "), HasSubstr("give --key FILE")));
  EXPECT_THAT(reproduce("image", "", {"--key", key()}), HasSubstr("is signed by another key"));
  EXPECT_TRUE(done_.arguments.empty()) << "nothing was built";
  EXPECT_EQ(reproduce("image", "", {"--key", (dir_.path() / "key.pem").string()}), "0");
  RealFileSystem().write(file("hearth.lock"), "changed", {});
  EXPECT_THAT(reproduce(), HasSubstr("hearth.lock is not what the provenance says"));
}

TEST_F(ReproduceTest, TakesNoOtherOptionsHoweverTheyAreSpelt) {
  for (const std::string word :
       {"--break=after-error", "--bre=after-error", "--logfile=/x", "--logf=/x", "--new-thing"}) {
    write_recorded({word, "x"});
    EXPECT_THAT(reproduce(), AllOf(StartsWith("1: "), HasSubstr("which a rebuild does not take"))) << word;
  }
  write_recorded({"--unheard-of", "x"});
  EXPECT_NE(reproduce(), "0");
  EXPECT_TRUE(done_.arguments.empty());
}

TEST_F(ReproduceTest, TakesOnlyVariablesThatSayWhatIsBuilt) {
  write_recorded({"x"});
  Json statement = read("provenance.json");
  Json& environment = statement["predicate"]["buildDefinition"]["externalParameters"]["environment"];
  for (const char* name : {"ELEMENTS_PATH", "HEARTH_DATA_DIR", "HEARTH_AGENT_BINARY", "PATH", "LD_PRELOAD", "break",
                           "break_cmd", "DIB_PYTHON_EXEC", "DIB_GZIP_BIN", "BASH_ENV", "DIB_IMAGE_CACHE"}) {
    environment[name] = "/evil";
  }
  environment["DIB_RELEASE"] = "bookworm";
  sign(statement);
  EXPECT_EQ(reproduce(), "0");
  EXPECT_EQ(done_.environment.at("DIB_RELEASE"), "bookworm");
  for (const auto& [name, value] : done_.environment) EXPECT_NE(value, "/evil") << name;
  EXPECT_EQ(done_.environment.at("PATH"), current_environment().at("PATH"));
  environment["DIB_RELEASE"] = 7;  // no text
  sign(statement);
  EXPECT_THAT(reproduce(), HasSubstr("can't be understood"));
}

TEST_F(ReproduceTest, ElementsAreThoseThatTheImageWasMadeOf) {
  const Element x{.name = "x", .path = dir_.path() / "elements/x", .deps = {}, .provides = {}};
  const std::string digest = directory_digest(x.path);
  EXPECT_NO_THROW(require_elements({x}, {{"x", digest}}));
  EXPECT_THROW(require_elements({x}, {}), Error);
  EXPECT_THROW(require_elements({x}, {{"x", digest}, {"y", digest}}), Error);
  RealFileSystem().write(x.path / "element-deps", "z", {});
  EXPECT_THROW(require_elements({x}, {{"x", digest}}), Error);
}

TEST_F(ReproduceTest, WhatGitServersAnsweredLiesBesideTheImageAndIsMissedBeforeTheFirstHook) {
  const auto in_store = [&](const std::string& text) {
    fetch::ObjectStore store(dir_.path() / "fetched");
    BlobStore::Writer object = store.blobs().begin();
    object.write(text);
    return fetch::Fetched{200, object.commit(), text.size(), {}};
  };
  ::setenv("HEARTH_CACHE", (dir_.path() / "elsewhere").c_str(), 1);
  EvidenceRequest recorded = request();
  recorded.arguments = {"x"};
  recorded.fetches = dir_.path() / "fetched";
  recorded.fetched = fetch::Lock{
      .fetches = {{{cat("POST:", std::string(64, 'a')), "http://a.example/git-upload-pack"}, in_store("pack")}}};
  write_evidence(recorded);
  const fs::path answer = file("hearth.lock.d") / recorded.fetched->fetches.begin()->second.sha256;
  EXPECT_EQ(read_file(answer), "pack");
  EXPECT_EQ(reproduce(), "0") << "from an empty store";
  RealFileSystem().write(answer, "pick", {});
  EXPECT_THAT(reproduce(), HasSubstr(cat(answer.string(), " is not what the lock says")));
  fs::remove_all(dir_.path() / "elsewhere");
  fs::remove_all(file("hearth.lock.d"));
  done_ = {};
  EXPECT_THAT(reproduce(), AllOf(HasSubstr("  http://a.example/git-upload-pack\n"), HasSubstr("copy that along")));
  EXPECT_THAT(reproduce("image", "", {"--unsigned", "--locked"}), HasSubstr("copy that along"));
  EXPECT_TRUE(done_.arguments.empty()) << "nothing was built";
  recorded.fetched->fetches = {{{"GET", "http://a.example/page"}, in_store("page")}};
  write_evidence(recorded);
  EXPECT_THAT(reproduce(), AllOf(HasSubstr("  http://a.example/page\n"), HasSubstr("--locked fetches it again")));
  EXPECT_EQ(reproduce("image", "", {"--unsigned", "--locked"}), "0");
  recorded.fetched->fetches.clear();
  write_evidence(recorded);
  EXPECT_FALSE(fs::exists(file("hearth.lock.d")));
  ::unsetenv("HEARTH_CACHE");
}

TEST_F(ReproduceTest, AnElementThatIsTakenAwayIsNamed) {
  try {
    (void)element_facts({{.name = "x", .path = dir_.path() / "gone", .deps = {}, .provides = {}}});
    FAIL() << "nothing is there";
  } catch (const Error& error) {
    EXPECT_THAT(error.story(), HasSubstr(cat("reading ", (dir_.path() / "gone").string(), ": No such file")));
    EXPECT_THAT(error.story(), HasSubstr("the element x"));
    EXPECT_THAT(error.story(), HasSubstr("start again"));
  }
}

TEST_F(ReproduceTest, NamesTheFirstFileThatDiffersAndItsStep) {
  RealFileSystem().write(file("tree.tsv"), "/a\t-0644\t0:0\t1\td1\troot.d/1\n", {});
  write_recorded({"x"});
  EXPECT_THAT(reproduce("imagf", "/a\t-0644\t0:0\t1\td2\troot.d/1\n"),
              HasSubstr("The first file that differs: /a (contents), written by root.d/1"));
  EXPECT_THAT(reproduce("imagf", "/a\t-0644\t0:0\t1\td1\troot.d/1\n"), HasSubstr("The trees are the same"));
}

TEST_F(ReproduceTest, NamesVariablesThatHooksReadAndThatAreNotSetHere) {
  ::unsetenv("SITE_TOKEN");
  EvidenceRequest recorded = request();
  recorded.arguments = {"x"};
  recorded.environment = {{"SITE_TOKEN", "s3cret"}, {"DIB_RELEASE", "bookworm"}};
  recorded.read_variables = {"SITE_TOKEN", "DIB_RELEASE", "PATH", "\xff", "https://me:word@site/", "A\xc2\x9b[31m"};
  recorded.elements = element_facts({{.name = "x", .path = dir_.path() / "elements/x", .deps = {}, .provides = {}}});
  recorded.fetched = fetch::Lock();
  write_evidence(recorded);
  const Json statement = read("provenance.json");
  EXPECT_EQ(statement.at("/predicate/buildDefinition/externalParameters/variablesRead"_json_pointer),
            Json::array({"PATH", "SITE_TOKEN"}))
      << "the value of DIB_RELEASE is there";
  EXPECT_EQ(statement.dump().find("s3cret"), std::string::npos);
  testing::internal::CaptureStderr();
  const std::string story = reproduce("imagf");
  EXPECT_THAT(
      testing::internal::GetCapturedStderr(),
      AllOf(HasSubstr("the build read the variable SITE_TOKEN, which is not set here"), Not(HasSubstr("PATH"))));
  EXPECT_THAT(story, HasSubstr("the build read the variable SITE_TOKEN, which is not set here"));
}

TEST_F(ReproduceTest, OfNamesThatAProvenanceMakesUpFewAreTold) {
  write_recorded({"x"});
  Json statement = read("provenance.json");
  Json names = Json::array({"A\xc2\x9b[31m", "B\x1b[31m", std::string(101, 'Y'), 7});
  for (int i = 0; i < 30; ++i) names.push_back(cat("N", i));
  statement["predicate"]["buildDefinition"]["externalParameters"]["variablesRead"] = names;
  sign(statement);
  testing::internal::CaptureStderr();
  EXPECT_EQ(reproduce(), "0");
  const std::string told = testing::internal::GetCapturedStderr();
  EXPECT_THAT(told, AllOf(HasSubstr("the variable N0, which"), HasSubstr("and 10 more variables")));
  EXPECT_THAT(told, AllOf(Not(HasSubstr("[31m")), Not(HasSubstr("YYY"))));
}

TEST_F(ReproduceTest, NeedsALock) {
  write(false);
  EXPECT_THAT(reproduce("image"), HasSubstr("was built without a lock"));
}

}  // namespace
}  // namespace hearth::builder::evidence
