#include "metadata/live/stack_session.hpp"

#include "base/cli/print.hpp"
#include "base/error.hpp"
#include "base/sys/file.hpp"
#include "base/sys/process.hpp"
#include "base/text.hpp"

namespace hearth::metadata::live {

namespace {

constexpr const char* k_state = "/var/lib/hearth/metadata";

/// Where a service runs: one of its own, else that within a conductor (hearth node serve --engine).
fs::path running_state(const cli::Arguments& arguments) {
  if (const auto given = arguments.value("state")) return *given;
  const hearth::Environment env = current_environment();
  const auto conductor = env.find("HEARTH_NODE_STATE");
  const fs::path within = fs::path(conductor == env.end() ? "/var/lib/hearth/node" : conductor->second) / "metadata";
  boost::system::error_code hidden;
  const bool is_within =
      !fs::exists(fs::path(k_state) / k_endpoint_file, hidden) && fs::exists(within / k_endpoint_file, hidden);
  return is_within ? within : fs::path(k_state);
}

StackAddress address_of(const cli::Arguments& arguments) {
  return stack_address(
      running_state(arguments),
      {arguments.value_or("url", ""), arguments.value_or("token-file", ""), arguments.value_or("ca-file", "")},
      current_environment());
}

std::string status_of(StackClient& client, const std::string& place) {
  return client.call("GET", cat(place, "?resolve_outputs=False"))["stack"].value("stack_status", "");
}

}  // namespace

Session::Session(const cli::Arguments& arguments)
    : http(clock, trusting_own(current_environment(), running_state(arguments)), "hearth"),
      client(http, clock, address_of(arguments)) {}

std::vector<cli::Option> with_common(std::vector<cli::Option> options) {
  options.push_back({"json", 0, "", "print JSON"});
  options.push_back({"url", 0, "URL", "the stack service (what DIR says, else http://127.0.0.1:8004/v1/admin)"});
  options.push_back({"state", 0, "DIR",
                     cat("its state directory: its URL, token and authority (", k_state,
                         "; where none runs there, that of node serve --engine)")});
  options.push_back({"token-file", 0, "FILE", "a file with the token"});
  options.push_back({"ca-file", 0, "FILE", "whom to trust there (PEM; what DIR says, else OS_CACERT, the system's)"});
  return options;
}

void EventLines::take(bool print) {
  const std::string query = cat("?nested_depth=9&sort_dir=asc", marker_.empty() ? "" : cat("&marker=", marker_));
  const Json found = session_.client.call("GET", cat(place_, "/events", query));
  for (const Json& event : found.at("events")) {
    const std::string line = paths_.line(event);  // of those that are skipped, too: it learns where stacks are nested
    if (print) cli::print(cat(line, "\n"));
    marker_ = event.value("id", "");
  }
  cli::flush();
}

void EventLines::follow(const std::function<bool()>& until) {
  while (true) {
    const bool last_round = until();
    take(true);
    if (last_round) return;
    session_.clock.sleep(std::chrono::seconds(1));
  }
}

int EventLines::wait() {
  std::string status;
  try {
    follow([&] {
      status = status_of(session_.client, place_);
      return status.find("IN_PROGRESS") == std::string::npos;
    });
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::not_found) return 0;  // it was deleted
    throw;
  }
  cli::print(cat("stack ", name_, " is ", status, "\n"));
  return status.find("FAILED") == std::string::npos ? 0 : 1;
}

int act_on(Session& session, const cli::Arguments& arguments, const std::string& name,
           const std::function<void(const std::string& place)>& begin) {
  const std::string place = session.client.locate(name);
  EventLines events(session, place, name);
  if (arguments.has("wait")) events.skip();
  begin(place);
  return arguments.has("wait") ? events.wait() : 0;
}

}  // namespace hearth::metadata::live
