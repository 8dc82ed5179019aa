// The `local` source: directories of JSON files, one document a file. Only files that nobody else could have written
// are trusted, since what they say becomes configuration of a root process.
#pragma once

#include "agent/collect/source.hpp"

namespace hearth::agent {

/// All files of all directories in [local] path, sorted by name. One untrusted or broken file makes the whole source
/// unavailable.
[[nodiscard]] Collection collect_local(const SourceContext& context);

}  // namespace hearth::agent
