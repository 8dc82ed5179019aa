// Jobs: takes each node's job from stage to stage. Decides on the conductor's thread; what waits goes to workers, and
// goes there only after the stage that it belongs to is durable.
//
// A job is a verb's list of stages (flow.hpp): "deploy" is check, power off, boot from the network, await the agent,
// write the image, …, finish. enter() writes down that a stage begins, run_stage() does it or hands it to a worker,
// finished() takes in the answer, stage_done() goes to the next one. A stage that waits for the machine costs nothing
// but its time.
//
// What must hold: for one node one thing is done at a time (busy). An answer belongs to its job and its stage; one that
// comes late, after an abort say, changes nothing but what it tells of the machine. After a restart the stage that
// stands in the store is begun again. A node whose stage nobody knows fails alone; the others go on.
//
// advance_all() looks at those that changed and those whose time has come, and stops after so many: a hall of ten
// thousand nodes must not keep the thread from answering people.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/log.hpp"
#include "base/path.hpp"
#include "bootstrap/conductor/agent_client.hpp"
#include "bootstrap/conductor/off_order.hpp"
#include "bootstrap/conductor/settings.hpp"
#include "bootstrap/conductor/spreading.hpp"
#include "bootstrap/conductor/strangers.hpp"
#include "bootstrap/conductor/transition.hpp"
#include "bootstrap/conductor/workers.hpp"
#include "bootstrap/power/driver.hpp"

namespace hearth::bootstrap {

/// Work that asks a power driver, which may throw PowerFault.
[[nodiscard]] Work power_work(std::function<Json()> body);
/// How the machine's firmware is set, and what is kept of that with the node; null where nobody tells. For workers.
[[nodiscard]] Json firmware_json(const Firmware& found);
[[nodiscard]] Json told_firmware(PowerDriver& driver, const Node& node);
void keep_firmware(Ledger& ledger, Node& node, const Json& told);

class Jobs {
 public:
  /// Nodes for which a worker does something, which is one thing at a time, and since when.
  using Busy = std::map<std::string, Stamp>;
  struct Parts {
    Ledger& ledger;
    Drivers& drivers;
    AgentClient& agents;
    Workers& workers;
    Logger& log;
    const Settings& settings;
    const Strangers& strangers;
    Busy& busy;
    const OffOrders& off_orders;
    fs::path directory;  ///< for certificates of agents and logs that they send
  };
  explicit Jobs(Parts parts);

  /// Whether its machine boots the ramdisk, to be cleaned, before it becomes available.
  [[nodiscard]] bool cleans(const Node& node) const;
  /// Why its machine would find nothing to boot for a job of that kind; empty: it will, or other servers boot it.
  [[nodiscard]] std::string ramdisk_fault(const Node& node, JobKind kind) const;
  /// What the stage check would say of a job of that kind.
  [[nodiscard]] std::vector<std::string> faults_of(const Node& node, JobKind kind) const;
  /// The verb's transition, and its job. Throws Refusal.
  void begin(Node& node, Verb verb, const Json& arguments);
  /// The deploy ramdisk has called back.
  void agent_called(Node& node);
  /// The result of the inspection is there.
  void inspected(Node& node);
  /// The machine asks the network for something to boot, although its agent was there already.
  void booted_again(Node& node);

  /// Goes on with one job as far as it goes now.
  void advance(const std::string& uuid);
  /// Notes with whom to go on: those whose time has come, and once a second all.
  void look();
  /// Goes on with those that were changed since the last commit, and with those noted until so many nodes are changed;
  /// whether more of them are left. Call commit() on the ledger, then dispatch().
  bool advance_all(std::size_t most);
  /// Hands out the work that has become durable. Call it after each commit.
  void dispatch();
  /// The stages since the last commit were not kept: their work is not done.
  void drop_pending();
  [[nodiscard]] bool idle() const { return parts_.busy.empty() && pending_.empty(); }
  /// Who asks whom for an image.
  [[nodiscard]] Spreading& spreading() { return spreading_; }
  /// Whether a job could go on without anything from outside.
  [[nodiscard]] bool has_work() const;

 private:
  enum class Step { done, wait };
  struct Pending {
    std::string uuid;
    Stamp job;
    Stage stage;
    Work work;
    std::uint64_t number = 0;  ///< Store::written() with which it is durable; 0: it is not committed yet
  };

