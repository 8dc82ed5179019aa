// The field's own verbs, as TripleO's client had them, over the same nodes.
#include <algorithm>
#include <map>
#include <set>

#include "base/cli/print.hpp"
#include "base/cli/table.hpp"
#include "base/error.hpp"
#include "base/net/url.hpp"
#include "base/sys/file.hpp"
#include "base/text.hpp"
#include "bootstrap/cli/commands.hpp"
#include "bootstrap/cli/verb_outcome.hpp"
#include "bootstrap/client/conductor_client.hpp"
#include "bootstrap/client/node_text.hpp"
#include "bootstrap/client/wait_lines.hpp"
#include "bootstrap/deploy/choice.hpp"
#include "bootstrap/inventory/draft.hpp"
#include "bootstrap/node/node.hpp"

namespace hearth::bootstrap {

namespace {

int import_baremetal(const cli::Arguments& arguments) {
  static_cast<void>(read_file(arguments.operand(0, "file")));  // a mistyped name makes no state
  const auto conductor = ConductorClient::open(arguments, ConductorClient::NewState::made);
  const std::string format = arguments.has("json") ? "json" : arguments.has("csv") ? "csv" : "";
  import_file(*conductor, arguments.operand(0, "file"), format,
              {{"initial_state", arguments.value_or("initial-state", "available")}});
  return 0;  // and prints nothing, as the original
}

/// Of an option of `configure boot` that is not given.
std::string usual_name(const std::string& option) { return cat("bm-", option); }

/// What an option of `configure boot` names. Each node would keep a name that nothing has, and boot nothing by it:
/// empty for the usual name, where there is nothing of that.
std::string boot_file(ConductorClient& conductor, const cli::Arguments& arguments, const std::string& option) {
  const std::string given = arguments.value_or(option, usual_name(option));
  if (given.find("://") != std::string::npos) return given;
  const bool is_path = given.find('/') != std::string::npos;  // maybe the conductor's, on another machine
  std::vector<std::string> names;
  if (!is_path) {
    const Json known = conductor.call("GET", "/v1/hearth/images");
    for (const Json& image : list_member(known, "images")) names.push_back(text_in(image, "name"));
    if (std::find(names.begin(), names.end(), given) != names.end()) return given;
  }
  if (fs::is_regular_file(given)) return fs::absolute(given).string();  // a word without '/' would be an image's name
  if (is_path && !conductor_url(arguments).empty()) return given;
  const std::optional<std::string> near = nearest(given, names);
  const std::string fault = cat("--", option, ": '", given, "' is no registered image, no file here and no URL",
                                near ? cat("; did you mean ", *near, "?") : "");
  if (arguments.has(option))
    throw Error(ErrorKind::not_found, fault).hint("hearth image list names the images; hearth image load makes one");
  return "";
}

/// A usual name that stands for nothing is given to nodes that have none yet, as the field's own tools do it; what
/// people have set stays.
void require_unset(ConductorClient& conductor, const std::string& option) {
  constexpr std::size_t k_most = 3;
  std::vector<std::string> set;
  for (const Json& node : conductor.rows("/v1/nodes/detail", "nodes")) {
    const std::string file = text_in(object_member(node, "driver_info"), replace_all(option, "-", "_"));
    if (node.value("maintenance", Json()) == false && !file.empty() && file != usual_name(option))
      set.push_back(cat(text_in(node, "name", text_in(node, "uuid")), " boots ", file));
  }
  if (set.empty()) return;
  throw Error(ErrorKind::not_found, cat("there is no image ", usual_name(option),
                                        ", and nodes have another: ", join_first(set, k_most), "; nothing was changed"))
      .hint("say what they are to boot: --deploy-kernel NAME --deploy-ramdisk NAME (hearth image list)");
}

int configure_boot(const cli::Arguments& arguments) {
  const auto conductor = ConductorClient::open(arguments);
  Json body = {{"overwrite", arguments.has("overwrite-root-device-hints")}};
  bool is_there = true;
  for (const auto& [key, option] : {std::pair{"kernel", "deploy-kernel"}, {"ramdisk", "deploy-ramdisk"}}) {
    const std::string file = boot_file(*conductor, arguments, option);
    if (file.empty()) require_unset(*conductor, option);
    is_there = is_there && !file.empty();
    body[key] = file.empty() ? usual_name(option) : file;
  }
  if (const auto strategy = arguments.value("root-device")) body["root_device"] = *strategy;
  body["minimum_size"] = parse_number(arguments.value_or("root-device-minimum-size", "4")).value_or(4);
  const Json answer = conductor->call("POST", "/v1/hearth/configure_boot", body);
  for (const Json& warning : answer["warnings"]) cli::tell(cat("warning: ", text_of(warning), "\n"));
  const std::size_t set = list_member(answer, "nodes").size();
  cli::tell(cat(set, set == 1 ? " node boots " : " nodes boot ", text_in(body, "kernel"), " and ",
                text_in(body, "ramdisk"), " for deployments",
                is_there ? ""
                         : " once images of these names are registered (hearth image load); until then what a "
                           "boot document of `node serve --boot` has",
                "; those in maintenance are as they were\n"));
  return answer["warnings"].empty() ? 0 : 1;
}

using Errors = std::vector<std::pair<std::string, std::string>>;  ///< UUID, text

Json status_of(ConductorClient& conductor, const std::string& uuid) {
  return conductor.call("GET", cat("/v1/introspection/", percent_encode(uuid)));
}

Json nodes_of(ConductorClient& conductor, const std::vector<std::string>& uuids) {
  Json nodes = Json::array();
  for (const std::string& uuid : uuids) nodes.push_back(conductor.call("GET", node_target(uuid)));
  return nodes;
}

/// What only a person can do, once for each machine: whoever waits for it is not told by a table elsewhere.
void tell_what_people_do(const Json& nodes, std::set<std::string>& told) {
  for (const Json& node : nodes) {
    const std::string text =
        text_in(object_member(object_member(node, "driver_internal_info"), "operator_instruction"), "text");
    if (!text.empty() && told.insert(cat(text_in(node, "uuid"), text)).second)
      cli::tell(cat(node_title(node), " waits for a person: ", text, " (hearth node todo)\n"));
  }
}

/// Those that have ended are told, and taken out of `uuids`; returns the errors.
Errors take_ended(ConductorClient& conductor, std::vector<std::string>& uuids) {
  Errors errors;
  std::erase_if(uuids, [&](const std::string& uuid) {
    const Json status = status_of(conductor, uuid);
    if (status["finished"] != true) return false;
    if (!status["error"].is_null()) errors.emplace_back(uuid, text_of(status["error"]));
    cli::print(cat("Introspection for UUID ", uuid, " finished ",
                   status["error"].is_null() ? "successfully." : cat("with error: ", errors.back().second), "\n"));
    return true;
  });
  cli::flush();
  return errors;
}

/// Waits for all, or for so long; the errors by UUID. 0 seconds: as long as the conductor does.
Errors wait_for_inspections(ConductorClient& conductor, std::vector<std::string> uuids, std::uint64_t seconds = 0) {
  Errors errors;
  std::set<std::string> told;
  const SystemClock clock;
  const MonotonicTime begun = clock.now();
  WaitLines lines(clock, cli::tell);
  while (true) {
    for (auto& error : take_ended(conductor, uuids)) errors.push_back(std::move(error));
    if (uuids.empty()) return errors;
    if (lines.is_due()) {
      const Json nodes = nodes_of(conductor, uuids);
      tell_what_people_do(nodes, told);
      lines.look(node_lines(nodes));
    }
    if (seconds > 0 && clock.now() - begun >= std::chrono::seconds(seconds))
      throw Error(ErrorKind::external,
                  cat("not inspected in ", seconds, " s: ", node_lines(nodes_of(conductor, uuids))))
          .hint("they go on: hearth baremetal introspection bulk status; of one: hearth why NODE");
    conductor.wait(std::chrono::seconds(1));
  }
}

void require_conductor(const ConductorClient& conductor) {
  if (!conductor.lasts()) {
    throw Error(ErrorKind::unsupported, "no conductor runs that could inspect nodes")
        .hint("start one: hearth node serve");
  }
}

int start_command(const cli::Arguments& arguments) {
  const auto conductor = ConductorClient::open(arguments);
  require_conductor(*conductor);
  std::vector<std::string> uuids;
  for (const std::string& id : arguments.operands()) {
    const Json node = conductor->call("GET", node_target(id));
    uuids.push_back(text_in(node, "uuid"));
    if (text_in(node, "provision_state") == "available") {
      conductor->call("PUT", cat("/v1/nodes/", uuids.back(), "/states/provision"), {{"target", "manage"}});
    }
    conductor->call("POST", cat("/v1/introspection/", percent_encode(id)));
    cli::print(cat("Starting introspection of node: ", uuids.back(), "\n"));
  }
  if (!arguments.has("wait")) return 0;
  return wait_for_inspections(*conductor, uuids).empty() ? 0 : 1;
}

/// Nodes in service, with their state.
std::vector<Json> nodes_in_service(ConductorClient& conductor) {
  std::vector<Json> found;
  const Json nodes = conductor.rows("/v1/nodes/detail", "nodes");
  for (const Json& node : nodes) {
    if (node["maintenance"] == false) found.push_back(node);
  }
  return found;
}

/// Begins with all that can be; their UUIDs.
std::vector<std::string> begin_all(ConductorClient& conductor) {
  cli::print("Setting nodes for introspection to manageable...\n");
  std::vector<std::string> uuids;
  std::vector<std::string> taken;
  for (const Json& node : nodes_in_service(conductor)) {
    const std::string state = text_in(node, "provision_state");
    const std::string uuid = text_in(node, "uuid");
    if (state == "available") {
      conductor.call("PUT", cat("/v1/nodes/", uuid, "/states/provision"), {{"target", "manage"}});
      taken.push_back(node_title(node));
    }
    if (state == "available" || state == "manageable" || state == "inspect failed") uuids.push_back(uuid);
  }
  if (!taken.empty()) cli::tell(cat("not available until their inspection is done: ", join(taken, ", "), "\n"));
  for (const std::string& uuid : uuids) {
    cli::print(cat("Starting introspection of node: ", uuid, "\n"));
    conductor.call("POST", cat("/v1/introspection/", uuid));
  }
  return uuids;
}

int bulk_start(const cli::Arguments& arguments) {
  const std::uint64_t seconds = patience(arguments);
  if (arguments.has("wait") && arguments.has("no-wait"))
    throw Error(ErrorKind::usage, "--wait and --no-wait exclude each other");
  const auto conductor = ConductorClient::open(arguments);
  require_conductor(*conductor);
  const std::vector<std::string> uuids = begin_all(*conductor);
  if (arguments.has("no-wait")) {
    cli::tell("how they stand: hearth baremetal introspection bulk status; then, for each: hearth node provide NODE\n");
    return 0;
  }
  cli::print("Waiting for introspection to finish...\n");
  cli::flush();
  const Errors errors = wait_for_inspections(*conductor, uuids, seconds);
  cli::print("Setting manageable nodes to available...\n");
  for (const Json& node : nodes_in_service(*conductor)) {
    if (text_in(node, "provision_state") != "manageable") continue;
    conductor->call("PUT", cat("/v1/nodes/", text_in(node, "uuid"), "/states/provision"), {{"target", "provide"}});
    cli::print(cat("Node ", text_in(node, "uuid"), " has been set to available.\n"));
  }
  if (errors.empty()) {
    cli::print("Introspection completed.\n");
    return 0;
  }
  cli::print("Introspection completed with errors:\n");
  for (const auto& [uuid, error] : errors) cli::print(cat(uuid, ": ", error, "\n"));
  return 1;
}

int bulk_status(const cli::Arguments& arguments) {
  const auto conductor = ConductorClient::open(arguments);
  std::map<std::string, std::string> names;
  for (const Json& node : conductor->rows("/v1/nodes?fields=uuid,name", "nodes"))
    names.emplace(text_in(node, "uuid"), shown_value(node["name"]));
  std::vector<cli::Row> rows;
  const Json statuses = conductor->call("GET", "/v1/introspection")["introspection"];
  for (const Json& row : statuses) {
    const std::string uuid = text_in(row, "uuid");
    rows.push_back({uuid, names[uuid], shown_value(row["finished"]), shown_value(row["error"])});
  }
  cli::print(cli::table({"Node UUID", "Name", "Finished", "Error"}, rows, cli::table_room()));
  return 0;
}

int one_status(const cli::Arguments& arguments) {
  const auto conductor = ConductorClient::open(arguments);
  if (arguments.operands().empty()) return bulk_status(arguments);
  Json status = status_of(*conductor, arguments.operand(0, "node"));
  status.erase("links");
  cli::print(fields_table(status, cli::table_room()));
  return 0;
}

int data_command(const cli::Arguments& arguments) {
  const auto conductor = ConductorClient::open(arguments);
  cli::print(json_document(
      conductor->call("GET", cat("/v1/introspection/", percent_encode(arguments.operand(0, "node")), "/data"))));
  return 0;
}

int show_capabilities(const cli::Arguments& arguments) {
  const auto conductor = ConductorClient::open(arguments);
  std::vector<cli::Row> rows;
  const Json nodes = conductor->rows("/v1/nodes/detail", "nodes");
  for (const Json& node : nodes) {
    rows.push_back(
        {text_in(node, "uuid"), shown_value(node["name"]), text_in(node["properties"], "capabilities", "None")});
  }
  cli::print(cli::table({"Node UUID", "Name", "Node Capabilities"}, rows, cli::table_room()));
  return 0;
}

int validate_file(const cli::Arguments& arguments) {
  const std::string file =
      arguments.value_or("file", arguments.operands().empty() ? "instackenv.json" : arguments.operands()[0]);
  const auto entries =
      read_listing(read_file(file), file, format_of(file).value_or(ListingFormat::any)).value_or_throw();
  Drafts drafts = draft_nodes(entries);
  std::vector<Fault> faults = std::move(drafts.faults);
  const auto is_told = [&](const Fault& fault) {  // of one BMC, which the import's own check has told of
    const ListingEntry& entry = entries[fault.index];
    return entry.places.contains("pm_addr") && fault.at == entry.place("pm_addr") &&
           std::any_of(faults.begin(), faults.end(),
                       [&](const Fault& other) { return other.index == fault.index && other.at == fault.at; });
  };
  for (Fault& fault : environment_faults(entries)) {
    if (!is_told(fault)) faults.push_back(std::move(fault));
  }
  for (const std::string& line : drafts.warnings) cli::tell(cat("warning: ", line, "\n"));
  if (!faults.empty()) cli::print(cat(faults_text(faults, entries, file), "\n"));
  cli::print(cat(faults.empty() ? "SUCCESS" : "FAILURE", ": found ", faults.size(), " errors\n"));
  return faults.empty() ? 0 : 1;
}

}  // namespace

std::vector<cli::Command> baremetal_commands() {
  return {
      {"baremetal import", "FILE", "take an inventory into the database (hearth node import tells more)", "",
       with_client({{"json", 0, "", "the file is JSON"},
                    {"csv", 0, "", "the file is CSV"},
                    {"initial-state",
                     0,
                     "STATE",
                     "enroll, manageable or available (available)",
                     {"enroll", "manageable", "available"}}}),
       import_baremetal},
      {"baremetal configure boot", "", "give nodes their deploy kernel and ramdisk",
       "For every node in service; with --root-device, also chooses the root disk from what the inspection found.",
       with_client({{"deploy-kernel", 0, "NAME", "a registered image's, a file's or a URL's kernel (bm-deploy-kernel)"},
                    {"deploy-ramdisk", 0, "NAME", "likewise (bm-deploy-ramdisk)"},
                    {"root-device", 0, "HOW", "largest, smallest, or names in order of preference"},
                    {"root-device-minimum-size", 0, "GIB", "smaller disks are left out (4)"},
                    {"overwrite-root-device-hints", 0, "", "also where a node has a hint already"}}),
       configure_boot},
      {"baremetal introspection start", "NODE…", "inspect nodes", "",
       with_client({{"wait", 0, "", "until all have ended"}}), start_command},
      {"baremetal introspection status", "[NODE]", "how the inspection of a node stands", "", with_client({}),
       one_status},
      {"baremetal introspection data", "NODE", "what the inspection of a node found", "", with_client({}),
       data_command},
      {"baremetal introspection bulk start", "", "inspect all nodes in service, then make them available",
       "Those that are available, manageable or inspect failed: one that is available is not until its inspection is "
       "done. Says whom it waits for, until when, and where a person is to switch a machine.",
       with_client({{"wait", 0, "SECONDS", "until all are done, or so long; 0 = for ever (0)"},
                    {"no-wait", 0, "", "begin, and make none available"}}),
       bulk_start},
      {"baremetal introspection bulk status", "", "how all inspections stand", "", with_client({}), bulk_status},
      {"baremetal show capabilities", "", "print the nodes' capabilities", "", with_client({}), show_capabilities},
      {"baremetal instackenv validate",
       "[FILE]",
       "check an inventory without importing it",
       "",
       {{"file", 'f', "FILE", "the inventory (instackenv.json)"}},
       validate_file},
  };
}

}  // namespace hearth::bootstrap
