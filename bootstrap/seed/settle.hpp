// `hearth seed settle`: the node's side of a takeover. What was brought to it is put in place, and the services of its
// image (element boot-stack) are started with the seed's address. Each step can be done again.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "base/json.hpp"
#include "base/path.hpp"
#include "base/sys/lock.hpp"
#include "base/sys/process.hpp"

namespace hearth::bootstrap {

/// An interface and the length of its network's prefix.
struct OwnInterface {
  std::string name;
  int prefix = 0;
  bool operator==(const OwnInterface&) const = default;
};
/// The interface that has `address`, in what `ip -j address show` prints. Pure.
[[nodiscard]] std::optional<OwnInterface> interface_with(const Json& shown, const std::string& address);

/// Of a plan (takeover.cpp): what services and address unit read, NAME=value lines. Pure.
[[nodiscard]] std::string settled_environment(const Json& plan, const OwnInterface& interface);
/// The boot servers' site on that interface. Pure.
[[nodiscard]] Json settled_site(const Json& plan, const OwnInterface& interface);
/// The unit's drop-in that makes it serve what was taken over, whatever the machine's own metadata say. Pure.
[[nodiscard]] std::string settled_unit();

class Settler {
 public:
  /// `root`: of the machine, empty but in tests.
  Settler(fs::path root, CommandRunner& runner, Clock& clock)
      : root_(std::move(root)), runner_(runner), clock_(clock) {}

  /// What the machine is like: version, faults, free bytes, prefix of its network, digests of files that were brought.
  [[nodiscard]] Json look(const std::string& address);
  /// All of it; waits until the services answer. Throws Error.
  [[nodiscard]] Json settle(const std::string& plan_name, const Deadline& deadline);
  /// The services end and the address is given back.
  [[nodiscard]] Json undo(const std::string& plan_name, const Deadline& deadline);

 private:
  [[nodiscard]] fs::path in(const std::string& path) const { return root_.string() + path; }
  [[nodiscard]] FileLock alone(const Deadline& deadline);
  [[nodiscard]] Json plan(const std::string& name) const;
  [[nodiscard]] OwnInterface interface(const std::string& address);
  void check_files(const Json& plan) const;
  void place_state(const Json& plan);
  void configure(const Json& plan);
  [[nodiscard]] Json wait_until_ready(const Json& plan, const Deadline& deadline);
  void systemctl(const std::vector<std::string>& words);
  [[nodiscard]] std::string last_words();

  fs::path root_;
  CommandRunner& runner_;
  Clock& clock_;
};

}  // namespace hearth::bootstrap
