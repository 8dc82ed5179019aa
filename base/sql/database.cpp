#include "base/sql/database.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "base/text.hpp"

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

/// One with characters in its password that belong to no URL is masked up to the last @ that may be its end.
std::string without_password(const std::string& place) {
  if (!is_postgres_url(place)) return place;
  const std::size_t start = place.find("://") + 3;
  const std::size_t query = place.find('?', start);
  std::string shown = place;
  constexpr std::string_view k_word = "password=";
  for (std::size_t at = place.rfind(k_word); at != std::string::npos && query != std::string::npos && at > query;
       at = shown.rfind(k_word, at - 1)) {
    const std::size_t value = at + k_word.size();
    shown.replace(value, std::min(shown.find('&', value), shown.size()) - value, "***");
  }
  const std::size_t end = shown.rfind('@');
  const std::size_t colon = shown.find(':', start);
  if (end == std::string::npos || colon == std::string::npos || colon > end) return shown;
  return cat(shown.substr(0, colon), ":***", shown.substr(end));
}

Database::Database(const std::string& place, const std::string& schema, Use use)
    : is_postgres_(is_postgres_url(place)),
      connection_(is_postgres_ ? detail::open_postgres(place, schema, use) : detail::open_sqlite(place)) {}

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
