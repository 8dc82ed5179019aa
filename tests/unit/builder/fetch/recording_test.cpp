#include "builder/fetch/recording.hpp"

#include <gmock/gmock.h>

#include <atomic>
#include <thread>

#include "base/error.hpp"
#include "base/sys/file.hpp"
#include "base/text.hpp"

namespace hearth::builder::fetch {
namespace {

const FetchKey k_key{"GET", "http://a.example/file"};
const FetchKey k_package{"GET", "http://a.example/pool/main/x_1_all.deb"};

class RecordingTest : public testing::Test {
 protected:
  Fetched kept(std::string_view bytes) {
    BlobStore::Writer object = store_->blobs().begin();
    object.write(bytes);
    return {200, object.commit(), bytes.size(), {}};
  }
  Recording make(FetchMode mode, Lock given = {}, Lock known = {}) {
    return {mode,
            std::move(given),
            std::move(known),
            store_,
            [] { return std::string("step"); },
            [this](const FetchKey& key, const std::string& sha256) { told_[key.url] = sha256; }};
  }
  std::map<std::string, std::string> told_;
  TempDir dir_ = TempDir::create("/tmp", "hearth-test-");
  std::shared_ptr<ObjectStore> store_ = std::make_shared<ObjectStore>(dir_.path());
};

TEST_F(RecordingTest, AsksTheNetworkOnceForEachUrl) {
  Recording recording = make(FetchMode::record);
  ASSERT_TRUE(std::holds_alternative<FromNetwork>(recording.decide(k_key)));
  recording.fetched(k_key, kept("one"), std::nullopt);
  EXPECT_TRUE(std::holds_alternative<FromStore>(recording.decide(k_key)));
  EXPECT_EQ(recording.result().fetches.size(), 1U);
}

TEST_F(RecordingTest, LetsOthersWaitForAnAnswerThatIsUnderWay) {
  Recording recording = make(FetchMode::record);
  ASSERT_TRUE(std::holds_alternative<FromNetwork>(recording.decide(k_key)));
  std::atomic<bool> from_store{false};
  std::thread other([&] { from_store = std::holds_alternative<FromStore>(recording.decide(k_key)); });
  recording.fetched(k_key, kept("one"), std::nullopt);
  other.join();
  EXPECT_TRUE(from_store);
}

TEST_F(RecordingTest, TakesWhatNeverChangesFromEarlierBuilds) {
  Lock known;
  known.fetches[k_package] = kept("a package");
  known.fetches[k_key] = kept("a list");
  Recording recording = make(FetchMode::record, {}, known);
  EXPECT_TRUE(std::holds_alternative<FromStore>(recording.decide(k_package)));
  const Decision decision = recording.decide(k_key);
  ASSERT_TRUE(std::holds_alternative<FromNetwork>(decision));
  EXPECT_EQ(std::get<FromNetwork>(decision).known, known.fetches[k_key]);
  recording.unchanged(k_key, known.fetches[k_key]);
  EXPECT_EQ(recording.result().fetches, known.fetches);
}

TEST_F(RecordingTest, OfflineAnswersOnlyWhatLockAndStoreHave) {
  Lock lock;
  lock.fetches[k_key] = kept("one");
  lock.fetches[k_package] = {200, hex_digest(HashKind::sha256, "gone"), 4, {}};
  Recording recording = make(FetchMode::offline, lock);
  EXPECT_TRUE(std::holds_alternative<FromStore>(recording.decide(k_key)));
  EXPECT_TRUE(std::holds_alternative<Refused>(recording.decide(k_package)));
  EXPECT_TRUE(std::holds_alternative<Refused>(recording.decide({"GET", "http://other.example/"})));
  const std::vector<Miss> misses = recording.misses();
  ASSERT_EQ(misses.size(), 2U);
  EXPECT_THAT(misses[0].why, testing::HasSubstr("its object sha256:"));
  EXPECT_EQ(misses[1].url, "http://other.example/");
  EXPECT_EQ(misses[1].step, "step");
}

TEST_F(RecordingTest, TellsWhatEachRequestWasAnsweredWith) {
  Lock lock;
  lock.fetches[k_key] = kept("one");
  lock.fetches[k_package] = {200, hex_digest(HashKind::sha256, "gone"), 4, {}};
  Recording recording = make(FetchMode::offline, lock);
  for (const FetchKey& key : {k_key, k_package, FetchKey{"GET", "http://other.example/"}}) (void)recording.decide(key);
  EXPECT_EQ(told_[k_key.url], lock.fetches[k_key].sha256);
  EXPECT_EQ(told_[k_package.url], k_failed);  // never the lock's digest: the step saw something else
  EXPECT_EQ(told_["http://other.example/"], k_not_locked);
}

TEST_F(RecordingTest, WhatIsTakenOverCountsAsFetchedIfTheLockNamesIt) {
  Lock lock;
  lock.fetches[k_key] = kept("one");
  Recording recording = make(FetchMode::offline, lock);
  recording.taken_over(k_key);
  recording.taken_over(k_package);
  EXPECT_EQ(recording.result().fetches, lock.fetches);
  EXPECT_EQ(recording.foreseen(k_key), lock.fetches[k_key]);
  EXPECT_FALSE(recording.foreseen(k_package));
}

TEST_F(RecordingTest, ARecordingTakesOverWhatEarlierBuildsGot) {
  Lock known;
  const FetchKey post{"POST:" + std::string(64, '0'), "http://a.example/git-upload-pack"};
  known.fetches[post] = kept("a pack");
  Recording recording = make(FetchMode::record, {}, known);
  EXPECT_EQ(recording.foreseen(post), known.fetches[post]);
  recording.taken_over(post);
  EXPECT_EQ(recording.result().fetches, known.fetches);
}

TEST_F(RecordingTest, ForgetsAnswersThatNothingCameOf) {
  Recording recording = make(FetchMode::record);
  for (const FetchKey& key : {k_key, k_package}) {
    (void)recording.decide(key);
    recording.fetched(key, kept(key.url), std::nullopt);
  }
  recording.keep_only({k_package});
  EXPECT_EQ(recording.result().fetches.size(), 1U);
  EXPECT_EQ(recording.result().fetches.count(k_package), 1U);
}

TEST_F(RecordingTest, TellsWhatPassedUnseen) {
  Recording recording = make(FetchMode::record);
  recording.not_recorded("https://a.example/");
  EXPECT_EQ(told_["https://a.example/"], k_not_recorded);
  EXPECT_EQ(recording.result().notes, std::vector<std::string>{"not recorded: https://a.example/ (step step)"});
}

TEST_F(RecordingTest, LockedHoldsTheNetworkToTheLock) {
  Lock lock;
  lock.fetches[k_key] = {200, hex_digest(HashKind::sha256, "right"), 5, {}};
  Recording recording = make(FetchMode::locked, lock);
  EXPECT_TRUE(std::holds_alternative<Refused>(recording.decide(k_package)));
  Decision decision = recording.decide(k_key);
  ASSERT_TRUE(std::holds_alternative<FromNetwork>(decision));
  EXPECT_THROW(recording.fetched(k_key, kept("wrong"), std::get<FromNetwork>(decision).expected), Error);
  EXPECT_THAT(recording.misses().back().why, testing::HasSubstr("the lock says sha256:"));
  decision = recording.decide(k_key);
  recording.fetched(k_key, kept("right"), std::get<FromNetwork>(decision).expected);
  EXPECT_TRUE(std::holds_alternative<FromStore>(recording.decide(k_key)));
}

TEST_F(RecordingTest, TellsWhyAPackOfGitIsNotTheLocks) {
  const FetchKey pack{"POST:0", "http://a.example/app/git-upload-pack"};
  Recording recording = make(FetchMode::locked);
  EXPECT_THROW(recording.fetched(pack, kept("packed anew"), kept("packed")), Error);
  EXPECT_THAT(
      recording.misses().back().why,
      testing::HasSubstr("it answered lies in hearth.lock.d (the lock's name and .d) where the lock was recorded"));
}

TEST_F(RecordingTest, AsksAgainAfterAFailure) {
  Recording recording = make(FetchMode::record);
  (void)recording.decide(k_key);
  recording.failed(k_key, "no answer");
  EXPECT_TRUE(std::holds_alternative<FromNetwork>(recording.decide(k_key)));
  EXPECT_TRUE(recording.result().fetches.empty());
}

TEST_F(RecordingTest, AsksAgainAfterAChallengeAndKeepsTheBetterAnswer) {
  Recording recording = make(FetchMode::record);
  Fetched challenge = kept("who are you");
  challenge.status = 401;
  const Fetched answer = kept("one");
  for (const Fetched& each : {challenge, answer, challenge}) {
    (void)recording.decide(k_key);
    recording.fetched(k_key, each, std::nullopt);
  }
  EXPECT_EQ(recording.result().fetches.at(k_key), answer);
  (void)recording.decide(k_package);
  recording.fetched(k_package, challenge, std::nullopt);
  EXPECT_TRUE(std::holds_alternative<FromNetwork>(recording.decide(k_package)));
  EXPECT_EQ(recording.result().fetches.at(k_package).status, 401) << "a replay challenges, too";
}

TEST(LastingAnswers, AreThoseThatAnotherRequestWouldGetToo) {
  for (const int status : {200, 301, 302, 307, 404, 410, 401}) EXPECT_TRUE(is_lasting(status)) << status;
  for (const int status : {206, 304, 429, 500, 503}) EXPECT_FALSE(is_lasting(status)) << status;
}

TEST(ImmutableNames, ArePackagesAndWhatIsNamedByItsDigest) {
  EXPECT_TRUE(is_immutable("http://m/debian/pool/main/a/a_1_amd64.deb"));
  EXPECT_TRUE(is_immutable("http://m/debian/dists/x/main/binary-amd64/by-hash/SHA256/00"));
  EXPECT_FALSE(is_immutable("http://m/debian/dists/x/InRelease"));
  EXPECT_FALSE(is_immutable("http://m/latest/a.deb"));
}

}  // namespace
}  // namespace hearth::builder::fetch
