#include "bootstrap/why/sources.hpp"

#include <algorithm>
#include <utility>

#include "base/cli/print.hpp"
#include "base/net/url.hpp"
#include "base/sys/file.hpp"
#include "base/text.hpp"
#include "bootstrap/client/rehearsals.hpp"
#include "bootstrap/why/causes/stack_causes.hpp"
#include "bootstrap/why/page_sources.hpp"
#include "metadata/live/stack_client.hpp"
#include "pxe/net/address.hpp"

namespace hearth::bootstrap::why {

namespace {

constexpr const char* k_stack_state = "/var/lib/hearth/metadata";
/// More silent machines of a stack than these are silent for one reason.
constexpr std::size_t k_most_nodes = 3;
/// Of a stack's resources, which may be 100,000.
constexpr const char* k_unfinished = "status=FAILED&status=IN_PROGRESS";
constexpr const char* k_held =
    "status=COMPLETE&hook=pre-create&hook=pre-update&hook=pre-delete&hook=post-create&hook=post-update&hook=post-"
    "delete";

/// The answer, or nullopt where there is no such thing.
template <class Call>
std::optional<Json> unless_missing(Call call) {
  try {
    return call();
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::not_found) throw;
    return std::nullopt;
  }
}

/// What an answer has to hold; another server's may be anything.
Json part_of(const Json& answer, std::string_view key) {
  const auto found = answer.is_object() ? answer.find(std::string(key)) : answer.end();
  if (!answer.is_object() || found == answer.end() || !found->is_structured())
    throw Error(ErrorKind::input, cat("the answer holds no ", key)).hint("is there such a service at that address?");
  return *found;
}

/// What failed deployments wrote, which is the cause as a rule, goes to the resources.
void add_words(metadata::live::StackClient& client, Json& resources) {
  constexpr std::size_t k_most = 3;
  std::size_t asked = 0;
  for (Json& resource : resources) {
    const bool failed = text_in(resource, "resource_status").ends_with("_FAILED") &&
                        text_in(resource, "resource_type").find("Deployment") != std::string::npos;
    const std::string id = text_in(resource, "physical_resource_id");
    if (!failed || id.empty() || ++asked > k_most) continue;
    const std::optional<Json> answer =
        unless_missing([&] { return client.call("GET", cat("/software_deployments/", percent_encode(id))); });
    if (!answer) continue;
    const Json outputs = member_or_null(member_or_null(*answer, "software_deployment"), "output_values");
    if (const std::string words = text_in(outputs, "deploy_stderr"); !words.empty()) resource["deploy_stderr"] = words;
  }
}

/// What its API calls the node of a name, a UUID or a MAC address.
std::string node_id(ConductorClient& conductor, const std::string& name) {
  const std::optional<pxe::Mac> mac = pxe::parse_mac(name);
  if (!mac) return percent_encode(name);
  const std::string address = pxe::to_text(*mac);
  for (const Json& port :
       part_of(conductor.call("GET", cat("/v1/ports?fields=address,node_uuid&address=", address)), "ports")) {
    if (text_in(port, "address") == address) return percent_encode(text_in(port, "node_uuid"));
  }
  throw Error(ErrorKind::not_found, cat("no node has a card ", address))
      .hint("hearth node list prints the nodes; what an unknown machine asked for is in `hearth pxe boot-log`");
}

NodeFacts node_facts(ConductorClient& conductor, const std::string& name, const Clock& clock) {
  const std::string id = node_id(conductor, name);
  NodeFacts facts;
  facts.node = conductor.call("GET", cat("/v1/nodes/", id));
  if (text_in(facts.node, "provision_state").empty())
    throw Error(ErrorKind::input, "the answer is no node").hint("is there a conductor at that address (--url)?");
  // Both are Hearth's own: another conductor of Ironic's API has neither.
  const std::optional<Json> events =
      unless_missing([&] { return conductor.call("GET", cat("/v1/hearth/events?newest=true&node=", id)); });
  if (events) facts.events = part_of(*events, "events");
  facts.is_ours = events.has_value();
  facts.is_served = conductor.lasts();
  for (const Json& port : part_of(conductor.call("GET", cat("/v1/nodes/", id, "/ports")), "ports"))
    facts.macs.push_back(text_in(port, "address"));
  const std::optional<Json> boots =
      unless_missing([&] { return conductor.call("GET", cat("/v1/hearth/boot-log/", id)); });
  if (boots) facts.boot_log = part_of(*boots, "events");
  const std::optional<Json> strangers = unless_missing([&] { return conductor.call("GET", "/v1/hearth/waiting"); });
  if (strangers) facts.strangers = part_of(*strangers, "waiting");
  facts.now = unix_microseconds(clock.wall());
  return facts;
}

}  // namespace

