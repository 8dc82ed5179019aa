// Each call of the database fails once, in turn: what was acknowledged is there afterwards, what was not may be asked
// for again, and what is shown is what is kept.
#include "base/sql/database.hpp"
#include "tests/fakes/failing_connection.hpp"
#include "tests/unit/metadata/engine/engine_fixture.hpp"

namespace hearth::metadata::live {
namespace {

class StoreFailureTest : public EngineTest {
 protected:
  StoreFailureTest() { with_faults(); }

  void with_faults() {
    faults_ = {};
    engine_.reset();
    repository_.reset();
    for (const char* part : {"state.db", "state.db-wal", "state.db-shm"}) fs::remove(directory_.path() / part);
    auto real = sql::detail::open_sqlite((directory_.path() / "state.db").string());
    repository_ = std::make_unique<SqlRepository>(
        sql::Database(std::make_unique<fakes::FailingConnection>(std::move(real), faults_), false));
    engine_ = std::make_unique<Engine>(Engine::World{*repository_, maker_, clock_, log_}, PublicUrls{});
    faults_.calls = 0;
  }
  /// As a port does it and its client: a failure is answered with "come again", and he does.
  void until_taken(const std::function<void()>& request) {
    for (int times = 0; times < 3; ++times) {
      try {
        if (!engine_->can_write()) engine_->tick();
        return request();
      } catch (const sql::StoreError&) {
        engine_->store_failed();
        ++failures_;
      } catch (const EngineError&) {  // it was done the first time
        return;
      }
    }
    FAIL() << "the store failed once only";
  }
  void signal(const std::string& name) {
    until_taken([&] {
      Json answer = Json::object();
      answer["result"] = name;
      answer["deploy_status_code"] = 0;
      const std::string id = engine_->find("st").live->tree.id;
      EXPECT_EQ(engine_->signal(id, name, answer).kind, SignalOutcome::Kind::taken);
    });
  }

  fakes::StoreFaults faults_;
  int failures_ = 0;
};

TEST_F(StoreFailureTest, EveryCallFailsOnceAndNothingAcknowledgedIsLost) {
  std::size_t failing = 1;
  for (;; ++failing) {
    SCOPED_TRACE(failing);
    with_faults();
    faults_.fails_at = failing;
    failures_ = 0;
    until_taken([&] { (void)create("other", k_one_server); });
    until_taken([&] { (void)create("st", k_one_server); });
    signal("d1");
    until_taken([&] { engine_->act(engine_->find("other").live->tree.id, Action::erase); });
    signal("d2");
    const bool failed = faults_.calls >= failing;
    faults_.fails_at = 0;
    engine_->tick();
    ASSERT_TRUE(engine_->can_write());
    for (int times = 0; times < 2; ++times) {
      EXPECT_EQ(status("st"), "CREATE_COMPLETE");
      EXPECT_EQ(at("st", "d1").deployment.output_values["result"], "d1");
      EXPECT_EQ(metadata("st", "s")["deployments"].size(), 2U);
      EXPECT_THROW((void)engine_->find("other"), EngineError);
      restart();
    }
    if (!failed) break;
  }
  EXPECT_GT(failing, 20U) << "there was something to fail";
}

TEST_F(StoreFailureTest, WhatCanNotBeKeptIsNeitherShownNorIsItsNameTaken) {
  (void)create("st", k_one_server);
  const Json before = metadata("st", "s");
  faults_ = {.calls = 0, .fails_at = 3, .forever = false};
  const std::string id = engine_->find("st").live->tree.id;
  EXPECT_THROW((void)engine_->signal(id, "d1", Json::object()), sql::StoreError);
  EXPECT_TRUE(engine_->can_read());
  EXPECT_FALSE(engine_->can_write());
  EXPECT_EQ(metadata("st", "s"), before);
  EXPECT_EQ(at("st", "d1").status, Status::in_progress);
  engine_->tick();
  EXPECT_TRUE(engine_->can_write());
}

TEST_F(StoreFailureTest, WhileNothingCanBeReadNothingIsAnswered) {
  (void)create("st", k_one_server);
  faults_ = {.calls = 0, .fails_at = 1, .forever = true};
  EXPECT_THROW((void)create("other", k_one_server), sql::StoreError);
  EXPECT_FALSE(engine_->can_read());
  EXPECT_THROW(engine_->tick(), sql::StoreError);
  EXPECT_FALSE(engine_->can_read());
  faults_ = {};
  engine_->tick();
  EXPECT_TRUE(engine_->can_write());
  EXPECT_EQ(status("st"), "CREATE_IN_PROGRESS");
  EXPECT_THROW((void)engine_->find("other"), EngineError);
}

}  // namespace
}  // namespace hearth::metadata::live
