#include "agent/collect/sources.hpp"

#include "agent/collect/explode.hpp"
#include "agent/collect/web.hpp"
#include "base/error.hpp"
#include "base/python_json.hpp"
#include "base/text.hpp"

namespace hearth::agent {

namespace {

/// Whether its server takes reports, as the poll's own HEAD says: no server gets a request more than from upstream's.
void note_reports(const std::string& url, const HttpResponse& answer, const SourceContext& context) {
  if (context.report_urls == nullptr) return;
  if (answer.ok() && find_header(answer.headers, "X-Hearth-Run-Reports").value_or("") == "POST")
    context.report_urls->insert(url);
  else
    context.report_urls->erase(url);
}

/// The answer's body. A Last-Modified header is deliberately not looked at: an unchanged document must stay in the list
/// of this round, and the cache finds out by itself that nothing changed.
std::optional<std::string> fetch_text(const std::string& url, const SourceContext& context) {
  const double seconds = context.settings.number("request", "timeout");
  try {
    HttpRequest head = get_request(context, url, seconds);
    head.method = "HEAD";
    note_reports(url, context.http.send(head), context);
    const std::optional<HttpResponse> response = send_or_warn(context, get_request(context, url, seconds));
    return response ? std::optional(response->body) : std::nullopt;
  } catch (const Error& error) {
    context.log.warning(error.what());
    return std::nullopt;
  }
}

}  // namespace

Collection collect_request(const SourceContext& context) {
  const std::optional<std::string> url = context.settings.text("request", "metadata_url");
  if (!url) {
    context.once.log(LogLevel::info, "No metadata_url configured.");
    return Unavailable{.unconfigured = true};
  }
  const std::optional<std::string> body = fetch_text(*url, context);
  if (!body) return Unavailable{};
  const Result<Json> content = parse_python_json(*body, "the answer");
  if (!content || !content->is_object()) {
    const std::string reason = content ? "not an object" : json_complaint(content.error());
    context.log.warning(cat("Failed to parse as json. (", reason, ")"));
    return Unavailable{};
  }
  return explode("request", *content, context.settings.list("DEFAULT", "deployment_key"), context.log);
}

std::optional<int> post_request_report(const SourceContext& context, const std::string& report) {
  const std::optional<std::string> url = context.settings.text("request", "metadata_url");
  if (!url || context.report_urls == nullptr || !context.report_urls->contains(*url)) return std::nullopt;
  HttpRequest request = get_request(context, *url, context.settings.number("request", "timeout"));
  request.method = "POST";
  request.max_redirects = 0;
  request.body = report;
  request.headers = {{"Content-Type", "application/json"}};
  return context.http.send(request).status;
}

}  // namespace hearth::agent
