// Giving up rights once the ports are open.
#pragma once

#include <string>

namespace hearth::pxe {

/// Becomes `user` (empty: stays who it is), then gives up every capability and the way back to any, for this thread and
/// those it starts. Throws Error. To be called before other threads are started.
void drop_privileges(const std::string& user);

}  // namespace hearth::pxe
