#include "metadata/engine/sql_repository.hpp"

#include <algorithm>
#include <set>

#include "base/error.hpp"
#include "base/foreign_json.hpp"
#include "base/hmac.hpp"
#include "base/text.hpp"
#include "metadata/engine/records_json.hpp"

namespace hearth::metadata::live {

namespace {

constexpr std::int64_t k_version = 1;

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

Event event_of(const sql::Statement& row) {
  return {row.number(0), row.text(1), row.text(2), row.text(3), row.text(4),
          row.text(5),   row.text(6), row.text(7), row.text(8), row.number(9)};
}

/// The tables, made or checked before any statement is prepared.
sql::Database prepared(sql::Database database) {
  database.run(replace_all(k_schema, "#", database.row_number_type()));
  std::int64_t found = 0;
  {
    sql::Statement version = database.prepare("SELECT value FROM setting WHERE name = 'version'");
    if (version.step()) found = static_cast<std::int64_t>(parse_number(version.text(0)).value_or(0));
  }
  if (found > k_version) {
    throw Error(ErrorKind::unsupported, cat("the database was written by a newer hearth (version ", found, ")"));
  }
  database.prepare("INSERT INTO setting (name, value) VALUES ('version', ?) ON CONFLICT (name) DO NOTHING")
      .bind(1, std::to_string(k_version))
      .execute();
  return database;
}

}  // namespace

SqlRepository::SqlRepository(sql::Database database)
    : database_(prepared(std::move(database))),
      save_stack_(database_.prepare("INSERT INTO stack (id, tree, data) VALUES (?1, ?2, ?3) "
                                    "ON CONFLICT (id) DO UPDATE SET tree = ?2, data = ?3")),
      insert_resource_(database_.prepare("INSERT INTO resource (tree, stack, data) VALUES (?, ?, ?) RETURNING row")),
      update_resource_(database_.prepare("UPDATE resource SET data = ? WHERE row = ?")),
      insert_event_(
          database_.prepare("INSERT INTO event (id, root, stack, resource, physical_id, type, status, reason, "
                            "time) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING number")) {}

/// A file is ours while we have it open, but may be somewhere else. A server may have ended our connection and let
/// another process in.
void SqlRepository::check() {
  if (database_.is_postgres()) {
    const sql::Transaction looks(database_);
  } else {
    database_.check();
  }
}

StoredStacks SqlRepository::load() {
  StoredStacks stored;
  sql::Statement rows = database_.prepare("SELECT id, data FROM tree ORDER BY number");
  while (rows.step()) {
    const std::string id = rows.text(0);
    const std::string data = rows.text(1);
    try {
      stored.trees.push_back(load_tree(id, data));
    } catch (const sql::StoreError&) {  // the others can't be read either
      throw;
    } catch (const Json::exception& error) {
      stored.unreadable.push_back(unreadable(id, data, cat("a row of it in the database: ", json_fault(error))));
    } catch (const Error& error) {
      stored.unreadable.push_back(unreadable(id, data, error.what()));
    }
  }
  return stored;
}

StackTree SqlRepository::load_tree(const std::string& id, const std::string& text) {
  const Json data = kept_json(text, "its row of the table tree");
  StackTree tree;
  tree.id = id;
  tree.name = data.value("name", "");
  tree.project = data.value("project", "");
  tree.body = data.at("body");
  tree.previous_body = data.at("previous_body");
  tree.deadline = data.value("deadline", std::int64_t{0});
  tree.era = data.value("era", std::size_t{0});
  tree.restoring = data.value("restoring", false);
  sql::Statement stacks = database_.prepare("SELECT data FROM stack WHERE tree = ?");
  stacks.bind(1, tree.id);
  std::vector<Stack> nested;
  while (stacks.step()) {
    Stack stack = stack_from(kept_json(stacks.text(0), "a row of the table stack"));
    stack.path.empty() ? tree.restore(std::move(stack)) : nested.push_back(std::move(stack));  // the root comes first
  }
  if (tree.stacks().size() != 1) throw Error(ErrorKind::input, "the table stack has not one row for its root");
  for (Stack& stack : nested) tree.restore(std::move(stack));
  sql::Statement resources = database_.prepare("SELECT row, stack, data FROM resource WHERE tree = ? ORDER BY row");
  resources.bind(1, tree.id);
  while (resources.step()) {
    const std::int64_t row = resources.number(0);
    Resource resource = resource_from(kept_json(resources.text(2), cat("row ", row, " of the table resource")));
    resource.row = row;
    tree.restore(std::move(resource), resources.text(1));
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
  sql::Statement resources = database_.prepare("SELECT data FROM resource WHERE tree = ?");
  resources.bind(1, id);
  while (resources.step()) {
    const std::string text = resources.text(0);
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
    const Stack& stack = tree.stack(index);
    went = went || stack.gone;
    if (!stack.gone)
      save_stack_.bind(1, stack.id).bind(2, tree.id).bind(3, kept_text(to_json(stack), stack.name)).execute();
  }
  for (const std::size_t index : changes.resources) save_resource(tree, index);
  for (std::size_t i = 0; went && i < tree.stacks().size(); ++i) {  // those inside one that goes are not in the changes
    if (tree.stack(i).gone && !tree.stack(i).erased) erase_stack(tree.stack(i));
  }
  for (Event& event : changes.events) save_event(event);
  prune_events(tree, changes.events);
  for (const auto& [name, value] : changes.settings) set(name, value);
  transaction.commit();
}

void SqlRepository::save_tree(const StackTree& tree) {
  Json data = Json::object();
  data["name"] = tree.name;
  data["project"] = tree.project;
  data["body"] = tree.body;
  data["previous_body"] = tree.previous_body;
  data["deadline"] = tree.deadline;
  data["era"] = tree.era;
  data["restoring"] = tree.restoring;
  database_
      .prepare(
          "INSERT INTO tree (id, number, data) VALUES (?1, (SELECT coalesce(max(number), 0) + 1 FROM tree), ?2) "
          "ON CONFLICT (id) DO UPDATE SET data = ?2")
      .bind(1, tree.id)
      .bind(2, kept_text(data, cat("the stack ", tree.name)))
      .execute();
}

void SqlRepository::save_resource(StackTree& tree, std::size_t index) {
  Resource& resource = tree.resource(index);
  if (resource.gone) {
    if (resource.row != 0) database_.prepare("DELETE FROM resource WHERE row = ?").bind(1, resource.row).execute();
    resource.row = 0;
    return;
  }
  const std::string data = kept_text(to_json(resource), cat("the resource ", resource.path));
  if (resource.row != 0) return update_resource_.bind(1, data).bind(2, resource.row).execute();
  insert_resource_.bind(1, tree.id).bind(2, tree.stack(resource.stack).id).bind(3, data);
  insert_resource_.step();
  resource.row = insert_resource_.number(0);
  insert_resource_.reset();
}

void SqlRepository::save_event(Event& event) {
  insert_event_.bind(1, event.id).bind(2, event.root_id).bind(3, event.stack_id).bind(4, event.resource);
  insert_event_.bind(5, event.physical_id).bind(6, event.type).bind(7, event.status).bind(8, event.reason);
  insert_event_.bind(9, event.time).step();
  event.number = insert_event_.number(0);
  insert_event_.reset();
}

/// With its events: nobody can ask for them any more.
void SqlRepository::erase_stack(Stack& stack) {
  for (const char* statement : {"DELETE FROM resource WHERE stack = ?", "DELETE FROM event WHERE stack = ?",
                                "DELETE FROM stack WHERE id = ?"}) {
    database_.prepare(statement).bind(1, stack.id).execute();
  }
  unpruned_.erase(stack.id);
  stack.erased = true;
}

/// The oldest go, some at a time, as in Heat; once in a step, for it counts all events of the stack.
void SqlRepository::prune_events(const StackTree& tree, const std::vector<Event>& fresh) {
  std::set<std::string> due;
  for (const Event& event : fresh) {
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

std::vector<Event> SqlRepository::events(const EventQuery& query) {
  std::vector<Event> found;
  if (query.stacks.empty()) return found;
  const bool one = query.stacks.size() == 1;  // else they are of one tree, which is searched as a whole
  sql::Statement rows = database_.prepare(cat("SELECT ", k_event_columns, " FROM event WHERE ",
                                              one ? "stack = ?1" : "root = (SELECT tree FROM stack WHERE id = ?1)",
                                              " AND number > ?2 ORDER BY number"));
  rows.bind(1, query.stacks.front()).bind(2, query.after);
  const std::set<std::string> wanted(query.stacks.begin(), query.stacks.end());
  while (rows.step() && (query.limit == 0 || found.size() < query.limit)) {
    if (wanted.count(rows.text(3)) == 0) continue;
    if (query.resource.empty() || rows.text(4) == query.resource) found.push_back(event_of(rows));
  }
  return found;
}

std::optional<Event> SqlRepository::event(const std::string& id) {
  sql::Statement rows = database_.prepare(cat("SELECT ", k_event_columns, " FROM event WHERE id = ?"));
  rows.bind(1, id);
  return rows.step() ? std::optional(event_of(rows)) : std::nullopt;
}

std::optional<StoredObject> SqlRepository::object(const std::string& path) {
  sql::Statement rows = database_.prepare("SELECT body, type, modified FROM object WHERE path = ?");
  rows.bind(1, path);
  if (!rows.step()) return std::nullopt;
  // Any bytes can be an object, but PostgreSQL's texts are UTF-8.
  const std::string body = database_.is_postgres() ? base64_decode(rows.text(0)).value_or("") : rows.text(0);
  return StoredObject{body, rows.text(1), rows.number(2)};
}

void SqlRepository::put_object(const std::string& path, const StoredObject& object) {
  database_.check();
  database_
      .prepare(
          "INSERT INTO object (path, body, type, modified) VALUES (?1, ?2, ?3, ?4) "
          "ON CONFLICT (path) DO UPDATE SET body = ?2, type = ?3, modified = ?4")
      .bind(1, path)
      .bind(2, database_.is_postgres() ? base64_encode(object.body) : object.body)
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

std::string SqlRepository::setting(const std::string& name) {
  sql::Statement rows = database_.prepare("SELECT value FROM setting WHERE name = ?");
  rows.bind(1, name);
  return rows.step() ? rows.text(0) : "";
}

void SqlRepository::set(const std::string& name, const std::string& value) {
  database_.check();
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
  sql::Statement rows = database_.prepare("SELECT value FROM setting WHERE name >= ?1 AND name < ?2 ORDER BY name");
  rows.bind(1, prefix).bind(2, cat(prefix, "\x7f"));  // names are ASCII
  while (rows.step()) values.push_back(rows.text(0));
  return values;
}

}  // namespace hearth::metadata::live
