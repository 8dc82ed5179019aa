// Requests to the agent's own port, and the kernel's command line: a head is the same however much of the body is
// there.
#include "agent/deploy/ground/kernel_line.hpp"
#include "agent/deploy/init/network_wish.hpp"
#include "agent/deploy/rest/face.hpp"
#include "agent/deploy/rest/server.hpp"
#include "base/error.hpp"
#include "tests/fuzz/check.hpp"

using hearth::fuzz::check;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace hearth::agent::deploy;
  const std::string_view text = hearth::fuzz::text_of(data, size);
  const Settings settings = settings_of(parse_kernel_line(text));
  check(settings.listen_port != 0);
  for (const VlanWish& vlan : network_wish(kernel_words(text)).vlans) check(vlan.id > 0 && vlan.id < 4095);
  try {
    const std::optional<RequestHead> head = parse_request_head(text);
    if (!head) return 0;
    check(head->size <= text.size());
    const std::optional<RequestHead> again = parse_request_head(text.substr(0, head->size));
    check(again && again->body == head->body && again->request.target == head->request.target);
    (void)parse_query(head->request.query);
    check(!admits_long_body(head->request, {.token = "not to be guessed"}));
  } catch (const hearth::Error&) {
    return 0;
  }
  return 0;
}
