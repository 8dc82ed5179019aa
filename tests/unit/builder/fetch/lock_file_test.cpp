#include "builder/fetch/lock_file.hpp"

#include <gmock/gmock.h>

#include "base/hash.hpp"
#include "base/text.hpp"

namespace hearth::builder::fetch {
namespace {

const std::string k_digest = hex_digest(HashKind::sha256, "x");

Lock sample() {
  Lock lock;
  lock.fetches[{"GET", "http://b.example/2"}] = {200, k_digest, 1, {{"etag", "\"a b\""}}};
  lock.fetches[{"GET", "http://a.example/1?x=y"}] = {302, k_digest, 1, {{"location", "http://b.example/2"}}};
  lock.fetches[{cat("POST:", k_digest), "https://b.example/2"}] = {200, k_digest, 1, {}};
  lock.settings["DIB_RELEASE"] = "bookworm";
  lock.settings["EMPTY"] = "";
  return lock;
}

TEST(LockFile, IsReadBackAsItWasWritten) {
  const Result<Lock> read = parse_lock(lock_text(sample()), "hearth.lock");
  ASSERT_TRUE(read) << read.error().text();
  EXPECT_EQ(read->fetches, sample().fetches);
  EXPECT_EQ(read->settings, sample().settings);
  EXPECT_TRUE(read->has_https());
}

TEST(LockFile, IsOneLineForEachFetchSortedByUrl) {
  const std::vector<std::string> lines = split_lines(lock_text(sample()));
  ASSERT_EQ(lines.size(), 6U);
  EXPECT_EQ(lines[1], "SET DIB_RELEASE bookworm");
  EXPECT_EQ(lines[3], cat("GET http://a.example/1?x=y 302 sha256:", k_digest, " 1 location=http://b.example/2"));
  EXPECT_EQ(lines[4], cat("GET http://b.example/2 200 sha256:", k_digest, " 1 etag=\"a%20b\""));
}

TEST(LockFile, KeepsOfAnAnswersHeadersWhatClientsActOn) {
  EXPECT_THAT(kept_headers({{"Server", "x"}, {"ETag", "\"1\""}, {"Content-Type", "a/b"}, {"Date", "now"}}),
              testing::ElementsAre(testing::Pair("content-type", "a/b"), testing::Pair("etag", "\"1\"")));
}

TEST(LockFile, SaysInWhichLineItIsWrong) {
  const auto problem = [](const std::string& text) {
    const Result<Lock> read = parse_lock(text, "hearth.lock");
    return read ? "none" : read.error().text();
  };
  const std::string good = cat("GET http://a.example/ 200 sha256:", k_digest, " 1\n");
  EXPECT_EQ(problem(good), "none");
  EXPECT_THAT(problem(cat("# c\n\n", good, good)), testing::HasSubstr("hearth.lock:4:1: this URL stands here twice"));
  EXPECT_THAT(problem(good.substr(0, good.size() - 1)), testing::HasSubstr("cut short"));
  EXPECT_THAT(problem("GET http://a.example/ 200\n"), testing::HasSubstr("hearth.lock:1:1: a line is: METHOD"));
  EXPECT_THAT(problem(replace_all(good, "GET", "PUT")), testing::HasSubstr("'PUT' is no method"));
  EXPECT_THAT(problem(replace_all(good, "http:", "ftp:")), testing::HasSubstr("is no URL"));
  EXPECT_THAT(problem(replace_all(good, " 200 ", " 99 ")), testing::HasSubstr("'99' is no status"));
  EXPECT_THAT(problem(replace_all(good, "sha256:", "md5:")), testing::HasSubstr("is no digest"));
  EXPECT_THAT(problem(replace_all(good, " 1\n", " -1\n")), testing::HasSubstr("is no size"));
  EXPECT_THAT(problem(replace_all(good, "\n", " etag\n")), testing::HasSubstr("is not FIELD=VALUE"));
  EXPECT_THAT(problem("SET A b c\n"), testing::HasSubstr("a setting is: SET NAME VALUE"));
}

}  // namespace
}  // namespace hearth::builder::fetch
