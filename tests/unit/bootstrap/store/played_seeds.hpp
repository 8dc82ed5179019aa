// Seeds at one database, played: what stops them, cuts them off and freezes them is drawn from a number; time, messages
// and the database are the world's. Who may serve, and when one who waits follows, is decided by the product's own Term
// and Silence (bootstrap/store/term.hpp), in the order in which Standby and Home ask them. The database does what
// PostgreSQL does for them: one connection holds the lock, one that was ended writes nothing, each commit is a beat.
// While something long is written, beats come by a connection that nobody ends.
#pragma once

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <queue>
#include <random>
#include <string>
#include <tuple>
#include <vector>

#include "base/text.hpp"
#include "bootstrap/store/term.hpp"

namespace hearth::bootstrap {

class PlayedSeeds {
 public:
  using Time = std::chrono::microseconds;  ///< of the world
  struct Rules {
    double clocks_differ = 0.02;               ///< by so much, at most, one goes faster or slower than the world's
    bool standby_waits = true;                 ///< false: follows at its first look
    bool term_is_looked_at = true;             ///< false: serves as long as it lives
    bool old_connection_is_ended = true;       ///< false: the follower only takes the lock
    bool waits_where_it_was_heard = true;      ///< false: serves at once
    bool beat_beside_looks_at_epoch = true;    ///< false: is raised by whoever sends it
    Time troubled = std::chrono::seconds(40);  ///< how long there are faults
    Time patience = std::chrono::seconds(20);  ///< from then on to where one serves
  };
  struct Outcome {
    std::string broken;      ///< which rule did not hold; empty: all did
    int followed = 0;        ///< how often another one began to serve
    Time longest_silence{};  ///< during which nobody served
  };

  PlayedSeeds(std::uint64_t number, const Rules& rules) : random_(number), rules_(rules), seeds_(3) {
    for (Seed& seed : seeds_) seed.rate = 1 + rules_.clocks_differ * (2 * share() - 1);
  }

  Outcome play() {
    for (std::size_t s = 0; s < seeds_.size(); ++s) at(draw(0, 500), [this, s] { start(s); });
    for (int fault = 0; fault < 6; ++fault) at(draw(4000, rules_.troubled.count() / 1000), [this] { strike(); });
    const Time end = rules_.troubled + Time(std::chrono::seconds(12)) + rules_.patience;
    while (!events_.empty() && events_.top().when <= end && outcome_.broken.empty()) {
      const Event event = events_.top();
      events_.pop();
      now_ = event.when;
      event.run();
      look();
    }
    // A term may end for a moment where two messages in a row are slow.
    if (outcome_.broken.empty() && end - last_served_ > Time(std::chrono::seconds(5)))
      broken("nobody serves when all are well");
    for (const std::int64_t change : acknowledged_) {
      if (change > kept_ && outcome_.broken.empty()) broken("an acknowledged change is not in the database");
    }
    return outcome_;
  }

 private:
  enum class State { down, waits, takes, serves };
  struct Seed {
    State state = State::down;
    int life = 0;        ///< messages of a former one reach nobody
    int connection = 0;  ///< its number in the database, and its epoch
    int seen_epoch = 0;  ///< when it looked last
    double rate = 1;
    Time frozen_until{}, cut_until{};
    std::optional<Term> term{std::in_place};
    Silence silence;
    std::int64_t after = -1;  ///< the beat behind which the former one fell silent
    int beats_to_wait = 0;
  };
  struct Event {
    Time when;
    std::uint64_t order;
    std::function<void()> run;
    bool operator<(const Event& other) const { return std::tie(other.when, other.order) < std::tie(when, order); }
  };

  std::int64_t draw(std::int64_t low, std::int64_t high) {
    return std::uniform_int_distribution<std::int64_t>(low, high)(random_);
  }
  double share() { return std::uniform_real_distribution<double>(0, 1)(random_); }
  void at(std::int64_t milliseconds, std::function<void()> run) {
    events_.push({now_ + Time(milliseconds * 1000 + draw(0, 999)), ++order_, std::move(run)});
  }
  MonotonicTime clock_of(const Seed& seed) const {
    return MonotonicTime(
        std::chrono::microseconds(static_cast<std::int64_t>(static_cast<double>(now_.count()) * seed.rate)));
  }
  void broken(const std::string& what) { outcome_.broken = cat(what, " at ", now_.count() / 1000, " ms"); }

