// Control files (.oac): attributes in their ranges, or an Error.
#include "agent/apply/control.hpp"
#include "base/error.hpp"
#include "tests/fuzz/check.hpp"

using hearth::fuzz::check;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const hearth::agent::Accounts accounts = {"root:x:0:0::/root:/bin/sh\nalice:x:1000:1000::/:/bin/sh\n",
                                                   "root:x:0:\nusers:x:100:alice\n"};
  try {
    const hearth::agent::FileControl control =
        hearth::agent::parse_control(std::string(hearth::fuzz::text_of(data, size)), "t", accounts);
    check(!control.mode || (*control.mode > 0 && *control.mode <= 0777));
    check(!control.uid || *control.uid == 0 || *control.uid == 1000);
  } catch (const hearth::Error& error) {
    check(error.kind() == hearth::ErrorKind::input);
  }
  return 0;
}
