// The commands that a conductor can give, and what they do.
#pragma once

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <optional>

#include "agent/deploy/ground/console.hpp"
#include "agent/deploy/image/write_image.hpp"
#include "agent/deploy/machine.hpp"
#include "agent/deploy/partition/make_parts.hpp"
#include "agent/deploy/rest/command_board.hpp"

namespace hearth::agent::deploy {

/// A value that a command's thread sets while others look at it.
template <class Value>
class Shared {
 public:
  [[nodiscard]] Value get() const {
    const std::lock_guard guard(lock_);
    return value_;
  }
  void set(Value value) {
    const std::lock_guard guard(lock_);
    value_ = std::move(value);
  }

 private:
  mutable std::mutex lock_;
  Value value_{};
};

/// What is known and done so far: by the thread of the command that runs, read by those of requests and heartbeats.
struct Session {
  Json node;  ///< as the look-up gave it
  bool verify_tls = true;
  std::string image_key;
  int disk_wait_attempts = 10;
  Duration disk_wait_delay = std::chrono::seconds(3);
  WriteProgress progress;
  Spread spread;
  std::atomic<bool> writing{false};
  Shared<std::optional<Disk>> root_disk;   ///< what was written to
  Shared<std::optional<MadeParts>> parts;  ///< on it, when the image was a file system
  std::atomic<Ending> ending{Ending::none};
};

struct OrderWorld {
  Machine& machine;
  HttpClient& http;
  Dialer& dialer;
  Clock& clock;
  Console& console;
};

/// The rows for a CommandBoard. World and session must outlive it.
[[nodiscard]] std::vector<CommandRow> order_rows(OrderWorld& world, Session& session);

/// The disk for the operating system, by the node's hints; disks that are late are waited for.
[[nodiscard]] Disk root_disk_of(const Json& node, OrderWorld& world, const Session& session);

/// {"phase", "fetched", "to_fetch", "written"}.
[[nodiscard]] Json progress_json(const Session& session);

}  // namespace hearth::agent::deploy