  /// In this life of the seed, when it is not frozen.
  void in(std::size_t s, std::int64_t milliseconds, const std::function<void()>& run) {
    at(milliseconds, [this, s, life = seeds_[s].life, run] { when_awake(s, life, run); });
  }
  void when_awake(std::size_t s, int life, const std::function<void()>& run) {
    Seed& seed = seeds_[s];
    if (seed.life != life) return;
    if (now_ < seed.frozen_until)
      return at((seed.frozen_until - now_).count() / 1000 + 1, [this, s, life, run] { when_awake(s, life, run); });
    run();
  }

  /// What `in_database` returns reaches the seed; a link that is cut holds it up, as TCP does.
  void ask(std::size_t s, const std::function<std::int64_t()>& in_database,
           const std::function<void(std::int64_t)>& answered) {
    const auto way = [this, s] {
      const Time held = std::max(Time(0), seeds_[s].cut_until - now_);
      return held.count() / 1000 + draw(0, share() < 0.03 ? 1500 : 40);
    };
    at(way(), [this, s, life = seeds_[s].life, in_database, answered, way] {
      const std::int64_t answer = in_database();
      at(way(), [this, s, life, answered, answer] { when_awake(s, life, [answered, answer] { answered(answer); }); });
    });
  }

  void start(std::size_t s) {
    Seed& seed = seeds_[s];
    if (seed.state != State::down) return;
    ++seed.life;
    seed.state = State::waits;
    seed.term.emplace();
    seed.silence = Silence();
    watch(s);
  }
  void stop(std::size_t s) {
    Seed& seed = seeds_[s];
    ++seed.life;
    seed.state = State::down;
    if (holder_ == seed.connection) holder_ = 0;  // the kernel ends the connections of a process that is killed
    at(draw(100, 6000), [this, s] { start(s); });
  }

  /// As Standby::wait().
  void watch(std::size_t s) {
    const MonotonicTime asked = clock_of(seeds_[s]);
    ask(
        s,
        [this, s] {
          seeds_[s].seen_epoch = epoch_;
          return kept_;
        },
        [this, s, asked](std::int64_t beat) {
          Seed& seed = seeds_[s];
          if (beat > 0) {
            seed.silence.saw(beat, asked, clock_of(seed));
            if (rules_.standby_waits && !seed.silence.is_over())
              return in(s, k_looks_each.count(), [this, s] { watch(s); });
          }
          seed.state = State::takes;
          seed.after = beat;
          seed.beats_to_wait = -1;
          take(s);
        });
  }

  /// The former connection is ended, where nobody has taken the database since it was looked at; then that is taken.
  void take(std::size_t s) {
    ask(
        s,
        [this, s]() -> std::int64_t {
          const bool is_known = seeds_[s].after > 0 && seeds_[s].seen_epoch == epoch_;
          if (is_known && !rules_.old_connection_is_ended) others_.push_back(holder_);
          if (is_known) holder_ = 0;
          return 0;
        },
        [this, s](std::int64_t) { lock(s); });
  }

  /// As Home::take(): the lock is taken and the epoch raised, then a beat.
  void lock(std::size_t s) {
    const MonotonicTime asked = clock_of(seeds_[s]);
    ask(
        s,
        [this, s]() -> std::int64_t {
          if (holder_ != 0) return -1;  // another one was faster
          holder_ = epoch_ = seeds_[s].connection = ++connections_;
          return ++kept_;
        },
        [this, s, asked](std::int64_t beat) {
          if (beat < 0) return stop(s);
          Seed& seed = seeds_[s];
          seed.term->renew(asked);
          const bool was_heard = seed.after > 0 && beat != seed.after + 1;
          seed.beats_to_wait =
              was_heard && rules_.waits_where_it_was_heard ? static_cast<int>(k_silent_for / k_looks_each) + 1 : 0;
          beat_on(s);
        });
  }

