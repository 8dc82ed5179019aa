#include "agent/collect/sources.hpp"

#include <algorithm>

#include "agent/collect/cfn_signature.hpp"
#include "agent/collect/explode.hpp"
#include "agent/collect/web.hpp"
#include "agent/collect/xml.hpp"
#include "base/error.hpp"
#include "base/python_json.hpp"
#include "base/text.hpp"

namespace hearth::agent {

namespace {

struct CfnAccess {
  std::string url;
  std::string stack;
  std::string key_id;
  std::string secret;
  std::vector<std::string> paths;
};

std::optional<std::string> service_url(const SourceContext& context) {
  std::optional<std::string> url = context.settings.text("cfn", "metadata_url");
  if (url) return url;
  const std::optional<std::string> hint = context.settings.text("cfn", "heat_metadata_hint");
  const std::optional<std::string> text = hint ? context.files.read(*hint) : std::nullopt;
  if (!text || trim(*text).empty()) return std::nullopt;
  return cat(trim(*text), "/v1/");
}

/// Nothing, with a message, when something that is needed is not configured.
std::optional<CfnAccess> read_access(const SourceContext& context) {
  const Settings& settings = context.settings;
  const CfnAccess access{service_url(context).value_or(""), settings.text_or("cfn", "stack_name", ""),
                         settings.text_or("cfn", "access_key_id", ""), settings.text_or("cfn", "secret_access_key", ""),
                         settings.list("cfn", "path")};
  const char* missing = access.url.empty()      ? "No metadata_url configured."
                        : access.key_id.empty() ? "No Access Key ID configured."
                        : access.secret.empty() ? "No Secret Access Key configured."
                        : access.paths.empty()  ? "No path configured"
                                                : nullptr;
  if (missing == nullptr) return access;
  context.once.log(LogLevel::info, missing);
  return std::nullopt;
}

HttpRequest describe_request(const CfnPath& path, const CfnAccess& access, const SourceContext& context) {
  HttpRequest request = get_request(context, access.url, context.settings.number("cfn", "timeout"));
  QueryParameters parameters = {
      {"Action", "DescribeStackResource"}, {"StackName", access.stack}, {"LogicalResourceId", path.resource},
      {"AWSAccessKeyId", access.key_id},   {"SignatureVersion", "2"},   {"SignatureMethod", "HmacSHA256"}};
  parameters.emplace_back("Signature", sign_query(access.secret, request.url, parameters));
  const std::string query = encode_query(parameters);
  request.url.query = request.url.query.empty() ? query : cat(request.url.query, "&", query);
  request.url.has_query = true;
  request.headers = {{"Content-Type", "application/json"}};
  request.ca_file = context.settings.text_or("cfn", "ca_certificate", "");
  return request;
}

/// Adds what one path yields to `merged`; false, with a warning, when there is nothing.
bool merge_path(Json& merged, const CfnPath& path, const CfnAccess& access, const SourceContext& context) {
  const std::optional<HttpResponse> response = send_or_warn(context, describe_request(path, access, context));
  if (!response) return false;
  const Result<Json, std::string> value = value_in_answer(path, response->body);
  if (!value) {
    context.log.warning(value.error());
    return false;
  }
  for (const auto& [key, item] : value->items()) merged[key] = item;
  return true;
}

std::vector<std::string> explode_keys(const Settings& settings) {
  std::vector<std::string> keys = settings.list("DEFAULT", "deployment_key");
  for (const std::string& key : settings.list("cfn", "deployment_key")) {
    if (std::find(keys.begin(), keys.end(), key) == keys.end()) keys.push_back(key);
  }
  return keys;
}

Collection collect_paths(const CfnAccess& access, const SourceContext& context) {
  Json merged = Json::object();
  for (const std::string& text : access.paths) {
    const std::optional<CfnPath> path = parse_cfn_path(text);
    if (!path) {
      context.log.error(cat("Path not in format resource.field[.x.y] (", text, ")"));
      return NotConfigured{};
    }
    if (!merge_path(merged, *path, access, context)) return Unavailable{};
  }
  return explode("cfn", merged, explode_keys(context.settings), context.log);
}

}  // namespace

std::optional<CfnPath> parse_cfn_path(const std::string& text) {
  std::vector<std::string> parts = split(text, '.');
  if (parts.size() < 2) return std::nullopt;
  return CfnPath{text, parts[0], parts[1], {parts.begin() + 2, parts.end()}};
}

Result<Json, std::string> value_in_answer(const CfnPath& path, std::string_view xml) {
  const Result<XmlElement> answer = parse_xml(xml, "the answer");
  if (!answer) return cat("Path ", path.text, " failed to parse as xml. (", answer.error().text(), ")");
  const XmlElement* field = answer->name != "DescribeStackResourceResponse"
                                ? nullptr
                                : answer->find({"DescribeStackResourceResult", "StackResourceDetail", path.field});
  if (field == nullptr) return cat("Path ", path.text, " does not exist.");
  Result<Json> parsed = parse_python_json(field->text, path.text);
  if (!parsed) return cat("Path ", path.text, " failed to parse as json. (", json_complaint(parsed.error()), ")");
  Json value = std::move(parsed).value();
  for (const std::string& key : path.keys) {
    const Json* found = find_member(value, key);
    if (found == nullptr) return cat("Sub-key ", key, " does not exist. (", path.text, ")");
    Json inner = *found;
    value = std::move(inner);
  }
  if (!value.is_object()) return cat("Path ", path.text, " is not an object.");
  return value;
}

Collection collect_cfn(const SourceContext& context) {
  try {
    const std::optional<CfnAccess> access = read_access(context);
    if (!access) return NotConfigured{};
    return collect_paths(*access, context);
  } catch (const Error& error) {
    context.log.warning(error.what());
    return Unavailable{};
  }
}

std::optional<int> post_cfn_report(const SourceContext& context, const std::string& report) {
  const std::optional<CfnAccess> access = read_access(context);
  const std::optional<CfnPath> path = access ? parse_cfn_path(access->paths.front()) : std::nullopt;
  if (!path) return std::nullopt;
  HttpRequest request = get_request(context, access->url, context.settings.number("cfn", "timeout"));
  request.method = "POST";
  QueryParameters form = {{"Action", "ReportRun"},
                          {"StackName", access->stack},
                          {"LogicalResourceId", path->resource},
                          {"Report", report},
                          {"AWSAccessKeyId", access->key_id},
                          {"SignatureVersion", "2"},
                          {"SignatureMethod", "HmacSHA256"}};
  form.emplace_back("Signature", sign_query(access->secret, request.url, form, "POST"));
  request.body = encode_query(form);
  request.headers = {{"Content-Type", "application/x-www-form-urlencoded"}};
  request.ca_file = context.settings.text_or("cfn", "ca_certificate", "");
  return context.http.send(request).status;
}

}  // namespace hearth::agent
