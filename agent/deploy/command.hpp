// The applets of the deploy ramdisk.
#pragma once

#include <string>
#include <vector>

namespace hearth::agent {

/// `hearth-agent deploy`: the agent, on a machine whose network works. Reads /proc/cmdline; words are added to it. Exit
/// codes: 0 the conductor has ended it, 1 failed, 2 wrong usage.
int deploy_main(const std::vector<std::string>& words);

/// `hearth-agent write-image URL DISK [CHECKSUM]`: the writer alone. Exit codes as above.
int write_image_main(const std::vector<std::string>& words);

/// Process 1 of the deploy ramdisk. Never returns on a machine.
int init_main(const std::vector<std::string>& words);

/// What the kernel calls to load a module.
int modprobe_main(const std::vector<std::string>& words);

}  // namespace hearth::agent
