// An incident, played: its node's last job is compared with that of a made-up machine, once without a fault and then
// with each kind of fault, begun before each thing that happened in the job. Which of them lead the same way, and
// whether `hearth why` says the same of them, is what somebody who has nothing but the file wants to know: the real
// conductor goes each way, so a cause that can't lead there is ruled out.
//
// Compared is what does not differ from site to site: the states that the node came into, the stage that it was at
// last, how far the machine came over the network, and the cause that `why` puts first, without names, addresses and
// numbers.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "bootstrap/why/incident.hpp"
#include "simulation/world.hpp"

namespace hearth::simulation {

/// How far a machine came over the network.
enum class Reached : std::uint8_t { nothing, address, loader, kernel, ramdisk, agent };

/// One job of a node, by its events.
struct Course {
  std::vector<std::string> states;  ///< that it came into, from the first: "deploying", "wait call-back", …
  std::string stage;                ///< the last: "deploy: write image"
  Reached reached = Reached::nothing;
  bool has_boots = true;  ///< else what it asked the boot servers for is not known
  bool has_ended = false;
  Duration waited{};  ///< since it came no further, where it has not ended
  std::string cause;  ///< a sentence
};

/// The last job of an incident's node. Throws Error where it has none, or one that is not played.
[[nodiscard]] Course course_of(const bootstrap::why::Incident& incident);
/// The first job of that machine that begins as `like` does; no states: there was none.
[[nodiscard]] Course course_of(const std::vector<TraceLine>& lines, const std::string& machine, const Course& like);

/// Its one machine, on a network of documentation addresses. What is played otherwise than it was goes to `notes`.
[[nodiscard]] Layout layout_of(const bootstrap::why::Incident& incident, std::vector<std::string>& notes);

struct Match {
  std::vector<Fault> faults;  ///< none: it goes that way by itself
  std::string before;         ///< what would have happened next: "deploy: write image"
  std::string cause;          ///< that `why` names, without what is of one site
  bool is_same_cause = false;
};
struct Matches {
  std::string machine;       ///< as it is called in faults
  std::vector<Match> found;  ///< those of the same cause first; of each kind of fault the one that begins last
  std::uint64_t played = 0;  ///< runs
  bool is_stopped = false;   ///< by a signal, before all were played
};

/// `wish` has the layout and the seed; its faults are tried. `progress` is told how many of how many are done. What a
/// signal stops has what was found up to then; throws Error where that was before the end of the first run.
[[nodiscard]] Matches matches_of(const Course& course, const Wish& wish,
                                 const std::function<void(std::uint64_t, std::uint64_t)>& progress);

/// For people; `replay`: the command that plays a run again, up to its number.
[[nodiscard]] std::string matches_text(const bootstrap::why::Incident& incident, const Course& course,
                                       const Matches& matches, const std::string& replay);
[[nodiscard]] Json matches_json(const bootstrap::why::Incident& incident, const Course& course, const Matches& matches);

}  // namespace hearth::simulation
