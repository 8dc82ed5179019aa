// Networks without a cloud: ports get addresses as their subnets' pools say, the same ones in every compile.
#pragma once

#include "metadata/graph/stack.hpp"

namespace hearth::metadata {

/// The attributes of a network, subnet or port. Throws Fault: a pool is exhausted, an address is given out twice.
[[nodiscard]] Value network_attributes(Stack& stack, Resource& resource, const Value& properties);

}  // namespace hearth::metadata
