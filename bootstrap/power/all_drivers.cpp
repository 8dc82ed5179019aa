#include "bootstrap/power/all_drivers.hpp"

#include "base/net/web_client.hpp"
#include "base/sys/process.hpp"
#include "bootstrap/power/ipmi_driver.hpp"
#include "bootstrap/power/libvirt_driver.hpp"
#include "bootstrap/power/plain_drivers.hpp"
#include "bootstrap/power/qemu_driver.hpp"
#include "bootstrap/power/redfish_driver.hpp"
#include "bootstrap/power/vendor_driver.hpp"

namespace hearth::bootstrap {

namespace {

/// A client of its own for each request: drivers are called from several threads. No proxy: BMCs are neighbours.
class ThreadedHttp final : public HttpClient {
 public:
  ThreadedHttp(const Clock& clock, const Curfew& curfew) : clock_(clock), curfew_(curfew) {}
  [[nodiscard]] HttpResponse send(const HttpRequest& request) override {
    HttpRequest limited = request;
    limited.deadline = curfew_.limit(request.deadline);
    return WebClient(clock_, {}, "hearth-conductor").send(limited);
  }

 private:
  const Clock& clock_;
  const Curfew& curfew_;
};

class LimitedRunner final : public CommandRunner {
 public:
  LimitedRunner(const Clock& clock, const Curfew& curfew) : runner_(clock), curfew_(curfew) {}
  [[nodiscard]] CommandResult run(const Command& command) override {
    Command limited = command;
    limited.deadline = curfew_.limit(command.deadline);
    return runner_.run(limited);
  }

 private:
  RealRunner runner_;
  const Curfew& curfew_;
};

/// What the drivers of one table share, kept by one of them.
struct World {
  explicit World(std::shared_ptr<const Curfew> given) : curfew(std::move(given)) {}
  std::shared_ptr<const Curfew> curfew;
  SystemClock clock;
  LimitedRunner runner{clock, *curfew};
  ThreadedHttp http{clock, *curfew};
};

}  // namespace

Deadline Curfew::limit(const Deadline& deadline) const {
  if (rests_ && rests_()) throw Error(ErrorKind::external, "not asked, for another seed may serve by now");
  return Deadline::earlier(deadline, Deadline(at_.load()));
}

Drivers all_drivers(const fs::path& directory, std::shared_ptr<const Curfew> curfew) {
  const auto world = std::make_shared<World>(std::move(curfew));
  Drivers drivers;
  drivers.add("manual-management", std::make_unique<ManualDriver>());
  drivers.add("fake-hardware", std::make_unique<FakeDriver>());
  drivers.add("ipmi", std::make_unique<IpmiDriver>(world->runner, world->clock));
  drivers.add("redfish", std::make_unique<RedfishDriver>(world->http, world->clock));
  const std::vector<std::pair<std::string, std::string>> vendors = {
      {"idrac", "drac"}, {"ilo", "ilo"}, {"irmc", "irmc"}, {"xclarity", "xclarity"}};
  for (const auto& [name, prefix] : vendors)
    drivers.add(name, std::make_unique<VendorDriver>(prefix, *drivers.find("redfish"), *drivers.find("ipmi")));
  drivers.add("qemu", std::make_unique<QemuDriver>(world->runner, world->clock, directory / "qemu"));
  drivers.add("libvirt", std::make_unique<LibvirtDriver>(world->runner, world->clock));
  drivers.keep(world);
  return drivers;
}

}  // namespace hearth::bootstrap
