#include "builder/vm/guest_resources.hpp"

#include <arpa/inet.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <functional>

#include "base/base64.hpp"
#include "base/error.hpp"
#include "base/pattern.hpp"
#include "base/text.hpp"

namespace hearth::builder::vm {

namespace {

using Outcome = Verdict::Outcome;

constexpr std::string_view k_end = "end";

Outcome outcome_of(bool good) { return good ? Outcome::passed : Outcome::failed; }

bool is_yes(const Expectation& expected) { return expected.values.front() == "true"; }

Outcome judge_flag(const Expectation& expected, bool is, const char* yes, const char* no, std::string& told) {
  told = is ? yes : no;
  return outcome_of(is == is_yes(expected));
}

Outcome judge_text(const Expectation& expected, const std::string& is, std::string& told) {
  const bool good = is == expected.values.front();
  told = good ? is : cat("is '", is, "', not '", expected.values.front(), "'");
  return outcome_of(good);
}

/// Each of the values is one of those that are there.
Outcome judge_members(const Expectation& expected, const std::vector<std::string>& are, std::string& told) {
  for (const std::string& value : expected.values) {
    if (std::find(are.begin(), are.end(), value) != are.end()) continue;
    told = cat("'", value, "' is not among: ", are.empty() ? "nothing" : join(are, ", "));
    return Outcome::failed;
  }
  told = join(are, ", ");
  return Outcome::passed;
}

Outcome judge_patterns(const Expectation& expected, const std::string& text, std::string& told) {
  const std::vector<std::string> missed = unmatched(expected.values, text);
  if (missed.empty()) return Outcome::passed;
  constexpr std::size_t k_shown = 300;
  const std::string_view shown = trim(text);
  told = cat("not so: ", join(missed, ", "), "; it is: ", shown.empty() ? "empty" : shown.substr(0, k_shown),
             shown.size() > k_shown ? "…" : "");
  return Outcome::failed;
}

Outcome missing(std::string& told, const std::string& what) {
  told = what;
  return Outcome::failed;
}

/// What a program ended with says why it did.
std::string last_words(std::string_view said) {
  constexpr std::size_t k_shown = 600;
  said = trim(said);
  return said.size() <= k_shown ? std::string(said) : cat("…", said.substr(said.size() - k_shown));
}

const std::string& fact(const Facts& facts, const std::string& name) {
  static const std::string none;
  const auto found = facts.find(name);
  return found == facts.end() ? none : found->second;
}

std::string line_of(const Facts& facts, const std::string& name) { return std::string(trim(fact(facts, name))); }

std::string refuse_path(const std::string& name) { return name.front() == '/' ? "" : "a path begins with /"; }

// --- file

std::string probe_file(const ResourceCheck& check) {
  const std::string path = shell_quote(check.name);
  std::string script =
      cat("if [ -e ", path, " ] || [ -L ", path, " ]; then echo yes | tell exists; fi\n",
          "stat -c '%a|%U|%G|%s|%F' -- ", path, " | tell stat\n", "readlink -- ", path, " | tell link\n");
  if (check.value("contents") != nullptr || check.value("contains") != nullptr)
    script += cat("head -c 4000000 -- ", path, " | tell contents\n");
  for (const char* sum : {"md5", "sha256", "sha512"})
    if (check.value(sum) != nullptr) script += cat(sum, "sum <", path, " | tell ", sum, "\n");
  return script;
}

/// stat's word for a kind of file → goss's.
std::string file_kind(const std::string& told) {
  if (told.ends_with("regular file") || told == "regular empty file") return "file";
  if (told == "symbolic link") return "symlink";
  if (told == "fifo") return "pipe";
  return replace_all(replace_all(told, " special file", "-device"), " ", "-");
}

/// Without leading noughts: "0644" and "644" are one mode.
std::string octal(const std::string& text) { return text.substr(std::min(text.find_first_not_of('0'), text.size())); }

std::string refuse_mode(const std::string& value) {
  const bool good = !value.empty() && value.size() <= 5 && value.find_first_not_of("01234567") == std::string::npos;
  return good ? "" : cat("is octal: \"0644\", not '", value, "'");
}

std::string refuse_kind(const std::string& value) {
  static const std::vector<std::string> kinds = {"file",   "directory",        "symlink",     "pipe",
                                                 "socket", "character-device", "block-device"};
  if (std::find(kinds.begin(), kinds.end(), value) != kinds.end()) return "";
  const auto near = nearest(value, kinds);
  return cat("is one of ", join(kinds, ", "), ", not '", value, "'", near ? cat("; did you mean '", *near, "'?") : "");
}

template <std::size_t digits>
std::string refuse_sum(const std::string& value) {
  const bool good = value.size() == digits && value.find_first_not_of("0123456789abcdef") == std::string::npos;
  return good ? "" : cat("has ", digits, " hexadecimal digits, not '", value, "'");
}

std::string refuse_code(const std::string& value) {
  return parse_number(value).value_or(0) <= 255 ? "" : cat("is at most 255, not ", value);
}

Outcome judge_file(const ResourceCheck& check, const Expectation& expected, const Facts& facts, std::string& told) {
  const std::string& property = expected.property;
  const bool exists = !fact(facts, "exists").empty();
  if (property == "exists") return judge_flag(expected, exists, "there", "not there", told);
  if (!exists) return missing(told, "there is no such file");
  if (property == "contents" || property == "contains") return judge_patterns(expected, fact(facts, "contents"), told);
  if (property == "linked-to") return judge_text(expected, line_of(facts, "link"), told);
  if (property == "md5" || property == "sha256" || property == "sha512")
    return judge_text(expected, split(line_of(facts, property), ' ').front(), told);
  const std::vector<std::string> stat = split(line_of(facts, "stat"), '|');
  if (stat.size() != 5) return missing(told, cat("stat told nothing of ", check.name));
  if (property == "mode") {
    const bool good = octal(stat[0]) == octal(expected.values.front());
    told = cat("is ", stat[0], good ? "" : cat(", not ", expected.values.front()));
    return outcome_of(good);
  }
  if (property == "owner") return judge_text(expected, stat[1], told);
  if (property == "group") return judge_text(expected, stat[2], told);
  if (property == "size") return judge_text(expected, stat[3], told);
  return judge_text(expected, file_kind(stat[4]), told);
}

ResourceType file_type() {
  return {"file",
          "a path",
          {{"exists", Shape::flag, "whether it is there"},
           {"mode", Shape::text, "its mode in octal: \"0644\"", refuse_mode, "^[0-7]{1,5}$"},
           {"owner", Shape::text, "the user's name"},
           {"group", Shape::text, "the group's name"},
           {"size", Shape::number, "in bytes"},
           {"filetype", Shape::text, "file, directory, symlink, pipe, socket, character-device or block-device",
            refuse_kind, "^(file|directory|symlink|pipe|socket|character-device|block-device)$"},
           {"linked-to", Shape::text, "where a link leads, as it is written"},
           {"contents", Shape::patterns, "what is in it, of its first 4 MB"},
           {"contains", Shape::patterns, "the same; older files' word"},
           {"md5", Shape::text, "its sum", refuse_sum<32>, "^[0-9a-f]{32}$"},
           {"sha256", Shape::text, "its sum", refuse_sum<64>, "^[0-9a-f]{64}$"},
           {"sha512", Shape::text, "its sum", refuse_sum<128>, "^[0-9a-f]{128}$"}},
          probe_file,
          judge_file,
          refuse_path,
          "^/"};
}

// --- package

std::string probe_package(const ResourceCheck& check) {
  const std::string name = shell_quote(check.name);
  return cat("if command -v dpkg-query >/dev/null; then dpkg-query -W -f '${db:Status-Status} ${Version}\\n' -- ", name,
             "; else rpm -q --qf 'installed %{VERSION}-%{RELEASE}\\n' -- ", name, "; fi | tell package\n");
}

Outcome judge_package(const ResourceCheck&, const Expectation& expected, const Facts& facts, std::string& told) {
  std::vector<std::string> versions;
  for (const std::string& line : split_lines(fact(facts, "package")))
    if (line.starts_with("installed ")) versions.push_back(line.substr(line.find(' ') + 1));
  if (expected.property == "installed") {
    const Outcome outcome = judge_flag(expected, !versions.empty(), "installed", "not installed", told);
    if (!versions.empty()) told = cat("installed: ", join(versions, ", "));
    return outcome;
  }
  return judge_members(expected, versions, told);
}

ResourceType package_type() {
  return {"package",
          "a package of dpkg's or rpm's",
          {{"installed", Shape::flag, "whether it is installed"},
           {"versions", Shape::texts, "versions that are installed"}},
          probe_package,
          judge_package};
}

// --- service

std::string probe_service(const ResourceCheck& check) {
  const std::string name = shell_quote(check.name);
  return cat("systemctl is-enabled -- ", name, " | tell enabled\nsystemctl is-active -- ", name, " | tell active\n",
             "if ! systemctl is-active -q -- ", name, "; then\n",
             "{ systemctl show -p LoadError -p Result -p ExecMainStatus -- ", name,
             "; journalctl -q -b -n 10 -o cat -u ", name, "; } | tell why\nfi\n");
}

Outcome judge_service(const ResourceCheck&, const Expectation& expected, const Facts& facts, std::string& told) {
  const bool asks_running = expected.property == "running";
  std::string is = line_of(facts, asks_running ? "active" : "enabled");
  if (is.empty()) is = asks_running ? "unknown" : "not known to systemd";
  const bool yes = asks_running ? is == "active" : is == "enabled" || is == "enabled-runtime" || is == "alias";
  told = is;
  const std::string why = last_words(fact(facts, "why"));
  if (asks_running && !yes && is_yes(expected) && !why.empty()) told += cat(": ", replace_all(why, "\n", "; "));
  return outcome_of(yes == is_yes(expected));
}

ResourceType service_type() {
  return {"service",
          "a unit of systemd's",
          {{"enabled", Shape::flag, "whether it starts with the machine"}, {"running", Shape::flag, "whether it runs"}},
          probe_service,
          judge_service};
}

// --- port

struct PortName {
  std::string protocol;  ///< tcp, tcp6, udp, udp6
  std::uint16_t port = 0;
};

PortName port_name(const std::string& name) {
  const std::size_t colon = name.find(':');
  if (colon == std::string::npos) return {};
  const std::optional<std::uint64_t> port = parse_number(name.substr(colon + 1));
  if (!port || *port == 0 || *port > 65535) return {};
  return {name.substr(0, colon), static_cast<std::uint16_t>(*port)};
}

std::string refuse_port(const std::string& name) {
  const std::string protocol = port_name(name).protocol;
  const bool good = protocol == "tcp" || protocol == "tcp6" || protocol == "udp" || protocol == "udp6";
  return good ? "" : "a port is tcp:80, tcp6:80, udp:53 or udp6:53";
}

/// "0100007F" → "127.0.0.1": words of four bytes in the machine's own order, as proc(5) has them. Little-endian
/// machines'.
std::string address_text(const std::string& hexadecimal) {
  std::array<unsigned char, 16> bytes{};
  for (std::size_t i = 0; i + 1 < hexadecimal.size() && i / 2 < bytes.size(); i += 2)
    bytes[(i / 2 & ~3U) + 3 - (i / 2 & 3U)] =
        static_cast<unsigned char>(std::stoul(hexadecimal.substr(i, 2), nullptr, 16));
  std::array<char, INET6_ADDRSTRLEN> text{};
  ::inet_ntop(hexadecimal.size() == 8 ? AF_INET : AF_INET6, bytes.data(), text.data(), text.size());
  return text.data();
}

/// The addresses where somebody listens, from a table of proc(5): "  0: 0100007F:0277 00000000:0000 0A …".
std::vector<std::string> listeners(const std::string& table, std::uint16_t port, bool by_udp) {
  std::vector<std::string> addresses;
  for (const std::string& line : split_lines(table)) {
    std::vector<std::string> words = split(line, ' ');
    words.erase(std::remove(words.begin(), words.end(), ""), words.end());
    if (words.size() < 4 || words[3] != (by_udp ? "07" : "0A")) continue;  // TCP_CLOSE, where UDP's sit; TCP_LISTEN
    const std::size_t colon = words[1].find(':');
    const bool is_address = (colon == 8 || colon == 32) && words[1].size() == colon + 5 &&
                            words[1].find_first_not_of("0123456789ABCDEF") == colon &&
                            words[1].find_first_not_of("0123456789ABCDEF", colon + 1) == std::string::npos;
    if (is_address && std::stoul(words[1].substr(colon + 1), nullptr, 16) == port)
      addresses.push_back(address_text(words[1].substr(0, colon)));
  }
  return addresses;
}

std::string probe_port(const ResourceCheck& check) {
  const std::string protocol = port_name(check.name).protocol;
  std::string script = cat("cat /proc/net/", protocol, " | tell own\n");
  if (protocol == "tcp" || protocol == "udp") script += cat("cat /proc/net/", protocol, "6 | tell both\n");
  return script;
}

Outcome judge_port(const ResourceCheck& check, const Expectation& expected, const Facts& facts, std::string& told) {
  const auto [protocol, port] = port_name(check.name);
  const bool by_udp = protocol.starts_with("udp");
  std::vector<std::string> addresses = listeners(fact(facts, "own"), port, by_udp);
  for (const std::string& address : listeners(fact(facts, "both"), port, by_udp))
    if (address == "::" || address.starts_with("::ffff:")) addresses.push_back(address);  // takes IPv4, too
  if (expected.property == "ip") return judge_members(expected, addresses, told);
  const Outcome outcome = judge_flag(expected, !addresses.empty(), "listening", "nobody listens there", told);
  if (!addresses.empty()) told = cat("listening at ", join(addresses, ", "));
  return outcome;
}

ResourceType port_type() {
  return {"port",
          "tcp:80, tcp6:80, udp:53 or udp6:53",
          {{"listening", Shape::flag, "whether somebody listens there"}, {"ip", Shape::texts, "at which addresses"}},
          probe_port,
          judge_port,
          refuse_port,
          "^(tcp|udp)6?:([1-9][0-9]{0,3}|[1-5][0-9]{4}|6[0-4][0-9]{3}|65[0-4][0-9]{2}|655[0-2][0-9]|6553[0-5])$"};
}

// --- process, command

std::string probe_process(const ResourceCheck&) { return "cat /proc/[0-9]*/comm | tell names\n"; }

Outcome judge_process(const ResourceCheck& check, const Expectation& expected, const Facts& facts, std::string& told) {
  constexpr std::size_t k_kept = 15;  // of a name, by the kernel
  const std::vector<std::string> names = split_lines(fact(facts, "names"));
  const bool runs = std::find(names.begin(), names.end(), check.name.substr(0, k_kept)) != names.end();
  return judge_flag(expected, runs, "running", "not running", told);
}

ResourceType process_type() {
  return {"process",
          "a program's name, as ps -o comm has it",
          {{"running", Shape::flag, "whether it runs"}},
          probe_process,
          judge_process};
}

/// In seconds, rounded up. goss's limits are milliseconds, and none is ten seconds.
std::uint64_t limit_of(const ResourceCheck& check) {
  const std::string* const limit = check.value("timeout");
  const std::uint64_t milliseconds = limit == nullptr ? 0 : parse_number(*limit).value_or(0);
  return milliseconds == 0 ? 10 : milliseconds / 1000 + (milliseconds % 1000 == 0 ? 0 : 1);
}

std::string probe_command(const ResourceCheck& check) {
  const std::string* const line = check.value("exec");
  return cat("d=$(mktemp -d) && { timeout -k 2 ", limit_of(check), " sh -c ",
             shell_quote(line == nullptr ? check.name : *line), " >$d/o 2>$d/e; echo $? | tell code\n",
             "head -c 4000000 $d/o | tell stdout; head -c 4000000 $d/e | tell stderr; ", "rm -rf $d; }\n");
}

Outcome judge_command(const ResourceCheck& check, const Expectation& expected, const Facts& facts, std::string& told) {
  if (expected.property == "timeout" || expected.property == "exec") return Outcome::skipped;
  const std::string code = line_of(facts, "code");
  if (code.empty()) return missing(told, "it was not run: the machine has no room for its output");
  if (code == "124" && expected.values.front() != "124")
    return missing(told, cat("it was still running after ", limit_of(check), " s"));
  if (expected.property != "exit-status") return judge_patterns(expected, fact(facts, expected.property), told);
  const std::string said = last_words(cat(fact(facts, "stdout"), fact(facts, "stderr")));
  const Outcome outcome = judge_text(expected, code, told);
  if (outcome == Outcome::failed && !said.empty()) told += cat(": ", said);
  return outcome;
}

ResourceType command_type() {
  return {"command",
          "a line for sh",
          {{"exit-status", Shape::number, "its exit code", refuse_code,
            "^0*([0-9]{1,2}|1[0-9]{2}|2[0-4][0-9]|25[0-5])$", 255},
           {"stdout", Shape::patterns, "what it says, of the first 4 MB"},
           {"stderr", Shape::patterns, "what it complains of, likewise"},
           {"exec", Shape::text, "the line, where the key is only a name for it"},
           {"timeout", Shape::number, "how long it may take, in milliseconds (10000)"}},
          probe_command,
          judge_command};
}

// --- user, group

std::string probe_user(const ResourceCheck& check) {
  const std::string name = shell_quote(check.name);
  return cat("getent passwd ", name, " | tell entry\nid -Gn ", name, " | tell groups\n");
}

Outcome judge_entry(const Expectation& expected, const Facts& facts,
                    const std::vector<std::pair<std::string, std::size_t>>& fields, std::string& told) {
  const std::vector<std::string> entry = split(line_of(facts, "entry"), ':');
  const bool exists = entry.size() > 1;
  if (expected.property == "exists") return judge_flag(expected, exists, "there", "not there", told);
  if (!exists) return missing(told, "there is none");
  if (expected.property == "groups") return judge_members(expected, split(line_of(facts, "groups"), ' '), told);
  for (const auto& [property, place] : fields)
    if (property == expected.property && place < entry.size()) return judge_text(expected, entry[place], told);
  return missing(told, "its entry is broken");
}

Outcome judge_user(const ResourceCheck&, const Expectation& expected, const Facts& facts, std::string& told) {
  return judge_entry(expected, facts, {{"uid", 2}, {"gid", 3}, {"home", 5}, {"shell", 6}}, told);
}

ResourceType user_type() {
  return {"user",
          "a user's name",
          {{"exists", Shape::flag, "whether there is one"},
           {"uid", Shape::number, "the id"},
           {"gid", Shape::number, "the id of the first group"},
           {"groups", Shape::texts, "groups that the user is in"},
           {"home", Shape::text, "the home directory"},
           {"shell", Shape::text, "the log-in shell"}},
          probe_user,
          judge_user};
}

std::string probe_group(const ResourceCheck& check) {
  return cat("getent group ", shell_quote(check.name), " | tell entry\n");
}

Outcome judge_group(const ResourceCheck&, const Expectation& expected, const Facts& facts, std::string& told) {
  return judge_entry(expected, facts, {{"gid", 2}}, told);
}

ResourceType group_type() {
  return {"group",
          "a group's name",
          {{"exists", Shape::flag, "whether there is one"}, {"gid", Shape::number, "the id"}},
          probe_group,
          judge_group};
}

// --- mount, kernel-param

std::string probe_mount(const ResourceCheck&) { return "cat /proc/self/mounts | tell mounts\n"; }

Outcome judge_mount(const ResourceCheck& check, const Expectation& expected, const Facts& facts, std::string& told) {
  std::vector<std::string> mount;  // what is mounted there last is what is seen
  for (const std::string& line : split_lines(fact(facts, "mounts")))
    if (std::vector<std::string> words = split(line, ' '); words.size() >= 4 && words[1] == check.name)
      mount = std::move(words);
  if (expected.property == "exists")
    return judge_flag(expected, !mount.empty(), "mounted", "nothing is mounted there", told);
  if (mount.empty()) return missing(told, "nothing is mounted there");
  if (expected.property == "source") return judge_text(expected, mount[0], told);
  if (expected.property == "filesystem") return judge_text(expected, mount[2], told);
  return judge_members(expected, split(mount[3], ','), told);
}

ResourceType mount_type() {
  return {"mount",
          "the path where it is mounted",
          {{"exists", Shape::flag, "whether something is mounted there"},
           {"source", Shape::text, "the device"},
           {"filesystem", Shape::text, "ext4, xfs …"},
           {"opts", Shape::texts, "options that it has"}},
          probe_mount,
          judge_mount,
          refuse_path,
          "^/"};
}

std::string probe_parameter(const ResourceCheck& check) {
  return cat("cat ", shell_quote(cat("/proc/sys/", replace_all(check.name, ".", "/"))), " | tell value\n");
}

Outcome judge_parameter(const ResourceCheck&, const Expectation& expected, const Facts& facts, std::string& told) {
  const std::string value = replace_all(line_of(facts, "value"), "\t", " ");
  if (value.empty()) return missing(told, "the kernel has no such parameter");
  return judge_text(expected, value, told);
}

std::string refuse_parameter(const std::string& name) {
  return name.find("..") == std::string::npos && name.front() != '.'
             ? ""
             : "a parameter is named as for sysctl: net.ipv4.ip_forward";
}

ResourceType parameter_type() {
  return {"kernel-param",
          "a parameter, as for sysctl",
          {{"value", Shape::text, "its value"}},
          probe_parameter,
          judge_parameter,
          refuse_parameter};
}

const ResourceType& type_of(const ResourceCheck& check) {
  const std::vector<ResourceType>& types = resource_types();
  return *std::find_if(types.begin(), types.end(), [&](const ResourceType& type) { return type.name == check.type; });
}

bool is_in_a_line(const std::string& pattern, const std::string& text) {
  if (pattern.size() < 2 || pattern.front() != '/' || pattern.back() != '/')
    return text.find(pattern) != std::string::npos;
  const Pattern expression(pattern.substr(1, pattern.size() - 2));
  const std::vector<std::string> lines = split_lines(text);
  return std::any_of(lines.begin(), lines.end(),
                     [&](const std::string& line) { return expression.find(line).has_value(); });
}

}  // namespace

const std::string* ResourceCheck::value(std::string_view property) const {
  const auto found =
      std::find_if(expected.begin(), expected.end(), [&](const auto& each) { return each.property == property; });
  return found == expected.end() || found->values.empty() ? nullptr : &found->values.front();
}

const std::vector<ResourceType>& resource_types() {
  static const std::vector<ResourceType> types = {file_type(),    package_type(),  service_type(), port_type(),
                                                  process_type(), command_type(),  user_type(),    group_type(),
                                                  mount_type(),   parameter_type()};
  return types;
}

std::vector<std::string> unmatched(const std::vector<std::string>& patterns, const std::string& text) {
  std::vector<std::string> missed;
  for (const std::string& pattern : patterns) {
    const bool is_negated = pattern.starts_with("!");
    try {
      if (is_in_a_line(pattern.substr(is_negated ? 1 : 0), text) == is_negated) missed.push_back(pattern);
    } catch (const Error& error) {
      missed.push_back(cat(pattern, " (", error.what(), ")"));
    }
  }
  return missed;
}

std::string probe_script(const std::vector<ResourceCheck>& checks) {
  std::string script = cat(
      "for p in base64 head mktemp stat timeout tr; do command -v $p >/dev/null || { echo the image has no program $p "
      ">&2; "
      "exit ",
      k_lacks_programs, "; }; done\n", "tell() { printf '%s %s ' \"$n\" \"$1\"; base64 | tr -d '\\n'; echo; }\nn=all\n",
      "timeout -k 2 10 systemctl is-system-running </dev/null | { cat; echo; } | tell state\n");
  for (std::size_t i = 0; i < checks.size(); ++i) {
    if (checks[i].skip) continue;
    script += cat("n=", i, "\n{\n", type_of(checks[i]).probe(checks[i]), "} </dev/null 2>/dev/null\n");
  }
  return cat(script, "n=all\necho . | tell ", k_end, "\n");
}

Answers parse_answers(const std::string& output, std::size_t checks) {
  Answers answers;
  answers.facts.resize(checks);
  bool has_begun = false;
  for (const std::string& line : split_lines(output)) {
    const std::vector<std::string> words = split(line, ' ');
    if (words.size() != 3) continue;  // somebody else's: a profile's greeting
    const std::optional<std::string> value = base64_decode(words[2]);
    if (!value) continue;
    if (words[0] == "all") {
      if (words[1] == k_end) answers.is_whole = has_begun && !value->empty();
      if (words[1] != "state") continue;
      has_begun = !value->empty();
      const std::string_view state = trim(*value);
      answers.has_started = state != "initializing" && state != "starting";
    } else if (const std::optional<std::uint64_t> number = parse_number(words[0]); number && *number < checks) {
      answers.facts[*number][words[1]] = *value;
    }
  }
  return answers;
}

namespace {

/// `each` tells what came of one expectation of the check of that number.
std::vector<Verdict> verdicts_of(const std::vector<ResourceCheck>& checks,
                                 const std::function<void(std::size_t, const Expectation&, Verdict&)>& each) {
  std::vector<Verdict> verdicts;
  for (std::size_t i = 0; i < checks.size(); ++i) {
    const ResourceCheck& check = checks[i];
    if (check.skip) verdicts.push_back({cat(check.type, " ", check.name), Outcome::skipped, "the file says skip"});
    if (check.skip) continue;
    for (const Expectation& expected : check.expected) {
      Verdict verdict{cat(check.type, " ", check.name, ": ", expected.property), Outcome::failed, ""};
      each(i, expected, verdict);
      if (verdict.outcome != Outcome::skipped) verdicts.push_back(std::move(verdict));
    }
  }
  return verdicts;
}

}  // namespace

std::vector<Verdict> judge(const std::vector<ResourceCheck>& checks, const Answers& answers) {
  return verdicts_of(checks, [&](std::size_t i, const Expectation& expected, Verdict& verdict) {
    verdict.outcome = type_of(checks[i]).judge(checks[i], expected, answers.facts[i], verdict.told);
  });
}

std::vector<Verdict> unanswered(const std::vector<ResourceCheck>& checks, const std::string& why) {
  return verdicts_of(checks, [&](std::size_t, const Expectation&, Verdict& verdict) {
    verdict.outcome = Outcome::unanswered;
    verdict.told = why;
  });
}

}  // namespace hearth::builder::vm
