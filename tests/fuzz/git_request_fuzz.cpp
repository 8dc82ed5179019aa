// What git posts: leaving out who it is makes nothing longer, since lines lose their lengths.
#include "builder/fetch/git_request.hpp"
#include "tests/fuzz/check.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto plain = hearth::builder::fetch::without_agent(hearth::fuzz::text_of(data, size));
  if (plain) hearth::fuzz::check(plain->size() <= size);
  return 0;
}
