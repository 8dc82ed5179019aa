#include "metadata/live/file_machines.hpp"

#include "base/error.hpp"
#include "base/sys/file.hpp"
#include "base/text.hpp"

namespace hearth::metadata::live {

FileMachines::FileMachines(MachineView& others, const std::string& path)
    : FileMachines(others, path.empty() ? "{}" : read_file(path), path) {}

FileMachines::FileMachines(MachineView& others, const std::string& text, const std::string& source) : others_(others) {
  const Json all = parse_json(text, source).value_or_throw();
  if (!all.is_object()) throw Error(ErrorKind::input, cat(source, ": an object of addresses is expected"));
  for (const auto& [address, row] : all.items()) {
    if (!row.is_object()) throw Error(ErrorKind::input, cat(source, ": ", address, " is no object"));
    machines_[address] = {row.value("meta_data", Json::object()), row.value("user_data", std::string()),
                          row.value("openstack", Json::object())};
  }
}

std::optional<Machine> FileMachines::machine_at(const std::string& address) {
  const auto found = machines_.find(address);
  return found == machines_.end() ? others_.machine_at(address) : std::optional(found->second);
}

std::string FileMachines::instance_at(const std::string& address) const {
  return machines_.count(address) > 0 ? "" : others_.instance_at(address);
}

std::optional<Machine> FileMachines::machine_named(const std::string& instance_id) {
  for (const auto& [address, machine] : machines_) {
    if (machine.meta_data.value("instance-id", "") == instance_id) return machine;
  }
  return others_.machine_named(instance_id);
}

}  // namespace hearth::metadata::live
