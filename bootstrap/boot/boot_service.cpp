#include "bootstrap/boot/boot_service.hpp"

#include "base/error.hpp"
#include "base/text.hpp"
#include "bootstrap/conductor/boot_records.hpp"
#include "pxe/boot/answer.hpp"

namespace hearth::bootstrap {

namespace {

AgentFace own_face(const pxe::Site& site, const AgentFace& given) {
  if (!given.url.empty() || site.networks.empty()) return given;
  return {cat("http://", pxe::to_text(site.networks.front().server), ":6385"), ""};
}

}  // namespace

BootService::BootService(const pxe::Site& site, const Options& options, Conductor& conductor, const Clock& clock,
                         Logger& log)
    : desk_(conductor, own_face(site, options.agents), options.in_vain),
      leases_(options.home != nullptr ? std::make_unique<HomeLeases>(*options.home) : nullptr) {
  pxe::BootOptions boot;
  boot.force = options.force;
  boot.rests = options.rests;
  boot.observer = &desk_;
  boot.leases = leases_.get();
  servers_ = std::make_unique<pxe::BootServers>(site, desk_.nodes(), boot, clock, log);
  const std::string words = own_face(site, options.agents).words();
  if (const auto fits = pxe::KernelArguments::parse(words); !fits)
    throw Error(ErrorKind::input, cat("--agent-url ", options.agents.url, ": ", fits.error()));
  conductor.agents().know_leases([this](const std::string& address) -> std::optional<std::string> {
    const std::optional<pxe::Ipv4> known = pxe::parse_ipv4(address);
    const std::optional<pxe::Mac> mac = known ? servers_->leased_to(*known) : std::nullopt;
    return mac ? std::optional(pxe::to_text(*mac)) : std::nullopt;
  });
  if (!site.networks.empty()) {
    conductor.ledger().store().put_document(k_boot_document,
                                            boot_document(site, pxe::http_base(site, site.networks.front().server)));
  }
  desk_.follow();
}

void BootService::look_around() { servers_->look_around(); }

void BootService::start() { servers_->start(); }

}  // namespace hearth::bootstrap
