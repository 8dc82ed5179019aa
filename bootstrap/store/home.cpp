#include "bootstrap/store/home.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "base/error.hpp"
#include "base/log.hpp"
#include "base/sys/blocked_signals.hpp"
#include "base/text.hpp"

namespace hearth::bootstrap {

namespace {

constexpr const char* k_home_unwiped = "unwiped";

constexpr std::size_t k_rows_of_a_statement = 500;
constexpr std::size_t k_changes_of_a_batch = 1000;
constexpr int k_events_of_a_part = 10000;
constexpr auto k_silence = std::chrono::seconds(3);  ///< so long may a statement take
constexpr auto k_look_after = std::chrono::seconds(1);
constexpr auto k_try_again = std::chrono::milliseconds(300);
constexpr auto k_last_wait = std::chrono::seconds(3);
constexpr auto k_beat_beside = std::chrono::seconds(1);

/// The server does it by itself, and in this order: whoever takes the database raises the epoch first.
constexpr const char* k_raise_beside =
    "UPDATE serving SET beat = beat + 1 WHERE (SELECT number FROM hearth_epoch FOR SHARE) = ?1 RETURNING beat";

struct Migration {
  const char* up;
  const char* down;
};

/// From version 0, which is nothing, to 1 and so on. What was released stays as it is.
constexpr std::array<Migration, k_home_version> k_migrations = {
    {{R"(
CREATE TABLE IF NOT EXISTS settings (name TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS nodes (uuid TEXT PRIMARY KEY, record TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS documents (name TEXT PRIMARY KEY, body TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS events (id BIGINT PRIMARY KEY, at BIGINT NOT NULL, node TEXT NOT NULL, title TEXT NOT NULL,
  kind TEXT NOT NULL, text TEXT NOT NULL, detail TEXT NOT NULL);
)",
      "DROP TABLE settings; DROP TABLE nodes; DROP TABLE documents; DROP TABLE events"},
     {"CREATE TABLE leases (address TEXT PRIMARY KEY, lease TEXT NOT NULL)", "DROP TABLE leases"},
     {R"(
CREATE TABLE serving (one INTEGER PRIMARY KEY, beat BIGINT NOT NULL, holder TEXT NOT NULL, since BIGINT NOT NULL,
  gives_way BIGINT NOT NULL, files TEXT NOT NULL);
INSERT INTO serving VALUES (1, 0, '', 0, 0, '{}');
)",
      "DROP TABLE serving"}}};

bool has_settings(sql::Database& database) {
  return database
      .prepare(database.is_postgres() ? "SELECT 1 WHERE to_regclass('settings') IS NOT NULL"
                                      : "SELECT 1 FROM sqlite_master WHERE name = 'settings'")
      .step();
}

/// "(?, ?), (?, ?)"
std::string places(std::size_t rows, std::size_t columns) {
  std::string row = "(?";
  for (std::size_t n = 1; n < columns; ++n) row += ", ?";
  row += ")";
  std::string all = row;
  for (std::size_t n = 1; n < rows; ++n) all += cat(", ", row);
  return all;
}

void lay(Change::Rows& rows, Change::Rows later) {
  for (auto& [key, text] : later) rows[key] = std::move(text);
}

}  // namespace

bool Change::is_empty() const {
  return nodes.empty() && documents.empty() && settings.empty() && leases.empty() && events.empty() && forgotten == 0 &&
         !wipe && !leaves && !files;
}

void Change::follow(Change later) {
  lay(nodes, std::move(later.nodes));
  lay(documents, std::move(later.documents));
  lay(settings, std::move(later.settings));
  lay(leases, std::move(later.leases));
  std::move(later.events.begin(), later.events.end(), std::back_inserter(events));
  forgotten = std::max(forgotten, later.forgotten);
  if (later.files) files = std::move(later.files);
  leaves = leaves || later.leaves;
  wipe = wipe || later.wipe;
}

std::int64_t home_version(sql::Database& database) {
  if (!has_settings(database)) return 0;
  sql::Statement version = database.prepare("SELECT value FROM settings WHERE name = 'version'");
  return version.step() ? static_cast<std::int64_t>(parse_number(version.text(0)).value_or(0)) : 0;
}

void check_home_version(const std::string& name, std::int64_t version) {
  if (version <= k_home_version) return;
  throw Error(ErrorKind::unsupported, cat(name, " was written by a newer Hearth (version ", version, ")"))
      .hint(cat("Start that one, or have it make version ", k_home_version, " of it (hearth node schema --to)."));
}

void migrate_home(sql::Database& database, const std::string& name, std::int64_t version) {
  sql::Transaction transaction(database);
  std::int64_t at = home_version(database);
  if (at == version) return;
  check_home_version(name, at);
  for (; at < version; ++at) database.run(k_migrations.at(static_cast<std::size_t>(at)).up);
  for (; at > version; --at) database.run(k_migrations.at(static_cast<std::size_t>(at - 1)).down);
  if (at > 0)
    database
        .prepare("INSERT INTO settings VALUES ('version', ?1) ON CONFLICT (name) DO UPDATE SET value = excluded.value")
        .bind(1, std::to_string(at))
        .execute();
  if (at > 0 && database.is_postgres()) {  // which copies values to its statistics, where they would outlive a wipe
    database.run("ALTER TABLE nodes ALTER COLUMN record SET STATISTICS 0");
    database.run("ALTER TABLE documents ALTER COLUMN body SET STATISTICS 0");
  }
  transaction.commit();
}

Home::Home(const std::string& url, HomeState expected, const Claim& claim)
    : Home(sql::Database(url, k_home_schema), sql::without_password(url), expected, claim,
           claim.gives_way ? std::optional(sql::Database(url, k_home_schema, sql::Use::beside)) : std::nullopt) {}

Home::Home(sql::Database database, std::string name, HomeState expected, const Claim& claim,
           std::optional<sql::Database> beside)
    : name_(std::move(name)), database_(std::move(database)), beside_(std::move(beside)), gives_way_(claim.gives_way) {
  if (expected == HomeState::known && home_version(database_) == 0)
    throw Error(ErrorKind::input, cat("there is no state in ", name_, " any more"))
        .hint(
            "Was it emptied, or another one restored under its name? Bring it back from a backup (hearth help "
            "postgresql). To begin anew, without any node: remove the file `database` in the state directory first.");
  migrate_home(database_, name_, k_home_version);
  take(claim);
}

/// Nobody else writes from here on. Whoever did may still answer, if he was heard of since.
void Home::take(const Claim& claim) {
  beat();
  const bool was_heard = claim.after && beat_ != *claim.after + 1;
  for (auto left = was_heard ? k_silent_for : decltype(k_silent_for){}; left.count() > 0; left -= k_looks_each) {
    std::this_thread::sleep_for(k_looks_each);
    beat();
  }
  database_.prepare("UPDATE serving SET holder = ?, since = ?, gives_way = ?")
      .bind(1, sql::driver_name())
      .bind(2, unix_seconds(SystemClock().wall()))
      .bind(3, std::int64_t{gives_way_})
      .execute();
  renewed_ = claim.renewed;
}

void Home::sign_of_life() try { beat(); } catch (const sql::StoreError& error) {
  if (error.is_superseded()) throw;
}

void Home::beat() {
  const MonotonicTime asked = time_since_boot();
  sql::Transaction transaction(database_);
  const std::int64_t beat = raise_beat();
  transaction.commit();
  confirmed(beat, asked);
}

std::int64_t Home::raise_beat() {
  const std::int64_t before = beat_;
  sql::Statement raised = database_.prepare("UPDATE serving SET beat = beat + 1 RETURNING beat");
  const std::int64_t beat = raised.step() ? raised.number(0) : 0;
  if (beat > before) return beat;
  sql::StoreError error(cat(name_, " went back to before what it had confirmed: it lacks at least ", before - beat + 1,
                            " transaction(s)"));
  error.be_of_before();
  throw error;
}

void Home::confirmed(std::int64_t beat, MonotonicTime asked) {
  const std::lock_guard lock(mutex_);
  beat_ = std::max(beat_.load(), beat);
  term_.renew(asked);
  if (renewed_ && !leaves_) renewed_(term_.until());
}

Home::LongWork::LongWork(Home& home) {
  if (!home.beside_) return;
  const BlockedSignals blocked;
  thread_ = std::jthread(
      [&home, epoch = home.database_.epoch()](const std::stop_token& stop) { home.beat_beside(epoch, stop); });
}

void Home::beat_beside(const std::string& epoch, const std::stop_token& stop) {
  std::mutex mutex;
  std::condition_variable_any ended;
  std::unique_lock lock(mutex);
  while (!ended.wait_for(lock, stop, k_beat_beside, [&stop] { return stop.stop_requested(); })) try {
      beside_->meanwhile([&stop] {
        if (stop.stop_requested()) throw sql::StoreError("what took long is done");
      });
      const MonotonicTime asked = time_since_boot();
      const std::int64_t before = beat_;
      sql::Statement raised = beside_->prepare(k_raise_beside);
      raised.bind(1, epoch);
      if (raised.step() && raised.number(0) > before) confirmed(raised.number(0), asked);
    } catch (const sql::StoreError&) {  // the next one may be confirmed; else the term ends
    }
}

void Home::end() {
  if (!thread_.joinable()) return;
  if (gives_way_) {
    leaves_ = true;  // from here on nobody hears of this one
    Change last;
    last.leaves = true;
    static_cast<void>(add(std::move(last)));
  }
  static_cast<void>(wait(k_last_wait));
  {
    const std::lock_guard lock(mutex_);
    is_writing_ = false;
  }
  thread_.request_stop();
  changed_.notify_all();
  thread_.join();
}

void read_rows(sql::Database& database, const std::function<void(Change)>& part) {
  Change rows;
  const auto read = [&database](const char* query, Change::Rows& into) {
    sql::Statement all = database.prepare(query);
    while (all.step()) into.emplace(all.text(0), all.text(1));
  };
  read("SELECT uuid, record FROM nodes", rows.nodes);
  read("SELECT name, body FROM documents", rows.documents);
  read("SELECT name, value FROM settings WHERE name IN ('sealed', 'unwiped', 'last_event')", rows.settings);
  part(std::move(rows));
  std::int64_t after = 0;
  for (bool is_last = false; !is_last;) {
    Change events;
    sql::Statement some = database.prepare(
        "SELECT id, at, node, title, kind, text, detail FROM events WHERE id > ?1 ORDER BY id LIMIT ?2");
    some.bind(1, after).bind(2, std::int64_t{k_events_of_a_part});
    while (some.step()) {
      after = some.number(0);
      events.events.push_back(
          {after, some.number(1), some.text(2), some.text(3), some.text(4), some.text(5), some.text(6)});
    }
    is_last = events.events.size() < k_events_of_a_part;
    part(std::move(events));
  }
}

void Home::read(const std::function<void(Change)>& part) {
  const LongWork keeps_the_term(*this);
  if (database_.prepare("SELECT 1 FROM settings WHERE name = 'unwiped'").step()) wipe();
  read_rows(database_, part);
}

std::vector<std::string> home_leases(sql::Database& database) {
  std::vector<std::string> all;
  if (home_version(database) < k_version_with_leases) return all;
  sql::Statement rows = database.prepare("SELECT lease FROM leases ORDER BY address");
  while (rows.step()) all.push_back(rows.text(0));
  return all;
}

void Home::start(std::function<void()> news) {
  news_ = std::move(news);
  heard_ = std::chrono::steady_clock::now();
  is_writing_ = true;
  const BlockedSignals blocked;
  thread_ = std::jthread([this](const std::stop_token& stop) { work(stop); });
}

std::uint64_t Home::add(Change change) {
  const std::lock_guard lock(mutex_);
  if (change.is_empty()) return added_;
  if (added_ == kept_) heard_ = std::chrono::steady_clock::now();
  waiting_.push_back({++added_, std::move(change)});
  changed_.notify_all();
  return added_;
}

std::uint64_t Home::added() const {
  const std::lock_guard lock(mutex_);
  return added_;
}

std::uint64_t Home::kept() const {
  const std::lock_guard lock(mutex_);
  return kept_;
}

bool Home::is_lost() const {
  const std::lock_guard lock(mutex_);
  return is_lost_;
}

std::vector<std::string> waiting_seeds(sql::Database& database) {
  std::vector<std::string> names;
  if (!database.is_postgres()) return names;
  sql::Statement rows = database.prepare(
      "SELECT application_name FROM pg_stat_activity WHERE datname = current_database() AND application_name LIKE ?1 "
      "ORDER BY 1");
  rows.bind(1, cat(k_standby_prefix, "%"));
  while (rows.step()) names.push_back(one_line(rows.text(0).substr(std::string_view(k_standby_prefix).size())));
  return names;
}

void Home::look_who_waits() {
  std::vector<std::string> names = bootstrap::waiting_seeds(database_);
  const std::lock_guard lock(mutex_);
  waiting_seeds_ = std::move(names);
}

std::vector<std::string> Home::waiting_seeds() const {
  const std::lock_guard lock(mutex_);
  return waiting_seeds_;
}

bool Home::went_back() const { return went_back_; }

std::string Home::pause() const {
  if (leaves_) return "this seed ends";
  if (!gives_way_ || term_.holds(time_since_boot())) return "";
  return cat(name_, " has not confirmed for ", k_term.count(), " s that this seed is the one that serves");
}

std::string Home::trouble() const {
  const std::lock_guard lock(mutex_);
  if (!trouble_.empty() || !is_writing_) return trouble_;
  if (std::string why = pause(); !why.empty()) return why;
  if (added_ == kept_ || std::chrono::steady_clock::now() - heard_ < k_silence) return "";
  return cat(name_, " has not answered for ", k_silence.count(), " s");
}

void Home::check() const {
  const std::string why = trouble();
  if (why.empty()) return;
  sql::StoreError error(why, "the database in which the nodes are kept does not answer");
  error.hint("It is tried again.");
  throw error;
}

bool Home::wait(std::chrono::milliseconds patience) const {
  std::unique_lock lock(mutex_);
  return changed_.wait_for(lock, patience, [this] { return kept_ == added_ || is_lost_; }) && kept_ == added_;
}

/// What it has to do first is to look whether the database is ours yet, and so it does when there is nothing to write.
void Home::work(const std::stop_token& stop) {
  if (database_.is_postgres()) try {  // from now on its patience has an end, and that of who waits for it
      database_.meanwhile([&stop] {
        if (stop.stop_requested()) throw sql::StoreError("the conductor ends");
      });
    } catch (const sql::StoreError&) {  // the connection that is made anew knows it
    }
  while (!stop.stop_requested()) {
    take_batch();
    const std::string why = attempt();
    std::unique_lock lock(mutex_);
    const bool is_news = why != trouble_ || batch_.number != 0;
    trouble_ = why;
    if (why.empty()) {
      heard_ = std::chrono::steady_clock::now();
      if (batch_.number != 0) kept_ = batch_.number;
      batch_ = {};
    }
    const bool ends = is_lost_;
    changed_.notify_all();
    lock.unlock();
    if (is_news && news_) news_();
    if (ends) return;
    lock.lock();
    const auto pause = why.empty() ? k_look_after : std::chrono::milliseconds(k_try_again);
    const bool is_bad = !why.empty();
    changed_.wait_for(lock, stop, pause, [&] { return !is_bad && !waiting_.empty(); });
  }
}

void Home::take_batch() {
  const std::lock_guard lock(mutex_);
  if (batch_.number != 0) return;  // it was not written yet
  for (std::size_t n = 0; n < k_changes_of_a_batch && !waiting_.empty() && !batch_.change.wipe; ++n) {
    batch_.number = waiting_.front().number;
    batch_.change.follow(std::move(waiting_.front().change));
    waiting_.pop_front();
  }
}

std::string Home::attempt() {
  try {
    write_batch();
    if (batch_.number == 0 && gives_way_) look_who_waits();
    if (!batch_.change.wipe) return "";
  } catch (const sql::StoreError& error) {
    return failed(error);
  } catch (const std::exception& error) {
    return error.what();
  }
  try {
    const LongWork keeps_the_term(*this);
    wipe();
  } catch (const Error&) {  // the next start does it before anything is served
  }
  return "";
}

void Home::write_batch() {
  const MonotonicTime asked = time_since_boot();
  sql::Transaction transaction(database_);
  if (batch_.number != 0) write(batch_.change);
  tell_who_serves(batch_.change);
  const std::int64_t beat = raise_beat();
  transaction.commit();
  confirmed(beat, asked);
}

/// What does not take what was changed - a full disk, a table that somebody has locked - may take a beat: then nobody
/// else could keep it either, and this seed serves on by what was known.
std::string Home::failed(const sql::StoreError& error) {
  if (!error.is_superseded() && gives_way_ && batch_.number != 0) try {
      sign_of_life();
    } catch (const sql::StoreError& lost) {
      return failed(lost);
    }
  const std::lock_guard lock(mutex_);
  is_lost_ = error.is_superseded();
  went_back_ = error.is_of_before();
  return error.what();
}

/// As often as one likes: an end of the connection may hide that it was done.
void Home::write(const Change& change) {
  std::optional<LongWork> keeps_the_term;
  if (change.size() > k_rows_of_a_statement) keeps_the_term.emplace(*this);
  put("nodes", "uuid", "record", change.nodes);
  put("documents", "name", "body", change.documents);
  put("settings", "name", "value", change.settings);
  put("leases", "address", "lease", change.leases);
  add_events(change.events);
  if (change.forgotten > 0) {
    database_.prepare("DELETE FROM events WHERE id <= ?").bind(1, change.forgotten).execute();
    progressed();
  }
}

/// Last, as the beat: from then on nobody else may raise that.
void Home::tell_who_serves(const Change& change) {
  if (change.files) database_.prepare("UPDATE serving SET files = ?").bind(1, *change.files).execute();
  if (change.leaves) database_.prepare("UPDATE serving SET holder = ''").execute();
}

void Home::put(const char* table, const char* key, const char* text, const Change::Rows& rows) {
  std::vector<std::string_view> gone;
  std::vector<std::pair<std::string_view, std::string_view>> there;
  for (const auto& [name, value] : rows) {
    if (value) there.emplace_back(name, *value);
    if (!value) gone.emplace_back(name);
  }
  for (std::size_t from = 0; from < there.size(); from += k_rows_of_a_statement) {
    const std::size_t count = std::min(k_rows_of_a_statement, there.size() - from);
    sql::Statement write = database_.prepare(cat("INSERT INTO ", table, " VALUES ", places(count, 2), " ON CONFLICT (",
                                                 key, ") DO UPDATE SET ", text, " = excluded.", text));
    for (std::size_t n = 0; n < count; ++n) {
      const int at = static_cast<int>(2 * n + 1);
      write.bind(at, there[from + n].first).bind(at + 1, there[from + n].second);
    }
    write.execute();
    progressed();
  }
  for (std::size_t from = 0; from < gone.size(); from += k_rows_of_a_statement) {
    const std::size_t count = std::min(k_rows_of_a_statement, gone.size() - from);
    sql::Statement write = database_.prepare(cat("DELETE FROM ", table, " WHERE ", key, " IN ", places(1, count)));
    for (std::size_t n = 0; n < count; ++n) write.bind(static_cast<int>(n + 1), gone[from + n]);
    write.execute();
    progressed();
  }
}

void Home::add_events(const std::vector<EventRow>& events) {
  for (std::size_t from = 0; from < events.size(); from += k_rows_of_a_statement) {
    const std::size_t count = std::min(k_rows_of_a_statement, events.size() - from);
    sql::Statement write =
        database_.prepare(cat("INSERT INTO events VALUES ", places(count, 7), " ON CONFLICT (id) DO NOTHING"));
    for (std::size_t n = 0; n < count; ++n) {
      const EventRow& event = events[from + n];
      const int at = static_cast<int>(7 * n + 1);
      write.bind(at, event.id).bind(at + 1, event.at).bind(at + 2, event.node).bind(at + 3, event.title);
      write.bind(at + 4, event.kind).bind(at + 5, event.text).bind(at + 6, event.detail);
    }
    write.execute();
    progressed();
  }
  if (!events.empty()) put("settings", "name", "value", {{k_last_event, std::to_string(events.back().id)}});
}

/// What tables held before, in PostgreSQL's files; nothing else uses them.
void Home::wipe() {
  if (database_.is_postgres()) {
    database_.run("VACUUM FULL nodes");
    database_.run("VACUUM FULL documents");
  }
  database_.prepare("DELETE FROM settings WHERE name = ?").bind(1, k_home_unwiped).execute();
}

void Home::progressed() {
  const std::lock_guard lock(mutex_);
  heard_ = std::chrono::steady_clock::now();
}

}  // namespace hearth::bootstrap
