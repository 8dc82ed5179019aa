// The engine: all live stacks, changed by requests and signals, kept in a repository, seen by agents through the served
// views. Everything happens on one thread; each call ends with one transaction.
//
// "stack create": the blueprint (templates, evaluated) says what the stack wants, a StackTree holds what there is, a
// StackMachine brings the one to the other, and what it did is saved as one step. Then the agents' documents are
// others; an agent polls, runs its deployment and signals, and the next step begins with that. There is no queue beside
// the store.
//
// What must hold: memory and store say the same after each call; what a step does is shown to nobody before it is kept.
// When the store fails, nothing is taken until tick() has read anew all that is kept: whoever asks is told to come
// again, never that something is not there. A stack that can't be read is set aside, alone: all others are served. What
// was made of templates is not kept; it is made again from the stored body when it is needed.
//
// A step of ten thousand resources takes its time: it stops between two of them to serve others (breathe), who see the
// state of before, or is made beside them in a thread of its own (Apart).
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <unordered_map>

#include "base/clock.hpp"
#include "base/log.hpp"
#include "metadata/engine/credentials.hpp"
#include "metadata/engine/repository.hpp"
#include "metadata/engine/software_store.hpp"
#include "metadata/serve/views.hpp"

namespace hearth::metadata {
class PeerNotes;
}
namespace hearth::sql {
class StoreError;
}

namespace hearth::metadata::live {

/// A refusal with Heat's own error type: EntityNotFound, StackExists, ActionInProgress, StackValidationFailed.
class EngineError : public Error {
 public:
  EngineError(std::string type, const std::string& message)
      : Error(ErrorKind::input, message), type_(std::move(type)) {}
  [[nodiscard]] const std::string& type() const { return type_; }

 private:
  std::string type_;
};

/// Whoever asks is told to come again: the stack is there, but set aside.
class StackSetAside : public Error {
 public:
  explicit StackSetAside(const SetAside& stack);
};

/// A root stack with what is made of its templates.
struct LiveTree {
  StackTree tree;
  std::unique_ptr<Blueprint> blueprint;                            ///< made when it is needed first
  std::unique_ptr<Blueprint> previous;                             ///< of before the running update
  std::unordered_map<std::string, std::set<std::size_t>> entries;  ///< server's path → its deployments
  std::uint64_t change = 0;                                        ///< another number after each, in this process
};

struct StackPlace {
  LiveTree* live = nullptr;
  std::size_t stack = k_none;
};

/// A stack as it would be.
struct StackPreview {
  StackTree tree;
  std::unique_ptr<Blueprint> blueprint;
};

/// What an update would do to one resource.
struct ResourceChange {
  enum class Kind : std::uint8_t { added, deleted, replaced, unchanged, updated };
  Kind kind = Kind::unchanged;
  std::size_t tree = 0;  ///< in which tree the resource is: 0 the present one, 1 the preview
  std::size_t resource = 0;
};

struct UpdatePreview {
  StackPreview next;
  std::vector<ResourceChange> changes;
};

/// A server that the templates want; whoever provides machines reads and answers these.
struct WantedServer {
  std::string stack;  ///< name of the root stack
  std::string path;   ///< "Compute.0.server"
  std::string id;     ///< UUID: the machine's instance id
  std::string name;
  std::string type;
  Status status = Status::in_progress;
  bool is_machine = false;  ///< to be provided (OS::Nova::Server); else it is deployed already
  Json properties;          ///< flavor, image, networks, …: as resolved
  Json machine;             ///< what was reported; null = nothing yet
  std::int64_t last_poll = 0;
};

/// What a server's machine is given before it has a network.
struct FirstBoot {
  std::string user_data;   ///< as its user_data_format says
  Json os_collect_config;  ///< where its agent finds its metadata, and the key to them
  std::string authority;   ///< PublicUrls::authority
};

/// The one secret of a repository, made when it is asked for first.
[[nodiscard]] std::string engine_secret(Repository& repository);

/// Seconds for which servers that went are remembered.
constexpr std::int64_t k_retired_kept = std::int64_t{90} * 86'400;

class StepAround;

/// Where the work of a step is done while others are served: a caller that can wait for it has a thread of its own
/// (live/side_thread.hpp). Elsewhere it is done at once.
struct Apart {
  std::function<bool()> is_here = [] { return false; };
  std::function<void(const std::function<void()>& work)> run = [](const std::function<void()>& work) { work(); };
};

class Engine final : public StackView, public ObjectStore, public MachineView {
 public:
  struct World {
    Repository& repository;
    BlueprintMaker& maker;
    const Clock& clock;
    Logger& log;
    bool provides_machines = false;      ///< servers that are no deployed ones wait for machine_came()
    bool goes_on_after_failure = false;  ///< for stacks that don't say `on_failure` themselves
  };
  Engine(World world, const PublicUrls& urls);

