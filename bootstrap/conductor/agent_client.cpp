#include "bootstrap/conductor/agent_client.hpp"

#include "base/net/web_client.hpp"
#include "base/text.hpp"

namespace hearth::bootstrap {

namespace {

using AgentReason = AgentFault::Reason;

Json read_answer(const HttpResponse& response, const std::string& what) {
  const Result<Json> body = parse_json(response.body, what);
  const Json json = body ? *body : Json();
  if (response.ok()) {
    if (!body) throw AgentFault(AgentReason::failed, cat(what, ": the agent's answer is no JSON"));
    return json;
  }
  const std::string told = text_in(json, "faultstring", response.body.substr(0, 200));
  const AgentReason reason = response.status == 409   ? AgentReason::busy
                             : response.status == 401 ? AgentReason::refused
                                                      : AgentReason::failed;
  throw AgentFault(reason, cat(what, ": the agent answers ", response.status, ": ", told));
}

}  // namespace

Json HttpAgentClient::send(const AgentAddress& agent, const std::string& method, const std::string& target,
                           const std::string& body) const {
  if (rests_ && rests_())
    throw AgentFault(AgentReason::unreachable,
                     cat("agent ", agent.url, ": not asked, for another seed may serve by now"));
  HttpRequest request;
  request.method = method;
  const Result<Url> url = parse_url(cat(agent.url, target));
  if (!url) throw AgentFault(AgentReason::failed, cat("the agent's address ", agent.url, " is no URL"));
  request.url = *url;
  request.headers = {{"Accept", "application/json"}, {"Content-Type", "application/json"}};
  request.body = body;
  request.ca_file = agent.ca_file;
  request.deadline = Deadline::after(patience_, clock_);
  try {
    WebClient own(clock_, {}, "hearth-conductor");  // no proxy: the agent is a neighbour
    return read_answer((http_ != nullptr ? *http_ : own).send(request), cat("agent ", agent.url));
  } catch (const AgentFault&) {
    throw;
  } catch (const Error& error) {
    throw AgentFault(AgentReason::unreachable, cat("agent ", agent.url, ": ", error.what()));
  }
}

Json HttpAgentClient::commands(const AgentAddress& agent) {
  const Json answer = send(agent, "GET", cat("/v1/commands/?agent_token=", percent_encode(agent.token)), "");
  return answer.value("commands", Json::array());
}

Json HttpAgentClient::run(const AgentAddress& agent, const Order& order) {
  const Json body = {{"name", order.command}, {"params", order.params}};
  return send(agent, "POST",
              cat("/v1/commands/?wait=", order.wait ? "true" : "false", "&agent_token=", percent_encode(agent.token)),
              format_json(body, {.lossy = true}));
}

std::string command_status(const Json& record) { return text_in(record, "command_status"); }

std::string command_error(const Json& record) {
  const Json error = record.value("command_error", Json());
  if (!error.is_object()) return text_of(error, "no reason given");
  const std::string message = text_in(error, "message");
  const std::string details = text_in(error, "details");
  if (message.empty()) return details.empty() ? "no reason given" : details;
  return details.empty() || message.find(details) != std::string::npos ? message : cat(message, ": ", details);
}

}  // namespace hearth::bootstrap
