#include "metadata/live/token_commands.hpp"

#include <chrono>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "base/json.hpp"
#include "base/sys/file.hpp"
#include "base/sys/seal.hpp"
#include "base/sys/secret.hpp"
#include "base/text.hpp"
#include "metadata/engine/words.hpp"
#include "metadata/live/stack_client.hpp"
#include "metadata/rest/token_book.hpp"
#include "metadata/serve/audit_log.hpp"

namespace hearth::metadata::live {

namespace {

using cli::Arguments;

constexpr std::uint64_t k_most_hours = 100'000;

const cli::Option k_state_option{"state", 0, "DIR", "the server's state directory (/var/lib/hearth/metadata)"};

fs::path state_of(const Arguments& arguments) {
  fs::path state = arguments.value_or("state", "/var/lib/hearth/metadata");
  if (!fs::is_directory(state)) {
    throw Error(ErrorKind::not_found, cat("there is no directory ", state.string()))
        .hint("Name the state directory of `hearth metadata serve` with --state.");
  }
  return state;
}

/// A conductor's directory has an api-token, too, and no stack of it would take a token that is made there; nor would
/// anybody read what is made in a directory in which no server has begun.
fs::path stacks_of(const Arguments& arguments) {
  fs::path state = stacks_in(state_of(arguments));
  if (fs::is_directory(state / "agents")) {  // as conductors have it, whose own token is an api-token, too
    throw Error(ErrorKind::not_found, cat(state.string(), " is a conductor's state, and it has no stacks yet"))
        .hint("hearth node serve --engine makes them; the conductor's people stand in its file people.");
  }
  if (has_tokens(state)) return state;
  throw Error(ErrorKind::not_found, cat(state.string(), " holds neither api-token nor tokens.json"))
      .hint("The first start of the server makes api-token; --state names another directory.");
}

std::int64_t seconds_now() { return unix_seconds(SystemClock().wall()); }

std::uint64_t hours_of(const Arguments& arguments, const char* usual) {
  const std::string text = arguments.value_or("hours", usual);
  const std::optional<std::uint64_t> hours = parse_number(text);
  if (hours && *hours <= k_most_hours) return *hours;
  throw Error(ErrorKind::usage, cat("--hours takes a number of hours up to ", k_most_hours, ", not ", text));
}

const std::string& name_of(const Arguments& arguments) {
  if (arguments.operands().size() == 1 && !arguments.operands()[0].empty()) return arguments.operands()[0];
  throw Error(ErrorKind::usage, "which token? give its NAME");
}

int create_token(const Arguments& arguments) {
  PeopleToken token;
  token.name = name_of(arguments);
  const std::string role = arguments.value_or("role", "read");
  const std::optional<Right> right = parse_right(role);
  if (!right) throw Error(ErrorKind::usage, cat("--role ", role, ": read, operate or admin"));
  token.right = *right;
  token.project = arguments.value_or("project", *right == Right::everything ? "" : "admin");
  if (*right == Right::everything && !token.project.empty())
    throw Error(ErrorKind::usage, "--project with --role admin: an admin may do everything in each project");
  const std::uint64_t hours = hours_of(arguments, "720");
  const std::int64_t now = seconds_now();
  token.expires = hours == 0 ? 0 : now + static_cast<std::int64_t>(hours) * 3600;
  cli::print(cat(add_token(stacks_of(arguments), std::move(token), now), "\n"));
  return 0;
}

int list_tokens(const Arguments& arguments) {
  const std::int64_t now = seconds_now();
  const fs::path state = stacks_of(arguments);
  Json rows = Json::array();
  for (const PeopleToken& token : kept_tokens(state)) {
    Json row = Json::object();
    row["name"] = token.name;
    row["role"] = word(token.right);
    row["project"] = token.project.empty() ? Json() : Json(token.project);
    row["expires"] = token.expires == 0 ? Json() : Json(iso_time(token.expires));
    row["holds"] = token.expires == 0 || token.expires > now;
    rows.push_back(std::move(row));
  }
  if (arguments.has("json")) {
    cli::print(json_document(rows));
    return 0;
  }
  if (rows.empty()) cli::tell(cat(state.string(), ": there are no tokens beside api-token\n"));
  for (const Json& row : rows) {
    cli::print(cat(row["name"].get<std::string>(), "  ", row["role"].get<std::string>(), " of ",
                   row["project"].is_null() ? "each project" : row["project"].get<std::string>(),
                   row["expires"].is_null()
                       ? ", without an end"
                       : cat(row["holds"] == true ? ", until " : ", ended at ", row["expires"].get<std::string>()),
                   "\n"));
  }
  return 0;
}

int end_token(const Arguments& arguments) {
  const std::string& name = name_of(arguments);
  if (revoke_token(stacks_of(arguments), name)) return 0;
  throw Error(ErrorKind::not_found, cat("there is no token ", name))
      .hint("hearth metadata token list names those that there are; `token rotate` changes api-token.");
}

int rotate_token(const Arguments& arguments) {
  const std::int64_t now = seconds_now();
  const std::uint64_t hours = hours_of(arguments, "24");
  const fs::path state = stacks_of(arguments);
  rotate_api_token(state, now, now + static_cast<std::int64_t>(hours) * 3600);
  cli::print(cat(state.string(), "/api-token: a new one; the former one holds for ", hours, " hours\n"));
  return 0;
}

int rotate_seal_key(const Arguments& arguments) {
  const std::uint64_t hours = hours_of(arguments, "168");
  const auto given = arguments.value("seal-key");
  const fs::path file = given ? fs::path(*given) : state_of(arguments) / k_seal_key;
  if (!fs::exists(file)) {
    throw Error(ErrorKind::not_found, cat("there is no key ", file.string()))
        .hint("The first start of the server makes one; --seal-key names another file.");
  }
  forbid_dumps();
  rotate_seal(file, seconds_now() + static_cast<std::int64_t>(hours) * 3600);
  cli::print(cat(file.string(),
                 ": a new key. A server that runs seals its database with it in a moment, else the next start does. "
                 "The former one ",
                 "stays in the file for ", hours, " hours at least, so that copies of before can be read.\n"));
  return 0;
}

int audit_state(const Arguments& arguments) {
  const AuditVerdict verdict = verify_audit((stacks_of(arguments) / "audit.log").string());
  cli::print(cat(verdict.lines, verdict.lines == 1 ? " line in " : " lines in ", verdict.files,
                 verdict.files == 1 ? " file, as it was written" : " files, as they were written",
                 verdict.torn == 0 ? "" : cat("; ", verdict.torn, " that a crash left unfinished"),
                 verdict.missed == 0 ? "" : cat("; ", verdict.missed, " are missing: the disk was full"),
                 "\nlast digest: ", verdict.digest, "\n"));
  return 0;
}

}  // namespace

std::vector<cli::Command> token_commands() {
  return {
      {.words = "metadata token create",
       .operands = "NAME",
       .summary = "a token for the stack service, with a role and an end",
       .details = "Prints the token, which is kept nowhere: the server knows its digest. With role read it sees "
                  "states, events "
                  "and outputs of one project, but nothing with keys or passwords in it; with operate it makes, "
                  "changes and deletes its stacks; with admin it may do everything in each project, as api-token may. "
                  "It holds when the command has ended.",
       .options = {{"role", 0, "ROLE", "read, operate or admin (read)", {"read", "operate", "admin"}},
                   {"project", 0, "PROJECT", "whose stacks (admin)"},
                   {"hours", 0, "HOURS", "how long it holds (720); 0 = without an end"},
                   k_state_option},
       .run = create_token},
      {.words = "metadata token list",
       .operands = "",
       .summary = "the tokens beside api-token",
       .details = "Names, roles, projects and ends.\n\nExit codes: 0 ok, 1 DIR has neither tokens nor api-token.",
       .options = {{"json", 0, "", "print JSON"}, k_state_option},
       .run = list_tokens},
      {.words = "metadata token revoke",
       .operands = "NAME",
       .summary = "end a token now",
       .details = "The server takes it no longer within a second.",
       .options = {k_state_option},
       .run = end_token},
      {.words = "metadata token rotate",
       .operands = "",
       .summary = "a new api-token",
       .details = "Writes DIR/api-token anew. The former one holds for some hours, so that nobody is shut out.",
       .options = {{"hours", 0, "HOURS", "how long the former one holds (24)"}, k_state_option},
       .run = rotate_token},
      {.words = "metadata seal rotate",
       .operands = "",
       .summary = "a new key to seal the stacks' database with",
       .details =
           "Adds a key to DIR/seal-key. A running server seals all of its database with it within some seconds, else "
           "the next start does, which also wipes what was sealed otherwise from its files. The former key stays for "
           "some hours, and until that is "
           "done: a copy of the database needs the key of its time. Servers that take turns with one database "
           "need the new file, too.",
       .options = {{"hours", 0, "HOURS", "how long the former one stays (168)"},
                   {"seal-key", 0, "FILE", "the file, in place of DIR/seal-key"},
                   k_state_option},
       .run = rotate_seal_key},
      {.words = "metadata audit",
       .operands = "",
       .summary = "whether the audit log is as it was written",
       .details = "Each line of DIR/audit.log ends with a digest of itself and of all lines before it. Names the first "
                  "line that does not fit. Note the last digest elsewhere to see later whether the end was cut off.",
       .options = {k_state_option},
       .run = audit_state},
  };
}

}  // namespace hearth::metadata::live