  // For people, through the orchestration API. All throw EngineError.
  /// Returns the new stack's UUID. `body` is Heat's request.
  std::string create(const std::string& project, const std::string& name, const Json& body);
  void update(const std::string& id, const Json& body);
  /// Delete, suspend, resume, check.
  void act(const std::string& id, Action action);
  /// Stops what runs; `back` takes an update back.
  void cancel(const std::string& id, bool back);
  void mark(LiveTree& live, std::size_t resource, bool unhealthy, const std::string& reason);

  // engine_preview.cpp
  [[nodiscard]] StackPreview preview(const std::string& project, const std::string& name, const Json& body);
  [[nodiscard]] UpdatePreview preview_update(const std::string& id, const Json& body);

  // engine_export.cpp: as Heat's stack abandon, export and adopt
  [[nodiscard]] Json exported(LiveTree& live);
  Json abandon(const std::string& id);
  std::string adopt(const std::string& project, const std::string& name, const Json& body, const Json& data);
  /// Snapshots keep a stack's definition; to restore one is an update.
  Json snapshot(LiveTree& live, const std::string& name);
  [[nodiscard]] std::vector<Json> snapshots(const std::string& id) const;
  void remove_snapshot(const std::string& id, const std::string& snapshot);
  void restore(const std::string& id, const std::string& snapshot);

  // engine_giving.cpp: a stack that another service takes over (`hearth seed handover`)
  /// From now on nothing of it changes here, and `to` is told to whoever tries. `agents`: by server, {"ran": {former id
  /// of a deployment → its id there}, "os-collect-config": where it is to ask}. Each agent marks first that these ran,
  /// and is then told. `for_good`: it does not come back, and abandon() forgets it.
  void give(const std::string& id, const std::string& to, const Json& agents, bool for_good = false);
  /// It is ours again, and so are its agents, as far as they ask.
  void take_back(const std::string& id);
  /// All that another service has to know of its configs, deployments and servers, and how far each agent is.
  [[nodiscard]] Json given(LiveTree& live);

  // engine_machines.cpp: for whoever provides machines
  [[nodiscard]] std::vector<WantedServer> servers(const std::string& stack);
  /// What is known of the machine: "address" and whatever attributes templates may ask for ("first_address",
  /// "networks", …). Its server's creation completes.
  void machine_came(const std::string& server_id, const Json& machine);
  void machine_failed(const std::string& server_id, const std::string& reason);
  [[nodiscard]] FirstBoot first_boot(const std::string& server_id);
  /// New keys for the agents of all servers of the stack; by those that they have they can fetch them until then.
  void rotate(const std::string& id, std::int64_t until);
  /// By UUID, or by its name in the project.
  [[nodiscard]] StackPlace find(const std::string& name_or_id, const std::string& project = "admin");
  /// Another number after each change of the stack's tree; 0 when there is none.
  [[nodiscard]] std::uint64_t change_of(const std::string& stack_id) const;
  /// Another number after each change of any stack.
  [[nodiscard]] std::uint64_t changes() const { return last_change_; }
  /// Id of the root stack of the stack's tree, or of the server's; empty when there is none.
  [[nodiscard]] std::string root_of(const std::string& stack_id) const;
  [[nodiscard]] std::string root_of_server(const std::string& server_id) const;
  [[nodiscard]] Blueprint& blueprint(LiveTree& live);
  [[nodiscard]] std::vector<LiveTree*> trees();

