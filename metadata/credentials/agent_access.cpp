#include "metadata/credentials/agent_access.hpp"

#include "base/check.hpp"
#include "base/error.hpp"
#include "base/net/url.hpp"
#include "base/text.hpp"
#include "metadata/credentials/aws_signature.hpp"
#include "metadata/credentials/temp_url.hpp"

namespace hearth::metadata {

const std::string& AgentAccess::secret() const {
  check(!key_.secret.empty(), "who signs has a key");
  return key_.secret;
}

std::string AgentAccess::signed_url(const std::string& kind, const std::string& time) const {
  const std::string path = cat("/v1/", kind, "/arn:openstack:heat::", stack_.project, ":stacks/", stack_.name, "/",
                               stack_.id, "/resources/", resource_);
  Parameters parameters = {
      {"SignatureMethod", "HmacSHA256"}, {"SignatureVersion", "2"}, {"AWSAccessKeyId", key_.id}, {"Timestamp", time}};
  const std::string verb = kind == "waitcondition" ? "PUT" : "POST";
  const std::string host = parse_url(urls_.cfn).value_or_throw().authority();
  parameters.emplace_back("Signature", sign_version_2(secret(), verb, host, path, parameters));
  return cat(urls_.cfn, percent_encode(path, "/"), "?", encode_query(parameters));
}

std::string AgentAccess::object_url(const std::string& method, const std::string& container,
                                    const std::string& object) const {
  const std::string path = cat("/v1/AUTH_", stack_.project, "/", container, "/", object);
  return cat(urls_.objects, make_temp_url(temp_url_key_, method, k_never_expires, path));
}

Parameters AgentAccess::signal_inputs(const std::string& transport, const std::string& name,
                                      const std::string& time) const {
  if (transport == "NO_SIGNAL") return {};
  if (transport == "CFN_SIGNAL")
    return {{"deploy_signal_id", signed_url("signal", time)}, {"deploy_signal_verb", "POST"}};
  if (transport == "TEMP_URL_SIGNAL")
    return {{"deploy_signal_id", object_url("PUT", stack_.id, name)}, {"deploy_signal_verb", "PUT"}};
  const bool by_queue = transport == "ZAQAR_SIGNAL" && !queue_.empty();
  if (transport != "HEAT_SIGNAL" && !by_queue) {
    throw Error(ErrorKind::unsupported, cat("the signal transport ", transport, " is not served"))
        .hint("CFN_SIGNAL, TEMP_URL_SIGNAL, HEAT_SIGNAL and NO_SIGNAL are");
  }
  Parameters inputs = {{"deploy_auth_url", cat(urls_.identity, "/v3")},
                       {"deploy_username", name},
                       {"deploy_user_id", key_.id},
                       {"deploy_password", secret()},
                       {"deploy_project_id", stack_.project},
                       {"deploy_region_name", urls_.region}};
  if (by_queue) inputs.emplace_back("deploy_queue_id", queue_);
  return inputs;
}

CollectSection AgentAccess::collect_section(const std::string& transport, const std::string& container,
                                            const std::string& object) const {
  if (transport == "POLL_SERVER_CFN") {
    return {"cfn",
            {{"metadata_url", cat(urls_.cfn, "/v1/")},
             {"access_key_id", key_.id},
             {"secret_access_key", secret()},
             {"stack_name", stack_.name},
             {"path", cat(resource_, ".Metadata")}}};
  }
  if (transport == "POLL_TEMP_URL") return {"request", {{"metadata_url", object_url("GET", container, object)}}};
  Parameters fields = {{"user_id", key_.id},
                       {"password", secret()},
                       {"auth_url", cat(urls_.identity, "/v3")},
                       {"project_id", stack_.project}};
  if (transport == "POLL_SERVER_HEAT") {
    fields.emplace_back("stack_id", cat(stack_.name, "/", stack_.id));
    fields.emplace_back("resource_name", resource_);
    fields.emplace_back("region_name", urls_.region);
    return {"heat", fields};
  }
  if (transport == "ZAQAR_MESSAGE" && !queue_.empty()) {
    fields.emplace_back("queue_id", queue_);
    fields.emplace_back("region_name", urls_.region);
    return {"zaqar", fields};
  }
  throw Error(ErrorKind::unsupported, cat("the transport ", transport, " of server ", resource_, " is not served"))
      .hint("POLL_SERVER_CFN, POLL_SERVER_HEAT and POLL_TEMP_URL are");
}

}  // namespace hearth::metadata
