#include "bootstrap/seed/seed_api.hpp"

#include <map>

#include "base/error.hpp"
#include "base/net/url.hpp"
#include "base/net/web_client.hpp"
#include "base/text.hpp"
#include "bootstrap/client/node_text.hpp"
#include "bootstrap/node/node.hpp"

namespace hearth::bootstrap {

std::string SeedApi::send(const std::string& method, const std::string& target, const std::string& body) const {
  WebClient http(clock_, {}, "hearth-seed");  // no proxy: the seed is a neighbour
  HttpRequest request;
  request.method = method;
  request.url = parse_url(cat(url_, target)).value_or_throw();
  request.headers = {{"X-OpenStack-Ironic-API-Version", "1.82"}, {"X-Auth-Token", token_}};
  if (!body.empty()) request.headers.emplace_back("Content-Type", "application/json");
  request.body = body;
  request.pin = pin_;
  request.deadline = Deadline::after(std::chrono::seconds(60), clock_);
  const HttpResponse response = http.send(request);
  if (!response.ok()) {
    const Json fault = json_or_null(text_in(json_or_null(response.body), "error_message"));
    throw Error(response.status == 404 ? ErrorKind::not_found : ErrorKind::external,
                cat("the seed answers ", response.status, " to ", method, " ", target, ": ",
                    text_in(fault, "faultstring", response.body.substr(0, 300))));
  }
  return response.body;
}

Json SeedApi::call(const std::string& method, const std::string& target, const Json& body) const {
  const std::string answer = send(method, target, body.is_null() ? "" : format_json(body));
  return answer.empty() ? Json() : parse_json(answer, "the seed's answer").value_or_throw();
}

std::string SeedApi::bytes(const std::string& target) const { return send("GET", target, ""); }

Json SeedApi::get(const std::string& target) const { return call("GET", target, Json()); }

bool SeedApi::answers() const {
  try {
    WebClient http(clock_, {}, "hearth-seed");
    HttpRequest request;
    request.url = parse_url(cat(url_, "/")).value_or_throw();
    request.deadline = Deadline::after(std::chrono::seconds(5), clock_);
    return http.send(request).status != 0;
  } catch (const Error&) {
    return false;
  }
}

void SeedApi::put(const std::string& target, const Json& body) const { static_cast<void>(call("PUT", target, body)); }

std::string seed_status_text(const Json& nodes, const Json& events) {
  std::map<std::string, int> states;
  for (const Json& node : nodes.value("nodes", Json::array())) ++states[text_in(node, "provision_state")];
  std::string text = states.empty() ? "it has no nodes yet\n" : "nodes:";
  for (auto row = states.begin(); row != states.end(); ++row)
    text += cat(row == states.begin() ? " " : ", ", row->second, " ", row->first);
  if (!states.empty()) text += "\n";
  const Json list = events.value("events", Json::array());
  if (!list.empty()) text += "last events:\n";
  for (const Json& event : list) text += cat("  ", event_line(event), "\n");
  return text;
}

}  // namespace hearth::bootstrap
