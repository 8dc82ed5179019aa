#include <array>
#include <map>

#include "base/cli/print.hpp"
#include "base/error.hpp"
#include "base/hash.hpp"
#include "base/log.hpp"
#include "base/net/url.hpp"
#include "base/sys/file.hpp"
#include "base/text.hpp"
#include "bootstrap/cli/commands.hpp"
#include "bootstrap/cli/given_files.hpp"
#include "bootstrap/cli/verb_outcome.hpp"
#include "bootstrap/cli/verb_wait.hpp"
#include "bootstrap/client/conductor_client.hpp"
#include "bootstrap/client/node_text.hpp"
#include "bootstrap/client/wait_lines.hpp"
#include "bootstrap/node/node.hpp"

namespace hearth::bootstrap {

namespace {

struct VerbCommand {
  const char* verb;
  const char* summary;
  const char* reaches;  ///< the state that --wait waits for
  bool goes_on;         ///< it needs a conductor that stays
};

constexpr std::array k_verb_commands = {
    VerbCommand{"manage", "check that a node can be managed", "manageable", false},
    VerbCommand{"provide", "make a node available for deployment", "available", false},
    VerbCommand{"adopt", "take over a machine that is in use already", "active", false},
    VerbCommand{"abort", "stop waiting for a machine", "", false},
    VerbCommand{"unhold", "let a node go on that a step named hold holds", "", true},
    VerbCommand{"inspect", "boot a machine and ask it what it is made of", "manageable", true},
    VerbCommand{"deploy", "write an image to a machine's disk and start it", "active", true},
    VerbCommand{"rebuild", "deploy again, over what is there", "active", true},
    VerbCommand{"undeploy", "take a machine out of use", "available", true},
    VerbCommand{"clean", "run cleaning steps", "manageable", true},
    VerbCommand{"rescue", "boot the ramdisk for repairs", "rescue", true},
    VerbCommand{"unrescue", "go back from the rescue to the machine's own system", "active", true},
    VerbCommand{"service", "run service steps on a machine in use", "active", true}};

constexpr const char* k_verb_details =
    "Ends when it is done, or when a machine is waited for: says so, and how to watch it. What is refused by a check, "
    "or "
    "by the BMC, is an error: exit code 1.";

/// For a partition image: options, and where instance_info has them.
constexpr std::array<std::pair<const char*, const char*>, 3> k_layout = {
    {{"root-gb", "root_gb"}, {"swap-mb", "swap_mb"}, {"ephemeral-gb", "ephemeral_gb"}}};

void check_digest(const cli::Arguments& arguments) {
  const std::optional<std::string> digest = arguments.value("sha256");
  if (digest && (digest->size() != 64 || digest->find_first_not_of("0123456789abcdefABCDEF") != std::string::npos))
    throw Error(ErrorKind::usage, cat("--sha256 ", *digest, ": 64 hexadecimal digits are expected, as sha256sum says"));
}

/// A file that is there stands where a name is meant: of a node, or of an image that is registered. Asked before a
/// conductor is, so that it is told at once.
void refuse_files(const std::string& verb, const cli::Arguments& arguments) {
  const auto is_file = [](const std::string& word) {
    boost::system::error_code hidden;
    return word.find_first_of("./") != std::string::npos && fs::exists(word, hidden);
  };
  const bool takes_image = verb == "deploy" || verb == "rebuild";
  const std::string first = arguments.operand(0, "node");
  for (const std::string& id : arguments.operands()) {
    if (!is_file(id)) continue;
    Error error(ErrorKind::usage, cat("'", id, "' is a file, and the name of a node is expected"));
    if (takes_image)
      error.hint(cat("An image for machines is named by --image: hearth image load ", shell_quote(id),
                     " registers the file, hearth node ", verb, " ", id == first ? "NODE" : first, " --image ",
                     fs::path(id).stem().string(), " takes it."));
    throw Error(error);
  }
  const std::string image = arguments.value_or("image", "");
  if (image.find('/') == std::string::npos || image.find("://") != std::string::npos) return;
  throw Error(ErrorKind::usage, cat("--image ", image, ": a file, where the name of a registered image is expected"))
      .hint(cat("Register it first: hearth image load ", shell_quote(image), "; then: hearth node ", verb, " ",
                join(arguments.operands(), " "), " --image ", fs::path(image).stem().string()));
}

/// What is kept of a registered image; of one that is not, which there are, and how it becomes one.
Json image_named(ConductorClient& conductor, const std::string& name) try {
  return conductor.call("GET", cat("/v1/hearth/images/", percent_encode(name)));
} catch (Error& error) {
  if (error.kind() != ErrorKind::not_found) throw;
  std::vector<std::string> names;
  const Json known = conductor.call("GET", "/v1/hearth/images");
  for (const Json& image : list_member(known, "images")) names.push_back(text_in(image, "name"));
  const std::optional<std::string> near = nearest(name, names);
  const std::string file = fs::exists(name) ? name : cat(name, ".qcow2");
  throw Error(error).hint(cat(near             ? cat("did you mean ", *near, "? ")
                              : !names.empty() ? cat("There are: ", join(names, ", "), ". ")
                                               : "",
                              "`hearth image load ", fs::exists(file) ? shell_quote(file) : "FILE", "` registers one"));
}

/// The image that a deployment is told of, with its digest where the file is at hand. Returns the changes that take it
/// back.
Json set_image(ConductorClient& conductor, const std::string& id, const cli::Arguments& arguments) {
  const auto image = arguments.value("image");
  if (!image) return Json::array();
  Json info = Json::object();
  if (image->find("://") == std::string::npos) {
    const Json known = image_named(conductor, *image);
    if (!known.contains("image_source")) {
      throw Error(ErrorKind::unsupported, cat("no machine can fetch the image ", *image,
                                              ": it was registered when the "
                                              "conductor had no address for machines"))
          .hint(
              "start it with --boot SITE.json and load the image again, or give its URL: hearth image load --image-url "
              "URL");
    }
    for (const char* key : {"image_source", "image_os_hash_algo", "image_os_hash_value", "image_disk_format"}) {
      if (known.contains(key)) info[key] = known[key];
    }
  } else {
    info["image_source"] = *image;
  }
  if (const auto digest = arguments.value("sha256")) {
    info["image_os_hash_algo"] = "sha256";
    info["image_os_hash_value"] = *digest;
  }
  for (const auto& [option, key] : k_layout) {
    const auto given = arguments.value(option);
    if (!given) continue;
    info[key] = *given;
    info["image_type"] = "partition";
  }
  const Json before = object_member(conductor.call("GET", node_target(id)), "instance_info");
  Json patch = Json::array();
  Json back = Json::array();
  for (const auto& [key, value] : info.items()) {
    const std::string path = cat("/instance_info/", key);
    patch.push_back({{"op", "add"}, {"path", path}, {"value", value}});
    if (!before.contains(key))
      back.push_back({{"op", "remove"}, {"path", path}});
    else if (before[key] != value)
      back.push_back({{"op", "add"}, {"path", path}, {"value", before[key]}});
  }
  conductor.call("PATCH", node_target(id), patch);
  return back;
}

/// What is refused leaves the node as it was: the next deployment would take an image that nobody names then.
void ask_for(ConductorClient& conductor, const std::string& id, const Json& body, const Json& back) try {
  conductor.call("PUT", node_target(id, "/states/provision"), body);
} catch (const Error& error) {
  if (!back.empty() && error.kind() != ErrorKind::io) conductor.call("PATCH", node_target(id), back);
  throw;
}

Json verb_body(const VerbCommand& row, const cli::Arguments& arguments) {
  Json body = {{"target", row.verb}};
  for (const char* key : {"config-drive", "clean-steps", "service-steps"}) {
    const auto given = arguments.value(key);
    if (!given) continue;
    boost::system::error_code too_long;  // for a file's name, as the thing itself may be
    const std::string text = fs::exists(*given, too_long) ? read_file(*given) : *given;
    const Result<Json> parsed = parse_json(text, key);
    const bool is_drive = std::string_view(key) == "config-drive";
    if (!parsed && !(is_drive && is_packed_drive(text)))
      throw Error(ErrorKind::usage, cat("--", key, ": '", one_line(*given), "' is ",
                                        fs::exists(*given, too_long) || text.starts_with('[') || text.starts_with('{')
                                            ? cat("no JSON: ", parsed.error().text())
                                        : is_drive ? "neither a file here nor JSON, nor a config drive's URL or base64"
                                                   : "neither a file here nor JSON"));
    body[is_drive ? "configdrive" : replace_all(key, "-", "_")] = parsed ? *parsed : Json(trim(text));
  }
  const std::string steps = cat(row.verb, "-steps");
  if ((steps == "clean-steps" || steps == "service-steps") && !arguments.has(steps))
    throw Error(
        ErrorKind::usage,
        cat("which steps? --", steps, " JSON|FILE, for instance ",
            R"([{"interface": "bios", "step": "apply_configuration", "args": {"settings": [{"name": "NAME", "value": "VALUE"}]}}])"))
        .hint("'hearth help life-of-a-machine' has those that erase, 'hearth help bmc' those of a BMC.");
  if (const auto file = arguments.value("rescue-password-file")) body["rescue_password"] = trim(read_file(*file));
  return body;
}

/// Enough for a check; a BMC may need longer to answer.
constexpr int k_verb_looks = 100;
constexpr std::chrono::milliseconds k_verb_look_every{100};

/// Waits for the stages that take moments. Says what has begun; returns what failed, else nothing.
std::string look_at(ConductorClient& conductor, const std::string& id, const VerbCommand& row) {
  const SystemClock clock;
  WaitLines lines(clock, cli::tell);
  Json node = conductor.call("GET", node_target(id));
  for (int i = 0; i < k_verb_looks && verb_progress(node, row.reaches) == VerbProgress::checking; ++i) {
    lines.look(node_line(id, node));
    conductor.wait(k_verb_look_every);
    node = conductor.call("GET", node_target(id));
  }
  switch (verb_progress(node, row.reaches)) {
    case VerbProgress::reached: cli::tell(cat(id, " is ", row.reaches, "\n")); return "";
    case VerbProgress::failed: return verb_failure(id, node, row.reaches);
    case VerbProgress::checking:
    case VerbProgress::begun: break;
  }
  cli::tell(cat(verb_beginning(id, node), "; watch it: hearth node events -f ", id, "\n"));
  return "";
}

/// A machine without a drive is called as its image is, like all others of that image: who knows MAAS or bifrost
/// expects the node's name.
void tell_of_host_names(ConductorClient& conductor, const std::vector<std::string>& ids) {
  constexpr std::size_t k_named = 4;
  std::vector<std::string> without;
  for (const std::string& id : ids) {
    const Json node = conductor.call("GET", node_target(id));
    if (!object_member(node, "instance_info").contains("configdrive")) without.push_back(id);
  }
  if (without.empty()) return;
  cli::tell(cat("note: without a config drive ", join_first(without, k_named), without.size() == 1 ? " keeps" : " keep",
                " the host name of the image; --config-drive '{}' gives ", without.size() == 1 ? "it" : "each",
                " its node's name (hearth help first-boot)\n"));
}

/// What is asked for is done all the same; who forgot would wonder later why nothing is deployed to it.
void tell_of_maintenance(const std::string& id, const Json& node) {
  if (node.value("maintenance", Json()) != true) return;
  const std::string reason = text_in(node, "maintenance_reason");
  cli::tell(cat("warning: ", id, " is in maintenance", reason.empty() ? "" : cat(" (", one_line(reason), ")"),
                ": somebody may be at the machine, and nothing is deployed to it; back into service: hearth node "
                "maintenance unset ",
                id, "\n"));
}

int run_verb(const VerbCommand& row, const cli::Arguments& arguments) {
  const std::uint64_t seconds = patience(arguments);
  refuse_files(row.verb, arguments);
  check_digest(arguments);
  const Json body = verb_body(row, arguments);
  const auto conductor = ConductorClient::open(arguments);
  if (row.goes_on && !conductor->lasts() && !arguments.has("wait")) {
    throw Error(ErrorKind::unsupported, cat("no conductor runs that could ", row.verb, " a node"))
        .hint("start one: hearth node serve");
  }
  const std::vector<std::string>& ids = arguments.operands();
  const bool alone = ids.size() == 1;
  std::vector<std::string> failures;
  std::vector<std::string> begun;
  std::vector<std::string> well;
  const bool answers = ask_each(ids, alone, failures, [&](const std::string& id) {
    ask_for(*conductor, id, body, set_image(*conductor, id, arguments));
    begun.push_back(id);
  });
  if (answers && body["target"] == "deploy") tell_of_host_names(*conductor, begun);
  if (answers && body["target"] == "provide") {
    for (const std::string& id : begun) tell_of_maintenance(id, conductor->call("GET", node_target(id)));
  }
  const bool leads_nowhere = *row.reaches == '\0' || arguments.has("no-wait");
  if (!answers || (leads_nowhere && !failures.empty())) {
    for (const std::string& id : begun) cli::tell(cat(id, ": ", row.verb, " has begun\n"));
  } else if (!leads_nowhere && arguments.has("wait")) {
    if (!begun.empty()) wait_for(*conductor, begun, row.reaches, seconds, well, failures);
  } else if (!leads_nowhere) {
    ask_each(begun, alone, failures, [&](const std::string& id) {
      const std::string failure = look_at(*conductor, id, row);
      (failure.empty() ? well : failures).push_back(failure.empty() ? id : failure);
    });
  } else if (!arguments.has("no-wait")) {
    for (const std::string& id : begun) cli::tell(cat(where_it_is(id, conductor->call("GET", node_target(id))), "\n"));
  }
  if (failures.empty()) return 0;
  const std::string first = first_not_in(leads_nowhere || !answers ? begun : well, ids);
  throw Error(ErrorKind::external, join(failures, "\n"))
      .hint(cat("why, and what to do: hearth why ", first, "; what happened, in order: hearth node events ", first));
}

cli::Command verb_command(const VerbCommand& row) {
  std::vector<cli::Option> options = {{"wait", 0, "SECONDS", "until it is done, or so long; 0 = for ever"},
                                      {"no-wait", 0, "", "not even until it is known whether it has begun"}};
  const std::string verb = row.verb;
  if (verb == "deploy" || verb == "rebuild") {
    options.push_back({"image", 0, "IMAGE|URL", "a registered image, or where it is"});
    options.push_back({"sha256", 0, "HEX", "the digest of an image given as URL"});
    options.push_back({"root-gb", 0, "GIB", "the image is a file system: partition the disk, with so much for it"});
    options.push_back({"swap-mb", 0, "MIB", "with --root-gb: swap space"});
    options.push_back({"ephemeral-gb", 0, "GIB", "with --root-gb: an empty file system beside it"});
    options.push_back({"config-drive", 0, "JSON|FILE", "contents, or a finished drive in Base64"});
  }
  if (verb == "clean") options.push_back({"clean-steps", 0, "JSON|FILE", "the steps, in order"});
  if (verb == "service") options.push_back({"service-steps", 0, "JSON|FILE", "the steps, in order"});
  if (verb == "rescue")
    options.push_back({"rescue-password-file", 0, "FILE", "with the password that the ramdisk takes"});
  return {cat("node ", verb),
          "NODE…",
          row.summary,
          *row.reaches == '\0' ? "" : k_verb_details,
          with_client(std::move(options)),
          [&row](const cli::Arguments& arguments) { return run_verb(row, arguments); }};
}

/// Waits until its BMC has done it, or for some seconds; what failed, else nothing.
std::string look_at_power(ConductorClient& conductor, const std::string& id, const Json& before,
                          std::string_view goal) {
  Json node = conductor.call("GET", node_target(id));
  for (int i = 0; i < k_verb_looks && !node["target_power_state"].is_null(); ++i) {
    conductor.wait(k_verb_look_every);
    node = conductor.call("GET", node_target(id));
  }
  if (!node["target_power_state"].is_null() && !conductor.lasts()) {
    return cat(id,
               ": its BMC has not answered; whether the machine is switched is not known, and no conductor runs "
               "that could go on");
  }
  if (!node["target_power_state"].is_null()) {
    cli::tell(cat(id, " is asked for ", goal, "; watch it: hearth node events -f ", id, "\n"));
    return "";
  }
  const std::string why = text_in(node, "last_error");
  const bool is_new = !why.empty() && why != text_in(before, "last_error");
  if (text_in(node, "power_state") == goal && !is_new) {
    cli::tell(cat(id, ": ", goal, "\n"));
    return "";
  }
  return cat(id, ": ", why.empty() ? cat("its power is ", shown_value(node["power_state"])) : why);
}

int power(const cli::Arguments& arguments, const std::string& hard, const std::string& soft) {
  const auto conductor = ConductorClient::open(arguments);
  (void)arguments.operand(0, "node");
  const std::string wish = arguments.has("soft") ? soft : hard;
  const std::vector<std::string>& ids = arguments.operands();
  std::map<std::string, Json> before;
  for (const std::string& id : ids) before[id] = conductor->call("GET", node_target(id));  // or none is switched
  for (const std::string& id : ids) tell_of_maintenance(id, before[id]);
  std::vector<std::string> failures;
  std::vector<std::string> asked;
  const bool answers = ask_each(ids, false, failures, [&](const std::string& id) {
    conductor->call("PUT", node_target(id, "/states/power"), {{"target", wish}});
    asked.push_back(id);
  });
  const std::string_view goal = wish.ends_with("off") ? "power off" : "power on";
  std::vector<std::string> well;
  if (!answers) {
    well = asked;
    for (const std::string& id : asked) cli::tell(cat(id, " is asked for ", goal, "\n"));
  } else if (!arguments.has("no-wait")) {
    ask_each(asked, false, failures, [&](const std::string& id) {
      const std::string failure = look_at_power(*conductor, id, before[id], goal);
      (failure.empty() ? well : failures).push_back(failure.empty() ? id : one_line(failure));
    });
  } else {
    well = asked;
  }
  if (failures.empty()) return 0;
  const std::string first = first_not_in(well, ids);
  Error error(ErrorKind::external, join(failures, "\n"));
  const bool may_not = failures.front().find("(HTTP 403)") != std::string::npos;  // nothing is wrong with the node then
  if (!may_not) error.hint(cat("hearth why node ", first, " says what to do"));
  throw Error(error);
}

int maintenance(const cli::Arguments& arguments, bool on) {
  const auto conductor = ConductorClient::open(arguments);
  (void)arguments.operand(0, "node");
  for (const std::string& id : arguments.operands()) {
    if (on) {
      const Json node = arguments.has("reason") ? Json() : conductor->call("GET", node_target(id));
      const bool has_one =
          node.is_object() && node.value("maintenance", Json()) == true;  // a reason that stands is kept
      const std::string before = has_one ? text_in(node, "maintenance_reason") : "";
      conductor->call("PUT", node_target(id, "/maintenance"), {{"reason", arguments.value_or("reason", before)}});
    } else {
      conductor->call("DELETE", node_target(id, "/maintenance"));
    }
    cli::print(cat("Node ", id, on ? " is out of service\n" : " is in service\n"));
  }
  return 0;
}

}  // namespace

std::vector<cli::Command> verb_commands() {
  std::vector<cli::Command> all;
  for (const VerbCommand& row : k_verb_commands) all.push_back(verb_command(row));
  constexpr const char* k_power_details =
      "Ends when the BMC has done it, or after ten seconds: says so, and how to watch it. Where no conductor runs the "
      "BMC gets a minute, and then it is an error, as is what the BMC refuses: exit code 1.";
  const cli::Option no_wait = {"no-wait", 0, "", "not even until it is known whether the BMC does it"};
  const std::vector<cli::Option> soft = with_client({{"soft", 0, "", "ask its system to do it"}, no_wait});
  all.push_back({"node power on", "NODE…", "switch machines on", k_power_details, with_client({no_wait}),
                 [](const cli::Arguments& a) { return power(a, "power on", "power on"); }});
  all.push_back({"node power off", "NODE…", "switch machines off", k_power_details, soft,
                 [](const cli::Arguments& a) { return power(a, "power off", "soft power off"); }});
  all.push_back({"node reboot", "NODE…", "start machines again", k_power_details, soft,
                 [](const cli::Arguments& a) { return power(a, "rebooting", "soft rebooting"); }});
  all.push_back({"node maintenance set", "NODE…", "take nodes out of service", "",
                 with_client({{"reason", 0, "TEXT", "why"}}),
                 [](const cli::Arguments& a) { return maintenance(a, true); }});
  all.push_back({"node maintenance unset", "NODE…", "put nodes back into service", "", with_client({}),
                 [](const cli::Arguments& a) { return maintenance(a, false); }});
  return all;
}

}  // namespace hearth::bootstrap
