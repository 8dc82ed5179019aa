#include "bootstrap/rehearse/bmc.hpp"

#include <deque>

#include "base/error.hpp"
#include "base/hmac.hpp"
#include "base/net/http_server.hpp"
#include "base/net/web_client.hpp"
#include "base/text.hpp"

namespace hearth::bootstrap {

namespace {

/// An action of our own on a machine.
HttpResponse act(const BmcPlace& bmc, const std::string& machine, const char* action, const Json& body,
                 const Clock& clock) {
  WebClient http(clock, {}, "hearth-rehearse");
  HttpRequest request;
  request.method = "POST";
  request.url = parse_url(cat(bmc.url(), "/redfish/v1/Systems/", machine, "/Actions/Oem/", action)).value_or_throw();
  request.headers = {{"Content-Type", "application/json"},
                     {"Authorization", cat("Basic ", base64_encode(cat(bmc.account.user, ":", bmc.account.password)))}};
  request.body = format_json(body);
  request.deadline = Deadline::after(std::chrono::seconds(20), clock);
  return http.send(request);
}

void need_success(const HttpResponse& response, const std::string& what) {
  if (response.ok()) return;
  throw Error(ErrorKind::external,
              cat(what, ": the machines' management answers ", response.status, " ", response.body));
}

}  // namespace

std::string BmcPlace::url() const { return cat("http://", address, ":", port); }
std::string BmcPlace::url(const Own& own) const { return cat("http://", address, ":", own.port); }

int serve_bmc(const BmcPlace& bmc, const std::vector<MachinePark::Place>& places) {
  const SystemClock clock;
  FdLogger log(2);
  try {
    MachinePark park(places, clock);
    RedfishFace face(park, bmc.account);
    std::deque<RedfishFace> own_faces;
    HttpServer server({}, clock, log, nullptr);
    server.listen("bmc", bmc.address, bmc.port, face);
    for (const BmcPlace::Own& own : bmc.machines) {
      own_faces.emplace_back(park, own.account, own.machine);
      server.listen("bmc", bmc.address, own.port, own_faces.back());
    }
    server.every(std::chrono::milliseconds(200), [&] { park.tick(); });
    server.run(true);
    return 0;
  } catch (const std::exception& error) {
    log.log(LogLevel::error, cat("the machines' management: ", error.what()));
    return 1;
  }
}

bool inject_fault(const BmcPlace& bmc, const InjectedFault& fault, const Clock& clock) {
  const HttpResponse response =
      act(bmc, fault.machine, "Hearth.Fault", {{"Fault", std::string(name(fault.kind))}}, clock);
  if (response.status == 409) return false;
  need_success(response, cat("injecting ", fault.text()));
  return true;
}

void replace_disk(const BmcPlace& bmc, const std::string& machine, const Clock& clock) {
  need_success(act(bmc, machine, "Hearth.ReplaceDisk", Json::object(), clock), cat("replacing the disk of ", machine));
}

}  // namespace hearth::bootstrap
