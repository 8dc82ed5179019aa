// Any bytes as os-net-config's file: read, checked against the schema and rendered for every provider, or refused with
// an Error that says why. What is written ends its lines, and no name leads out of its folder.
#include "agent/net/config_file.hpp"
#include "agent/net/eni.hpp"
#include "agent/net/ifcfg.hpp"
#include "agent/net/networkd.hpp"
#include "agent/net/reader.hpp"
#include "agent/net/schema.hpp"
#include "base/error.hpp"
#include "tests/fakes/memory_file_system.hpp"
#include "tests/fuzz/check.hpp"

using hearth::fuzz::check;
namespace net = hearth::agent::net;

namespace {

constexpr std::size_t k_longest = 4096;  ///< aliases of aliases grow without bounds; what is long shows nothing new

hearth::fakes::MemoryFileSystem machine() {
  hearth::fakes::MemoryFileSystem files;
  files.put("/usr/bin/ovs-appctl", "", 0755);
  return files;
}

void check_layout(const net::Layout& layout) {
  for (const net::RenderedFile& file : layout.files) {
    check(file.data.empty() || file.data.back() == '\n');
    check(file.data.find('\0') == std::string::npos && file.data.find('\r') == std::string::npos);
    check(file.path.find("/../") == std::string::npos);
  }
  for (const net::Unit& unit : layout.units) check(!unit.name.empty() && unit.name.find('/') == std::string::npos);
}

void render_all(const net::Network& network) {
  for (const auto render : {+[](const net::Network& one) { return net::render_eni(one, {}); },
                            +[](const net::Network& one) { return net::render_ifcfg(one, ""); },
                            +[](const net::Network& one) { return net::render_networkd(one, ""); }}) {
    try {
      check_layout(render(network));
    } catch (const hearth::Error& error) {
      check(*error.what() != '\0');
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const hearth::fakes::MemoryFileSystem files = machine();
  if (size > k_longest) return 0;
  const std::string text(hearth::fuzz::text_of(data, size));
  const hearth::Result<hearth::Json> document = net::parse_config(text, "input");
  if (!document.ok()) {
    check(!document.error().what.empty());
    return 0;
  }
  try {
    const hearth::Json& entries = net::section_of(*document, "network_config", "input");
    (void)net::validate_section(entries, "network_config");
    render_all(net::read_network(entries, "network_config", {.nics = {{"nic1", "em1"}}}, files));
  } catch (const hearth::Error& error) {
    check(*error.what() != '\0');
  }
  (void)net::split_stanzas(text);
  return 0;
}