std::vector<cli::Option> with_sources(std::vector<cli::Option> options) {
  options = with_client(std::move(options));
  options.push_back(
      {"stack-url", 0, "URL", "the stack service (that of the state, else http://127.0.0.1:8004/v1/admin)"});
  options.push_back({"stack-token-file", 0, "FILE", cat("its token (", k_stack_state, "/api-token)")});
  options.push_back({"stack-ca-file", 0, "FILE", "whom to trust there (PEM; authority.pem beside the token)"});
  return options;
}

cli::Arguments beside_rehearsal(cli::Arguments arguments, std::vector<std::string>& told) {
  const Environment env = current_environment();
  const bool is_named = arguments.has("state") || !conductor_url(arguments).empty() || arguments.has("stack-url") ||
                        arguments.has("stack-token-file") || env.contains("HEARTH_NODE_STATE");
  boost::system::error_code hidden;
  if (is_named || has_state(state_directory(arguments), false) ||
      fs::exists(fs::path(k_stack_state) / "api-token", hidden))
    return arguments;
  std::vector<RehearsalPlace> places = rehearsals_at(".");
  const auto runs = [](const RehearsalPlace& place) { return place.runs; };
  const auto running = std::count_if(places.begin(), places.end(), runs);
  if (running > 1) {
    for (const RehearsalPlace& place : places) {
      if (place.runs)
        told.push_back(cat("a rehearsal is here, one of several: --state ", rehearsed_state(place.folder).string()));
    }
  } else if (!places.empty()) {  // the one that runs, else the last that ran
    const RehearsalPlace& place =
        *std::max_element(places.begin(), places.end(), [](const RehearsalPlace& a, const RehearsalPlace& b) {
          return std::pair(a.runs, a.changed) < std::pair(b.runs, b.changed);
        });
    cli::tell(cat("of the rehearsal in ", place.folder.string(), place.runs ? ", which runs" : ", which has ended",
                  places.size() > 1 && !place.runs ? ", the last of those here\n" : "\n"));
    arguments.add("state", rehearsed_state(place.folder).string());
  }
  return arguments;
}

ConductorClient* Sources::conductor() {
  const bool told = !conductor_url(arguments_).empty();
  if (!conductor_ && (told || has_state(state_directory(arguments_)))) conductor_ = ConductorClient::open(arguments_);
  if (conductor_ && conductor_->lasts() && !is_asked_) {
    is_asked_ = true;
    PageFacts facts = page_facts(*conductor_, arguments_);
    unkept_ = unkept_cause(facts);
    if (facts.hangs) silent_ = std::move(facts);
    conductor_->set_patience(ConductorClient::k_usual_patience);
  }
  return conductor_.get();
}

bool Sources::is_silent() {
  try {
    static_cast<void>(conductor());
  } catch (const Error&) {
    return false;  // node() tells it
  }
  return silent_.has_value();
}

std::optional<NodeFacts> Sources::node(const std::string& name) {
  try {
    if (conductor() == nullptr) {
      tried_.push_back(cat("no conductor has its state in ", state_directory(arguments_), " (--url, --state)"));
      return std::nullopt;
    }
    NodeFacts facts = node_facts(*conductor_, name, clock_);
    facts.unkept = unkept_;
    return facts;
  } catch (const Error& error) {
    const std::string url = conductor_url(arguments_);
    tried_.push_back(cat("the conductor", url.empty() ? cat(" of ", state_directory(arguments_)) : cat(" at ", url),
                         ": ", error.story()));
    // One of whose machines may be meant.
    for (const RehearsalPlace& place : rehearsals_at(".")) {
      const std::string state = rehearsed_state(place.folder).string();
      if (state != state_directory(arguments_))
        tried_.push_back(cat("a rehearsal is here, which was not asked: --state ", state));
    }
    return std::nullopt;
  }
}

std::optional<StackFacts> Sources::stack(const std::string& name) {
  const std::optional<RehearsalPlace> rehearsal = rehearsal_of(state_directory(arguments_));
  if (rehearsal && !rehearsal->runs && !arguments_.has("stack-url")) {
    tried_.push_back(cat("the rehearsal in ", rehearsal->folder.string(),
                         " has ended, and its stack service with it; hearth rehearse … --keep holds both"));
    return std::nullopt;
  }
  try {
    metadata::live::StackClient client(http_, clock_, stacks(), ConductorClient::k_usual_patience);
    const std::string place = client.locate(name);
    StackFacts facts;
    facts.stack = part_of(client.call("GET", cat(place, "?resolve_outputs=False")), "stack");
    if (!text_in(facts.stack, "stack_status").ends_with("_COMPLETE")) {  // of the rest nothing is told
      for (const char* wanted : {k_unfinished, k_held}) {
        const Json answer = client.call("GET", cat(place, "/resources?nested_depth=9&", wanted));
        for (const Json& resource : part_of(answer, "resources")) facts.resources.push_back(resource);
      }
    }
    add_words(client, facts.resources);
    const std::vector<std::string> silent = silent_servers(facts.resources);
    try {
      if (!silent.empty()) look_at_machines(client, place, silent, facts);
    } catch (const Error& error) {  // the stack's own answer stands without
      tried_.push_back(cat("the conductor: ", error.story()));
    }
    return facts;
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::not_found) {
      tried_.push_back(cat("the stack service: there is no stack ", name, meant_stack(name)));
      return std::nullopt;
    }
    // The client's own advice names options of `hearth stack`.
    const bool lacks_token = error.story().find("give --token-file") != std::string::npos;
    tried_.push_back(cat("the stack service: ", lacks_token ? cat(error.what(),
                                                                  "; of a hearth metadata serve: --stack-token-file "
                                                                  "STATE/api-token, where STATE is its --state")
                                                            : error.story()));
    return std::nullopt;
  }
}

