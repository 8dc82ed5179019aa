// What an agent reads: the entries of a server's `deployments`, its os-collect-config section, the whole document.
// Format: Heat's server metadata as os-collect-config and heat-config know it (names and order of keys included).
#pragma once

#include <string>
#include <vector>

#include "metadata/credentials/agent_access.hpp"
#include "metadata/graph/stack.hpp"

namespace hearth::metadata {

/// What makes one trigger of a deployment different from the next.
struct DeploymentTrigger {
  std::string action = "CREATE";
  std::string config_id;
  std::string created;  ///< "2026-11-21T00:12:44Z"
  Parameters signal;    ///< deploy_signal_id and so on
};

/// The entry in `deployments`. What waits inside stays waiting.
[[nodiscard]] Value deployment_entry(Resource& deployment, const DeploymentTrigger& trigger);
/// The properties action names this action; a component's configs decide for themselves.
[[nodiscard]] bool triggers_on(Resource& deployment, std::string_view action);
/// The resource of a deployment's config; null where it has none. Throws where the id is another thing's.
[[nodiscard]] Resource* config_of(Resource& deployment);
/// The resource of the server of a deployment; null when it is not in this tree or not known yet.
[[nodiscard]] Resource* server_of(Resource& deployment);

/// Where agents find the services, and when the documents were made.
struct Endpoints : PublicUrls {
  std::string created = "2026-01-01T00:00:00Z";
};

/// Whose keys: those that are given out now, or those of before the last rotation.
enum class KeyAge { current, former };

/// {"collectors": […], "cfn": {…}} for the server's transport.
[[nodiscard]] Value collect_section(Resource& server, const Endpoints& endpoints, KeyAge age = KeyAge::current);
/// The inputs by which the agent of a deployment signals, with keys derived from the seed.
[[nodiscard]] Parameters signal_inputs(Resource& deployment, const Endpoints& endpoints, KeyAge age = KeyAge::current);

/// A server with its whole document.
struct ServerDocument {
  std::string path;
  std::string name;
  std::string id;
  Value metadata{};
  struct Held {
    std::string deployment;
    std::vector<Event> events;
    Mark mark{};
  };
  std::vector<Held> held;  ///< deployments that wait for something, left out of the document
  struct Sent {
    std::string deployment;  ///< its resource's path
    std::string id;          ///< follows what is deployed
  };
  std::vector<Sent> sent{};  ///< deployments in the document
  Value former{};            ///< keys that still hold after a rotation, for index.json; null = none
};

/// All servers of the tree. Deployments of CREATE that are wholly known are in, sorted by name.
[[nodiscard]] std::vector<ServerDocument> server_documents(Stack& root, const Endpoints& endpoints);

}  // namespace hearth::metadata
