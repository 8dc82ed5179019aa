// What the engine asks of a stack's templates, as an interface: the tree of stacks and resources, in which order they
// depend on each other, and what each is, once what it depends on is known. Resources are named by their path below the
// root stack: "Compute.0.deployed-server"; the root stack itself is "".
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/json.hpp"
#include "base/net/query.hpp"
#include "metadata/engine/words.hpp"
#include "metadata/resources/types/live_role.hpp"

namespace hearth::metadata::live {

struct PlannedResource {
  std::string name;
  std::string type;  ///< as written in the template
  Role role = Role::plain;
  std::vector<std::string> needs;  ///< names in the same stack
  std::string description;
  std::vector<std::string> hooks{};  ///< "pre-create", "post-update": where the environment wants it to pause
};

struct PlannedStack {
  std::string id;    ///< UUID
  std::string name;  ///< of nested stacks: the physical name of their resource
  std::string description;
  bool is_group = false;  ///< its resources are numbered members
  std::vector<PlannedResource> resources;
  std::vector<std::string> blacklist{};  ///< of a group: names that it never uses again
};

struct PlannedDeployment {
  std::string server;  ///< path of the server's resource
  std::string signal_transport;
  bool triggers = true;  ///< its `actions` name the action
  Json input_values;
  Json derived;  ///< the entry in the server's `deployments`, with its id
};

/// What makes one trigger of a deployment different from the next.
struct Trigger {
  Action action = Action::create;
  std::string config_id;
  std::string created;  ///< "2026-11-21T00:12:44Z"
  Parameters signal;    ///< the fixed inputs that tell the agent where to signal
};

struct PlannedServer {
  std::string name;
  std::string transport;              ///< POLL_SERVER_CFN, POLL_TEMP_URL, POLL_SERVER_HEAT
  std::string container;              ///< of its metadata object; empty = its name
  std::string object;                 ///< empty = a UUID
  Json metadata;                      ///< what the template's `metadata` adds
  bool is_machine = false;            ///< somebody has to provide it: it is not deployed already
  Json public_keys = Json::object();  ///< name → text, for those who may log in
};

/// How whoever signals a handle is to reach it.
struct PlannedHandle {
  enum class Form : std::uint8_t {
    heat,   ///< OS::Heat::WaitConditionHandle: by its transport
    aws,    ///< its reference is a pre-signed URL for PUT
    swift,  ///< its reference is a TempURL for PUT
  };
  Form form = Form::heat;
  std::string transport = "TOKEN_SIGNAL";
};

struct PlannedWait {
  std::string handle;  ///< path of the handle's resource
  std::size_t count = 1;
  std::int64_t timeout = 0;  ///< seconds
};

struct PlannedOutput {
  std::string name;
  std::string description;
  Json value;
  std::string error;  ///< why there is no value; empty when there is one
};

class Blueprint {
 public:
  virtual ~Blueprint() = default;
  /// All of these throw Error when the template does not allow an answer (the message is shown as the failure's
  /// reason).
  [[nodiscard]] virtual PlannedStack stack(const std::string& path) = 0;
  [[nodiscard]] virtual std::string physical_id(const std::string& path) = 0;
  /// What refers to it in templates (get_resource); null while that can't be known.
  [[nodiscard]] virtual Json reference(const std::string& path) = 0;
  /// Properties as resolved: two resources with equal ones are the same.
  [[nodiscard]] virtual Json properties(const std::string& path) = 0;
  [[nodiscard]] virtual PlannedDeployment deployment(const std::string& path, const Trigger& trigger) = 0;
  [[nodiscard]] virtual PlannedServer server(const std::string& path) = 0;
  /// The user data of a machine, made as the template says; `document` is its metadata. Empty where there is none.
  [[nodiscard]] virtual std::string user_data(const std::string& /*path*/, const Json& /*document*/) { return {}; }
  [[nodiscard]] virtual PlannedWait wait(const std::string& path) = 0;
  [[nodiscard]] virtual PlannedHandle handle(const std::string& path) = 0;
  /// What the resource has to find again (StackDefinition::kept) whatever else changes: a port its addresses, a
  /// RandomString the text that it brought from elsewhere. Null: nothing.
  [[nodiscard]] virtual Json kept(const std::string& /*path*/) { return {}; }
  /// What another service has to know of it to take it over as it is, as Heat's exports have it: a RandomString's text.
  [[nodiscard]] virtual Json resource_data(const std::string& /*path*/) { return Json::object(); }
  /// A new one takes the resource's place: it has another id, and nothing is known of it.
  virtual void renew(const std::string& path) = 0;
  /// Whether a resource can take new values of these properties, or a new one must take its place.
  [[nodiscard]] virtual bool updates_in_place(const std::string& path, const std::vector<std::string>& changed) = 0;
  [[nodiscard]] virtual std::vector<PlannedOutput> outputs(const std::string& stack_path) = 0;
  /// Name → value as text or JSON; hidden ones masked.
  [[nodiscard]] virtual Json parameters(const std::string& stack_path) = 0;
  /// All that can be told of a resource now, for people to read.
  [[nodiscard]] virtual Json shown_attributes(const std::string& path) = 0;
  /// A stack's template; of a group's, one as it could have been written.
  [[nodiscard]] virtual Json source(const std::string& stack_path) = 0;
  /// The environment as merged, with all parameters given.
  [[nodiscard]] virtual Json environment() = 0;
  [[nodiscard]] virtual std::vector<std::string> immutable_parameters() = 0;
  /// Attributes that only the run tells: a deployment's outputs, a condition's data. Replaces what was known before.
  /// Of a group: "removed_rsrc_list", the names that it passed over so far, and before an update is planned "refs_map",
  /// its members' references; afterwards "decided".
  virtual void know(const std::string& path, const Json& attributes) = 0;
};

/// What a user handed in to make a stack of.
struct StackDefinition {
  std::string name;
  std::string id;
  std::string project;
  Json body;  ///< template, files, environment, environment_files, parameters, as in Heat's API
  std::map<std::string, Json> kept{};         ///< Blueprint::kept() of resources that are there, by path
  std::size_t era = 0;                        ///< of resources that are made now: each update begins another
  std::map<std::string, std::size_t> eras{};  ///< in which those that are there were made, by path
};

class BlueprintMaker {
 public:
  virtual ~BlueprintMaker() = default;
  /// Called now and then while a blueprint is made, and by it later, if it is there.
  std::function<void()> breathe{};
  /// Throws Error (kind input) when the definition is not valid.
  [[nodiscard]] virtual std::unique_ptr<Blueprint> make(const StackDefinition& definition) = 0;
};

}  // namespace hearth::metadata::live
