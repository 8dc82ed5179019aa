// Any /etc/subuid text gives ranges of ids, and a map planned from them is one that the kernel takes: 65536 ids or more
// without a gap, none of the machine's twice.
#include <algorithm>

#include "base/sys/namespace.hpp"
#include "tests/fuzz/check.hpp"

using hearth::fuzz::check;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::vector<hearth::SubIdRange> ranges = hearth::parse_sub_ids(hearth::fuzz::text_of(data, size), "anna", 1000);
  for (const hearth::SubIdRange& range : ranges) check(std::uint64_t{range.first} + range.count <= UINT32_MAX);
  const auto maps = hearth::plan_id_map(1000, ranges);
  if (!maps) return 0;
  check(maps->size() <= 124);
  std::uint32_t next = 0;
  for (const hearth::IdMap& map : *maps) {
    check(map.inside == next && map.count > 0 && map.count <= UINT32_MAX - map.outside);
    next += map.count;
    check(std::none_of(maps->begin(), maps->end(), [&](const hearth::IdMap& other) {
      return &other != &map && map.outside < other.outside + other.count && other.outside < map.outside + map.count;
    }));
  }
  check(next >= 65536);
  return 0;
}
