// Cards that divide themselves (SR-IOV): how many functions each has, and what each function may do. That is done by
// udev, whatever the provider, when the card appears: so before networks come up, in each boot. The names of the rules
// are the original's.
#pragma once

#include "agent/net/device.hpp"
#include "agent/net/fields.hpp"
#include "agent/net/layout.hpp"
#include "base/sys/file.hpp"

namespace hearth::agent::net {

constexpr std::string_view k_sriov_rules = "/etc/udev/rules.d/80-persistent-os-net-config.rules";
constexpr std::string_view k_sriov_script = "/etc/udev/os-net-config-sriov.sh";

/// Throws Error(input) for what makes no sense, Error(unsupported) for vDPA.
[[nodiscard]] PhysicalFunction read_physical_function(const Fields& fields);
[[nodiscard]] VirtualFunction read_virtual_function(const std::string& device, const Fields& fields);

/// What the function is called: as it is now, else DEVICE_NUMBER, as it will be; of a long DEVICE the end.
[[nodiscard]] std::string virtual_function_name(const VirtualFunction& function, const FileReader& files);

/// In a bridge or bond a function is trusted and may send as others, unless the file says otherwise.
void set_port_defaults(VirtualFunction& function, bool of_ovs);

/// Each function belongs to a card that has it. Throws Error(input).
void check_functions(const Network& network, const FileReader& files);

/// The rules and the script that they run, and what is run when they change. Without such
/// cards former rules go.
void add_sriov_files(Layout& layout, const Network& network, const std::string& root, const FileReader& files);

}  // namespace hearth::agent::net
