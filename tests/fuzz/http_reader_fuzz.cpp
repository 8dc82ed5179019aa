// Answers of web servers, fed in pieces: however they are cut, the same comes out. The first byte is the size of the
// pieces, the second says what was asked.
#include "base/net/http_reader.hpp"

#include <algorithm>

#include "tests/fuzz/check.hpp"

using hearth::fuzz::check;

namespace {

hearth::HttpReader read(std::string_view text, const hearth::AnswerLimits& limits, std::size_t piece) {
  hearth::HttpReader reader(limits);
  for (std::size_t at = 0; at < text.size(); at += piece) reader.feed(text.substr(at, piece));
  reader.finish();
  return reader;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  const hearth::AnswerLimits limits{
      .to_head = (data[1] & 1U) != 0, .to_connect = (data[1] & 2U) != 0, .body_limit = 1000, .header_limit = 500};
  const std::string_view text = hearth::fuzz::text_of(data + 2, size - 2);
  hearth::HttpReader cut = read(text, limits, data[0] % 16 + 1U);
  hearth::HttpReader whole = read(text, limits, std::max<std::size_t>(text.size(), 1));
  check(cut.done() == cut.problem().empty());
  check(cut.done() == whole.done());
  check(cut.response().body == whole.response().body && cut.response().body.size() <= limits.body_limit);
  if (cut.done()) check(cut.response().headers == whole.response().headers);
  return 0;
}
