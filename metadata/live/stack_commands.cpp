#include "metadata/live/stack_commands.hpp"

#include "base/cli/print.hpp"
#include "base/error.hpp"
#include "base/net/url.hpp"
#include "base/sys/file.hpp"
#include "base/sys/process.hpp"
#include "base/text.hpp"
#include "metadata/live/agent_config.hpp"
#include "metadata/live/lifecycle_commands.hpp"
#include "metadata/live/stack_failures.hpp"
#include "metadata/live/stack_session.hpp"
#include "metadata/live/stack_text.hpp"
#include "metadata/live/upload.hpp"

namespace hearth::metadata::live {

namespace {

/// With --existing the template may be left out: the stack keeps its own.
Json definition(const cli::Arguments& arguments) {
  UploadRequest request;
  request.name = arguments.operand(0, "stack");
  for (const std::string& environment : arguments.values("environment")) request.environments.emplace_back(environment);
  request.parameters = arguments.values("parameter");
  const std::optional<std::string> file = arguments.value("template");
  if (!file && !arguments.has("existing")) {
    throw Error(ErrorKind::usage, "--template is needed")
        .hint("a stack that is there keeps its own by: hearth stack update STACK --existing");
  }
  if (!file && !request.environments.empty())
    throw Error(ErrorKind::usage, "an environment is read with its template: give --template, too");
  if (!file) return make_changes(request);
  request.template_file = *file;
  const RealFileSystem files;
  return make_upload(request, files);
}

Json upload(const cli::Arguments& arguments) {
  Json body = definition(arguments);
  if (const auto way = arguments.value("on-failure")) body["on_failure"] = *way;
  if (const auto minutes = arguments.value("timeout")) body["timeout_mins"] = *minutes;
  if (arguments.has("enable-rollback")) body["disable_rollback"] = false;
  if (const auto tags = arguments.value("tags")) body["tags"] = *tags;
  return body;
}

void print_stack(Session& session, const cli::Arguments& arguments, const std::string& place) {
  const Json stack = session.client.part(cat(place, "?resolve_outputs=False"), "stack");
  arguments.has("json") ? cli::print(json_document(stack)) : cli::print(stack_fields(stack));
}

int create(const cli::Arguments& arguments) {
  const Json body = upload(arguments);
  Session session(arguments);
  if (arguments.has("dry-run")) {
    const Json planned = session.client.call("POST", "/stacks/preview", body)["stack"]["resources"];
    arguments.has("json") ? cli::print(json_document(planned)) : cli::print(planned_table(planned));
    return 0;
  }
  const Json made = session.client.call("POST", "/stacks", body);
  const std::string name = body.value("stack_name", "");
  const std::string place = cat("/stacks/", name, "/", made["stack"]["id"].get<std::string>());
  if (arguments.has("wait")) return EventLines(session, place, name).wait();
  print_stack(session, arguments, place);
  return 0;
}

int resource_show(const cli::Arguments& arguments) {
  Session session(arguments);
  const std::string place = session.client.locate(arguments.operand(0, "stack"));
  const std::string& name = arguments.operand(1, "resource");
  const Json resource = session.client.part(cat(place, "/resources/", percent_encode(name)), "resource");
  arguments.has("json") ? cli::print(json_document(resource)) : cli::print(resource_fields(resource));
  return 0;
}

int update(const cli::Arguments& arguments) {
  const Json body = upload(arguments);
  const char* method = arguments.has("existing") ? "PATCH" : "PUT";
  Session session(arguments);
  return act_on(session, arguments, body.value("stack_name", ""), [&](const std::string& place) {
    if (!arguments.has("dry-run")) {
      session.client.call(method, place, body);
      if (!arguments.has("wait")) print_stack(session, arguments, place);
      return;
    }
    const Json changes = session.client.call(method, cat(place, "/preview?show_nested=True"), body)["resource_changes"];
    arguments.has("json") ? cli::print(json_document(changes)) : cli::print(change_table(changes));
  });
}

int erase(const cli::Arguments& arguments) {
  Session session(arguments);
  return act_on(session, arguments, arguments.operand(0, "stack"),
                [&](const std::string& place) { session.client.call("DELETE", place); });
}

int list(const cli::Arguments& arguments) {
  Session session(arguments);
  const Json stacks = session.client.part(arguments.has("nested") ? "/stacks?show_nested=True" : "/stacks", "stacks");
  arguments.has("json") ? cli::print(json_document(stacks)) : cli::print(stack_table(stacks));
  return 0;
}

int show(const cli::Arguments& arguments) {
  Session session(arguments);
  const Json stack = session.client.part(cat("/stacks/", percent_encode(arguments.operand(0, "stack"))), "stack");
  if (arguments.has("json")) {
    cli::print(json_document(stack));
    return 0;
  }
  const std::string place = cat("/stacks/", stack.value("stack_name", ""), "/", stack.value("id", ""));
  const bool waits = stack.value("stack_status", "").find("_IN_PROGRESS") != std::string::npos;
  cli::print(stack_fields(
      stack, waits ? session.client.part(cat(place, "/resources?nested_depth=9"), "resources") : Json::array()));
  return 0;
}

int resource_list(const cli::Arguments& arguments) {
  Session session(arguments);
  const std::string depth = arguments.value_or("nested-depth", "0");
  const std::string place = session.client.locate(arguments.operand(0, "stack"));
  const Json resources = session.client.part(cat(place, "/resources?nested_depth=", depth), "resources");
  arguments.has("json") ? cli::print(json_document(resources)) : cli::print(resource_table(resources, depth != "0"));
  return 0;
}

int resource_metadata(const cli::Arguments& arguments) {
  Session session(arguments);
  const std::string place = session.client.locate(arguments.operand(0, "stack"));
  const std::string& name = arguments.operand(1, "resource");
  const std::string resource = cat(place, "/resources/", percent_encode(name));
  const Json metadata = session.client.part(cat(resource, "/metadata"), "metadata");
  cli::print(json_document(metadata));
  if (metadata.empty() &&
      !hearth::text_member(session.client.part(resource, "resource"), "resource_type").ends_with("Server"))
    cli::tell(cat("note: ", name, " is no server: what agents get is the metadata of their servers\n"));
  return 0;
}

int event_list(const cli::Arguments& arguments) {
  Session session(arguments);
  const std::string& name = arguments.operand(0, "stack");
  const std::string place = session.client.locate(name);
  if (arguments.has("json")) {
    cli::print(json_document(session.client.part(cat(place, "/events?nested_depth=9&sort_dir=asc"), "events")));
    return 0;
  }
  const bool once = !arguments.has("follow");
  EventLines(session, place, name).follow([once] { return once; });
  return 0;
}

int output_show(const cli::Arguments& arguments) {
  Session session(arguments);
  const std::string place = session.client.locate(arguments.operand(0, "stack"));
  const std::string& key = arguments.operand(1, "output");
  const Json output = session.client.part(cat(place, "/outputs/", percent_encode(key)), "output");
  if (arguments.has("json")) {
    cli::print(json_document(output));
    return 0;
  }
  const Json& value = output["output_value"];
  cli::print_exact(cat(value.is_string() ? value.get<std::string>() : format_json(value, {.indent = 2}), "\n"));
  return 0;
}

int failures_list(const cli::Arguments& arguments) {
  Session session(arguments);
  const std::string& name = arguments.operand(0, "stack");
  cli::print(failures_text(session.client, session.client.locate(name), name));
  return 0;
}

int agent_config(const cli::Arguments& arguments) {
  Session session(arguments);
  RealRunner runner(session.clock);
  const std::string& ca_file = session.client.service().ca_file;
  const AgentConfigRequest request{arguments.value_or("stack", "overcloud"), arguments.has("install"),
                                   arguments.value_or("user", ""), arguments.value_or("key", ""),
                                   ca_file.empty() ? "" : RealFileSystem().read(ca_file).value_or("")};
  return run_agent_config(request, {session.client, runner, session.clock, current_environment()});
}

std::vector<cli::Option> definition_options() {
  return with_common({{"template", 't', "FILE", "the template"},
                      {"environment", 'e', "FILE", "an environment; later ones win"},
                      {"parameter", 'P', "NAME=VALUE", "a parameter"},
                      {"timeout", 0, "MINUTES", "how long it may take (60)"},
                      {"on-failure", 0, "abort|continue", "whether a failure ends all that runs beside it (abort)"},
                      {"enable-rollback", 0, "", "go back when it fails"},
                      {"tags", 0, "A,B", "tags of the stack"},
                      {"wait", 0, "", "print events until it is done; exit code 1 when it failed"},
                      {"dry-run", 0, "", "only tell what would be done, resource by resource"}});
}

std::vector<cli::Option> update_options() {
  std::vector<cli::Option> options = definition_options();
  options.insert(options.begin(), {"existing", 'x', "", "keep what is not given: template, environments, parameters"});
  return options;
}

}  // namespace

std::vector<cli::Command> stack_commands() {
  const std::string service = k_talks_to_service;
  std::vector<cli::Command> rows = {
      {"stack create", "NAME", "make a stack of a template", service, definition_options(), create},
      {"stack update", "STACK", "bring a stack to what a template says now",
       cat(service,
           "\n\nExample, one value changed, first only looked at: hearth stack update web --existing -P "
           "listen=9090 --dry-run"),
       update_options(), update},
      {"stack delete", "STACK", "delete a stack", service, with_common({{"wait", 0, "", "until it is gone"}}), erase},
      {"stack list", "", "the stacks", service, with_common({{"nested", 0, "", "nested ones, too"}}), list},
      {"stack show", "STACK", "one stack with its outputs", service, with_common({}), show},
      {"stack resource show", "STACK RESOURCE", "one resource: its state, and what it waits for", service,
       with_common({}), resource_show},
      {"stack resource list", "STACK", "a stack's resources", service,
       with_common({{"nested-depth", 'n', "DEPTH", "those of nested stacks, too"}}), resource_list},
      {"stack resource metadata", "STACK RESOURCE", "what a server's agent gets", service, with_common({}),
       resource_metadata},
      {"stack event list", "STACK", "what happened", service,
       with_common({{"follow", 0, "", "and what happens, until interrupted"}}), event_list},
      {"stack output show", "STACK OUTPUT", "an output's value", service, with_common({}), output_show},
      {"stack failures list", "STACK", "what failed, with the output of scripts", service, with_common({}),
       failures_list},
      {"stack agent-config", "", "print or install the agents' configuration on servers that are deployed already",
       "Reads OVERCLOUD_ROLES (\"Controller Compute …\") and for each role ROLE_hosts, its servers' addresses in the "
       "order of the group's members, as the field's script does. Prints /etc/os-collect-config.conf for each; with "
       "--install, checks that each server reaches this service, writes it there over ssh and restarts the agent; "
       "the authority that --ca-file names goes there, too, as /etc/hearth/authority.pem.",
       with_common({{"stack", 0, "STACK", "the stack (overcloud)"},
                    {"install", 0, "", "install over ssh in place of printing"},
                    {"user", 0, "USER", "log in as USER"},
                    {"key", 0, "FILE", "ssh key (SUBNODES_SSH_KEY)"}}),
       agent_config}};
  for (cli::Command& row : lifecycle_commands()) rows.push_back(std::move(row));
  return cli::answered_by("a stack service", std::move(rows));
}

}  // namespace hearth::metadata::live
