// A person who wants all machines active: imports the inventory, deploys, looks now and then, and does what there is to
// be done when something has failed. Comes late, does things twice, and takes one machine for another.
#pragma once

#include "simulation/machine.hpp"

namespace hearth::simulation {

class Person {
 public:
  Person(Site& site, std::vector<std::unique_ptr<Machine>>& machines);
  /// Begins.
  void start();
  void is_doubtful(bool twice) { twice_ = twice; }
  /// An order for that machine that nobody meant.
  void err(std::size_t machine);
  /// Whether all that this person wants is so.
  [[nodiscard]] bool is_content() const { return content_; }
  /// Of the first machine that is not as it should be.
  [[nodiscard]] const std::string& worry() const { return worry_; }

 private:
  void go_round();
  void look_after(const Json& node);
  void mend(const Json& node, Machine& machine);
  [[nodiscard]] std::optional<Json> ask(const std::string& method, const std::string& path, const Json& body);
  void order(const std::string& node, const std::string& target, Json further = Json::object());
  [[nodiscard]] std::string inventory() const;

  Site& site_;
  std::vector<std::unique_ptr<Machine>>& machines_;
  Random random_;
  HostClient http_;
  bool twice_ = false;
  bool content_ = false;
  std::string worry_ = "nothing was asked yet";
};

}  // namespace hearth::simulation
