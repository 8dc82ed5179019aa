// Servers that are deployed already: which document belongs to which machine, and how its agent learns of it. Roles and
// addresses come as in the field's script: OVERCLOUD_ROLES, and ROLE_hosts for each role.
#pragma once

#include <string>
#include <vector>

#include "base/clock.hpp"
#include "base/json.hpp"
#include "base/sys/process.hpp"
#include "metadata/live/stack_client.hpp"

namespace hearth::metadata::live {

struct AgentConfigRequest {
  std::string stack;
  bool install = false;
  std::string user;
  std::string key;
  std::string authority;  ///< who signs for the service (PEM): goes there, too; empty: one that they know
};

struct AgentConfigWorld {
  StackClient& client;
  CommandRunner& runner;
  Clock& clock;
  Environment env;
};

struct AgentHost {
  std::string role;
  std::size_t member = 0;
  std::string address;
};

/// The hosts in order; throws Error(usage) when a role has none.
[[nodiscard]] std::vector<AgentHost> agent_hosts(const Environment& env);
/// Where the authority goes, which hearth-agent looks at unasked (agent/collect/site_authority.hpp).
constexpr const char* k_installed_authority = "/etc/hearth/authority.pem";
/// /etc/os-collect-config.conf for a server's os-collect-config section: its collector with "local" behind.
[[nodiscard]] std::string agent_config_text(const Json& section);
/// The URL of the service that the section's collector polls, for the check that it can be reached.
[[nodiscard]] std::string service_url(const Json& section);
/// Exit code 0; 1 when a host could not be configured (the others are).
int run_agent_config(const AgentConfigRequest& request, const AgentConfigWorld& world);

}  // namespace hearth::metadata::live
