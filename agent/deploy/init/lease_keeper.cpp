#include "agent/deploy/init/lease_keeper.hpp"

#include <algorithm>

namespace hearth::agent::deploy {

Duration until_next_question(const LeaseTerm& term, Duration left) {
  constexpr Duration usual = std::chrono::seconds(30);
  if (left <= Duration::zero()) return usual;
  const Duration least = std::max<Duration>(std::min(usual, term.valid / 2), std::chrono::seconds(1));
  return std::min(left, std::max(least, std::min(term.renew, left / 2)));
}

LeaseKeeper::LeaseKeeper(Actions actions, LeaseTerm term, Clock& clock)
    : actions_(std::move(actions)), term_(term), clock_(clock), until_(clock.now() + term.valid) {}

void LeaseKeeper::step() {
  clock_.sleep(until_next_question(term_, until_ - clock_.now()));
  try {
    const MonotonicTime now = clock_.now();
    if (now < until_) take(actions_.renew(Deadline(until_)), now);
    if (clock_.now() < until_) return;
    give_up();
    const std::optional<LeaseTerm> other = actions_.ask();
    take(other, clock_.now());
  } catch (const std::exception&) {  // the next time
  }
}

void LeaseKeeper::take(const std::optional<LeaseTerm>& term, MonotonicTime asked) {
  if (!term) return;
  term_ = *term;
  until_ = asked + term->valid;
  held_ = held_ || term->valid > Duration::zero();
}

void LeaseKeeper::give_up() {
  if (held_) actions_.drop();
  held_ = false;
}

}  // namespace hearth::agent::deploy
