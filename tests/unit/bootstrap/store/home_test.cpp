// A state that lives in a database elsewhere: in another SQLite file, and, where HEARTH_TEST_POSTGRES names a database
// whose schema `conductor` may be emptied (tests/peers/bootstrap/postgres_peer.py does), in PostgreSQL.
#include "bootstrap/store/home.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <thread>

#include "base/error.hpp"
#include "base/sys/file.hpp"
#include "base/text.hpp"
#include "bootstrap/conductor/conductor.hpp"
#include "bootstrap/power/plain_drivers.hpp"
#include "bootstrap/store/kept_answers.hpp"
#include "bootstrap/store/ledger.hpp"
#include "tests/fakes/failing_connection.hpp"
#include "tests/fakes/manual_clock.hpp"
#include "tests/fakes/memory_logger.hpp"

namespace hearth::bootstrap {
namespace {

constexpr auto k_soon = std::chrono::seconds(10);

/// The parameter is a URL, or empty for SQLite.
class HomeTest : public testing::TestWithParam<std::string> {
 protected:
  HomeTest() { clear(); }

  [[nodiscard]] bool is_postgres() const { return !GetParam().empty(); }
  [[nodiscard]] std::string place() const {
    return is_postgres() ? GetParam() : (directory_.path() / "home.db").string();
  }
  void clear() {
    if (is_postgres()) sql::Database(GetParam()).run("DROP SCHEMA IF EXISTS conductor CASCADE");
    for (const char* end : {"", "-wal", "-shm"}) fs::remove(directory_.path() / cat("home.db", end));
  }
  /// Beside whoever drives it.
  [[nodiscard]] sql::Database looked_at() const { return sql::Database(place(), "conductor", sql::Use::look); }
  [[nodiscard]] std::string value(const std::string& query) const {
    sql::Database database = looked_at();
    sql::Statement row = database.prepare(query);
    return row.step() ? row.text(0) : "";
  }

  /// A state directory of that name; they share their key.
  fs::path state(const std::string& name = "a") {
    const fs::path made = directory_.path() / name;
    if (fs::exists(made)) return made;
    fs::create_directory(made);
    const fs::path key = directory_.path() / "a" / k_seal_key;
    if (fs::exists(key)) fs::copy_file(key, made / k_seal_key);
    return made;
  }
  std::unique_ptr<Store> opened(const std::string& name = "a") {
    auto home = std::make_unique<Home>(sql::Database(place(), "conductor"), "the home");
    return std::make_unique<Store>(state(name), std::move(home));
  }
  std::unique_ptr<Store> serving(const std::string& name = "a") {
    std::unique_ptr<Store> store = opened(name);
    store->home()->start();
    return store;
  }
  static Node node_of(const std::string& uuid) {
    Node node;
    node.uuid = uuid;
    node.driver = "fake-hardware";
    node.driver_info = {{"redfish_password", "s3cret of the BMC"}};
    return node;
  }
  static void commit(Store& store, const std::string& uuid) {
    const Node node = node_of(uuid);
    std::vector<Event> events = {{0, 5, uuid, "web1", "state", "a -> b \xff", {{"x", 1}}},
                                 {0, 6, uuid, "", "power", "on", {}}};
    store.commit({&node}, {}, events, {{cat("image/", uuid), {{"kernel", "k"}}}});
  }

  TempDir directory_ = TempDir::create("/tmp", "hearth-home-");
};

/// Somebody has the rows locked.
class Locked {
 public:
  Locked(const std::string& place, bool is_postgres) : database_(place), transaction_(database_) {
    if (is_postgres) database_.run("LOCK TABLE conductor.nodes, conductor.documents IN ACCESS EXCLUSIVE MODE");
  }

