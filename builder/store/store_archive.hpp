// The store as one file that can be carried elsewhere: a tar of records and blobs.
#pragma once

#include <set>
#include <string>

#include "base/sys/process.hpp"
#include "builder/store/layer_store.hpp"

namespace hearth::builder {

/// Writes all whole records and their blobs to `file`; of `only`, digests of layers, where it is not empty. Returns how
/// many layers.
std::size_t export_store(const LayerStore& store, const fs::path& file, const std::set<std::string>& only,
                         CommandRunner& runner);

/// Takes layers from a file that export_store() wrote; each blob is checked against its name, each record against its
/// blob. Returns how many layers. Throws Error(input) when the file holds a damaged one.
std::size_t import_store(const LayerStore& store, const fs::path& file, CommandRunner& runner);

}  // namespace hearth::builder
