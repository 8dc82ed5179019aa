// PowerWatch: what people ask of a machine's power, and the regular look whether machines are as they should be. Also
// reminds people of what they have been told to do.
//
// A soft power-off has a deadline: the machine's system is asked, looked at every other second, and forced when time is
// up. That it is under way is kept with the node ("soft_power" in its internal), so that the conductor after this one
// goes on; likewise what else was ordered ("power_ordered").
//
// One thing at a time: while an order is under way a job that begins waits at its first stage, and nothing else is
// ordered. What starts a machine is held, as a job is, while an order of a killed conductor may yet switch it off again
// (off_order.hpp); a later wish replaces it meanwhile.
#pragma once

#include <deque>
#include <set>

#include "bootstrap/conductor/jobs.hpp"

namespace hearth::bootstrap {

class PowerWatch {
 public:
  explicit PowerWatch(Jobs::Parts parts);

  /// Throws Refusal when the node is busy or in the wrong hands. `patience`: of a soft power-off, till it is forced.
  void request(Node& node, PowerAction action, Seconds patience);
  /// Told once, when the machine's management has answered. May be empty.
  using Answered = std::function<void(const Outcome&)>;
  /// Each throws Refusal when the node is busy. What `answered` gets of the first: {"boot_device", "persistent"}.
  void ask_boot_device(const Node& node, Answered answered);
  void set_boot_device(Node& node, const std::string& device, bool persistent, Answered answered);
  void inject_nmi(Node& node, Answered answered);
  /// Asks the management of a node past enroll that was told of another one, so that a slip is known at once. Nothing
  /// is forced on that machine: how it is counts. An error is kept as the node's, behind k_other_refuses.
  /// One that is asked something else at this moment is asked after that. False where it is not asked.
  bool try_management(Node& node);
  void set_boot_mode(Node& node, const std::string& mode);
  void set_secure_boot(Node& node, bool on);
  /// Once a tick: looks at machines whose time has come, reminds.
  void look();
  void dispatch();
  /// What was asked for since the last commit was not kept: it is not done.
  void drop_pending();

 private:
  struct Pending {
    std::string uuid;
    Work work;
    std::function<void(Node&, const Outcome&)> then;
    bool routine = false;      ///< one of the regular looks
    std::uint64_t number = 0;  ///< as of Jobs
  };
  /// Throws Refusal while something else is done for the node.
  [[nodiscard]] PowerDriver& driver_of_free(const Node& node) const;
  [[nodiscard]] Refusal locked(const Node& node) const;
  void change_firmware(Node& node, const std::string& what, std::function<void(PowerDriver&, const Node&)> change);
  void order(Node& node, PowerDriver& driver, PowerAction action, std::function<void(Node&, const Outcome&)> then);
  void ordered(Node& node, PowerAction action, const Outcome& outcome);
  void go_on_with(const Node& node);
  [[nodiscard]] bool awaits_stray(const Node& node);
  void ask_softly(Node& node, PowerDriver& driver, PowerAction action, Seconds patience);
  /// Of a failed deployment (transition.hpp).
  void switch_off_failed(Node& node);
  void failed_is_off(Node& node, const Outcome& outcome);
  void look_at_soft();
  void follow_soft(const Node& node, PowerDriver& driver);
  void soft_done(Node& node, const Outcome& outcome);
  void switched(Node& node, Power power);
  void look_at_due();
  void look_ended(bool answered);
  void round_ended(Stamp took);
  [[nodiscard]] bool is_to_be_looked_at(const Node& node) const;
  void start(const Node& node, Work work, std::function<void(Node&, const Outcome&)> then);
  void look_at(const Node& node, PowerDriver& driver);
  void compare(Node& node, const Outcome& outcome);
  void not_answered(Node& node, const std::string& error);
  void set_right(Node& node, Power found);
  void remind(const Node& node);

  Jobs::Parts parts_;
  Stamp next_ = 0;
  std::deque<std::string> due_;  ///< nodes that are still to be looked at in this round
  std::size_t looking_ = 0;      ///< at how many a worker looks
  static constexpr std::size_t k_few_looks = 64;
  std::size_t looks_at_once_ = k_few_looks;
  struct Round {
    Stamp began = 0;  ///< 0: none is under way
    std::size_t answered = 0;
    std::size_t silent = 0;
    std::size_t silent_before = 0;  ///< in the round before it
  } round_;
  std::map<std::string, Stamp> soft_;  ///< nodes that were asked softly, and when to look next
  std::set<std::string> to_try_;       ///< nodes whose management is to be asked when it is free
  std::vector<Pending> pending_;
};

}  // namespace hearth::bootstrap
