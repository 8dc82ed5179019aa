// What QEMU is to run machines with.
#pragma once

#include <string>

#include "base/clock.hpp"

namespace hearth::bootstrap {

/// `wanted`: kvm or tcg, or empty: kvm where a guest was seen to run (builder/vm/kvm_probe). Throws Error(usage).
[[nodiscard]] std::string chosen_accelerator(const std::string& wanted, const Clock& clock);

}  // namespace hearth::bootstrap
