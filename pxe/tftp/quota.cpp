#include "pxe/tftp/quota.hpp"

#include "base/check.hpp"

namespace hearth::pxe::tftp {

std::optional<Quota::Place> Quota::take(Ipv4 client) {
  const std::lock_guard lock(mutex_);
  if (running_ >= all_) return std::nullopt;
  std::size_t& count = clients_[client.value];
  if (count >= per_client_) {
    if (count == 0) clients_.erase(client.value);
    return std::nullopt;
  }
  ++count;
  ++running_;
  return Place(*this, client);
}

void Quota::give_back(Ipv4 client) {
  const std::lock_guard lock(mutex_);
  const auto found = clients_.find(client.value);
  check(found != clients_.end() && found->second > 0 && running_ >= found->second,
        "a place that is given back was taken", "client", client.value, "running", running_);
  --running_;
  if (--found->second == 0) clients_.erase(found);
}

}  // namespace hearth::pxe::tftp
