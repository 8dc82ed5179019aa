#include "bootstrap/why/incident_command.hpp"

#include <chrono>
#include <thread>

#include "base/cli/print.hpp"
#include "base/cli/table.hpp"
#include "base/hash.hpp"
#include "base/redaction.hpp"
#include "base/sys/file.hpp"
#include "base/text.hpp"
#include "base/version.hpp"
#include "bootstrap/why/incident.hpp"
#include "bootstrap/why/sources.hpp"

namespace hearth::bootstrap::why {

namespace {

/// What this conductor does not have is left out: another one of Ironic's API has neither log nor images.
Json asked(ConductorClient& conductor, const std::string& target) {
  try {
    return conductor.call("GET", target);
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::not_found) throw;
    return Json::object();
  }
}

/// The log's lines, each safe to pass on; whole blocks (private keys) are hidden first.
std::string safe_log(const std::string& log) {
  std::vector<std::string> lines = split(hide_secrets(log), '\n');
  for (std::string& line : lines) line = safe_text(line);
  return join(lines, "\n");
}

/// What its machine said last on its serial line, where the conductor keeps that and who asks may see it. What a BMC's
/// session carried until now reaches the conductor a moment after the first question.
std::string console_of(ConductorClient& conductor, Incident& incident) try {
  constexpr int k_questions = 5;
  constexpr std::chrono::milliseconds k_moment{200};
  const std::string target = cat("/v1/hearth/consoles/", text_in(incident.facts.node, "uuid"));
  Json part = asked(conductor, target);
  for (int i = 1; i < k_questions && part.contains("text") && text_in(part, "text").empty(); ++i) {
    std::this_thread::sleep_for(k_moment);
    part = asked(conductor, target);
  }
  return safe_console(part);
} catch (const Error& error) {
  incident.left_out.push_back(cat("its console: ", safe_text(error.what())));
  return "";
}

/// Rows of the site's images that the node was told of.
Json images_of(ConductorClient& conductor, const Json& node) {
  Json kept = Json::array();
  const Json listed = asked(conductor, "/v1/hearth/images");
  const Json instance = node.value("instance_info", Json::object());
  const std::string source = instance.is_object() ? text_in(instance, "image_source") : "";
  for (const Json& row : listed.value("images", Json::array())) {
    if (source.empty() || text_in(row, "image_source") != source) continue;
    Json shown = Json::object();
    for (const char* key : {"name", "file", "sha256", "size", "image_type", "image_disk_format"}) {
      if (row.contains(key)) shown[key] = row[key].is_string() ? Json(safe_text(text_in(row, key))) : row[key];
    }
    kept.push_back(std::move(shown));
  }
  return kept;
}

Incident incident_of(const cli::Arguments& arguments, const std::string& name) {
  Sources sources(arguments);
  const auto known = [&](auto facts, std::string_view kind) {
    if (!facts) throw Error(ErrorKind::not_found, cat("nothing is known of ", kind, sources.tried().back()));
    return std::move(*facts);
  };
  Incident incident{.node = name, .hearth = build_version()};
  incident.facts = known(sources.node(name), cat("the node ", name, ": "));
  incident.made_at = stamp_json(incident.facts.now).get<std::string>();
  ConductorClient& conductor = *sources.conductor();
  incident.ramdisk_log =
      safe_log(text_in(asked(conductor, cat("/v1/hearth/log/", text_in(incident.facts.node, "uuid"))), "text"));
  incident.console = console_of(conductor, incident);
  incident.images = images_of(conductor, incident.facts.node);
  if (const auto stack = arguments.value("stack"))
    incident.stacks.push_back({*stack, known(sources.stack(*stack), cat("the stack ", *stack, ": "))});
  return incident;
}

/// web1-2026-11-25T08-30-00.incident.tar.zst
std::string default_name(const Incident& incident) {
  const std::string when = replace_all(incident.made_at.substr(0, 19), ":", "-");
  return cat(replace_all(incident.node, "/", "_"), "-", when, ".incident.tar.zst");
}

int run_incident(const cli::Arguments& arguments) {
  const std::vector<std::string>& names = arguments.operands();
  if (names.size() != 1 || names[0].empty()) throw Error(ErrorKind::usage, "an incident of which node? Name one");
  const std::string given = arguments.value_or("output", "");
  const auto refuse = [](const std::string& file) {
    if (fs::exists(fs::symlink_status(file)))
      throw Error(ErrorKind::input, cat(file, " is there already")).hint("name another file: --output FILE");
  };
  if (!given.empty()) refuse(given);  // before anybody is asked
  const Incident incident = incident_of(arguments, names[0]);
  const std::string file = given.empty() ? default_name(incident) : given;
  if (given.empty()) refuse(file);
  const std::string bytes = packed(incident);
  AtomicFile out = AtomicFile::create(file, 0600);
  write_all(out.fd(), bytes, file);
  out.commit();
  for (const std::string& what : incident.left_out) cli::tell(cat("left out: ", what, "\n"));
  const Answer answer = answer_of(unpacked(bytes, file));
  if (arguments.has("json")) {
    const Json shown = {
        {"file", file}, {"size", bytes.size()}, {"sha256", hex_digest(HashKind::sha256, bytes)}, {"why", answer.rows}};
    cli::print(json_document(shown));
  } else {
    cli::print(cat(wrapped_findings(answer.text, cli::table_room()), "\nwrote ", file, " (", human_bytes(bytes.size()),
                   "); who gets it reads: hearth why --file ", file, "\n"));
  }
  return 0;
}

}  // namespace

std::string safe_console(const Json& part) {
  const std::string text = text_in(part, "text");
  if (part.value("from", std::uint64_t{0}) == 0) return safe_log(text);
  const std::size_t line = text.find('\n');
  return line == std::string::npos ? "" : safe_log(text.substr(line + 1));
}

cli::Command incident_command() {
  return {
      "incident",
      "NODE",
      "pack what is known of a node into one file for another person",
      "Events, what its machine asked the boot servers for, what its ramdisk told when it failed, the last 64 KiB of "
      "its serial console, its state, what it was told to boot and write, versions, and the answer of `hearth why`: a "
      "tar in zstd of 5 MB at most, readable "
      "by its owner only. Passwords, keys, tokens and signatures that have a name or a known form are hidden, and "
      "user-data, config drives and parameters are not packed at all; a machine's log may hold what nobody can know "
      "for a secret: look at it before you send it (tar --zstd -xOf FILE ramdisk.log console.log). Who gets the file "
      "reads: "
      "hearth why --file FILE\n\nExample: hearth incident web1 --stack site",
      with_sources({{"output", 'o', "FILE", "where it goes (NODE-TIME.incident.tar.zst)"},
                    {"stack", 0, "STACK", "and what is known of this stack"},
                    {"json", 0, "", "print JSON"}}),
      run_incident};
}

}  // namespace hearth::bootstrap::why
