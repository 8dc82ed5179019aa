// How many transfers may run at once, in all and for one address; counted for all servers of a program together.
#pragma once

#include <cstddef>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <utility>

#include "pxe/net/address.hpp"

namespace hearth::pxe::tftp {

/// Called from several threads.
class Quota {
 public:
  Quota(std::size_t all, std::size_t per_client) : all_(all), per_client_(per_client) {}

  /// A transfer's place; given back when it is destroyed. The quota must outlive it.
  class Place {
   public:
    Place(Place&& other) noexcept : quota_(std::exchange(other.quota_, nullptr)), client_(other.client_) {}
    Place& operator=(Place&& other) noexcept {
      std::swap(quota_, other.quota_);
      std::swap(client_, other.client_);
      return *this;
    }
    ~Place() {
      if (quota_ != nullptr) quota_->give_back(client_);
    }

   private:
    friend class Quota;
    Place(Quota& quota, Ipv4 client) : quota_(&quota), client_(client) {}
    Quota* quota_;
    Ipv4 client_;
  };

  /// Nothing when no more is allowed.
  [[nodiscard]] std::optional<Place> take(Ipv4 client);
  [[nodiscard]] std::size_t running() const {
    const std::lock_guard lock(mutex_);
    return running_;
  }

 private:
  void give_back(Ipv4 client);

  const std::size_t all_;
  const std::size_t per_client_;
  mutable std::mutex mutex_;
  std::size_t running_ = 0;
  std::unordered_map<std::uint32_t, std::size_t> clients_;
};

}  // namespace hearth::pxe::tftp