  // jobs.cpp
  void come_back(const std::string& uuid, Stamp at) { due_.emplace(at, uuid); }
  [[nodiscard]] bool is_paused(const Node& node) const;
  void go_on_later(const std::string& uuid);
  [[nodiscard]] Step run_stage(Node& node, Stage stage);
  void enter(Node& node, Stage stage);
  void stage_done(Node& node, Stage stage, const Json& value);
  void finished(const Pending& what, const Outcome& outcome);
  void keep_power(Node& node, const Json& value);
  void take_outcome(Node& node, Stage stage, const Outcome& outcome);
  void retry_or_fail(Node& node, Stage stage, const Outcome& outcome);
  Step start(const Node& node, Stage stage, Work work);
  Step finish(Node& node);
  [[nodiscard]] std::vector<Stage> flow(const Node& node) const;

  /// Whether the machine is not to be started yet, lest an order of a conductor that is no more finds it running.
  [[nodiscard]] bool awaits_stray(const Node& node, Stage stage);

  // job_wait.cpp
  Step wait_for(const Node& node, Stage stage);
  [[nodiscard]] bool is_silent(const Node& node) const;
  [[nodiscard]] bool starts_it_itself(const Node& node) const;
  [[nodiscard]] bool is_stranger_no_more(const Node& node) const;
  void note_strangers(const Node& node);
  void boot_silent_anew(Node& node);
  void boot_anew(Node& node, const std::string& why);
  [[nodiscard]] Seconds callback_timeout(const Node& node) const;

  // job_power.cpp
  Step check(Node& node);
  Step power_stage(Node& node, Stage stage);
  Step by_hand(Node& node, Stage stage);
  [[nodiscard]] bool may_boot_now(const Node& asked);
  void take_place(Node& node);

  // job_agent.cpp
  Step agent_stage(Node& node, Stage stage);
  /// What the agent is told of the image has its frames, where there are some, and whom to ask for them.
  void spread(Node& node, Json& image);
  Step bmc_step(Node& node, Stage stage, const Json& step);
  void bmc_step_answered(Node& node, Stage stage, const Outcome& outcome);
  [[nodiscard]] bool is_at_bmc(const Node& node, Stage stage) const;
  /// The next of its steps, or stage.
  void step_done(Node& node, Stage stage);
  /// Whether its agent is only to be asked again how far it is: nothing is kept of that.
  [[nodiscard]] bool is_question(const Node& node, Stage stage) const;
  Step ask_again(const Node& node, Stage stage);
  /// True where the agent goes on with what it was given, of which nothing but progress is new.
  bool still_runs(const Node& node, Stage stage, const Outcome& outcome);
  [[nodiscard]] Stamp heard_of(const Node& node) const;
  /// Nothing was heard of its agent for longer than agents may be silent.
  [[nodiscard]] bool is_mute(const Node& node) const;
  void agent_answered(Node& node, Stage stage, const Outcome& outcome);
  void command_done(Node& node, Stage stage, const Json& record);
  /// False where the job has failed by it.
  [[nodiscard]] bool take_steps(Node& node, const Json& result);
  [[nodiscard]] bool plan_deployment(Node& node, const Json& offered);
  void collect_logs(const Node& node);
  [[nodiscard]] AgentAddress address_of(const Node& node) const;
  void start_over(Node& node, const std::string& why);

  /// An order that an agent has under way, as it last told of it. A conductor that starts asks anew.
  struct Asked {
    Stamp job = 0;
    std::string command;
    Stamp heard = 0;
    Stamp again = 0;
  };

  Parts parts_;
  Spreading spreading_;
  Stamp began_;  ///< to serve
  std::vector<Pending> pending_;
  std::map<std::string, Asked> asked_;           ///< by node
  std::optional<std::size_t> booting_;           ///< machines that boot the ramdisk; counted once in a round
  std::set<std::pair<Stamp, std::string>> due_;  ///< when to go on with whom
  std::set<std::string> noted_;                  ///< by look()
  Stamp looked_ = 0;                             ///< when all were looked at; 0 = they are to be
};

/// The node forgets the agent that called: the next one is a new one.
void forget_agent(Node& node);

}  // namespace hearth::bootstrap
