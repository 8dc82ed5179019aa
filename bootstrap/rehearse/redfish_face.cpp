#include "bootstrap/rehearse/redfish_face.hpp"

#include <algorithm>

#include "base/hash.hpp"
#include "base/hmac.hpp"
#include "base/sys/random.hpp"
#include "base/text.hpp"

namespace hearth::bootstrap {

namespace {

constexpr const char* k_root = "/redfish/v1";
constexpr std::size_t k_most_sessions = 64;

ServedResponse json_answer(int status, const Json& body, HttpHeaders headers = {}) {
  headers.emplace_back("Content-Type", "application/json");
  headers.emplace_back("OData-Version", "4.0");
  return {status, "", std::move(headers), cat(format_json(body), "\n"), nullptr};
}

ServedResponse done() { return {204, "", {{"OData-Version", "4.0"}}, "", nullptr}; }

ServedResponse redfish_refusal(int status, const std::string& text) {
  return json_answer(status, {{"error", {{"code", "Base.1.0.GeneralError"}, {"message", text}}}});
}

Json thing(const std::string& path, const std::string& kind) {
  return {
      {"@odata.id", path}, {"@odata.type", cat("#", kind)}, {"Id", path.substr(path.rfind('/') + 1)}, {"Name", kind}};
}

Json collection(const std::string& path, const std::string& kind, const std::vector<std::string>& members) {
  Json answer = thing(path, cat(kind, "Collection.", kind, "Collection"));
  answer["Members"] = Json::array();
  for (const std::string& member : members) answer["Members"].push_back({{"@odata.id", member}});
  answer["Members@odata.count"] = members.size();
  return answer;
}

Json service_root() {
  Json root = thing(k_root, "ServiceRoot.v1_5_0.ServiceRoot");
  root["RedfishVersion"] = "1.6.0";
  root["Systems"] = {{"@odata.id", cat(k_root, "/Systems")}};
  root["Managers"] = {{"@odata.id", cat(k_root, "/Managers")}};
  root["SessionService"] = {{"@odata.id", cat(k_root, "/SessionService")}};
  root["Links"] = {{"Sessions", {{"@odata.id", cat(k_root, "/SessionService/Sessions")}}}};
  return root;
}

/// The UUID that a name gives, always the same.
std::string uuid_of(const std::string& name) {
  const std::string digest = hex_digest(HashKind::sha256, name);
  return cat(digest.substr(0, 8), "-", digest.substr(8, 4), "-4", digest.substr(13, 3), "-8", digest.substr(17, 3), "-",
             digest.substr(20, 12));
}

}  // namespace

bool RedfishFace::known(const ServedRequest& request) const {
  if (const auto token = request.header("X-Auth-Token"); token && sessions_.count(*token) > 0) return true;
  const std::string basic = cat("Basic ", base64_encode(cat(account_.user, ":", account_.password)));
  return request.header("Authorization").value_or("") == basic;
}

std::vector<std::string> RedfishFace::machines() const {
  return only_.empty() ? rack_.names() : std::vector<std::string>{only_};
}

ServedResponse RedfishFace::open_session(const Json& body) {
  if (text_member(body, "UserName") != account_.user || text_member(body, "Password") != account_.password)
    return redfish_refusal(401, "wrong user or password");
  while (sessions_.size() >= k_most_sessions) sessions_.erase(sessions_.begin());
  const std::string token = random_hex(16);
  const std::string place = cat(k_root, "/SessionService/Sessions/", token.substr(0, 8));
  sessions_[token] = place;
  return json_answer(201, thing(place, "Session.v1_1_0.Session"), {{"X-Auth-Token", token}, {"Location", place}});
}

ServedResponse RedfishFace::answer(const ServedRequest& request) {
  std::string path = request.path;
  while (path.size() > 1 && path.back() == '/') path.pop_back();
  Json body;
  if (!request.body.empty()) {
    Result<Json> parsed = parse_json(request.body, "body");
    if (!parsed) return redfish_refusal(400, parsed.error().text());
    body = std::move(parsed).value();
  }
  if (path == k_root) return json_answer(200, service_root());
  const std::string sessions = cat(k_root, "/SessionService/Sessions");
  if (path == sessions && request.method == "POST") return open_session(body);
  if (!known(request)) return redfish_refusal(401, "credentials are needed");
  if (request.method == "DELETE" && path.starts_with(sessions)) {
    std::erase_if(sessions_, [&](const auto& row) { return row.second == path; });
    return done();
  }
  const std::string systems = cat(k_root, "/Systems");
  const std::vector<std::string> names = machines();
  if (path == systems) {
    std::vector<std::string> members;
    for (const std::string& name : names) members.push_back(cat(systems, "/", name));
    return json_answer(200, collection(path, "ComputerSystem", members));
  }
  if (path == cat(k_root, "/SessionService"))
    return json_answer(200, thing(path, "SessionService.v1_1_0.SessionService"));
  if (path == cat(k_root, "/Managers")) return json_answer(200, collection(path, "Manager", {}));
  if (!path.starts_with(cat(systems, "/"))) return redfish_refusal(404, cat("there is no ", path));
  const std::string rest = path.substr(systems.size() + 1);
  const std::size_t slash = rest.find('/');
  const std::string machine = rest.substr(0, slash);
  if (std::find(names.begin(), names.end(), machine) == names.end())
    return redfish_refusal(404, cat("there is no ", path));
  return system_call(request, machine, slash == std::string::npos ? "" : rest.substr(slash), body);
}

ServedResponse RedfishFace::system_call(const ServedRequest& request, const std::string& machine,
                                        const std::string& rest, const Json& body) {
  if (rest.empty() && request.method == "GET") return json_answer(200, shown_system(machine), {{"ETag", tag(machine)}});
  if (rest.empty() && request.method == "PATCH") return change_boot(request, machine, body);
  if (rest == "/Actions/ComputerSystem.Reset" && request.method == "POST") return reset(machine, body);
  if (rest == "/Actions/Oem/Hearth.Fault" && request.method == "POST") return fault(machine, body);
  if (rest == "/Actions/Oem/Hearth.ReplaceDisk" && request.method == "POST") {
    rack_.replace_disk(machine);
    return done();
  }
  return redfish_refusal(404, cat(request.method, " ", request.path, " is not served"));
}

Json RedfishFace::shown_system(const std::string& machine) {
  const std::string path = cat(k_root, "/Systems/", machine);
  const BootOverride boot = rack_.boot_override(machine);
  Json answer = thing(path, "ComputerSystem.v1_10_0.ComputerSystem");
  answer["Name"] = machine;
  answer["UUID"] = uuid_of(machine);
  answer["SystemType"] = "Virtual";
  answer["PowerState"] = rack_.is_on(machine) ? "On" : "Off";
  answer["Boot"] = {{"BootSourceOverrideEnabled", boot.enabled},
                    {"BootSourceOverrideTarget", boot.target},
                    {"BootSourceOverrideMode", rack_.is_uefi(machine) ? "UEFI" : "Legacy"},
                    {"BootSourceOverrideTarget@Redfish.AllowableValues", {"None", "Pxe", "Hdd"}}};
  answer["Actions"] = {{"#ComputerSystem.Reset",
                        {{"target", cat(path, "/Actions/ComputerSystem.Reset")},
                         {"ResetType@Redfish.AllowableValues",
                          {"On", "ForceOff", "GracefulShutdown", "ForceRestart", "PushPowerButton", "Nmi"}}}},
                       {"Oem", {{"#Hearth.Fault", {{"target", cat(path, "/Actions/Oem/Hearth.Fault")}}}}}};
  return answer;
}

std::string RedfishFace::tag(const std::string& machine) {
  const BootOverride boot = rack_.boot_override(machine);
  return cat("W/\"", hex_digest(HashKind::sha256, cat(machine, boot.enabled, boot.target)).substr(0, 16), "\"");
}

ServedResponse RedfishFace::change_boot(const ServedRequest& request, const std::string& machine, const Json& body) {
  const std::string match = request.header("If-Match").value_or("*");
  if (match != "*" && match != tag(machine)) return redfish_refusal(412, "it was changed meanwhile");
  const Json wish = object_member(body, "Boot");
  BootOverride boot = rack_.boot_override(machine);
  if (wish.contains("BootSourceOverrideTarget")) boot.target = text_member(wish, "BootSourceOverrideTarget");
  if (wish.contains("BootSourceOverrideEnabled")) boot.enabled = text_member(wish, "BootSourceOverrideEnabled");
  const std::string mode = text_member(wish, "BootSourceOverrideMode");
  if (boot.target != "None" && boot.target != "Pxe" && boot.target != "Hdd")
    return redfish_refusal(400, cat("BootSourceOverrideTarget ", boot.target, " is not among its values"));
  if (boot.enabled != "Disabled" && boot.enabled != "Once" && boot.enabled != "Continuous")
    return redfish_refusal(400, cat("BootSourceOverrideEnabled ", boot.enabled, " is not among its values"));
  if (!mode.empty() && (mode == "UEFI") != rack_.is_uefi(machine))
    return redfish_refusal(
        400, cat("this machine's firmware is ", rack_.is_uefi(machine) ? "UEFI" : "Legacy", ", not ", mode));
  rack_.set_boot_override(machine, boot);
  return done();
}

ServedResponse RedfishFace::reset(const std::string& machine, const Json& body) {
  const std::string kind = text_member(body, "ResetType");
  if (kind == "On") {
    rack_.switch_on(machine);
  } else if (kind == "ForceOff") {
    rack_.switch_off(machine);
  } else if (kind == "GracefulShutdown") {
    rack_.press_button(machine);
  } else if (kind == "Nmi") {
    if (!rack_.is_on(machine)) return redfish_refusal(409, "it is off: nobody takes an interrupt");
    rack_.interrupt(machine);
  } else if (kind == "PushPowerButton") {
    rack_.is_on(machine) ? rack_.press_button(machine) : rack_.switch_on(machine);
  } else if (kind == "ForceRestart") {
    rack_.switch_off(machine);
    rack_.switch_on(machine);
  } else {
    return redfish_refusal(400, cat("ResetType ", kind, " is not among its values"));
  }
  return done();
}

ServedResponse RedfishFace::fault(const std::string& machine, const Json& body) {
  const std::optional<FaultKind> kind = parse_fault_kind(text_member(body, "Fault"));
  if (!kind || is_of_inventory(*kind))
    return redfish_refusal(400, "Fault: power-loss, dead-disk or lossy-link is expected");
  if (*kind == FaultKind::power_loss && !rack_.is_on(machine))
    return redfish_refusal(409, "it is off: no power is lost");
  rack_.inject(machine, *kind);
  return done();
}

}  // namespace hearth::bootstrap
