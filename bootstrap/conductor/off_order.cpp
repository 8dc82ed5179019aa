#include "bootstrap/conductor/off_order.hpp"

#include <cstdlib>

#include "base/text.hpp"

namespace hearth::bootstrap {

namespace {

constexpr Stamp k_longest_order = 60'000'000;   ///< that a BMC has: then it is given up (power/)
constexpr Stamp k_order_is_past = 600'000'000;  ///< what was given so long before the start, a BMC has forgotten

}  // namespace

/// It stays an earlier conductor's while that one's counts, but is as young as this one: who is killed next leaves
/// both.
void OffOrders::given(Node& node, Stamp now) const {
  const bool counts = stray_until(node, now) != 0;
  const Stamp conductor = counts ? node.internal[k_switching_off].value("conductor", Stamp{0}) : began_;
  node.internal[k_switching_off] = {{"at", now}, {"conductor", conductor}};
}

void OffOrders::answered(Node& node, Stamp now) const {
  if (stray_until(node, now) == 0) node.internal.erase(k_switching_off);
}

/// By which conductor, not when: the clock may have been set meanwhile.
Stamp OffOrders::stray_until(const Node& node, Stamp now) const {
  const auto order = node.internal.find(k_switching_off);
  if (order == node.internal.end() || order->value("conductor", Stamp{0}) == began_) return 0;
  const Stamp until = began_ + k_longest_order;
  const bool is_past = std::llabs(began_ - order->value("at", Stamp{0})) > k_order_is_past;
  return is_past || now >= until || now < began_ ? 0 : until;
}

std::string OffOrders::why_it_waits(Stamp until) {
  return cat("its BMC may yet carry out what was ordered before the conductor was killed; it is started at ",
             text_of(stamp_json(until)).substr(0, 19), " UTC");
}

}  // namespace hearth::bootstrap
