// /v1/hearth: what Ironic's API has no words for: whole inventories, the event log, instructions to people, images,
// roles.
#include <algorithm>
#include <set>

#include "base/sys/file.hpp"
#include "base/sys/file_digest.hpp"
#include "base/text.hpp"
#include "bootstrap/api/image_evidence.hpp"
#include "bootstrap/api/ironic_api.hpp"
#include "bootstrap/conductor/boot_records.hpp"
#include "bootstrap/gate/answer.hpp"
#include "bootstrap/handover/handover.hpp"
#include "bootstrap/inventory/matching.hpp"
#include "bootstrap/node/capabilities.hpp"
#include "bootstrap/power/redfish_session.hpp"

namespace hearth::bootstrap {

namespace {

/// "may": what his token allows; "role": what this request may, which is less where a cookie alone sends it.
Json who_is(const Caller& caller) {
  return {{"name", caller.name}, {"role", name_of(caller.role)}, {"may", name_of(std::max(caller.role, caller.may))}};
}

/// In Ironic's own words, as another owner can use it: the password in place of the file that holds it here, a BMC's
/// address whole, its system by its path.
Json told_driver_info(const Node& node) {
  constexpr std::string_view k_file = "_file";
  constexpr std::size_t k_longest_password = 4096;
  Json told = node.driver_info;
  if (!node.info("redfish_address").empty()) told["redfish_address"] = redfish_url(node);
  told.erase("redfish_port");
  const std::string system = node.info("redfish_system_id");
  if (!system.empty() && system.front() != '/') told["redfish_system_id"] = cat("/redfish/v1/Systems/", system);
  for (const std::string key : {"ipmi_password_file", "redfish_password_file"}) {  // those that drivers read
    const std::string file = node.info(key);
    if (file.empty()) continue;
    try {
      told[key.substr(0, key.size() - k_file.size())] = trim(read_all(open_regular(file), file, k_longest_password));
    } catch (const Error& error) {
      throw Refusal(409, cat("Node ", node.title(), ": its ", key, " can't be read: ", error.what()));
    }
    told.erase(key);
  }
  return told;
}

}  // namespace

ServedResponse IronicApi::hearth(const ApiCall& call) {
  const std::string what = call.parts.size() > 1 ? call.parts[1] : "";
  if (what == "import" && call.is("POST")) return import(call);
  if (what == "waiting") return waiting(call);
  if (what == "export") return export_nodes(call);
  if (what == "given") return given(call);
  if (what == "events") return events(call);
  if (what == "log" && call.parts.size() == 3) return agent_log(call);
  if (what == "boot-log" && call.parts.size() == 3) return boot_log(call);
  if (what == "instructions") return instructions(call);
  if (what == "engine" && !engine_.is_null()) return json_answer(200, engine_);
  if (what == "me") return json_answer(200, who_is(call.caller));
  if (what == "capabilities") return json_answer(200, {{"doubts", capability_doubts(call.parameter("text"))}});
  if (what == "pace" && pace_) return json_answer(200, pace_());
  if (what == "seeds" && seeds_) return json_answer(200, seeds_());
  if (what == "consoles" && call.parts.size() == 3) return console(call);
  if (what == "images" && call.parts.size() == 5) return evidence(call);
  if (what == "images") return documents(call, "image");
  if (what == "roles") return documents(call, "role");
  if (what == "configure_boot" && call.is("POST")) return configure_boot(call);
  if (what == "handover" && call.is("POST")) return hand_over(call);
  throw Refusal(404, "Not Found");
}

ServedResponse IronicApi::import(const ApiCall& call) {
  const Json body = call.body();
  ImportRequest request;
  request.text = text_in(body, "text");
  request.source = text_in(body, "source", "the inventory");
  const std::string format = text_in(body, "format");
  std::optional<ListingFormat> known = format.empty() ? ListingFormat::any : format_named(format);
  if (!known) known = format_of(cat("x.", format));  // as a file's name ends: yml, sh
  if (!known) {
    const std::optional<std::string> near = nearest(format, format_names());
    throw Refusal(400, cat("format is to be one of ", join(format_names(), ", "), ", not '", format, "'",
                           near ? cat("; do you mean ", *near, "?") : ""));
  }
  request.format = *known;
  const std::string state = text_in(body, "initial_state", "available");
  request.to = parse_state(state).value_or(State::error);
  if (request.to != State::enroll && request.to != State::manageable && request.to != State::available)
    throw Refusal(400, cat("initial_state is enroll, manageable or available, not '", state, "'"));
  request.boot_option = text_in(body, "boot_option", "local");
  request.remove_absent = body.value("remove", false);
  request.skip_busy = body.value("skip_busy", false);
  request.dry_run = body.value("dry_run", false);
  const ImportResult result = conductor_.import(request);
  if (!result.faults.empty()) return json_answer(422, {{"faults", result.faults}, {"warnings", result.warnings}});
  return json_answer(200, {{"created", result.created},
                           {"updated", result.updated},
                           {"unchanged", result.unchanged},
                           {"removed", result.removed},
                           {"busy", result.busy},
                           {"asked", result.asked},
                           {"retried", result.retried},
                           {"differing", result.differing},
                           {"cleaned", result.cleaned},
                           {"names", result.names},
                           {"machines", result.machines},
                           {"unsettled", result.unsettled},
                           {"changes", result.changes},
                           {"warnings", result.warnings}});
}

/// Machines that asked for a network boot and are no node's; nothing makes them one but a person.
ServedResponse IronicApi::waiting(const ApiCall& call) {
  if (call.parts.size() < 3) return json_answer(200, {{"waiting", conductor_.waiting()}});
  const std::optional<pxe::Mac> mac = pxe::parse_mac(call.parts[2]);
  if (!mac) throw Refusal(400, cat("'", call.parts[2], "' is no MAC address"));
  return json_answer(201, {{"uuid", conductor_.approve(pxe::to_text(*mac), call.body())}});
}

ServedResponse IronicApi::export_nodes(const ApiCall& call) {
  const Ledger& ledger = conductor_.ledger();
  Json list = Json::array();
  for (const auto& [created, uuid] : ledger.by_age()) {
    Json entry = inventory_entry(*ledger.by_uuid(uuid), call.truth("secrets"));
    list.push_back(call.view.only_looks ? for_readers(std::move(entry)) : std::move(entry));
  }
  return json_answer(200, {{"nodes", list}});
}

/// Machines that are somebody else's. PUT {"to"} gives one away, and tells all that its new owner needs of it, secrets
/// included, those of password files, too. With "provision_state" it goes only if it is still in that state; with
/// "for_good" it does not come back, and its record can be deleted.
ServedResponse IronicApi::given(const ApiCall& call) {
  if (call.parts.size() < 3) {
    Json list = Json::array();
    for (const auto& [uuid, node] : conductor_.ledger().nodes()) {
      if (const std::string owner = given_to(node); !owner.empty())
        list.push_back({{"uuid", uuid}, {"name", node.title()}, {"to", owner}});
    }
    return json_answer(200, {{"given", list}});
  }
  if (call.is("DELETE")) {
    conductor_.take_back(call.parts[2]);
    return empty_answer(204);
  }
  const std::string owner = text_in(call.body(), "to");
  if (owner.empty()) throw Refusal(400, "to is needed: whose the machine is from now on");
  const Node& node = conductor_.node(call.parts[2]);
  Json whole = shown_node(node, call.view);
  const std::string state = text_in(call.body(), "provision_state");
  if (given_to(node).empty() && !state.empty() && (node.maintenance || text_in(whole, "provision_state") != state))
    throw Refusal(409, cat("Node ", node.title(), " is ", text_in(whole, "provision_state"),
                           node.maintenance ? " and in maintenance" : "", " now, and was to be given away as ", state,
                           ": bring it back to that, or call the handover off."));
  whole["driver_info"] = told_driver_info(node);
  whole["instance_info"] = node.instance_info;
  whole["ports"] = Json::array();
  for (const Port& port : node.ports) whole["ports"].push_back(shown_port(node, port, call.view));
  conductor_.give(call.parts[2], owner, call.body().value("for_good", Json()) == true);
  return json_answer(200, whole);
}

ServedResponse IronicApi::events(const ApiCall& call) {
  if (call.is("DELETE")) {
    const std::optional<std::uint64_t> keep = parse_number(call.parameter("keep"));
    if (!keep || *keep == 0 || *keep > 1'000'000'000)
      throw Refusal(400, "keep is to be the number of events that stay, from 1 on");
    conductor_.ledger().store().keep_events(static_cast<std::int64_t>(*keep));
    conductor_.ledger().record_site("events", cat(*keep, " of them are kept, by request"));
    conductor_.settle();
    return json_answer(200, {{"kept", *keep}});
  }
  EventQuery query;
  query.after = static_cast<std::int64_t>(parse_number(call.parameter("after")).value_or(0));
  query.limit =
      static_cast<std::int64_t>(std::min<std::uint64_t>(parse_number(call.parameter("limit")).value_or(1000), 10000));
  query.newest = call.truth("newest");
  if (!call.parameter("node").empty()) query.node = conductor_.node(call.parameter("node")).uuid;
  Json list = Json::array();
  for (const Event& event : conductor_.ledger().store().events(query)) list.push_back(event_json(event));
  return json_answer(200, {{"events", list}, {"last", conductor_.ledger().store().last_event()}});
}

ServedResponse IronicApi::agent_log(const ApiCall& call) {
  const Node& node = conductor_.node(call.parts[2]);
  const std::optional<Json> log = conductor_.ledger().store().document(cat("agent-log/", node.uuid));
  if (!log)
    throw Refusal(404, cat("No agent of node ", node.title(), " has sent its logs; they come when an order fails."));
  return json_answer(200, *log);
}

ServedResponse IronicApi::boot_log(const ApiCall& call) {
  constexpr std::size_t k_most_lines = 1000;
  const Node& node = conductor_.node(call.parts[2]);
  const std::optional<std::vector<Json>> events = boot_requests(conductor_.ledger().store(), node, k_most_lines);
  if (!events)
    throw Refusal(404, "This conductor boots no machines itself (hearth node serve --boot); see hearth pxe boot-log.");
  std::vector<std::string> shown;
  for (const Port& port : node.ports) shown.push_back(port.address);
  return json_answer(200, {{"name", node.title()}, {"macs", join(shown, ", ")}, {"events", *events}});
}

/// A file of an image's evidence, as it was beside the image when that was loaded.
ServedResponse IronicApi::evidence(const ApiCall& call) {
  const std::string& file = call.parts[4];
  const Json image = conductor_.ledger().store().document(cat("image/", call.parts[2])).value_or(Json());
  const Json files = member_or_null(object_member(image, "evidence"), "files");
  const bool known = files.is_array() && std::find(files.begin(), files.end(), Json(file)) != files.end() &&
                     std::find(k_evidence_shown.begin(), k_evidence_shown.end(), file) != k_evidence_shown.end();
  const std::string name = evidence_name(call.parts[2], file);
  const fs::path kept = conductor_.directory() / k_evidence_folder / name;
  const std::shared_ptr<const std::string> text =
      known && name.find('/') == std::string::npos ? evidence_.take(kept) : nullptr;
  if (text == nullptr) throw Refusal(404, cat("There is no ", file, " of image ", call.parts[2], "."));
  ServedResponse response;
  response.headers = {{"Content-Type", file.ends_with(".json") ? "application/json" : "text/plain; charset=utf-8"},
                      {"X-Content-Type-Options", "nosniff"}};
  response.shared_body = text;
  return response;
}

/// GET: what a machine says; PUT {"keyboard"} takes its keyboard, with "text" types on it; DELETE gives it back. What
/// is typed stands in no event and no log.
ServedResponse IronicApi::console(const ApiCall& call) {
  const Node& node = conductor_.node(call.parts[2]);
  const std::string& who = call.caller.name;
  if (consoles_ == nullptr) throw Refusal(404, "This conductor serves no consoles.");
  if (call.is("PUT")) {
    const Json body = call.body();
    const std::string keyboard = text_in(body, "keyboard");
    constexpr std::size_t k_shortest_keyboard = 16;  // nobody guesses another window's
    if (keyboard.size() < k_shortest_keyboard || keyboard.size() > 64)
      throw Refusal(400, cat("keyboard is to be a word of ", k_shortest_keyboard, " to 64 characters, made up anew"));
    const bool types = body.contains("text");
    if (types && !body["text"].is_string()) throw Refusal(400, "text is to be a text: what is to be typed");
    const bool has = consoles_->is_his(node.uuid, who, keyboard);
    const std::string fault =
        types ? consoles_->type(node, who, keyboard, text_in(body, "text")) : consoles_->take(node, who, keyboard);
    if (!fault.empty()) throw Refusal(409, cat("The console of node ", node.title(), ": ", fault, "."));
    if (types || has) return empty_answer(204);
    try {
      tell_of_console(node, cat(who, " types at its console"));
    } catch (const std::exception&) {  // nobody types there without an event
      consoles_->leave(node.uuid, who, keyboard);
      throw;
    }
    return empty_answer(204);
  }
  if (call.is("DELETE")) {
    const std::string keyboard = call.parameter("keyboard");
    if (!consoles_->is_his(node.uuid, who, keyboard)) return empty_answer(204);
    tell_of_console(node, cat(who, " types at its console no more"));
    consoles_->leave(node.uuid, who, keyboard);
    return empty_answer(204);
  }
  const std::optional<Json> part =
      consoles_->part(node, parse_number(call.parameter("from")), who, call.parameter("keyboard"));
  if (!part) throw Refusal(404, cat("Nothing was said at the console of node ", node.title(), " yet."));
  return json_answer(200, *part);
}

void IronicApi::tell_of_console(const Node& node, const std::string& text) {
  conductor_.ledger().record(node, "console", text);
  conductor_.settle();
}

void IronicApi::look_at_consoles() {
  if (consoles_ == nullptr) return;
  const std::vector<ConsoleDesk::Ended>& all = consoles_->tick();
  if (all.empty()) return;
  for (const ConsoleDesk::Ended& ended : all) {
    const Node* node = conductor_.ledger().by_uuid(ended.uuid);
    if (node != nullptr)
      conductor_.ledger().record(*node, "console", cat(ended.who, " types at its console no more: ", ended.why));
  }
  conductor_.settle();
  consoles_->told();  // where that was not kept it is told again
}

ServedResponse IronicApi::instructions(const ApiCall& call) {
  if (call.is("DELETE") && call.parts.size() == 3) {
    const Stamp since = conductor_.node(call.parts[2]).instruction.since;
    if (!call.parameter("since").empty() && parse_stamp(call.parameter("since")) != since)
      throw Refusal(409, "By now something else is to be done at this machine.");
    conductor_.instruction_done(call.parts[2]);
    return empty_answer(204);
  }
  Json list = Json::array();
  for (const Node* node : conductor_.ledger().to_be_switched()) {
    if (node->instruction.action.empty()) continue;
    list.push_back({{"node", node->uuid},
                    {"name", node->title()},
                    {"action", node->instruction.action},
                    {"text", node->instruction.text},
                    {"since", stamp_json(node->instruction.since)},
                    {"deadline", stamp_json(node->instruction.deadline)}});
  }
  return json_answer(200, {{"instructions", list}});
}

namespace {

/// Names of nodes that have the image on their disks, are to have it, or boot its kernel or ramdisk.
std::vector<std::string> users_of_image(const Ledger& ledger, const std::string& name, const Json& image) {
  std::set<std::string> words = {name};
  for (const char* key : {"image_source", "file", "kernel", "ramdisk"}) words.insert(text_in(image, key));
  words.erase("");
  std::vector<std::string> users;
  for (const auto& [created, uuid] : ledger.by_age()) {
    const Node& node = *ledger.by_uuid(uuid);
    bool uses = false;
    for (const char* key : {"image_source", "kernel", "ramdisk"})
      uses = uses || words.count(text_in(node.instance_info, key)) > 0;
    for (const char* key : {"deploy_kernel", "deploy_ramdisk", "rescue_kernel", "rescue_ramdisk"})
      uses = uses || words.count(text_in(node.driver_info, key)) > 0;
    if (uses) users.push_back(node.title());
  }
  return users;
}

void refuse_if_used(const Ledger& ledger, const std::string& name, const Json& image) {
  constexpr std::size_t k_most = 5;
  const std::vector<std::string> users = users_of_image(ledger, name, image);
  if (users.empty()) return;
  throw Refusal(409, cat("Image ", name, " is used by ", join_first(users, k_most),
                         ": give them another one, or undeploy them, first."));
}

}  // namespace

ServedResponse IronicApi::documents(const ApiCall& call, const std::string& kind) {
  Store& store = conductor_.ledger().store();
  if (call.parts.size() < 3) {
    Json list = Json::array();
    for (const auto& [name, document] : store.documents(cat(kind, "/"))) {
      Json row = {{"name", name.substr(kind.size() + 1)}};
      row.update(document);
      list.push_back(std::move(row));
    }
    return json_answer(200, {{cat(kind, "s"), list}});
  }
  const std::string key = cat(kind, "/", call.parts[2]);
  if (call.is("PUT")) {
    Json document = call.body();
    if (!document.is_object()) throw Refusal(400, cat("The body is to be what is known of the ", kind, ", an object"));
    const std::optional<Json> boot = store.document(k_boot_document);
    if (kind == "image" && boot && !document.contains("image_source")) {  // it lies among the seed's files
      const std::string file = text_in(document, "file");
      document["image_source"] = cat(text_in(*boot, "url"), "/images/", file.substr(file.rfind('/') + 1));
    }
    store.put_document(key, document);
    conductor_.ledger().record_site(kind, cat(kind, " ", call.parts[2], " is registered"));
    conductor_.settle();
    if (kind == "image") drop_evidence(conductor_.directory(), call.parts[2], document);
    return empty_answer(204);
  }
  const std::optional<Json> found = store.document(key);
  if (!found) throw Refusal(404, cat("There is no ", kind, " ", call.parts[2], "."));
  if (call.is("DELETE")) {
    if (kind == "image") refuse_if_used(conductor_.ledger(), call.parts[2], *found);
    store.remove_document(key);
    conductor_.ledger().record_site(kind, cat(kind, " ", call.parts[2], " is forgotten"));
    conductor_.settle();
    if (kind == "image") drop_evidence(conductor_.directory(), call.parts[2], Json());
    return empty_answer(204);
  }
  return json_answer(200, *found);
}

ServedResponse IronicApi::configure_boot(const ApiCall& call) {
  const Json body = call.body();
  const Conductor::BootConfigured done = conductor_.configure_boot(text_in(body, "kernel", "bm-deploy-kernel"),
                                                                   text_in(body, "ramdisk", "bm-deploy-ramdisk"), body);
  return json_answer(200, {{"nodes", done.uuids}, {"warnings", done.warnings}});
}

/// Asks for the services to be given to a node (handover/handover.hpp). From the answer on nothing is served here.
ServedResponse IronicApi::hand_over(const ApiCall& call) {
  const Json body = call.body();
  const Node& node = conductor_.node(text_in(body, "to"));
  const std::string id = text_in(body, "id");
  if (Home* home = conductor_.ledger().store().home())
    throw Refusal(409, cat("The state lives in ", home->name(),
                           ", which is not given away: stop this conductor, and start another with the same --database "
                           "and copies of seal-key and metadata/seal-key."));
  if (id.empty()) throw Refusal(400, "id is needed: whoever gives it may go on, or call it off");
  if (node.state != State::active) {
    throw Refusal(
        409, cat("Node ", node.title(), " is ", name(node.state), "; only an active one can take the services over."));
  }
  std::vector<std::string> busy;
  for (const Node* other : conductor_.ledger().with_job()) {
    if (other->job.running()) busy.push_back(cat(other->title(), " (", name(other->state), ")"));
  }
  if (!busy.empty() && !body.value("force", false))
    throw Refusal(409, cat("These nodes are being worked on: ", join(busy, ", "), "."));
  keep_handover(conductor_.ledger().store(), {id, node.title()});
  conductor_.ledger().record_site("handover", cat("the services are given to ", node.title()));
  conductor_.settle();
  return empty_answer(202);
}

}  // namespace hearth::bootstrap
