// The providers: how a distribution keeps its network configuration, and what is configured there at present.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "agent/net/layout.hpp"
#include "base/sys/file.hpp"

namespace hearth::agent::net {

enum class Provider { eni, networkd, ifcfg };

[[nodiscard]] std::string_view provider_name(Provider provider);

/// The provider of that name. Throws Error(usage) for an unknown one, Error(unsupported) for nmstate and iproute.
[[nodiscard]] Provider provider_of(const std::string& name);

/// By what the machine has: ifcfg where /etc/sysconfig/network-scripts is, eni where ifupdown is installed or
/// /etc/network is there without systemd-networkd in use, else networkd where its folder is. Paths are below `root`.
/// Throws Error(not_found) when there is nothing.
[[nodiscard]] Provider guess_provider(const std::string& root, const FileReader& files);

[[nodiscard]] Layout render(Provider provider, const Network& network, const std::string& root,
                            const FileReader& files);

/// The configuration texts of all units that are configured at present, by name, as Unit::text has them.
[[nodiscard]] std::map<std::string, std::string> present_units(Provider provider, const std::string& root,
                                                               const FileReader& files);

/// The files (without root) that configure this unit alone; none for eni, whose units share one file.
[[nodiscard]] std::vector<std::string> own_files(Provider provider, const std::string& unit);

}  // namespace hearth::agent::net
