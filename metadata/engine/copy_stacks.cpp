#include "metadata/engine/copy_stacks.hpp"

#include <array>
#include <vector>

#include "base/error.hpp"
#include "base/sql/database.hpp"
#include "base/text.hpp"
#include "metadata/engine/sql_repository.hpp"

namespace hearth::metadata::live {

namespace {

struct CopiedTable {
  const char* name;
  std::vector<std::string> columns;
  const char* numbered;  ///< the column that numbers its rows by itself; may be empty
};

const std::array<CopiedTable, 6>& copied_tables() {
  static const std::array<CopiedTable, 6> tables = {
      {{"setting", {"name", "value"}, ""},
       {"tree", {"id", "number", "data"}, ""},
       {"stack", {"id", "tree", "data"}, ""},
       {"resource", {"row", "tree", "stack", "data"}, "row"},
       {"event",
        {"number", "id", "root", "stack", "resource", "physical_id", "type", "status", "reason", "time"},
        "number"},
       {"object", {"path", "body", "type", "modified"}, ""}}};
  return tables;
}

void copy_table(sql::Database& from, sql::Database& to, const CopiedTable& table) {
  std::string places = "?";
  for (std::size_t n = 1; n < table.columns.size(); ++n) places += ", ?";
  const std::string columns = join(table.columns, ", ");
  sql::Statement rows = from.prepare(cat("SELECT ", columns, " FROM ", table.name));
  sql::Statement add = to.prepare(cat("INSERT INTO ", table.name, " (", columns, ") VALUES (", places, ")"));
  while (rows.step()) {
    for (int n = 0; n < static_cast<int>(table.columns.size()); ++n) add.bind(n + 1, rows.text(n));
    add.execute();
  }
  if (to.is_postgres() && *table.numbered != '\0')
    to.prepare(cat("SELECT setval(pg_get_serial_sequence('", table.name, "', '", table.numbered, "'), coalesce(max(",
                   table.numbered, "), 0) + 1, false) FROM ", table.name))
        .execute();
}

bool has_tables(sql::Database& database) {
  return database
      .prepare(database.is_postgres() ? "SELECT 1 WHERE to_regclass('setting') IS NOT NULL"
                                      : "SELECT 1 FROM sqlite_master WHERE name = 'setting'")
      .step();
}

}  // namespace

void require_no_stacks(const std::string& place) {
  sql::Database database(place, "", sql::Use::look);
  if (!has_tables(database) || !database.prepare("SELECT 1 FROM tree LIMIT 1").step()) return;
  throw Error(ErrorKind::input, cat("there are stacks in ", sql::without_password(place), " already"))
      .hint("Name a database without any.");
}

bool copy_stacks(const std::string& from, const std::string& to) {
  sql::Database source(from, "", sql::Use::look);
  if (!has_tables(source)) return false;
  require_no_stacks(to);
  { const SqlRepository makes_tables(to); }
  sql::Database target(to);
  const sql::Transaction one_moment(source);
  sql::Transaction transaction(target);
  target.run("DELETE FROM setting");
  for (const CopiedTable& table : copied_tables()) copy_table(source, target, table);
  transaction.commit();
  return true;
}

}  // namespace hearth::metadata::live
