// How a stack goes from one state to the next: in the order of its dependencies, each resource when those that it needs
// are there. Nothing here touches disk or network; what happened is handed back as Changes. Events and their texts are
// Heat's: of its classic engine, where a failure ends what runs beside it, or, where the definition says `on_failure:
// continue`, of its convergence engine, where only those that need what failed don't come.
//
// Each resource counts how many it still waits for (missing), each stack how many are not done (unfinished). What comes
// to 0 is put on a list; run() works that list off: visit, act, and, when it is complete, done() takes one from each
// that follows. Deletions go the same way backwards. A server, a deployment and a wait condition are left in progress:
// signal(), machine_came() or a deadline goes on with them, at any later time, perhaps in another process.
//
// What must hold: the list is empty between two calls, so all that is under way stands in the tree, and resume() can
// count it anew after a restart. A resource is acted on once in an action. What was told by signals is told to the
// blueprint before anything that uses it is evaluated (learn), and again after a restart (relearn). What follows from a
// step in memory, such as rights that end, happens only when it is kept (Changes::when_kept).
#pragma once

#include <deque>
#include <functional>
#include <set>

#include "metadata/engine/stack_tree.hpp"
#include "metadata/serve/views.hpp"

namespace hearth::metadata::live {

/// What one step did, to be written in one transaction.
struct Changes {
  std::vector<EventRecord> events;
  std::set<std::size_t> stacks;
  std::set<std::size_t> resources;
  std::set<std::size_t> servers;                              ///< whose metadata document is another now
  std::vector<std::pair<std::string, std::string>> settings;  ///< small things by name, kept with the rest
  bool definition = false;                                    ///< name, body or deadline of the tree
  std::vector<std::function<void()>> when_kept;               ///< what follows from it in memory: rights that end
};

/// What the machine needs of the world around it.
class Surroundings {
 public:
  virtual ~Surroundings() = default;
  [[nodiscard]] virtual std::int64_t now() const = 0;
  /// By which deadlines count: now() at the start of this process, and on from there by a clock that nobody sets. So
  /// they end when they were meant to, whatever becomes of now(); what another process set ends by the time of day.
  [[nodiscard]] virtual std::int64_t lasted() const { return now(); }
  /// Called between two resources: a step of many takes its time.
  virtual void breathe() {}
  /// How an agent is to signal for this trigger; former triggers' rights end.
  [[nodiscard]] virtual Parameters signal_inputs(const StackTree& tree, ResourceRecord& resource,
                                                 const std::string& transport) = 0;
  /// Prepares credentials and document of a server that was just created.
  virtual void prepare_server(const StackTree& tree, ResourceRecord& resource, const PlannedServer& plan) = 0;
  /// Somebody provides machines and will say when this one is there (then `ready` is signalled), so it is waited for.
  [[nodiscard]] virtual bool provides(const ResourceRecord& server) const = 0;
  /// Prepares the credentials of a handle; its attributes: "url", "token", "endpoint", "curl_cli", "signal".
  [[nodiscard]] virtual Json prepare_handle(const StackTree& tree, ResourceRecord& resource,
                                            const PlannedHandle& plan) = 0;
  /// The rights of a resource that goes end.
  virtual void forget(const StackTree& tree, const ResourceRecord& resource) = 0;
  /// Whether this server's agent was heard of lately, so that waiting for it makes sense.
  [[nodiscard]] virtual bool is_polling(const ResourceRecord& server) const = 0;
};

class StackMachine {
 public:
  /// `previous`: what the stack was before the running update; null when there is none. It knows those that go.
  StackMachine(StackTree& tree, Blueprint& blueprint, Surroundings& around, Blueprint* previous = nullptr)
      : tree_(tree), blueprint_(blueprint), previous_(previous), around_(around) {}

  /// Starts the action on the whole tree. Update goes to what the blueprint now says; rollback deletes everything.
  void begin(Action action);
  /// Takes up a tree that was read from the repository in the middle of an action.
  void resume();
  [[nodiscard]] SignalOutcome signal(std::size_t index, const Json& body);
  /// A machine is there, or (with a reason) will never be.
  void machine_came(std::size_t index, const Json& attributes, const std::string& failure);
  /// Ends the running action where it is.
  void cancel();
  /// The resource is to be replaced by the next update, or not.
  void mark(std::size_t index, bool unhealthy, const std::string& reason);
  /// Ends what has waited too long.
  void check_deadlines();
  /// Tells the blueprint all that signals told so far; after a restart it knows nothing of them. `anew`: an update to
  /// it begins.
  void relearn(bool anew = false);
  /// What happened since the last call.
  [[nodiscard]] Changes take_changes() { return std::exchange(changes_, {}); }

