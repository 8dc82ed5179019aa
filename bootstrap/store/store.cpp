#include "bootstrap/store/store.hpp"

#include <limits>

#include "base/error.hpp"
#include "base/text.hpp"

namespace hearth::bootstrap {

namespace {

constexpr std::int64_t k_version = 1;

constexpr const char* k_schema = R"(
CREATE TABLE IF NOT EXISTS nodes (uuid TEXT PRIMARY KEY, record TEXT NOT NULL) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS events (id INTEGER PRIMARY KEY AUTOINCREMENT, at INTEGER NOT NULL, node TEXT NOT NULL,
  title TEXT NOT NULL, kind TEXT NOT NULL, text TEXT NOT NULL, detail TEXT NOT NULL) STRICT;
CREATE INDEX IF NOT EXISTS events_of_node ON events (node, id);
CREATE TABLE IF NOT EXISTS documents (name TEXT PRIMARY KEY, body TEXT NOT NULL) STRICT, WITHOUT ROWID;
)";

/// The tables are made before statements on them can be prepared.
void prepare_file(sql::Database& database, const std::string& path) {
  sql::Statement version = database.prepare("PRAGMA user_version");
  version.step();
  const std::int64_t found = version.number(0);
  version.reset();
  if (found > k_version) {
    throw Error(ErrorKind::unsupported, cat(path, " was written by a newer Hearth (version ", found, ")"));
  }
  database.run(k_schema);
  database.run(cat("PRAGMA user_version = ", k_version));
}

sql::Statement first_statement(sql::Database& database, const std::string& path, std::string_view statement) {
  prepare_file(database, path);
  return database.prepare(statement);
}

std::string dumped(const Json& json) { return format_json(json, {.lossy = true}); }

Json parsed(const std::string& text) { return parse_json(text, "a row of the store").value_or_throw(); }

}  // namespace

Json event_json(const Event& event) {
  return {{"id", event.id},     {"at", stamp_json(event.at)}, {"node", event.node},    {"name", event.title},
          {"kind", event.kind}, {"text", event.text},         {"detail", event.detail}};
}

Store::Store(const std::string& path)
    : database_(path),
      save_node_(first_statement(database_, path, "INSERT OR REPLACE INTO nodes VALUES (?, ?)")),
      remove_node_(database_.prepare("DELETE FROM nodes WHERE uuid = ?")),
      add_event_(
          database_.prepare("INSERT INTO events (at, node, title, kind, text, detail) VALUES (?, ?, ?, ?, ?, ?)")) {}

std::vector<Node> Store::nodes(const Unreadable& unreadable) {
  std::vector<Node> nodes;
  sql::Statement rows = database_.prepare("SELECT record, uuid FROM nodes");
  while (rows.step()) {
    try {
      Node node = node_from_record(parsed(rows.text(0)));
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
  return node_from_record(parsed(row.text(0)));
}

void Store::keep_events(std::int64_t count) {
  database_.prepare("DELETE FROM events WHERE id <= (SELECT coalesce(max(id), 0) FROM events) - ?")
      .bind(1, count)
      .execute();
}

void Store::commit(const std::vector<const Node*>& changed, const std::vector<std::string>& removed,
                   std::vector<Event>& events, const Documents& documents) {
  if (changed.empty() && removed.empty() && documents.empty() && events.empty()) return;
  sql::Transaction transaction(database_);
  for (const Node* node : changed) save_node_.bind(1, node->uuid).bind(2, dumped(node_record(*node))).execute();
  for (const std::string& uuid : removed) remove_node_.bind(1, uuid).execute();
  for (const auto& [name, body] : documents) body.is_null() ? remove_document(name) : put_document(name, body);
  for (Event& event : events) {
    add_event_.bind(1, event.at).bind(2, event.node).bind(3, event.title).bind(4, event.kind);
    add_event_.bind(5, event.text).bind(6, dumped(event.detail)).execute();
    event.id = database_.last_row();
  }
  transaction.commit();
}

std::vector<Event> Store::events(const EventQuery& query) {
  const std::string order = query.newest ? "DESC" : "ASC";
  sql::Statement rows = database_.prepare(
      cat("SELECT id, at, node, title, kind, text, detail FROM events WHERE id > ? AND id < ? AND (? = '' OR node = ?) "
          "ORDER BY id ",
          order, " LIMIT ?"));
  const std::int64_t before = query.before > 0 ? query.before : std::numeric_limits<std::int64_t>::max();
  rows.bind(1, query.after).bind(2, before).bind(3, query.node).bind(4, query.node).bind(5, query.limit);
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
  return parsed(row.text(0));
}

void Store::put_document(const std::string& name, const Json& document) {
  database_.prepare("INSERT OR REPLACE INTO documents VALUES (?, ?)").bind(1, name).bind(2, dumped(document)).execute();
}

void Store::remove_document(const std::string& name) {
  database_.prepare("DELETE FROM documents WHERE name = ?").bind(1, name).execute();
}

std::vector<std::pair<std::string, Json>> Store::documents(const std::string& prefix) {
  sql::Statement rows =
      database_.prepare("SELECT name, body FROM documents WHERE substr(name, 1, ?) = ? ORDER BY name");
  rows.bind(1, static_cast<std::int64_t>(prefix.size())).bind(2, prefix);
  std::vector<std::pair<std::string, Json>> found;
  while (rows.step()) found.emplace_back(rows.text(0), parsed(rows.text(1)));
  return found;
}

}  // namespace hearth::bootstrap
