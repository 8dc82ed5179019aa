// Giving up rights once the ports are open.
#pragma once

#include <string>
#include <vector>

#include "base/log.hpp"

namespace hearth::pxe {

struct RightsWish {
  std::string user;                 ///< --user: its name; "root": stay who it is; empty: whoever fits, below
  std::vector<std::string> states;  ///< directories that become the user's, with all that is in them
  std::vector<std::string> needed;  ///< files and directories to be read from then on; empty texts are none
};

/// Becomes another user if this is the machine's root, gives up every capability and the way back to any, for this
/// thread and those it starts, and tells `log` in a line who serves. Unless a user is wished for, that is the user
/// hearth, else whoever has the first of `states`, else an id of systemd's dynamic ones that nobody has. This one keeps
/// the right to read all files where one of `needed` is root's alone; and it stays root, without a capability, where a
/// state is somebody's home, of all, or holds what is somebody else's: such a directory is not given away unasked, and
/// one of the system's (/var/lib) to nobody. Throws Error. To be called before other threads are started.
void give_up_rights(const RightsWish& wish, Logger& log);

}  // namespace hearth::pxe
