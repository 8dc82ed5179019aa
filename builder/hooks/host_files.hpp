// Which files of users' homes the hooks of a build see: homes are hidden, but for what is named.
#pragma once

#include <string_view>
#include <vector>

#include "base/sys/file.hpp"
#include "base/sys/process.hpp"
#include "builder/elements/closure.hpp"

namespace hearth::builder {

/// The homes of this machine: /root, /home, the caller's own and those beside it. Only directories that are there; none
/// that holds the system.
[[nodiscard]] std::vector<fs::path> homes_of(const FileReader& files, const Environment& environment);

/// Files and directories below `homes` that hooks may read:
///   - what a variable names (alone, in a list, or as a file:// URL), when it is DIB_* or HEARTH_* or a file of an
///     element has its name in it; of a program in bin/ all that was installed with it
///   - what an element's own file `host-files` lists, a path a line, ~ for the home
///   - public keys: ~/.ssh/authorized_keys and ~/.ssh/id_*.pub
[[nodiscard]] std::vector<fs::path> declared_host_files(const FileReader& files, const ElementSet& elements,
                                                        const Environment& environment,
                                                        const std::vector<fs::path>& homes);

/// Files of homes that a script names in so many words, and that are hidden from it: not in `shown`, nor below it.
[[nodiscard]] std::vector<fs::path> hidden_host_files(const FileReader& files, std::string_view script,
                                                      const Environment& environment,
                                                      const std::vector<fs::path>& homes,
                                                      const std::vector<fs::path>& shown);

/// Whether hooks find nothing at a path, or something empty, because homes are hidden: it is no part of `shown`, nor
/// holds one.
[[nodiscard]] bool is_hidden_home(const fs::path& path, const std::vector<fs::path>& homes,
                                  const std::vector<fs::path>& shown);

/// Of PATH what hooks find programs by: not what is no directory or an empty one, nor what is hidden from them in
/// homes; each once. Machines that differ in these alone share results.
[[nodiscard]] std::string path_of_hooks(const FileReader& files, std::string_view path,
                                        const std::vector<fs::path>& homes, const std::vector<fs::path>& shown);

}  // namespace hearth::builder
