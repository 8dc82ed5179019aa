// Giving up rights once the ports are open.
#pragma once

#include <string>
#include <vector>

#include "base/log.hpp"

namespace hearth::pxe {

struct RightsWish {
  std::string user;                 ///< --user: its name; "root": stay who it is; empty: whoever fits, below
  std::vector<std::string> states;  ///< directories (made where they lack) that it gets, with all in them
  std::vector<std::string> needed;  ///< files and directories to be read from then on; empty texts are none
  bool stays_with_owner = false;    ///< unasked: who has the first of `states` comes before the user hearth
};

/// Not the root of a user namespace, which may be nobody outside; and able to become another.
[[nodiscard]] bool is_machines_root();

/// Rights that go in two steps. The constructor becomes another user if this is the machine's root, so that it is this
/// user who opens what lies in its directories: what the user left there as a link leads root nowhere. Until the ports
/// are open it keeps what opening them takes, and the right to read. Unless a user is wished for, that is the user
/// hearth, else whoever has the first of `states`, else an id of systemd's dynamic ones that nobody has. It stays root
/// where a state is somebody's home, of all, holds what is somebody else's, or lies where that user can't come: such a
/// directory is not given away unasked, and one of the system's (/var/lib) to nobody. To be made before other threads
/// are started. Throws Error.
class Rights {
 public:
  Rights(RightsWish wish, Logger& log);
  /// Gives up every capability and the way back to any, for this thread and those it starts, and tells the log in a
  /// line who serves. Unless a user was wished for, the right to read all files is kept where one of `needed` is root's
  /// alone.
  void give_up();

 private:
  RightsWish wish_;
  Logger& log_;
  std::string user_;  ///< whom it became, as it is told; empty: it is who it was
  std::string why_;   ///< it stays root
};

}  // namespace hearth::pxe
