#include "base/sql/database.hpp"

#include "base/error.hpp"

namespace hearth::sql {

bool is_postgres_url(std::string_view place) {
  return place.rfind("postgresql://", 0) == 0 || place.rfind("postgres://", 0) == 0;
}

Statement& Statement::bind(int index, std::string_view text) {
  handle_->bind(index, text);
  return *this;
}

Statement& Statement::bind(int index, std::int64_t number) {
  handle_->bind(index, number);
  return *this;
}

void Statement::execute() {
  while (step()) {
  }
  reset();
}

Database::Database(const std::string& place)
    : is_postgres_(is_postgres_url(place)),
      connection_(is_postgres_ ? detail::open_postgres(place) : detail::open_sqlite(place)) {}

Statement Database::prepare(std::string_view statement) { return Statement(connection_->prepare(statement)); }

std::string_view Database::row_number_type() const {
  return is_postgres_ ? "BIGSERIAL PRIMARY KEY" : "INTEGER PRIMARY KEY AUTOINCREMENT";
}

Transaction::~Transaction() {
  if (!open_) return;
  try {
    database_.run("ROLLBACK");
  } catch (const Error&) {  // what failed before is the story; the database may have rolled back by itself
  }
}

void Transaction::commit() {
  database_.run("COMMIT");
  open_ = false;
}

}  // namespace hearth::sql
