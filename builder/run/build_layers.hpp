// The layer keeper of a real build: its store in the image cache, its state in the sandbox.
#pragma once

#include <memory>

#include "builder/run/build.hpp"

namespace hearth::builder {

/// To be called inside the sandbox, when the plan's files are laid out.
[[nodiscard]] std::unique_ptr<LayerKeeper> make_layer_keeper(const BuildInputs& inputs);

}  // namespace hearth::builder
