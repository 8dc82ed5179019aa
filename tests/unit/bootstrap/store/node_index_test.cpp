// NodeIndex, as the ledger uses it: what it finds is what looking at every node finds.
#include "bootstrap/store/node_index.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "base/error.hpp"
#include "base/sys/file.hpp"
#include "base/text.hpp"
#include "bootstrap/store/ledger.hpp"
#include "tests/fakes/manual_clock.hpp"

namespace hearth::bootstrap {
namespace {

class RandomLedger {
 public:
  explicit RandomLedger(unsigned seed) : random_(seed) {}

  void step() {
    const std::string uuid = uuid_of(below(12));
    switch (ledger_->by_uuid(uuid) == nullptr ? 0 : below(17)) {
      case 0: add(uuid); break;
      case 1: ledger_->remove(uuid); break;
      case 2: ledger_->edit(uuid).name = name_of(below(6)); break;
      case 3: ledger_->edit(uuid).ports = {new_port(mac_of(below(6)), 1), new_port(mac_of(6 + below(6)), 2)}; break;
      case 4: ledger_->edit(uuid).job.kind = below(2) == 0 ? JobKind::none : JobKind::deploy; break;
      case 5: ledger_->edit(uuid).target_power = below(2) == 0 ? "" : "power off"; break;
      case 6: ledger_->edit(uuid).internal = below(2) == 0 ? Json::object() : Json{{k_power_off_wanted, true}}; break;
      case 7: ledger_->edit(uuid).instance_uuid = below(2) == 0 ? "" : name_of(below(6)); break;
      case 8: ledger_->edit(uuid).driver_info["address"] = cat(below(3), "/", below(3)); break;
      case 9: ledger_->edit(uuid).fields["console_enabled"] = below(2) == 0; break;
      case 10: come_to(ledger_->edit(uuid), below(2) == 0 ? State::available : State::active); break;
      case 11: ledger_->edit(uuid).extra = {{"x_seed", {{"rack", "a"}, {"slot", below(3)}}}}; break;
      case 12: change_places(ledger_->edit(uuid), ledger_->edit(ledger_->nodes().begin()->first)); break;
      case 13: come_again(*ledger_->by_uuid(uuid)); break;
      case 14: fail_to_keep(); break;
      case 15: ledger_ = begun(); break;  // it was killed
      default: ledger_->commit();
    }
  }

  void compare() const {
    compare_words();
    compare_places();
    std::vector<std::string> consoles;
    std::vector<std::pair<Stamp, std::string>> available;
    for (const auto& [uuid, node] : ledger_->nodes()) {
      if (has_console_on(node)) consoles.push_back(uuid);
      if (is_available(node)) available.emplace_back(node.provision_updated, uuid);
    }
    EXPECT_EQ(uuids(ledger_->with_console()), consoles);
    std::sort(available.begin(), available.end());
    std::vector<std::pair<Stamp, std::string>> found;
    ledger_->each_available([&](const Node& node) {
      found.emplace_back(node.provision_updated, node.uuid);
      return false;
    });
    EXPECT_EQ(found, available);
    for (const char* wanted : {"0/0", "1/", "2/2"}) {
      const bool begins = std::string_view(wanted).ends_with("/");
      std::vector<std::string> managed;
      for (const auto& [uuid, node] : ledger_->nodes()) {
        const std::string id = text_in(node.driver_info, "address");
        if (begins ? id.starts_with(wanted) : id == wanted) managed.push_back(uuid);
      }
      EXPECT_EQ(uuids(ledger_->by_management(wanted, begins)), managed);
    }
  }
  void compare_places() const {
    for (const char* place : {"rack a, slot 0", "rack a, slot 2"}) {
      std::vector<std::string> standing;
      for (const auto& [uuid, node] : ledger_->nodes())
        if (rack_place(node.extra) == place) standing.push_back(uuid);
      EXPECT_EQ(uuids(ledger_->by_place(place)), standing);
    }
  }
  void compare_words() const {
    std::vector<std::string> jobs;
    std::vector<std::string> switches;
    std::set<std::string> names;
    std::set<std::string> macs;
    std::set<std::string> instances;
    for (const auto& [uuid, node] : ledger_->nodes()) {
      if (node.job.running()) jobs.push_back(uuid);
      if (is_to_be_switched(node)) switches.push_back(uuid);
      names.insert(node.name);
      instances.insert(node.instance_uuid);
      for (const Port& port : node.ports) {
        macs.insert(port.address);
        ASSERT_NE(ledger_->by_port(port.uuid), nullptr);
        EXPECT_EQ(ledger_->by_port(port.uuid)->uuid, uuid);
      }
    }
    EXPECT_EQ(uuids(ledger_->with_job()), jobs);
    EXPECT_EQ(uuids(ledger_->to_be_switched()), switches);
    for (unsigned n = 0; n < 12; ++n) {
      const Node* named = ledger_->find(name_of(n));
      EXPECT_EQ(named != nullptr, names.contains(name_of(n)));
      EXPECT_TRUE(named == nullptr || named->name == name_of(n));
      const Node* with_mac = ledger_->by_mac(mac_of(n));
      EXPECT_EQ(with_mac != nullptr, macs.contains(mac_of(n)));
      EXPECT_TRUE(with_mac == nullptr || with_mac->has_mac(mac_of(n)));
      EXPECT_EQ(ledger_->by_instance(name_of(n)) != nullptr, instances.contains(name_of(n)));
    }
  }

