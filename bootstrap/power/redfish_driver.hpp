// The driver redfish: BMCs by Redfish (DMTF DSP0266) over HTTPS. One session for each call's few requests, closed at
// its end: BMCs have few of them. Basic credentials where there are no sessions.
#pragma once

#include "base/net/http.hpp"
#include "bootstrap/power/driver.hpp"

namespace hearth::bootstrap {

class RedfishDriver final : public PowerDriver {
 public:
  RedfishDriver(HttpClient& http, Clock& clock) : http_(http), clock_(clock) {}
  [[nodiscard]] std::vector<std::string> missing(const Node& node) const override;
  [[nodiscard]] Power state(const Node& node) override;
  void set(const Node& node, PowerAction action) override;
  void set_boot_device(const Node& node, const std::string& device, bool persistent) override;

 private:
  HttpClient& http_;
  Clock& clock_;
};

/// "On", "PoweringOn" → on. Throws PowerFault for what says neither.
[[nodiscard]] Power redfish_power(const Json& system);
/// The first of the wishes that the system allows; empty when none.
[[nodiscard]] std::string allowed_reset(const Json& system, const std::vector<std::string>& wishes);

}  // namespace hearth::bootstrap
