// PowerWatch: what people ask of a machine's power, and the regular look whether machines are as they should be. Also
// reminds people of what they have been told to do.
#pragma once

#include "bootstrap/conductor/jobs.hpp"

namespace hearth::bootstrap {

class PowerWatch {
 public:
  explicit PowerWatch(Jobs::Parts parts) : parts_(std::move(parts)) {}

  /// Throws Refusal when the node is busy or in the wrong hands.
  void request(Node& node, PowerAction action);
  void set_boot_device(Node& node, const std::string& device, bool persistent);
  /// Once a tick: looks at machines whose time has come, reminds.
  void look();
  void dispatch();

 private:
  struct Pending {
    std::string uuid;
    Work work;
    std::function<void(Node&, const Outcome&)> then;
  };
  void start(const Node& node, Work work, std::function<void(Node&, const Outcome&)> then);
  void look_at(const Node& node, PowerDriver& driver);
  void compare(Node& node, const Outcome& outcome);
  void remind(const Node& node);

  Jobs::Parts parts_;
  Stamp next_ = 0;
  std::vector<Pending> pending_;
};

}  // namespace hearth::bootstrap
