// Any text is a site or an error that says why; a site's nodes can be found by what identifies them.
#include "pxe/boot/node_table.hpp"
#include "pxe/boot/site.hpp"
#include "tests/fuzz/check.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace hearth::pxe;
  const auto site = parse_site(hearth::fuzz::text_of(data, size), "site");
  if (!site) {
    hearth::fuzz::check(!site.error().what.empty());
    return 0;
  }
  const NodeTable table(site->nodes);
  hearth::fuzz::check(table.size() == site->nodes.size());
  for (const Node& node : site->nodes) {
    for (const Mac& mac : node.macs) {
      const NodeRef found = table.find({.mac = mac});
      hearth::fuzz::check(found != nullptr && found->id == node.id);
    }
  }
  return 0;
}
