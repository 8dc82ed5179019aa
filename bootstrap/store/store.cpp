#include "bootstrap/store/store.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "base/error.hpp"
#include "base/sys/file.hpp"
#include "base/text.hpp"
#include "base/utf8.hpp"

namespace hearth::bootstrap {

namespace {

constexpr std::int64_t k_version = 2;
constexpr std::int64_t k_version_in_clear = 1;  ///< all before anything was sealed
constexpr const char* k_in_memory = ":memory:";

constexpr const char* k_schema = R"(
CREATE TABLE IF NOT EXISTS nodes (uuid TEXT PRIMARY KEY, record TEXT NOT NULL) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS events (id INTEGER PRIMARY KEY AUTOINCREMENT, at INTEGER NOT NULL, node TEXT NOT NULL,
  title TEXT NOT NULL, kind TEXT NOT NULL, text TEXT NOT NULL, detail TEXT NOT NULL) STRICT;
CREATE INDEX IF NOT EXISTS events_of_node ON events (node, id);
CREATE TABLE IF NOT EXISTS documents (name TEXT PRIMARY KEY, body TEXT NOT NULL) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS settings (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;
)";

std::int64_t version_of(sql::Database& database) {
  sql::Statement version = database.prepare("PRAGMA user_version");
  version.step();
  return version.number(0);
}

/// The tables are made before statements on them can be prepared.
void prepare_file(sql::Database& database, const std::string& path) {
  const std::int64_t found = version_of(database);
  if (found > k_version) {
    throw Error(ErrorKind::unsupported, cat(path, " was written by a newer Hearth (version ", found, ")"));
  }
  database.run(k_schema);
  if (found == 0) database.run(cat("PRAGMA user_version = ", k_version_in_clear));
}

/// What root types opens it, too (`hearth node list` where nobody serves): not by a link of the user who serves.
const std::string& own_file(const std::string& path) {
  struct stat at {};
  if (::geteuid() != 0 || ::lstat(path.c_str(), &at) != 0 || !S_ISLNK(at.st_mode) || at.st_uid == 0) return path;
  throw Error(ErrorKind::input, cat(path, " is a link that belongs to user ", at.st_uid, ": root follows none"))
      .hint("Put the database itself in its place.");
}

/// Nobody may take what is no more for what is.
const std::string& own_state(const std::string& path) {
  if (path != k_in_memory) check_is_at_home(fs::path(path).parent_path());
  return own_file(path);
}

constexpr const char* k_copy = "copy.db";

constexpr const char* k_went_back = "database-went-back";

fs::path empty_copy(const fs::path& directory) {
  check_has_no_state(directory);
  for (const char* end : {"", "-wal", "-shm"}) fs::remove(directory / cat(k_copy, end));
  return directory / k_copy;
}

/// PostgreSQL's texts are UTF-8 without NUL.
std::string as_text(std::string_view bytes) {
  std::string text;
  while (!bytes.empty()) {
    const DecodedCharacter next = decode_utf8(bytes);
    append_utf8(text, next.value == 0 ? k_replacement_character : next.value);
    bytes.remove_prefix(next.length);
  }
  return text;
}

sql::Statement first_statement(sql::Database& database, const std::string& path, std::string_view statement) {
  prepare_file(database, path);
  return database.prepare(statement);
}

/// Settings: with which key all is sealed; that free pages may hold what was there before.
constexpr const char* k_sealed = "sealed";
constexpr const char* k_unwiped = "unwiped";
constexpr const char* k_in_clear = "1";
constexpr const char* k_in_seal = "sealed with another key";

struct SealedColumn {
  const char* table;
  const char* key;
  const char* text;
  Change::Rows Change::*changed;
};
constexpr std::array<SealedColumn, 2> k_sealed_columns = {
    {{"nodes", "uuid", "record", &Change::nodes}, {"documents", "name", "body", &Change::documents}}};

/// Where a sealed text is kept; it is opened nowhere else.
std::string place_of(std::string_view table, std::string_view key) { return cat(table, "\n", key); }

std::string dumped(const Json& json) { return format_json(json, {.lossy = true}); }

Json parsed(const std::string& text) { return parse_json(text, "a row of the store").value_or_throw(); }

/// Into tables in which there is nothing yet.
void lay_rows(sql::Database& database, const Change& part) {
  const auto lay = [&database](const char* table, const Change::Rows& rows) {
    sql::Statement add = database.prepare(cat("INSERT INTO ", table, " VALUES (?, ?)"));
    for (const auto& [key, text] : rows) add.bind(1, key).bind(2, text.value()).execute();
  };
  lay("nodes", part.nodes);
  lay("documents", part.documents);
  lay("settings", part.settings);
  sql::Statement add = database.prepare("INSERT INTO events VALUES (?, ?, ?, ?, ?, ?, ?)");
  for (const EventRow& event : part.events) {
    add.bind(1, event.id).bind(2, event.at).bind(3, event.node).bind(4, event.title).bind(5, event.kind);
    add.bind(6, event.text).bind(7, event.detail).execute();
  }
}

std::string setting_of(sql::Database& database, std::string_view name) {
  sql::Statement row = database.prepare("SELECT value FROM settings WHERE name = ?");
  row.bind(1, name);
  return row.step() ? row.text(0) : "";
}

/// After them: ids of events go on, also where these were forgotten.
void end_rows(sql::Database& database) {
  if (const std::string last = setting_of(database, k_last_event); !last.empty()) {
    database.prepare("INSERT OR IGNORE INTO events VALUES (?, 0, '', '', 'none', '', '')").bind(1, last).execute();
    database.run("DELETE FROM events WHERE kind = 'none'");
  }
  if (!setting_of(database, k_sealed).empty()) database.run(cat("PRAGMA user_version = ", k_version));
}

}  // namespace

void check_has_no_state(const fs::path& directory) {
  if (!fs::exists(directory / "state.db")) return;
  throw Error(ErrorKind::input, cat(directory.string(), " has a state of its own, in state.db"))
      .hint(
          "To go on with it in the database: hearth backup --state DIR FILE, move DIR away, and hearth restore "
          "--state DIR --database URL FILE. To leave it: another --state.");
}

void keep_home_name(const fs::path& directory, const std::string& name) {
  RealFileSystem().write(directory / k_home_file, cat(name, "\n"), {.mode = 0600, .uid = {}, .gid = {}});
}

void keep_went_back(const fs::path& directory, const std::string& why) {
  RealFileSystem().write(directory / k_went_back, cat(why, "\n"), {.mode = 0600, .uid = {}, .gid = {}});
}

void check_did_not_go_back(const fs::path& directory) {
  const std::optional<std::string> why = RealFileSystem().read(directory / k_went_back);
  if (!why) return;
  throw Error(ErrorKind::external, std::string(trim(*why)))
      .hint(cat(
          "A replica that was promoted before it had all (synchronous_standby_names prevents it), or an old backup? "
          "Make the right server answer there. To go on with what is there, without what it lacks: remove ",
          (directory / k_went_back).string()));
}

void check_is_at_home(const fs::path& directory) {
  const std::optional<std::string> where = RealFileSystem().read(directory / k_home_file);
  if (!where) return;
  throw Error(ErrorKind::input, cat("the state of ", directory.string(), " lives in ", trim(*where)))
      .hint(
          cat("Start hearth node serve with --database, and ask that. To serve from the directory again: hearth backup "
              "--state DIR FILE, move DIR away, and hearth restore --state DIR FILE. DIR is ",
              directory.string()));
}

void check_is_its_home(const fs::path& directory, const std::string& url) {
  const auto plain = [](const std::string& name) {
    return replace_all(std::string(trim(name.substr(0, name.find('?')))), ":***@", "@");
  };
  const std::optional<std::string> where = RealFileSystem().read(directory / k_home_file);
  const std::string given = sql::without_password(url);
  if (!where || url.empty() || plain(*where) == plain(given)) return;
  throw Error(ErrorKind::input,
              cat("the state of ", directory.string(), " lives in ", trim(*where), ", not in ", given))
      .hint(cat("Name that one, or another --state. If it is the same by another name, or was moved there: remove ",
                (directory / k_home_file).string(), ", and serve with the new --database."));
}

std::string save_home(const std::string& url, const std::string& file) {
  sql::Database from(url, k_home_schema, sql::Use::look);
  sql::Database to(file);
  prepare_file(to, file);
  const sql::Transaction one_moment(from);
  const std::int64_t version = home_version(from);
  if (version == 0) throw Error(ErrorKind::not_found, cat("there is no state in ", sql::without_password(url)));
  if (version > k_home_version)
    throw Error(ErrorKind::unsupported,
                cat(sql::without_password(url), " was written by a newer Hearth (version ", version, ")"))
        .hint("Have that one make the backup.");
  sql::Transaction transaction(to);
  read_rows(from, [&to](const Change& part) { lay_rows(to, part); });
  end_rows(to);
  transaction.commit();
  std::string leases;
  for (const std::string& line : home_leases(from)) leases += cat(line, "\n");
  return leases;
}

void load_home(const std::string& file, const std::string& url) {
  Home home(url);
  bool is_new = true;
  home.read([&](const Change& part) { is_new = is_new && part.is_empty(); });
  if (!is_new)
    throw Error(ErrorKind::input, cat("there is a state in ", home.name(), " already"))
        .hint("Name a database without one; `DROP SCHEMA conductor CASCADE` in psql empties this one, for good.");
  sql::Database from(file);
  Change all;
  read_rows(from, [&all](Change part) {
    for (EventRow& event : part.events) {
      event.title = as_text(event.title);
      event.text = as_text(event.text);
    }
    all.follow(std::move(part));
  });
  static_cast<void>(home.add(std::move(all)));
  home.start();
  constexpr auto k_patience = std::chrono::seconds(10);  // of trouble
  const auto end = std::chrono::steady_clock::now() + k_patience;
  while (!home.wait(std::chrono::milliseconds(300))) {
    const std::string trouble = home.trouble();
    if (!trouble.empty() && std::chrono::steady_clock::now() > end) throw sql::StoreError(trouble);
  }
}

Json event_json(const Event& event) {
  return {{"id", event.id},     {"at", stamp_json(event.at)}, {"node", event.node},    {"name", event.title},
          {"kind", event.kind}, {"text", event.text},         {"detail", event.detail}};
}

void check_database_url(const std::string& url) {
  if (sql::is_postgres_url(url)) return;
  throw Error(ErrorKind::usage, url.empty()
                                    ? "--database: the URL is empty"
                                    : cat("--database ", url.substr(0, url.find(':')), "… is of no kind that is known"))
      .hint("postgresql://USER@HOST/NAME; without --database it is SQLite in the state directory.");
}

Store open_store(const fs::path& directory, const std::string& url, const Claim& claim) {
  if (url.empty()) return Store((directory / "state.db").string());
  check_is_its_home(directory, url);
  check_did_not_go_back(directory);
  const HomeState expected = fs::exists(directory / k_home_file) ? HomeState::known : HomeState::any;
  return Store(directory, std::make_unique<Home>(url, expected, claim));
}

Store::Store(const std::string& path) : Store(std::unique_ptr<Home>(), path) {}

Store::Store(const fs::path& directory, std::unique_ptr<Home> home)
    : Store(std::move(home), empty_copy(directory).string()) {
  keep_home_name(directory, home_->name());
}

Store::Store(std::unique_ptr<Home> home, const std::string& path)
    : home_(std::move(home)),
      path_(path),
      database_(home_ ? path : own_state(path)),
      save_node_(first_statement(database_, path, "INSERT OR REPLACE INTO nodes VALUES (?, ?)")),
      remove_node_(database_.prepare("DELETE FROM nodes WHERE uuid = ?")),
      add_event_(
          database_.prepare("INSERT INTO events (at, node, title, kind, text, detail) VALUES (?, ?, ?, ?, ?, ?)")) {
  if (home_) copy_home();
  if (path == k_in_memory) return;
  keys_ = fs::path(path).parent_path() / k_seal_key;
  take_seal(path);
  const std::string before = setting(k_sealed);
  try {
    if (before != seal_.key_id()) seal_all(before);
    if (!setting(k_unwiped).empty()) wipe();
  } catch (sql::StoreError& error) {
    error.during("sealing all of the database with a new key");
    error.hint("This takes room for two more copies of it, beside it and in /var/tmp, once. The next start goes on.");
    if (before.empty() || setting(k_unwiped) == k_in_clear) throw;
    put_off_ = error.story();
    seal_.seal_with(setting(k_sealed));
  }
}

/// In one go, and nothing is flushed: a copy that is not whole is made anew.
void Store::copy_home() {
  database_.run("PRAGMA synchronous = OFF");
  sql::Transaction transaction(database_);
  home_->read([this](const Change& part) { lay_rows(database_, part); });
  end_rows(database_);
  transaction.commit();
}

/// By the log: a checkpoint flushes that before the database, and SQLite its head before what stands behind it.
void Store::keep_beside(std::function<void()> news) {
  if (home_) return home_->start(std::move(news));
  database_.run("PRAGMA synchronous = NORMAL");
  beside_ = std::make_unique<LaterSync>(cat(path_, "-wal"), std::move(news));
}

void Store::end() {
  if (home_) return home_->end();
  if (!beside_) return;
  beside_->end();
  if (beside_->is_lost()) return;
  database_.run("PRAGMA synchronous = FULL");
  beside_.reset();
}

std::string Store::trouble() const { return home_ ? home_->trouble() : beside_ ? beside_->trouble() : ""; }

void Store::check() const {
  if (home_) return home_->check();
  if (const std::string why = trouble(); !why.empty())
    throw sql::StoreError(why, "the disk of the nodes' database does not keep what is written");
}

/// What was committed here goes to the home, or is flushed.
void Store::hand_over() {
  if (home_) static_cast<void>(home_->add(std::exchange(change_, {})));
  if (beside_) beside_->wrote();
  change_ = {};
}

/// A key is made only for a file in which nothing is sealed.
void Store::take_seal(const std::string& path) {
  const std::string with = setting(k_sealed);
  const bool is_there = fs::exists(keys_);
  if (with.empty() && version_of(database_) != k_version_in_clear)
    throw sql::StoreError(cat(path, " is damaged: it is sealed, but does not say with which key"));
  if (with.empty() || is_there) seal_ = Seal::read_or_make(keys_);
  if (with.empty() || (is_there && seal_.has(with))) return;
  throw Error(ErrorKind::input, cat(home_ ? home_->name() : path, " is sealed with the key ", with, ", which ",
                                    keys_.string(), is_there ? " does not have" : " would have: it is not there"))
      .hint(home_ ? "Is it this site's? Then copy seal-key from the directory that it was served from, or from a "
                    "backup: nothing else opens what is known of the nodes. Else name another database."
                  : "Take the file that belongs to it from a backup. Nothing else opens what is known of the nodes; "
                    "without it, move the database away and import the nodes again.");
}

bool Store::seal_anew(bool again) {
  if (!seal_.seal_anew(again, [this](const std::string& former) { seal_all(former); })) return false;
  put_off_.clear();
  return true;
}

/// All at once: a file is in the clear or sealed with one key. A row that can't be opened stays as it is: nodes()
/// tells.
void Store::seal_all(const std::string& before) {
  check();
  change_ = {};
  sql::Transaction transaction(database_);
  bool had_rows = false;
  for (const SealedColumn& column : k_sealed_columns) {
    sql::Statement rows = database_.prepare(cat("SELECT ", column.key, ", ", column.text, " FROM ", column.table));
    std::vector<std::array<std::string, 2>> all;
    while (rows.step()) all.push_back({rows.text(0), rows.text(1)});
    rows.reset();
    sql::Statement write =
        database_.prepare(cat("UPDATE ", column.table, " SET ", column.text, " = ? WHERE ", column.key, " = ?"));
    for (const auto& [key, text] : all) try {
        const std::string place = place_of(column.table, key);
        const std::string sealed = seal_.seal(place, before.empty() ? text : seal_.open(place, text));
        write.bind(1, sealed).bind(2, key).execute();
        (change_.*column.changed)[key] = sealed;
      } catch (const Error& error) {
        if (error.kind() != ErrorKind::input) throw;
      }
    had_rows = had_rows || !all.empty();
  }
  set(k_sealed, seal_.key_id());
  const bool was_in_clear = before.empty() || setting(k_unwiped) == k_in_clear;
  if (had_rows) set(k_unwiped, was_in_clear ? k_in_clear : k_in_seal);
  database_.run(cat("PRAGMA user_version = ", k_version));
  transaction.commit();
  change_.wipe = had_rows;
  hand_over();
}

/// What free pages and the log hold of before.
void Store::wipe() {
  database_.run("PRAGMA secure_delete = ON");
  database_.run("VACUUM");
  sql::Statement empty = database_.prepare("PRAGMA wal_checkpoint(TRUNCATE)");
  if (empty.step() && empty.number(0) != 0) return;  // another program has it open: the next start does it
  empty.reset();
  database_.prepare("DELETE FROM settings WHERE name = ?").bind(1, k_unwiped).execute();
}

std::string Store::setting(std::string_view name) { return setting_of(database_, name); }

void Store::set(std::string_view name, std::string_view value) {
  database_.prepare("INSERT OR REPLACE INTO settings VALUES (?, ?)").bind(1, name).bind(2, value).execute();
  change_.settings[std::string(name)] = std::string(value);
}

Node Store::opened_node(const std::string& uuid, const std::string& sealed) const {
  return node_from_record(parsed(seal_.open(place_of("nodes", uuid), sealed)));
}

Json Store::opened_document(const std::string& name, const std::string& sealed) const {
  return parsed(seal_.open(place_of("documents", name), sealed));
}

std::vector<Node> Store::nodes(const Unreadable& unreadable) {
  std::vector<Node> nodes;
  sql::Statement rows = database_.prepare("SELECT record, uuid FROM nodes");
  while (rows.step()) {
    try {
      Node node = opened_node(rows.text(1), rows.text(0));
      if (node.uuid != rows.text(1)) throw Error(ErrorKind::input, cat("it is the record of '", node.uuid, "'"));
      nodes.push_back(std::move(node));
    } catch (const std::exception& error) {
      if (!unreadable) throw;
      unreadable(rows.text(1), error.what());
    }
  }
  return nodes;
}

std::optional<Node> Store::node(const std::string& uuid) {
  sql::Statement row = database_.prepare("SELECT record FROM nodes WHERE uuid = ?");
  row.bind(1, uuid);
  if (!row.step()) return std::nullopt;
  return opened_node(uuid, row.text(0));
}

void Store::keep_events(std::int64_t count) {
  check();
  change_ = {};
  change_.forgotten = std::max<std::int64_t>(last_event() - count, 0);
  database_.prepare("DELETE FROM events WHERE id <= ?").bind(1, change_.forgotten).execute();
  hand_over();
}

void Store::commit(const std::vector<const Node*>& changed, const std::vector<std::string>& removed,
                   std::vector<Event>& events, const Documents& documents) {
  if (changed.empty() && removed.empty() && documents.empty() && events.empty()) return;
  check();
  change_ = {};
  sql::Transaction transaction(database_);
  for (const Node* node : changed) keep_node(*node);
  for (const std::string& uuid : removed) drop_node(uuid);
  for (const auto& [name, body] : documents) body.is_null() ? drop_document(name) : keep_document(name, body);
  for (Event& event : events) keep_event(event);
  transaction.commit();
  hand_over();
}

void Store::keep_node(const Node& node) {
  const std::string sealed = seal_.seal(place_of("nodes", node.uuid), dumped(node_record(node)));
  save_node_.bind(1, node.uuid).bind(2, sealed).execute();
  if (home_) change_.nodes[node.uuid] = sealed;
}

void Store::drop_node(const std::string& uuid) {
  remove_node_.bind(1, uuid).execute();
  if (home_) change_.nodes[uuid] = std::nullopt;
}

void Store::keep_event(Event& event) {
  const std::string detail = dumped(event.detail);
  add_event_.bind(1, event.at).bind(2, event.node).bind(3, event.title).bind(4, event.kind);
  add_event_.bind(5, event.text).bind(6, detail).execute();
  event.id = database_.last_row();
  if (!home_) return;
  change_.events.push_back(
      {event.id, event.at, event.node, as_text(event.title), event.kind, as_text(event.text), detail});
}

std::vector<Event> Store::events(const EventQuery& query) {
  const std::string order = query.newest ? "DESC" : "ASC";
  // Of one node by its index: a log has millions of others'.
  const std::string of_node = query.node.empty() ? "" : "AND node = ?4 ";
  sql::Statement rows =
      database_.prepare(cat("SELECT id, at, node, title, kind, text, detail FROM events WHERE id > ?1 AND id < ?2 ",
                            of_node, "ORDER BY id ", order, " LIMIT ?3"));
  const std::int64_t before = query.before > 0 ? query.before : std::numeric_limits<std::int64_t>::max();
  rows.bind(1, query.after).bind(2, before).bind(3, query.limit);
  if (!query.node.empty()) rows.bind(4, query.node);
  std::vector<Event> events;
  while (rows.step()) {
    events.push_back(
        {rows.number(0), rows.number(1), rows.text(2), rows.text(3), rows.text(4), rows.text(5), parsed(rows.text(6))});
  }
  if (query.newest) return {events.rbegin(), events.rend()};
  return events;
}

std::int64_t Store::last_event() {
  sql::Statement row = database_.prepare("SELECT coalesce(max(id), 0) FROM events");
  row.step();
  return row.number(0);
}

std::optional<Json> Store::document(const std::string& name) {
  sql::Statement row = database_.prepare("SELECT body FROM documents WHERE name = ?");
  row.bind(1, name);
  if (!row.step()) return std::nullopt;
  return opened_document(name, row.text(0));
}

void Store::put_document(const std::string& name, const Json& document) {
  check();
  change_ = {};
  keep_document(name, document);
  hand_over();
}

void Store::remove_document(const std::string& name) {
  check();
  change_ = {};
  drop_document(name);
  hand_over();
}

void Store::keep_document(const std::string& name, const Json& document) {
  if (home_ && as_text(name) != name)
    throw Error(ErrorKind::input, cat("\"", name, "\": no name that ", home_->name(), " can keep"))
        .hint("Names are UTF-8 there.");
  const std::string sealed = seal_.seal(place_of("documents", name), dumped(document));
  database_.prepare("INSERT OR REPLACE INTO documents VALUES (?, ?)").bind(1, name).bind(2, sealed).execute();
  if (home_) change_.documents[name] = sealed;
}

void Store::drop_document(const std::string& name) {
  database_.prepare("DELETE FROM documents WHERE name = ?").bind(1, name).execute();
  if (home_) change_.documents[name] = std::nullopt;
}

std::vector<std::pair<std::string, Json>> Store::documents(const std::string& prefix) {
  std::string end = prefix;  // behind all that begin so: a hall has documents of each node, which nobody looks through
  end.back() = static_cast<char>(static_cast<unsigned char>(end.back()) + 1);
  sql::Statement rows =
      database_.prepare("SELECT name, body FROM documents WHERE name >= ? AND name < ? ORDER BY name");
  rows.bind(1, prefix).bind(2, end);
  std::vector<std::pair<std::string, Json>> found;
  while (rows.step()) found.emplace_back(rows.text(0), opened_document(rows.text(0), rows.text(1)));
  return found;
}

}  // namespace hearth::bootstrap
