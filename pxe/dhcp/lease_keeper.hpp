// Where leases live that are at home elsewhere than in the journal beside us (dhcp/journal.hpp), which is a copy then.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "pxe/dhcp/leases.hpp"

namespace hearth::pxe::dhcp {

class LeaseKeeper {
 public:
  LeaseKeeper() = default;
  LeaseKeeper(const LeaseKeeper&) = delete;
  LeaseKeeper& operator=(const LeaseKeeper&) = delete;
  virtual ~LeaseKeeper() = default;

  /// All that were kept when this was made.
  [[nodiscard]] virtual std::vector<Lease> leases() const = 0;
  /// From any thread; in the order of the calls. `then`, from whatever thread, when the lease is durable; else
  /// `failed`, if there is one: it may be kept yet, but nobody is promised anything.
  virtual void keep(const Lease& lease, std::function<void()> then,
                    std::function<void(const std::string& reason)> failed) = 0;
};

}  // namespace hearth::pxe::dhcp
