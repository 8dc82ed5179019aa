// The engine: all live stacks, changed by requests and signals, kept in a repository, seen by agents through the served
// views. Everything happens on one thread; each call ends with one transaction.
#pragma once

#include <map>
#include <memory>
#include <unordered_map>

#include "base/clock.hpp"
#include "base/log.hpp"
#include "metadata/engine/credentials.hpp"
#include "metadata/engine/repository.hpp"
#include "metadata/serve/views.hpp"

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

/// A root stack with what is made of its templates.
struct LiveTree {
  StackTree tree;
  std::unique_ptr<Blueprint> blueprint;                            ///< made when it is needed first
  std::unique_ptr<Blueprint> previous;                             ///< of before the running update
  std::unordered_map<std::string, std::set<std::size_t>> entries;  ///< server's path → its deployments
};

struct StackPlace {
  LiveTree* live = nullptr;
  std::size_t stack = k_none;
};

/// The one secret of a repository, made when it is asked for first.
[[nodiscard]] std::string engine_secret(Repository& repository);

class Engine final : public StackView, public ObjectStore, private Surroundings {
 public:
  struct World {
    Repository& repository;
    BlueprintMaker& maker;
    const Clock& clock;
    Logger& log;
  };
  Engine(World world, const PublicUrls& urls);

  // For people, through the orchestration API. All throw EngineError.
  /// Returns the new stack's UUID. `body` is Heat's request.
  std::string create(const std::string& project, const std::string& name, const Json& body);
  void update(const std::string& id, const Json& body);
  /// Delete, suspend, resume, check.
  void act(const std::string& id, Action action);
  [[nodiscard]] StackPlace find(const std::string& name_or_id);
  [[nodiscard]] Blueprint& blueprint(LiveTree& live);
  [[nodiscard]] std::vector<LiveTree*> trees();
  [[nodiscard]] std::vector<Event> events(const EventQuery& query) { return world_.repository.events(query); }
  [[nodiscard]] std::optional<Event> event(const std::string& id) { return world_.repository.event(id); }
  /// The metadata that the resource's agent gets; an empty map for what is no server.
  [[nodiscard]] Json metadata_of(LiveTree& live, std::size_t resource);
  [[nodiscard]] const Credentials& credentials() const { return credentials_; }
  /// When this server's agent asked last, Unix seconds; 0 = never since the start.
  [[nodiscard]] std::int64_t last_poll(const std::string& server_id) const;

  /// Ends what has waited too long; to be called every second.
  void tick();

  // StackView
  [[nodiscard]] std::optional<AccessKey> access_key(const std::string& id) const override;
  [[nodiscard]] std::optional<std::string> stack_id(const std::string& name_or_id) const override;
  [[nodiscard]] std::optional<ResourceDetail> resource(const std::string& stack_id,
                                                       const std::string& name) const override;
  SignalOutcome signal(const std::string& stack_id, const std::string& resource, const Json& body) override;

  // ObjectStore
  [[nodiscard]] std::vector<std::string> temp_url_keys(const std::string& account,
                                                       const std::string& container) const override;
  [[nodiscard]] std::optional<Document> object(const ObjectPath& path) const override;
  std::optional<Document> put_object(const ObjectPath& path, const std::string& body,
                                     const std::string& content_type) override;
  bool remove_object(const ObjectPath& path) override;

 private:
  struct Place {
    std::string tree;  ///< id
    std::string path;  ///< of the resource
  };
  struct Served {
    Document document;
    std::int64_t version = 0;
  };

  // Surroundings
  [[nodiscard]] std::int64_t now() const override;
  [[nodiscard]] SignalInputs signal_inputs(const StackTree& tree, Resource& resource,
                                           const std::string& transport) override;
  void prepare_server(const StackTree& tree, Resource& resource, const PlannedServer& plan) override;
  void forget(const StackTree& tree, const Resource& resource) override;
  [[nodiscard]] bool is_polling(const Resource& server) const override;

  void run(LiveTree& live, Action action);
  void finish(LiveTree& live, StackMachine& machine);
  void after(LiveTree& live);
  void index(LiveTree& live, const Changes& changes);
  void index_resource(LiveTree& live, std::size_t index);
  void roll_back(LiveTree& live);
  void set_deadline(LiveTree& live);
  void require_idle(const LiveTree& live) const;
  [[nodiscard]] StackDefinition definition(const StackTree& tree, const Json& body) const;
  [[nodiscard]] std::pair<LiveTree*, Resource*> at(const Place& place) const;
  [[nodiscard]] Document document(LiveTree& live, const Resource& server) const;
  [[nodiscard]] std::string compose(LiveTree& live, const Resource& server) const;
  [[nodiscard]] Document tombstone() const;
  void note_poll(const Resource& server) const;

  World world_;
  Credentials credentials_;
  std::map<std::string, std::unique_ptr<LiveTree>> trees_;  ///< by id
  std::vector<std::string> order_;                          ///< ids, oldest first
  std::unordered_map<std::string, std::string> tree_of_;    ///< stack id or name → tree
  std::unordered_map<std::string, Place> keys_;             ///< access keys
  std::unordered_map<std::string, Place> objects_;  ///< "PROJECT/CONTAINER/OBJECT" → a server, or a deployment
  std::unordered_map<std::string, Json> retired_;   ///< keys and objects of servers that are gone
  mutable std::unordered_map<std::string, Served> served_;  ///< by the server's UUID
  mutable std::unordered_map<std::string, std::int64_t> polls_;
};

}  // namespace hearth::metadata::live
