// A request of any bytes is unsigned or has a credential that our secret did not make; nothing crashes.
#include "metadata/credentials/aws_signature.hpp"

#include "metadata/serve/cfn_answer.hpp"
#include "tests/fuzz/check.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace hearth::metadata;
  const std::string text(hearth::fuzz::text_of(data, size));
  const std::size_t cut = text.find('\n');
  hearth::ServedRequest request;
  request.method = "GET";
  request.path = "/v1/";
  request.query = text.substr(0, cut);
  request.headers = {{"Host", "h:8000"}};
  if (cut != std::string::npos) request.headers.emplace_back("Authorization", text.substr(cut + 1));
  const hearth::Parameters parameters = hearth::parse_parameters(request.query);
  const auto credential = find_credential({request, parameters});
  if (credential) hearth::fuzz::check(!verify_signature({request, parameters}, *credential, "a secret nobody knows"));
  (void)parse_arn(text);
  (void)xml_text(text);
  return 0;
}