 private:
  struct Task {
    bool is_stack = false;
    std::size_t index = 0;
  };

  // stack_machine.cpp: the traversal
  void run();
  void begin_stack(std::size_t index, Action action);
  void count_missing(std::size_t index, bool all);
  void finish_stack(std::size_t index);
  void stack_done(std::size_t index);
  void visit(std::size_t index);
  void start(std::size_t index, Action action);
  void act(std::size_t index);
  void complete(std::size_t index);
  void done(std::size_t index);
  [[nodiscard]] std::vector<std::size_t> followers(const ResourceRecord& resource) const;
  [[nodiscard]] bool backwards(const ResourceRecord& resource) const;
  [[nodiscard]] Action effect(const StackRecord& stack) const;
  [[nodiscard]] bool is_going_on(const StackRecord& stack) const;

  // stack_actions.cpp: what the kinds of resources do
  void act_nested(std::size_t index);
  void act_deployment(std::size_t index);
  void act_server(std::size_t index);
  void act_wait(std::size_t index);
  [[nodiscard]] PlannedDeployment plan_of(const ResourceRecord& resource, const Trigger& trigger);
  void trigger(std::size_t index, const PlannedDeployment& plan, const std::string& config_id);
  [[nodiscard]] bool must_wait(const ResourceRecord& resource, const PlannedDeployment& plan) const;
  [[nodiscard]] Json told_of(const ResourceRecord& resource) const;
  [[nodiscard]] Json signals_of(const ResourceRecord& condition) const;
  void learn(std::size_t index);
  void tell(std::size_t index);
  void act_handle(std::size_t index);
  void adopt_deployment(std::size_t index);
  void keep_blacklist(std::size_t index, const PlannedStack& plan);
  void tell_group(std::size_t index, bool decided);
  [[nodiscard]] Json reference_of(const std::string& path);
  [[nodiscard]] bool is_reached(std::size_t index) const;
  void restore(std::size_t index);
  [[nodiscard]] std::string fingerprint_of(const ResourceRecord& resource);

  // stack_hooks.cpp: where a person wants to look first
  bool pauses(std::size_t index, const char* when, Action action);
  [[nodiscard]] SignalOutcome release(std::size_t index, const std::string& hook);
  void check_wait(std::size_t index);
  void signal_deployment(std::size_t index, const Json& body);
  [[nodiscard]] SignalOutcome signal_handle(std::size_t index, const Json& body);

  // stack_update.cpp: from one blueprint to the next
  void plan_update(std::size_t index);
  void visit_update(std::size_t index);
  void replace(std::size_t index);
  [[nodiscard]] bool unchanged(const ResourceRecord& resource, const std::string& fingerprint) const;
  [[nodiscard]] std::string to_replace(const ResourceRecord& resource, const std::string& fingerprint);
  void begin_removal(std::size_t index);

  // stack_failure.cpp
  void fail(std::size_t index, const std::string& reason, const std::string& path, const std::string& message);
  void fail_with(std::size_t index, const std::string& type, const std::string& message);
  void fail_stack(std::size_t index, const std::string& path, const std::string& message);
  void abort_running(std::size_t index, std::vector<std::size_t>& nested);
  void abort_below(std::size_t index);
  void time_out();
  void end_rest();
  void end_all(const std::string& reason);

  void set(std::size_t index, Action action, Status status, const std::string& reason);
  void set_stack(std::size_t index, Status status, const std::string& reason);
  void record(const StackRecord& stack, const ResourceRecord* resource, const std::string& status,
              const std::string& reason);
  void touch_server(const ResourceRecord& deployment);

  StackTree& tree_;
  Blueprint& blueprint_;
  Blueprint* previous_;
  Surroundings& around_;
  Changes changes_;
  std::deque<Task> tasks_;
};

}  // namespace hearth::metadata::live
