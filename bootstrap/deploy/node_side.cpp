#include "bootstrap/deploy/node_side.hpp"

#include "base/cli/table.hpp"
#include "base/error.hpp"
#include "base/net/url.hpp"
#include "base/text.hpp"
#include "bootstrap/client/node_text.hpp"
#include "bootstrap/deploy/choice.hpp"
#include "bootstrap/deploy/first_boot.hpp"
#include "bootstrap/node/node.hpp"

namespace hearth::bootstrap {

namespace {

constexpr const char* k_stack = "hearth_stack";

std::string node_path(const Json& node, const std::string& rest) {
  return cat("/v1/nodes/", text_in(node, "uuid"), rest);
}

/// Whether the engine waits for the machine of this server.
bool is_wanted(const Json& server) {
  return server.value("is_machine", false) && text_in(server, "status") == "IN_PROGRESS" &&
         server.value("machine", Json()).is_null();
}

const Json* with_uuid(const Json& nodes, const std::string& uuid) {
  for (const Json& node : nodes) {
    if (text_in(node, "uuid") == uuid) return &node;
  }
  return nullptr;
}

/// What people want to see of the nodes' events while they wait.
bool is_news(const Json& event) {
  static const std::set<std::string> kinds = {"state",   "power",   "instruction", "reminder",   "retry",
                                              "restart", "failure", "refused",     "maintenance"};
  return kinds.contains(text_in(event, "kind"));
}

}  // namespace

void NodeSide::begin() { last_event_ = conductor_.call("GET", "/v1/hearth/events?newest=true&limit=1")["last"]; }

void NodeSide::tell_events() {
  const Json found = conductor_.call("GET", cat("/v1/hearth/events?limit=1000&after=", last_event_));
  for (const Json& event : found["events"]) {
    last_event_ = event.value("id", last_event_);
    if (is_news(event)) tell_(cat(event_line(event), "\n"), "node", event);
  }
}

void NodeSide::check_image() {
  if (settings_.image.empty()) return;
  for (const Json& node : conductor_.rows("/v1/nodes/detail", "nodes")) {  // as image_info() takes it
    if (text_in(node.value("instance_info", Json::object()), "image_source") == settings_.image) return;
  }
  static_cast<void>(registered_image(settings_.image, ""));
}

NodeSide::Standing NodeSide::standing() {
  Standing now;
  for (const Json& node : conductor_.rows("/v1/nodes/detail", "nodes")) {
    if (text_in(node.value("instance_info", Json::object()), k_stack) != settings_.stack) continue;
    if (text_in(node, "provision_state") == "active")
      ++now.active;
    else
      now.waits.push_back(node_line(node_title(node), node));
  }
  return now;
}

std::string NodeSide::table() {
  return node_table(conductor_.rows("/v1/nodes/detail", "nodes"), false, 0, cli::table_room());
}

void NodeSide::step() {
  Json wanted = Json::array();
  for (const Json& server : stack_.servers()) {
    if (is_wanted(server) && !reported_.contains(text_in(server, "id"))) wanted.push_back(server);
  }
  if (wanted.empty()) return;
  const Json nodes = conductor_.rows("/v1/nodes/detail", "nodes");
  tell_milestone(nodes);
  const Choice choice = choose_nodes(wanted, nodes);
  for (const Json& server : wanted) {
    const std::string id = text_in(server, "id");
    if (const auto refused = choice.refused.find(id); refused != choice.refused.end()) {
      fail(server, refused->second);
    } else if (const auto waits = choice.waits.find(id); waits != choice.waits.end()) {
      if (waits_[id] != waits->second) {
        tell_(cat("Server ", text_in(server, "name"), " waits for a node: ", waits->second, "\n"), "node", Json());
      }
      waits_[id] = waits->second;
    } else if (const Json* node = with_uuid(nodes, choice.nodes.at(id))) {
      look_at(server, *node);
    }
  }
}

/// The table, once all machines that were begun wait for their ramdisk: when people without power management go and
/// switch them on.
void NodeSide::tell_milestone(const Json& nodes) {
  if (started_.size() <= shown_) return;
  for (const Json& node : nodes) {
    if (started_.contains(text_in(node, "instance_uuid")) && text_in(node, "provision_state") != "wait call-back")
      return;
  }
  shown_ = started_.size();
  tell_(cat("The machines of ", shown_, shown_ == 1 ? " server waits" : " servers wait",
            " for their ramdisk; one without a BMC is to be switched on now (hearth node todo):\n",
            node_table(nodes, false, 0, cli::table_room())),
        "node", Json());
}

void NodeSide::look_at(const Json& server, const Json& node) {
  const std::string id = text_in(server, "id");
  const State state = parse_state(text_in(node, "provision_state")).value_or(State::error);
  const bool begun = started_.contains(id);
  if (state == State::active && text_in(node, "instance_uuid") == id) {
    stack_.machine_came(id, machine_of(node));
    reported_.insert(id);
    return;
  }
  if (state == State::available || (kind_of(state) == StateKind::failed && !begun) ||
      (state == State::error && !begun)) {
    if (!begun) start(server, node);
    return;
  }
  if (kind_of(state) == StateKind::failed || state == State::error) {
    fail(server, cat("node ", node_title(node), " is ", name(state), ": ", text_in(node, "last_error")));
    return;
  }
  if (kind_of(state) == StateKind::stable) {
    fail(server, cat("node ", node_title(node), " is ", name(state), ", where it can't be deployed"));
  }
}

Json NodeSide::image_info(const Json& server, const Json& before) {
  const std::string image = image_of(server, settings_.image);
  const std::string own = text_in(before, "image_source");
  if (!own.empty() && (image.empty() || image == own)) return before;  // the inventory says which
  if (image.empty()) {
    throw Error(ErrorKind::input, cat("server ", text_in(server, "name"), " names no image"))
        .hint("give --image NAME, or the property image");
  }
  return registered_image(image, cat(" for server ", text_in(server, "name")));
}

Json NodeSide::registered_image(const std::string& image, const std::string& wanted_by) {
  if (image.find("://") != std::string::npos) return {{"image_source", image}};
  try {
    const Json known = conductor_.call("GET", cat("/v1/hearth/images/", percent_encode(image)));
    Json info = Json::object();
    for (const char* key : {"image_source", "image_os_hash_algo", "image_os_hash_value", "image_disk_format"}) {
      if (known.contains(key)) info[key] = known[key];
    }
    return info;
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::not_found) throw;
    throw Error(
        ErrorKind::not_found,  // as the reason of a stack, which has no place for a hint
        cat("there is no image ", image, wanted_by, ": `hearth image load FILE --name ", image, "` registers it"));
  }
}

