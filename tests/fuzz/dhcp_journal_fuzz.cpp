// Any text is a journal, perhaps with damaged lines; what is read from it is written as it was.
#include "pxe/dhcp/journal.hpp"
#include "tests/fuzz/check.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace hearth::pxe::dhcp;
  const std::string_view text = hearth::fuzz::text_of(data, size);
  for (const Lease& lease : parse_journal(text).leases) {
    const auto again = parse_journal(journal_line(lease)).leases;
    hearth::fuzz::check(again.size() == 1 && again.front() == lease);
  }
  return 0;
}
