// `hearth node todo`: what people are to do at machines, and that it is done.
#include <set>

#include "base/cli/print.hpp"
#include "base/error.hpp"
#include "base/net/url.hpp"
#include "base/text.hpp"
#include "bootstrap/cli/commands.hpp"
#include "bootstrap/client/conductor_client.hpp"
#include "bootstrap/node/node.hpp"

namespace hearth::bootstrap {

namespace {

int say_done(ConductorClient& conductor, const std::vector<std::string>& nodes) {
  for (const std::string& id : nodes) {
    const Json node = conductor.call("GET", node_target(id));
    const bool due = object_member(node, "driver_internal_info").contains("operator_instruction");
    conductor.call("DELETE", cat("/v1/hearth/instructions/", percent_encode(id)));
    cli::print(cat(due ? "Done at node " : "Nothing was to be done at node ", id, "\n"));
  }
  return 0;
}

int todo(const cli::Arguments& arguments) {
  const std::vector<std::string>& nodes = arguments.operands();
  if (arguments.has("done") && nodes.empty())
    throw Error(ErrorKind::usage, "--done: at which node? 'hearth node todo' lists them");
  const auto conductor = ConductorClient::open(arguments);
  if (arguments.has("done")) return say_done(*conductor, nodes);
  std::set<std::string> asked;
  for (const std::string& id : nodes) asked.insert(text_in(conductor->call("GET", node_target(id)), "uuid"));
  Json list = Json::array();
  const Json all = conductor->call("GET", "/v1/hearth/instructions");
  for (const Json& row : list_member(all, "instructions")) {
    if (asked.empty() || asked.contains(text_in(row, "node"))) list.push_back(row);
  }
  if (arguments.has("json")) {
    cli::print(json_document(list));
    return 0;
  }
  if (list.empty())
    cli::print(cat("There is nothing to do at ", nodes.empty() ? "the machines" : join(nodes, ", "), ".\n"));
  for (const Json& row : list) {
    cli::print(cat(text_in(row, "text"), " (until ", replace_all(text_in(row, "deadline").substr(0, 19), "T", " "),
                   " UTC; when it is done: hearth node todo ", text_in(row, "name"), " --done)\n"));
  }
  return 0;
}

}  // namespace

cli::Command todo_command() {
  return {"node todo",
          "[NODE…]",
          "print what people are to do at machines, all or these",
          "",
          with_client({{"done", 0, "", "it is done at these"}, {"json", 0, "", "as JSON"}}),
          todo};
}

}  // namespace hearth::bootstrap
