#include <algorithm>
#include <map>
#include <set>

#include "base/cli/print.hpp"
#include "base/cli/table.hpp"
#include "base/error.hpp"
#include "base/log.hpp"
#include "base/net/url.hpp"
#include "base/python_json.hpp"
#include "base/redaction.hpp"
#include "base/sys/file.hpp"
#include "base/text.hpp"
#include "bootstrap/cli/commands.hpp"
#include "bootstrap/cli/driver_text.hpp"
#include "bootstrap/cli/given_files.hpp"
#include "bootstrap/cli/import_outcome.hpp"
#include "bootstrap/client/conductor_client.hpp"
#include "bootstrap/client/node_text.hpp"
#include "bootstrap/inventory/changes.hpp"
#include "bootstrap/inventory/export_forms.hpp"
#include "bootstrap/inventory/listing.hpp"
#include "bootstrap/node/capabilities.hpp"
#include "bootstrap/node/node.hpp"
#include "bootstrap/node/root_hints.hpp"
#include "bootstrap/power/driver_keys.hpp"
#include "pxe/boot/explain.hpp"

namespace hearth::bootstrap {

Json import_file(ConductorClient& conductor, const std::string& file, const std::string& format, Json options) {
  const std::string text = read_file(file);
  require_utf8(text, file);
  options["text"] = text;
  options["source"] = file;
  const std::optional<ListingFormat> written = format_of(file);
  options["format"] = !format.empty() ? format : written ? name_of(*written) : "";
  Json answer = conductor.call_expecting("POST", "/v1/hearth/import", options, 422);
  for (const Json& warning : answer["warnings"]) cli::tell(cat("warning: ", text_of(warning), "\n"));
  if (answer.contains("faults")) {
    const std::string faults = text_in(answer, "faults");
    Error error(ErrorKind::input, cat("the inventory has faults; nothing was changed\n", faults));
    if (faults.find("can't be changed now") != std::string::npos)
      error.hint("Nodes that are at work: --skip-busy takes the others, and leaves these as they are.");
    throw Error(error);
  }
  return answer;
}

namespace {

/// What an import answered of its nodes, by their UUIDs: the answer's own objects are searched from their beginning.
class Imported {
 public:
  explicit Imported(const Json& answer) {
    for (const Json& uuid : list_member(answer, "unsettled")) unsettled_.insert(text_of(uuid));
    for (const auto& [uuid, name] : object_member(answer, "names").items()) names_[uuid] = text_of(name);
    for (const auto& [uuid, machine] : object_member(answer, "machines").items()) machines_[uuid] = text_of(machine);
    for (const auto& [uuid, changes] : object_member(answer, "changes").items()) changes_[uuid] = &changes;
  }
  /// The field's words, "UUID …", and what people know it by.
  [[nodiscard]] std::string title(const std::string& uuid) const {
    const std::string name = text(names_, uuid);
    if (unsettled_.contains(uuid))
      return cat(name, name.empty() ? "" : ": ", text(machines_, uuid), " (its UUID is made then)");
    return cat("UUID ", uuid, name.empty() ? "" : cat(" (", name, ")"));
  }
  /// Lines, indented.
  [[nodiscard]] std::string changes(const std::string& uuid) const {
    const auto found = changes_.find(uuid);
    std::string lines;
    if (found == changes_.end()) return lines;
    for (const Json& change : *found->second) lines += cat("  ", change_text(change), "\n");
    return lines;
  }

