// The store as one file that can be carried elsewhere: a tar of records and blobs.
#pragma once

#include "base/sys/process.hpp"
#include "builder/store/layer_store.hpp"

namespace hearth::builder {

/// Writes all whole records and their blobs to `file`. Returns how many layers.
std::size_t export_store(const LayerStore& store, const fs::path& file, CommandRunner& runner);

/// Takes layers from a file that export_store() wrote; each blob is checked against its name, each record against its
/// blob. Returns how many layers. Throws Error(input) when the file holds a damaged one.
std::size_t import_store(const LayerStore& store, const fs::path& file, CommandRunner& runner);

}  // namespace hearth::builder
