// A stack of a seed in the words of Heat's own adopt call. Heat keeps the ids of servers and random texts; configs and
// deployments get ids of its own, which are put in before it adopts. Pure.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/json.hpp"

namespace hearth::bootstrap {

/// A deployment, here and there.
struct GivenDeployment {
  std::string path;    ///< "Compute.0.First"
  std::string server;  ///< UUID
  std::string ran;     ///< the id by which its machine knows that it ran
  std::string config;  ///< the same, there
  std::string id;      ///< of the deployment there
  bool operator==(const GivenDeployment&) const = default;
};

struct GivenAgent {
  std::string server;  ///< UUID
  std::string name;
  std::string state;           ///< the seed's words: "to mark", "told", "follows"; "returns", "returned"
  std::string config;          ///< of what makes it signal the seed, or ask it again, in the cloud
  std::string deployment;      ///< the same
  std::int64_t last_poll = 0;  ///< by the seed, when it was told to come back
  bool operator==(const GivenAgent&) const = default;
};

struct GivenStack {
  std::string name;
  std::string id;
  std::string cloud_id;
  std::string step;                              ///< "", adopting, adopted, ready, told, there
  std::string updated;                           ///< there, when we were done with it
  std::map<std::string, std::string> configs{};  ///< path → id there
  std::vector<GivenDeployment> deployments{};
  std::vector<GivenAgent> agents{};
  bool operator==(const GivenStack&) const = default;
};

[[nodiscard]] Json stack_json(const GivenStack& stack);
/// Throws Json::exception.
[[nodiscard]] GivenStack stack_of_json(const Json& kept);

/// Why a stack can't be given, a line each. `exported`: of GET …/export; `known`: of GET …/given.
[[nodiscard]] std::vector<std::string> stack_faults(const Json& exported, const Json& known, bool has_objects);

/// An entry of a server's metadata, or a config, as POST …/software_configs takes it: without what signals the seed.
[[nodiscard]] Json config_for_cloud(const Json& config);

/// How servers poll in what Heat is given first: it makes credentials only where that changes.
enum class Transport { interim, own };
/// The definition: template, files, environment, parameters. Servers are OS::Heat::DeployedServer there, whichever type
/// they have here: their machines are there. Throws Error(input) for a template that can't be read.
[[nodiscard]] Json stack_for_cloud(const Json& exported, Transport transport);
/// The body of POST …/stacks.
[[nodiscard]] Json adoption(const Json& exported, const Json& known, const GivenStack& stack, const std::string& tag);

/// By the id that its machine knows, the id that it gets: of one server's deployments.
[[nodiscard]] Json ran_on(const GivenStack& stack, const std::string& server);

}  // namespace hearth::bootstrap