 private:
  static std::string text(const std::map<std::string, std::string>& of, const std::string& uuid) {
    const auto found = of.find(uuid);
    return found == of.end() ? "" : found->second;
  }
  std::set<std::string> unsettled_;
  std::map<std::string, std::string> names_;
  std::map<std::string, std::string> machines_;
  std::map<std::string, const Json*> changes_;  ///< of the answer
};

void tell_unchanged(const Json& answer, bool dry_run) {
  const Json& unchanged = answer["unchanged"];
  if (unchanged.empty()) return;
  const bool nothing = answer["created"].empty() && answer["updated"].empty() && answer["removed"].empty();
  cli::print(cat(!nothing  ? ""
                 : dry_run ? "Nothing would change: "
                           : "Nothing changed: ",
                 unchanged.size(), unchanged.size() == 1 ? " node is" : " nodes are", " as the file has them",
                 list_member(answer, "differing").empty() ? "" : ", but for what the warnings say", ".\n"));
}

/// What nobody would expect of words that only take down machines: some of them are started.
void tell_cleaned(const Json& answer, bool dry_run) {
  const std::size_t count = list_member(answer, "cleaned").size();
  if (count == 0) return;
  cli::print(
      cat(count, count == 1 ? " node" : " nodes",
          dry_run      ? " would be"
          : count == 1 ? " is"
                       : " are",
          " cleaned before being available (--automated-clean of the conductor): a machine that is off is started "
          "with the ramdisk, one that is on stays manageable",
          dry_run ? "; --initial-state manageable starts none" : "", ".\n"));
}

int import_command(const cli::Arguments& arguments) {
  using NewState = ConductorClient::NewState;
  static_cast<void>(read_file(arguments.operand(0, "file")));  // a mistyped name makes no state
  const auto conductor = ConductorClient::open(arguments, arguments.has("dry-run") ? NewState::played : NewState::made);
  Json options = {{"dry_run", arguments.has("dry-run")},
                  {"remove", arguments.has("remove")},
                  {"skip_busy", arguments.has("skip-busy")}};
  options["initial_state"] = arguments.value_or("initial-state", "available");
  options["boot_option"] = arguments.value_or("instance-boot-option", "local");
  Json answer = import_file(*conductor, arguments.operand(0, "file"), arguments.value_or("format", ""), options);
  const bool looks = !arguments.has("dry-run") && options["initial_state"] != "enroll";
  if (arguments.has("json")) {
    const Json failed = looks ? failed_imports(*conductor, answer) : Json::array();
    answer["refused"] = failed;
    for (Json& row : still_refused(*conductor, answer)) answer["refused"].push_back(std::move(row));
    cli::print(json_document(answer));
    return failed.empty() ? 0 : 1;
  }
  const char* would = arguments.has("dry-run") ? "Would have " : "Successfully ";
  const Imported nodes(answer);
  for (const char* what : {"created", "updated", "removed"}) {
    const std::string word = std::string(what) == "created" ? "registered" : what;
    for (const Json& uuid : answer[what]) {
      const std::string id = text_of(uuid);
      cli::print(cat(would, word, " node ", nodes.title(id), "\n", arguments.has("dry-run") ? nodes.changes(id) : ""));
    }
  }
  for (const Json& uuid : list_member(answer, "retried")) {
    cli::print(cat("node ", nodes.title(text_of(uuid)), " is as the file has it, and stood in enroll with a fault: it ",
                   arguments.has("dry-run") ? "would be" : "is", " tried again\n"));
  }
  const auto has_none = [&](const char* what) { return list_member(answer, what).empty(); };
  if (std::ranges::all_of(std::array{"created", "updated", "removed", "unchanged", "busy"}, has_none))
    cli::tell(cat("warning: ", arguments.operand(0, "file"), " has no machine\n"));
  tell_unchanged(answer, arguments.has("dry-run"));
  tell_cleaned(answer, arguments.has("dry-run"));
  const bool writes = !arguments.has("dry-run") && !(answer["created"].empty() && answer["updated"].empty());
  if (writes && !conductor->lasts()) tell_where_kept(arguments);
  static_cast<void>(still_refused(*conductor, answer));
  return !looks || failed_imports(*conductor, answer).empty() ? 0 : 1;
}

/// "k=v" → a patch that sets /GROUP/k; JSON values are taken as such where they are one.
void add_rows(Json& patch, const cli::Arguments& arguments, const std::string& option, const std::string& group) {
  for (const std::string& pair : arguments.values(option)) {
    const std::size_t equals = pair.find('=');
    if (equals == std::string::npos)
      throw Error(ErrorKind::usage, cat("--", option, " ", pair, ": KEY=VALUE is expected"));
    const std::string value = pair.substr(equals + 1);
    const bool structured =
        !value.empty() && (value.front() == '{' || value.front() == '[' || value == "true" || value == "false");
    const Result<Json> parsed = parse_json(value, option);
    patch.push_back({{"op", "add"},
                     {"path", cat("/", group, "/", replace_all(pair.substr(0, equals), "/", "~1"))},
                     {"value", structured && parsed ? *parsed : Json(value)}});
  }
}

constexpr std::array<std::pair<const char*, const char*>, 4> k_groups = {{{"driver-info", "driver_info"},
                                                                          {"property", "properties"},
                                                                          {"instance-info", "instance_info"},
                                                                          {"extra", "extra"}}};

/// Capabilities and what the seed gives a machine: read, changed and put back.
void add_special(Json& patch, const cli::Arguments& arguments, const Json& node) {
  auto items = parse_capabilities(text_in(node["properties"], "capabilities"));
  for (const std::string& given : arguments.values("capability")) {
    for (const auto& [key, value] : parse_capabilities(replace_all(given, "=", ":"))) {
      if (const std::string doubt = capability_doubt(key, value); !doubt.empty() && !value.empty())
        cli::tell(cat("warning: --capability ", key, ":", value, ": ", doubt, " It is set as it stands.\n"));
      std::erase_if(items, [&, key = key](const auto& item) { return item.first == key; });
      if (!value.empty()) items.emplace_back(key, value);
    }
  }
  if (arguments.has("capability")) {
    patch.push_back({{"op", "add"}, {"path", "/properties/capabilities"}, {"value", capabilities_text(items)}});
  }
  Json seed = node["extra"].value("x_seed", Json::object());
  const Json before = seed;
  for (const std::string& file : arguments.values("ssh-key")) {
    if (!seed.contains("ssh_keys")) seed["ssh_keys"] = Json::array();
    for (const std::string& key : public_keys_in(read_file(file), file)) seed["ssh_keys"].push_back(key);
  }
  if (const auto file = arguments.value("user-data")) seed["user_data"] = user_data_in(read_file(*file), *file);
  for (const char* key : {"rack", "slot", "note"}) {
    if (const auto value = arguments.value(key)) seed[key] = *value;
  }
  if (seed != before) patch.push_back({{"op", "add"}, {"path", "/extra/x_seed"}, {"value", seed}});
}

/// A file is read where the conductor runs, at the next order for the BMC.
void warn_of_missing_files(const cli::Arguments& arguments) {
  if (!conductor_url(arguments).empty()) return;  // maybe on another machine
  for (const std::string& pair : arguments.values("driver-info")) {
    const std::size_t equals = pair.find('=');
    if (equals == std::string::npos || !pair.substr(0, equals).ends_with("_file")) continue;
    const std::string file = pair.substr(equals + 1);
    boost::system::error_code hidden;
    if (!file.empty() && fs::status(file, hidden).type() == fs::file_not_found)
      cli::tell(cat("warning: ", pair.substr(0, equals), ": there is no file ", file, " on this machine yet\n"));
  }
}

/// What is not there can't be taken away; the conductor's refusal is in words of JSON patches.
void require_key(const std::string& id, const Json& node, const std::string& group, const std::string& key) {
  const Json& values = object_member(node, group);
  if (values.contains(key)) return;
  std::vector<std::string> names;
  for (const auto& [name, value] : values.items()) names.push_back(name);
  const std::optional<std::string> near = nearest(key, names);
  throw Error(ErrorKind::not_found, cat("node ", id, " has no ", key, " in ", group,
                                        near            ? cat("; did you mean ", *near, "?")
                                        : names.empty() ? "; it is empty"
                                                        : cat("; it has ", join(names, ", "))));
}

/// Keys that the driver does not read, but look as if it should: a secret would be shown under such a name. And values.
void check_driver_info(const cli::Arguments& arguments, const Json& node) {
  const std::string driver = arguments.value_or("driver", text_in(node, "driver"));
  for (const std::string& pair : arguments.values("driver-info")) {
    const std::string key = pair.substr(0, pair.find('='));
    const std::string fault = driver_value_fault(driver, key, pair.substr(std::min(key.size() + 1, pair.size())));
    if (!fault.empty()) throw Error(ErrorKind::usage, cat("--driver-info: ", fault));
    const std::string meant = meant_driver_key(driver, key);
    if (meant.empty()) continue;
    const std::string text = cat("the driver ", driver, " reads no ", key, "; did you mean ", meant, "?");
    if (names_secret(meant)) throw Error(ErrorKind::usage, cat("--driver-info: ", text, " Nothing is changed."));
    cli::tell(cat("warning: ", text, "\n"));
  }
}

/// By a mistyped hint no disk would be found, once the machine runs.
void check_root_device(const Json& patch) {
  for (const Json& change : patch) {
    if (change["path"] != "/properties/root_device") continue;
    const std::vector<std::string> faults = root_device_faults({{"root_device", change["value"]}});
    if (!faults.empty()) throw Error(ErrorKind::usage, cat("--property: ", join(faults, "; ")));
  }
}

const std::vector<cli::Option> k_set_options = {
    {"name", 0, "NAME", "its name"},
    {"driver", 0, "DRIVER", "what it is managed by"},
    {"instance-uuid", 0, "UUID", "the instance on it"},
    {"resource-class", 0, "CLASS", "its resource class"},
    {"description", 0, "TEXT", "what it is"},
    {"owner", 0, "TEXT", "whose it is"},
    {"conductor-group", 0, "TEXT", "who manages it"},
    {"console-interface", 0, "NAME", "how its serial console is reached: ipmitool-socat, no-console"},
    {"driver-info", 0, "KEY=VALUE", "one value of driver_info"},
    {"property", 0, "KEY=VALUE", "one value of properties"},
    {"instance-info", 0, "KEY=VALUE", "one value of instance_info"},
    {"extra", 0, "KEY=VALUE", "one value of extra"},
    {"capability", 0, "KEY:VALUE", "one capability; without a value it goes"},
    {"trait", 0, "TRAIT", "one more trait"},
    {"ssh-key", 0, "FILE", "public keys of OpenSSH that its machine gets, too"},
    {"user-data", 0, "FILE", "the user-data that its machine gets"},
    {"rack", 0, "TEXT", "where it stands, for people who switch it"},
    {"slot", 0, "TEXT", "where in the rack"},
    {"note", 0, "TEXT", "a note"}};

const std::vector<cli::Option> k_unset_options = {{"name", 0, "", "its name"},
                                                  {"instance-uuid", 0, "", "the instance"},
                                                  {"resource-class", 0, "", "the resource class"},
                                                  {"description", 0, "", "the description"},
                                                  {"owner", 0, "", "the owner"},
                                                  {"driver-info", 0, "KEY", "one value of driver_info"},
                                                  {"property", 0, "KEY", "one value of properties"},
                                                  {"instance-info", 0, "KEY", "one value of instance_info"},
                                                  {"extra", 0, "KEY", "one value of extra"},
                                                  {"trait", 0, "TRAIT", "one trait"}};

/// A change without a node or without anything to change is half a command.
void require_change(const cli::Arguments& arguments, const std::vector<cli::Option>& options, const char* what) {
  (void)arguments.operand(0, "node");
  for (const std::string& id : arguments.operands()) {  // no node's name has one
    if (id.find('=') == std::string::npos) continue;
    const std::string key = id.substr(0, id.find('='));
    const std::string object =
        replace_all(key.substr(0, key.find('/')), "_", "-");  // "driver_info/x" of Ironic's paths
    const auto own = std::find_if(options.begin(), options.end(), [&](const cli::Option& each) {
      return each.name == object || cat(each.name, "s") == object || each.name == cat(object, "y") ||
             (object == "properties" && each.name == "property");
    });
    if (own != options.end()) {
      const std::string value = id.substr(key.find('/') == std::string::npos ? key.size() + 1 : object.size() + 1);
      throw Error(ErrorKind::usage, cat("'", key, "=…' stands where a node's name is expected; did you mean --",
                                        own->name, " ", shell_quote(value), "?"));
    }
    const bool of_driver = std::any_of(driver_sheets().begin(), driver_sheets().end(), [&](const DriverSheet& sheet) {
      return !sheet.inventory.prefix.empty() && key.starts_with(cat(sheet.inventory.prefix, "_"));
    });
    throw Error(ErrorKind::usage, cat("'", key, "=…' stands where a node's name is expected; did you mean --",
                                      of_driver ? "driver-info" : "property", " ", key, "=…?"));
  }
  if (std::none_of(options.begin(), options.end(), [&](const cli::Option& each) { return arguments.has(each.key()); }))
    throw Error(ErrorKind::usage, what);
}

int set_command(const cli::Arguments& arguments) {
  require_change(arguments, k_set_options, "what is to be changed?");
  // An unknown driver is refused here, with the nearest name; the conductor's refusal is in Ironic's words.
  if (const auto driver = arguments.value("driver")) static_cast<void>(driver_page(*driver));
  const auto conductor = ConductorClient::open(arguments);
  warn_of_missing_files(arguments);
  std::vector<ChangedNode> changes;
  for (const std::string& id : arguments.operands()) {
    Json patch = Json::array();
    for (const char* key : {"name", "driver", "instance-uuid", "resource-class", "description", "owner",
                            "conductor-group", "console-interface"}) {
      if (const auto value = arguments.value(key)) {
        patch.push_back({{"op", "add"}, {"path", cat("/", replace_all(key, "-", "_"))}, {"value", *value}});
      }
    }
    for (const auto& [option, group] : k_groups) add_rows(patch, arguments, option, group);
    const Json node = conductor->call("GET", node_target(id));
    check_driver_info(arguments, node);
    check_root_device(patch);
    add_special(patch, arguments, node);
    const Json changed = patch.empty() ? node : conductor->call("PATCH", node_target(id), patch);
    for (const std::string& trait : arguments.values("trait"))
      conductor->call("PUT", node_target(id, cat("/traits/", trait)));
    cli::print(cat("Changed node ", id, "\n"));
    if (arguments.has("driver-info") || arguments.has("driver")) changes.push_back({node, changed});
  }
  tell_of_other_management(*conductor, changes);
  return 0;
}

int unset_command(const cli::Arguments& arguments) {
  require_change(arguments, k_unset_options, "what is to be taken away?");
  const auto conductor = ConductorClient::open(arguments);
  for (const std::string& id : arguments.operands()) {
    Json patch = Json::array();
    const Json node = conductor->call("GET", node_target(id));
    for (const auto& [option, group] : k_groups) {
      for (const std::string& key : arguments.values(option)) {
        require_key(id, node, group, key);
        patch.push_back({{"op", "remove"}, {"path", cat("/", group, "/", replace_all(key, "/", "~1"))}});
      }
    }
    for (const char* key : {"name", "instance-uuid", "resource-class", "description", "owner"}) {
      if (arguments.has(key)) patch.push_back({{"op", "remove"}, {"path", cat("/", replace_all(key, "-", "_"))}});
    }
    if (!patch.empty()) conductor->call("PATCH", node_target(id), patch);
    for (const std::string& trait : arguments.values("trait"))
      conductor->call("DELETE", node_target(id, cat("/traits/", trait)));
    cli::print(cat("Changed node ", id, "\n"));
  }
  return 0;
}

void check_state(const std::string& text) {
  if (parse_state(text)) return;
  std::vector<std::string> names;
  for (int i = 0; i <= static_cast<int>(State::service_hold); ++i) names.emplace_back(name(static_cast<State>(i)));
  const std::optional<std::string> near = nearest(text, names);
  throw Error(ErrorKind::usage, cat("--provision-state: there is no state '", text, "'",
                                    near ? cat("; did you mean '", *near, "'?") : cat(", but ", join(names, ", "))));
}

std::string list_target(const cli::Arguments& arguments) {
  std::string target = "/v1/nodes/detail?sort_dir=asc";
  if (const auto state = arguments.value("provision-state")) target += cat("&provision_state=", percent_encode(*state));
  if (const auto driver = arguments.value("driver")) target += cat("&driver=", percent_encode(*driver));
  if (arguments.has("maintenance")) target += "&maintenance=True";
  return target;
}

int list_waiting(const cli::Arguments& arguments) {
  const Json waiting = ConductorClient::open(arguments)->call("GET", "/v1/hearth/waiting")["waiting"];
  if (arguments.has("json")) {
    cli::print(json_document(waiting));
    return 0;
  }
  std::vector<cli::Row> rows;
  for (const Json& row : waiting) {
    rows.push_back({text_in(row, "mac"), text_in(row, "how"), text_of(row["times"]),
                    cat(replace_all(text_in(row, "last_seen").substr(0, 19), "T", " "), " UTC")});
  }
  cli::print(rows.empty() ? "No machine waits to be approved: none that is no node's has asked in the last hour.\n"
                          : cli::table({"MAC", "Asked", "Times", "Last heard of"}, rows, cli::table_room()));
  return 0;
}

int approve_command(const cli::Arguments& arguments) {
  const std::string mac = arguments.operand(0, "MAC address");
  Json entry = Json::object();
  if (const auto name = arguments.value("name")) entry["name"] = *name;
  for (const std::string& pair : arguments.values("entry")) {
    const std::size_t equals = pair.find('=');
    if (equals == std::string::npos) throw Error(ErrorKind::usage, cat("--entry ", pair, ": KEY=VALUE is expected"));
    entry[pair.substr(0, equals)] = pair.substr(equals + 1);
  }
  const auto conductor = ConductorClient::open(arguments);
  const Json made = conductor->call("POST", cat("/v1/hearth/waiting/", percent_encode(mac)), entry);
  cli::print(cat(mac, " is node ", text_in(made, "uuid"), " now, in the state enroll\n"));
  return 0;
}

int list_command(const cli::Arguments& arguments) {
  if (arguments.has("waiting")) return list_waiting(arguments);
  if (const auto state = arguments.value("provision-state")) check_state(*state);
  const auto conductor = ConductorClient::open(arguments);
  const auto period = std::chrono::milliseconds(arguments.has("watch") ? 1000 : 0);
  std::string before;
  while (true) {
    const Json nodes = conductor->rows(list_target(arguments), "nodes");
    // Another conductor may have drivers that we don't know.
    if (const auto driver = arguments.value("driver"); driver && nodes.empty()) static_cast<void>(driver_page(*driver));
    const std::string text = arguments.has("json")
                                 ? json_document(nodes)
                                 : node_table(nodes, arguments.has("seed-words"),
                                              unix_microseconds(SystemClock().wall()), cli::table_room());
    if (text != before) cli::print(cat(before.empty() ? "" : "\n", text));
    cli::flush();
    before = text;
    if (!arguments.has("watch")) return 0;
    conductor->wait(period);
  }
}

int show_command(const cli::Arguments& arguments) {
  const auto conductor = ConductorClient::open(arguments);
  const Json node = conductor->call("GET", node_target(arguments.operand(0, "node")));
  if (arguments.has("json"))
    cli::print(json_document(node));
  else
    cli::print(fields_table(node, cli::table_room()));
  return 0;
}

int delete_command(const cli::Arguments& arguments) {
  const auto conductor = ConductorClient::open(arguments);
  (void)arguments.operand(0, "node");
  for (const std::string& id : arguments.operands()) {
    try {
      conductor->call("DELETE", node_target(id));
    } catch (Error& error) {
      if (error.story().find("while it is in provision state") == std::string::npos) throw;
      throw Error(error).hint(cat("hearth node undeploy ", id,
                                  " takes it out of use, and ends what runs on it; hearth node abort ", id,
                                  " ends what is under way"));
    }
    cli::print(cat("Deleted node ", id, "\n"));
  }
  return 0;
}

int export_command(const cli::Arguments& arguments) {
  const ListingFormat form = format_named(arguments.value_or("form", "instackenv")).value();
  const auto conductor = ConductorClient::open(arguments);
  const Json all = conductor->call("GET", cat("/v1/hearth/export", arguments.has("secrets") ? "?secrets=true" : ""));
  std::set<std::string> lost;
  cli::print(render_inventory(all["nodes"], form, lost));
  if (!lost.empty()) {
    cli::tell(cat("note: ", name_of(form), " has no place for ",
                  join(std::vector<std::string>(lost.begin(), lost.end()), ", "), "\n"));
  }
  return 0;
}

int events_command(const cli::Arguments& arguments) {
  const auto conductor = ConductorClient::open(arguments);
  if (const std::optional<std::string> keep = arguments.value("keep")) {
    if (!arguments.operands().empty() || arguments.has("follow") || arguments.has("after") || arguments.has("json"))
      throw Error(ErrorKind::usage, "--keep forgets events of all nodes: it stands alone");
    static_cast<void>(conductor->call("DELETE", cat("/v1/hearth/events?keep=", percent_encode(*keep))));
    cli::print(cat("Forgot all events but the newest ", *keep, "\n"));
    return 0;
  }
  const std::string node = arguments.operands().empty() ? "" : cat("&node=", percent_encode(arguments.operands()[0]));
  std::string start = arguments.has("after") ? cat("after=", arguments.value_or("after", "0")) : "newest=true";
  while (true) {
    const Json answer = conductor->call("GET", cat("/v1/hearth/events?", start, node));
    for (const Json& event : answer["events"]) {
      if (arguments.has("json"))
        cli::print(cat(format_json(event), "\n"));
      else
        cli::print(cat(event_line(event), "\n"));
    }
    cli::flush();
    if (!arguments.has("follow")) return 0;
    if (!answer["events"].empty())
      start = cat("after=", text_of(answer["events"].back()["id"]));
    else if (start == "newest=true")
      start = "after=0";
    conductor->wait(std::chrono::seconds(1));
  }
}

int log_command(const cli::Arguments& arguments) {
  const auto conductor = ConductorClient::open(arguments);
  (void)arguments.operand(0, "node");
  const Json log = conductor->call("GET", cat("/v1/hearth/log/", percent_encode(arguments.operands()[0])));
  if (arguments.has("json"))
    cli::print(json_document(log));
  else
    cli::print(text_in(log, "text"));
  return 0;
}

int boot_log_command(const cli::Arguments& arguments) {
  (void)arguments.operand(0, "node");
  if (arguments.operands().size() > 1) {
    throw Error(ErrorKind::usage, "name one node")
        .hint("of a site file and a MAC address without a conductor: hearth pxe boot-log SITE MAC");
  }
  const auto conductor = ConductorClient::open(arguments);
  const Json log = conductor->call("GET", cat("/v1/hearth/boot-log/", percent_encode(arguments.operands()[0])));
  if (arguments.has("json")) {
    cli::print(json_document(log["events"]));
    return 0;
  }
  std::vector<std::string> lines;
  for (const Json& event : log["events"]) lines.push_back(format_json(event));
  if (lines.empty()) {
    cli::tell(cat("nothing was asked for by ", text_in(log, "name"), ", whose cards are ", text_in(log, "macs"),
                  "; machines that asked and are no node's: hearth node list --waiting\n"));
  }
  cli::print(pxe::boot_log(lines));
  return 0;
}

int drivers_command(const cli::Arguments& arguments) {
  const std::string name = arguments.operands().empty() ? "" : arguments.operands()[0];
  if (arguments.has("json"))
    cli::print(json_document(drivers_json(name)));
  else
    cli::print(name.empty() ? driver_list(cli::table_room()) : driver_page(name, cli::table_room()));
  return 0;
}

int validate_command(const cli::Arguments& arguments) {
  const auto conductor = ConductorClient::open(arguments);
  const Json found = conductor->call("GET", node_target(arguments.operand(0, "node"), "/validate"));
  std::vector<cli::Row> rows;
  bool good = true;
  for (const auto& [interface, row] : found.items()) {
    good = good && row["result"] != false;
    rows.push_back({interface, shown_value(row["result"]), text_in(row, "reason")});
  }
  cli::print(cli::table({"Interface", "Result", "Reason"}, rows, cli::table_room()));
  return good ? 0 : 1;
}

/// What is given to a profile that no node has, nobody gets yet.
void tell_of_profiles(ConductorClient& conductor, const std::string& profile) {
  std::set<std::string> known;
  for (const Json& node : conductor.rows("/v1/nodes/detail", "nodes")) {
    for (const auto& [key, value] : parse_capabilities(text_in(object_member(node, "properties"), "capabilities"))) {
      if (key == "profile") known.insert(value);
    }
  }
  if (known.contains(profile)) return;
  const std::vector<std::string> names(known.begin(), known.end());
  const std::optional<std::string> near = nearest(profile, names);
  cli::tell(cat("note: no node has the profile ", profile,
                near             ? cat("; did you mean ", *near, "?")
                : !names.empty() ? cat(" yet; there are ", join(names, ", "))
                                 : " yet: hearth node set NODE --capability profile:NAME",
                "\n"));
}

int role_command(const cli::Arguments& arguments) {
  const auto conductor = ConductorClient::open(arguments, ConductorClient::NewState::made);
  const std::string target = cat("/v1/hearth/roles/", percent_encode(arguments.operand(0, "role")));
  Json role = Json::object();
  for (const std::string& file : arguments.values("ssh-key")) {
    for (const std::string& key : public_keys_in(read_file(file), file)) role["ssh_keys"].push_back(key);
  }
  if (const auto file = arguments.value("user-data")) role["user_data"] = user_data_in(read_file(*file), *file);
  if (role.empty()) {
    cli::print(json_document(conductor->call("GET", target)));
    return 0;
  }
  conductor->call("PUT", target, role);
  cli::print(cat("Changed profile ", arguments.operand(0, "role"), "\n"));
  tell_of_profiles(*conductor, arguments.operand(0, "role"));
  return 0;
}

const cli::Option k_as_json{"json", 0, "", "as JSON"};

cli::Command import_node_command() {
  return {
      "node import",
      "FILE",
      "take an inventory into the database; again: update it",
      "Forms, known by what is in the file: instackenv.json (JSON, YAML, CSV), a site file (hearth site new), Ironic's "
      "create file, bifrost's (JSON, YAML, CSV), Metal3's BareMetalHost with Secrets, Ansible's and Kayobe's inventory "
      "(INI, YAML, what ansible-inventory --list prints), MAAS' machines (JSON), NetBox' devices (CSV), Warewulf's "
      "nodes.conf, Tinkerbell's Hardware (YAML, CSV), OpenCHAMI's nodes.yaml, scripts of nova baremetal-node-create. "
      "Fields that a form has and nothing here uses are named. "
      "The file is checked as a whole: all faults are told with their place, and then nothing is changed. Nodes are "
      "recognised by MAC, by the address of their BMC, by UUID. Ends when their BMCs have answered, with 1 where one "
      "has "
      "refused; the next import tries again what was corrected, and one that changes the BMC of a node asks that, too. "
      "--json lists under \"refused\" all that have, also where this import did not change them. A node that is at "
      "work, being deployed perhaps, is a fault only where the file changes it. A state that root makes by it belongs "
      "to a user "
      "without "
      "a name: a conductor of root's works with no more rights than that one's.",
      with_client({{"format", 0, "FORMAT", "how the file is written, or which form it has", format_names()},
                   {"initial-state",
                    0,
                    "STATE",
                    "enroll, manageable or available (available): where nodes are cleaned before that, machines that "
                    "are on stay "
                    "manageable",
                    {"enroll", "manageable", "available"}},
                   {"instance-boot-option", 0, "WHAT", "local or netboot, for new nodes (local)", {"local", "netboot"}},
                   {"remove", 0, "", "delete nodes that are not in the file"},
                   {"skip-busy", 0, "", "leave nodes that are at work as they are, and take the others"},
                   {"dry-run", 0, "", "only tell what would be done, of nodes that are there value by value"},
                   k_as_json}),
      import_command,
      "",
      true};
}

}  // namespace

void tell_where_kept(const cli::Arguments& arguments) {
  cli::tell(cat("note: kept in ", state_directory(arguments),
                ", where no conductor runs: hearth node serve; --state or HEARTH_NODE_STATE names another place\n"));
}

std::vector<cli::Command> node_commands() {
  return {
      import_node_command(),
      {"node export", "", "print the inventory, in our form or another project's",
       "hearth node import reads each of them again. What a form has no place for is told.",
       with_client({{"form", 0, "FORM", "which form (instackenv)", export_form_names()},
                    {"secrets", 0, "", "with passwords, and all that holds one"}}),
       export_command},
      {"node list", "", "print the nodes and their states", "",
       with_client({k_as_json,
                    {"watch", 'w', "", "print it again whenever it changes"},
                    {"provision-state", 0, "STATE", "only those"},
                    {"driver", 0, "DRIVER", "only those"},
                    {"maintenance", 0, "", "only those out of service"},
                    {"waiting", 0, "", "machines that are no nodes and asked for a network boot in the last hour"},
                    {"seed-words", 0, "", "print \"deploy wait-callback\" for \"wait call-back\", as old guides do"}}),
       list_command},
      {"node approve", "MAC", "make a machine a node that has asked for a network boot (node list --waiting)",
       "It is enrolled with that card, and nothing else happens to it: hearth node manage, inspect, provide go on.\n\n"
       "Example: hearth node approve 52:54:00:00:00:01 --name web1 --entry pm_type=ipmi --entry pm_addr=192.0.2.101 "
       "--entry pm_user=admin --entry pm_password=…",
       with_client({{"name", 0, "NAME", "what it is called"},
                    {"entry", 0, "KEY=VALUE", "more of an inventory's entry: pm_type (fake_pxe), pm_addr …"}}),
       approve_command},
      {"node show", "NODE", "print all that is known of a node", "", with_client({k_as_json}), show_command},
      {"node set", "NODE…", "change nodes", "", with_client(k_set_options), set_command},
      {"node unset", "NODE…", "take values from nodes", "", with_client(k_unset_options), unset_command},
      {"node delete", "NODE…", "forget nodes", "", with_client({}), delete_command},
      {"node drivers",
       "[DRIVER]",
       "print the power drivers; with a name: what it reads of driver_info",
       "The same table checks nodes (hearth node validate) and inventories. A key is set by 'hearth node set NODE "
       "--driver-info KEY=VALUE', or stands in the inventory under its own name or its pm_ one.\n\n"
       "Example: hearth node drivers redfish",
       {k_as_json},
       drivers_command,
       "",
       false,
       driver_names},
      {"node validate", "NODE", "tell whether a node can be managed and deployed", "", with_client({}),
       validate_command},
      {"node events", "[NODE]", "print what happened", "",
       with_client({{"follow", 'f', "", "go on as it happens"},
                    {"after", 0, "N", "from event N on"},
                    {"keep", 0, "N", "forget all but the newest N, now (node serve --keep-events: from then on)"},
                    k_as_json}),
       events_command},
      {"node log", "NODE", "print what its deploy ramdisk told when it failed last", "", with_client({k_as_json}),
       log_command},
      {"node boot-log", "NODE", "print what its machine asked the boot servers for, and what it got",
       "Of the conductor that serves with --boot. The newest 1,000 lines.", with_client({k_as_json}), boot_log_command},
      {"node role", "ROLE", "SSH keys and user-data for the nodes of a profile", "",
       with_client({{"ssh-key", 0, "FILE", "public keys of OpenSSH"}, {"user-data", 0, "FILE", "user-data"}}),
       role_command},
  };
}

}  // namespace hearth::bootstrap
