// A BMC for all machines of a rack: the part of Redfish (DMTF DSP0266) that power drivers use. Sessions and Basic
// credentials, power, boot override with tags; what happens to a machine without its BMC as actions of our own:
// POST …/Actions/Oem/Hearth.Fault {"Fault": "power-loss"} (409: it is off, and has no power to lose), and
// POST …/Actions/Oem/Hearth.ReplaceDisk {}.
#pragma once

#include <map>
#include <string>

#include "base/json.hpp"
#include "base/net/served.hpp"
#include "bootstrap/rehearse/rack.hpp"

namespace hearth::bootstrap {

class RedfishFace final : public HttpHandler {
 public:
  struct Account {
    std::string user;
    std::string password;
  };
  /// `only`: the one machine whose BMC this is; empty = all of the rack.
  RedfishFace(Rack& rack, Account account, std::string only = "")
      : rack_(rack), account_(std::move(account)), only_(std::move(only)) {}
  [[nodiscard]] ServedResponse answer(const ServedRequest& request) override;

 private:
  [[nodiscard]] bool known(const ServedRequest& request) const;
  [[nodiscard]] std::vector<std::string> machines() const;
  ServedResponse open_session(const Json& body);
  ServedResponse system_call(const ServedRequest& request, const std::string& machine, const std::string& rest,
                             const Json& body);
  [[nodiscard]] Json shown_system(const std::string& machine);
  [[nodiscard]] std::string tag(const std::string& machine);
  ServedResponse change_boot(const ServedRequest& request, const std::string& machine, const Json& body);
  ServedResponse reset(const std::string& machine, const Json& body);
  ServedResponse fault(const std::string& machine, const Json& body);

  Rack& rack_;
  Account account_;
  std::string only_;
  std::map<std::string, std::string> sessions_;  ///< token → its place
};

}  // namespace hearth::bootstrap
