#include "metadata/serve/object_api.hpp"

#include <array>

#include "base/foreign_json.hpp"
#include "base/net/http_date.hpp"
#include "base/text.hpp"
#include "metadata/serve/conditional.hpp"

namespace hearth::metadata {

namespace {

constexpr std::uint64_t k_report_bytes = 64U << 10U;  ///< of an agent's run

/// Swift refuses these, since with them a PUT could reach other objects than the URL says.
constexpr std::array<const char*, 3> k_refused_headers = {"X-Object-Manifest", "X-Symlink-Target", "X-Copy-From"};

ServedResponse html(int status, const std::string& body) {
  ServedResponse response;
  response.status = status;
  response.headers = {{"Content-Type", "text/html; charset=UTF-8"}};
  response.body = body;
  return response;
}

ServedResponse not_found() {
  return html(404, "<html><h1>Not Found</h1><p>The resource could not be found.</p></html>");
}

}  // namespace

ServedResponse ObjectApi::refuse(const ServedRequest& request) {
  log_.warning(cat("objects: refused ", request.method, " ", without_secrets(request.target), " from ", request.peer));
  ServedResponse response = html(401, "401 Unauthorized: Temp URL invalid\n");
  response.headers.emplace_back("Www-Authenticate", "Swift realm=\"unknown\"");
  return response;
}

/// Whoever may read a server's document may say how its runs go.
std::optional<TempUrlGrant> ObjectApi::grant_of(const ServedRequest& request, const ObjectPath& path) const {
  const auto now = unix_seconds(clock_.wall());
  const std::vector<std::string> keys = store_.temp_url_keys(path.account, path.container);
  if (request.method != "POST" || !store_.takes_runs(path)) return check_temp_url(request, path, keys, now);
  ServedRequest poll = request;
  poll.method = "GET";
  return check_temp_url(poll, path, keys, now);
}

/// The URL tells who may write, before anything is read.
Admission ObjectApi::admit(const ServedRequest& head) {
  const std::optional<ObjectPath> path = parse_object_path(head.path);
  Admission admission;
  if (!path || !grant_of(head, *path)) admission.refusal = refuse(head);
  if (head.method == "POST") admission.body_bytes = k_report_bytes;
  return admission;
}

bool ObjectApi::answers_at_once(const ServedRequest& request) const {
  const std::optional<ObjectPath> path = parse_object_path(request.path);
  return path && (request.method == "GET" || request.method == "HEAD") && store_.is_steady(*path);
}

ServedResponse ObjectApi::answer(const ServedRequest& request) {
  if (request.path == "/") return not_found();
  const std::optional<ObjectPath> path = parse_object_path(request.path);
  if (!path) return refuse(request);
  const std::optional<TempUrlGrant> grant = grant_of(request, *path);
  if (!grant) return refuse(request);
  if (request.method == "GET" || request.method == "HEAD") return read(request, *path, *grant);
  if (request.method == "PUT") return put(request, *path);
  if (request.method == "POST" && store_.takes_runs(*path)) return take_report(request, *path);
  if (request.method != "DELETE") return html(405, "<html><h1>Method Not Allowed</h1></html>");
  return store_.remove_object(*path) ? html(204, "") : not_found();
}

ServedResponse ObjectApi::read(const ServedRequest& request, const ObjectPath& path, const TempUrlGrant& grant) {
  const std::optional<Document> object = store_.object(path);
  if (!object) return not_found();
  if (holds_current(request, object->tag, object->modified)) return not_modified(object->tag, object->modified);
  ServedResponse response;
  response.headers = {{"Content-Type", object->content_type},
                      {"Etag", object->tag},
                      {"Last-Modified", format_http_date(object->modified)},
                      {"Content-Disposition", temp_url_disposition(request, path)},
                      {"Expires", format_http_date(grant.expires)}};
  if (store_.takes_runs(path)) response.headers.emplace_back(k_takes_runs, "POST");
  response.shared_body = object->text;
  return response;
}

ServedResponse ObjectApi::take_report(const ServedRequest& request, const ObjectPath& path) {
  const Result<Json> json = parse_foreign_json(request.body, "the report");
  const std::optional<RunReport> report = json ? read_run_report(*json) : std::nullopt;
  if (!report) return html(400, "The report is none");
  store_.note_object_run(path, *report);
  ServedResponse response = html(204, "");
  response.principal = "url";
  return response;
}

ServedResponse ObjectApi::put(const ServedRequest& request, const ObjectPath& path) {
  for (const char* name : k_refused_headers) {
    if (request.header(name)) return html(400, cat("The header '", name, "' is not allowed in this tempurl"));
  }
  const std::string type = request.header("Content-Type").value_or("application/octet-stream");
  const std::optional<Document> stored = store_.put_object(path, request.body, type);
  if (!stored) return html(403, "<html><h1>Forbidden</h1><p>Access was denied to this resource.</p></html>");
  ServedResponse response = html(201, "");
  response.principal = "url";
  response.headers.emplace_back("Etag", stored->tag);
  response.headers.emplace_back("Last-Modified", format_http_date(stored->modified));
  return response;
}

}  // namespace hearth::metadata
