#include "metadata/engine/sql_repository.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <set>
#include <string_view>
#include <thread>
#include <unordered_set>

#include "base/base64.hpp"
#include "base/error.hpp"
#include "base/foreign_json.hpp"
#include "base/text.hpp"
#include "metadata/engine/records_json.hpp"

namespace hearth::metadata::live {

namespace {

constexpr const char* k_version_in_clear = "1";  ///< all before anything was sealed
constexpr std::int64_t k_version = 2;
constexpr const char* k_rows_at_once = "500";
constexpr const char* k_stacks_at_once = "200";  ///< whose rows are in memory at one time, beside what is made of them
constexpr const char* k_in_clear = "in the clear";
constexpr const char* k_in_seal = "sealed with another key";
constexpr int k_times_to_empty_log = 300;
constexpr auto k_between_times = std::chrono::milliseconds(100);

// Of one stack, Heat keeps 1,000. Where it has many resources, some updates of them all are to be seen, too.
constexpr std::size_t k_most_events = 1000;
constexpr std::size_t k_events_of_a_resource = 20;
constexpr std::size_t k_pruned_at_once = 200;

/// "#" stands for the type of a column that numbers its rows.
constexpr const char* k_schema = R"(
  CREATE TABLE IF NOT EXISTS setting (name TEXT PRIMARY KEY, value TEXT NOT NULL);
  CREATE TABLE IF NOT EXISTS tree (id TEXT PRIMARY KEY, number BIGINT, data TEXT NOT NULL);
  CREATE TABLE IF NOT EXISTS stack (id TEXT PRIMARY KEY, tree TEXT NOT NULL, data TEXT NOT NULL);
  CREATE TABLE IF NOT EXISTS resource (row #, tree TEXT NOT NULL, stack TEXT NOT NULL, data TEXT NOT NULL);
  CREATE TABLE IF NOT EXISTS event (number #, id TEXT NOT NULL, root TEXT NOT NULL,
    stack TEXT NOT NULL, resource TEXT NOT NULL, physical_id TEXT NOT NULL, type TEXT NOT NULL, status TEXT NOT NULL,
    reason TEXT NOT NULL, time BIGINT NOT NULL);
  CREATE TABLE IF NOT EXISTS object (path TEXT PRIMARY KEY, body TEXT NOT NULL, type TEXT NOT NULL, modified BIGINT NOT NULL);
  CREATE INDEX IF NOT EXISTS stack_tree ON stack (tree);
  CREATE INDEX IF NOT EXISTS resource_tree ON resource (tree);
  CREATE INDEX IF NOT EXISTS resource_stack ON resource (stack);
  CREATE INDEX IF NOT EXISTS event_stack ON event (stack, number);
  CREATE INDEX IF NOT EXISTS event_root ON event (root, number);
  CREATE INDEX IF NOT EXISTS event_id ON event (id);
)";

constexpr const char* k_event_columns = "number, id, root, stack, resource, physical_id, type, status, reason, time";

/// Where a sealed text is kept; it is opened nowhere else.
std::string place_of(std::string_view table, std::string_view of, std::string_view id = {}) {
  return cat(table, "\n", of, "\n", id);
}

Json unsealed_tree(const StackTree& tree) {
  Json data = Json::object();
  data["name"] = tree.name;
  data["project"] = tree.project;
  data["body"] = tree.body;
  data["previous_body"] = tree.previous_body;
  data["deadline"] = tree.deadline;
  data["era"] = tree.era;
  data["restoring"] = tree.restoring;
  return data;
}

/// The tables, made or checked before any statement is prepared.
sql::Database prepared(sql::Database database, bool& is_new) {
  database.run(replace_all(k_schema, "#", database.row_number_type()));
  std::int64_t found = 0;
  {
    sql::Statement version = database.prepare("SELECT value FROM setting WHERE name = 'version'");
    is_new = !version.step();
    if (!is_new) found = static_cast<std::int64_t>(parse_number(version.text(0)).value_or(0));
  }
  if (found > k_version) {
    throw Error(ErrorKind::unsupported, cat("the database was written by a newer hearth (version ", found, ")"));
  }
  database.prepare("INSERT INTO setting (name, value) VALUES ('version', ?) ON CONFLICT (name) DO NOTHING")
      .bind(1, k_version_in_clear)
      .execute();
  return database;
}

}  // namespace

/// A column of which each text is sealed. `of` and `id` are columns, too: place_of() of a row.
struct SealedColumn {
  const char* table;
  const char* key;  ///< by which the rows are gone through
  const char* before_all;
  const char* text;
  const char* of;
  const char* id;
};

namespace {

constexpr std::array<SealedColumn, 6> k_sealed_columns = {{{"setting", "name", "", "value", "name", "''"},
                                                           {"tree", "id", "", "data", "id", "''"},
                                                           {"stack", "id", "", "data", "tree", "id"},
                                                           {"resource", "row", "0", "data", "tree", "stack"},
                                                           {"event", "number", "0", "reason", "id", "''"},
                                                           {"object", "path", "", "body", "path", "''"}}};

/// PostgreSQL copies values of columns to its statistics, where they would outlive what is wiped.
void gather_nothing_of(sql::Database& database, const SealedColumn& column) {
  database.run(cat("ALTER TABLE ", column.table, " ALTER COLUMN ", column.text, " SET STATISTICS 0"));
}

/// Settings that say how all others are kept.
constexpr const char* k_never_sealed = "('version', 'sealed', 'unwiped')";

}  // namespace

SqlRepository::SqlRepository(sql::Database database, fs::path keys)
    : keys_(std::move(keys)),
      database_(prepared(std::move(database), is_new_)),
      save_stack_(database_.prepare("INSERT INTO stack (id, tree, data) VALUES (?1, ?2, ?3) "
                                    "ON CONFLICT (id) DO UPDATE SET tree = ?2, data = ?3")),
      insert_resource_(database_.prepare("INSERT INTO resource (tree, stack, data) VALUES (?, ?, ?) RETURNING row")),
      update_resource_(database_.prepare("UPDATE resource SET data = ? WHERE row = ?")),
      insert_event_(
          database_.prepare("INSERT INTO event (id, root, stack, resource, physical_id, type, status, reason, "
                            "time) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING number")) {
  if (is_new_ && database_.is_postgres()) {
    for (const SealedColumn& column : k_sealed_columns) gather_nothing_of(database_, column);
  }
  take_seal();
  if (seal_.is_on()) seal_and_wipe();
  is_new_ = false;  // a rotation finds what was kept since
}

/// What can't be done is put off, but nothing that was in the clear is served before nothing is left of that.
void SqlRepository::seal_and_wipe() {
  const std::string before = raw_setting("sealed");
  try {
    if (before != seal_.key_id()) seal_all(before);
    if (!raw_setting("unwiped").empty()) wipe();
  } catch (sql::StoreError& error) {
    error.during("sealing all of the database with a new key");
    error.hint(
        database_.is_postgres()
            ? "Another session may have locked a table (pg_locks names it), or PostgreSQL has no room for another "
              "copy of one. The next start goes on."
            : "This takes room for two more copies of it, beside it and in /var/tmp, once. The next start goes on.");
    if (before.empty() || raw_setting("unwiped") == k_in_clear) throw;
    put_off_ = error.story();
    seal_.seal_with(raw_setting("sealed"));
  }
}

/// The keys with which the database can be read. Somebody else may have sealed it anew since they were read.
void SqlRepository::take_seal() {
  const std::string with = raw_setting("sealed");
  if (keys_.empty()) {
    if (with.empty()) return;
    throw Error(ErrorKind::usage, cat("the database is sealed with the key ", with, ", and no key was given"));
  }
  if (seal_.is_on() && seal_.has(with)) return;
  const bool is_there = fs::exists(keys_);
  if (with.empty() && raw_setting("version") != k_version_in_clear)
    throw sql::StoreError("the database is damaged: it is sealed, but does not say with which key");
  if (with.empty() || is_there) seal_ = Seal::read_or_make(keys_);
  if (with.empty() || (is_there && seal_.has(with))) return;
  sql::StoreError lacks(cat("the database is sealed with the key ", with, ", which ", keys_.string(),
                            is_there ? " does not have" : " would have: it is not there"),
                        "another server has sealed the database with a key that this one does not have");
  lacks.hint(
      "Copy the file seal-key from the state directory that belongs to this database, or name it by --seal-key. "
      "Nothing else opens what its stacks know.");
  throw lacks;
}

void SqlRepository::take_seal_again() {
  try {
    take_seal();
  } catch (const sql::StoreError&) {
    throw;
  } catch (const Error& error) {  // of the file
    throw sql::StoreError(error.what());
  }
  if (!seal_.is_on()) return;
  const std::string with = raw_setting("sealed");
  if (with.empty()) {  // to seal only what comes now would leave neither the one nor the other
    sql::StoreError error("another database was put in the place of this one, and is in the clear");
    error.hint("Start the server again, which seals it.");
    throw error;
  }
  seal_.seal_with(with);
}

void SqlRepository::meanwhile(const std::function<void()>& others) {
  breathe_ = others;
  database_.meanwhile(others);
}

bool SqlRepository::seal_anew(bool again) {
  const auto seal_with_new = [this](const std::string& former) {
    database_.check();
    seal_all(former);
  };
  if (!seal_.seal_anew(again, seal_with_new)) return false;
  put_off_.clear();
  return true;
}

/// All at once: a database is in the clear or sealed. Before it, the pages of the file may have been in the clear.
void SqlRepository::seal_all(const std::string& before) {
  sql::Transaction transaction(database_);
  for (const SealedColumn& column : k_sealed_columns) seal_rows(column, before);
  set_raw("version", std::to_string(k_version));
  set_raw("sealed", seal_.key_id());
  const bool was_in_clear = before.empty() || raw_setting("unwiped") == k_in_clear;
  if (!is_new_) set_raw("unwiped", was_in_clear ? k_in_clear : k_in_seal);
  transaction.commit();
}

/// Some rows at a time, so that a large table need not be in memory.
void SqlRepository::seal_rows(const SealedColumn& column, const std::string& before) {
  const std::string name = column.table;
  const std::string but = name == "setting" ? cat(" AND name NOT IN ", k_never_sealed) : "";
  sql::Statement rows =
      database_.prepare(cat("SELECT ", column.key, ", ", column.text, ", ", column.of, ", ", column.id, " FROM ", name,
                            " WHERE ", column.key, " > ?", but, " ORDER BY ", column.key, " LIMIT ", k_rows_at_once));
  sql::Statement write =
      database_.prepare(cat("UPDATE ", name, " SET ", column.text, " = ? WHERE ", column.key, " = ?"));
  std::string last = column.before_all;
  for (std::vector<std::array<std::string, 3>> some(1); !some.empty();) {
    some.clear();
    rows.bind(1, last);
    while (rows.step()) some.push_back({rows.text(0), rows.text(1), place_of(name, rows.text(2), rows.text(3))});
    rows.reset();
    for (const auto& [key, text, place] : some) {
      last = key;
      const std::optional<std::string> sealed = sealed_anew(name, key, place, text, before);
      if (sealed) write.bind(1, *sealed).bind(2, key).execute();
    }
    breathe_();
  }
}

/// `before`: with which key it is sealed; empty = with none. Nothing where it is not whole: it stays as it is, for
/// load() to tell of it.
std::optional<std::string> SqlRepository::sealed_anew(const std::string& table, const std::string& key,
                                                      const std::string& place, const std::string& text,
                                                      const std::string& before) const {
  try {
    if (table == "tree") {
      const std::string clear = before.empty() ? text : opened_tree(key, text);
      const Result<Json> data = parse_json(clear, "", clear.size());
      return tree_row(key, data ? *data : Json(), clear);
    }
    if (!before.empty()) return seal_.seal(place, seal_.open(place, text));
    const bool is_base64 = table == "object" && database_.is_postgres();
    return seal_.seal(place, is_base64 ? base64_decode(text).value_or("") : text);
  } catch (const Error&) {
    return std::nullopt;
  }
}

/// What free pages and the log hold of before.
void SqlRepository::wipe() {
  if (database_.is_postgres()) {
    // VACUUM FULL keeps what was there for a transaction that began earlier; a column that is made anew does not.
    for (const SealedColumn& column : k_sealed_columns) {
      database_.run(
          cat("ALTER TABLE ", column.table, " ALTER COLUMN ", column.text, " TYPE TEXT USING ", column.text, " || ''"));
      gather_nothing_of(database_, column);
    }
    database_.run("VACUUM FULL pg_statistic");  // of when they were gathered
  } else {
    database_.run("PRAGMA secure_delete = ON");
    database_.run("VACUUM");
    empty_log();
  }
  database_.run("DELETE FROM setting WHERE name = 'unwiped'");
}

/// For a log that somebody moves just now, as a thread of our own may, SQLite does not wait.
void SqlRepository::empty_log() {
  for (int times = 0; times < k_times_to_empty_log; ++times) {
    sql::Statement empty = database_.prepare("PRAGMA wal_checkpoint(TRUNCATE)");
    if (!empty.step() || empty.number(0) == 0) return;
    std::this_thread::sleep_for(k_between_times);
  }
  throw sql::StoreError("the log of the database can't be emptied: another program has it open");
}

/// The name and the project stay readable, so that a stack that can't be opened has them.
std::string SqlRepository::tree_row(const std::string& id, const Json& data, std::string_view text) const {
  if (!seal_.is_on()) return std::string(text);
  Json row = Json::object();
  for (const char* name : {"name", "project"}) row[name] = text_member(data, name);
  row["sealed"] = seal_.seal(place_of("tree", id), text);
  return format_json(row, {.lossy = true});
}

std::string SqlRepository::opened_tree(const std::string& id, const std::string& row) const {
  if (!seal_.is_on()) return row;
  return opened("tree", id, "", text_member(kept_json(row, "its row of the table tree"), "sealed"));
}

std::string SqlRepository::opened(std::string_view table, std::string_view of, std::string_view id,
                                  std::string_view sealed) const {
  try {
    return seal_.open(place_of(table, of, id), sealed);
  } catch (const Error& error) {
    const std::string_view name = id.empty() ? of : id;
    throw Error(error.kind(), cat("the row ", name, " of the table ", table, " of the database: ", error.what()));
  }
}

EventRecord SqlRepository::event_of(const sql::Statement& row) const {
  EventRecord event{row.number(0), row.text(1), row.text(2), row.text(3), row.text(4),
                    row.text(5),   row.text(6), row.text(7), "",          row.number(9)};
  try {
    event.reason = seal_.open(place_of("event", event.id), row.text(8));
  } catch (const Error& error) {  // the others are to be seen all the same
    event.reason = cat("(the reason can't be read: ", error.what(), ")");
  }
  return event;
}

/// A file is ours while we have it open, but may be somewhere else. A server may have ended our connection and let
/// another process in.
void SqlRepository::check() {
  if (database_.is_postgres()) {
    const sql::Transaction looks(database_);
  } else {
    database_.check();
  }
}

/// In blocks of stacks: a database elsewhere may take 20 ms for each question, and a site has a stack for each machine.
StoredStacks SqlRepository::load() {
  take_seal_again();
  StoredStacks stored;
  std::vector<std::pair<std::int64_t, StackTree>> trees;
  sql::Statement next =
      database_.prepare(cat("SELECT id, data, number FROM tree WHERE id > ? ORDER BY id LIMIT ", k_stacks_at_once));
  std::string last;
  while (true) {
    std::vector<TreeRow> block;
    next.bind(1, last);
    while (next.step()) block.push_back({next.text(0), next.text(1), next.number(2)});
    next.reset();
    if (block.empty()) break;
    last = block.back().id;
    std::map<std::string, PartRows> parts = parts_between(block.front().id, last);
    for (const auto& [id, data, number] : block) {
      try {
        trees.emplace_back(number, tree_of(id, data, parts[id]));
      } catch (const sql::StoreError&) {  // the others can't be read either
        throw;
      } catch (const Json::exception& error) {
        stored.unreadable.push_back(unreadable(id, data, cat("a row of it in the database: ", json_fault(error))));
      } catch (const Error& error) {
        stored.unreadable.push_back(unreadable(id, data, error.what()));
      }
    }
  }
  std::stable_sort(trees.begin(), trees.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  for (auto& [number, tree] : trees) stored.trees.push_back(std::move(tree));
  return stored;
}

std::map<std::string, SqlRepository::PartRows> SqlRepository::parts_between(const std::string& first,
                                                                            const std::string& last) {
  std::map<std::string, PartRows> parts;
  sql::Statement stacks = database_.prepare("SELECT tree, id, data FROM stack WHERE tree >= ? AND tree <= ?");
  stacks.bind(1, first).bind(2, last);
  while (stacks.step()) parts[stacks.text(0)].stacks.push_back({0, stacks.text(1), stacks.text(2)});
  sql::Statement resources =
      database_.prepare("SELECT tree, row, stack, data FROM resource WHERE tree >= ? AND tree <= ? ORDER BY row");
  resources.bind(1, first).bind(2, last);
  while (resources.step())
    parts[resources.text(0)].resources.push_back({resources.number(1), resources.text(2), resources.text(3)});
  return parts;
}

StackTree SqlRepository::tree_of(const std::string& id, const std::string& text, const PartRows& parts) {
  const Json data = kept_json(opened_tree(id, text), "its row of the table tree");
  StackTree tree;
  tree.id = id;
  tree.name = data.value("name", "");
  tree.project = data.value("project", "");
  tree.body = data.at("body");
  tree.previous_body = data.at("previous_body");
  tree.deadline = data.value("deadline", std::int64_t{0});
  tree.era = data.value("era", std::size_t{0});
  tree.restoring = data.value("restoring", false);
  std::vector<StackRecord> nested;
  for (const PartRow& row : parts.stacks) {
    const std::string clear = opened("stack", tree.id, row.stack, row.data);
    StackRecord stack = stack_from(kept_json(clear, "a row of the table stack"));
    stack.path.empty() ? tree.restore(std::move(stack)) : nested.push_back(std::move(stack));  // the root comes first
  }
  if (tree.stacks().size() != 1) throw Error(ErrorKind::input, "the table stack has not one row for its root");
  for (StackRecord& stack : nested) tree.restore(std::move(stack));
  for (const PartRow& row : parts.resources) {
    const std::string clear = opened("resource", tree.id, row.stack, row.data);
    ResourceRecord resource = resource_from(kept_json(clear, cat("row ", row.row, " of the table resource")));
    resource.row = row.row;
    tree.restore(std::move(resource), row.stack);
    breathe_();
  }
  tree.link();
  return tree;
}

/// What can be said of it all the same: reading without a limit is safe as long as nothing is copied.
SetAside SqlRepository::unreadable(const std::string& id, const std::string& data, std::string why) {
  SetAside aside{id, id, "admin", std::move(why)};
  if (const Result<Json> row = parse_json(data, "", data.size()); row && row->is_object()) {
    for (const auto& [key, text] : {std::pair{"name", &aside.name}, std::pair{"project", &aside.project}}) {
      if (row->contains(key) && row->at(key).is_string()) *text = row->at(key).get<std::string>();
    }
  }
  sql::Statement resources = database_.prepare("SELECT data, stack FROM resource WHERE tree = ?");
  resources.bind(1, id);
  while (resources.step()) {
    std::string text;
    try {
      text = seal_.open(place_of("resource", id, resources.text(1)), resources.text(0));
    } catch (const Error&) {
      continue;
    }
    const Result<Json> row = parse_json(text, "", text.size());
    if (!row) continue;
    for (std::string& credential : credentials_in(*row)) aside.credentials.push_back(std::move(credential));
  }
  return aside;
}

void SqlRepository::save(StackTree& tree, Changes& changes) {
  sql::Transaction transaction(database_);
  if (changes.definition) save_tree(tree);
  bool went = false;
  for (const std::size_t index : changes.stacks) {
    const StackRecord& stack = tree.stack(index);
    went = went || stack.gone;
    if (stack.gone) continue;
    const std::string data = seal_.seal(place_of("stack", tree.id, stack.id), kept_text(to_json(stack), stack.name));
    save_stack_.bind(1, stack.id).bind(2, tree.id).bind(3, data).execute();
  }
  for (const std::size_t index : changes.resources) save_resource(tree, index);
  for (std::size_t i = 0; went && i < tree.stacks().size(); ++i) {  // those inside one that goes are not in the changes
    if (tree.stack(i).gone && !tree.stack(i).erased) erase_stack(tree.own_stack(i));
  }
  for (EventRecord& event : changes.events) save_event(event);
  prune_events(tree, changes.events);
  for (const auto& [name, value] : changes.settings) set(name, value);
  transaction.commit();
}

void SqlRepository::save_tree(const StackTree& tree) {
  const Json data = unsealed_tree(tree);
  database_
      .prepare(
          "INSERT INTO tree (id, number, data) VALUES (?1, (SELECT coalesce(max(number), 0) + 1 FROM tree), ?2) "
          "ON CONFLICT (id) DO UPDATE SET data = ?2")
      .bind(1, tree.id)
      .bind(2, tree_row(tree.id, data, kept_text(data, cat("the stack ", tree.name))))
      .execute();
}

void SqlRepository::save_resource(StackTree& tree, std::size_t index) {
  ResourceRecord& resource = tree.own_resource(index);
  if (resource.gone) {
    if (resource.row != 0) database_.prepare("DELETE FROM resource WHERE row = ?").bind(1, resource.row).execute();
    resource.row = 0;
    return;
  }
  const std::string& stack = tree.stack(resource.stack).id;
  const std::string data = seal_.seal(place_of("resource", tree.id, stack),
                                      kept_text(to_json(resource), cat("the resource ", resource.path)));
  if (resource.row != 0) return update_resource_.bind(1, data).bind(2, resource.row).execute();
  insert_resource_.bind(1, tree.id).bind(2, stack).bind(3, data);
  insert_resource_.step();
  resource.row = insert_resource_.number(0);
  insert_resource_.reset();
}

void SqlRepository::save_event(EventRecord& event) {
  insert_event_.bind(1, event.id).bind(2, event.root_id).bind(3, event.stack_id).bind(4, event.resource);
  insert_event_.bind(5, event.physical_id).bind(6, event.type).bind(7, event.status);
  insert_event_.bind(8, seal_.seal(place_of("event", event.id), event.reason));
  insert_event_.bind(9, event.time).step();
  event.number = insert_event_.number(0);
  insert_event_.reset();
}

/// With its events: nobody can ask for them any more.
void SqlRepository::erase_stack(StackRecord& stack) {
  for (const char* statement : {"DELETE FROM resource WHERE stack = ?", "DELETE FROM event WHERE stack = ?",
                                "DELETE FROM stack WHERE id = ?"}) {
    database_.prepare(statement).bind(1, stack.id).execute();
  }
  unpruned_.erase(stack.id);
  stack.erased = true;
}

/// The oldest go, some at a time, as in Heat; once in a step, for it counts all events of the stack.
void SqlRepository::prune_events(const StackTree& tree, const std::vector<EventRecord>& fresh) {
  std::set<std::string> due;
  for (const EventRecord& event : fresh) {
    if (++unpruned_[event.stack_id] >= k_pruned_at_once) due.insert(event.stack_id);
  }
  for (const std::string& id : due) {
    unpruned_[id] = 0;
    const std::size_t stack = tree.find_stack(id);
    const std::size_t resources = stack == k_none ? 0 : tree.stack(stack).resources.size();
    database_
        .prepare(
            "DELETE FROM event WHERE stack = ?1 AND number <= "
            "(SELECT number FROM event WHERE stack = ?1 ORDER BY number DESC LIMIT 1 OFFSET ?2)")
        .bind(1, id)
        .bind(2, static_cast<std::int64_t>(std::max(k_most_events, resources * k_events_of_a_resource)))
        .execute();
  }
}

void SqlRepository::remove(const std::string& tree_id) {
  sql::Transaction transaction(database_);
  for (const char* statement :
       {"DELETE FROM resource WHERE tree = ?", "DELETE FROM stack WHERE tree = ?", "DELETE FROM tree WHERE id = ?"}) {
    database_.prepare(statement).bind(1, tree_id).execute();
  }
  // What deleted stacks left goes after 90 days.
  database_
      .prepare(
          "DELETE FROM event WHERE time < (SELECT max(time) FROM event) - 7776000 AND root NOT IN (SELECT id FROM "
          "tree)")
      .execute();
  transaction.commit();
  unpruned_.clear();
}

bool SqlRepository::has_stacks() { return database_.prepare("SELECT 1 FROM tree LIMIT 1").step(); }

std::vector<EventRecord> SqlRepository::events(const EventQuery& query) {
  std::vector<EventRecord> found;
  if (query.stacks.empty()) return found;
  const bool one = query.stacks.size() == 1;  // else they are of one tree, which is searched as a whole
  sql::Statement rows = database_.prepare(cat("SELECT ", k_event_columns, " FROM event WHERE ",
                                              one ? "stack = ?1" : "root = (SELECT tree FROM stack WHERE id = ?1)",
                                              " AND number > ?2 ORDER BY number"));
  rows.bind(1, query.stacks.front()).bind(2, query.after);
  const std::unordered_set<std::string_view> wanted(query.stacks.begin(), query.stacks.end());
  while (rows.step() && (query.limit == 0 || found.size() < query.limit)) {
    if (wanted.count(rows.text(3)) == 0) continue;
    if (query.resource.empty() || rows.text(4) == query.resource) found.push_back(event_of(rows));
  }
  return found;
}

std::optional<EventRecord> SqlRepository::event(const std::string& id) {
  sql::Statement rows = database_.prepare(cat("SELECT ", k_event_columns, " FROM event WHERE id = ?"));
  rows.bind(1, id);
  return rows.step() ? std::optional(event_of(rows)) : std::nullopt;
}

std::optional<StoredObject> SqlRepository::object(const std::string& path) {
  sql::Statement rows = database_.prepare("SELECT body, type, modified FROM object WHERE path = ?");
  rows.bind(1, path);
  if (!rows.step()) return std::nullopt;
  // Any bytes can be an object, but PostgreSQL's texts are UTF-8.
  if (seal_.is_on()) return StoredObject{opened("object", path, "", rows.text(0)), rows.text(1), rows.number(2)};
  const std::string body = database_.is_postgres() ? base64_decode(rows.text(0)).value_or("") : rows.text(0);
  return StoredObject{body, rows.text(1), rows.number(2)};
}

void SqlRepository::put_object(const std::string& path, const StoredObject& object) {
  database_.check();
  const bool as_base64 = !seal_.is_on() && database_.is_postgres();
  const std::string sealed = seal_.seal(place_of("object", path), object.body);
  database_
      .prepare(
          "INSERT INTO object (path, body, type, modified) VALUES (?1, ?2, ?3, ?4) "
          "ON CONFLICT (path) DO UPDATE SET body = ?2, type = ?3, modified = ?4")
      .bind(1, path)
      .bind(2, as_base64 ? base64_encode(object.body) : sealed)
      .bind(3, object.content_type)
      .bind(4, object.modified)
      .execute();
}

bool SqlRepository::remove_object(const std::string& path) {
  database_.check();
  const bool was_there = object(path).has_value();
  database_.prepare("DELETE FROM object WHERE path = ?").bind(1, path).execute();
  return was_there;
}

std::string SqlRepository::setting(const std::string& name) { return opened("setting", name, "", raw_setting(name)); }

std::string SqlRepository::raw_setting(const std::string& name) {
  sql::Statement rows = database_.prepare("SELECT value FROM setting WHERE name = ?");
  rows.bind(1, name);
  return rows.step() ? rows.text(0) : "";
}

void SqlRepository::set(const std::string& name, const std::string& value) {
  database_.check();
  set_raw(name, seal_.seal(place_of("setting", name), value));
}

void SqlRepository::set_raw(const std::string& name, std::string_view value) {
  database_.prepare("INSERT INTO setting (name, value) VALUES (?1, ?2) ON CONFLICT (name) DO UPDATE SET value = ?2")
      .bind(1, name)
      .bind(2, value)
      .execute();
}

void SqlRepository::unset(const std::string& name) {
  database_.check();
  database_.prepare("DELETE FROM setting WHERE name = ?").bind(1, name).execute();
}

std::vector<std::string> SqlRepository::settings_below(const std::string& prefix) {
  std::vector<std::string> values;
  sql::Statement rows =
      database_.prepare("SELECT value, name FROM setting WHERE name >= ?1 AND name < ?2 ORDER BY name");
  rows.bind(1, prefix).bind(2, cat(prefix, "\x7f"));  // names are ASCII
  while (rows.step()) {
    try {
      values.push_back(seal_.open(place_of("setting", rows.text(1)), rows.text(0)));
    } catch (const Error&) {
      values.push_back(rows.text(0));  // no JSON: whoever asks leaves it out, and tells
    }
  }
  return values;
}

}  // namespace hearth::metadata::live
