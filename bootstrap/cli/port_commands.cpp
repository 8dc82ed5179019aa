// `hearth node port …`: a node's cards. A replaced one leaves its former address behind, which no import takes away.
#include <algorithm>

#include "base/cli/print.hpp"
#include "base/cli/table.hpp"
#include "base/error.hpp"
#include "base/net/url.hpp"
#include "base/text.hpp"
#include "bootstrap/cli/commands.hpp"
#include "bootstrap/client/conductor_client.hpp"
#include "bootstrap/client/node_text.hpp"
#include "bootstrap/node/node.hpp"
#include "pxe/net/address.hpp"

namespace hearth::bootstrap {

namespace {

Json ports_of(ConductorClient& conductor, const std::string& node) {
  return list_member(conductor.call("GET", node_target(node, "/ports/detail")), "ports");
}

int list_ports_command(const cli::Arguments& arguments) {
  const auto conductor = ConductorClient::open(arguments);
  const Json ports = ports_of(*conductor, arguments.operand(0, "node"));
  if (arguments.has("json")) {
    cli::print(json_document(ports));
    return 0;
  }
  std::vector<cli::Row> rows;
  for (const Json& port : ports)
    rows.push_back({text_in(port, "address"), shown_value(member_or_null(port, "pxe_enabled")), text_in(port, "uuid")});
  cli::print(cli::table({"MAC", "Boots", "UUID"}, rows, cli::table_room()));
  return 0;
}

/// The port of that card; the error names those that there are.
std::string port_uuid(const Json& ports, const std::string& node, const std::string& card) {
  const std::optional<pxe::Mac> mac = pxe::parse_mac(card);
  if (!mac) throw Error(ErrorKind::usage, cat("'", card, "' is no MAC address: NODE MAC… is expected"));
  std::vector<std::string> cards;
  for (const Json& port : ports) {
    cards.push_back(text_in(port, "address"));
    if (cards.back() == pxe::to_text(*mac)) return text_in(port, "uuid");
  }
  throw Error(ErrorKind::not_found,
              cat(node, " has no card ", pxe::to_text(*mac), cards.empty() ? "" : cat("; it has ", join(cards, ", "))));
}

int delete_port_command(const cli::Arguments& arguments) {
  const std::vector<std::string>& words = arguments.operands();
  const std::string& node = arguments.operand(0, "node");
  static_cast<void>(arguments.operand(1, "card of it (MAC)"));
  const auto conductor = ConductorClient::open(arguments);
  const Json ports = ports_of(*conductor, node);
  std::vector<std::string> uuids;
  for (std::size_t i = 1; i < words.size(); ++i) uuids.push_back(port_uuid(ports, node, words[i]));
  for (std::size_t i = 0; i < uuids.size(); ++i) {
    conductor->call("DELETE", cat("/v1/ports/", percent_encode(uuids[i])));
    cli::print(cat("Node ", node, " has no card ", words[i + 1], " any more\n"));
  }
  if (uuids.size() == ports.size())
    cli::tell(cat("note: ", node, " has no card left: nothing on the network is known to be its machine; a file that ",
                  "names one gives it (hearth node import)\n"));
  return 0;
}

}  // namespace

std::vector<cli::Command> port_commands() {
  return {{"node port list", "NODE", "print a node's cards, and which of them boot from the network", "",
           with_client({{"json", 0, "", "print JSON"}}), list_ports_command},
          {"node port delete", "NODE MAC…", "take cards from a node that are no longer in its machine",
           "New ones come with the inventory: hearth node import.\n\nExample: hearth node port delete web1 "
           "52:54:00:00:00:01",
           with_client({}), delete_port_command}};
}

}  // namespace hearth::bootstrap
