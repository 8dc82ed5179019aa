#include "bootstrap/seed/giving.hpp"

#include <algorithm>
#include <array>
#include <iterator>

#include "base/error.hpp"
#include "base/net/url.hpp"
#include "base/sys/file.hpp"
#include "base/sys/file_digest.hpp"
#include "base/sys/random.hpp"
#include "base/text.hpp"
#include "bootstrap/node/node.hpp"
#include "bootstrap/seed/stack_giving.hpp"
#include "builder/evidence/statements.hpp"

namespace hearth::bootstrap {

namespace {

constexpr const char* k_giving_journal = "handover.json";
constexpr const char* k_returning = "returning";  ///< --back has begun, and nothing is given any more
constexpr std::array<const char*, 4> k_steps = {"begun", "given", "final", k_returning};
constexpr int k_most_locked = 60;  ///< pauses, until a node that Ironic has locked is told of
constexpr const char* k_not_yet = " does not ask the cloud yet: the seed goes on telling it";
constexpr std::chrono::minutes k_longest_step{10};  ///< of a node in the cloud: its BMC may be slow

Json image_json(const GivenImage& image) {
  return {{"name", image.name},     {"file", image.file.string()}, {"sha256", image.sha256}, {"size", image.size},
          {"format", image.format}, {"words", image.words},        {"id", image.id},         {"there", image.there}};
}

GivenImage image_of_json(const Json& kept) {
  return {text_in(kept, "name"),   text_in(kept, "file"),
          text_in(kept, "sha256"), kept.value("size", std::uint64_t{0}),
          text_in(kept, "format"), kept.value("words", std::vector<std::string>()),
          text_in(kept, "id"),     kept.value("there", false)};
}

bool is_locked(const GivingWorld::Answer& answer) {
  return answer.status == 409 && answer.words().find(" is locked by host ") != std::string::npos;
}

Json taken_out(const char* path) { return Json::array({{{"op", "remove"}, {"path", path}}}); }
Json put_in(const char* path, const Json& value) {
  return Json::array({{{"op", "add"}, {"path", path}, {"value", value}}});
}

}  // namespace

/// Of Ironic, glance or Heat.
std::string GivingWorld::Answer::words() const {
  Json said = body;
  if (const Result<Json> inner = parse_json(text_in(said, "error_message"), "answer"); inner) said = *inner;
  std::string text = text_in(said, "faultstring", text_in(object_member(said, "error_message"), "faultstring"));
  if (text.empty()) text = said.is_string() ? said.get<std::string>() : text_in(said, "message");
  if (text.empty()) text = text_in(object_member(said, "error"), "message");
  return cat(text.empty() ? "" : cat(text, " "), "(HTTP ", status, ")");
}

namespace {

/// Throws Json::exception.
GivingJournal journal_of_json(const Json& kept) {
  GivingJournal journal{text_in(kept, "id"),
                        text_in(kept, "to"),
                        text_in(kept, "step"),
                        {},
                        {},
                        {},
                        kept.value("left", std::vector<std::string>()),
                        kept.value("notes", std::vector<std::string>())};
  for (const Json& image : list_member(kept, "images")) journal.images.push_back(image_of_json(image));
  for (const Json& node : list_member(kept, "nodes"))
    journal.nodes.push_back(
        {text_in(node, "uuid"), text_in(node, "name"), text_in(node, "goal"), node.value("there", false)});
  for (const Json& stack : list_member(kept, "stacks")) journal.stacks.push_back(stack_of_json(stack));
  return journal;
}

}  // namespace

std::optional<GivingJournal> read_giving(const fs::path& folder) {
  const fs::path file = folder / k_giving_journal;
  const std::optional<std::string> text = RealFileSystem().read(file);
  if (!text) return std::nullopt;
  try {
    GivingJournal journal = journal_of_json(parse_json(*text, file.string()).value_or_throw());
    const bool knows_step = std::find(k_steps.begin(), k_steps.end(), journal.step) != k_steps.end();
    if (knows_step && !journal.id.empty() && !journal.to.empty()) return journal;
  } catch (const Json::exception&) {  // told below
  }
  throw Error(ErrorKind::input, cat(file.string(), " is no journal of a handover, or was changed"))
      .hint("Put the one back that `hearth seed handover` wrote: without it nothing can be returned.");
}

void write_giving(const fs::path& folder, const GivingJournal& journal) {
  Json images = Json::array();
  for (const GivenImage& image : journal.images) images.push_back(image_json(image));
  Json nodes = Json::array();
  for (const GivenNode& node : journal.nodes)
    nodes.push_back({{"uuid", node.uuid}, {"name", node.name}, {"goal", node.goal}, {"there", node.there}});
  Json stacks = Json::array();
  for (const GivenStack& stack : journal.stacks) stacks.push_back(stack_json(stack));
  const Json json = {{"id", journal.id}, {"to", journal.to}, {"step", journal.step}, {"images", images},
                     {"nodes", nodes},   {"stacks", stacks}, {"left", journal.left}, {"notes", journal.notes}};
  RealFileSystem().write(folder / k_giving_journal, json_document(json), {.mode = 0600, .uid = {}, .gid = {}});
}

Json Giving::asked(const std::string& service, const std::string& method, const std::string& target, const Json& body,
                   const std::string& what) {
  GivingWorld::Answer answer = world_.ask_cloud(service, method, target, body);
  // Ironic looks at its nodes' power now and then, and locks them for it.
  for (int tries = 0; tries < k_most_locked && is_locked(answer); ++tries) {
    world_.pause();
    answer = world_.ask_cloud(service, method, target, body);
  }
  if (answer.good()) return answer.body;
  throw Error(ErrorKind::external, cat("the cloud refuses to ", what, ": ", answer.words()))
      .hint("Mend it there, and run the same command again; --back returns what was given.");
}

/// All rows of a list of the seed, page by page: a hall's is longer than any one answer may be.
Json Giving::seed_rows(const std::string& list, const char* key) {
  constexpr std::size_t k_page = 500;
  Json all = Json::array();
  std::string marker;
  while (true) {
    const std::string target = cat(list, "?limit=", k_page, marker.empty() ? "" : "&marker=", marker);
    const Json page = world_.ask_seed("GET", target, Json());
    const Json& rows = list_member(page, key);
    for (const Json& row : rows) all.push_back(row);
    if (rows.size() < k_page) return {{key, all}};
    marker = text_in(rows.back(), "uuid");
  }
}

/// Null where the cloud has none.
Json Giving::cloud_node(const std::string& uuid) {
  const GivingWorld::Answer answer = world_.ask_cloud("baremetal", "GET", cat("/v1/nodes/", uuid), Json());
  if (answer.status == 404) return nullptr;
  if (!answer.good())
    throw Error(ErrorKind::external, cat("the cloud tells nothing of node ", uuid, ": ", answer.words()));
  return answer.body;
}

/// What is there already under a name or an address of ours.
void Giving::look_at_cloud(const GivingJournal& journal, const Json& nodes, std::vector<std::string>& faults) {
  const Json known = asked("baremetal", "GET", "/v1/drivers", Json(), "tell its drivers");
  std::set<std::string> drivers;
  for (const Json& driver : list_member(known, "drivers")) drivers.insert(text_in(driver, "name"));
  for (const Json& node : list_member(nodes, "nodes")) {
    const std::string uuid = text_in(node, "uuid");
    const auto goes = [&](const GivenNode& one) { return one.uuid == uuid; };
    const auto given = std::find_if(journal.nodes.begin(), journal.nodes.end(), goes);
    if (given == journal.nodes.end()) continue;
    for (std::string& fault : node_faults(node, drivers)) faults.push_back(std::move(fault));
    for (const std::string& id : {uuid, given->name}) {
      if (const Json there = cloud_node(percent_encode(id)); !there.is_null()) {
        faults.push_back(cat(given->name, ": the cloud has a node ", id, " already"));
        break;
      }
    }
  }
  const Json ports = seed_rows("/v1/ports/detail", "ports");
  for (const Json& port : list_member(ports, "ports")) {
    const auto owns = [&](const GivenNode& one) { return one.uuid == text_in(port, "node_uuid"); };
    const auto owner = std::find_if(journal.nodes.begin(), journal.nodes.end(), owns);
    if (owner == journal.nodes.end()) continue;
    const std::string mac = text_in(port, "address");
    const Json there =
        asked("baremetal", "GET", cat("/v1/ports?address=", percent_encode(mac)), Json(), "tell its ports");
    if (!list_member(there, "ports").empty())
      faults.push_back(cat(owner->name, ": the cloud has a port with its address ", mac, " already"));
  }
  for (const GivenImage& image : journal.images) {
    const Json there =
        asked("image", "GET", cat("/v2/images?name=", percent_encode(image.name)), Json(), "tell its images");
    if (!list_member(there, "images").empty())
      faults.push_back(cat("the cloud has an image ", image.name, " already: rename one of them"));
  }
}

void Giving::look_at_files(GivingJournal& journal, std::vector<std::string>& faults) {
  for (GivenImage& image : journal.images) {
    if (!fs::is_regular_file(image.file)) {
      faults.push_back(cat("image ", image.name, ": there is no file '", image.file.string(),
                           "' on this machine: --image ", image.name, "=FILE"));
      continue;
    }
    const FileDigest found = digest_file(image.file);
    if (!image.sha256.empty() && image.sha256 != found.sha256)
      faults.push_back(cat("image ", image.name, ": ", image.file.string(),
                           " is not what the seed has registered (sha256 ", found.sha256, ", not ", image.sha256, ")"));
    image.sha256 = found.sha256;
    image.size = found.size;
  }
}

void Giving::name_what_stays(GivingJournal& journal, const Json& nodes) {
  for (const Json& node : list_member(nodes, "nodes")) {
    const auto goes = [&](const GivenNode& one) { return one.uuid == text_in(node, "uuid"); };
    if (std::none_of(journal.nodes.begin(), journal.nodes.end(), goes)) continue;
    for (std::string& note : node_notes(node, journal.images)) journal.notes.push_back(std::move(note));
  }
  journal.notes.push_back(cat(
      "networks, addresses and boot files stay with the seed: ",
      world_.has("network") ? "none are made in the cloud's neutron" : "the cloud's catalogue has no network service"));
  if (!world_.has_stacks()) journal.notes.emplace_back("stacks stay with the seed, and agents go on asking it");
}

/// What is to stay, and is not there.
std::vector<std::string> Giving::unknown_ones(const Wishes& wishes, const Json& nodes) {
  const Json stacks = world_.has_stacks() ? world_.ask_stacks("GET", "/stacks", Json()) : Json();
  std::set<std::string> known;
  for (const Json& node : list_member(nodes, "nodes")) known.insert({text_in(node, "uuid"), text_in(node, "name")});
  for (const Json& stack : list_member(stacks, "stacks"))
    known.insert({text_in(stack, "id"), text_in(stack, "stack_name")});
  std::vector<std::string> faults;
  for (const std::string& left : wishes.left) {
    if (known.contains(left)) continue;
    faults.push_back(cat("--leave ", left, ": the seed has no such node", world_.has_stacks() ? " or stack" : ""));
  }
  return faults;
}

GivingJournal Giving::plan(const Wishes& wishes) {
  for (const char* service : {"baremetal", "image"}) {
    if (!world_.has(service))
      throw Error(ErrorKind::input, cat("the catalogue of ", wishes.to, " has no ", service, " service"))
          .hint(
              "Nodes go to Ironic and images to glance: both are to be in the catalogue, with public endpoints in the "
              "region of OS_REGION_NAME.");
  }
  const Json nodes = seed_rows("/v1/nodes/detail", "nodes");
  const Json given = world_.ask_seed("GET", "/v1/hearth/given", Json());
  GivingJournal journal;
  journal.id = random_uuid();
  journal.to = wishes.to;
  journal.nodes = nodes_to_give(nodes, wishes.left);
  journal.left.assign(wishes.left.begin(), wishes.left.end());
  journal.images = images_to_give(world_.ask_seed("GET", "/v1/hearth/images", Json()), wishes.files);
  for (GivenImage& image : journal.images) image.id = random_uuid();
  std::vector<std::string> faults = unknown_ones(wishes, nodes);
  for (const Json& row : list_member(given, "given")) {
    const auto is_it = [&](const GivenNode& one) { return one.uuid == text_in(row, "uuid"); };
    const std::string owner = text_in(row, "to");
    if (owner != wishes.to && std::any_of(journal.nodes.begin(), journal.nodes.end(), is_it))
      faults.push_back(cat(text_in(row, "name"), ": it was given to ", owner));
  }
  look_at_files(journal, faults);
  look_at_cloud(journal, nodes, faults);
  if (world_.has_stacks()) StackGiving(world_, clock_, journal, {}).look(wishes.left, faults);
  name_what_stays(journal, nodes);
  if (faults.empty()) return journal;
  throw Error(ErrorKind::input, cat("this can't be given to ", wishes.to, ":\n  ", join(faults, "\n  ")))
      .hint("Nothing was changed. Mend these, or leave nodes and stacks with the seed: --leave NAME.");
}

GivingJournal Giving::begin(const Wishes& wishes) {
  const std::optional<GivingJournal> kept = read_giving(folder_);
  if (!kept) return plan(wishes);
  if (kept->step == k_returning)
    throw Error(ErrorKind::input, cat("the handover to ", kept->to, " is being called off"))
        .hint("Finish that first: --back");
  if (kept->to == wishes.to) return *kept;
  throw Error(ErrorKind::input, cat("a handover to ", kept->to, " is under way (", kept->step, ")"))
      .hint(cat("Finish it (--to ", kept->to, "), or call it off: --back"));
}

void Giving::look(const Wishes& wishes) {
  const GivingJournal journal = begin(wishes);
  for (const GivenImage& image : journal.images)
    world_.tell(cat("image ", image.name, " (", image.format, ", ", human_bytes(image.size), ") → glance"));
  for (const GivenNode& node : journal.nodes)
    world_.tell(cat("node ", node.name, " → Ironic, ", node.goal == "active" ? "adopted" : node.goal));
  for (const GivenStack& stack : journal.stacks)
    world_.tell(cat("stack ", stack.name, " → Heat, adopted; ", stack.agents.size(), " agents are told to ask there"));
  for (const std::string& name : journal.left) world_.tell(cat(name, " stays with the seed"));
  for (const std::string& note : journal.notes) world_.tell(cat("not given: ", note));
}

void Giving::give_image(GivingJournal& journal, GivenImage& image, bool is_second) {
  const std::string target = cat("/v2/images/", image.id);
  GivingWorld::Answer there = world_.ask_cloud("image", "GET", target, Json());
  if (there.status == 404) {
    const Json body = {{"id", image.id},
                       {"name", image.name},
                       {"disk_format", image.format},
                       {"container_format", image.format == "aki" || image.format == "ari" ? image.format : "bare"},
                       {k_handover_mark, journal.id}};
    there.body = asked("image", "POST", "/v2/images", body, cat("make the image ", image.name));
  } else if (!there.good()) {
    throw Error(ErrorKind::external, cat("the cloud tells nothing of the image ", image.name, ": ", there.words()));
  }
  const std::string status = text_in(there.body, "status");
  if (status == "active" && image.there) return;
  if (status != "queued" && (image.there || is_second))  // nodes mean it by that id, or the cloud lies
    throw Error(ErrorKind::external, cat("the cloud's image ", image.name, " (", image.id, ") is '", status,
                                         is_second ? "', though it was only just made" : "'"))
        .hint("Mend it there, and run the same command again; --back returns what was given.");
  if (status != "queued") {  // an upload was cut off, or nobody compared what came: an id is never used twice
    static_cast<void>(
        asked("image", "DELETE", target, Json(), cat("remove the image ", image.name, ", which is ", status)));
    image.id = random_uuid();
    write_giving(folder_, journal);
    return give_image(journal, image, true);
  }
  world_.tell(cat("image ", image.name, " goes to glance: ", human_bytes(image.size)));
  const GivingWorld::Sent sent = world_.upload(image.id, image.file);
  there.body = asked("image", "GET", target, Json(), cat("tell of the image ", image.name));
  const bool is_whole = text_in(there.body, "os_hash_algo") == "sha512"
                            ? text_in(there.body, "os_hash_value") == sent.sha512
                            : there.body.value("size", std::uint64_t{0}) == image.size;
  if (text_in(there.body, "status") == "active" && is_whole && sent.sha256 == image.sha256) {
    image.there = true;
    return write_giving(folder_, journal);
  }
  static_cast<void>(world_.ask_cloud("image", "DELETE", target, Json()));
  image.id = random_uuid();
  write_giving(folder_, journal);
  throw Error(ErrorKind::external, cat("the image ", image.name, " arrived altered, or its file ", image.file.string(),
                                       " changed: sha256 ", sent.sha256, " was sent"))
      .hint("It was removed there; run the same command again.");
}

void Giving::enrol(const GivingJournal& journal, const GivenNode& node, const Json& whole) {
  const Json there = cloud_node(node.uuid);
  if (there.is_null()) {
    static_cast<void>(asked("baremetal", "POST", "/v1/nodes", node_for_cloud(whole, journal.images, journal.id),
                            cat("enrol ", node.name)));
  } else if (text_in(object_member(there, "extra"), k_handover_mark) != journal.id) {
    throw Error(ErrorKind::input,
                cat("the cloud's node ", node.uuid, " (", node.name, ") was not made by this handover"));
  }
  const Json ports =
      asked("baremetal", "GET", cat("/v1/nodes/", node.uuid, "/ports"), Json(), cat("tell the ports of ", node.name));
  for (const Json& port : list_member(whole, "ports")) {
    const Json& known = list_member(ports, "ports");
    const auto is_it = [&](const Json& one) { return text_in(one, "address") == text_in(port, "address"); };
    if (std::any_of(known.begin(), known.end(), is_it)) continue;
    static_cast<void>(asked("baremetal", "POST", "/v1/ports", port_for_cloud(port),
                            cat("take the port ", text_in(port, "address"), " of ", node.name)));
  }
  if (const Json& traits = list_member(whole, "traits"); !traits.empty())
    static_cast<void>(asked("baremetal", "PUT", cat("/v1/nodes/", node.uuid, "/traits"), {{"traits", traits}},
                            cat("take the traits of ", node.name)));
}

/// As Ironic's states lead there; no verb is asked for twice.
void Giving::bring_to_goal(const GivenNode& node) {
  const Deadline deadline = Deadline::after(k_longest_step, clock_);
  std::set<std::string> asked_for;
  while (true) {
    const Json there = cloud_node(node.uuid);
    if (there.is_null()) throw Error(ErrorKind::external, cat("the cloud's node ", node.name, " is gone"));
    const std::string state = text_in(there, "provision_state");
    const std::string verb = next_verb(state, node.goal);
    if (verb == "done") return;
    // Where a verb failed Ironic keeps what it was to become; so it does on the way, where nothing is to be asked for.
    const bool has_failed = state.ends_with(" failed");
    const bool is_still = verb.empty() || (!has_failed && !text_in(there, "target_provision_state").empty());
    if (!is_still && !asked_for.insert(verb).second)
      throw Error(ErrorKind::external, cat("the cloud's node ", node.name, " stays ", state, ": ",
                                           text_in(there, "last_error", "Ironic tells no reason")))
          .hint(
              "Mend it there (its driver_info, the way to its BMC), and run the same command again; --back returns "
              "what was given.");
    if (!is_still)
      static_cast<void>(asked("baremetal", "PUT", cat("/v1/nodes/", node.uuid, "/states/provision"), {{"target", verb}},
                              cat(verb, " ", node.name)));
    if (deadline.passed(clock_.now()))
      throw Error(ErrorKind::external, cat("the cloud's node ", node.name, " is still ", state, " after ",
                                           k_longest_step.count(), " minutes"))
          .hint("Run the same command again when it has come to rest.");
    world_.pause();
  }
}

void Giving::give_node(GivingJournal& journal, GivenNode& node) {
  const Json whole =
      world_.ask_seed("PUT", cat("/v1/hearth/given/", node.uuid), {{"to", journal.to}, {"provision_state", node.goal}});
  enrol(journal, node, whole);
  bring_to_goal(node);
  const std::string target = cat("/v1/nodes/", node.uuid);
  // It was to be cleaned on no way here; from now on it is as it was.
  const Json& cleaned = member_or_null(whole, "automated_clean");
  static_cast<void>(
      asked("baremetal", "PATCH", target, put_in("/automated_clean", cleaned), cat("change ", node.name)));
  if (whole.value("protected", false) && node.goal == "active")
    static_cast<void>(asked("baremetal", "PATCH", target, put_in("/protected", true), cat("protect ", node.name)));
  node.there = true;
  write_giving(folder_, journal);
  world_.tell(cat("node ", node.name, " is the cloud's: ", node.goal));
}

void Giving::write_record(const GivingJournal& journal, const Wishes& wishes) {
  Json nodes = Json::array();
  for (const GivenNode& node : journal.nodes)
    nodes.push_back({{"uuid", node.uuid}, {"name", node.name}, {"provision_state", node.goal}});
  Json images = Json::array();
  for (const GivenImage& image : journal.images)
    images.push_back({{"name", image.name}, {"id", image.id}, {"size", image.size}});
  Json stacks = Json::array();
  for (const GivenStack& stack : journal.stacks) stacks.push_back(stack_json(stack));
  const auto now = std::chrono::duration_cast<std::chrono::seconds>(clock_.wall().time_since_epoch()).count();
  const Json predicate = {{"id", journal.id},      {"to", journal.to},     {"at", builder::evidence::iso_time(now)},
                          {"final", wishes.final}, {"nodes", nodes},       {"images", images},
                          {"stacks", stacks},      {"left", journal.left}, {"not_given", journal.notes}};
  RealFileSystem().write(folder_ / k_handover_record, signed_record(journal.images, predicate, wishes.key->text()), {});
}

/// Of a handover that is under way: a node that the cloud will not take holds up those behind it.
void Giving::leave(GivingJournal& journal, const std::set<std::string>& left) {
  StackGiving stacks(world_, clock_, journal, [&] { write_giving(folder_, journal); });
  for (std::size_t i = 0; i < journal.stacks.size();) {
    GivenStack& stack = journal.stacks[i];
    if (!left.contains(stack.name) && !left.contains(stack.id)) {
      ++i;
      continue;
    }
    stacks.leave(stack);
    journal.left.push_back(stack.name);
    journal.stacks.erase(journal.stacks.begin() + static_cast<std::ptrdiff_t>(i));
    write_giving(folder_, journal);
  }
  std::vector<GivenNode> leaving;
  std::copy_if(journal.nodes.begin(), journal.nodes.end(), std::back_inserter(leaving),
               [&](const GivenNode& node) { return left.contains(node.name) || left.contains(node.uuid); });
  if (leaving.empty()) return;
  const std::map<std::string, Json> kept = kept_by_seed(journal);
  for (const GivenNode& node : leaving) {
    if (node.there)
      throw Error(ErrorKind::input, cat("--leave ", node.name, ": it is the cloud's already"))
          .hint("--back returns all that was given.");
    const Json& row = kept.at(node.uuid);
    if (!text_in(row, "to").empty()) return_node(journal, node, row);
    std::erase_if(journal.nodes, [&](const GivenNode& each) { return each.uuid == node.uuid; });
    journal.left.push_back(node.name);
    write_giving(folder_, journal);
    world_.tell(cat("node ", node.name, " stays with the seed"));
  }
}

/// Agents that were told follow in their own time: with each run those that have are known.
void Giving::give_stacks(GivingJournal& journal, const Wishes& wishes) {
  if (journal.stacks.empty()) return;
  if (!world_.has_stacks())
    throw Error(ErrorKind::usage, "stacks are being given, and the seed's stack service is not known")
        .hint("--stacks-url URL, as with the command that began it");
  StackGiving stacks(world_, clock_, journal, [&] { write_giving(folder_, journal); });
  if (journal.step == "begun") stacks.give();
  stacks.follow(wishes.patience);
  std::vector<std::string> behind;
  for (const std::string& agent : stacks.behind()) {
    if (!wishes.left.contains(agent)) behind.push_back(agent);
  }
  std::erase_if(journal.notes, [](const std::string& note) { return note.ends_with(k_not_yet); });
  for (const std::string& agent : behind) journal.notes.push_back(cat(agent, k_not_yet));
  if (wishes.final && !behind.empty())
    throw Error(ErrorKind::external,
                cat("it is not final: the cloud has not heard of these agents yet: ", join(behind, ", ")))
        .hint(
            "The seed goes on telling them. Run the same command again; of a machine that is lost: --leave NAME. "
            "`hearth-agent doctor` on it says what keeps its agent.");
}

/// Of a handover that --back does not return any more: the seed's record of its nodes can be deleted from then on, and
/// that of its stacks.
void Giving::make_final(GivingJournal& journal) {
  if (world_.has_stacks()) {
    StackGiving(world_, clock_, journal, {}).make_final();
  } else if (!journal.stacks.empty()) {
    world_.tell("the seed's stack service is not known: with --stacks-url URL it can forget these stacks, too");
  }
  const Json given = world_.ask_seed("GET", "/v1/hearth/given", Json());
  for (const Json& row : list_member(given, "given")) {
    const std::string uuid = text_in(row, "uuid");
    const auto is_it = [&](const GivenNode& one) { return one.uuid == uuid; };
    if (text_in(row, "to") != journal.to || std::none_of(journal.nodes.begin(), journal.nodes.end(), is_it)) continue;
    static_cast<void>(world_.ask_seed("PUT", cat("/v1/hearth/given/", uuid), {{"to", journal.to}, {"for_good", true}}));
  }
}

void Giving::run(const Wishes& wishes) {
  GivingJournal journal = begin(wishes);
  if (journal.step == "final") {
    make_final(journal);  // which may have been cut off
    return world_.tell(cat("all of it is ", journal.to, "'s already, for good"));
  }
  write_giving(folder_, journal);
  if (journal.step == "begun") {  // what was given is the cloud's business
    leave(journal, wishes.left);
    for (GivenImage& image : journal.images) {
      if (const auto file = wishes.files.find(image.name); file != wishes.files.end()) image.file = file->second;
      give_image(journal, image);
    }
    for (GivenNode& node : journal.nodes) {
      if (!node.there) give_node(journal, node);
    }
  }
  give_stacks(journal, wishes);
  write_record(journal, wishes);
  journal.step = wishes.final ? "final" : "given";
  write_giving(folder_, journal);
  if (wishes.final) make_final(journal);
  for (const std::string& note : journal.notes) world_.tell(cat("not given: ", note));
  const std::string stacks = journal.stacks.empty() ? "" : cat(", ", journal.stacks.size(), " stacks");
  world_.tell(cat("given: ", journal.nodes.size(), " nodes, ", journal.images.size(), " images", stacks,
                  "; the record is ", (folder_ / k_handover_record).string()));
  world_.tell(wishes.final ? "it is final: the seed gives these machines no orders any more"
                           : "--back returns all of it; --final makes it final");
}

/// What the seed knows of the nodes of the journal, by UUID. Where one was deleted there, null.
std::map<std::string, Json> Giving::kept_by_seed(const GivingJournal& journal) {
  std::map<std::string, Json> kept;
  for (const GivenNode& node : journal.nodes) kept[node.uuid] = nullptr;
  bool has_one = journal.nodes.empty();
  const Json rows = seed_rows("/v1/nodes/detail", "nodes");
  for (const Json& row : list_member(rows, "nodes")) {
    const auto ours = kept.find(text_in(row, "uuid"));
    if (ours == kept.end()) continue;
    ours->second = row;
    has_one = true;
  }
  if (!has_one)
    throw Error(ErrorKind::input,
                cat("the seed has none of the nodes of the handover that ", folder_.string(), " tells of"))
        .hint("Nothing was returned. Name the seed that gave them (--state, --url), or its journal (--journal).");
  const Json given = world_.ask_seed("GET", "/v1/hearth/given", Json());
  for (const Json& row : list_member(given, "given")) {
    const auto ours = kept.find(text_in(row, "uuid"));
    if (ours != kept.end() && ours->second.is_object()) ours->second["to"] = text_in(row, "to");
  }
  return kept;
}

namespace {

/// Whether the cloud has put something on a node in service, or promised it to somebody.
bool is_changed(const Json& there, const Json& given) {
  const auto image = [](const Json& node) { return text_in(object_member(node, "instance_info"), "image_source"); };
  return text_in(there, "instance_uuid") != text_in(given, "instance_uuid") || image(there) != image(given);
}

}  // namespace

/// Why it can't be taken away from the cloud; empty where it can. `kept`: what the seed knows of it.
std::string Giving::use_in_cloud(const GivingJournal& journal, const GivenNode& node, const Json& kept) {
  const Deadline deadline = Deadline::after(k_longest_step, clock_);
  while (true) {
    const Json there = cloud_node(node.uuid);
    // What was given and can't be seen may be another region's, or another project's: then the cloud has it still.
    if (there.is_null()) return node.there ? cat(node.name, " is not there, or not for who asks") : "";
    if (text_in(object_member(there, "extra"), k_handover_mark) != journal.id)
      return text_in(kept, "to").empty()
                 ? ""
                 : cat(node.name, " is not marked as given there (extra/", k_handover_mark, " = ", journal.id, ")");
    const std::string state = text_in(there, "provision_state");
    const bool is_new = kept.is_object() && is_changed(there, node_for_cloud(kept, journal.images, journal.id));
    if (state == node.goal) return is_new ? cat(node.name, " has another instance or image there") : "";
    const bool was_in_service = node.there && node.goal == "active";
    if (!was_in_service && (state == "enroll" || state == "manageable" || state == "adopt failed")) return "";
    const bool was_on_its_way = state == "verifying" || state == "adopting" || state == "cleaning";
    if (!was_on_its_way || deadline.passed(clock_.now())) return cat(node.name, " is ", state, " there");
    world_.pause();
  }
}

void Giving::return_node(const GivingJournal& journal, const GivenNode& node, const Json& kept) {
  const Json there = cloud_node(node.uuid);
  if (!there.is_null() && text_in(object_member(there, "extra"), k_handover_mark) == journal.id) {
    const std::string target = cat("/v1/nodes/", node.uuid);
    if (there.value("protected", false))
      static_cast<void>(asked("baremetal", "PATCH", target, put_in("/protected", false), cat("release ", node.name)));
    static_cast<void>(asked("baremetal", "PUT", cat(target, "/maintenance"),
                            {{"reason", "it goes back to the seed that gave it"}}, cat("release ", node.name)));
    if (!text_in(there, "instance_uuid").empty())
      static_cast<void>(asked("baremetal", "PATCH", target, taken_out("/instance_uuid"), cat("release ", node.name)));
    static_cast<void>(asked("baremetal", "DELETE", target, Json(), cat("forget ", node.name)));
  }
  if (kept.is_null())
    return world_.tell(cat("node ", node.name, " was deleted from the seed: only the cloud forgets it"));
  static_cast<void>(world_.ask_seed("DELETE", cat("/v1/hearth/given/", node.uuid), Json()));
  world_.tell(cat("node ", node.name, " is the seed's again"));
}

void Giving::back(const Wishes& wishes) {
  std::optional<GivingJournal> journal = read_giving(folder_);
  if (!journal)
    throw Error(ErrorKind::input,
                cat("no handover was begun: the folder ", fs::absolute(folder_).string(), " has no record of one"))
        .hint("What a handover did stands in the folder that it was begun with: --journal DIR names it.");
  if (journal->step == "final")
    throw Error(ErrorKind::input,
                cat("the handover to ", journal->to, " is final: the cloud knows more than the seed by now"));
  if (journal->to != wishes.to)
    throw Error(ErrorKind::input, cat("what ", journal->to, " was given does not come back from ", wishes.to))
        .hint(cat("Leave --to out, or name that one: --to ", journal->to));
  for (GivenNode& node : journal->nodes) {
    if (wishes.left.contains(node.name) || wishes.left.contains(node.uuid)) node.there = false;
  }
  const std::map<std::string, Json> kept = kept_by_seed(*journal);
  std::vector<std::string> used;
  for (const GivenNode& node : journal->nodes) {
    if (std::string use = use_in_cloud(*journal, node, kept.at(node.uuid)); !use.empty())
      used.push_back(std::move(use));
  }
  StackGiving stacks(world_, clock_, *journal, [&] { write_giving(folder_, *journal); });
  if (!journal->stacks.empty() && !world_.has_stacks())
    throw Error(ErrorKind::usage, "stacks were given, and the seed's stack service is not known")
        .hint("--stacks-url URL, as with the command that gave them");
  stacks.use_in_cloud(used);
  if (!used.empty())
    throw Error(ErrorKind::input, cat("the cloud has used what it got: ", join(used, ", ")))
        .hint(
            "Nothing was returned. Bring these nodes back to the state that they came in, then again --back; of one "
            "that was deleted there: --leave NODE.");
  journal->step = k_returning;
  write_giving(folder_, *journal);
  stacks.back(wishes.left, wishes.patience);
  for (GivenNode& node : journal->nodes) {
    node.there = false;  // from here on it may be gone there
    write_giving(folder_, *journal);
    return_node(*journal, node, kept.at(node.uuid));
  }
  for (const GivenImage& image : journal->images) {
    const GivingWorld::Answer gone = world_.ask_cloud("image", "DELETE", cat("/v2/images/", image.id), Json());
    if (!gone.good() && gone.status != 404)
      throw Error(ErrorKind::external, cat("the cloud keeps the image ", image.name, ": ", gone.words()))
          .hint("The nodes are the seed's again; remove what holds the image there, then again --back.");
  }
  for (const char* file : {k_handover_record, k_giving_journal}) RealFileSystem().remove(folder_ / file);
  world_.tell("the seed has everything again");
}

}  // namespace hearth::bootstrap
