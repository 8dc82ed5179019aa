#include "bootstrap/api/ironic_api.hpp"

#include "base/foreign_json.hpp"
#include "base/net/url.hpp"
#include "base/sys/random.hpp"
#include "base/text.hpp"
#include "bootstrap/api/routes.hpp"
#include "bootstrap/api/shelf_calls.hpp"
#include "bootstrap/conductor/raid_config.hpp"
#include "bootstrap/gate/answer.hpp"
#include "bootstrap/power/driver_keys.hpp"

namespace hearth::bootstrap {

namespace {

/// Until it goes, what happens is told as this caller's doing.
class Acting {
 public:
  Acting(Ledger& ledger, const Caller& caller) : ledger_(ledger) { ledger_.act_for(caller.name); }
  Acting(const Acting&) = delete;
  Acting& operator=(const Acting&) = delete;
  ~Acting() { ledger_.act_for(""); }

 private:
  Ledger& ledger_;
};

std::vector<std::string> parts_of(const std::string& path) {
  std::vector<std::string> parts = split(path, '/');
  std::erase(parts, "");
  return parts;
}

/// A request that waits for a machine's management.
class HeldCall final : public HeldAnswer {
 public:
  HeldCall(IronicApi& api, const ServedRequest& request, Caller caller)
      : api_(api), request_(request), caller_(std::move(caller)) {}
  HeldCall(const HeldCall&) = delete;
  HeldCall& operator=(const HeldCall&) = delete;
  ~HeldCall() override {
    if (held_) held_->leave();
  }
  void start(std::function<void()> wake) override {
    held_ = std::make_shared<BmcAnswer>(std::move(wake));
    const std::shared_ptr<BmcAnswer> held = held_;  // to be woken may be the end of this
    held->begin(api_.answer_holding(request_, caller_, held));
  }
  [[nodiscard]] std::optional<ServedResponse> answer() override { return held_->response(); }

