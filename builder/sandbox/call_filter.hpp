// System calls that no hook has a use for, and that reach what no namespace divides: the kernel itself, its keys, files
// by their handles, the keyboard of a terminal.
#pragma once

namespace hearth::builder {

/// Has the kernel refuse those calls to this thread and to all that it starts (seccomp(2)): "not permitted", or, where
/// programs try and then do without, "no such call". Needs CAP_SYS_ADMIN in the own user namespace. Throws.
void refuse_dangerous_calls();

}  // namespace hearth::builder
