#include "metadata/engine/open_repository.hpp"

#include "base/error.hpp"
#include "base/text.hpp"
#include "metadata/engine/sql_repository.hpp"

namespace hearth::metadata::live {

std::unique_ptr<SqlRepository> open_repository(const std::string& url, const fs::path& directory,
                                               const fs::path& keys) {
  if (url.empty()) return std::make_unique<SqlRepository>((directory / "state.db").string(), keys);
  if (sql::is_postgres_url(url)) {
    auto repository = std::make_unique<SqlRepository>(url, keys);
    if (!fs::exists(directory / "state.db") || repository->has_stacks()) return repository;
    throw Error(ErrorKind::input, cat(directory.string(), " has stacks of its own, in state.db, and ",
                                      sql::without_password(url), " has none"))
        .hint(
            "To go on with a seed's in the database: hearth backup --state DIR FILE, move DIR away, and hearth restore "
            "--state DIR --database URL FILE. To leave them: move state.db away, or another --state.");
  }
  throw Error(ErrorKind::usage, cat("the database ", url.substr(0, url.find("://")), "… is of no kind that is known"))
      .hint("postgresql://USER@HOST/NAME, or none: SQLite in the state directory");
}

}  // namespace hearth::metadata::live
