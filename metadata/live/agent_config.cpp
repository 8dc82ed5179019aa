#include "metadata/live/agent_config.hpp"

#include "base/cli/print.hpp"
#include "base/error.hpp"
#include "base/net/url.hpp"
#include "base/text.hpp"
#include "base/variable.hpp"

namespace hearth::metadata::live {

namespace {

constexpr const char* k_roles = "Controller Compute BlockStorage ObjectStorage CephStorage";

/// What scripts before the roles could be named freely used: CONTROLLER_HOSTS and so on.
std::string old_variable(const std::string& role) {
  const std::string upper = to_upper(role);
  return upper == "CEPHSTORAGE" ? "CEPH_HOSTS" : cat(upper, "_HOSTS");
}

/// Where a server is in the API, and what its agent is to be told.
struct Found {
  std::string place;
  Json section;
};

/// The server of the N-th member: the one resource below it that has an os-collect-config section.
Found section_of(StackClient& client, const std::string& group, const AgentHost& host) {
  const Json resources = client.call("GET", cat(group, "/resources?nested_depth=5"))["resources"];
  std::string member;
  for (const Json& resource : resources) {
    const bool is_member = resource.value("resource_name", "") == std::to_string(host.member) &&
                           resource["links"][1].value("href", "").find(group) != std::string::npos;
    if (is_member) member = resource.value("physical_resource_id", "");
  }
  if (member.empty()) throw Error(ErrorKind::not_found, cat("role ", host.role, " has no member ", host.member));
  const std::string place = client.locate(member);
  const Json found = client.call("GET", cat(place, "/resources?nested_depth=5"));
  for (const Json& resource : found.at("resources")) {
    const std::string type = resource.value("resource_type", "");
    if (type.find("Server") == std::string::npos) continue;
    const std::string self = resource["links"][0].value("href", "");
    const std::string where = self.substr(self.find("/stacks/"));
    const Json metadata = client.call("GET", cat(where, "/metadata"))["metadata"];
    if (metadata.contains("os-collect-config")) return {where, metadata["os-collect-config"]};
  }
  throw Error(ErrorKind::not_found, cat("member ", host.member, " of role ", host.role, " has no server yet"));
}

Found section_when_ready(const AgentConfigRequest& request, const AgentConfigWorld& world, const AgentHost& host) {
  Duration pause = std::chrono::seconds(1);
  for (int attempt = 1;; ++attempt, pause *= 2) {
    try {
      const std::string root = world.client.locate(request.stack);
      const Json group = world.client.call("GET", cat(root, "/resources/", percent_encode(host.role)))["resource"];
      return section_of(world.client, world.client.locate(group.value("physical_resource_id", "")), host);
    } catch (const Error& error) {
      if (attempt == 10 || error.kind() != ErrorKind::not_found) throw;
      world.clock.sleep(pause);
    }
  }
}

std::string ssh(const AgentConfigRequest& request, const AgentConfigWorld& world, const AgentHost& host,
                const std::string& command, const std::string& input) {
  Command ssh;
  ssh.argv = {"ssh", "-o", "BatchMode=yes"};
  const std::string key = request.key.empty() ? variable(world.env, "SUBNODES_SSH_KEY") : request.key;
  if (!key.empty()) ssh.argv.insert(ssh.argv.end(), {"-i", key});
  for (const std::string& option : split_words(variable(world.env, "SSH_OPTIONS"))) ssh.argv.push_back(option);
  ssh.argv.push_back(request.user.empty() ? host.address : cat(request.user, "@", host.address));
  ssh.argv.push_back(command);
  ssh.input = input;
  ssh.deadline = Deadline::after(std::chrono::seconds(60), world.clock);
  return run_checked(world.runner, ssh);
}

void install(const AgentConfigRequest& request, const AgentConfigWorld& world, const AgentHost& host,
             const Json& section) {
  const std::string url = service_url(section);
  const std::string coming = cat(k_installed_authority, ".new");
  const std::string trust = request.authority.empty() ? "" : cat(" --cacert ", coming);
  if (!trust.empty())
    ssh(request, world, host, cat("sudo sh -c 'umask 022 && mkdir -p /etc/hearth && cat >", coming, "'"),
        request.authority);
  try {
    ssh(request, world, host, cat("curl -sS -o /dev/null --max-time 10", trust, " ", shell_quote(url)), "");
  } catch (Error& error) {
    throw error.during(cat("checking that ", host.address, " reaches ", url))
        .hint("check routes and firewalls between the two; its configuration is as it was");
  }
  // The former authority is trusted until this one is known to be the service's.
  const std::string take = trust.empty() ? "" : cat("mv ", coming, " ", k_installed_authority, " && ");
  ssh(request, world, host,
      cat("sudo sh -c 'umask 077 && cat >/etc/os-collect-config.conf.new && ", take,
          "mv /etc/os-collect-config.conf.new /etc/os-collect-config.conf && systemctl restart os-collect-config'"),
      agent_config_text(section));
}

}  // namespace

std::vector<AgentHost> agent_hosts(const Environment& env) {
  const std::string roles = variable(env, "OVERCLOUD_ROLES");
  std::vector<AgentHost> hosts;
  for (const std::string& role : split_words(roles.empty() ? k_roles : roles)) {
    std::string addresses = variable(env, cat(role, "_hosts"));
    if (addresses.empty()) addresses = variable(env, old_variable(role));
    if (addresses.empty() && !roles.empty()) {
      throw Error(ErrorKind::usage, cat("OVERCLOUD_ROLES names ", role, ", but ", role, "_hosts is not set"));
    }
    std::size_t member = 0;
    for (const std::string& address : split_words(addresses)) hosts.push_back({role, member++, address});
  }
  if (hosts.empty()) {
    throw Error(ErrorKind::usage, "no hosts are given")
        .hint("OVERCLOUD_ROLES=\"Controller Compute\" Controller_hosts=\"ADDRESS …\" Compute_hosts=\"ADDRESS …\"");
  }
  return hosts;
}

std::string agent_config_text(const Json& section) {
  const std::string collector = section["collectors"][0];
  std::string text = cat("[DEFAULT]\ncollectors=", collector,
                         "\ncollectors=local\ncommand=os-refresh-config\npolling_interval=30\n\n[", collector, "]\n");
  for (const auto& [key, value] : section[collector].items()) {
    if (value.is_string()) text += cat(key, "=", replace_all(value.get<std::string>(), "\n", " "), "\n");
  }
  return text;
}

std::string service_url(const Json& section) {
  const Json& collector = section[section["collectors"][0].get<std::string>()];
  const std::string url = collector.value("metadata_url", collector.value("auth_url", ""));
  const Url parsed = parse_url(url).value_or_throw();
  return cat(parsed.scheme, "://", parsed.authority(), "/");
}

int run_agent_config(const AgentConfigRequest& request, const AgentConfigWorld& world) {
  int code = 0;
  for (const AgentHost& host : agent_hosts(world.env)) {
    try {
      auto [place, section] = section_when_ready(request, world, host);
      if (!request.authority.empty() && section.contains("cfn"))  // for os-collect-config as it comes from upstream
        section["cfn"]["ca_certificate"] = k_installed_authority;
      if (request.install) install(request, world, host, section);
      // From here on it has EC2 metadata at this address.
      world.client.call("PUT", cat(place, "/machine"), {{"address", host.address}});
      const std::string where = cat("# ", host.role, " ", host.member, ": ", host.address);
      cli::print(cat(where, request.install ? " is configured\n" : "\n"));
      if (!request.install) cli::print(agent_config_text(section));
    } catch (const Error& error) {
      if (error.kind() == ErrorKind::usage) throw;
      cli::tell(cat(host.role, " ", host.member, " (", host.address, "): ", error.story(), "\n"));
      code = 1;
    }
  }
  return code;
}

}  // namespace hearth::metadata::live
