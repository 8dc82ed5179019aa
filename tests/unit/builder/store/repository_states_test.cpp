#include "builder/store/repository_states.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "base/hash.hpp"
#include "base/sys/file.hpp"
#include "base/sys/process.hpp"
#include "base/text.hpp"
#include "tests/fakes/manual_clock.hpp"
#include "tests/fakes/scripted_http.hpp"

namespace hearth::builder {
namespace {

class RepositoryStatesTest : public testing::Test {
 protected:
  RepositoryStates states(std::optional<Duration> age = std::chrono::hours(1)) {
    return {dir.path() / "repositories.json", http, clock, age};
  }
  TempDir dir = TempDir::create(fs::temp_directory_path(), "hearth-test-");
  fakes::ScriptedHttp http;
  fakes::ManualClock clock;
  std::string url = "http://mirror.example/dists/x/InRelease";
};

TEST_F(RepositoryStatesTest, ALateLookIsGoodForItsAgeAndAcrossProcesses) {
  states().seen(url, "d1");
  EXPECT_EQ(states().digest(url), "d1");
  EXPECT_TRUE(http.sent.empty());
  clock.advance(std::chrono::minutes(61));
  http.on("GET", url, 200, "new release");
  EXPECT_EQ(states().digest(url), hex_digest(HashKind::sha256, "new release"));
  EXPECT_EQ(states().digest(url), hex_digest(HashKind::sha256, "new release"));
  EXPECT_EQ(http.sent.size(), 1U);
}

/// Also within the second of the other's look: `--refresh` right after a build.
TEST_F(RepositoryStatesTest, WithoutAnAgeEachProcessAsksOnce) {
  states(Duration::zero()).seen(url, "d1");
  http.on("GET", url, 200, "new release");
  RepositoryStates again = states(Duration::zero());
  EXPECT_EQ(again.digest(url), hex_digest(HashKind::sha256, "new release"));
  clock.advance(std::chrono::hours(2));
  EXPECT_EQ(again.digest(url), hex_digest(HashKind::sha256, "new release"));
  EXPECT_EQ(http.sent.size(), 1U);
}

TEST_F(RepositoryStatesTest, CredentialsComeFromTheEnvironmentAndStayThere) {
  http.on("GET", url, 200, "release");
  RepositoryStates with_environment(dir.path() / "repositories.json", http, clock, std::chrono::hours(1),
                                    {{"DIB_MIRROR", "http://me:pw@mirror.example/dists"},
                                     {"OTHER", "http://you:pw@mirror.example/other http://x:y@other.example/"}});
  EXPECT_EQ(with_environment.digest(url), hex_digest(HashKind::sha256, "release"));
  EXPECT_EQ(http.sent.at(0).url.user_info, "me:pw");
  EXPECT_EQ(read_file(dir.path() / "repositories.json").find("pw"), std::string::npos);
}

TEST_F(RepositoryStatesTest, ARepositoryThatDoesNotAnswerIsAsItWas) {
  EXPECT_EQ(states().digest(url), std::nullopt);
  states().seen(url, "d1");
  clock.advance(std::chrono::hours(5));
  EXPECT_EQ(states().digest(url), "d1");
  http.on("GET", url, 503);
  EXPECT_EQ(states().digest(url), "d1");
}

TEST_F(RepositoryStatesTest, ADocumentIsWhatItsServerSaysOfIt) {
  const std::string document = "http://files.example/x.tar";
  EXPECT_EQ(states().digest(cat("url ", document)), std::nullopt);
  http.on("HEAD", document, 200, "", {{"ETag", "\"1\""}, {"Last-Modified", "Mon, 01 Jan 2024 00:00:00 GMT"}});
  EXPECT_EQ(states().digest(cat("url ", document)),
            hex_digest(HashKind::sha256, "\"1\"\nMon, 01 Jan 2024 00:00:00 GMT\n"));
  http.on("HEAD", "http://files.example/y", 200);
  EXPECT_EQ(states().digest("url http://files.example/y"), "gone") << "nothing that could be compared";
  http.on("HEAD", "http://files.example/z", 404);
  EXPECT_EQ(states().digest("url http://files.example/z"), "gone");
  EXPECT_EQ(states(std::nullopt).digest(cat("url ", document)), std::nullopt) << "offline";
}

TEST_F(RepositoryStatesTest, OfflineNobodyIsAsked) {
  states().seen(url, "d1");
  clock.advance(std::chrono::hours(5));
  EXPECT_EQ(states(std::nullopt).digest(url), "d1");
  EXPECT_EQ(states(std::nullopt).digest("http://other.example/InRelease"), std::nullopt);
  EXPECT_TRUE(http.sent.empty());
}

/// A real repository: branches, tags, and a directory that is none.
TEST_F(RepositoryStatesTest, ABranchIsAskedForEachTime) {
  const SystemClock real;
  RealRunner runner(real);
  const std::string place = (dir.path() / "x.git").string();
  const auto git = [&](std::vector<std::string> words) {
    std::vector<std::string> argv = {"git", "-c", "user.name=n", "-c", "user.email=n@example.org", "-C", place};
    argv.insert(argv.end(), words.begin(), words.end());
    return std::string(trim(run_checked(runner, {.argv = argv})));
  };
  run_checked(runner, {.argv = {"git", "init", "-q", "-b", "master", place}});
  git({"commit", "-q", "--allow-empty", "-m", "one"});
  const std::string first = git({"rev-parse", "HEAD"});
  RepositoryStates known = states();
  EXPECT_EQ(known.digest(cat("git ", place, " master")), first);
  git({"commit", "-q", "--allow-empty", "-m", "two"});
  const std::string second = git({"rev-parse", "HEAD"});
  EXPECT_EQ(known.digest(cat("git ", place, " master")), second);
  EXPECT_EQ(known.digest(cat("git ", place, " HEAD")), second);
  git({"tag", "v1", first});
  EXPECT_EQ(known.digest(cat("git ", place, " v1")), first);
  EXPECT_EQ(known.digest(cat("git ", place, " nowhere")), "gone");
  EXPECT_EQ(known.digest(cat("git ", place, " ", first)), first) << "a commit never changes";
  EXPECT_EQ(known.digest(cat("git ", place, "-not master")), "gone") << "it is no server that does not answer";
  EXPECT_EQ(known.digest(cat("git file://", place, "-not master")), "gone");
  EXPECT_EQ(states(std::nullopt).digest(cat("git ", place, " master")), std::nullopt) << "offline nobody is asked";
}

/// Hooks may write where the build is started.
TEST_F(RepositoryStatesTest, GitReadsNoConfigurationOfWhereItIsStarted) {
  const SystemClock real;
  RealRunner runner(real);
  const fs::path here = fs::current_path();
  run_checked(runner, {.argv = {"git", "init", "-q", (dir.path() / "work").string()}});
  const auto set = [&](const std::string& key, const std::string& value) {
    run_checked(runner, {.argv = {"git", "-C", (dir.path() / "work").string(), "config", key, value}});
  };
  set("protocol.ext.allow", "always");
  set(cat("url.ext::touch ", (dir.path() / "came-through").string(), " .insteadOf"), "https://git.example/");
  fs::current_path(dir.path() / "work");
  (void)states().digest("git https://git.example/x master");
  (void)states().digest(cat("git ext::touch% ", (dir.path() / "came-through").string(), " master"));
  EXPECT_EQ(states().digest("git x.git master"), "gone") << "nobody can tell where that is";
  fs::current_path(here);
  EXPECT_FALSE(fs::exists(dir.path() / "came-through"));
}

TEST_F(RepositoryStatesTest, WhatHooksDoNotReachIsNotAskedFor) {
  RepositoryStates apart(dir.path() / "repositories.json", http, clock, std::chrono::hours(1), {},
                         [](const std::string& server) { return server.find("127.0.0.1") == std::string::npos; });
  EXPECT_EQ(apart.digest("git http://127.0.0.1:1/x master"), "gone");
}

TEST_F(RepositoryStatesTest, AFileThatNeverEndsIsNone) {
  ASSERT_EQ(::mkfifo((dir.path() / "pipe").c_str(), 0600), 0);
  EXPECT_EQ(states().digest(cat("url file://", (dir.path() / "pipe").string())), "gone");
  EXPECT_EQ(states().digest("url file:///dev/zero"), "gone");
  EXPECT_EQ(states().digest("url file:"), "gone");
  RealFileSystem().write(dir.path() / "document", "x", {});
  EXPECT_EQ(states().digest(cat("url file://", (dir.path() / "document").string())), hex_digest(HashKind::sha256, "x"));
}

TEST_F(RepositoryStatesTest, ADamagedFileIsAFreshStart) {
  RealFileSystem().write(dir.path() / "repositories.json", "{\"x\": ", {});
  EXPECT_EQ(states().digest(url), std::nullopt);
}

}  // namespace
}  // namespace hearth::builder
