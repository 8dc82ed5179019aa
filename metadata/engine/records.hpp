// The state of live stacks, as values: what is kept in the repository, row by row.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "base/json.hpp"
#include "metadata/engine/blueprint.hpp"
#include "metadata/engine/words.hpp"

namespace hearth::metadata::live {

constexpr std::size_t k_none = std::numeric_limits<std::size_t>::max();

/// What happened to a resource or a stack, as it is kept.
struct EventRecord {
  std::int64_t number = 0;  ///< grows by one with each event of the engine
  std::string id;           ///< UUID
  std::string root_id;      ///< of the tree it belongs to
  std::string stack_id;
  std::string resource;  ///< name; the stack's own name for its own events
  std::string physical_id;
  std::string type;
  std::string status;  ///< "CREATE_COMPLETE", "SIGNAL_IN_PROGRESS"
  std::string reason;
  std::int64_t time = 0;
};

/// A deployment's own state, beside that of its resource.
struct DeploymentState {
  std::string server;     ///< path
  std::string config_id;  ///< of the last trigger; empty = was never triggered
  std::string derived;    ///< the entry in the server's metadata, as JSON text
  std::string name;       ///< by which entries are sorted
  std::string transport;
  std::string key_id;  ///< access key or object that this trigger's signal comes with
  Action action = Action::create;
  Status status = Status::complete;
  std::string reason;
  Json input_values;
  Json outputs;        ///< declared
  Json output_values;  ///< null until signalled
  bool pushed = false;
};

/// A server's keys of before a rotation, which hold for a while; without a key there are none.
struct FormerKey {
  std::string key;
  std::string object;
  std::int64_t until = 0;
  bool operator==(const FormerKey&) const = default;
};

/// What is told to the agent of a server that was given to another service (given_words.hpp); without an id it is ours.
struct GivenServer {
  std::string id;                           ///< of the entry in its metadata
  Json ran = Json::object();                ///< what ran: its id here → its id there
  Json os_collect_config = Json::object();  ///< where to ask
  std::string state;
  std::string reason;
  bool operator==(const GivenServer&) const = default;
  [[nodiscard]] bool is_given() const { return !id.empty(); }
};

/// What the engine keeps of a resource beside its state; each kind of resource uses its part.
struct ResourceData {
  // Servers and handles: by what their agents come in.
  std::string key;
  std::string container;  ///< of the object, where the server's transport has one
  std::string object;
  FormerKey former;

  // Servers.
  std::string name;
  std::string transport;
  Json metadata;                            ///< the template's own
  Json os_collect_config = Json::object();  ///< what their agents are told
  std::int64_t version = 0;                 ///< of their document
  std::int64_t modified = 0;
  std::int64_t generation = 0;  ///< how many servers were in this place before
  bool is_machine = false;
  Json machine;  ///< its attributes; null: it has not come
  GivenServer given;

  // Handles and those that wait for them.
  Json attributes;                ///< how the handle is signalled
  Json signals = Json::object();  ///< id → {status, reason, data}
  std::string handle;             ///< path of what is waited for
  std::size_t count = 1;          ///< how many signals are waited for
  std::int64_t deadline = 0;      ///< 0 = none; of deployments that go, too

  Json told;  ///< what it told when it was known last; of a condition, that it was; null = nothing
  Json kept;  ///< what the blueprint made up, and must find again
  std::vector<std::string> blacklist;  ///< of a group: names that must not come again
  std::string hook;                    ///< at which it waits for a person
  std::string cleared;                 ///< the one that a person has cleared

  bool operator==(const ResourceData&) const = default;
  /// The machine's; empty where none is known.
  [[nodiscard]] std::string address() const { return text_member(machine, "address"); }
};

struct ResourceRecord {
  std::int64_t row = 0;  ///< in the repository; 0 = not there yet
  std::string name;
  std::string type;
  std::string path;
  std::string physical_id;
  Role role = Role::plain;
  Action action = Action::init;
  Status status = Status::complete;
  std::string reason;
  std::string description;
  std::int64_t created = 0;
  std::int64_t updated = 0;
  std::string fingerprint;  ///< of its resolved properties
  std::size_t era = 0;      ///< after how many updates of the stack it was made: part of what its id comes from
  ResourceData data;
  DeploymentState deployment;
  std::vector<std::string> needs;
  std::vector<std::string> hooks;

  // Of the running operation; made anew when the engine starts.
  std::size_t stack = k_none;
  std::size_t child = k_none;          ///< the nested stack
  std::vector<std::size_t> needed_by;  ///< in the same stack
  std::size_t missing = 0;             ///< how many of those that must come first have not
  bool visited = false;                ///< by the running operation
  bool removed = false;                ///< the new template lacks it; it goes at the end
  bool gone = false;
};

struct StackRecord {
  std::string id;
  std::string name;
  std::string path;  ///< of the resource whose stack it is; "" = root
  std::string description;
  bool is_group = false;
  Action action = Action::init;
  Status status = Status::complete;
  std::string reason;
  std::int64_t created = 0;
  std::int64_t updated = 0;  ///< 0 = never

  std::size_t parent = k_none;  ///< stack
  std::size_t parent_resource = k_none;
  std::vector<std::size_t> resources;
  std::size_t unfinished = 0;
  bool gone = false;
  bool erased = false;  ///< gone from the repository, too
};

}  // namespace hearth::metadata::live
