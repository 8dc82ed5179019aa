#include "pxe/tftp/farm.hpp"

#include <algorithm>
#include <thread>

#include "pxe/net/udp.hpp"

namespace hearth::pxe::tftp {

Farm::Farm(std::size_t servers, const Clock& clock, ContentSource& source, RequestLog& log, Limits limits)
    : quota_(limits.transfers, limits.transfers_per_client) {
  for (std::size_t at = 0; at < servers; ++at) {
    reactors_.push_back(std::make_unique<Reactor>(clock));
    servers_.push_back(std::make_unique<Server>(*reactors_.back(), source, log, quota_, limits));
  }
}

Endpoint Farm::listen(const Endpoint& local, const std::string& device) {
  if (servers_.size() == 1) return servers_.front()->listen(local, device);
  // A port that may be shared would be shared with another program, too: it must be free first.
  Endpoint bound = local_endpoint(open_udp(local, {.device = device}));
  for (const auto& server : servers_) server->listen(bound, device, true);
  return bound;
}

void Farm::stop() noexcept {
  for (const auto& reactor : reactors_) reactor->stop();
}

std::size_t Farm::usual_size() {
  return std::clamp<std::size_t>(std::size_t{8} * std::thread::hardware_concurrency(), 4, 16);
}

}  // namespace hearth::pxe::tftp
