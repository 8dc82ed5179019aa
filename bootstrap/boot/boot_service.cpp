#include "bootstrap/boot/boot_service.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "base/text.hpp"
#include "bootstrap/conductor/boot_records.hpp"
#include "pxe/boot/answer.hpp"

namespace hearth::bootstrap {

namespace {

/// More signs than the conductor can take in at once say nothing new.
constexpr std::size_t k_signs = 4096;

AgentFace own_face(const pxe::Site& site, const AgentFace& given) {
  if (!given.url.empty() || site.networks.empty()) return given;
  return {cat("http://", pxe::to_text(site.networks.front().server), ":6385"), ""};
}

/// The kernel is what a machine fetches once for each boot.
bool is_kernel(const pxe::RequestRecord& record) {
  const std::string_view what = record.what;
  return record.protocol != "dhcp" && record.good && what.size() >= 6 && what.substr(what.size() - 6) == "kernel";
}

}  // namespace

BootService::BootService(const pxe::Site& site, const Options& options, Conductor& conductor, const Clock& clock,
                         Logger& log)
    : conductor_(conductor), agents_(own_face(site, options.agents)), in_vain_(options.in_vain) {
  pxe::BootOptions boot;
  boot.force = options.force;
  boot.observer = this;
  servers_ = std::make_unique<pxe::BootServers>(site, nodes_, boot, clock, log);
  if (const auto url = pxe::KernelArguments::parse(agents_.words()); !url)
    throw Error(ErrorKind::input, cat("--agent-url ", agents_.url, ": ", url.error()));
  conductor_.agents().know_leases([this](const std::string& address) -> std::optional<std::string> {
    const std::optional<pxe::Ipv4> known = pxe::parse_ipv4(address);
    const std::optional<pxe::Mac> mac = known ? servers_->leased_to(*known) : std::nullopt;
    return mac ? std::optional(pxe::to_text(*mac)) : std::nullopt;
  });
  if (!site.networks.empty()) {
    conductor_.ledger().store().put_document(k_boot_document,
                                             boot_document(site, pxe::http_base(site, site.networks.front().server)));
  }
  for (const auto& [uuid, node] : conductor_.ledger().nodes()) put(node);
  conductor_.ledger().watch([this](const Committed& committed) {
    for (const std::string& uuid : committed.removed) nodes_.remove(uuid);
    for (const std::string& uuid : committed.changed) {
      if (const Node* node = conductor_.ledger().by_uuid(uuid)) put(*node);
    }
  });
}

void BootService::look_around() { servers_->look_around(); }

void BootService::start() { servers_->start(); }

void BootService::put(const Node& node) {
  Store& store = conductor_.ledger().store();
  nodes_.put(
      boot_wish(node, agents_, [&store](const std::string& name) { return store.document(cat("image/", name)); }));
}

void BootService::record(const pxe::RequestRecord& record) noexcept {
  try {
    if (record.mac.empty()) return;
    Sign sign{record.mac, pxe::to_text(record.client), cat(record.protocol, " ", record.what)};
    if (record.overheard) {
      sign.kind = Conductor::Sign::in_vain;
      sign.how = cat(sign.how, " (", record.outcome, ")");
    } else if (is_kernel(record)) {
      sign.kind = Conductor::Sign::boots;
    }
    const std::lock_guard lock(mutex_);
    if (signs_.size() < k_signs) signs_.push_back(sign);
  } catch (const std::exception&) {  // a sign lost; there will be others
    return;
  }
}

void BootService::tick() {
  std::deque<Sign> signs;
  {
    const std::lock_guard lock(mutex_);
    signs.swap(signs_);
  }
  for (const Sign& sign : signs) {
    const bool is_vain = sign.kind == Conductor::Sign::in_vain;
    conductor_.seen(sign.mac, is_vain ? cat(k_in_vain, sign.how) : sign.how, sign.kind);
    if (is_vain && in_vain_) in_vain_(sign.address, sign.how);
  }
}

}  // namespace hearth::bootstrap
