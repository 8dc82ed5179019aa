// The root tree of an image between phases: what the builder itself puts there for the hooks' sake and takes away
// again.
#pragma once

#include <string>
#include <vector>

#include "base/path.hpp"

namespace hearth::builder {

/// Whether root.d left anything but lost+found and tmp.
[[nodiscard]] bool has_root_content(const fs::path& root);

/// Lets hooks in the target resolve names: moves the target's resolv.conf aside and puts the host's there.
void lend_resolv_conf(const fs::path& root);
/// In a tree that was lent one in an earlier build: puts the host's present one there.
void renew_resolv_conf(const fs::path& root);
/// Undoes that, unless a hook made the file a link of its own.
void take_back_resolv_conf(const fs::path& root);

/// What is left of device nodes that were bound into the tree (a build makes none): empty files in `dev`.
void remove_placeholders(const fs::path& dev);

/// Takes the devices off that root.d's hooks had bound in `dev`, so that nothing is mounted there; whatever else hooks
/// mounted stays.
void unbind_devices(const fs::path& dev);

/// The other way round, for hooks of root.d that go on behind a layer: the sandbox's devices are bound on those files
/// again.
void rebind_devices(const fs::path& dev);

/// Directories and files with their sizes, largest first, as diskimage-builder's size report: those of 10 MiB and more,
/// or all.
[[nodiscard]] std::vector<std::string> usage_report(const fs::path& root, bool all);

/// What no image should carry: contents of /tmp, text of logs, stray *.log files in /root.
void tidy_tree(const fs::path& root);

}  // namespace hearth::builder
