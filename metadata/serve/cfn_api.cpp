#include "metadata/serve/cfn_api.hpp"

#include <algorithm>
#include <array>

#include "base/foreign_json.hpp"
#include "base/net/http_date.hpp"
#include "base/text.hpp"
#include "metadata/serve/cfn_answer.hpp"
#include "metadata/serve/conditional.hpp"

namespace hearth::metadata {

namespace {

constexpr std::string_view k_signal_prefix = "/v1/signal/";
constexpr std::string_view k_wait_prefix = "/v1/waitcondition/";
constexpr std::size_t k_most_rendered = 20000;
constexpr std::uint64_t k_form_bytes = 64U << 10U;  ///< what is asked with a form comes to a kilobyte

/// What Heat knows, but agents have no business with.
constexpr std::array<std::string_view, 12> k_other_actions = {
    "ListStacks",  "CreateStack",          "DescribeStacks",         "DeleteStack",
    "UpdateStack", "CancelUpdateStack",    "DescribeStackEvents",    "ValidateTemplate",
    "GetTemplate", "EstimateTemplateCost", "DescribeStackResources", "ListStackResources"};

bool looks_like_a_version(const std::string& path) {
  return path == "/" || (path.size() > 2 && path[1] == 'v' && path[2] >= '0' && path[2] <= '9');
}

ServedResponse bad_value(const std::string& what) {
  return cfn_error(400, "InvalidParameterValue", cat("A bad or out-of-range value was supplied:", what));
}

ServedResponse nothing_there() {
  ServedResponse response;
  response.status = 404;
  response.headers = {{"Content-Type", "text/plain; charset=UTF-8"}};
  response.body = "404 Not Found\n";
  return response;
}

/// In the query, and in the form of a POST.
Parameters asked(const ServedRequest& request) {
  Parameters parameters = parse_parameters(request.query);
  if (request.method != "POST" || request.path.starts_with(k_signal_prefix)) return parameters;
  for (auto& parameter : parse_parameters(request.body)) parameters.push_back(std::move(parameter));
  return parameters;
}

std::string name_in(const std::string& stack) {
  const std::optional<StackArn> arn = parse_arn(stack);
  return arn ? arn->id : stack;
}

}  // namespace

/// What is asked with a form is limited, whoever asks.
bool CfnApi::admits_at_once(const ServedRequest& head) const {
  return !head.path.starts_with(k_signal_prefix) && !head.path.starts_with(k_wait_prefix);
}

/// Signals may be long; who signals is known before one is read.
Admission CfnApi::admit(const ServedRequest& head) {
  Admission admission;
  if (admits_at_once(head)) {
    admission.body_bytes = k_form_bytes;
    return admission;
  }
  const Parameters parameters = parse_parameters(head.query);
  const std::optional<AwsCredential> credential = find_credential({head, parameters});
  const bool needs_body = credential && credential->version == AwsCredential::Version::four;  // its digest is signed
  if (needs_body && stacks_.access_key(credential->key_id)) return admission;
  const Result<AccessKey, ServedResponse> key = authenticate(head, parameters);
  if (!key) admission.refusal = key.error();
  return admission;
}

bool CfnApi::answers_at_once(const ServedRequest& request) const {
  if (request.path.starts_with(k_signal_prefix) || request.path.starts_with(k_wait_prefix)) return false;
  if (request.path != "/v1" && request.path != "/v1/") return true;  // what there is, whoever asks
  const Parameters parameters = asked(request);
  const std::optional<AwsCredential> credential = find_credential({request, parameters});
  return credential && stacks_.is_steady(credential->key_id);
}

ServedResponse CfnApi::answer(const ServedRequest& request) {
  if (request.path.starts_with(k_signal_prefix)) {
    return signal(request, request.path.substr(k_signal_prefix.size()), false);
  }
  if (request.path.starts_with(k_wait_prefix)) {
    return signal(request, request.path.substr(k_wait_prefix.size()), true);
  }
  if (request.path == "/v1" || request.path == "/v1/") return act(request);
  if (looks_like_a_version(request.path)) return version_document(request);
  return nothing_there();
}

ServedResponse CfnApi::refuse(const ServedRequest& request, int status, const std::string& code,
                              const std::string& message, const std::string& why) {
  log_.warning(
      cat("cfn: refused ", request.method, " ", without_secrets(request.target), " from ", request.peer, ": ", why));
  return cfn_error(status, code, message);
}

Result<AccessKey, ServedResponse> CfnApi::authenticate(const ServedRequest& request, const Parameters& parameters) {
  const std::optional<AwsCredential> credential = find_credential({request, parameters});
  if (!credential) {
    return refuse(request, 400, "IncompleteSignature", "The request signature does not conform to AWS standards",
                  "no signature");
  }
  if (credential->key_id.empty()) {
    return refuse(request, 403, "MissingAuthenticationToken", "Does not contain a valid AWS Access Key or certificate",
                  "no key id");
  }
  std::optional<AccessKey> key = stacks_.access_key(credential->key_id);
  if (!key) {
    return refuse(request, 403, "InvalidClientTokenId", "The certificate or AWS Key ID provided does not exist",
                  "unknown key");
  }
  if (!verify_signature({request, parameters}, *credential, key->secret)) {
    return refuse(request, 403, "AccessDenied", "User is not authorized to perform action", "wrong signature");
  }
  key->id = credential->key_id;
  return std::move(*key);
}

ServedResponse CfnApi::act(const ServedRequest& request) {
  if (request.method != "GET" && request.method != "POST") return cfn_error(400, "InvalidAction", "GET or POST only");
  const Parameters parameters = asked(request);
  const Result<AccessKey, ServedResponse> key = authenticate(request, parameters);
  if (!key) return key.error();
  const std::string action = parameter_or(parameters, "Action", "");
  if (action == "DescribeStackResource") {
    ServedResponse response = describe(request, parameters, *key);
    response.principal = cat("key ", key->id);
    return response;
  }
  if (action == "ReportRun") return take_report(request, parameters, *key);
  if (std::find(k_other_actions.begin(), k_other_actions.end(), action) == k_other_actions.end()) {
    return cfn_error(400, "InvalidAction", cat("The action ", action, " is not valid for this endpoint"));
  }
  return refuse(request, 403, "AccessDenied", "User is not authorized to perform action",
                "an agent's key may not do this");
}

ServedResponse CfnApi::describe(const ServedRequest& request, const Parameters& parameters, const AccessKey& key) {
  const std::string stack = parameter_or(parameters, "StackName", "");
  const std::string name = parameter_or(parameters, "LogicalResourceId", "");
  const std::optional<std::string> id = stacks_.stack_id(name_in(stack), key);
  if (!id) return bad_value(cat("The Stack (", stack, ") could not be found."));
  if (*id != key.stack_id || name != key.resource) {
    return refuse(request, 403, "AccessDenied", "User is not authorized to perform action",
                  cat("the key belongs to ", key.resource, " of stack ", key.stack_id));
  }
  const std::optional<ResourceDetail> detail = stacks_.resource(*id, name);
  if (!detail) return bad_value(cat("The Resource (", name, ") could not be found in Stack ", stack, "."));
  return rendered(request, parameters, *detail);
}

/// Ours, not Heat's: how a run of the server's hooks went.
ServedResponse CfnApi::take_report(const ServedRequest& request, const Parameters& parameters, const AccessKey& key) {
  if (parameter_or(parameters, "LogicalResourceId", "") != key.resource) {
    return refuse(request, 403, "AccessDenied", "User is not authorized to perform action",
                  cat("the key belongs to ", key.resource, " of stack ", key.stack_id));
  }
  const Result<Json> json = parse_foreign_json(parameter_or(parameters, "Report", ""), "the report");
  const std::optional<RunReport> report = json ? read_run_report(*json) : std::nullopt;
  if (!report) return bad_value("The report is none");
  stacks_.note_run(key.stack_id, key.resource, *report);
  ServedResponse response;
  response.principal = cat("key ", key.id);
  return response;
}

ServedResponse CfnApi::rendered(const ServedRequest& request, const Parameters& parameters,
                                const ResourceDetail& detail) {
  const bool json = parameter_or(parameters, "ContentType", "") == "JSON";
  const std::string tag = cat(detail.metadata.tag, json ? "-json" : "");
  if (holds_current(request, tag, detail.metadata.modified)) {
    return not_modified(cat("\"", tag, "\""), detail.metadata.modified);
  }
  ServedResponse response;
  response.headers = {{"Content-Type", json ? "application/json" : "application/xml"},
                      {"Etag", cat("\"", tag, "\"")},
                      {"Last-Modified", format_http_date(detail.metadata.modified)}};
  if (json) {
    response.body = describe_resource_json(detail);
    return response;
  }
  if (cache_.size() > k_most_rendered) cache_.clear();
  Rendered& slot = cache_[cat(detail.stack_id, "/", detail.logical_id)];
  const std::string version = cat(tag, " ", detail.status, " ", detail.updated);
  if (slot.tag != version) slot = {version, std::make_shared<const std::string>(describe_resource_xml(detail))};
  response.shared_body = slot.xml;
  return response;
}

ServedResponse CfnApi::signal(const ServedRequest& request, const std::string& arn, bool is_wait_condition) {
  // Form fields in a body would break the signature for Heat; only the query counts here.
  const Result<AccessKey, ServedResponse> key = authenticate(request, parse_parameters(request.query));
  if (!key) return key.error();
  if (request.method != (is_wait_condition ? "PUT" : "POST")) {
    return refuse(request, 403, "AccessDenied", "User is not authorized to perform action", "wrong method");
  }
  const std::optional<StackArn> target = parse_arn(arn);
  if (!target || target->resource.empty()) return bad_value(cat("Invalid ARN: ", arn));
  if (target->id != key->stack_id || target->resource != key->resource) {
    return refuse(request, 403, "AccessDenied", "User is not authorized to perform action",
                  cat("the key belongs to ", key->resource, " of stack ", key->stack_id));
  }
  const Result<Json> body =
      request.body.empty() ? Result<Json>(Json::object()) : parse_foreign_json(request.body, "signal");
  if (!body) return bad_value(cat("The signal is no JSON: ", body.error().text()));
  if (!body->is_object()) return bad_value("The signal is not a JSON object");
  const SignalOutcome outcome = stacks_.signal(target->id, target->resource, *body);
  switch (outcome.kind) {
    case SignalOutcome::Kind::no_stack: return bad_value(cat("The Stack (", target->name, ") could not be found."));
    case SignalOutcome::Kind::no_resource:
      return bad_value(cat("The Resource (", target->resource, ") could not be found in Stack ", target->name, "."));
    case SignalOutcome::Kind::bad: return bad_value(outcome.message);
    case SignalOutcome::Kind::taken: break;
  }
  ServedResponse response;
  response.principal = cat("key ", key->id);
  if (is_wait_condition) {
    response.headers = {{"Content-Type", "application/xml"}};
    response.body = cat("<resource>", xml_text(target->resource), "</resource>");
  }
  return response;
}

}  // namespace hearth::metadata
