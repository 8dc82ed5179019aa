// URLs and references against one: what was accepted is accepted again as it is shown.
#include "base/net/url.hpp"
#include "tests/fuzz/check.hpp"

using hearth::fuzz::check;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = hearth::fuzz::text_of(data, size);
  static const hearth::Url base = hearth::parse_url("https://h.example/a/b?c").value_or_throw();
  for (const hearth::Result<hearth::Url>& url : {hearth::parse_url(text), hearth::resolve_url(base, text)}) {
    if (!url) continue;
    check(!url->host.empty() && url->port != 0 && url->path.front() == '/');
    check(url->text().find_first_of(std::string_view(" \r\n\t\0", 5)) == std::string::npos);
    const hearth::Result<hearth::Url> again = hearth::parse_url(url->text());
    check(again.ok() && again->text() == url->text());
  }
  return 0;
}
