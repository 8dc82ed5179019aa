// The address of this machine's baseboard management controller, by IPMI through the kernel.
#pragma once

#include <string>
#include <string_view>

namespace hearth::agent::deploy {

/// The first address that a LAN channel has; empty when there is no controller or it has none.
[[nodiscard]] std::string bmc_address();

/// The address in the answer to "Get LAN Configuration Parameters", parameter 3 (IPMI 2.0 section 23.2): completion
/// code, revision, four bytes. Empty for a failure and for 0.0.0.0.
[[nodiscard]] std::string address_of_answer(std::string_view answer);

}  // namespace hearth::agent::deploy
