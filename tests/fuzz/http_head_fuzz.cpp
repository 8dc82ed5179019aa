// Any head is answered or refused, and the part of the content that is to be sent lies within it.
#include "pxe/http/exchange.hpp"
#include "pxe/serve/content.hpp"
#include "tests/fuzz/check.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace hearth::pxe;
  const std::string_view bytes = hearth::fuzz::text_of(data, size);
  const auto end = http::head_end(bytes);
  const http::Ask ask = http::parse_head(bytes.substr(0, end.value_or(bytes.size())));
  (void)normalise_name(ask.path);
  for (const std::uint64_t length : {std::uint64_t{0}, std::uint64_t{1000}}) {
    const http::Plan plan = http::plan_content(ask, length, 784111777, 784111777);
    hearth::fuzz::check(plan.body.first + plan.body.size <= length && plan.body.size <= length);
    hearth::fuzz::check(plan.head.ends_with("\r\n\r\n") && plan.head.find("\r\n\r\n") == plan.head.size() - 4);
  }
  return 0;
}
