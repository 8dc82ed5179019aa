#include "builder/outdated/repositories.hpp"

#include <gmock/gmock.h>

#include "base/hash.hpp"
#include "base/text.hpp"
#include "tests/fakes/manual_clock.hpp"
#include "tests/fakes/scripted_http.hpp"
#include "tests/fakes/scripted_runner.hpp"

namespace hearth::builder {
namespace {

using ::testing::HasSubstr;

constexpr const char* k_list = "Package: web\nVersion: 2\nArchitecture: amd64\n";

class RepositoriesTest : public ::testing::Test {
 protected:
  RepositoriesTest() {
    runner.on("gpgv", 0, "[GNUPG:] GOODSIG 1234 Archive\n");
    http.on("GET", cat(base, "main/binary-amd64/Packages"), 200, k_list);
    serve_release(k_list);
  }
  void serve_release(const std::string& list, const std::string& more = "") {
    http.on("GET", cat(base, "InRelease"), 200,
            cat("-----BEGIN PGP SIGNED MESSAGE-----\nHash: SHA256\n\nCodename: stable\n", more, "SHA256:\n ",
                hex_digest(HashKind::sha256, list), " ", list.size(),
                " main/binary-amd64/Packages\n-----BEGIN PGP SIGNATURE-----\nx\n-----END PGP SIGNATURE-----\n"));
  }
  Repositories repositories(Environment environment = {}) {
    return Repositories({.client = http,
                         .runner = runner,
                         .clock = clock,
                         .lists = BlobStore(dir.path()),
                         .scratch = dir.path(),
                         .keyrings = {"/usr/share/keyrings/x-archive-keyring.gpg"},
                         .environment = std::move(environment),
                         .architectures = {"amd64"}});
  }
  [[nodiscard]] long asked(const std::string& end) const {
    return std::count_if(http.sent.begin(), http.sent.end(),
                         [&](const HttpRequest& request) { return request.url.path.ends_with(end); });
  }
  TempDir dir = TempDir::create(fs::temp_directory_path(), "hearth-test-");
  fakes::ScriptedHttp http;
  fakes::ScriptedRunner runner;
  fakes::ManualClock clock;
  std::string base = "http://mirror.example/dists/stable/";
  std::string url = cat(base, "InRelease");
};

TEST_F(RepositoriesTest, EachIsAskedOnceAndAListIsFetchedOnceForEver) {
  Repositories first = repositories();
  EXPECT_EQ(first.at(url).fault, "");
  EXPECT_EQ(first.at(url).unchecked, "");
  EXPECT_EQ(first.at(url).name, "stable");
  EXPECT_EQ(first.offers().state_of("web", "amd64", "1", {first.at(url).offer}).newer->version, "2");
  EXPECT_EQ(asked("InRelease"), 1);
  Repositories second = repositories();
  EXPECT_TRUE(second.offers().state_of("web", "amd64", "1", {second.at(url).offer}).is_offered);
  EXPECT_EQ(asked("InRelease"), 2);
  EXPECT_EQ(asked("Packages"), 1);
}

TEST_F(RepositoriesTest, AListThatIsNotWhatTheReleaseFileSaysIsNotBelieved) {
  http = {};
  serve_release(k_list);
  http.on("GET", cat(base, "main/binary-amd64/Packages"), 200, "Package: web\nVersion: 0\nArchitecture: amd64\n");
  EXPECT_THAT(repositories().at(url).fault, HasSubstr("main/binary-amd64/Packages is not what the Release file says"));
}

TEST_F(RepositoriesTest, DuringAnUpdateOfTheMirrorTheListIsThereByItsDigest) {
  http = {};
  serve_release(k_list, "Acquire-By-Hash: yes\n");
  http.on("GET", cat(base, "main/binary-amd64/by-hash/SHA256/", hex_digest(HashKind::sha256, k_list)), 200, k_list);
  EXPECT_EQ(repositories().at(url).fault, "");
  EXPECT_EQ(asked("Packages"), 0);
}

TEST_F(RepositoriesTest, AChangedReleaseFileIsRefusedAndAnUnknownKeyTold) {
  runner.on("gpgv", 1, "[GNUPG:] BADSIG 1234 Archive\n");
  EXPECT_THAT(repositories().at(url).fault, HasSubstr("its signature does not fit"));
  runner.on("gpgv", 2, "[GNUPG:] ERRSIG 1234 1 8 01 1 9 -\n[GNUPG:] NO_PUBKEY 1234\n");
  EXPECT_THAT(repositories().at(url).unchecked, HasSubstr("by none of the keys"));
  runner.on("gpgv", 0, "[GNUPG:] EXPKEYSIG 1234 Archive\n");
  EXPECT_THAT(repositories().at(url).unchecked, HasSubstr("time is over"));
  runner.forget_answers();
  EXPECT_THAT(repositories().at(url).unchecked, HasSubstr("no gpgv"));
}

TEST_F(RepositoriesTest, CredentialsComeFromTheEnvironment) {
  Repositories asking = repositories({{"DIB_DISTRIBUTION_MIRROR", "http://me:pw@mirror.example/dists"}});
  EXPECT_EQ(asking.at(url).fault, "");
  EXPECT_EQ(http.sent.at(0).url.user_info, "me:pw");
}

TEST_F(RepositoriesTest, WhatDoesNotAnswerOrIsNoneIsSaidOnce) {
  Repositories asking = repositories();
  EXPECT_THAT(asking.at("http://away.example/InRelease").fault, HasSubstr("Connection refused"));
  http.on("GET", "http://other.example/InRelease", 200, "<html>");
  EXPECT_THAT(asking.at("http://other.example/InRelease").fault, HasSubstr("no signed Release file"));
  EXPECT_THAT(asking.at("file:/dev/zero").fault, HasSubstr("no regular file"));
  EXPECT_THAT(asking.at("nonsense").fault, HasSubstr("nonsense"));
}

}  // namespace
}  // namespace hearth::builder
