// Machines for EC2 metadata: those of a file, before those of the stacks.
#pragma once

#include <map>

#include "metadata/serve/views.hpp"

namespace hearth::metadata::live {

/// The file: {"ADDRESS": {"meta_data": {…}, "user_data": "…", "openstack": {…}}}.
class FileMachines final : public MachineView {
 public:
  /// `path` may be empty. Throws Error.
  FileMachines(MachineView& others, const std::string& path);
  FileMachines(MachineView& others, const std::string& text, const std::string& source);
  [[nodiscard]] std::optional<Machine> machine_at(const std::string& address) override;
  [[nodiscard]] std::optional<Machine> machine_named(const std::string& instance_id) override;
  [[nodiscard]] std::string instance_at(const std::string& address) const override;

 private:
  MachineView& others_;
  std::map<std::string, Machine> machines_;
};

}  // namespace hearth::metadata::live
