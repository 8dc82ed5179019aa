// Rows that nothing can be made of: they keep neither the others nor the next start. With PostgreSQL, where
// HEARTH_TEST_POSTGRES names a database that may be emptied, the same again.
#include <cstdlib>

#include "base/foreign_json.hpp"
#include "base/sql/database.hpp"
#include "tests/fakes/failing_connection.hpp"
#include "tests/unit/metadata/engine/engine_fixture.hpp"

namespace hearth::metadata::live {
namespace {

using testing::HasSubstr;

std::string nested(std::size_t levels) { return std::string(levels, '[') + "1" + std::string(levels, ']'); }

/// The parameter is a URL, or empty for SQLite in a file.
class SetAsideTest : public EngineTest, public testing::WithParamInterface<std::string> {
 protected:
  SetAsideTest() {
    if (!GetParam().empty()) {
      auto real = sql::detail::open_postgres(GetParam());
      for (const char* table : {"setting", "tree", "stack", "resource", "event", "object"})
        real->run(cat("DROP TABLE IF EXISTS ", table));
      real.reset();
      restart();
    }
    (void)create("odd", k_one_server);
    (void)create("good", k_one_server);
    id_ = engine_->find("odd").live->tree.id;
  }
  [[nodiscard]] std::string place() const {
    return GetParam().empty() ? (directory_.path() / "state.db").string() : GetParam();
  }
  void restart() {
    engine_.reset();
    repository_.reset();
    repository_ = std::make_unique<SqlRepository>(place());
    engine_ = std::make_unique<Engine>(Engine::World{*repository_, maker_, clock_, log_}, PublicUrls{});
  }
  /// What nobody but somebody else's program would write.
  void spoil(const std::string& statement) {
    engine_.reset();
    repository_.reset();
    {
      sql::Database database(place());
      database.run(replace_all(statement, "$ID", id_));
    }
    restart();
  }
  void expect_aside(const std::string& why) {
    const SetAside* aside = engine_->find_set_aside("odd", "admin");
    ASSERT_NE(aside, nullptr);
    EXPECT_EQ(aside->id, id_);
    EXPECT_THAT(aside->why, HasSubstr(why));
    EXPECT_EQ(status("good"), "CREATE_IN_PROGRESS");
    EXPECT_TRUE(engine_->can_write());
    const std::string good = engine_->find("good").live->tree.id;
    EXPECT_EQ(engine_->signal(good, "d1", Json::object()).kind, SignalOutcome::Kind::taken) << "the others go on";
  }
  std::string id_;
};

constexpr const char* k_deep_row =
    "UPDATE resource SET data = '{\"name\": \"s\", \"data\": {\"key\": \"k\", \"x\": $DEEP}}' "
    "WHERE tree = '$ID' AND data LIKE '{\"name\":\"s\"%'";

TEST_P(SetAsideTest, ARowThatIsTooDeepKeepsNoOtherStack) {
  spoil(replace_all(k_deep_row, "$DEEP", nested(100'000)));
  expect_aside("nested deeper than 1024 levels");
  EXPECT_THAT(log_.all(),
              HasSubstr("the stack odd (" + id_ + ") of project admin is set aside, the others are served"));
  EXPECT_THAT(log_.all(), HasSubstr("hearth stack delete odd"));
  EXPECT_THROW((void)engine_->find("odd"), StackSetAside);
  EXPECT_THROW((void)engine_->find(id_), StackSetAside);
  EXPECT_THROW((void)create("odd", "{}"), EngineError) << "its name is taken";
  EXPECT_THROW((void)engine_->access_key("k"), StackSetAside) << "its agents come again";
  EXPECT_THROW((void)engine_->put_object({"AUTH_admin", "c", "k"}, "{}", "t"), StackSetAside);
  EXPECT_FALSE(engine_->access_key("nobody's"));
}

TEST_P(SetAsideTest, WhatOlderVersionsTookJustSoIsRead) {
  spoil(replace_all(k_deep_row, "$DEEP", nested(513)));
  EXPECT_EQ(engine_->find_set_aside("odd", "admin"), nullptr);
  EXPECT_EQ(engine_->trees().size(), 2U);
}

TEST_P(SetAsideTest, AnythingThatIsOddInARowKeepsNoOtherStack) {
  for (const auto& [statement, why] : std::vector<std::pair<std::string, std::string>>{
           {"UPDATE tree SET data = '{' WHERE id = '$ID'", "tree"},
           {"UPDATE tree SET data = '{}' WHERE id = '$ID'", "\"body\" is missing"},
           {"UPDATE tree SET data = '[]' WHERE id = '$ID'", "a list where a map"},
           {"UPDATE stack SET data = '5' WHERE tree = '$ID'", "a number where a map"},
           {"DELETE FROM stack WHERE tree = '$ID'", "not one row for its root"},
           {"UPDATE resource SET data = '{\"needs\": 5}' WHERE tree = '$ID'", "where a list"},
           {"UPDATE resource SET data = '{\"data\": {\"key\": 5}}' WHERE tree = '$ID'", "a number where a text"},
           {"UPDATE resource SET data = '{\"data\": 5}' WHERE tree = '$ID'", "a number where a map"}}) {
    SCOPED_TRACE(statement);
    spoil(statement);
    const auto& all = engine_->set_aside();
    ASSERT_EQ(all.size(), 1U);
    EXPECT_THAT(all.begin()->second.why, HasSubstr(why));
    EXPECT_EQ(status("good"), "CREATE_IN_PROGRESS");
    engine_->drop_set_aside(id_);
    EXPECT_TRUE(engine_->set_aside().empty());
    restart();
    EXPECT_EQ(engine_->trees().size(), 1U) << "nothing is left of it";
    (void)create("odd", k_one_server);
    id_ = engine_->find("odd").live->tree.id;
  }
}

TEST_P(SetAsideTest, SoItIsWheneverAllIsReadAgainAndToldOnce) {
  spoil(replace_all(k_deep_row, "$DEEP", nested(2000)));
  expect_aside("nested deeper");
  engine_->store_failed(sql::StoreError("it is full"));
  EXPECT_TRUE(engine_->can_read());
  engine_->tick();
  EXPECT_TRUE(engine_->can_write());
  EXPECT_NE(engine_->find_set_aside("odd", "admin"), nullptr);
  const std::string log = log_.all();
  EXPECT_EQ(log.find("is set aside"), log.rfind("is set aside"));
}

TEST_P(SetAsideTest, AStackThatCanNotBeTakenUpKeepsNoOther) {
  spoil("UPDATE tree SET data = replace(data, '\"d2\":', '\"refused\":') WHERE id = '$ID'");
  expect_aside("the template is refused");
  const std::string key = engine_->find_set_aside("odd", "admin")->credentials.front();
  EXPECT_THROW((void)engine_->access_key(key), StackSetAside);
  engine_->store_failed(sql::StoreError("it is full"));
  engine_->tick();
  EXPECT_NE(engine_->find_set_aside("odd", "admin"), nullptr);
  EXPECT_TRUE(engine_->can_write());
}

TEST_P(SetAsideTest, RowsBesideStacksThatCanNotBeReadAreLeftOut) {
  spoil(
      "INSERT INTO setting (name, value) VALUES ('config/1', '{'), ('deployment/1', '{\"id\": 5}'), "
      "('retired/1', '[1]'), ('retired/2', '{\"key\": 5}')");
  EXPECT_EQ(engine_->trees().size(), 2U);
  EXPECT_THAT(log_.all(), HasSubstr("left out: a software config"));
  EXPECT_THAT(log_.all(), HasSubstr("left out: a retired server"));
}

TEST_P(SetAsideTest, WhatCouldNotBeReadAgainIsNotKeptAndNotAcknowledged) {
  Json machine = {{"address", "192.0.2.5"}};
  machine["x"] = parse_json(nested(1022), "", 2000).value_or_throw();
  const std::string server = at("good", "s").physical_id;
  EXPECT_THROW(engine_->machine_came(server, machine), Error);
  EXPECT_TRUE(engine_->can_write()) << "the store is well";
  restart();
  EXPECT_TRUE(engine_->set_aside().empty());
  EXPECT_TRUE(at("good", "s").data.machine.is_null());
}

std::vector<std::string> postgres_to_spoil() {
  const char* url = std::getenv("HEARTH_TEST_POSTGRES");
  return url == nullptr ? std::vector<std::string>{} : std::vector<std::string>{url};
}

INSTANTIATE_TEST_SUITE_P(Sqlite, SetAsideTest, testing::Values(""));
INSTANTIATE_TEST_SUITE_P(Postgres, SetAsideTest, testing::ValuesIn(postgres_to_spoil()));

}  // namespace
}  // namespace hearth::metadata::live
