#include "metadata/engine/credentials.hpp"

#include "base/check.hpp"
#include "base/error.hpp"
#include "base/hex.hpp"
#include "base/hmac.hpp"
#include "base/net/url.hpp"
#include "base/python_json.hpp"
#include "base/text.hpp"
#include "metadata/serve/aws_signature.hpp"
#include "metadata/serve/cfn_answer.hpp"
#include "metadata/serve/temp_url.hpp"

namespace hearth::metadata::live {

namespace {

std::string host_of(const std::string& url) { return parse_url(url).value_or_throw().authority(); }

/// Written for a shell, as people paste it into scripts.
std::string curl(const std::string& method, const std::string& headers, const std::string& url) {
  return cat("curl -i -X ", method, headers, " '", url, "'");
}

}  // namespace

std::string agent_token(const std::string& key_id, const std::string& secret, std::int64_t expires) {
  const std::string text = cat("agent.", key_id, ".", expires);
  return cat(text, ".", to_hex(hmac(HashKind::sha256, secret, text)));
}

Json Credentials::handle_attributes(const PlannedHandle& plan, const std::string& project, const Stack& stack,
                                    const Resource& handle, std::int64_t now) const {
  constexpr const char* k_json = " -H 'Content-Type: application/json' -H 'Accept: application/json'";
  const std::string key_id = handle.data.value("key", "");
  const std::string arn = cat(stack_arn(project, stack.name, stack.id), "/resources/", handle.name);
  Json out = Json::object();
  const auto reached_at = [&](const std::string& url, const char* method, const std::string& headers) {
    out["endpoint"] = url;
    out["url"] = url;
    out["curl_cli"] = curl(method, headers, url);
    out["signal"] = python_json(Json({{"alarm_url", url}}));
  };
  out["token"] = Json();
  if (plan.form == PlannedHandle::Form::aws) {
    reached_at(signed_url("waitcondition", arn, key_id, now), "PUT", k_json);
  } else if (plan.form == PlannedHandle::Form::swift || plan.transport == "TEMP_URL_SIGNAL") {
    reached_at(object_url("PUT", project, stack.id, key_id), "PUT", "");
  } else if (plan.transport == "CFN_SIGNAL") {
    reached_at(signed_url("signal", arn, key_id, now), "POST", k_json);
  } else if (plan.transport == "TOKEN_SIGNAL") {
    const std::string token = agent_token(key_id, secret_of(key_id), k_never_expires);
    reached_at(cat(urls_.heat, "/v1/", project, "/stacks/", stack.name, "/", stack.id, "/resources/",
                   percent_encode(handle.name), "/signal"),
               "POST", cat(" -H 'X-Auth-Token: ", token, "'", k_json));
    out["token"] = token;
  } else if (plan.transport == "HEAT_SIGNAL") {
    out["signal"] = format_json(Json({{"auth_url", cat(urls_.identity, "/v3")},
                                      {"username", key_id},
                                      {"user_id", key_id},
                                      {"password", secret_of(key_id)},
                                      {"project_id", project},
                                      {"region_name", urls_.region}}));
  } else if (plan.transport != "NO_SIGNAL") {
    throw Error(ErrorKind::unsupported, cat("the signal transport ", plan.transport, " is not served"))
        .hint("TOKEN_SIGNAL, CFN_SIGNAL, TEMP_URL_SIGNAL, HEAT_SIGNAL and NO_SIGNAL are");
  }
  return out;
}

std::string Credentials::secret_of(const std::string& key_id) const {
  check(!key_id.empty(), "a secret is of a key");
  return to_hex(hmac(HashKind::sha256, master_, cat("key ", key_id))).substr(0, 32);
}

Credentials::Credentials(std::string master, PublicUrls urls)
    : master_(std::move(master)),
      urls_(std::move(urls)),
      temp_url_key_(to_hex(hmac(HashKind::sha256, master_, "temp url key")).substr(0, 32)) {}

std::string Credentials::object_url(const std::string& method, const std::string& project, const std::string& container,
                                    const std::string& object) const {
  const std::string path = cat("/v1/AUTH_", project, "/", container, "/", object);
  return cat(urls_.objects, make_temp_url(temp_url_key(), method, k_never_expires, path));
}

std::string Credentials::signed_url(const std::string& kind, const std::string& arn, const std::string& key_id,
                                    std::int64_t now) const {
  const std::string path = cat("/v1/", kind, "/", arn);
  Parameters parameters = {{"SignatureMethod", "HmacSHA256"},
                           {"SignatureVersion", "2"},
                           {"AWSAccessKeyId", key_id},
                           {"Timestamp", iso_time(now)}};
  const std::string verb = kind == "waitcondition" ? "PUT" : "POST";
  parameters.emplace_back("Signature", sign_version_2(secret_of(key_id), verb, host_of(urls_.cfn), path, parameters));
  return cat(urls_.cfn, percent_encode(path, "/"), "?", encode_query(parameters));
}

SignalInputs Credentials::signal_inputs(const std::string& transport, const std::string& project, const Stack& stack,
                                        const Resource& deployment, std::int64_t now) const {
  const std::string& key_id = deployment.deployment.key_id;
  if (transport == "NO_SIGNAL") return {};
  if (transport == "CFN_SIGNAL") {
    const std::string arn = cat(stack_arn(project, stack.name, stack.id), "/resources/", deployment.name);
    return {{"deploy_signal_id", signed_url("signal", arn, key_id, now)}, {"deploy_signal_verb", "POST"}};
  }
  if (transport == "TEMP_URL_SIGNAL") {
    return {{"deploy_signal_id", object_url("PUT", project, stack.id, key_id)}, {"deploy_signal_verb", "PUT"}};
  }
  if (transport == "HEAT_SIGNAL") {
    return {{"deploy_auth_url", cat(urls_.identity, "/v3")},
            {"deploy_username", key_id},
            {"deploy_user_id", key_id},
            {"deploy_password", secret_of(key_id)},
            {"deploy_project_id", project},
            {"deploy_region_name", urls_.region}};
  }
  throw Error(ErrorKind::unsupported, cat("the signal transport ", transport, " is not served"))
      .hint("CFN_SIGNAL, TEMP_URL_SIGNAL, HEAT_SIGNAL and NO_SIGNAL are");
}

Json Credentials::collect_section(const std::string& project, const Stack& stack, const Resource& server) const {
  const std::string transport = server.data.value("transport", "POLL_SERVER_CFN");
  const std::string key_id = server.data.value("key", "");
  Json section = Json::object();
  std::string collector;
  if (transport == "POLL_SERVER_CFN") {
    collector = "cfn";
    section["metadata_url"] = cat(urls_.cfn, "/v1/");
    section["access_key_id"] = key_id;
    section["secret_access_key"] = secret_of(key_id);
    section["stack_name"] = stack.name;
    section["path"] = cat(server.name, ".Metadata");
  } else if (transport == "POLL_SERVER_HEAT") {
    collector = "heat";
    section["user_id"] = key_id;
    section["password"] = secret_of(key_id);
    section["auth_url"] = cat(urls_.identity, "/v3");
    section["project_id"] = project;
    section["stack_id"] = cat(stack.name, "/", stack.id);
    section["resource_name"] = server.name;
    section["region_name"] = urls_.region;
  } else if (transport == "POLL_TEMP_URL") {
    collector = "request";
    section["metadata_url"] =
        object_url("GET", project, server.data.value("container", ""), server.data.value("object", ""));
  } else {
    throw Error(ErrorKind::unsupported, cat("the transport ", transport, " of server ", server.name, " is not served"))
        .hint("POLL_SERVER_CFN, POLL_SERVER_HEAT and POLL_TEMP_URL are");
  }
  Json out = Json::object();
  out["collectors"] = Json::array({collector, "local"});
  out[collector] = std::move(section);
  return out;
}

}  // namespace hearth::metadata::live
