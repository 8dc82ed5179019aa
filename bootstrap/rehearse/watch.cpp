#include "bootstrap/rehearse/watch.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "base/text.hpp"
#include "bootstrap/node/node.hpp"

namespace hearth::bootstrap {

Watch::Watch(std::string url, const Clock& clock, FaultPlan faults)
    : url_(std::move(url)), clock_(clock), http_(clock, {}, "hearth-rehearse"), faults_(std::move(faults)) {}

std::optional<Json> Watch::get(const std::string& target) {
  HttpRequest request;
  request.url = parse_url(cat(url_, target)).value_or_throw();
  request.headers = {{"X-OpenStack-Ironic-API-Version", "1.82"}, {"X-Auth-Token", token_}};
  request.deadline = Deadline::after(std::chrono::seconds(5), clock_);
  try {
    const HttpResponse response = http_.send(request);
    if (!response.ok()) return std::nullopt;
    Result<Json> body = parse_json(response.body, "the conductor's answer");
    if (!body) return std::nullopt;
    return std::optional<Json>(std::in_place, std::move(body).value());  // JSON converts to optionals, too
  } catch (const Error&) {
    return std::nullopt;
  }
}

void Watch::inject(const std::vector<InjectedFault>& due) {
  for (const InjectedFault& fault : due) {
    if (!inject_(fault)) faults_.put_back(fault);
  }
}

void Watch::begin() { inject(faults_.at_start()); }

void Watch::look() {
  const std::optional<Json> answer = get(cat("/v1/hearth/events?limit=200&after=", last_));
  if (!answer) return;
  const Json events = answer->value("events", Json::array());
  for (const Json& event : events) {
    last_ = std::max(last_, event.value("id", last_));
    tell_(event);
    const std::optional<std::string> state = state_told(event);
    if (state) inject(faults_.on_state(text_in(event, "name"), *state));
  }
}

Json Watch::nodes() {
  const std::optional<Json> answer = get("/v1/nodes/detail");
  Json nodes = answer ? answer->value("nodes", Json::array()) : Json::array();
  std::sort(nodes.begin(), nodes.end(),
            [](const Json& a, const Json& b) { return text_in(a, "name") < text_in(b, "name"); });
  return nodes;
}

}  // namespace hearth::bootstrap