  // engine_set_aside.cpp: stacks that can't be served; all else of them is refused
  [[nodiscard]] const std::map<std::string, SetAside>& set_aside() const { return aside_; }
  /// By UUID, or by its name in the project; null when there is none.
  [[nodiscard]] const SetAside* find_set_aside(const std::string& name_or_id, const std::string& project) const;
  /// Forgets it, and all that is kept of it.
  void drop_set_aside(const std::string& id);

  [[nodiscard]] std::vector<EventRecord> events(EventQuery query);
  [[nodiscard]] std::optional<EventRecord> event(const std::string& id) { return world_.repository.event(id); }
  /// The metadata that the resource's agent gets; an empty map for what is no server.
  [[nodiscard]] Json metadata_of(LiveTree& live, std::size_t resource);
  [[nodiscard]] const Credentials& credentials() const { return credentials_; }
  /// When this server's agent asked last, Unix seconds; 0 = never since the start.
  [[nodiscard]] std::int64_t last_poll(const std::string& server_id) const;
  /// What a resource waits for, as far as it is known: of a deployment that its machine has not answered, what was last
  /// heard of the machine's agent. Empty for all else.
  [[nodiscard]] std::string waits_for(const LiveTree& live, std::size_t resource) const;
  /// The UUID of the server that a deployment is for; empty for all else.
  [[nodiscard]] std::string server_of(const std::string& stack_id, const std::string& deployment) const;
  /// The last report of the server's agent.
  [[nodiscard]] std::optional<RunReport> last_run(const std::string& server_id) const;

  /// Calls `watcher` for each event when it is on disk. It may look at the engine, but not change it: use
  /// HttpServer::post() for that.
  void watch(std::function<void(const EventRecord&)> watcher) { watchers_.push_back(std::move(watcher)); }

  /// What is told of machines that asked in vain; may be null.
  void look_at(const PeerNotes* peers) { peers_ = peers; }

  /// Called now and then in the midst of a step, so that others can be served: whoever holds what is_steady() says can
  /// read it, and nothing else may be asked until the step is done. What the step does is not seen before it is kept.
  void set_breath(const std::function<void()>& breathe);
  /// In the midst of a long step, or of a long list.
  void breathe() {
    if (breathe_) breathe_();
  }
  /// While the store lets us wait: others are served, unless a thread that waits beside them does it.
  void breathe_for_store() {
    if (!is_beside_) breathe();
  }
  /// What the steps of this engine may be done beside.
  void set_apart(Apart apart) { apart_ = std::move(apart); }
  /// A step of this tree is being made beside all else: until it is kept the tree is as it was before, but what is made
  /// of its templates is away.
  [[nodiscard]] bool is_apart(const std::string& tree) const { return apart_trees_.count(tree) > 0; }
  /// This process is a copy that only tries a request (live/trial_guard.hpp): watchers hear nothing any more.
  void be_copy(const std::function<void()>& breathe);

  /// Ends what has waited too long, and takes the store up again after it failed; to be called every second.
  void tick();
  /// Whether requests that only read, or all, can be answered as things are. While they can't, whoever asks is told to
  /// come again: nothing is said of stacks that are not known just now, nothing is taken that could not be kept. What
  /// is known is read on while the store fails, unless somebody else has driven it meanwhile.
  [[nodiscard]] bool can_read() const { return store_ != Store::lost; }
  [[nodiscard]] bool can_write() const { return store_ == Store::good && !doubtful_; }
  /// To be called when it ended a request: nothing is taken before tick() has read again all that is kept.
  void store_failed(const sql::StoreError& error);
  /// Why, in words for whoever asks; empty where no more is known than that the store does not answer.
  [[nodiscard]] const std::string& trouble() const { return trouble_; }

  // StackView
  [[nodiscard]] std::optional<AccessKey> access_key(const std::string& id) const override;
  [[nodiscard]] bool is_steady(const std::string& key_id) const override;
  [[nodiscard]] std::optional<std::string> stack_id(const std::string& name_or_id, const AccessKey& key) const override;
  [[nodiscard]] std::optional<ResourceDetail> resource(const std::string& stack_id,
                                                       const std::string& name) const override;
  SignalOutcome signal(const std::string& stack_id, const std::string& resource, const Json& body) override;
  void note_run(const std::string& stack_id, const std::string& resource, const RunReport& report) override;

