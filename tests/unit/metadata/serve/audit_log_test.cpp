#include "metadata/serve/audit_log.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <csignal>

#include "base/error.hpp"
#include "base/json.hpp"
#include "base/sys/file.hpp"
#include "base/text.hpp"
#include "tests/fakes/manual_clock.hpp"

namespace hearth::metadata {
namespace {

TEST(AuditLog, HasALineForEachRequestThatCostSomething) {
  const TempDir directory = TempDir::create("/tmp", "audit-");
  const std::string path = (directory.path() / "audit.log").string();
  const fakes::ManualClock clock;
  AuditLog log(path, clock);
  ServedRequest request;
  request.method = "GET";
  request.target = "/v1/?Signature=secret\n\xff";
  request.peer = "192.0.2.1";
  log.record({"cfn", request, 403, 12, std::chrono::microseconds(7), "key k"});
  log.record({"cfn", request, 304, 0, {}});
  const std::vector<std::string> lines = split_lines(read_file(path));
  ASSERT_EQ(lines.size(), 2U) << "and one with which it begins";
  const Json line = Json::parse(lines[1]);
  EXPECT_EQ(line["status"], 403);
  EXPECT_EQ(line["target"], "/v1/?Signature=***");
  EXPECT_EQ(line["microseconds"], 7);
  EXPECT_EQ(line["principal"], "key k");
}

class AuditChainTest : public testing::Test {
 protected:
  void record(AuditLog& log, const std::string& target) {
    request_.target = target;
    log.record({"heat", request_, 200, 0, {}, "token ci"});
  }
  void write(const std::string& text) { RealFileSystem().write(path_, text, {.mode = 0600, .uid = {}, .gid = {}}); }
  void expect_broken(const std::string& text, int line) {
    write(text);
    try {
      (void)verify_audit(path_);
      ADD_FAILURE() << "not seen: " << text;
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find(cat("audit.log:", line, ": ")), std::string::npos) << error.what();
    }
  }
  TempDir directory_ = TempDir::create("/tmp", "audit-");
  std::string path_ = (directory_.path() / "audit.log").string();
  fakes::ManualClock clock_;
  ServedRequest request_;
};

TEST_F(AuditChainTest, NoLineIsChangedLeftOutOrPutInWithoutATrace) {
  {
    AuditLog log(path_, clock_);
    for (const char* target : {"/a", "/b", "/c"}) record(log, target);
  }
  EXPECT_EQ(verify_audit(path_).lines, 4U);
  const std::string good = read_file(path_);
  const std::vector<std::string> lines = split_lines(good);
  expect_broken(replace_all(good, "/b", "/x"), 3);
  expect_broken(cat(lines[0], "\n", lines[1], "\n", lines[3], "\n"), 3);
  expect_broken(cat(lines[0], "\n", lines[2], "\n", lines[1], "\n", lines[3], "\n"), 2);
  expect_broken(cat(lines[0], "\n", lines[1], "\n{\"time\": 1}\n", lines[2], "\n"), 3);
  expect_broken(cat(lines[0], "\n", lines[1], "\n", lines[1], "\n"), 3);
  write(good);
  const AuditLog again(path_, clock_);
  EXPECT_EQ(read_file(path_), good) << "a restart goes on with the chain";
}

TEST_F(AuditChainTest, WhatACrashLeftUnfinishedIsNoBreak) {
  { record(*std::make_unique<AuditLog>(path_, clock_), "/a"); }
  write(read_file(path_) + R"({"time": 1, "list)");
  { record(*std::make_unique<AuditLog>(path_, clock_), "/b"); }
  const AuditVerdict verdict = verify_audit(path_);
  EXPECT_EQ(verdict.torn, 1U);
  EXPECT_EQ(verdict.lines, 4U);
}

TEST_F(AuditChainTest, TellsHowManyLinesAFullDiskKeptOut) {
  AuditLog log(path_, clock_);
  record(log, "/a");
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  const auto ignored = std::signal(SIGXFSZ, SIG_IGN);
  const rlimit full{fs::file_size(path_) + 20, before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &full), 0);
  record(log, "/unseen");
  record(log, "/unseen");
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &before), 0);
  (void)std::signal(SIGXFSZ, ignored);
  record(log, "/b");
  const AuditVerdict verdict = verify_audit(path_);
  EXPECT_EQ(verdict.missed, 2U);
  EXPECT_EQ(verdict.lines, 4U);
  EXPECT_EQ(read_file(path_).find("unseen"), std::string::npos);
}

TEST_F(AuditChainTest, ALongFileIsFollowedByAnotherAndSoIsOneThatWasMovedAway) {
  AuditLog log(path_, clock_, {.bytes = 2000, .former_files = 2});
  for (int i = 0; i < 100; ++i) record(log, "/a");
  EXPECT_TRUE(fs::exists(path_ + ".2"));
  EXPECT_FALSE(fs::exists(path_ + ".3"));
  EXPECT_LT(fs::file_size(path_ + ".1"), 2600U);
  EXPECT_EQ(verify_audit(path_).files, 3U);
  fs::rename(path_ + ".1", path_ + ".2");
  fs::rename(path_, path_ + ".1");
  clock_.sleep(std::chrono::seconds(2));
  record(log, "/moved");
  EXPECT_NE(read_file(path_).find("/moved"), std::string::npos);
  EXPECT_EQ(verify_audit(path_).files, 3U);
  fs::remove(path_ + ".1");
  fs::rename(path_ + ".2", path_ + ".1");
  EXPECT_THROW((void)verify_audit(path_), Error) << "a file is missing";
}

}  // namespace
}  // namespace hearth::metadata
