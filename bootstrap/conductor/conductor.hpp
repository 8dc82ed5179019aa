// The conductor: everything that can be done with nodes, in one place. One thread; each call leaves everything durable
// that it promises. tick() goes on with what is under way.
//
// "deploy web1": the verb is checked against the node's state, becomes a job (Jobs) and is written; only then a worker
// switches the machine on. Its ramdisk calls back (AgentEndpoint), which is one more change of the node. So a conductor
// that is killed at any moment finds in the store where each node is, and does the same again: whatever is done to a
// machine may be done twice, and must bear it.
//
// What must hold: nothing is done to the world before the reason for it is durable. Nodes are changed on this thread
// only; whatever waits (BMCs, agents) is done by workers, and only their answers come back. What a person may be told
// of at once throws Refusal and changes nothing; what fails later is the node's last_error.
//
//     Store store("state.db");  Drivers drivers = …;  ThreadWorkers workers(8);
//     Conductor conductor({store, drivers, agents, workers, clock, log, settings, "/var/lib/hearth/node"});
//     conductor.verb("web1", "deploy", {});   while (…) conductor.tick();
#pragma once

#include <functional>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "bootstrap/conductor/agent_endpoint.hpp"
#include "bootstrap/conductor/jobs.hpp"
#include "bootstrap/conductor/power_watch.hpp"
#include "bootstrap/inventory/listing.hpp"

namespace hearth::bootstrap {

struct ImportStep;

struct ImportRequest {
  std::string text;
  std::string source;  ///< the file's name, for messages
  ListingFormat format = ListingFormat::json;
  State to = State::available;        ///< enroll, manageable or available
  std::string boot_option = "local";  ///< for new nodes; empty = none
  bool remove_absent = false;
  bool skip_busy = false;  ///< nodes to be changed that can't be now are left as they are, and are no fault
  bool dry_run = false;
};

struct ImportResult {
  std::vector<std::string> created, updated, unchanged, removed;  ///< UUIDs
  std::vector<std::string> busy;                                  ///< likewise, left as they are: ImportRequest
  std::vector<std::string> asked;                                 ///< likewise, whose changed management is asked
  std::vector<std::string> retried;    ///< of those unchanged: they stood in enroll with a fault, and are tried again
  std::vector<std::string> differing;  ///< likewise, of which something stays that the file has otherwise: warnings
  std::vector<std::string> cleaned;    ///< of those created: by the ramdisk, on their way to available
  std::map<std::string, std::string> names;     ///< of each of them, empty where it has none
  std::map<std::string, std::string> machines;  ///< of those created: driver, BMC and cards
  std::vector<std::string> unsettled;           ///< of a dry run: UUIDs that will be others
  std::map<std::string, Json> changes;          ///< of those updated: node_changes()
  std::vector<std::string> warnings;
  std::string faults;  ///< all that is wrong, a line each; then nothing was changed
};

class Conductor {
 public:
  struct Parts {
    Store& store;
    Drivers& drivers;
    AgentClient& agents;
    Workers& workers;
    const Clock& clock;
    Logger& log;
    Settings settings;
    fs::path directory;
  };
  explicit Conductor(Parts parts);
  Conductor(const Conductor&) = delete;
  Conductor& operator=(const Conductor&) = delete;

  [[nodiscard]] Ledger& ledger() { return ledger_; }
  [[nodiscard]] const Settings& settings() const { return settings_; }
  [[nodiscard]] Drivers& drivers() { return drivers_; }
  [[nodiscard]] AgentEndpoint& agents() { return agents_; }

  /// The node of that UUID or name. Throws Refusal (404).
  [[nodiscard]] const Node& node(const std::string& id) const;
  /// Verbs as Ironic's API names them. `arguments`: configdrive, clean_steps, rescue_password, … Throws Refusal.
  void verb(const std::string& id, const std::string& verb, const Json& arguments);
  /// `patience`: of a soft power-off, till it is forced.
  void power(const std::string& id, const std::string& target, Seconds patience = Seconds(600));
  /// `answered` is told once, when the machine's management has answered (conductor/power_watch.hpp).
  void ask_boot_device(const std::string& id, PowerWatch::Answered answered);
  void set_boot_device(const std::string& id, const std::string& device, bool persistent,
                       PowerWatch::Answered answered = {});
  void inject_nmi(const std::string& id, PowerWatch::Answered answered = {});
  void set_boot_mode(const std::string& id, const std::string& mode);
  void set_secure_boot(const std::string& id, bool on);
  /// Its console is opened by whoever holds them (power/consoles.hpp); throws Refusal.
  void set_console(const std::string& id, bool on);
  /// Where what is kept of nodes lies.
  [[nodiscard]] const fs::path& directory() const { return directory_; }
  /// Its machine is somebody else's from now on (`to` tells whose): no order goes there, and nobody looks whether it is
  /// on, until it is taken back; given for good it does not come back, and can be deleted here. Again, for the same
  /// owner, nothing. Throws Refusal (409): worked on, given to another; to be taken back, and given for good.
  void give(const std::string& id, const std::string& to, bool for_good = false);
  void take_back(const std::string& id);
  void set_maintenance(const std::string& id, bool on, const std::string& reason);
  /// Power validation runs in the background; `power` is "" or why the node can't be managed. A pair: interface,
  /// reason.
  [[nodiscard]] std::vector<std::pair<std::string, std::string>> validate(const std::string& id) const;

