// Networks without a cloud: ports get addresses as their subnets' pools say, the same ones in every compile.
#pragma once

#include "metadata/graph/stack.hpp"

namespace hearth::metadata {

/// Gives every port and server among these, and in the stacks inside them, the addresses that it asks for itself
/// (fixed_ips: ip_address; networks: fixed_ip), so that none of them goes to a port that takes any. What can't be known
/// or is wrong is passed over.
void reserve_addresses(const std::vector<Resource*>& resources);
/// Throws Fault where an address that the port or server asks for is not of its subnet, or is another port's: both are
/// named.
void check_addresses(Resource& resource);
/// The attributes of a network, subnet or port. Throws Fault: a pool is exhausted, an address is given out twice.
[[nodiscard]] Value network_attributes(Stack& stack, Resource& resource, const Value& properties);

/// What is known of a server's addresses by its `networks`: "first_address", or "networks" by network's name. Nothing
/// while one of them is the cloud's to give.
[[nodiscard]] std::optional<Value> server_addresses(Stack& stack, const Value& properties, std::string_view attribute);

}  // namespace hearth::metadata