  // ObjectStore
  [[nodiscard]] std::vector<std::string> temp_url_keys(const std::string& account,
                                                       const std::string& container) const override;
  [[nodiscard]] std::optional<Document> object(const ObjectPath& path) const override;
  [[nodiscard]] bool is_steady(const ObjectPath& path) const override;
  [[nodiscard]] bool takes_runs(const ObjectPath& path) const override;
  void note_object_run(const ObjectPath& path, const RunReport& report) override;
  std::optional<Document> put_object(const ObjectPath& path, const std::string& body,
                                     const std::string& content_type) override;
  bool remove_object(const ObjectPath& path) override;

  // MachineView: by the address that was reported, or by the server's UUID
  [[nodiscard]] std::optional<Machine> machine_at(const std::string& address) override;
  [[nodiscard]] std::optional<Machine> machine_named(const std::string& instance_id) override;
  [[nodiscard]] std::string instance_at(const std::string& address) const override;

  // Software deployments that are made by hand; false when there is no such server.
  [[nodiscard]] const SoftwareStore& software() const { return software_; }
  [[nodiscard]] SoftwareStore& software() { return software_; }
  /// Whose server it is; nothing when there is none.
  [[nodiscard]] std::optional<std::string> project_of(const std::string& server_id) const;
  /// The server's document is another one now.
  bool touch_server(const std::string& server_id);

 private:
  struct Place {
    std::string tree;  ///< id
    std::string path;  ///< of the resource
  };
  /// While one lives, what was made of its tree is shown: not all of it can be found yet. They nest.
  class Showing {
   public:
    Showing(Engine& engine, const LiveTree& live) : engine_(engine), place_(engine.shown_.insert(live.tree.id)) {}
    Showing(const Showing&) = delete;
    Showing& operator=(const Showing&) = delete;
    ~Showing() { engine_.shown_.erase(place_); }

   private:
    Engine& engine_;
    std::multiset<std::string>::iterator place_;
  };
  struct Served {
    Document document;
    std::int64_t version = 0;
  };

  friend class StepAround;
  [[nodiscard]] std::int64_t now() const;
  [[nodiscard]] std::int64_t lasted() const;
  [[nodiscard]] bool holds(const ResourceRecord& resource, const std::string& credential) const;
  [[nodiscard]] bool is_polling(const ResourceRecord& server) const;
  [[nodiscard]] bool is_polling(std::int64_t last_poll) const;

  // engine_giving.cpp
  void require_ours(const LiveTree& live) const;
  [[nodiscard]] Json mark_entry(const StackTree& tree, const ResourceRecord& server) const;
  [[nodiscard]] Json signalling_entry(const StackTree& tree, const ResourceRecord& server, const std::string& output,
                                      const std::string& script) const;
  [[nodiscard]] Json given_server(const StackTree& tree, const ResourceRecord& server) const;
  SignalOutcome signal_of_given(LiveTree& live, std::size_t server, const Json& body);

  // engine_steps.cpp: how a tree is changed
  using Work = std::function<Changes(LiveTree& live, StepAround& around)>;
  void step(LiveTree& live, const Work& work);
  void step(LiveTree& live, const std::function<void(StackMachine&)>& work);
  bool step_apart(const std::string& id, const Work& work);
  bool change(LiveTree& live, const Work& work);
  bool keep(LiveTree& live, LiveTree& mine, Changes& changes);
  void require_store() const;
  void bring_previous(LiveTree& live);

  void load_rows();
  void take_retired(const std::vector<std::string>& rows);
  bool look_at_store();
  void prune_retired();
  void admit_stored(StackTree tree);
  void take_up();
  void take_up(LiveTree& kept);
  void forget_all();
  void forget(const std::string& tree_id);

