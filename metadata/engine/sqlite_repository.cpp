#include "metadata/engine/sqlite_repository.hpp"

#include "base/error.hpp"
#include "base/text.hpp"
#include "metadata/engine/records_json.hpp"

namespace hearth::metadata::live {

namespace {

constexpr std::int64_t k_version = 1;

constexpr const char* k_schema = R"(
  CREATE TABLE IF NOT EXISTS setting (name TEXT PRIMARY KEY, value TEXT NOT NULL);
  CREATE TABLE IF NOT EXISTS tree (id TEXT PRIMARY KEY, number INTEGER, data TEXT NOT NULL);
  CREATE TABLE IF NOT EXISTS stack (id TEXT PRIMARY KEY, tree TEXT NOT NULL, data TEXT NOT NULL);
  CREATE TABLE IF NOT EXISTS resource (row INTEGER PRIMARY KEY, tree TEXT NOT NULL, stack TEXT NOT NULL, data TEXT NOT NULL);
  CREATE TABLE IF NOT EXISTS event (number INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL, root TEXT NOT NULL,
    stack TEXT NOT NULL, resource TEXT NOT NULL, physical_id TEXT NOT NULL, type TEXT NOT NULL, status TEXT NOT NULL,
    reason TEXT NOT NULL, time INTEGER NOT NULL);
  CREATE TABLE IF NOT EXISTS object (path TEXT PRIMARY KEY, body TEXT NOT NULL, type TEXT NOT NULL, modified INTEGER NOT NULL);
  CREATE INDEX IF NOT EXISTS stack_tree ON stack (tree);
  CREATE INDEX IF NOT EXISTS resource_tree ON resource (tree);
  CREATE INDEX IF NOT EXISTS resource_stack ON resource (stack);
  CREATE INDEX IF NOT EXISTS event_stack ON event (stack, number);
  CREATE INDEX IF NOT EXISTS event_id ON event (id);
)";

constexpr const char* k_event_columns = "number, id, root, stack, resource, physical_id, type, status, reason, time";

std::string dumped(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

Event event_of(const sql::Statement& row) {
  return {row.number(0), row.text(1), row.text(2), row.text(3), row.text(4),
          row.text(5),   row.text(6), row.text(7), row.text(8), row.number(9)};
}

/// The file's tables, made or checked before any statement is prepared.
const std::string& prepared(const std::string& path) {
  sql::Database database(path);
  sql::Statement version = database.prepare("PRAGMA user_version");
  version.step();
  if (version.number(0) > k_version) {
    throw Error(ErrorKind::unsupported, cat(path, " was written by a newer hearth (version ", version.number(0), ")"));
  }
  version.reset();
  database.run(k_schema);
  database.run(cat("PRAGMA user_version=", k_version));
  return path;
}

}  // namespace

SqliteRepository::SqliteRepository(const std::string& path)
    : database_(prepared(path)),
      save_stack_(database_.prepare("INSERT OR REPLACE INTO stack (id, tree, data) VALUES (?, ?, ?)")),
      insert_resource_(database_.prepare("INSERT INTO resource (tree, stack, data) VALUES (?, ?, ?)")),
      update_resource_(database_.prepare("UPDATE resource SET data = ? WHERE row = ?")),
      insert_event_(
          database_.prepare("INSERT INTO event (id, root, stack, resource, physical_id, type, status, reason, "
                            "time) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)")) {}

std::vector<StackTree> SqliteRepository::load() {
  std::vector<StackTree> trees;
  sql::Statement rows = database_.prepare("SELECT id, data FROM tree ORDER BY number");
  while (rows.step()) {
    const Json data = parse_json(rows.text(1), "a stack in the database").value_or_throw();
    StackTree& tree = trees.emplace_back();
    tree.id = rows.text(0);
    tree.name = data.value("name", "");
    tree.project = data.value("project", "");
    tree.body = data["body"];
    tree.previous_body = data["previous_body"];
    tree.deadline = data.value("deadline", std::int64_t{0});
    load_rows(tree);
  }
  return trees;
}

void SqliteRepository::load_rows(StackTree& tree) {
  // The root is the row without a path, and the tree counts on it to be the first.
  sql::Statement stacks =
      database_.prepare("SELECT data FROM stack WHERE tree = ? ORDER BY json_extract(data, '$.path') <> '', rowid");
  stacks.bind(1, tree.id);
  while (stacks.step())
    tree.restore(stack_from(parse_json(stacks.text(0), "a stack in the database").value_or_throw()));
  sql::Statement resources = database_.prepare("SELECT row, stack, data FROM resource WHERE tree = ? ORDER BY row");
  resources.bind(1, tree.id);
  while (resources.step()) {
    Resource resource = resource_from(parse_json(resources.text(2), "a resource in the database").value_or_throw());
    resource.row = resources.number(0);
    tree.restore(std::move(resource), resources.text(1));
  }
  tree.link();
}

void SqliteRepository::save(StackTree& tree, Changes& changes) {
  sql::Transaction transaction(database_);
  if (changes.definition) save_tree(tree);
  bool went = false;
  for (const std::size_t index : changes.stacks) {
    const Stack& stack = tree.stack(index);
    went = went || stack.gone;
    if (!stack.gone) save_stack_.bind(1, stack.id).bind(2, tree.id).bind(3, dumped(to_json(stack))).execute();
  }
  for (const std::size_t index : changes.resources) save_resource(tree, index);
  for (const Stack& stack : tree.stacks()) {
    if (!went || !stack.gone) continue;
    database_.prepare("DELETE FROM resource WHERE stack = ?").bind(1, stack.id).execute();
    database_.prepare("DELETE FROM stack WHERE id = ?").bind(1, stack.id).execute();
  }
  for (Event& event : changes.events) save_event(event);
  transaction.commit();
}

void SqliteRepository::save_tree(const StackTree& tree) {
  Json data = Json::object();
  data["name"] = tree.name;
  data["project"] = tree.project;
  data["body"] = tree.body;
  data["previous_body"] = tree.previous_body;
  data["deadline"] = tree.deadline;
  database_
      .prepare(
          "INSERT INTO tree (id, number, data) VALUES (?1, (SELECT coalesce(max(number), 0) + 1 FROM tree), ?2) "
          "ON CONFLICT (id) DO UPDATE SET data = ?2")
      .bind(1, tree.id)
      .bind(2, dumped(data))
      .execute();
}

void SqliteRepository::save_resource(StackTree& tree, std::size_t index) {
  Resource& resource = tree.resource(index);
  if (resource.gone) {
    if (resource.row != 0) database_.prepare("DELETE FROM resource WHERE row = ?").bind(1, resource.row).execute();
    resource.row = 0;
    return;
  }
  const std::string data = dumped(to_json(resource));
  if (resource.row != 0) return update_resource_.bind(1, data).bind(2, resource.row).execute();
  insert_resource_.bind(1, tree.id).bind(2, tree.stack(resource.stack).id).bind(3, data).execute();
  resource.row = database_.last_row();
}

void SqliteRepository::save_event(Event& event) {
  insert_event_.bind(1, event.id).bind(2, event.root_id).bind(3, event.stack_id).bind(4, event.resource);
  insert_event_.bind(5, event.physical_id).bind(6, event.type).bind(7, event.status).bind(8, event.reason);
  insert_event_.bind(9, event.time).execute();
  event.number = database_.last_row();
}

void SqliteRepository::remove(const std::string& tree_id) {
  sql::Transaction transaction(database_);
  for (const char* statement :
       {"DELETE FROM resource WHERE tree = ?", "DELETE FROM stack WHERE tree = ?", "DELETE FROM tree WHERE id = ?"}) {
    database_.prepare(statement).bind(1, tree_id).execute();
  }
  transaction.commit();
}

std::vector<Event> SqliteRepository::events(const EventQuery& query) {
  std::vector<Event> found;
  if (query.stacks.empty()) return found;
  Json ids = Json::array();
  for (const std::string& id : query.stacks) ids.push_back(id);
  sql::Statement rows =
      database_.prepare(cat("SELECT ", k_event_columns,
                            " FROM event WHERE number > ?1 AND stack IN (SELECT value FROM json_each(?2)) AND "
                            "(?3 = '' OR resource = ?3) ORDER BY number LIMIT ?4"));
  rows.bind(1, query.after).bind(2, dumped(ids)).bind(3, query.resource);
  rows.bind(4, query.limit == 0 ? std::int64_t{-1} : static_cast<std::int64_t>(query.limit));
  while (rows.step()) found.push_back(event_of(rows));
  return found;
}

std::optional<Event> SqliteRepository::event(const std::string& id) {
  sql::Statement rows = database_.prepare(cat("SELECT ", k_event_columns, " FROM event WHERE id = ?"));
  rows.bind(1, id);
  return rows.step() ? std::optional(event_of(rows)) : std::nullopt;
}

std::optional<StoredObject> SqliteRepository::object(const std::string& path) {
  sql::Statement rows = database_.prepare("SELECT body, type, modified FROM object WHERE path = ?");
  rows.bind(1, path);
  if (!rows.step()) return std::nullopt;
  return StoredObject{rows.text(0), rows.text(1), rows.number(2)};
}

void SqliteRepository::put_object(const std::string& path, const StoredObject& object) {
  database_.prepare("INSERT OR REPLACE INTO object (path, body, type, modified) VALUES (?, ?, ?, ?)")
      .bind(1, path)
      .bind(2, object.body)
      .bind(3, object.content_type)
      .bind(4, object.modified)
      .execute();
}

bool SqliteRepository::remove_object(const std::string& path) {
  const bool was_there = object(path).has_value();
  database_.prepare("DELETE FROM object WHERE path = ?").bind(1, path).execute();
  return was_there;
}

std::string SqliteRepository::setting(const std::string& name) {
  sql::Statement rows = database_.prepare("SELECT value FROM setting WHERE name = ?");
  rows.bind(1, name);
  return rows.step() ? rows.text(0) : "";
}

void SqliteRepository::set(const std::string& name, const std::string& value) {
  database_.prepare("INSERT OR REPLACE INTO setting (name, value) VALUES (?, ?)")
      .bind(1, name)
      .bind(2, value)
      .execute();
}

std::vector<std::string> SqliteRepository::settings_below(const std::string& prefix) {
  std::vector<std::string> values;
  sql::Statement rows = database_.prepare("SELECT value FROM setting WHERE substr(name, 1, ?1) = ?2 ORDER BY name");
  rows.bind(1, static_cast<std::int64_t>(prefix.size())).bind(2, prefix);
  while (rows.step()) values.push_back(rows.text(0));
  return values;
}

}  // namespace hearth::metadata::live