  /// Throws Refusal (400) when the node's driver or driver_info has words that are not taken.
  void check_words(const Node& node) const;
  /// Keeps a node as a person or a file changed it. One past enroll that is managed otherwise from now on is asked at
  /// once, so that a slip is known (PowerWatch::try_management()); whether it is. settle() is the caller's.
  bool keep_changed(Node changed);

  /// Strangers::waiting().
  [[nodiscard]] Json waiting() const { return strangers_.waiting(ledger_.now()); }
  /// A card that waits becomes a node, in the state enroll: `entry` is its entry of an inventory, where it may lack the
  /// address and the pm_type (fake_pxe). Its UUID. Throws Refusal: 404 nobody waits under that address, 400 faults of
  /// the entry.
  std::string approve(const std::string& mac, Json entry);
  [[nodiscard]] ImportResult import(const ImportRequest& request);
  /// Nodes that are in no maintenance get deploy kernel and ramdisk and the capability boot_option:local.
  struct BootConfigured {
    std::vector<std::string> uuids;  ///< of the nodes that have them now
    std::vector<std::string> warnings;
  };
  BootConfigured configure_boot(const std::string& kernel, const std::string& ramdisk, const Json& options);

  enum class Sign {
    asks,
    boots,   ///< it is about to boot from the network
    in_vain  ///< its system asks for what nobody answers
  };
  /// Something was heard of a card: "dhcp REQUEST", …
  void seen(const std::string& mac, const std::string& how, Sign sign);
  /// A person says that the machine is switched as it was asked for.
  void instruction_done(const std::string& id);

  /// Makes durable what was changed, and starts what follows from it. Each of the calls above ends with it; call it
  /// after changing nodes by ledger().
  void settle();
  /// Takes in what workers have finished, and what time has brought.
  void tick();
  /// The same for a thread that has others to serve: begin_tick(), and as long as more is to be done at once (true),
  /// go_on(). Each takes a few nodes, which are durable then: some milliseconds.
  [[nodiscard]] bool begin_tick();
  [[nodiscard]] bool go_on();
  /// More of what was committed has become durable (Store::kept()): tells of it, and hands out its work.
  void became_durable();
  /// Nothing is under way but waiting for machines.
  [[nodiscard]] bool quiet() const;
  /// What the nodes are called whose management is asked at this moment.
  [[nodiscard]] std::vector<std::string> asked_nodes() const;

 private:
  /// What can be known before anything is changed; throws Refusal.
  [[nodiscard]] Verb check_order_of(const Node& before, const std::string& text, const Json& arguments);
  /// An order that was refused leaves its node as it is; that it was given, and why it was refused, is an event. Who
  /// asks again and again makes one in ten minutes.
  void record_refusal(const Node& node, const std::string& text, const Refusal& refusal);
  [[nodiscard]] Node& edit(const std::string& id);
  /// Throws Refusal where so many are at it already, as Ironic's max_concurrent_… have it.
  void check_limit(Verb verb) const;
  void go_back(Node& node);
  void put_config_drive(Node& node, const Json& given);
  void import_step(const ImportStep& step, const ImportRequest& request, ImportResult& result);
  void register_new(const ImportStep& step, const ImportRequest& request, ImportResult& result);
  void bring_all_on();
  bool bring_on(const std::string& uuid);
  [[nodiscard]] bool go_on(std::size_t most);
  static constexpr std::size_t k_all = std::numeric_limits<std::size_t>::max();
  bool settle(std::size_t most);
  /// What needs no waiting is where it should be then.
  void settle_wholly();
  bool as_far_as_possible(const std::function<bool()>& step);
  void look_at_time();
  void dispatch();
  void keep_key();
  void take_new_key(Stamp now);
  void forget_old_events();

  Settings settings_;
  Ledger ledger_;
  Drivers& drivers_;
  Workers& workers_;
  Jobs::Busy busy_;
  std::set<std::string> importing_;  ///< nodes on their way to the state that an import wants
  bool look_at_all_imports_ = true;
  Strangers strangers_;
  OffOrders off_orders_;
  Jobs jobs_;
  PowerWatch power_;
  AgentEndpoint agents_;
  fs::path directory_;
  Logger& log_;
  bool looks_at_power_ = false;  ///< go_on() does, as a tick has begun
  Budget complaints_{10};
  struct RefusedOrder {
    std::string said;
    Stamp at = 0;
  };
  std::map<std::string, RefusedOrder> refused_;  ///< by node: the last one
  Stamp forget_next_ = 0;
  Stamp key_next_ = 0;
  Stamp key_again_ = 0;
  bool lacks_key_ = false;  ///< told
};

}  // namespace hearth::bootstrap
