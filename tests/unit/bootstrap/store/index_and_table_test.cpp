// What is found by an index is what looking through the whole table finds, whatever was done by the API before, also
// where the conductor was killed in the midst of it.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/fakes/generated_cases.hpp"
#include "tests/unit/bootstrap/api_fixture.hpp"

namespace hearth::bootstrap {
namespace {

class SiteOfChance : public ApiFixture {
 public:
  explicit SiteOfChance(fakes::Chance& chance) : chance_(chance) {}

  void step() {
    clock.advance(std::chrono::milliseconds(chance_.below(3)));
    switch (chance_.below(12)) {
      case 0:
      case 1: add_node(); break;
      case 2: try_to("DELETE", cat("/v1/nodes/", some_node())); break;
      case 3: change("/name", name()); break;
      case 4: change("/instance_uuid", instance()); break;
      case 5: add_port(); break;
      case 6: try_to("DELETE", cat("/v1/ports/", some_port())); break;
      case 7: try_to("PATCH", cat("/v1/ports/", some_port()), patch("/address", mac())); break;
      case 8: try_to("PATCH", cat("/v1/ports/", some_port()), patch("/node_uuid", some_node())); break;
      case 9: import(); break;
      case 10: go_on_elsewhere(); break;
      default: work();
    }
  }

  void compare() {
    table_ = store.nodes();
    std::sort(table_.begin(), table_.end(), [](const Node& one, const Node& other) {
      return std::tie(one.created, one.uuid) < std::tie(other.created, other.uuid);
    });
    EXPECT_EQ(conductor->ledger().nodes().size(), table_.size());
    compare_lists();
    for (std::size_t n = 0; n < k_words; ++n) {
      compare_one("nodes?instance_uuid=", instance_of(n),
                  [&](const Node& node) { return node.instance_uuid == instance_of(n); });
      const auto named = with([&](const Node& node) { return node.name == name_of(n); });
      const Said found = ask("GET", cat("/v1/nodes/", name_of(n)));
      ASSERT_LE(named.size(), 1U);
      EXPECT_EQ(found.status, named.empty() ? 404 : 200);
      if (!named.empty()) {
        EXPECT_EQ(found.body["uuid"], named[0]);
      }
      const auto at_port = with([&](const Node& node) { return node.has_mac(mac_of(n)); });
      const Json ports = ask("GET", cat("/v1/ports?address=", mac_of(n), "&fields=node_uuid")).body["ports"];
      ASSERT_EQ(ports.size(), at_port.size()) << mac_of(n);
      if (!at_port.empty()) {
        EXPECT_EQ(ports[0]["node_uuid"], at_port[0]);
      }
    }
    const Ledger& ledger = conductor->ledger();
    compare_sets(ledger.with_job(), [](const Node& node) { return node.job.running(); });
    compare_sets(ledger.to_be_switched(), is_to_be_switched);
    compare_sets(ledger.with_console(), has_console_on);
    std::vector<const Node*> available;
    ledger.each_available([&](const Node& node) { return available.push_back(&node), false; });
    compare_sets(available, is_available);
  }