  void beat_on(std::size_t s) {
    Seed& seed = seeds_[s];
    if (seed.beats_to_wait == 0 && seed.state == State::takes) {
      seed.state = State::serves;
      ++outcome_.followed;
    }
    if (seed.beats_to_wait > 0) --seed.beats_to_wait;
    const MonotonicTime asked = clock_of(seed);
    ask(
        s,
        [this, connection = seed.connection]() -> std::int64_t {
          const bool is_old = std::find(others_.begin(), others_.end(), connection) != others_.end();
          return holder_ == connection || is_old ? ++kept_ : -1;
        },
        [this, s, asked](std::int64_t beat) {
          if (beat < 0) return stop(s);  // another process has taken the database
          seeds_[s].term->renew(asked);
          if (may_serve(seeds_[s])) acknowledged_.push_back(beat);
          const bool is_long = draw(0, 9) == 0;  // what is written next; or it reads all at its start
          const std::int64_t pause = is_long                           ? draw(1000, 9000)
                                     : seeds_[s].state == State::takes ? k_looks_each.count()
                                                                       : draw(20, 1000);
          if (is_long) beat_beside(s, now_ + Time(pause * 1000));
          in(s, pause, [this, s] { beat_on(s); });
        });
  }

  /// As Home::LongWork.
  void beat_beside(std::size_t s, Time until) {
    const MonotonicTime asked = clock_of(seeds_[s]);
    ask(
        s,
        [this, epoch = seeds_[s].connection]() -> std::int64_t {
          return epoch_ == epoch || !rules_.beat_beside_looks_at_epoch ? ++kept_ : -1;
        },
        [this, s, asked, until](std::int64_t beat) {
          if (beat >= 0) seeds_[s].term->renew(asked);
          if (now_ < until) in(s, 1000, [this, s, until] { beat_beside(s, until); });
        });
  }

  bool may_serve(const Seed& seed) const {
    return seed.state == State::serves && now_ >= seed.frozen_until &&
           (!rules_.term_is_looked_at || seed.term->holds(clock_of(seed)));
  }
  int server() const {
    for (std::size_t s = 0; s < seeds_.size(); ++s) {
      if (may_serve(seeds_[s])) return static_cast<int>(s);
    }
    return -1;
  }

  /// After each event, and when one wakes up.
  void look() {
    int serving = 0;
    for (const Seed& seed : seeds_) serving += may_serve(seed) ? 1 : 0;
    if (serving > 1) broken("two serve");
    if (serving > 0) outcome_.longest_silence = std::max(outcome_.longest_silence, now_ - last_served_);
    if (serving > 0) last_served_ = now_;
  }

  void strike() {
    const int serving = server();
    const std::size_t s =
        serving >= 0 && draw(0, 3) > 0 ? static_cast<std::size_t>(serving) : static_cast<std::size_t>(draw(0, 2));
    Seed& seed = seeds_[s];
    const Time until = now_ + Time(draw(50, 9000) * 1000);
    switch (draw(0, 2)) {
      case 0: return seed.state == State::down ? void() : stop(s);
      case 1: seed.frozen_until = until; break;
      default: seed.cut_until = until; break;
    }
    at((until - now_).count() / 1000, [] {});  // looked at when it wakes up
  }

  std::mt19937_64 random_;
  Rules rules_;
  std::vector<Seed> seeds_;
  std::priority_queue<Event> events_;
  std::uint64_t order_ = 0;
  Time now_{}, last_served_{};
  // The database.
  int connections_ = 0;
  int holder_ = 0;           ///< the connection with the lock; 0: none
  int epoch_ = 0;            ///< the one that took it last
  std::vector<int> others_;  ///< former ones that nobody has ended
  std::int64_t kept_ = 0;    ///< beats
  std::vector<std::int64_t> acknowledged_;
  Outcome outcome_;
};

}  // namespace hearth::bootstrap
