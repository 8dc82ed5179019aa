// `hearth metadata serve`: the engine with all its protocols, as one process.
#pragma once

#include <map>

#include "base/cli/command.hpp"
#include "metadata/serve/views.hpp"

namespace hearth::metadata::live {

[[nodiscard]] cli::Command serve_command();

/// Machines of a JSON file: {"ADDRESS": {"meta_data": {…}, "user_data": "…", "openstack": {…}}}. Throws Error.
class FileMachines final : public MachineView {
 public:
  FileMachines(const std::string& text, const std::string& source);
  [[nodiscard]] std::optional<Machine> machine_at(const std::string& address) const override;
  [[nodiscard]] std::optional<Machine> machine_named(const std::string& instance_id) const override;

 private:
  std::map<std::string, Machine> machines_;
};

}  // namespace hearth::metadata::live
