#include "metadata/live/lifecycle_commands.hpp"

#include <algorithm>

#include "base/cli/table.hpp"
#include "base/error.hpp"
#include "base/net/url.hpp"
#include "base/sys/file.hpp"
#include "base/text.hpp"
#include "metadata/live/stack_session.hpp"
#include "metadata/live/stack_text.hpp"

namespace hearth::metadata::live {

namespace {

std::string href_of(const Json& shown, std::string_view relation) {
  for (const Json& link : shown.value("links", Json::array())) {
    if (link.value("rel", "") == relation) return link.value("href", "");
  }
  return "";
}

int act(const cli::Arguments& arguments, const char* action) {
  Session session(arguments);
  return act_on(session, arguments, arguments.operand(0, "stack"), [&](const std::string& place) {
    session.client.call("POST", cat(place, "/actions"), Json({{action, Json()}}));
  });
}

int rotate_keys(const cli::Arguments& arguments) {
  const std::string text = arguments.value_or("hours", "168");
  const std::optional<std::uint64_t> hours = parse_number(text);
  if (!hours) throw Error(ErrorKind::usage, cat("--hours takes a number of hours, not ", text));
  Session session(arguments);
  const std::string place = session.client.locate(arguments.operand(0, "stack"));
  session.client.call("POST", cat(place, "/actions"), Json({{"rotate", *hours}}));
  return 0;
}

int cancel(const cli::Arguments& arguments) {
  return act(arguments, arguments.has("no-rollback") ? "cancel_without_rollback" : "cancel_update");
}

/// "Compute.0.server" stands in nested stacks: the place of the innermost one, with the resource.
std::string resource_place(StackClient& client, const std::string& stack, const std::string& path) {
  std::string place = client.locate(stack);
  const std::vector<std::string> names = split(path, '.');
  for (std::size_t i = 0; i + 1 < names.size(); ++i) {
    const Json shown = client.call("GET", cat(place, "/resources/", percent_encode(names[i])))["resource"];
    const std::string nested = href_of(shown, "nested");
    const std::size_t at = nested.find("/stacks/");
    if (at == std::string::npos) throw Error(ErrorKind::not_found, cat(names[i], " of ", path, " holds no stack"));
    place = nested.substr(at);
  }
  return cat(place, "/resources/", percent_encode(names.back()));
}

void send_signal(const cli::Arguments& arguments, const Json& body) {
  Session session(arguments);
  const std::string place =
      resource_place(session.client, arguments.operand(0, "stack"), arguments.operand(1, "resource"));
  session.client.call("POST", cat(place, "/signal"), body);
}

int signal(const cli::Arguments& arguments) {
  if (arguments.has("data") && arguments.has("data-file"))
    throw Error(ErrorKind::usage, "give --data or --data-file, not both");
  const auto file = arguments.value("data-file");
  const std::string text = file ? read_file(*file) : arguments.value_or("data", "{}");
  const Result<Json> body = parse_json(text, file ? *file : "--data");
  if (!body || !body->is_object()) {
    throw Error(ErrorKind::input, cat(file ? *file : "--data", ": a signal is a JSON object"))
        .hint("For a deployment: {\"deploy_status_code\": 0, OUTPUT: VALUE}.");
  }
  send_signal(arguments, *body);
  return 0;
}

int clear_hook(const cli::Arguments& arguments) {
  send_signal(arguments, Json({{"unset_hook", arguments.value_or("hook", "pre-create")}}));
  return 0;
}

int list_hooks(const cli::Arguments& arguments) {
  Session session(arguments);
  const std::string& name = arguments.operand(0, "stack");
  const Json events =
      session.client.call("GET", cat(session.client.locate(name), "/events?nested_depth=9&sort_dir=asc"));
  const std::vector<std::string> lines = waiting_hooks(name, events.at("events"));
  if (arguments.has("json")) cli::print(json_document(lines));
  for (const std::string& line : arguments.has("json") ? std::vector<std::string>{} : lines)
    cli::print(cat(line, "\n"));
  return 0;
}

std::string snapshots_of(Session& session, const cli::Arguments& arguments) {
  return cat(session.client.locate(arguments.operand(0, "stack")), "/snapshots");
}

int make_snapshot(const cli::Arguments& arguments) {
  Session session(arguments);
  const Json body = {{"name", arguments.value_or("name", "")}};
  const Json made = session.client.call("POST", snapshots_of(session, arguments), body)["snapshot"];
  arguments.has("json") ? cli::print(json_document(made)) : cli::print(cat(made.value("id", ""), "\n"));
  return 0;
}

int list_snapshots(const cli::Arguments& arguments) {
  Session session(arguments);
  const Json found = session.client.call("GET", snapshots_of(session, arguments))["snapshots"];
  if (arguments.has("json")) {
    cli::print(json_document(found));
    return 0;
  }
  std::vector<cli::Row> rows;
  for (const Json& each : found) {
    cli::Row row;
    for (const char* key : {"id", "name", "status", "creation_time"})
      row.push_back(each.contains(key) && each[key].is_string() ? each[key].get<std::string>() : "");
    rows.push_back(std::move(row));
  }
  cli::print(cli::table({"id", "name", "status", "creation_time"}, rows));
  return 0;
}

int restore_snapshot(const cli::Arguments& arguments) {
  Session session(arguments);
  const std::string snapshot = percent_encode(arguments.operand(1, "snapshot"));
  return act_on(session, arguments, arguments.operand(0, "stack"), [&](const std::string& place) {
    session.client.call("POST", cat(place, "/snapshots/", snapshot, "/restore"));
  });
}

int remove_snapshot(const cli::Arguments& arguments) {
  Session session(arguments);
  const std::string& snapshot = arguments.operand(1, "snapshot");
  session.client.call("DELETE", cat(snapshots_of(session, arguments), "/", percent_encode(snapshot)));
  return 0;
}

/// It has the keys of agents and hidden parameters in it.
void write_export(const cli::Arguments& arguments, const Json& exported) {
  const auto file = arguments.value("output");
  if (!file) return cli::print(json_document(exported));
  RealFileSystem().write(*file, json_document(exported), {.mode = 0600});
}

int export_stack(const cli::Arguments& arguments) {
  Session session(arguments);
  write_export(arguments,
               session.client.call("GET", cat(session.client.locate(arguments.operand(0, "stack")), "/export")));
  return 0;
}

/// The export is written before the stack goes, so that a full disk loses nothing.
int abandon(const cli::Arguments& arguments) {
  Session session(arguments);
  const std::string place = session.client.locate(arguments.operand(0, "stack"));
  write_export(arguments, session.client.call("GET", cat(place, "/export")));
  session.client.call("DELETE", cat(place, "/abandon"));
  return 0;
}

int adopt(const cli::Arguments& arguments) {
  const std::string& name = arguments.operand(0, "stack");
  const auto file = arguments.value("adopt-file");
  if (!file) throw Error(ErrorKind::usage, "of which export? give --adopt-file FILE");
  const Json data = parse_json(read_file(*file), *file).value_or_throw();
  Session session(arguments);
  session.client.call("POST", "/stacks", Json({{"stack_name", name}, {"adopt_stack_data", data}}));
  return arguments.has("wait") ? EventLines(session, session.client.locate(name), name).wait() : 0;
}

const cli::Option k_wait{"wait", 0, "", "print events until it is done; exit code 1 when it failed"};
const cli::Option k_export_output{"output", 'o', "FILE", "where the export goes (standard output); mode 0600"};

cli::Command action_row(const char* words, const char* summary, const char* action) {
  return {
      words, "STACK", summary, k_talks_to_service, with_common({k_wait}), [action](const cli::Arguments& arguments) {
        return act(arguments, action);
      }};
}

}  // namespace

std::vector<std::string> waiting_hooks(const std::string& stack, const Json& events) {
  EventPaths paths(stack);
  std::vector<std::pair<std::string, std::string>> waiting;  // by resource
  for (const Json& event : events) {
    const std::string line = paths.line(event);
    const std::string reason = event.value("resource_status_reason", "");
    const std::string resource = cat(href_of(event, "stack"), " ", event.value("resource_name", ""));
    const bool pauses = reason.find(" paused until Hook ") != std::string::npos;
    if (!pauses && !(reason.starts_with("Hook ") && reason.ends_with(" is cleared"))) continue;
    std::erase_if(waiting, [&](const auto& entry) { return entry.first == resource; });
    if (pauses) waiting.emplace_back(resource, line);
  }
  std::vector<std::string> lines;
  for (auto& [resource, line] : waiting) lines.push_back(std::move(line));
  return lines;
}

std::vector<cli::Command> lifecycle_commands() {
  const std::string service = k_talks_to_service;
  const std::string path = cat(service, " RESOURCE may stand in a nested stack: Compute.0.Deployment.");
  return {
      action_row("stack suspend", "run the deployments of SUSPEND", "suspend"),
      action_row("stack resume", "run the deployments of RESUME", "resume"),
      action_row("stack check", "look whether all is as it should be", "check"),
      {"stack rotate", "STACK", "new keys for the agents of a stack's servers",
       cat(service, " Agents get their new key with their next poll, by the one that they have."),
       with_common({{"hours", 0, "HOURS", "how long the former keys hold (168)"}}), rotate_keys},
      {"stack cancel", "STACK", "stop what runs; an update is taken back", service,
       with_common({{"no-rollback", 0, "", "leave an update where it is"}, k_wait}), cancel},
      {"stack signal", "STACK RESOURCE", "signal a deployment or a wait condition's handle", path,
       with_common({{"data", 0, "JSON", "what the signal says ({})"}, {"data-file", 0, "FILE", "a file with that"}}),
       signal},
      {"stack hook list", "STACK", "resources that wait for a hook to be cleared", service, with_common({}),
       list_hooks},
      {"stack hook clear", "STACK RESOURCE", "let a resource go on that waits at a hook", path,
       with_common({{"hook", 0, "HOOK", "pre-create, pre-update, pre-delete, post-create, … (pre-create)"}}),
       clear_hook},
      {"stack snapshot create", "STACK", "keep a stack's definition; prints the id", service,
       with_common({{"name", 0, "TEXT", "what it is called"}}), make_snapshot},
      {"stack snapshot list", "STACK", "the snapshots of a stack", service, with_common({}), list_snapshots},
      {"stack snapshot restore", "STACK SNAPSHOT", "update a stack to what a snapshot says", service,
       with_common({k_wait}), restore_snapshot},
      {"stack snapshot delete", "STACK SNAPSHOT", "delete a snapshot", service, with_common({}), remove_snapshot},
      {"stack export", "STACK", "a stack with its resources and keys, as JSON", service, with_common({k_export_output}),
       export_stack},
      {"stack abandon", "STACK", "export a stack and forget it, leaving all that it is made of", service,
       with_common({k_export_output}), abandon},
      {"stack adopt", "NAME", "make a stack of an export", service,
       with_common({{"adopt-file", 0, "FILE", "what export or abandon wrote"}, k_wait}), adopt}};
}

}  // namespace hearth::metadata::live
