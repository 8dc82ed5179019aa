#include "metadata/compile/user_data.hpp"

#include "base/text.hpp"
#include "metadata/model/json_reader.hpp"
#include "metadata/model/value_text.hpp"
#include "metadata/resources/config_text.hpp"

namespace hearth::metadata {

namespace {

constexpr std::string_view k_init_data = "text/x-cfninitdata";

constexpr const char* k_cloud_config =
    "#cloud-config\n"
    "output:\n"
    "  all: '| tee -a /var/log/cloud-init-output.log'\n";

constexpr const char* k_boothook =
    "#!/bin/sh\n"
    "# The directories of the agents are there before anything is written to them.\n"
    "mkdir -p -m 0700 /var/lib/heat-cfntools\n";

// For the Python 2 and 3 of cloud-init.
constexpr const char* k_part_handler = R"(#part-handler
import os

DIRECTORIES = ("/var/lib/heat-cfntools", "/var/lib/cloud/data")


def list_types():
    return ["text/x-cfninitdata"]


def handle_part(data, ctype, filename, payload):
    if ctype in ("__begin__", "__end__"):
        return
    if not isinstance(payload, bytes):
        payload = payload.encode("utf-8")
    for directory in DIRECTORIES:
        if not os.path.isdir(directory):
            os.makedirs(directory, 0o700)
        path = os.path.join(directory, os.path.basename(filename))
        number = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(number, "wb") as written:
            written.write(payload)
)";

constexpr const char* k_run_user_data =
    "#!/bin/sh\n"
    "# Runs the user data, where it is a script, and keeps what it says.\n"
    "script=/var/lib/cloud/data/cfn-userdata\n"
    "[ \"$(head -c 2 \"$script\" 2>/dev/null)\" = '#!' ] || exit 0\n"
    "chmod 0700 \"$script\"\n"
    "exec \"$script\" >>/var/log/heat-provision.log 2>&1\n";

/// The property user_data, or the config that it names.
Value own_data(Resource& server, const Value& given) {
  Value own = member(given, "user_data");
  if (!own.is_string()) return own;
  const auto known = server.owner->tree().by_id.find(own.text());
  if (known == server.owner->tree().by_id.end() || known->second->family != Family::config) return own;
  Resource& config = *known->second;
  return config_value(config.real_type, config.owner->properties(config), *config.owner);
}

std::string percent_encoded(const std::string& text) {
  constexpr std::string_view k_digits = "0123456789ABCDEF";
  std::string out;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    const bool plain = (byte >= '0' && byte <= '9') || (byte >= 'A' && byte <= 'Z') || (byte >= 'a' && byte <= 'z') ||
                       std::string_view("-._~").find(c) != std::string_view::npos;
    if (plain) {
      out += c;
    } else {
      out += {'%', k_digits[byte >> 4U], k_digits[byte & 15U]};
    }
  }
  return out;
}

bool is_ignition(const Value& data) { return member(member(data, "ignition"), "version").is_string(); }

std::string with_ignition_files(const Value& data, const std::string& document) {
  const bool old = member(member(data, "ignition"), "version").text().rfind('2', 0) == 0;
  const Value storage = member(data, "storage");
  const Value files = member(storage, "files");
  std::vector<Value> all = files.is_list() ? files.items() : std::vector<Value>{};
  for (const char* path : {"/var/lib/heat-cfntools/cfn-init-data", "/var/lib/cloud/data/cfn-init-data"}) {
    MapBuilder file;
    if (old) file.set("filesystem", Value::string("root"));
    file.set("path", Value::string(path)).set("mode", Value::integer(0600));
    file.set("contents", map_of({{"source", Value::string(cat("data:,", percent_encoded(document)))}}));
    all.push_back(Value::map(std::move(file)));
  }
  MapBuilder changed;
  for (const Entry& entry : storage.is_map() ? storage.entries() : std::vector<Entry>{})
    changed.set(entry.key, entry.value);
  changed.set("files", Value::list(std::move(all)));
  MapBuilder whole;
  for (const Entry& entry : data.entries()) whole.set(entry.key, entry.value);
  whole.set("storage", Value::map(std::move(changed)));
  return json_text(Value::map(std::move(whole)));
}

}  // namespace

Value server_user_data(Resource& server, const Value& document, const Endpoints& endpoints) {
  if (server.real_type != "OS::Nova::Server") return {};
  Value given = server.owner->properties(server);
  if (given.is_waiting()) return given;
  const Value own = own_data(server, given);
  if (own.has_waiting()) return Value::waiting(events_in(own));
  const std::string text = own.is_null() ? "" : own.is_string() ? own.text() : json_text(own);
  const Value format = member(given, "user_data_format");
  if (format.is_string() && format.text() == "RAW") return Value::string(text);
  const std::string init_data = json_text(document);
  if (!text.empty() && text.front() == '{') {
    const auto parsed = parse_json_value(text, server.path);
    if (parsed.ok() && is_ignition(parsed.value())) {
      return Value::string(with_ignition_files(parsed.value(), init_data));
    }
  }
  const std::string init_type(k_init_data);
  std::vector<MimePart> parts{{k_cloud_config, "text/cloud-config", "cloud-config"},
                              {k_boothook, "text/cloud-boothook", "boothook.sh"},
                              {k_part_handler, "text/part-handler", "part-handler.py"}};
  if (format.is_string() && format.text() == "SOFTWARE_CONFIG") {
    std::vector<std::string> inner = mime_parts(text);
    for (std::string& part : inner) parts.push_back({.whole = std::move(part)});
    if (inner.empty() && !text.empty()) parts.push_back({text, "text/plain", ""});  // cloud-init looks what it is
  } else {
    parts.push_back({text, init_type, "cfn-userdata"});
    parts.push_back({k_run_user_data, "text/x-shellscript", "run-user-data.sh"});
    parts.push_back({endpoints.cfn + "/v1/", init_type, "cfn-metadata-server"});
  }
  parts.push_back({init_data, init_type, "cfn-init-data"});
  return Value::string(mime_text(parts));
}

}  // namespace hearth::metadata
