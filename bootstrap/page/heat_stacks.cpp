#include "bootstrap/page/heat_stacks.hpp"

#include "base/error.hpp"
#include "base/net/web_client.hpp"
#include "base/text.hpp"
#include "bootstrap/node/node.hpp"

namespace hearth::bootstrap {

namespace {

constexpr std::size_t k_stacks = 20;

class Heat {
 public:
  Heat(HttpClient& http, const Clock& clock, const std::string& url, const std::string& token,
       const std::string& ca_file)
      : http_(http), clock_(clock), url_(url), token_(token), ca_file_(ca_file) {}

  [[nodiscard]] Json get(const std::string& path) const {
    HttpRequest request;
    request.url = parse_url(cat(url_, path)).value_or_throw();
    request.headers = {{"X-Auth-Token", token_}, {"Accept", "application/json"}};
    request.ca_file = ca_file_;
    request.deadline = Deadline::after(std::chrono::seconds(30), clock_);
    const HttpResponse response = http_.send(request);
    if (!response.ok()) throw Error(ErrorKind::io, cat(url_, path, " answers ", response.status));
    return parse_json(response.body, cat(url_, path)).value_or_throw();
  }

  [[nodiscard]] Json stack(const Json& listed) const {
    const std::string name = text_in(listed, "stack_name");
    const std::string path = cat("/stacks/", percent_encode(name), "/", text_in(listed, "id"));
    Json shown = {{"name", name},
                  {"id", text_in(listed, "id")},
                  {"status", text_in(listed, "stack_status")},
                  {"reason", text_in(listed, "stack_status_reason")},
                  {"resources", Json::array()},
                  {"events", Json::array()}};
    for (const Json& resource : get(cat(path, "/resources?nested_depth=4")).value("resources", Json::array()))
      shown["resources"].push_back(resource_shown(resource));
    for (const Json& event : get(cat(path, "/events?limit=50&sort_dir=desc")).value("events", Json::array())) {
      shown["events"].push_back({{"at", text_in(event, "event_time")},
                                 {"resource", text_in(event, "resource_name")},
                                 {"status", text_in(event, "resource_status")},
                                 {"reason", text_in(event, "resource_status_reason")}});
    }
    return shown;
  }

 private:
  /// "NAME/ID" of the stack that a link of that kind leads to.
  static std::string linked_stack(const Json& resource, std::string_view kind) {
    for (const Json& link : resource.value("links", Json::array())) {
      if (text_in(link, "rel") != kind) continue;
      const std::string href = text_in(link, "href");
      const std::size_t at = href.find("/stacks/");
      return at == std::string::npos ? "" : href.substr(at + 8);
    }
    return "";
  }

  static Json resource_shown(const Json& resource) {
    return {{"name", text_in(resource, "resource_name")},
            {"type", text_in(resource, "resource_type")},
            {"status", text_in(resource, "resource_status")},
            {"reason", text_in(resource, "resource_status_reason")},
            {"stack", linked_stack(resource, "stack")},
            {"nested", linked_stack(resource, "nested")},
            {"required_by", resource.value("required_by", Json::array())}};
  }

  HttpClient& http_;
  const Clock& clock_;
  const std::string& url_;
  const std::string& token_;
  const std::string& ca_file_;
};

}  // namespace

Json ask_heat(HttpClient& http, const Clock& clock, const std::string& url, const std::string& token,
              const std::string& ca_file) {
  try {
    const Heat heat(http, clock, url, token, ca_file);
    Json stacks = Json::array();
    for (const Json& listed : heat.get("/stacks").value("stacks", Json::array())) {
      if (stacks.size() < k_stacks) stacks.push_back(heat.stack(listed));
    }
    return {{"stacks", stacks}};
  } catch (const std::exception& error) {
    return {{"error", error.what()}};
  }
}

void HeatStacks::look(std::function<void(const Json&)> tell) {
  const auto ask = [clock = &clock_, url = url_, token = token_, ca_file = ca_file_] {
    WebClient http(*clock, {}, "hearth-page");
    Outcome outcome;
    outcome.value = ask_heat(http, *clock, url, token, ca_file);
    return outcome;
  };
  workers_.submit(ask, [tell = std::move(tell)](const Outcome& outcome) { tell(outcome.value); });
}

}  // namespace hearth::bootstrap