Json NodeSide::role_of_node(const Json& node) {
  for (const auto& [key, value] : parse_capabilities(text_in(node["properties"], "capabilities"))) {
    if (key != "profile") continue;
    const Json roles = conductor_.call("GET", "/v1/hearth/roles")["roles"];
    for (const Json& role : roles) {
      if (text_in(role, "name") == value) return role;
    }
  }
  return Json::object();
}

void NodeSide::start(const Json& server, const Json& node) {
  const std::string id = text_in(server, "id");
  try {
    const Json before = node.value("instance_info", Json::object());
    Json info = image_info(server, before);
    info[k_stack] = settings_.stack;
    info["display_name"] = text_in(server, "name");
    for (const auto& [key, value] : before.items()) {  // what an inventory gave stays, but another image's digest
      if (!info.contains(key) && key.rfind("image_", 0) != 0) info[key] = value;
    }
    info.erase("configdrive");
    const Json patch = {{{"op", "add"}, {"path", "/instance_info"}, {"value", info}},
                        {{"op", "add"}, {"path", "/instance_uuid"}, {"value", id}}};
    conductor_.call("PATCH", node_path(node, ""), patch);
    const Json drive = first_boot_contents(stack_.server(id), node, role_of_node(node));
    conductor_.call("PUT", node_path(node, "/states/provision"), {{"target", "active"}, {"configdrive", drive}});
    tell_(cat("Server ", text_in(server, "name"), " becomes node ", node_title(node), ".\n"), "node", Json());
    started_.insert(id);
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::io) throw;  // the seed is gone for a while: no fault of the node
    fail(server, cat("node ", node_title(node), " can't be deployed: ", error.what()));
  }
}

void NodeSide::fail(const Json& server, const std::string& why) {
  tell_(cat("Server ", text_in(server, "name"), " failed: ", why, "\n"), "node", Json());
  stack_.machine_failed(text_in(server, "id"), why);
  reported_.insert(text_in(server, "id"));
}

void NodeSide::release_leftovers() {
  std::set<std::string> servers;
  for (const Json& server : stack_.servers()) servers.insert(text_in(server, "id"));
  const Json nodes = conductor_.rows("/v1/nodes/detail", "nodes");
  for (const Json& node : nodes) {
    const Json info = node.value("instance_info", Json::object());
    if (text_in(info, k_stack) != settings_.stack || servers.contains(text_in(node, "instance_uuid"))) continue;
    const State state = parse_state(text_in(node, "provision_state")).value_or(State::error);
    if (!after(state, Verb::undeploy)) continue;
    tell_(cat("Node ", node_title(node), " is no longer in the stack: it is taken out of use.\n"), "node", Json());
    conductor_.call("PUT", node_path(node, "/states/provision"), {{"target", "deleted"}});
  }
}

}  // namespace hearth::bootstrap
