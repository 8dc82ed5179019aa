// Each call of the database fails once, in turn: what was acknowledged is there afterwards, what was not may be asked
// for again, and what is shown is what is kept. And of what was acknowledged a power cut takes nothing.
//
// With PostgreSQL, where HEARTH_TEST_POSTGRES names a database that may be emptied
// (tests/peers/metadata/postgres_peer.py does), the same again.
#include <cstdlib>
#include <set>

#include "base/sql/database.hpp"
#include "tests/fakes/failing_connection.hpp"
#include "tests/fakes/lossy_disk.hpp"
#include "tests/unit/metadata/engine/engine_fixture.hpp"

namespace hearth::metadata::live {
namespace {

/// The parameter is a URL, or empty for SQLite in a file.
class StoreFailureTest : public EngineTest, public testing::WithParamInterface<std::string> {
 protected:
  StoreFailureTest() {
    keys_ = directory_.path() / "seal-key";  // as a service has it
    with_faults();
  }

  void with_faults() {
    faults_ = {};
    engine_.reset();
    repository_.reset();
    for (const char* part : {"state.db", "state.db-wal", "state.db-shm"}) fs::remove(directory_.path() / part);
    auto real = GetParam().empty() ? sql::detail::open_sqlite((directory_.path() / "state.db").string())
                                   : sql::detail::open_postgres(GetParam());
    if (!GetParam().empty()) {
      for (const char* table : {"setting", "tree", "stack", "resource", "event", "object"})
        real->run(cat("DROP TABLE IF EXISTS ", table));
    }
    repository_ = std::make_unique<SqlRepository>(
        sql::Database(std::make_unique<fakes::FailingConnection>(std::move(real), faults_), !GetParam().empty()),
        keys_);
    engine_ = std::make_unique<Engine>(Engine::World{*repository_, maker_, clock_, log_}, PublicUrls{});
    faults_.calls = 0;
  }
  void restart() {
    if (GetParam().empty()) return EngineTest::restart();
    engine_.reset();
    repository_.reset();
    repository_ = std::make_unique<SqlRepository>(GetParam(), keys_);
    engine_ = std::make_unique<Engine>(Engine::World{*repository_, maker_, clock_, log_}, PublicUrls{});
  }
  /// As a port does it and its client: a failure is answered with "come again", and he does.
  void until_taken(const std::function<void()>& request) {
    for (int times = 0; times < 3; ++times) {
      try {
        if (!engine_->can_write()) engine_->tick();
        return request();
      } catch (const sql::StoreError& error) {
        engine_->store_failed(error);
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

TEST_P(StoreFailureTest, EveryCallFailsOnceAndNothingAcknowledgedIsLost) {
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

TEST_P(StoreFailureTest, WhatCanNotBeKeptIsNeitherShownNorIsItsNameTaken) {
  (void)create("st", k_one_server);
  const Json before = metadata("st", "s");
  faults_ = {.calls = 0, .fails_at = 3, .forever = false};
  const std::string id = engine_->find("st").live->tree.id;
  EXPECT_THROW((void)engine_->signal(id, "d1", Json::object()), sql::StoreError);
  EXPECT_TRUE(engine_->can_read());
  EXPECT_FALSE(engine_->can_write());
  EXPECT_EQ(metadata("st", "s"), before);
  EXPECT_EQ(at("st", "d1").status, Status::in_progress);
  EXPECT_THROW((void)engine_->signal(id, "d1", Json::object()), sql::StoreError) << "before it is read again";
  EXPECT_THROW((void)create("other", k_one_server), sql::StoreError);
  EXPECT_EQ(metadata("st", "s"), before);
  engine_->tick();
  EXPECT_TRUE(engine_->can_write());
}

TEST_P(StoreFailureTest, WhereTheStoreFailsWhileAStepIsMadeBesideOthersThatIsSaidAndNotThatThereIsNoStack) {
  (void)create("st", k_one_server);
  const std::string id = engine_->find("st").live->tree.id;
  bool is_here = true;
  engine_->set_apart({[&] { return is_here; },
                      [&](const std::function<void()>& work) {
                        work();
                        if (!std::exchange(is_here, false)) return;
                        faults_ = {.calls = 0, .fails_at = 1, .forever = true};
                        EXPECT_THROW((void)create("other", k_one_server), sql::StoreError);
                        EXPECT_FALSE(engine_->can_write());
                        is_here = true;
                      }});
  EXPECT_THROW((void)engine_->signal(id, "d1", Json::object()), sql::StoreError);
  engine_->tick();
  EXPECT_FALSE(engine_->can_write());
  faults_ = {};
  engine_->set_apart({});
  engine_->tick();
  (void)engine_->signal(id, "d1", Json::object());
  EXPECT_EQ(at("st", "d1").status, Status::complete);
}

TEST_P(StoreFailureTest, WhileNothingCanBeReadAgainWhatIsKnownIsReadOn) {
  (void)create("st", k_one_server);
  const Json before = metadata("st", "s");
  const std::string key = at("st", "s").data.key;
  faults_ = {.calls = 0, .fails_at = 1, .forever = true};
  EXPECT_THROW((void)create("other", k_one_server), sql::StoreError);
  EXPECT_THROW((void)engine_->signal(engine_->find("st").live->tree.id, "d1", Json::object()), sql::StoreError);
  for (int times = 0; times < 2; ++times) {
    EXPECT_TRUE(engine_->can_read());
    EXPECT_FALSE(engine_->can_write());
    EXPECT_EQ(metadata("st", "s"), before);
    EXPECT_TRUE(engine_->is_steady(key));
    EXPECT_THROW((void)engine_->find("other"), EngineError);
    engine_->tick();
  }
  const std::string log = log_.all();
  EXPECT_EQ(log.find("the stacks' store"), log.rfind("the stacks' store")) << "told once";
  faults_ = {};
  engine_->tick();
  EXPECT_TRUE(engine_->can_write());
  EXPECT_EQ(status("st"), "CREATE_IN_PROGRESS");
  EXPECT_THROW((void)engine_->find("other"), EngineError);
}

TEST_P(StoreFailureTest, OfWhatSomebodyElseHasDrivenNothingIsSaidBeforeItIsReadAgain) {
  (void)create("st", k_one_server);
  sql::StoreError error("another process has taken it");
  error.supersede();
  engine_->store_failed(error);
  EXPECT_FALSE(engine_->can_read());
  EXPECT_THROW((void)engine_->find("st"), EngineError);
  engine_->tick();
  EXPECT_TRUE(engine_->can_write());
  EXPECT_EQ(status("st"), "CREATE_IN_PROGRESS");
}

/// Everybody waits as long as the engine does, so that is short; it is told, and asked for again.
TEST_F(EngineTest, SomebodyElsesLockDelaysNobodyForLong) {
  create("st", k_one_server);
  const std::string id = engine_->find("st").live->tree.id;
  sql::Database other((directory_.path() / "state.db").string());
  const auto signal = [&] { return engine_->signal(id, "d1", {{"deploy_status_code", 0}}).kind; };
  const Json before = metadata("st", "s");
  std::size_t polls = 0;
  engine_->set_breath([&] {
    ++polls;
    EXPECT_TRUE(engine_->is_steady(at("st", "s").data.key)) << "its own stack's agents, too";
    EXPECT_EQ(metadata("st", "s"), before);
  });
  repository_->meanwhile([this] { engine_->breathe_for_store(); });
  {
    const sql::Transaction locks(other);
    const auto began = std::chrono::steady_clock::now();
    EXPECT_THROW((void)signal(), sql::StoreError);
    EXPECT_LT(std::chrono::steady_clock::now() - began, std::chrono::seconds(1));
    EXPECT_FALSE(engine_->can_write());
    EXPECT_TRUE(engine_->can_read());
  }
  EXPECT_GT(polls, 20U);
  engine_->tick();
  engine_->set_breath({});
  EXPECT_EQ(signal(), SignalOutcome::Kind::taken);
}

std::vector<std::string> postgres() {
  const char* url = std::getenv("HEARTH_TEST_POSTGRES");
  return url == nullptr ? std::vector<std::string>{} : std::vector<std::string>{url};
}

INSTANTIATE_TEST_SUITE_P(Sqlite, StoreFailureTest, testing::Values(""));
INSTANTIATE_TEST_SUITE_P(Postgres, StoreFailureTest, testing::ValuesIn(postgres()));

class PowerCutTest : public EngineTest {};

TEST_F(PowerCutTest, TakesNothingThatWasAcknowledged) {
  engine_.reset();
  repository_.reset();
  for (const char* part : {"state.db", "state.db-wal", "state.db-shm"}) fs::remove(directory_.path() / part);
  fakes::LossyDisk disk(directory_.path());  // sees the database from its beginning
  keys_ = directory_.path() / "seal-key";
  restart();
  create("st", k_one_server);
  const std::string id = engine_->find("st").live->tree.id;
  disk.promise("made");
  EXPECT_EQ(engine_->signal(id, "d1", {{"result", "r"}, {"deploy_status_code", 0}}).kind, SignalOutcome::Kind::taken);
  disk.promise("signalled");
  ASSERT_TRUE(engine_->put_object({"AUTH_admin", "c", "o"}, "kept", "text/plain"));
  disk.promise("object");
  disk.promise("going");
  engine_->act(id, Action::erase);
  disk.promise("gone");
  engine_.reset();
  repository_.reset();
  const std::size_t cuts = disk.cut_everywhere([&](const fakes::LossyDisk::Cut& cut) {
    const std::set<std::string> promised(cut.promised.begin(), cut.promised.end());
    SqlRepository repository((directory_.path() / "state.db").string(), keys_);
    Engine left({repository, maker_, clock_, log_}, PublicUrls{});
    const std::vector<LiveTree*> trees = left.trees();
    if (promised.count("gone") > 0) {
      EXPECT_TRUE(trees.empty());
    } else if (promised.count("made") > 0 && promised.count("going") == 0) {
      ASSERT_EQ(trees.size(), 1U);
      EXPECT_EQ(trees[0]->tree.id, id);
      const StackTree& tree = trees[0]->tree;
      if (promised.count("signalled") > 0) {
        EXPECT_EQ(tree.resource(tree.find_path("d1")).deployment.output_values["result"], "r");
      }
    }
    const auto object = left.object({"AUTH_admin", "c", "o"});
    EXPECT_TRUE(promised.count("object") == 0 || (object && *object->text == "kept"));
  });
  EXPECT_GT(cuts, 40U);
}

}  // namespace
}  // namespace hearth::metadata::live