 private:
  sql::Database database_;
  sql::Transaction transaction_;
};

TEST_P(HomeTest, WhatIsKeptComesBackInACopyElsewhere) {
  {
    const std::unique_ptr<Store> store = serving();
    for (const char* uuid : {"u1", "u2", "u3"}) commit(*store, uuid);
    std::vector<Event> none;
    store->commit({}, {"u2"}, none);
    store->remove_document("image/u2");
    store->put_document("role/x", {{"keys", "k"}});
    EXPECT_TRUE(store->home()->wait(k_soon));
    EXPECT_EQ(store->kept(), store->written());
  }
  const std::unique_ptr<Store> store = opened("b");
  ASSERT_EQ(store->nodes().size(), 2U);
  EXPECT_EQ(store->node("u3").value().driver_info["redfish_password"], "s3cret of the BMC");
  EXPECT_FALSE(store->node("u2"));
  EXPECT_EQ(store->documents("image/").size(), 2U);
  EXPECT_EQ(store->document("role/x").value()["keys"], "k");
  const std::vector<Event> events = store->events({});
  ASSERT_EQ(events.size(), 6U);
  EXPECT_EQ(events[2].id, 3);
  EXPECT_EQ(events[2].detail["x"], 1);
  EXPECT_EQ(events[2].text, "a -> b \xef\xbf\xbd") << "PostgreSQL takes no other bytes";
}

TEST_P(HomeTest, WhatTheHomeNeverGotIsNotThereAgainAtTheNextStart) {
  {
    const std::unique_ptr<Store> store = serving();
    commit(*store, "u1");
  }
  {
    const std::unique_ptr<Store> store = opened();
    commit(*store, "u2");
    EXPECT_LT(store->kept(), store->written());
    EXPECT_EQ(store->nodes().size(), 2U);
  }
  EXPECT_EQ(opened()->nodes().size(), 1U);
}

TEST_P(HomeTest, WatchersAreToldWhenItIsKeptAndInOrder) {
  const std::unique_ptr<Store> store = opened();
  const fakes::ManualClock clock;
  Ledger ledger(*store, clock);
  std::vector<std::string> told;
  ledger.watch([&](const Event& event) { told.push_back(event.text); });
  for (const char* text : {"one", "two"}) {
    ledger.record_site("state", text);
    ledger.commit();
  }
  EXPECT_THAT(told, testing::IsEmpty());
  store->home()->start();
  ASSERT_TRUE(store->home()->wait(k_soon));
  ledger.tell_kept();
  EXPECT_THAT(told, testing::ElementsAre("one", "two"));
}

TEST_P(HomeTest, NoMachineIsGivenAnOrderBeforeThatIsKept) {
  const std::unique_ptr<Store> store = opened();
  fakes::ManualClock clock;
  fakes::MemoryLogger log;
  Drivers drivers;
  drivers.add("fake-hardware", std::make_unique<FakeDriver>());
  HttpAgentClient agents(clock, std::chrono::seconds(1));
  InlineWorkers workers;
  Conductor conductor({*store, drivers, agents, workers, clock, log, {}, directory_.path()});
  Node node = node_of("11111111-1111-4111-8111-111111111111");
  node.state = State::available;
  conductor.ledger().add(node);
  conductor.power(node.uuid, "power on");
  EXPECT_TRUE(workers.idle());
  conductor.became_durable();
  EXPECT_TRUE(workers.idle()) << "nothing has";
  store->home()->start();
  ASSERT_TRUE(store->home()->wait(k_soon));
  conductor.became_durable();
  EXPECT_FALSE(workers.idle());
  while (workers.collect(1)) conductor.settle();
  EXPECT_EQ(conductor.node(node.uuid).power, Power::on);
}

TEST_P(HomeTest, WhileItDoesNotAnswerNothingIsBegunAndWhatWaitedIsKeptThen) {
  const std::unique_ptr<Store> store = serving();
  commit(*store, "u1");
  ASSERT_TRUE(store->home()->wait(k_soon));
  {
    const Locked locked(place(), is_postgres());
    commit(*store, "u2");
    EXPECT_FALSE(store->home()->wait(std::chrono::seconds(2)));
    EXPECT_THAT(store->home()->trouble(), testing::HasSubstr("lock"));
    EXPECT_THROW(commit(*store, "u3"), sql::StoreError);
    EXPECT_THROW(store->put_document("role/x", 1), sql::StoreError);
    EXPECT_THROW(store->keep_events(1), sql::StoreError);
    EXPECT_EQ(store->nodes().size(), 2U) << "what was refused is nowhere";
  }
  EXPECT_TRUE(store->home()->wait(k_soon));
  EXPECT_EQ(store->home()->trouble(), "");
  EXPECT_EQ(value("SELECT count(*) FROM nodes"), "2");
  EXPECT_EQ(value("SELECT count(*) FROM events"), "4");
}

class Asked final : public HttpHandler {
 public:
  explicit Asked(Store& store) : store_(store) {}
  ServedResponse answer(const ServedRequest& request) override {
    if (request.method == "PUT") store_.put_document("role/x", 1);
    return plain_response(200);
  }

