// Allocations: somebody asks for a node of a resource class, perhaps with traits, and holds it until he lets go or the
// node is undeployed (Ironic's API 1.52). Kept as documents "allocations/UUID", committed with the node; its
// instance_uuid is the allocation's UUID.
#pragma once

#include "bootstrap/store/ledger.hpp"

namespace hearth::bootstrap {

/// Gives the record a node and the state active, or the state error with the reason: the node of its name, else the one
/// that has been available for longest.
void allocate(Ledger& ledger, Json& record);
/// For a node that is deployed already. The reason why it is not for this allocation; "" = it is held now.
[[nodiscard]] std::string backfill(Ledger& ledger, Json& record, const Node& node);
/// Whoever held the node holds it no more; its allocation is forgotten.
void release(Ledger& ledger, Node& node);
/// Throws Refusal (409) while the node is in use and in no maintenance.
void check_release(const Node& node, const std::string& allocation);
/// What is kept for a node goes with it: allocation, port groups, volumes, BIOS settings.
void forget_records_of(Ledger& ledger, const Node& node);

}  // namespace hearth::bootstrap
