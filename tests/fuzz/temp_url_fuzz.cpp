// A path and query of any bytes are no object, or one without a grant; a request target has a path or is refused.
#include "metadata/credentials/temp_url.hpp"

#include "tests/fuzz/check.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace hearth::metadata;
  const std::string text(hearth::fuzz::text_of(data, size));
  const auto target = hearth::parse_request_target(text);
  if (!target) return 0;
  hearth::fuzz::check(target->path.find('\0') == std::string::npos);
  const auto path = parse_object_path(target->path);
  if (!path) return 0;
  hearth::fuzz::check(!path->object.empty() && path->container != "..");
  hearth::ServedRequest request;
  request.method = "GET";
  request.path = target->path;
  request.query = target->query;
  request.peer = "192.0.2.1";
  hearth::fuzz::check(!check_temp_url(request, *path, {"a key that nobody knows"}, 1000));
  (void)hearth::without_secrets(text);
  return 0;
}
