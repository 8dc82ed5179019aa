// The machines' management as a process of its own: the Redfish face in front of the machine park, on one thread.
#pragma once

#include <string>

#include "base/clock.hpp"
#include "bootstrap/rehearse/machine_park.hpp"
#include "bootstrap/rehearse/redfish_face.hpp"

namespace hearth::bootstrap {

struct BmcPlace {
  std::string address;
  std::uint16_t port = 0;
  RedfishFace::Account account;  ///< the rehearsal's own, for all machines
  /// A machine's BMC answers at a port of its own, to its own account.
  struct Own {
    std::string machine;
    std::uint16_t port = 0;
    RedfishFace::Account account;
  };
  std::vector<Own> machines;
  [[nodiscard]] std::string url() const;
  [[nodiscard]] std::string url(const Own& own) const;
};

/// Serves until this process is killed; its machines end with it. Returns an exit code.
int serve_bmc(const BmcPlace& bmc, const std::vector<MachinePark::Place>& places);

/// Has the fault happen; false when the machine is off and has no power to lose. Throws Error.
[[nodiscard]] bool inject_fault(const BmcPlace& bmc, const InjectedFault& fault, const Clock& clock);
/// The machine gets a disk that works. Throws Error.
void replace_disk(const BmcPlace& bmc, const std::string& machine, const Clock& clock);

}  // namespace hearth::bootstrap