 private:
  static constexpr std::size_t k_words = 6;
  void TestBody() override {}
  static std::string name_of(std::size_t n) { return cat("web", n); }
  static std::string mac_of(std::size_t n) { return cat("52:54:00:00:00:0", n); }
  static std::string instance_of(std::size_t n) { return cat("00000000-0000-4000-8000-00000000000", n); }
  std::string name() { return name_of(chance_.below(k_words)); }
  std::string mac() { return mac_of(chance_.below(k_words)); }
  std::string instance() { return instance_of(chance_.below(k_words)); }
  static Json patch(const std::string& path, const std::string& value) {
    return {{{"op", value.empty() ? "remove" : "add"}, {"path", path}, {"value", value}}};
  }
  /// Much of it is refused, which leaves all as it was.
  void try_to(const std::string& method, const std::string& target, const Json& body = Json()) {
    EXPECT_LT(ask(method, target, body).status, 500) << method << " " << target;
  }
  std::string some_node() {
    const auto& nodes = conductor->ledger().nodes();
    return nodes.empty() ? "none" : std::next(nodes.begin(), static_cast<long>(chance_.below(nodes.size())))->first;
  }
  std::string some_port() {
    const Node* node = conductor->ledger().by_uuid(some_node());
    return node == nullptr || node->ports.empty() ? "none" : node->ports[chance_.below(node->ports.size())].uuid;
  }
  void add_node() {
    Json body = {{"driver", "fake-hardware"}, {"name", name()}};
    if (chance_.percent(30)) body["uuid"] = cat("11111111-0000-4000-8000-00000000000", chance_.below(k_words));
    try_to("POST", "/v1/nodes", body);
  }
  void add_port() { try_to("POST", "/v1/ports", {{"node_uuid", some_node()}, {"address", mac()}}); }
  void change(const std::string& path, const std::string& value) {
    try_to("PATCH", cat("/v1/nodes/", some_node()), patch(path, chance_.percent(30) ? "" : value));
  }
  void import() {
    Json rows = Json::array();
    for (std::size_t n = chance_.below(3); n < k_words; n += 1 + chance_.below(3))
      rows.push_back(
          {{"pm_type", "fake-hardware"}, {"name", name_of((n + chance_.below(2)) % k_words)}, {"mac", {mac_of(n)}}});
    ImportRequest request;
    request.text = format_json({{"nodes", rows}});
    request.to = chance_.percent(50) ? State::enroll : State::available;
    request.remove_absent = chance_.percent(20);
    static_cast<void>(conductor->import(request));
  }
  void work() {
    const std::string node = some_node();
    switch (chance_.below(5)) {
      case 0:
        try_to("PUT", cat("/v1/nodes/", node, "/states/provision"),
               {{"target", chance_.percent(50) ? "manage" : "provide"}});
        break;
      case 1: try_to("PUT", cat("/v1/nodes/", node, "/states/power"), {{"target", "power on"}}); break;
      case 2: try_to("PUT", cat("/v1/nodes/", node, "/states/console"), {{"enabled", chance_.percent(50)}}); break;
      case 3: try_to("PUT", cat("/v1/nodes/", node, "/maintenance"), {{"reason", "x"}}); break;
      default: pass(1);
    }
  }
  /// Killed in the midst of a change.
  void go_on_elsewhere() {
    Ledger& ledger = conductor->ledger();
    if (const std::string uuid = some_node(); ledger.by_uuid(uuid) != nullptr) {
      ledger.edit(uuid).name = "torn";
      ledger.edit(uuid).ports.clear();
      if (chance_.percent(50)) ledger.remove(uuid);
    }
    start();
  }

  void compare_lists() {
    std::vector<std::string> nodes;
    std::vector<std::string> ports;
    std::vector<std::tuple<Stamp, std::string, std::size_t, std::string>> by_age;
    for (const Node& node : table_) {
      nodes.push_back(node.uuid);
      for (std::size_t n = 0; n < node.ports.size(); ++n)
        by_age.emplace_back(node.ports[n].created, node.uuid, n, node.ports[n].uuid);
    }
    std::sort(by_age.begin(), by_age.end());
    for (const auto& port : by_age) ports.push_back(std::get<3>(port));
    EXPECT_EQ(listed("nodes"), nodes);
    EXPECT_EQ(listed("ports"), ports);
  }
  /// Page by page.
  std::vector<std::string> listed(const std::string& what) {
    std::vector<std::string> found;
    while (true) {
      const Json page =
          ask("GET", cat("/v1/", what, "?limit=3", found.empty() ? "" : cat("&marker=", found.back()))).body[what];
      for (const Json& one : page) found.push_back(one["uuid"]);
      if (page.size() < 3 || found.size() > 1000) return found;
    }
  }
  template <class Holds>
  std::vector<std::string> with(const Holds& holds) const {
    std::vector<std::string> found;
    for (const Node& node : table_)
      if (holds(node)) found.push_back(node.uuid);
    return found;
  }
  template <class Holds>
  void compare_one(const char* question, const std::string& word, const Holds& holds) {
    std::vector<std::string> found;
    const Json answer = ask("GET", cat("/v1/", question, word)).body["nodes"];
    for (const Json& one : answer) found.push_back(one["uuid"]);
    EXPECT_EQ(found, with(holds)) << question << word;
  }
  template <class Holds>
  void compare_sets(const std::vector<const Node*>& by_index, const Holds& holds) const {
    std::vector<std::string> found;
    for (const Node* node : by_index) found.push_back(node->uuid);
    std::vector<std::string> expected = with(holds);
    std::sort(found.begin(), found.end());
    std::sort(expected.begin(), expected.end());
    EXPECT_EQ(found, expected);
  }

  fakes::Chance& chance_;
  std::vector<Node> table_;
};

TEST(IndexAndTable, AgreeWhateverWasAskedForAndWhateverBefellTheConductor) {
  fakes::for_each_case([](fakes::Chance& chance) {
    SiteOfChance site(chance);
    for (int at = 0; at < 60 && !testing::Test::HasFailure(); ++at) {
      site.step();
      site.compare();
    }
  });
}

}  // namespace
}  // namespace hearth::bootstrap
