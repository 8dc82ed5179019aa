#include "metadata/live/store_guard.hpp"

#include "base/sql/database.hpp"
#include "tests/unit/metadata/engine/engine_fixture.hpp"

namespace hearth::metadata::live {
namespace {

class Handler final : public HttpHandler {
 public:
  explicit Handler(bool& fails) : fails_(fails) {}
  ServedResponse answer(const ServedRequest&) override {
    if (fails_) throw sql::StoreError("database or disk is full");
    return {};
  }

 private:
  bool& fails_;
};

using StoreGuardTest = EngineTest;

TEST_F(StoreGuardTest, SaysThatOneMayComeAgainAndReadsGoOn) {
  bool fails = true;
  Handler handler(fails);
  StoreGuard guard(handler, *engine_, log_);
  ServedRequest post;
  post.method = "POST";
  const ServedResponse refused = guard.answer(post);
  EXPECT_EQ(refused.status, 503);
  EXPECT_EQ(refused.headers.back().first, "Retry-After");
  EXPECT_THAT(log_.all(), testing::HasSubstr("disk is full"));
  fails = false;
  EXPECT_EQ(guard.answer(post).status, 503) << "not before the store was taken up again";
  ServedRequest get;
  get.method = "GET";
  const ServedResponse known = guard.answer(get);
  EXPECT_EQ(known.status, 200);
  EXPECT_THAT(find_header(known.headers, "Warning").value_or("none"), testing::StartsWith("110 "))
      << "that it may be old";
  engine_->tick();
  EXPECT_EQ(guard.answer(post).status, 200);
  EXPECT_FALSE(find_header(guard.answer(get).headers, "Warning"));
}

TEST_F(StoreGuardTest, WhatOnlyAsksIsAnsweredWhateverItsMethod) {
  bool fails = true;
  Handler handler(fails);
  StoreGuard guard(handler, *engine_, log_, [](const ServedRequest& request) { return request.path == "/validate"; });
  ServedRequest post;
  post.method = "POST";
  (void)guard.answer(post);
  fails = false;
  EXPECT_EQ(guard.answer(post).status, 503);
  post.path = "/validate";
  EXPECT_FALSE(guard.admit(post).refusal);
  EXPECT_EQ(guard.answer(post).status, 200);
}

TEST_F(StoreGuardTest, WhatCanNotBeKeptBecauseTheDirectoryIsGoneIsRefusedWithTheReason) {
  bool fails = false;
  Handler handler(fails);
  StoreGuard guard(handler, *engine_, log_);
  ServedRequest post;
  post.method = "POST";
  ServedRequest get;
  get.method = "GET";
  (void)create("st", k_one_server);
  for (const char* part : {"state.db", "state.db-wal", "state.db-shm"}) fs::remove(directory_.path() / part);
  EXPECT_THROW((void)create("lost", k_one_server), sql::StoreError) << "it would be written to a file of nobody";
  engine_->tick();
  for (int times = 0; times < 2; ++times) {
    const ServedResponse refused = guard.answer(post);
    EXPECT_EQ(refused.status, 503);
    EXPECT_THAT(refused.body, testing::HasSubstr("its files were removed or replaced under the server"));
    EXPECT_THAT(refused.body, testing::HasSubstr("from a backup and start the server again"));
    EXPECT_EQ(guard.admit(post).refusal.value_or(ServedResponse{}).status, 503);
    EXPECT_EQ(guard.answer(get).status, 200) << "what is known is read on";
    EXPECT_EQ(status("st"), "CREATE_IN_PROGRESS");
    engine_->tick();
  }
  EXPECT_THAT(log_.all(), testing::HasSubstr("was removed or replaced while it was in use"));
}

TEST_F(StoreGuardTest, AnAgentOfAStackThatIsSetAsideComesAgain) {
  class Aside final : public HttpHandler {
   public:
    Admission admit(const ServedRequest&) override { throw StackSetAside({"id", "odd", "admin", "it is odd"}); }
    ServedResponse answer(const ServedRequest&) override { throw StackSetAside({"id", "odd", "admin", "it is odd"}); }
  } handler;
  StoreGuard guard(handler, *engine_, log_);
  const ServedResponse answer = guard.answer({});
  EXPECT_EQ(answer.status, 503);
  EXPECT_THAT(answer.body, testing::HasSubstr("it is odd"));
  EXPECT_EQ(guard.admit({}).refusal.value_or(ServedResponse{}).status, 503);
  EXPECT_TRUE(engine_->can_write()) << "that is no fault of the store";
}

}  // namespace
}  // namespace hearth::metadata::live
