// `hearth node seeds`: which of several seeds serves, and which wait to follow.
#include "base/cli/print.hpp"
#include "base/error.hpp"
#include "base/json.hpp"
#include "base/sql/database.hpp"
#include "base/text.hpp"
#include "bootstrap/cli/commands.hpp"
#include "bootstrap/client/conductor_client.hpp"
#include "bootstrap/node/node.hpp"
#include "bootstrap/store/home.hpp"

namespace hearth::bootstrap {

namespace {

/// What the database says itself, whoever serves, and where nobody does: then who has served last.
Json seeds_in(const std::string& url) {
  sql::Database database(url, k_home_schema, sql::Use::look);
  const std::string name = sql::without_password(url);
  const std::int64_t version = home_version(database);
  check_home_version(name, version);
  Json shown = {{"serving", nullptr}, {"database", name}, {"waiting", waiting_seeds(database)}};
  if (version < k_version_with_terms) return shown;
  sql::Statement row = database.prepare("SELECT holder, since FROM serving WHERE holder <> ''");
  if (row.step())
    shown[sql::is_driven(database, k_home_schema) ? "serving" : "served"] = {
        {"name", row.text(0)}, {"since", stamp_json(row.number(1) * 1'000'000)}};
  return shown;
}

int seeds(const cli::Arguments& arguments) {
  const std::string url = database_option(arguments);
  const Json shown = url.empty() ? ConductorClient::open(arguments)->call("GET", "/v1/hearth/seeds") : seeds_in(url);
  if (arguments.has("json")) {
    cli::print(json_document(shown));
    return 0;
  }
  const auto told = [&](const char* key, const char* words, const char* end) {
    return cat(text_in(shown[key], "name"), words, text_in(shown[key], "since"), end);
  };
  cli::print(!shown["serving"].is_null() ? told("serving", " serves since ", "\n")
             : shown.contains("served")  ? told("served", " has served since ", ", and is gone: nobody serves\n")
                                         : "nobody serves\n");
  for (const Json& name : shown["waiting"]) cli::print(cat(name.get<std::string>(), " waits\n"));
  return 0;
}

}  // namespace

cli::Command seeds_command() {
  return {
      "node seeds",
      "",
      "print which of several seeds serves, and which wait to follow it",
      "With --database it is what the database says, also where nobody serves. One that hangs, or whose machine is "
      "gone, is named until another one follows.",
      with_client({{"database", 0, "URL", "of the seeds (hearth node serve --standby)"}, {"json", 0, "", "as JSON"}}),
      seeds};
}

}  // namespace hearth::bootstrap
