// The takeover's seam to the world: the seed by its API and machine, the node by ssh.
#pragma once

#include <functional>

#include "bootstrap/seed/remote.hpp"
#include "bootstrap/seed/seed_api.hpp"
#include "bootstrap/seed/takeover.hpp"

namespace hearth::bootstrap {

class SeedWorld final : public TakeoverWorld {
 public:
  /// How the seed is switched: a virtual machine of this computer, or services that run somewhere.
  struct Switch {
    std::function<bool()> is_up;
    std::function<void()> stop;
    std::function<void()> start;
  };
  SeedWorld(const SeedApi& api, const Remote& remote, Switch seed, std::vector<std::string> hearth,
            std::function<void(const std::string&)> tell)
      : api_(api), remote_(remote), switch_(std::move(seed)), hearth_(std::move(hearth)), tell_(std::move(tell)) {}

  [[nodiscard]] Json ask_seed(const std::string& method, const std::string& target, const Json& body) override {
    return api_.call(method, target, body);
  }
  [[nodiscard]] std::string seed_bytes(const std::string& target) override { return api_.bytes(target); }
  [[nodiscard]] bool seed_is_up() override { return switch_.is_up(); }
  void stop_seed() override { switch_.stop(); }
  void start_seed() override { switch_.start(); }
  [[nodiscard]] Json on_node(const std::string& node_address, const std::vector<std::string>& words) override;
  void copy(const std::string& node_address, const std::vector<fs::path>& files) override;
  void tell(const std::string& line) override { tell_(line); }

 private:
  const SeedApi& api_;
  const Remote& remote_;
  Switch switch_;
  std::vector<std::string> hearth_;  ///< the program's words on the node
  std::function<void(const std::string&)> tell_;
};

}  // namespace hearth::bootstrap
