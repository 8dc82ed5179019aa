// `hearth node schema`: of which version the tables of a state in PostgreSQL are, and back to one that an older Hearth
// has.
#include "base/cli/print.hpp"
#include "base/error.hpp"
#include "base/sql/database.hpp"
#include "base/sys/file.hpp"
#include "base/text.hpp"
#include "bootstrap/cli/commands.hpp"
#include "bootstrap/client/conductor_client.hpp"
#include "bootstrap/store/store.hpp"

namespace hearth::bootstrap {

namespace {

std::int64_t wanted_version(const std::string& text) {
  const std::optional<std::uint64_t> number = parse_number(text);
  if (number && *number > 0 && *number <= static_cast<std::uint64_t>(k_home_version))
    return static_cast<std::int64_t>(*number);
  throw Error(ErrorKind::usage, cat("--to ", text, ": this Hearth knows the versions 1 to ", k_home_version));
}

/// A version without leases has them where an older Hearth looks for them.
std::size_t put_leases(sql::Database& database, const fs::path& directory) {
  const std::vector<std::string> lines = home_leases(database);
  if (lines.empty()) return 0;
  if (!fs::is_directory(directory))
    throw Error(ErrorKind::not_found, cat("there is no state in ", directory.string(), " that could take the leases"))
        .hint("--state DIR names the directory of this database.");
  RealFileSystem().write(directory / "leases", cat(join(lines, "\n"), "\n"), {.mode = 0640, .uid = {}, .gid = {}});
  return lines.size();
}

int show(const std::string& url) {
  sql::Database database(url, k_home_schema, sql::Use::look);
  const std::int64_t version = home_version(database);
  const std::string name = sql::without_password(url);
  if (version == 0) throw Error(ErrorKind::not_found, cat("there is no state in ", name));
  cli::print(cat(name, ": version ", version,
                 version == k_home_version  ? ", as this Hearth makes it"
                 : version > k_home_version ? ", of a newer Hearth"
                                            : ", of an older Hearth; the next start makes it version ",
                 version < k_home_version ? std::to_string(k_home_version) : "", "\n"));
  return 0;
}

int schema(const cli::Arguments& arguments) {
  const std::string url = database_option(arguments);
  if (url.empty()) throw Error(ErrorKind::usage, "which database?").hint("--database postgresql://USER@HOST/NAME");
  const std::optional<std::string> to = arguments.value("to");
  if (!to) return show(url);
  const std::int64_t version = wanted_version(*to);
  const fs::path directory = state_directory(arguments);
  check_is_its_home(directory, url);
  sql::Database database(url, k_home_schema);
  const std::string name = sql::without_password(url);
  if (home_version(database) == 0) throw Error(ErrorKind::not_found, cat("there is no state in ", name));
  const std::size_t leases = version < k_version_with_leases ? put_leases(database, directory) : 0;
  migrate_home(database, name, version);
  cli::print(cat(name, ": version ", version, "\n"));
  if (leases > 0) cli::print(cat((directory / "leases").string(), ": ", leases, " leases\n"));
  return 0;
}

}  // namespace

cli::Command schema_command() {
  return {"node schema",
          "",
          "tell or change the version of a state's tables in PostgreSQL",
          "A conductor makes the newest that it knows when it starts; it refuses a newer one. Before an older Hearth "
          "is put back, --to makes the version that it knows: 1 until November 2026. That of stacks is one and the "
          "same.",
          {{"database", 0, "URL", "where the state lives; nobody may serve it while --to changes it"},
           {"to", 0, "VERSION", "make it this one; leases that it can't hold go to DIR/leases"},
           {"state", 0, "DIR", "its directory (HEARTH_NODE_STATE, /var/lib/hearth/node)"}},
          schema};
}

}  // namespace hearth::bootstrap
