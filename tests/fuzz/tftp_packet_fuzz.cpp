// Any datagram is a TFTP packet or none; the terms of a request stay within what a receiver holds.
#include "pxe/serve/content.hpp"
#include "pxe/tftp/packet.hpp"
#include "pxe/tftp/terms.hpp"
#include "tests/fuzz/check.hpp"

using hearth::fuzz::check;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace hearth::pxe;
  const auto packet = tftp::parse_packet(hearth::fuzz::text_of(data, size));
  if (!packet) return 0;
  const auto* request = std::get_if<tftp::Request>(&*packet);
  if (request == nullptr) return 0;
  const tftp::Terms terms = tftp::negotiate(request->options, size, {});
  check(terms.block_size >= 8 && terms.block_size <= 65464 && terms.window >= 1);
  check(terms.window == 1 || std::uint64_t{terms.window} * terms.block_size <= 65536);
  const auto name = normalise_name(request->name);
  check(!name || (!name->empty() && name->front() != '/' && ("/" + *name + "/").find("/../") == std::string::npos));
  return 0;
}
