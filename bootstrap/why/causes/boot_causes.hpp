// Why a machine that was to boot over the network was not heard of: read from what it asked the boot servers for, in
// order: an address, a loader, a kernel, a call to the conductor. The first that lacks is where it stands. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.hpp"
#include "bootstrap/node/node.hpp"
#include "bootstrap/why/causes/finding.hpp"

namespace hearth::bootstrap::why {

struct BootFacts {
  std::string node;  ///< what commands call it by
  std::vector<std::string> macs;
  std::optional<Json> log;  ///< lines of `node boot-log`, in order; nullopt: this conductor boots no machines itself
  Stamp since = 0;          ///< the boot began; older lines are of other boots
  Stamp now = 0;
  bool off = false;                         ///< its BMC says so
  std::vector<std::string> strangers = {};  ///< that asked since it began: "52:54:00:00:00:02 (dhcp DISCOVER)"
  std::string before = {};                  ///< what is to be done before its cards can be corrected; may be empty
  std::string again = {};                   ///< what is to be done then: "then hearth node inspect web1"
  std::string heard;  ///< "last heard of" in the conductor's words, or what it says of strangers; may be empty
};

[[nodiscard]] Finding boot_cause(const BootFacts& facts);

/// Of a machine that runs its system and has never asked for its metadata: what the network saw of it last; nullopt
/// where the boot servers saw nothing of it.
[[nodiscard]] std::optional<Finding> unasked_cause(const std::string& server, const std::optional<Json>& log,
                                                   Stamp now);

/// How what vain_cause() says begins.
constexpr std::string_view k_system_in_vain = "It is active, and its system";
/// Of one that runs its system and whose network overheard within ten minutes that it asks in vain.
[[nodiscard]] std::optional<Finding> vain_cause(const std::optional<Json>& log, Stamp now);

}  // namespace hearth::bootstrap::why
