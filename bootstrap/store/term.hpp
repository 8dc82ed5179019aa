// Which of several seeds serves, where they wait at one PostgreSQL database (`hearth node serve --standby`).
//
// Who may write is decided by the database alone. Whoever drives it holds an advisory lock on its connection and has
// raised an epoch (base/sql/postgres.cpp); each transaction looks at that epoch and locks its row. Who follows has the
// former one's connection ended in the server, takes the lock, which is free only when what that connection had begun
// is decided, raises the epoch, and only then reads the state. So a seed that was stopped in the middle of anything can
// write nothing when it goes on: its connection is gone, and on a new one it finds another epoch. Nothing is
// acknowledged, no event told and no order given before it is durable there. This holds whatever clocks say.
//
// Who answers what needs no writing - a boot file, an address that is leased already, a list of nodes - is decided by a
// term. Each transaction of the one who serves raises a number, the beat, in the table `serving`; there is one each
// second at least. From the moment at which it asked for a beat that was confirmed it may serve for k_term, by its own
// clock, which goes on while it or its machine sleeps; then its servers rest until the next one is. Whoever waits looks
// at the beat, and follows when it has seen the same one for a little longer than that, by its own clock. It saw it
// after it was asked for; so the former one's term is over before the next begins, where their clocks go equally fast.
// No two clocks are compared. Where the beat was raised once more between that look and the lock, the next one waits a
// term before it serves.
//
// What takes long - a large import, reading all of it at a start - must not look like silence: meanwhile the beat is
// raised on a connection of its own (Home::LongWork). That one has no lock which would end with it, so each such beat
// is one statement that the server does by itself, and which looks at the epoch as all others do.
//
// A time in which the database did not answer is nobody's silence: it is counted anew from the first look after it.
//
// A database that has a lower beat than one that was confirmed, or seen, lacks what was acknowledged: a replica that
// was promoted before it had all, or an old backup. Nobody goes on with it unasked.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>

#include "base/clock.hpp"

namespace hearth::bootstrap {

constexpr auto k_term = std::chrono::seconds(3);
constexpr auto k_silent_for = k_term + std::chrono::milliseconds(250);  ///< before another follows
constexpr auto k_looks_each = std::chrono::milliseconds(200);           ///< of one who waits
constexpr auto k_look_takes = std::chrono::seconds(1);                  ///< at most; else the database was silent

/// How one who waits is called in the database's list of connections.
constexpr const char* k_standby_prefix = "hearth standby: ";

/// Until when its holder may serve. From any thread.
class Term {
 public:
  /// A beat was confirmed that was asked for at that time.
  void renew(MonotonicTime asked) { until_ = std::max(until_.load(), asked + k_term); }  // one thread at a time
  [[nodiscard]] MonotonicTime until() const { return until_; }
  [[nodiscard]] bool holds(MonotonicTime now) const { return now < until_.load(); }

 private:
  std::atomic<MonotonicTime> until_ = MonotonicTime::min();
};

/// How long one who waits has seen nothing of the one who serves.
class Silence {
 public:
  /// A look that was asked for at `asked` and answered at `now` has shown this beat.
  void saw(std::int64_t beat, MonotonicTime asked, MonotonicTime now) {
    if (now - asked > k_look_takes) return missed();
    if (!beat_ || *beat_ != beat) since_ = now;
    beat_ = beat;
    last_ = asked;
  }
  /// The database did not answer.
  void missed() { beat_.reset(); }
  [[nodiscard]] bool is_over() const { return beat_ && last_ - since_ >= k_silent_for; }

 private:
  std::optional<std::int64_t> beat_;
  MonotonicTime since_{};  ///< the first look that showed it was answered
  MonotonicTime last_{};   ///< the last one was asked for
};

/// How a database is taken.
struct Claim {
  bool gives_way = false;               ///< to one who waits: its holder serves only while it has a term
  std::optional<std::int64_t> after{};  ///< the beat behind which the former one fell silent
  /// From whatever thread heard it, each time that the term is renewed while it serves: until when it may.
  std::function<void(MonotonicTime until)> renewed{};
};

}  // namespace hearth::bootstrap
