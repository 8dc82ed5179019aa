// Any datagram is a DHCP message or none; what an engine answers to it keeps to its limit and can be read back.
#include "pxe/boot/client.hpp"
#include "pxe/dhcp/engine.hpp"
#include "pxe/dhcp/guard.hpp"
#include "pxe/net/frame.hpp"
#include "tests/fuzz/check.hpp"
#include "tests/unit/pxe/dhcp/sample_site.hpp"

using hearth::fuzz::check;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace hearth::pxe;
  const std::string_view bytes = hearth::fuzz::text_of(data, size);
  dhcp::Guard guard({}, {});
  (void)guard.heard(bytes, {}, 0);
  (void)view_arp(bytes);
  const auto message = dhcp::parse_message(bytes);
  if (!message) return 0;
  const auto again = dhcp::parse_message(dhcp::write_message(*message, 1 << 20));
  check(again.ok() && again->options == message->options);
  const NodeTable nodes(dhcp::sample_site().nodes);
  dhcp::Engine engine(dhcp::sample_site(), nodes, {});
  const dhcp::Decision decision = engine.handle(*message, dhcp::on_link(), 1000);
  if (!decision.answer) return 0;
  const std::string answer = dhcp::write_message(decision.answer->message, decision.answer->limit);
  check(answer.size() <= 1472 && dhcp::parse_message(answer).ok());
  return 0;
}
