#include "builder/fetch/fetch_plan.hpp"

#include "base/error.hpp"
#include "base/text.hpp"

namespace hearth::builder::fetch {

const std::vector<cli::Option>& fetch_options() {
  static const std::vector<cli::Option> options = {
      {"record", 0, "", "record what hooks fetch, and write the lock file"},
      {"locked", 0, "", "let hooks fetch only what the lock file names, with the digests that it names"},
      {"lock", 0, "FILE", "the lock file (default: hearth.lock)"},
      {"allow-unrecorded", 0, "", "with --record: let https pass unseen; the lock is not complete then, and says so"},
      {"allow-local", 0, "HOST[:PORT][,…]", "let hooks reach these on loopback and link-local addresses"},
      {"intercept-https", 0, "", "what --record does (taken for older command lines)"}};
  return options;
}

namespace {

/// HOST or HOST:PORT.
void require_server(const std::string& server) {
  const bool has_port = !server.ends_with(']') && server.find(':') != std::string::npos;
  const std::size_t end = has_port ? server.rfind(':') : server.size();
  const std::string host = server.substr(0, end);
  const auto port = has_port ? parse_number(server.substr(end + 1)) : 80;
  const bool is_host = !host.empty() && (host.ends_with(']') || host.find(':') == std::string::npos);
  if (is_host && port && *port > 0 && *port <= 65535) return;
  throw Error(ErrorKind::usage, cat("--allow-local: '", server, "' is neither HOST nor HOST:PORT"))
      .hint("For example: localhost:3142, or [::1]:8080.");
}

}  // namespace

FetchPlan make_fetch_plan(const cli::Arguments& arguments, const fs::path& start_directory, bool strict) {
  FetchPlan plan;
  plan.lock = fs::absolute(arguments.value_or("lock", "hearth.lock"), start_directory);
  const bool record = arguments.has("record");
  const bool locked = arguments.has("locked");
  const bool offline = arguments.has("offline") && (strict || arguments.has("lock"));
  if (record && (locked || offline)) {
    throw Error(ErrorKind::usage, "--record writes the lock, --locked and --offline read it: give one of them");
  }
  if (record) plan.mode = FetchMode::record;
  if (locked) plan.mode = FetchMode::locked;
  if (offline) plan.mode = FetchMode::offline;
  plan.allow_unrecorded = arguments.has("allow-unrecorded");
  for (const char* option : {"allow-unrecorded", "intercept-https"}) {
    if (arguments.has(option) && !record) throw Error(ErrorKind::usage, cat("--", option, " goes with --record"));
  }
  if (plan.allow_unrecorded && arguments.has("intercept-https")) {
    throw Error(ErrorKind::usage, "--intercept-https records https, --allow-unrecorded lets it pass: give one of them");
  }
  for (const std::string& servers : arguments.values("allow-local")) {
    for (std::string& server : split(servers, ',')) {
      if (!plan.mode && (server.ends_with(']') || server.find(':') == std::string::npos))
        throw Error(ErrorKind::usage, cat("--allow-local ", server, ": without --record or --locked it is HOST:PORT"));
      require_server(server);
      plan.local.push_back(std::move(server));
    }
  }
  if (arguments.has("lock") && !plan.mode) {
    throw Error(ErrorKind::usage, "--lock FILE goes with --record, --locked or --offline");
  }
  return plan;
}

}  // namespace hearth::builder::fetch
