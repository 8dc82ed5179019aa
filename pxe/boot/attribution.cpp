#include "pxe/boot/attribution.hpp"

namespace hearth::pxe {

void AttributedRequests::record(const RequestRecord& record) noexcept {
  RequestRecord full = record;
  std::optional<Mac> mac = parse_mac(full.mac);
  if (!mac) mac = addresses_.find(full.client);
  if (mac && full.mac.empty()) full.mac = to_text(*mac);
  if (full.node.empty()) {
    const NodeRef node = nodes_.find({.mac = mac.value_or(Mac{}), .address = full.client});
    if (node != nullptr) full.node = node->name.empty() ? node->id : node->name;
  }
  next_.record(full);
  if (observer_ != nullptr) observer_->record(full);
}

}  // namespace hearth::pxe