  void compare_order() {
    ledger_->commit();
    EXPECT_EQ(ledger_->by_age().size(), ledger_->nodes().size());
    EXPECT_EQ(begun()->by_age(), ledger_->by_age());
    NodeIndex::PortAges ports;
    for (const auto& [uuid, node] : ledger_->nodes()) {
      EXPECT_TRUE(ledger_->by_age().contains({node.created, uuid}));
      ports.merge(port_ages(node));
    }
    EXPECT_EQ(ledger_->ports_by_age(), ports);
  }

 private:
  unsigned below(unsigned end) { return static_cast<unsigned>(random_() % end); }
  static std::string uuid_of(unsigned n) { return cat("00000000-0000-4000-8000-0000000000", n + 10); }
  static std::string name_of(unsigned n) { return cat("web", n); }
  static std::string mac_of(unsigned n) { return cat("52:54:00:00:00:", n + 10); }
  static std::vector<std::string> uuids(const std::vector<const Node*>& nodes) {
    std::vector<std::string> found;
    for (const Node* node : nodes) found.push_back(node->uuid);
    return found;
  }
  void come_to(Node& node, State state) {
    node.state = state;
    node.provision_updated = below(5);
  }
  [[nodiscard]] std::unique_ptr<Ledger> begun() {
    return std::make_unique<Ledger>(store_, clock_,
                                    [](const Node& node) { return text_in(node.driver_info, "address"); });
  }
  static void change_places(Node& one, Node& other) {
    std::swap(one.name, other.name);
    std::swap(one.ports, other.ports);
    std::swap(one.instance_uuid, other.instance_uuid);
  }
  /// Deleted, and enrolled again as it was.
  void come_again(Node node) {
    ledger_->remove(node.uuid);
    ledger_->add(std::move(node));
  }
  void fail_to_keep() {
    sql::Database(file_).run("CREATE TRIGGER full BEFORE INSERT ON nodes BEGIN SELECT RAISE(FAIL, 'no room'); END");
    const bool is_refused = !ledger_->changed().empty();
    try {
      ledger_->commit();
      EXPECT_FALSE(is_refused);
    } catch (const Error&) {
      EXPECT_TRUE(is_refused);
    }
    sql::Database(file_).run("DROP TRIGGER full");
  }
  void add(const std::string& uuid) {
    Node node;
    node.uuid = uuid;
    node.created = below(3);
    ledger_->add(std::move(node));
  }

  std::mt19937 random_;
  TempDir directory_ = TempDir::create("/tmp", "hearth-test-");
  std::string file_ = (directory_.path() / "state.db").string();
  Store store_{file_};
  fakes::ManualClock clock_;
  std::unique_ptr<Ledger> ledger_ = begun();
};

TEST(NodeIndex, FindsWhatLookingAtEveryNodeFinds) {
  for (unsigned seed = 1; seed <= 40; ++seed) {
    SCOPED_TRACE(cat("seed ", seed));
    RandomLedger ledger(seed);
    for (int at = 0; at < 60; ++at) {
      ledger.step();
      ledger.compare();
      if (testing::Test::HasFailure()) return;
    }
    ledger.compare_order();
  }
}

}  // namespace
}  // namespace hearth::bootstrap
