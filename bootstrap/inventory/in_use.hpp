// What in other projects' inventories says that something runs on a machine: such a machine is not made available by an
// import alone, for the next deployment would overwrite it. Each gives what stands there ("status_name Deployed"), or
// nothing. What is not known is taken for a machine in use: the other mistake loses one. Pure.
#pragma once

#include <string>

#include "base/json.hpp"

namespace hearth::bootstrap {

/// Of a BareMetalHost, as a cluster shows it, or as it stands in git, without a status.
[[nodiscard]] std::string metal3_use(const Json& host);
/// Of a Hardware: it belongs to a machine of a cluster, or was provisioned, or may not boot from the network.
[[nodiscard]] std::string tinkerbell_use(const Json& hardware);
/// Of one of MAAS' machines, by its state; with the one that is meant where there is no such state.
[[nodiscard]] std::string maas_use(const Json& machine);
/// Of a row of NetBox' table: "active" is what its guide calls a device in service.
[[nodiscard]] std::string netbox_use(const Json& row);
/// Of one of Ironic's nodes. The fields that say it are taken out: no create file has them, but what shows a node has.
[[nodiscard]] std::string take_ironic_use(Json& node);

}  // namespace hearth::bootstrap