 private:
  IronicApi& api_;
  const ServedRequest& request_;
  Caller caller_;
  std::shared_ptr<BmcAnswer> held_;
};

ServedResponse log_in_first(const ServedRequest& request) {
  ServedResponse refused = fault_answer(401, "A valid X-Auth-Token, or Basic credentials, are needed");
  // A page's script asks for the token itself; a browser that is told of Basic would ask its user once more.
  const bool is_script = request.header("Sec-Fetch-Dest") == "empty" || request.header("X-Auth-Token");
  if (!is_script) refused.headers.emplace_back("WWW-Authenticate", "Basic realm=\"Hearth\"");
  return refused;
}

}  // namespace

std::string ApiCall::parameter(std::string_view name) const { return parameter_or(parameters, name, ""); }

bool ApiCall::truth(std::string_view name) const {
  const std::string text = to_lower(parameter(name));
  return text == "true" || text == "1" || text == "yes" || text == "on";
}

Json ApiCall::body() const {
  if (request.body.empty()) return Json::object();
  const Result<Json> parsed = parse_foreign_json(request.body, "the request");
  if (!parsed) throw Refusal(400, cat("The body is no JSON: ", parsed.error().text()));
  return *parsed;
}

ServedResponse IronicApi::answer_holding(const ServedRequest& request, const Caller& caller,
                                         const std::shared_ptr<BmcAnswer>& held) {
  const int minor = asked_minor(request);
  const Acting acting(conductor_.ledger(), caller);
  ApiCall call{request, caller, {}, {}, parse_parameters(request.query), held};
  call.view.base = cat(request.tls ? "https" : "http", "://", request.host());
  call.view.host = conductor_.settings().host;
  call.view.minor = minor;
  call.view.only_looks = caller.role < Role::operate;
  const std::vector<std::string> parts = parts_of(request.path);
  ServedResponse response;
  try {
    if (minor < 0 && parts.size() > 1) {
      response = fault_answer(406, cat("Version ", request.header("X-OpenStack-Ironic-API-Version").value_or(""),
                                       " was requested but the supported versions are 1.1 to 1.", k_newest_minor, "."));
    } else if (parts.empty()) {
      response = json_answer(200, root_document(call.view.base));
    } else if (parts.front() != "v1") {
      response = fault_answer(404, "Not Found");
    } else {
      call.parts.assign(parts.begin() + 1, parts.end());
      response = route(call);
    }
  } catch (const Refusal& refusal) {
    response = fault_answer(refusal.status(), refusal.what());
  } catch (const Json::exception& error) {
    response = fault_answer(400, cat("The request has not the form that is expected: ", json_fault(error)));
  } catch (const sql::StoreError& error) {
    log_.error(cat(request.method, " ", request.path, ": ", error.story()));
    const bool is_away = conductor_.ledger().store().home() != nullptr;
    response = fault_answer(503, cat("this can't be kept now: ", error.what(),
                                     is_away ? "; the conductor goes on by itself when its database answers again: ask "
                                               "again then"
                                             : "; hearth why page says what is wrong: ask again when it is mended"));
    response.headers.emplace_back("Retry-After", "2");
  } catch (const Error& error) {
    log_.error(cat(request.method, " ", request.path, ": ", error.story()));
    response = fault_answer(500, error.what());
  }
  add_version_headers(response, minor, random_uuid());
  return response;
}

std::unique_ptr<HeldAnswer> IronicApi::hold(const ServedRequest& request, const Caller& caller) {
  const std::vector<std::string> parts = parts_of(request.path);
  const bool management = parts.size() == 5 && parts[1] == "nodes" && parts[3] == "management";
  if (faces_ == Faces::agents || caller.role == Role::nobody || !management) return nullptr;
  return std::make_unique<HeldCall>(*this, request, caller);
}

std::optional<ServedResponse> IronicApi::agent_route(const ApiCall& call) {
  if (call.parts.empty()) return json_answer(200, v1_document(call.view.base));
  const std::string& what = call.parts[0];
  if (what == "lookup") {
    return json_answer(200,
                       conductor_.agents().look_up(split(call.parameter("addresses"), ','), call.parameter("node_uuid"),
                                                   call.view.base, call.request.peer));
  }
  if (what == "heartbeat" && call.parts.size() == 2 && call.is("POST")) {
    conductor_.agents().heartbeat(call.parts[1], call.body(), call.request.peer);
    return empty_answer(202);
  }
  if (what == "hearth" && call.parts.size() == 2 && call.parts[1] == "progress" && call.is("POST")) {
    const Json answer = conductor_.agents().progress(call.body(), call.request.peer);
    return answer.is_null() ? empty_answer(202) : json_answer(200, answer);
  }
  if ((what == "continue_inspection" || what == "continue") && call.is("POST")) {
    return json_answer(what == "continue" ? 200 : 202,
                       conductor_.agents().inspected(call.body(), call.parameter("node_uuid"), call.request.peer));
  }
  return std::nullopt;
}

ServedResponse IronicApi::route(const ApiCall& call) {
  if (std::optional<ServedResponse> answer = agent_route(call)) {
    conductor_.settle();
    return *answer;
  }
  if (faces_ == Faces::agents) throw Refusal(404, "Not Found");
  if (call.caller.role == Role::nobody) return log_in_first(call.request);
  check_route(call.parts, call.request.method, call.parameters);
  if (const Role needed = needed_role(call.parts, call.request.method, call.truth("secrets"));
      call.caller.role < needed) {
    throw Refusal(403, cat(call.caller.name, " may not do this: its token has the role ", name_of(call.caller.role),
                           ", and this needs ", name_of(needed)));
  }
  const std::string& what = call.parts[0];
  if (what == "nodes") return nodes(call);
  if (what == "ports") return ports(call);
  if (what == "drivers") return drivers(call);
  if (what == "conductors") return conductors(call);
  if (what == "introspection") return introspection(call);
  if (what == "hearth") return hearth(call);
  return shelf(call);
}

/// chassis, portgroups, …, volume/targets: whichever shelf the path begins with.
ServedResponse IronicApi::shelf(const ApiCall& call) {
  const std::vector<std::string>& parts = call.parts;
  const bool volume = parts[0] == "volume" && parts.size() > 1;
  const Shelf* shelf = shelf_at(volume ? cat("volume/", parts[1]) : parts[0]);
  const std::vector<std::string> rest(parts.begin() + (volume ? 2 : 1), parts.end());
  ShelfCalls calls(conductor_, call);
  if (parts[0] == "volume" && !volume) return calls.volumes("volume");
  if (shelf == nullptr) throw Refusal(404, "Not Found");
  if (rest.size() < 2) return calls.answer(*shelf, rest);
  const Json record = calls.find(*shelf, rest[0]);
  if (rest[1] == "nodes") return list_nodes(call, rest.size() > 2, text_in(record, "uuid"));
  const Node* node = conductor_.ledger().by_uuid(text_in(record, "node_uuid"));
  return list_ports(call, node == nullptr ? NodeIndex::PortAges() : port_ages(*node),
                    [&](const Port& port) { return port.group == text_in(record, "uuid"); });
}

ServedResponse IronicApi::drivers(const ApiCall& call) {
  const auto row = [&](const std::string& name) -> Json {
    return {{"name", name}, {"hosts", {conductor_.settings().host}}, {"type", "dynamic"}};
  };
  if (call.parts.size() == 1) {
    Json list = Json::array();
    for (const std::string& name : conductor_.drivers().names()) list.push_back(row(name));
    return json_answer(200, {{"drivers", list}});
  }
  if (conductor_.drivers().find(call.parts[1]) == nullptr)
    throw Refusal(404, cat("Could not find the following driver(s) or hardware type(s): ", call.parts[1], "."));
  if (call.parts.size() == 3 && call.parts[2] == "properties") {
    return json_answer(200, driver_properties(call.parts[1]));
  }
  const std::string part = call.parts.size() > 2 ? call.parts[2] : "";
  if (part == "raid" && !speaks_redfish(call.parts[1])) throw Refusal(404, unsupported(call.parts[1], "raid").what());
  if (part == "raid") return json_answer(200, logical_disk_properties());
  if (part == "vendor_passthru") {
    if (call.parts.size() == 4 && call.parts[3] == "methods") return json_answer(200, Json::object());
    throw Refusal(400,
                  cat("No handler for method ", call.parts.size() == 4 ? call.parts[3] : call.parameter("method")));
  }
  return json_answer(200, row(call.parts[1]));
}

ServedResponse IronicApi::conductors(const ApiCall& call) {
  const Json row = {{"hostname", conductor_.settings().host},
                    {"conductor_group", ""},
                    {"alive", true},
                    {"drivers", conductor_.drivers().names()},
                    {"created_at", nullptr},
                    {"updated_at", nullptr},
                    {"links", Json::array()}};
  if (call.parts.size() == 1) return json_answer(200, {{"conductors", Json::array({row})}});
  if (call.parts[1] != conductor_.settings().host)
    throw Refusal(404, cat("Conductor ", call.parts[1], " could not be found."));
  return json_answer(200, row);
}

}  // namespace hearth::bootstrap