  // engine_set_aside.cpp
  bool attempt(const std::string& id, const std::function<void(LiveTree&)>& work);
  void put_aside(SetAside stack);
  void put_aside(const LiveTree& live, std::string why);
  void require_served(const std::string& credential) const;
  [[nodiscard]] bool is_steady(const Place& place) const;
  [[nodiscard]] std::string id_of_new(const std::string& project, const Json& adopted);
  void require_free(const std::string& project, const std::string& name) const;
  std::string begin_new(const std::string& project, const std::string& name, const Json& body, Action action,
                        const Json& adopted, const std::string& remark = {});
  void require_same(LiveTree& live, Blueprint& next);
  void change_to(LiveTree& kept, const Json& body, Action action);
  void drop(LiveTree& live);
  [[nodiscard]] Changes begun(LiveTree& live, Action action, StepAround& around);
  void run(LiveTree& kept, Action action);
  void save(LiveTree& live, Changes& changes);
  void beside_others(std::size_t rows, const std::function<void()>& work);
  void show(LiveTree& live, const Changes& changes);
  void after(const std::string& id);
  void index(LiveTree& live, const Changes& changes);
  void index_resource(LiveTree& live, std::size_t index);
  void compact(LiveTree& live);
  void roll_back(LiveTree& live);
  void set_deadline(LiveTree& live);
  [[nodiscard]] Json with_defaults(const Json& body) const;
  void require_idle(const LiveTree& live) const;
  [[nodiscard]] StackDefinition definition(const StackTree& tree, const Json& body, bool before = false) const;
  [[nodiscard]] std::pair<LiveTree*, const ResourceRecord*> at(const Place& place) const;
  [[nodiscard]] Document document(LiveTree& live, const ResourceRecord& server) const;
  [[nodiscard]] std::string compose(LiveTree& live, const ResourceRecord& server) const;
  [[nodiscard]] Document tombstone() const;
  void note_poll(const ResourceRecord& server) const;
  void tell_run(LiveTree& live, const std::string& server, const std::string& reason);
  void tell_runs();

  World world_;
  WallTime started_ = world_.clock.wall();
  MonotonicTime started_at_ = world_.clock.now();
  std::vector<std::function<void(const EventRecord&)>> watchers_;
  enum class Store : std::uint8_t {
    good,
    readable,  ///< what is known is what is kept, but what runs was not taken up again
    lost       ///< nothing is known
  };
  Store store_ = Store::lost;
  std::function<void()> breathe_;
  std::multiset<std::string> shown_;  ///< trees of which what a step did is being shown
  bool doubtful_ = false;             ///< the store failed, or could not be asked whether it is ours still
  std::string store_told_;            ///< of that, in the log
  bool is_beside_ = false;            ///< the store is used by another thread
  bool is_copy_ = false;
  std::uint64_t last_change_ = 0;
  std::string trouble_;
  Apart apart_;
  std::set<std::string> apart_trees_;  ///< ids
  Credentials credentials_;
  SoftwareStore software_;
  std::map<std::string, std::unique_ptr<LiveTree>> trees_;  ///< by id
  std::vector<std::string> order_;                          ///< ids, oldest first
  std::unordered_map<std::string, std::string> tree_of_;    ///< stack's id, or "PROJECT/NAME" → tree
  std::unordered_map<std::string, Place> keys_;             ///< access keys
  std::unordered_map<std::string, Place> objects_;    ///< "PROJECT/CONTAINER/OBJECT" → a server, or a deployment
  std::unordered_map<std::string, Place> servers_;    ///< by UUID
  std::unordered_map<std::string, Place> addresses_;  ///< of machines
  std::unordered_map<std::string, Json> retired_;     ///< keys and objects of servers that are gone
  std::int64_t prune_at_ = 0;                         ///< those of them that are too many
  std::map<std::string, SetAside> aside_;             ///< by id
  std::map<std::string, std::string> failed_;  ///< readable ones whose work failed, and why: until the next start
  std::map<std::string, std::string> told_;    ///< of which stack was told what in the log
  std::unordered_map<std::string, std::string> held_credentials_;  ///< of stacks that are set aside → their ids
  mutable std::unordered_map<std::string, Served> served_;         ///< by the server's UUID
  mutable std::unordered_map<std::string, std::int64_t> polls_;
  std::unordered_map<std::string, RunReport> runs_;  ///< by the server's UUID
  /// The failure that was told last of a server: in the log at once, as an event by the next tick().
  struct ToldRun {
    std::string failure;
    std::int64_t at = 0;
    bool is_event = true;
    std::string reason{};  ///< of the event: the next run may have begun by then
  };
  const PeerNotes* peers_ = nullptr;
  std::unordered_map<std::string, ToldRun> told_runs_;  ///< by the server's UUID
};

}  // namespace hearth::metadata::live