std::string Sources::meant_stack(const std::string& name) {
  std::vector<std::string> names;
  try {
    metadata::live::StackClient client(http_, clock_, stacks(), ConductorClient::k_usual_patience);
    for (const Json& row : part_of(client.call("GET", "/stacks?limit=1000"), "stacks"))
      names.push_back(text_in(row, "stack_name"));
  } catch (const Error&) {  // that there is none stands without
    names.clear();
  }
  if (const std::optional<std::string> near = nearest(name, names)) return cat("; did you mean ", *near, "?");
  return " (one whose creation was refused is not kept: the command that was refused has said why, and says it again)";
}

std::vector<std::string> Sources::lacking_in(const std::string& stack, const std::vector<metadata::Wait>& chain) {
  constexpr std::size_t k_most = 8;
  std::vector<std::string> lacking;
  metadata::live::StackClient client(http_, clock_, stacks(), ConductorClient::k_usual_patience);
  const std::string place = client.locate(stack);
  for (const metadata::Wait& wait : chain) {
    const std::string& path = wait.event.resource;
    if (lacking.size() == k_most) break;  // of so many one would be there
    const std::string name = path.substr(path.rfind('.') + 1);
    const Json answer = client.call(
        "GET", cat(place, "/resources?nested_depth=9&name=", percent_encode(name), "&name=", percent_encode(path)));
    if (!part_of(answer, "resources").empty()) return {};
    lacking.push_back(path);
  }
  return lacking;
}

Json Sources::unbegun_in(const std::string& stack) {
  metadata::live::StackClient client(http_, clock_, stacks(), ConductorClient::k_usual_patience);
  return part_of(client.call("GET", cat(client.locate(stack), "/resources?nested_depth=9&action=INIT")), "resources");
}

Json Sources::resources_of(const std::string& stack) {
  metadata::live::StackClient client(http_, clock_, stacks(), ConductorClient::k_usual_patience);
  return part_of(client.call("GET", cat(client.locate(stack), "/resources?nested_depth=9")), "resources");
}

/// The nodes of servers, which are told by their resources' names: a node carries its server's UUID as its instance;
/// else one of that name is meant.
void Sources::look_at_machines(metadata::live::StackClient& client, const std::string& place,
                               const std::vector<std::string>& servers, StackFacts& facts) {
  if (conductor() == nullptr) return;
  const std::optional<Json> rows = unless_missing([&] { return client.call("GET", cat(place, "/servers")); });
  const Json listed = rows ? part_of(*rows, "servers") : Json::array();
  std::size_t asked = 0;
  for (std::size_t i = 0; i < std::min(servers.size(), k_most_nodes); ++i) {
    bool is_found = false;
    for (const Json& row : listed) {
      const std::string path = text_in(row, "path");
      if (path.substr(path.find_last_of("/.") + 1) != servers[i] || ++asked > k_most_nodes) continue;
      const Json answer = conductor_->call("GET", cat("/v1/nodes?fields=uuid&instance_uuid=", text_in(row, "id")));
      for (const Json& found : part_of(answer, "nodes")) {
        const std::optional<NodeFacts> machine = node(text_in(found, "uuid"));
        if (machine) is_found = facts.silent.emplace(text_in(row, "name"), *machine).second;
      }
    }
    const std::optional<NodeFacts> machine = is_found ? std::nullopt : node(servers[i]);
    if (machine) facts.silent.emplace(servers[i], *machine);
  }
}

/// Of the conductor's own engine, where it has one; else of `hearth metadata serve`.
metadata::live::StackAddress Sources::stacks() const {
  const fs::path own = fs::path(state_directory(arguments_)) / "metadata";
  const std::string token_file = arguments_.value_or("stack-token-file", "");
  const fs::path state = !token_file.empty()             ? fs::path(token_file).parent_path()
                         : fs::exists(own / "api-token") ? own
                                                         : fs::path(k_stack_state);
  return metadata::live::stack_address(
      state, {arguments_.value_or("stack-url", ""), token_file, arguments_.value_or("stack-ca-file", "")},
      current_environment());
}

}  // namespace hearth::bootstrap::why
