#include "metadata/bake/seed_files.hpp"

#include <algorithm>
#include <utility>

#include "base/text.hpp"
#include "metadata/model/value_text.hpp"
#include "metadata/resources/config_text.hpp"

namespace hearth::metadata {

namespace {

/// Whether agents are to poll the machine that they run on: what compile puts where nobody said who serves.
bool is_own_machine(const Value& section) {
  for (const auto& [collector, key] : {std::pair{"cfn", "metadata_url"}, std::pair{"heat", "auth_url"},
                                       std::pair{"zaqar", "auth_url"}, std::pair{"request", "metadata_url"}}) {
    const std::string url = python_str(member(member(section, collector), key));
    const std::string host = url.substr(std::min(url.find("://"), url.size()));
    if (host.starts_with("://127.") || host.starts_with("://localhost") || host.starts_with("://[::1]")) return true;
  }
  return false;
}

/// Metadata that nobody serves are all that the machine has: its agent polls nobody.
Value for_the_machine_alone(const Value& metadata) {
  if (!is_own_machine(member(metadata, "os-collect-config"))) return metadata;
  MapBuilder whole(metadata.entries());
  whole.set("os-collect-config", map_of({{"collectors", Value::list({Value::string("heat_local")})}}));
  return Value::map(std::move(whole));
}

/// The user data and, as a part of their own, the metadata: Heat's cfn-init-data, which the agents find on the disk.
std::string user_data_of(const SeedRequest& request) {
  if (request.user_data.find("cfn-init-data") != std::string::npos) return request.user_data;  // brings it along
  const std::string document = json_text(for_the_machine_alone(request.metadata));
  std::string writer = cat("#cloud-config\nwrite_files:\n- content: ", json_text(Value::string(document)),
                           "\n  path: /var/lib/heat-cfntools/cfn-init-data\n  permissions: '0600'\n");
  if (request.user_data.empty()) return writer;
  std::vector<MimePart> parts{{writer, "text/cloud-config", "cfn-init-data.yaml"}};
  for (std::string& part : mime_parts(request.user_data)) parts.push_back({.whole = std::move(part)});
  if (parts.size() > 1) return mime_text(parts);
  const bool script = request.user_data.rfind("#!", 0) == 0;
  parts.push_back({request.user_data, script ? "text/x-shellscript" : "text/cloud-config",
                   script ? "user-data.sh" : "user-data.yaml"});
  return mime_text(parts);
}

}  // namespace

std::vector<SeedFile> config_drive_files(const SeedRequest& request) {
  const Value meta = map_of({{"uuid", Value::string(request.id)},
                             {"name", Value::string(request.name)},
                             {"hostname", Value::string(request.name)},
                             {"availability_zone", Value::string("nova")},
                             {"launch_index", Value::integer(0)},
                             {"meta", Value::map({})}});
  const Value ec2 = map_of({{"instance-id", Value::string(request.id)},
                            {"hostname", Value::string(request.name)},
                            {"local-hostname", Value::string(request.name)},
                            {"ami-launch-index", Value::integer(0)}});
  const std::string user_data = user_data_of(request);
  return {{"openstack/latest/meta_data.json", json_text(meta) + "\n"},
          {"openstack/latest/user_data", user_data},
          {"openstack/latest/vendor_data.json", "{}\n"},
          {"openstack/latest/network_data.json", "{\"links\": [], \"networks\": [], \"services\": []}\n"},
          {"ec2/latest/meta-data.json", json_text(ec2) + "\n"},
          {"ec2/latest/user-data", user_data}};
}

std::vector<SeedFile> no_cloud_files(const SeedRequest& request) {
  return {{"meta-data", json_text(map_of({{"instance-id", Value::string(request.id)},
                                          {"local-hostname", Value::string(request.name)}})) +
                            "\n"},
          {"user-data", user_data_of(request)},
          {"vendor-data", ""}};
}

}  // namespace hearth::metadata