 private:
  Store& store_;
};

TEST_P(HomeTest, NobodyIsAnsweredBeforeWhatHeAskedForIsKept) {
  const std::unique_ptr<Store> store = opened();
  Asked asked(*store);
  KeptAnswers answers(asked, *store);
  ServedRequest request;
  int woken = 0;
  const auto held = [&](const char* method) {
    request.method = method;
    std::unique_ptr<HeldAnswer> answer = answers.hold(request);
    answer->start([&] { ++woken; });
    return answer;
  };
  store->home()->start();
  ASSERT_TRUE(store->home()->wait(k_soon));
  EXPECT_EQ(held("GET")->answer().value().status, 200);
  std::optional<Locked> locked(std::in_place, place(), is_postgres());
  const std::unique_ptr<HeldAnswer> put = held("PUT");
  EXPECT_FALSE(put->answer());
  const std::unique_ptr<HeldAnswer> got = held("GET");
  EXPECT_FALSE(got->answer()) << "it would tell of what may never be";
  woken = 0;
  answers.look();
  EXPECT_EQ(woken, 0);
  const auto end = std::chrono::steady_clock::now() + k_soon;
  while (store->home()->trouble().empty() && std::chrono::steady_clock::now() < end) std::this_thread::yield();
  answers.look();
  EXPECT_EQ(woken, 2);
  const std::optional<ServedResponse> refused = got->answer();
  ASSERT_TRUE(refused);
  EXPECT_EQ(refused->status, 503);
  locked.reset();
  ASSERT_TRUE(store->home()->wait(k_soon));
  EXPECT_EQ(put->answer().value().status, 200);
}

TEST_P(HomeTest, WhicheverOfItsStatementsFailsNothingIsLostOrThereTwice) {
  { const std::unique_ptr<Store> sealed = serving(); }
  for (std::size_t at = 1; at < 9; ++at) {
    clear();
    fs::remove(state() / k_seal_key);
    fakes::StoreFaults faults;
    auto real = is_postgres() ? sql::detail::open_postgres(place(), "conductor") : sql::detail::open_sqlite(place());
    auto home = std::make_unique<Home>(
        sql::Database(std::make_unique<fakes::FailingConnection>(std::move(real), faults), is_postgres()), "the home");
    Store store(state(), std::move(home));
    faults.calls = 0;
    faults.fails_at = at;
    commit(store, "u1");
    std::vector<Event> none;
    store.commit({}, {"u1"}, none);
    commit(store, "u2");
    store.home()->start();
    ASSERT_TRUE(store.home()->wait(k_soon));
    store.home()->end();
    EXPECT_GE(faults.calls, at + 8) << "all of it was asked for again";
    EXPECT_EQ(value("SELECT uuid FROM nodes"), "u2");
    EXPECT_EQ(value("SELECT count(*) FROM events"), "4");
    EXPECT_EQ(value("SELECT value FROM settings WHERE name = 'last_event'"), "4");
  }
}

TEST_P(HomeTest, IdsOfEventsGoOnAlsoWhereAllWereForgotten) {
  {
    const std::unique_ptr<Store> store = serving();
    commit(*store, "u1");
    store->keep_events(0);
    ASSERT_TRUE(store->home()->wait(k_soon));
    EXPECT_EQ(value("SELECT count(*) FROM events"), "0");
  }
  const std::unique_ptr<Store> store = opened();
  std::vector<Event> events = {{0, 7, "", "", "state", "x", {}}};
  store->commit({}, {}, events);
  EXPECT_EQ(events[0].id, 3);
  EXPECT_EQ(store->events({}).size(), 1U);
}

TEST_P(HomeTest, NothingOfANodeOrADocumentIsInItInTheClearAndANewKeySealsAll) {
  const std::unique_ptr<Store> store = serving();
  commit(*store, "u1");
  ASSERT_TRUE(store->home()->wait(k_soon));
  const std::string former = Seal::read(state() / k_seal_key).key_id();
  EXPECT_THAT(value("SELECT record FROM nodes"), testing::HasSubstr(former));
  EXPECT_THAT(value("SELECT body FROM documents"), testing::HasSubstr(former));
  rotate_seal(state() / k_seal_key, 1);
  EXPECT_TRUE(store->seal_anew(false));
  ASSERT_TRUE(store->home()->wait(k_soon));
  store->home()->end();
  const std::string fresh = Seal::read(state() / k_seal_key).key_id();
  EXPECT_NE(fresh, former);
  EXPECT_THAT(value("SELECT record FROM nodes"), testing::HasSubstr(fresh));
  EXPECT_THAT(value("SELECT body FROM documents"), testing::HasSubstr(fresh));
  EXPECT_EQ(value("SELECT value FROM settings WHERE name = 'sealed'"), fresh);
  EXPECT_EQ(value("SELECT value FROM settings WHERE name = 'unwiped'"), "");
}

std::string why_refused(const std::function<void()>& opening) {
  try {
    opening();
  } catch (const Error& error) {
    return error.story();
  }
  return "";
}

TEST_P(HomeTest, WithoutItsKeyItIsRefusedAndTheKeyNamed) {
  {
    const std::unique_ptr<Store> store = serving();
    commit(*store, "u1");
  }
  fs::remove(state() / k_seal_key);
  EXPECT_THAT(why_refused([&] { opened(); }), testing::HasSubstr("it is not there"));
  EXPECT_FALSE(fs::exists(state() / k_seal_key));
}

TEST_P(HomeTest, OneOfANewerVersionIsRefused) {
  { const std::unique_ptr<Store> store = serving(); }
  {
    sql::Database database(place(), "conductor");
    database.run("UPDATE settings SET value = '99' WHERE name = 'version'");
  }
  EXPECT_THAT(why_refused([&] { opened(); }),
              testing::HasSubstr("the home was written by a newer Hearth (version 99)"));
}

/// As the version of the first days was made, and read.
TEST_P(HomeTest, ItsTablesAreMadeOfEachVersionAndBackAndKeepWhatTheyHold) {
  {
    const std::unique_ptr<Store> store = serving();
    commit(*store, "u1");
    Change lease;
    lease.leases["192.0.2.100"] = "a line";
    static_cast<void>(store->home()->add(lease));
    ASSERT_TRUE(store->home()->wait(k_soon));
  }
  const auto migrated = [&](std::int64_t to) {
    sql::Database database(place(), "conductor");
    migrate_home(database, "the home", to);
    EXPECT_EQ(home_version(database), to);
    return home_leases(database);
  };
  EXPECT_THAT(migrated(k_home_version), testing::ElementsAre("a line"));
  EXPECT_THAT(migrated(1), testing::IsEmpty());
  EXPECT_THROW(value("SELECT count(*) FROM leases"), sql::StoreError);
  EXPECT_EQ(value("SELECT count(*) FROM events"), "2");
  {
    const std::unique_ptr<Store> store = serving();  // makes the newest
    EXPECT_TRUE(store->node("u1"));
    EXPECT_EQ(value("SELECT value FROM settings WHERE name = 'version'"), std::to_string(k_home_version));
  }
  EXPECT_THAT(migrated(0), testing::IsEmpty());
  EXPECT_THROW(value("SELECT count(*) FROM nodes"), sql::StoreError);
  EXPECT_THAT(migrated(k_home_version), testing::IsEmpty());
  EXPECT_EQ(value("SELECT count(*) FROM nodes"), "0");
}

TEST_P(HomeTest, AStateThatWasThereAndIsNotIsRefusedAsOftenAsItIsOpened) {
  const auto reopened = [this] { Home(sql::Database(place(), "conductor"), "the home", HomeState::known); };
  for (int time = 0; time < 2; ++time)
    EXPECT_THAT(why_refused(reopened), testing::HasSubstr("there is no state in the home any more"));
  { const std::unique_ptr<Store> store = serving(); }
  EXPECT_EQ(why_refused(reopened), "");
}

TEST_P(HomeTest, NobodyTakesADirectoryWhoseStateIsElsewhereForAStateNorTwoForOne) {
  { const std::unique_ptr<Store> store = serving(); }
  EXPECT_THAT(why_refused([&] { Store((state() / "state.db").string()); }), testing::HasSubstr("lives in the home"));
  EXPECT_FALSE(fs::exists(state() / "state.db"));
  { Store own((state("c") / "state.db").string()); }
  EXPECT_THAT(why_refused([&] { opened("c"); }), testing::HasSubstr("has a state of its own"));
}

std::unique_ptr<Home> home_by(const std::string& place, const Claim& claim) {
  return std::make_unique<Home>(sql::Database(place, "conductor"), "the home", HomeState::any, claim);
}

/// Until it is so, or for ten seconds.
bool comes_to(const std::function<bool()>& look) {
  const auto end = std::chrono::steady_clock::now() + k_soon;
  while (!look() && std::chrono::steady_clock::now() < end) std::this_thread::sleep_for(std::chrono::milliseconds(20));
  return look();
}

TEST_P(HomeTest, ItsBeatIsRaisedThoughNothingIsWrittenAndItSaysWhoServes) {
  const std::unique_ptr<Home> home = home_by(place(), {.gives_way = true});
  home->start();
  EXPECT_EQ(value("SELECT holder FROM serving"), sql::driver_name());
  EXPECT_EQ(value("SELECT gives_way FROM serving"), "1");
  const std::string before = value("SELECT beat FROM serving");
  EXPECT_TRUE(comes_to([&] { return value("SELECT beat FROM serving") != before; }));
  EXPECT_EQ(home->pause(), "");
  home->end();
  EXPECT_EQ(value("SELECT holder FROM serving"), "") << "who waits may follow at once";
  EXPECT_NE(home->pause(), "") << "and nobody hears of this one";
}

TEST_P(HomeTest, WhoGivesWayServesNothingWhenItsTermIsOverAndAgainWhenItIsConfirmed) {
  const std::unique_ptr<Home> home = home_by(place(), {.gives_way = true});
  home->start();
  {
    sql::Database other(place(), "conductor", is_postgres() ? sql::Use::look : sql::Use::drive);
    if (is_postgres()) other.run("SET default_transaction_read_only = off");
    other.run("BEGIN");
    other.run("UPDATE serving SET since = since");
    EXPECT_TRUE(comes_to([&] { return !home->pause().empty(); }));
    EXPECT_NE(home->trouble(), "") << "nor is anything begun";
    other.run("ROLLBACK");
  }
  EXPECT_TRUE(comes_to([&] { return home->pause().empty() && home->trouble().empty(); }));
}

TEST_P(HomeTest, WhoGivesNoWayGoesOnAnsweringByWhatWasKnown) {
  const std::unique_ptr<Home> home = home_by(place(), {});
  EXPECT_EQ(value("SELECT gives_way FROM serving"), "0");
  std::this_thread::sleep_for(k_term + std::chrono::milliseconds(100));
  EXPECT_EQ(home->pause(), "");
}

TEST_P(HomeTest, WhoFollowsWaitsATermWhereTheFormerOneWasHeardOfSince) {
  home_by(place(), {.gives_way = true}).reset();
  const std::int64_t beat = std::stoll(value("SELECT beat FROM serving"));
  const auto took = [&](std::int64_t after) {
    const auto begun = std::chrono::steady_clock::now();
    home_by(place(), {.gives_way = true, .after = after}).reset();
    return std::chrono::steady_clock::now() - begun;
  };
  EXPECT_LT(took(beat), k_term);
  EXPECT_GE(took(beat), k_term) << "the one before has raised it";
}

TEST_P(HomeTest, WhatTakesLongKeepsItsTermUntilAnotherOneTakesTheDatabase) {
  if (!is_postgres()) return;
  Home home(place(), HomeState::any, {.gives_way = true});
  const Home::LongWork keeps_the_term(home);
  std::this_thread::sleep_for(k_term + std::chrono::milliseconds(500));
  EXPECT_EQ(home.pause(), "");
  sql::Database(place()).run("UPDATE conductor.hearth_epoch SET number = number + 1");
  std::this_thread::sleep_for(k_term);
  const std::string beat = value("SELECT beat FROM serving");
  EXPECT_TRUE(comes_to([&] { return !home.pause().empty(); }));
  EXPECT_EQ(value("SELECT beat FROM serving"), beat);
}

TEST_P(HomeTest, ItIsDrivenAsLongAsSomebodyHasIt) {
  if (!is_postgres()) return;
  std::unique_ptr<Home> home = home_by(place(), {});
  sql::Database other = looked_at();
  EXPECT_TRUE(sql::is_driven(other, "conductor"));
  EXPECT_FALSE(sql::is_driven(other, "another"));
  home.reset();
  EXPECT_TRUE(comes_to([&] { return !sql::is_driven(other, "conductor"); }));
}

TEST_P(HomeTest, ADatabaseThatLacksWhatItHadConfirmedIsNotGoneOnWith) {
  const std::unique_ptr<Store> store = serving();
  commit(*store, "u1");
  ASSERT_TRUE(store->home()->wait(k_soon));
  EXPECT_FALSE(store->home()->went_back());
  {
    sql::Database other(place(), "conductor", is_postgres() ? sql::Use::look : sql::Use::drive);
    if (is_postgres()) other.run("SET default_transaction_read_only = off");
    other.run("UPDATE serving SET beat = beat - 2");
  }
  EXPECT_TRUE(comes_to([&] { return store->is_lost(); }));
  EXPECT_TRUE(store->home()->went_back());
  EXPECT_THAT(store->trouble(), testing::HasSubstr("lacks at least 2 transaction(s)"));
  keep_went_back(state(), store->trouble());
  EXPECT_THAT(why_refused([&] { check_did_not_go_back(state()); }), testing::HasSubstr("remove "));
}

TEST_P(HomeTest, WhoseConnectionWasEndedForAnotherWritesNothingMore) {
  if (!is_postgres()) return;
  const std::unique_ptr<Store> first = serving();
  commit(*first, "u1");
  ASSERT_TRUE(first->home()->wait(k_soon));
  sql::end_driver(place(), "conductor", "somebody else");
  EXPECT_THROW(opened("b"), sql::StoreError) << "the first one has it yet";
  sql::end_driver(place(), "conductor", sql::driver_name());
  std::unique_ptr<Store> second;
  ASSERT_TRUE(comes_to([&] {
    try {
      second = opened("b");
    } catch (const sql::StoreError&) {  // the first one was faster
      sql::end_driver(place(), "conductor", sql::driver_name());
    }
    return second != nullptr;
  }));
  EXPECT_TRUE(comes_to([&] { return first->is_lost(); }));
  EXPECT_EQ(second->nodes().size(), 1U);
  EXPECT_FALSE(first->home()->went_back());
}

TEST(Url, NobodyIsToldItsPassword) {
  EXPECT_EQ(sql::without_password("postgresql://u:s3cret@h:5432/d"), "postgresql://u:***@h:5432/d");
  EXPECT_EQ(sql::without_password("postgres://u:s3/cr@t@h/d"), "postgres://u:***@h/d");
  EXPECT_EQ(sql::without_password("postgresql://h/d?user=u&password=s3cret&sslmode=require"),
            "postgresql://h/d?user=u&password=***&sslmode=require");
  EXPECT_EQ(sql::without_password("postgresql://u@h:5432/d"), "postgresql://u@h:5432/d");
  EXPECT_EQ(sql::without_password("/var/lib/a:b@c"), "/var/lib/a:b@c");
}

std::vector<std::string> postgres_home() {
  const char* url = std::getenv("HEARTH_TEST_POSTGRES");
  return url == nullptr ? std::vector<std::string>{} : std::vector<std::string>{url};
}

INSTANTIATE_TEST_SUITE_P(Sqlite, HomeTest, testing::Values(""));
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(HomeTest);
INSTANTIATE_TEST_SUITE_P(Postgres, HomeTest, testing::ValuesIn(postgres_home()));

}  // namespace
}  // namespace hearth::bootstrap
