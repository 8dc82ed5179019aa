#include "agent/collect/web.hpp"

#include "base/error.hpp"
#include "base/text.hpp"

namespace hearth::agent {

namespace {
constexpr int k_max_redirects = 10;
}

std::optional<std::string> failure_of(const HttpResponse& response) {
  if (response.ok()) return std::nullopt;
  const char* side = response.status >= 500 ? "Server" : "Client";
  return cat(response.status, " ", side, " Error: ", response.reason, " for url: ", response.url.masked());
}

std::optional<HttpResponse> send_or_warn(const SourceContext& context, const HttpRequest& request) {
  try {
    HttpResponse response = context.http.send(request);
    const std::optional<std::string> failure = failure_of(response);
    if (!failure) return response;
    context.log.warning(*failure);
  } catch (const Error& error) {
    context.log.warning(error.what());
  }
  return std::nullopt;
}

HttpRequest get_request(const SourceContext& context, const std::string& url, double seconds) {
  const auto limit = std::chrono::duration_cast<Duration>(std::chrono::duration<double>(seconds));
  return {.url = parse_url(url).value_or_throw(),
          .deadline = Deadline::after(limit, context.clock),
          .max_redirects = k_max_redirects};
}

}  // namespace hearth::agent
