// Leases in the database in which the conductor's state lives, written with what else changes, many at a time: the
// servers' threads wait for no round trip, and no machine is answered before its lease is durable there.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <string>
#include <vector>

#include "bootstrap/store/home.hpp"
#include "pxe/dhcp/lease_keeper.hpp"

namespace hearth::bootstrap {

class HomeLeases final : public pxe::dhcp::LeaseKeeper {
 public:
  /// Reads all; before Home::start(). `home` must outlive it.
  explicit HomeLeases(Home& home);

  [[nodiscard]] std::vector<pxe::dhcp::Lease> leases() const override { return found_; }
  void keep(const pxe::dhcp::Lease& lease, std::function<void()> then,
            std::function<void(const std::string&)> failed) override;
  /// From any thread: the home has kept more, or is in trouble. Tells those who waited for that.
  void look();

 private:
  struct Waiting {
    std::uint64_t number = 0;
    std::function<void()> then;
    std::function<void(const std::string&)> failed;
  };

  Home& home_;
  std::vector<pxe::dhcp::Lease> found_;
  std::mutex mutex_;
  std::deque<Waiting> waiting_;
};

}  // namespace hearth::bootstrap
