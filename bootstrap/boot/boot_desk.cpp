#include "bootstrap/boot/boot_desk.hpp"

#include "base/text.hpp"

namespace hearth::bootstrap {

namespace {

/// More signs than the conductor can take in at once say nothing new.
constexpr std::size_t k_signs = 4096;

/// The kernel is what a machine fetches once for each boot.
bool is_kernel(const pxe::RequestRecord& record) {
  const std::string_view what = record.what;
  return record.protocol != "dhcp" && record.good && what.size() >= 6 && what.substr(what.size() - 6) == "kernel";
}

}  // namespace

BootDesk::BootDesk(Conductor& conductor, AgentFace agents, InVain in_vain)
    : conductor_(conductor), agents_(std::move(agents)), in_vain_(std::move(in_vain)) {}

void BootDesk::follow() {
  for (const auto& [uuid, node] : conductor_.ledger().nodes()) put(node);
  conductor_.ledger().watch([this](const Committed& committed) {
    for (const std::string& uuid : committed.removed) nodes_.remove(uuid);
    for (const std::string& uuid : committed.changed) {
      if (const Node* node = conductor_.ledger().by_uuid(uuid)) put(*node);
    }
  });
}

void BootDesk::put(const Node& node) {
  Store& store = conductor_.ledger().store();
  nodes_.put(
      boot_wish(node, agents_, [&store](const std::string& name) { return store.document(cat("image/", name)); }));
}

void BootDesk::record(const pxe::RequestRecord& record) noexcept {
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

void BootDesk::tick() {
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
