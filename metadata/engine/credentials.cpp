#include "metadata/engine/credentials.hpp"

#include "base/check.hpp"
#include "base/error.hpp"
#include "base/hex.hpp"
#include "base/hmac.hpp"
#include "base/net/url.hpp"
#include "base/python_json.hpp"
#include "base/text.hpp"

namespace hearth::metadata::live {

namespace {

/// Written for a shell, as people paste it into scripts.
std::string curl(const std::string& method, const std::string& headers, const std::string& url) {
  return cat("curl -i -X ", method, headers, " '", url, "'");
}

}  // namespace

std::string agent_token(const std::string& key_id, const std::string& secret, std::int64_t expires) {
  const std::string text = cat("agent.", key_id, ".", expires);
  return cat(text, ".", to_hex(hmac(HashKind::sha256, secret, text)));
}

Json Credentials::handle_attributes(const PlannedHandle& plan, const std::string& project, const StackRecord& stack,
                                    const ResourceRecord& handle, std::int64_t now) const {
  constexpr const char* k_json = " -H 'Content-Type: application/json' -H 'Accept: application/json'";
  const std::string key_id = handle.data.key;
  const AgentAccess way = access(project, stack, handle, key_id);
  Json out = Json::object();
  const auto reached_at = [&](const std::string& url, const char* method, const std::string& headers) {
    out["endpoint"] = url;
    out["url"] = url;
    out["curl_cli"] = curl(method, headers, url);
    out["signal"] = python_json(Json({{"alarm_url", url}}));
  };
  out["token"] = Json();
  if (plan.form == PlannedHandle::Form::aws) {
    reached_at(way.signed_url("waitcondition", iso_time(now)), "PUT", k_json);
  } else if (plan.form == PlannedHandle::Form::swift || plan.transport == "TEMP_URL_SIGNAL") {
    reached_at(way.object_url("PUT", stack.id, key_id), "PUT", "");
  } else if (plan.transport == "CFN_SIGNAL") {
    reached_at(way.signed_url("signal", iso_time(now)), "POST", k_json);
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

AgentAccess Credentials::access(const std::string& project, const StackRecord& stack, const ResourceRecord& resource,
                                const std::string& key_id) const {
  return {urls_,
          temp_url_key_,
          {project, stack.name, stack.id},
          resource.name,
          key_id.empty() ? AgentKey{} : AgentKey{key_id, secret_of(key_id)}};
}

Parameters Credentials::signal_inputs(const std::string& transport, const std::string& project,
                                      const StackRecord& stack, const ResourceRecord& deployment,
                                      std::int64_t now) const {
  const std::string& key_id = deployment.deployment.key_id;
  return access(project, stack, deployment, key_id).signal_inputs(transport, key_id, iso_time(now));
}

Json Credentials::collect_section(const std::string& project, const StackRecord& stack,
                                  const ResourceRecord& server) const {
  const CollectSection section =
      access(project, stack, server, server.data.key)
          .collect_section(server.data.transport.empty() ? "POLL_SERVER_CFN" : server.data.transport,
                           server.data.container, server.data.object);
  Json fields = Json::object();
  for (const auto& [name, value] : section.fields) fields[name] = value;
  return {{"collectors", Json::array({section.collector, "local"})}, {section.collector, std::move(fields)}};
}

}  // namespace hearth::metadata::live
