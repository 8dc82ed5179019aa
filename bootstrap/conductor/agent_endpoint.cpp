#include "bootstrap/conductor/agent_endpoint.hpp"

#include <algorithm>

#include "base/check.hpp"
#include "base/hmac.hpp"
#include "base/net/url.hpp"
#include "base/sys/file.hpp"
#include "base/sys/random.hpp"
#include "base/text.hpp"
#include "bootstrap/conductor/callback.hpp"
#include "bootstrap/conductor/inspection.hpp"
#include "bootstrap/conductor/lldp.hpp"
#include "bootstrap/node/shown.hpp"
#include "pxe/net/address.hpp"

namespace hearth::bootstrap {

namespace {

constexpr const char* k_not_found = "Resource could not be found.";

std::string canonical(const std::string& text) {
  const std::optional<pxe::Mac> mac = pxe::parse_mac(trim(text));
  return mac ? pxe::to_text(*mac) : "";
}

Json agent_config(const Settings& settings, const std::string& token) {
  return {{"heartbeat_timeout", settings.heartbeat_interval.count()},
          {"agent_token", token},
          {"agent_token_required", true},
          {"metrics",
           {{"backend", "noop"},
            {"prepend_host", false},
            {"prepend_uuid", false},
            {"prepend_host_reverse", true},
            {"global_prefix", nullptr}}},
          {"metrics_statsd", {{"statsd_host", "localhost"}, {"statsd_port", 8125}}},
          {"disable_deep_image_inspection", false},
          {"permitted_image_formats", {"raw", "qcow2", "iso"}},
          {"enable_bios_bootloader_install", true}};
}

/// Before its machine is switched on for the job, who asks is the machine of before: it is about to be switched off,
/// and would take the token with it.
bool is_of_before(const Node& node) {
  return node.job.running() && node.job.stage &&
         (!boots_ramdisk(*node.job.stage) || node.job.stage == Stage::boot_network);
}

}  // namespace

void heard_from(Ledger& ledger, Node& node, const std::string& how) {
  node.seen = ledger.now();
  node.seen_how = how;
  node.observed = Power::on;
  const std::string& action = node.instruction.action;
  if (action == "power-on-network" || action == "power-on-disk" || action == "reset")
    lift_instruction(ledger, node, how);
}

const Node* AgentEndpoint::who(const std::vector<std::string>& macs, const std::string& uuid) const {
  if (!uuid.empty()) return parts_.ledger.find(uuid);
  for (const std::string& mac : macs) {
    if (const Node* node = parts_.ledger.by_mac(mac)) return node;
  }
  return nullptr;
}

void AgentEndpoint::refused(const std::string& key, const std::string& text) {
  const Stamp now = parts_.ledger.now();
  Stamp& last = refused_[key];
  if (last != 0 && now - last < microseconds(Seconds(600))) return;
  last = now;
  if (refused_.size() > 4096) refused_.clear();
  if (!refusals_.take(MonotonicTime(std::chrono::microseconds(now)))) return;
  const std::uint64_t untold = refusals_.untold();
  parts_.ledger.record_site("refused",
                            untold == 0 ? text : cat(text, " (and ", untold, " others were refused untold)"));
}

void AgentEndpoint::check_neighbour(const Node& node, const std::string& peer) {
  const std::optional<std::string> card = leases_ ? leases_(plain_address(peer)) : std::nullopt;
  if (!card || node.has_mac(*card)) return;
  const Json inspected = node.internal.value("inspected_macs", Json::array());
  if (std::find(inspected.begin(), inspected.end(), Json(*card)) != inspected.end()) return;
  refused(
      cat(node.uuid, " ", *card),
      cat("node ", node.title(), ": ", peer, " speaks for it, but that address is leased to ", *card,
          ", which is none of its ports: another machine, or a card to be added (openstack baremetal port create)"));
  throw Refusal(404, k_not_found);
}

void AgentEndpoint::check_token(const Node& node, const Json& body) {
  const std::string known = text_in(node.internal, "agent_secret_token");
  if (!known.empty() && equal_in_constant_time(text_in(body, "agent_token"), known)) return;
  refused(cat(node.uuid, " token"), cat("node ", node.title(), ": a call-back without its token was refused: ",
                                        "another machine, or one that has booted a second time"));
  throw Refusal(400, "Invalid or missing agent token received.");
}

std::string AgentEndpoint::token_for(Node& node) {
  const std::string known = text_in(node.internal, "agent_secret_token");
  if (known.empty()) {
    const std::string token = random_hex(32);
    node.internal["agent_secret_token"] = token;
    node.internal["agent_secret_token_pregenerated"] = false;
    told_[node.uuid] = token;
    parts_.ledger.record(node, "agent", "the deploy ramdisk is up; it has got its token");
    return token;
  }
  const bool called_back = !text_in(node.internal, "agent_url").empty();
  const auto told = told_.find(node.uuid);
  if (!called_back && (told == told_.end() || told->second != known)) {
    // Bound by the conductor before this one, which may have been killed before the answer left.
    told_[node.uuid] = known;
    parts_.ledger.record(node, "agent",
                         "the deploy ramdisk asks again after a restart of the conductor; its token is told again");
    return known;
  }
  refused(cat(node.uuid, " second"),
          cat("node ", node.title(),
              ": a second look-up gets no token: another machine with its address, or an agent that was restarted"));
  return "******";
}

Json AgentEndpoint::look_up(const std::vector<std::string>& addresses, const std::string& node_uuid,
                            const std::string& base, const std::string& peer) {
  std::vector<std::string> macs;
  for (const std::string& address : addresses) {
    const std::string mac = canonical(address);
    if (!mac.empty()) macs.push_back(mac);
  }
  const Node* found = who(macs, node_uuid);
  if (found == nullptr) {
    refused(join(macs, ","),
            cat("a machine that is in no inventory asks for its orders: ", join(macs, ", "), node_uuid));
    throw Refusal(404, k_not_found);
  }
  if (!expects_agent(found->state)) {
    refused(found->uuid, cat("node ", found->title(), " asks for orders, but is ", name(found->state),
                             ": has it booted the ramdisk by itself?"));
    throw Refusal(404, k_not_found);
  }
  if (is_of_before(*found)) throw Refusal(404, k_not_found);
  check_neighbour(*found, peer);
  Node& node = parts_.ledger.edit(found->uuid);
  heard_from(parts_.ledger, node, "its agent looked it up");
  const std::string token = token_for(node);
  hearth::check(expects_agent(node.state) && !token.empty(),
                "orders and a token are for a machine that is to have them", "node", node.uuid, "state",
                name(node.state));
  const Json shown = shown_node(node, {base, parts_.settings.host, 82});
  Json brief = Json::object();
  for (const char* key : {"uuid", "properties", "instance_info", "driver_internal_info", "links"})
    brief[key] = shown[key];
  Json config = agent_config(parts_.settings, token);
  config["hearth"] = {{"progress_url", cat(base, "/v1/hearth/progress")}};
  return {{"node", brief}, {"config", config}};
}

void AgentEndpoint::heartbeat(const std::string& id, const Json& body, const std::string& peer) {
  const Node* found = parts_.ledger.find(id);
  if (found == nullptr) throw Refusal(404, cat("Node ", id, " could not be found."));
  check_token(*found, body);
  if (!expects_agent(found->state) && found->state != State::rescue) throw Refusal(404, k_not_found);
  const std::string url = text_in(body, "callback_url");
  const std::string before = text_in(found->internal, "agent_url");
  if (url.empty()) throw Refusal(400, "callback_url is missing");
  if (const std::string fault = callback_fault(url, peer); !fault.empty()) {
    refused(cat(found->uuid, " url"), cat("node ", found->title(), ": its agent was not taken: callback_url: ", fault));
    throw Refusal(400, cat("callback_url: ", fault));
  }
  if (!before.empty() && before != url) {
    refused(cat(found->uuid, " url"),
            cat("node ", found->title(), ": a call-back from ", url, " was refused: its agent is at ", before));
    throw Refusal(400, "Detected change in ramdisk provided \"callback_url\"");
  }
  Node& node = parts_.ledger.edit(found->uuid);
  hearth::check(before.empty() || before == url, "an agent stays where it has called back from first", "node",
                node.uuid, "before", before, "now", url);
  node.internal["agent_url"] = url;
  if (const Result<Url> parts = parse_url(url)) node.internal["last_address"] = parts->host;  // outlives the agent
  node.internal["agent_last_heartbeat"] = stamp_json(parts_.ledger.now());
  if (body.contains("agent_version")) node.internal["agent_version"] = body["agent_version"];
  const std::string certificate = text_in(body, "agent_verify_ca");
  if (!certificate.empty() && text_in(node.internal, "agent_verify_ca") != certificate) {
    RealFileSystem().write(parts_.directory / cat(node.uuid, ".pem"), certificate,
                           {.mode = 0600, .uid = {}, .gid = {}});
    node.internal["agent_verify_ca"] = certificate;
  }
  const std::string message = text_in(body, "agent_status_message");
  if (!message.empty()) node.internal["agent_status_message"] = message;
  if (text_in(body, "agent_status") == "error")
    parts_.ledger.record(node, "agent", cat("the agent reports: ", message));
  heard_from(parts_.ledger, node, "its agent called back");
  if (before.empty()) parts_.ledger.record(node, "agent", cat("called back from ", url));
  jobs_.agent_called(node);
}

Json AgentEndpoint::progress(const Json& body, const std::string& peer) {
  const Node* found = parts_.ledger.find(text_in(body, "node_uuid"));
  const std::string known = found == nullptr ? "" : text_in(found->internal, "agent_secret_token");
  if (known.empty() || !equal_in_constant_time(text_in(body, "agent_token"), known))
    throw Refusal(400, "Invalid or missing agent token received.");
  check_neighbour(*found, peer);
  if (found->job.stage != Stage::write_image) return nullptr;  // a late one
  Json told = Json::object();
  for (const char* key : {"fetched", "to_fetch", "written"}) {
    if (body.contains(key) && body[key].is_number_integer() && body[key] >= 0) told[key] = body[key];
  }
  parts_.ledger.passing(found->uuid).progress = std::move(told);
  if (!body.contains("faults")) return nullptr;
  return {{"peers", jobs_.spreading().peers_of_report(*found, body["faults"])}};
}

Json AgentEndpoint::inspected(const Json& data, const std::string& node_uuid, const std::string& peer) {
  if (!data.is_object()) throw Refusal(400, "the inspection's result is no object");
  const Node* found = who(inspected_macs(data), node_uuid);
  if (found == nullptr) {
    refused(join(inspected_macs(data), ","), cat("a machine that is in no inventory was inspected: ",
                                                 join(inspected_macs(data), ", "), ", BMC ", inspected_bmc(data)));
    throw Refusal(404, k_not_found);
  }
  if (found->state != State::inspecting && found->state != State::inspect_wait) throw Refusal(404, k_not_found);
  check_neighbour(*found, peer);
  if (!text_in(found->internal, "agent_secret_token").empty()) check_token(*found, data);
  Node& node = parts_.ledger.edit(found->uuid);
  heard_from(parts_.ledger, node, "its inspection came in");
  parts_.ledger.store().put_document(cat("introspection/", node.uuid),
                                     {{"data", data}, {"finished_at", stamp_json(parts_.ledger.now())}});
  const std::string error = text_in(data, "error");
  if (!error.empty()) {
    fail(parts_.ledger, node, cat("The inspection ended with an error: ", error));
    return {{"uuid", node.uuid}};
  }
  apply_inspection(node, data);
  apply_lldp(node, data);
  parts_.ledger.record(node, "agent", "inspected", node.properties);
  if (const std::string mac = inspected_boot_mac(data); !mac.empty() && !node.has_mac(mac)) {
    parts_.ledger.record(node, "agent",
                         cat("it says that it boots from ", mac,
                             ", which is none of its ports; they stay as "
                             "they are (openstack baremetal port create ",
                             mac, " adds it)"));
  }
  jobs_.inspected(node);
  return {{"uuid", node.uuid}};
}

}  // namespace hearth::bootstrap
