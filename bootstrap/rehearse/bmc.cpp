#include "bootstrap/rehearse/bmc.hpp"

#include "base/error.hpp"
#include "base/hmac.hpp"
#include "base/net/http_server.hpp"
#include "base/net/web_client.hpp"
#include "base/text.hpp"

namespace hearth::bootstrap {

std::string BmcPlace::url() const { return cat("http://", address, ":", port); }

int serve_bmc(const BmcPlace& bmc, const std::vector<MachinePark::Place>& places) {
  const SystemClock clock;
  FdLogger log(2);
  try {
    MachinePark park(places, clock);
    RedfishFace face(park, bmc.account);
    HttpServer server({}, clock, log, nullptr);
    server.listen("bmc", bmc.address, bmc.port, face);
    server.every(std::chrono::milliseconds(200), [&] { park.tick(); });
    server.run(true);
    return 0;
  } catch (const std::exception& error) {
    log.log(LogLevel::error, cat("the machines' management: ", error.what()));
    return 1;
  }
}

void inject_fault(const BmcPlace& bmc, const Fault& fault, const Clock& clock) {
  WebClient http(clock, {}, "hearth-rehearse");
  HttpRequest request;
  request.method = "POST";
  request.url =
      parse_url(cat(bmc.url(), "/redfish/v1/Systems/", fault.machine, "/Actions/Oem/Hearth.Fault")).value_or_throw();
  request.headers = {{"Content-Type", "application/json"},
                     {"Authorization", cat("Basic ", base64_encode(cat(bmc.account.user, ":", bmc.account.password)))}};
  request.body = Json({{"Fault", std::string(name(fault.kind))}}).dump();
  request.deadline = Deadline::after(std::chrono::seconds(20), clock);
  const HttpResponse response = http.send(request);
  if (!response.ok())
    throw Error(ErrorKind::external,
                cat("injecting ", fault.text(), ": the machines' management answers ", response.status));
}

}  // namespace hearth::bootstrap
