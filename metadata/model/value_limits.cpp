#include "metadata/model/value_limits.hpp"

#include "base/text.hpp"
#include "metadata/model/fault.hpp"

namespace hearth::metadata {

void require_size(std::uint64_t bytes, std::string_view what, const Mark& mark) {
  if (bytes <= k_largest_value) return;
  throw value_fault(cat(what, " comes to more than ", k_largest_value >> 20U, " MiB"), mark);
}

void require_depth(const Value& value, std::string_view what, const Mark& mark) {
  if (value.depth() <= k_deepest_value) return;
  Fault fault =
      value_fault(cat(what, " comes to lists and maps inside each other, more than ", k_deepest_value, " deep"), mark);
  fault.hint("Join lists by list_concat, and maps by map_merge, rather than to put each into the next.");
  throw fault;
}

}  // namespace hearth::metadata
