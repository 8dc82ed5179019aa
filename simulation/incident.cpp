#include "simulation/incident.hpp"

#include <algorithm>
#include <array>
#include <cctype>

#include "base/error.hpp"
#include "base/progress_text.hpp"
#include "base/text.hpp"
#include "pxe/net/address.hpp"

namespace hearth::simulation {

namespace {

using bootstrap::State;
using bootstrap::StateKind;
using bootstrap::text_in;
using std::chrono::microseconds;
namespace why = bootstrap::why;

/// Longer than all that the conductor waits for.
constexpr Duration k_lasting = std::chrono::minutes(90);
/// Before what happened, for a fault to be there in time.
constexpr Duration k_ahead = std::chrono::milliseconds(200);
constexpr bootstrap::Stamp k_trace_began = 1'700'000'000'000'000;  ///< of a trace, for `why`
/// Those of people, and those that would be cut to a moment, are no cause of a machine's way.
constexpr auto k_tried =
    std::to_array<FaultKind>({FaultKind::wrong_password, FaultKind::closed_bmc, FaultKind::cut_bmc, FaultKind::hung_bmc,
                              FaultKind::slow_bmc, FaultKind::lying_bmc, FaultKind::cut_machine, FaultKind::power_loss,
                              FaultKind::dead_disk, FaultKind::slow_boot, FaultKind::lossy_net, FaultKind::slow_net,
                              FaultKind::lost_answers, FaultKind::full_disk, FaultKind::kill_conductor});

/// What happened, of a conductor's events or of a trace.
struct Happening {
  Duration at{};
  std::string kind;
  std::string text;
};

std::string state_behind(const std::string& text) {
  const std::size_t arrow = text.find(" -> ");
  return arrow == std::string::npos ? "" : text.substr(arrow + 4);
}

bool is_under_way(const std::string& state) {
  const std::optional<State> known = bootstrap::parse_state(state);
  return known && (kind_of(*known) == StateKind::working || kind_of(*known) == StateKind::waiting);
}

/// A job's first state: nothing was under way before.
bool begins_job(const Happening& one) {
  if (one.kind != "state") return false;
  const std::string before = one.text.substr(0, one.text.find(" -> "));
  return is_under_way(state_behind(one.text)) && !is_under_way(before);
}

/// Where one job ends and people, or the conductor, begin another: the events of [first, second).
using Part = std::pair<std::size_t, std::size_t>;

std::vector<Part> jobs_in(const std::vector<Happening>& all) {
  std::vector<Part> jobs;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (!begins_job(all[i])) continue;
    if (!jobs.empty()) jobs.back().second = i;
    jobs.emplace_back(i, all.size());
  }
  return jobs;
}

Reached reached_by(const Happening& one) {
  if (one.kind == "agent") return Reached::agent;
  if (one.kind == "dhcp") return Reached::address;
  if (one.kind != "http" && one.kind != "tftp") return Reached::nothing;
  if (one.text.find("ramdisk") != std::string::npos || one.text.find("initramfs") != std::string::npos)
    return Reached::ramdisk;
  if (one.text.find("kernel") != std::string::npos) return Reached::kernel;
  return Reached::loader;
}

/// Without what is of one site: numbers, addresses, and the node's name.
std::string without_site(const std::string& sentence, const std::string& node) {
  std::string text;
  for (std::string word : split(replace_all(sentence, node, "NODE"), ' ')) {
    const bool is_place = word.find("://") != std::string::npos ||
                          std::any_of(word.begin(), word.end(), [](unsigned char c) { return std::isdigit(c) != 0; });
    text += cat(text.empty() ? "" : " ", is_place ? std::string("#") : word);
  }
  return text;
}

/// The course of a part: up to where it rests, or `now`.
Course course_in(const std::vector<Happening>& all, const Part& part, Duration now) {
  Course course;
  Duration last{};
  for (std::size_t i = part.first; i < part.second && !course.has_ended; ++i) {
    const Happening& one = all[i];
    if (one.kind == "stage") course.stage = one.text;
    if (one.kind == "state" || reached_by(one) > course.reached) last = one.at;
    course.reached = std::max(course.reached, reached_by(one));
    if (one.kind != "state") continue;
    course.states.push_back(state_behind(one.text));
    course.has_ended = !is_under_way(course.states.back());
  }
  if (!course.has_ended) course.waited = now - last;
  return course;
}

/// Another's clock may say anything, and time is counted in nanoseconds here.
Duration time_of(double stamp) {
  constexpr double k_latest = 7.2e9;  // in the year 2198
  return std::chrono::duration_cast<Duration>(
      std::chrono::duration<double>(stamp > 0 ? std::min(stamp, k_latest) : 0.0));
}

Duration time_of(bootstrap::Stamp stamp) { return time_of(static_cast<double>(stamp) / 1e6); }

std::vector<Happening> happenings_of(const why::NodeFacts& facts) {
  std::vector<Happening> all;
  for (const Json& event : facts.events)
    all.push_back(
        {time_of(bootstrap::parse_stamp(text_in(event, "at"))), text_in(event, "kind"), text_in(event, "text")});
  for (const Json& line : facts.boot_log.value_or(Json::array())) {
    const auto time = line.is_object() ? line.find("time") : line.end();
    if (!line.is_object() || time == line.end() || !time->is_number()) continue;
    all.push_back({time_of(time->get<double>()), text_in(line, "protocol"), text_in(line, "what")});
  }
  std::stable_sort(all.begin(), all.end(), [](const Happening& a, const Happening& b) { return a.at < b.at; });
  return all;
}

/// What of a trace is the machine's.
std::vector<Happening> happenings_of(const std::vector<TraceLine>& lines, const std::string& machine) {
  std::vector<Happening> all;
  for (const TraceLine& line : lines) {
    const bool boots = line.kind == "http" &&
                       (line.what.find(":69/") != std::string::npos || line.what.find("/ipxe/") != std::string::npos ||
                        line.what.find("/image/node/") != std::string::npos);
    if (boots || line.who == machine) all.push_back({line.at, line.kind, line.what});
  }
  return all;
}

bootstrap::Stamp stamp_at(Duration at) { return k_trace_began + std::chrono::duration_cast<microseconds>(at).count(); }

/// A line of the boot servers' log (pxe/metrics.hpp), of what a trace says.
Json boot_line(const Happening& one) {
  Json line = {{"time", static_cast<double>(stamp_at(one.at)) / 1e6}, {"protocol", one.kind}, {"good", true}};
  if (one.kind == "dhcp") {
    line["what"] = one.text.starts_with("ACK") ? "REQUEST" : "DISCOVER";
    line["outcome"] = one.text;
  } else {
    line["what"] = one.text.substr(0, one.text.rfind(' '));
    line["outcome"] = one.text.substr(one.text.rfind(' ') + 1);
  }
  return line;
}

/// What `why` would say of the played node at that moment.
std::string cause_at(const std::vector<Happening>& all, Duration now, const std::string& machine, bool has_boots) {
  why::NodeFacts facts;
  facts.node = {{"name", machine}, {"driver", "redfish"}};
  facts.macs = {"52:54:00:00:00:01"};  // told without its numbers
  facts.now = stamp_at(now);
  if (has_boots) facts.boot_log = Json::array();
  for (const Happening& one : all) {
    if (one.kind == "http" || one.kind == "dhcp") {
      if (has_boots) facts.boot_log->push_back(boot_line(one));
      continue;
    }
    Json event = {{"at", bootstrap::stamp_json(stamp_at(one.at))}, {"kind", one.kind}, {"text", one.text}};
    if (one.kind == "state") {
      event["detail"] = {{"from", one.text.substr(0, one.text.find(" -> "))}, {"to", state_behind(one.text)}};
      facts.node["provision_state"] = state_behind(one.text);
      facts.node.erase("last_error");
    } else if (one.kind == "failure") {
      facts.node["last_error"] = one.text;
    }
    if (one.kind != "machine") facts.events.push_back(std::move(event));
  }
  return without_site(why::causes_of(facts).front().cause, machine);
}

/// Whether the played one goes as far as the other, and no further in the time that this one has waited.
bool is_same_way(const Course& course, const Course& played) {
  const bool same_boot =
      !course.has_boots || course.stage.find("await agent") == std::string::npos || course.reached == played.reached;
  return course.states == played.states && course.stage == played.stage && course.has_ended == played.has_ended &&
         same_boot && (course.has_ended || played.waited >= course.waited);
}

/// The job that a run is about; nothing: none of its kind has begun.
std::optional<Part> job_like(const std::vector<Happening>& all, const std::string& first_state) {
  for (const Part& part : jobs_in(all)) {
    if (state_behind(all[part.first].text) == first_state) return part;
  }
  return std::nullopt;
}

/// Takes away what came later than the other has waited where it stands; the moment up to then.
Duration cut_to(std::vector<Happening>& all, Part& job, const Course& like) {
  std::size_t states = 0;
  Reached reached = Reached::nothing;
  std::size_t at = job.first;
  for (; at < job.second && (states < like.states.size() || reached < like.reached); ++at) {
    states += all[at].kind == "state" ? 1 : 0;
    reached = std::max(reached, reached_by(all[at]));
  }
  if (states < like.states.size() || reached < like.reached) return Duration::max();
  const Duration end = all[at - 1].at + like.waited;
  while (at < job.second && all[at].at <= end) ++at;
  all.resize(at);
  job.second = at;
  return end;
}

/// One run, until its job has gone as far as the other's, or further.
class Run {
 public:
  Run(Wish wish, std::vector<Fault> faults, const Course& like) : wish_(std::move(wish)), like_(like) {
    wish_.keep = Trace::Keep::lines;
    wish_.trouble = std::chrono::seconds(1);
    for (const Fault& fault : faults) wish_.trouble = std::max(wish_.trouble, fault.begin + fault.length);
    wish_.faults = std::move(faults);
    wish_.strangers = 0;
    wish_.enough = [this](const std::vector<TraceLine>& lines) { return is_enough(lines); };
  }
  [[nodiscard]] std::vector<TraceLine> lines() const { return play(wish_).lines; }

 private:
  [[nodiscard]] bool is_enough(const std::vector<TraceLine>& lines) {
    if (lines.size() == seen_) return false;
    const bool is_news =
        std::any_of(lines.begin() + static_cast<std::ptrdiff_t>(seen_), lines.end(), [](const TraceLine& line) {
          return line.kind == "state" || line.kind == "dhcp" || line.kind == "machine" || line.kind == "agent";
        });
    seen_ = lines.size();
    if (is_news) {
      const Course course = course_of(lines, wish_.layout->machines.front().name, like_);
      has_begun_ = !course.states.empty();
      has_come_ = course.states.size() >= like_.states.size() && course.reached >= like_.reached;
      has_ended_ = course.has_ended;
      last_news_ = lines.back().at;
    }
    return has_begun_ &&
           (has_ended_ || lines.back().at - last_news_ > (has_come_ && !like_.has_ended ? like_.waited : k_lasting));
  }
  Wish wish_;
  const Course& like_;
  std::size_t seen_ = 0;
  bool has_begun_ = false, has_come_ = false, has_ended_ = false;
  Duration last_news_{};
};

/// What could be gone before each thing that happened in the job, as it goes without a fault.
struct Moment {
  Duration at{};
  std::string before;
};
std::vector<Moment> moments_of(const std::vector<TraceLine>& lines, const std::string& machine, const Course& like) {
  const std::vector<Happening> all = happenings_of(lines, machine);
  std::vector<Moment> moments;
  const std::optional<Part> job = job_like(all, like.states.front());
  if (!job) return moments;
  for (std::size_t i = job->first; i < job->second; ++i) {
    const Happening& one = all[i];
    const bool is_near = !moments.empty() && one.at - moments.back().at < 2 * k_ahead;
    const bool is_told = i == job->first || one.kind == "stage" || one.kind == "machine" || one.kind == "agent";
    if (is_near || one.at < k_ahead || !is_told) continue;
    moments.push_back({one.at - k_ahead, one.kind == "machine" ? cat("its machine ", one.text) : one.text});
  }
  return moments;
}

Fault fault_at(FaultKind kind, Duration begin) {
  const bool at_once = kind == FaultKind::wrong_password || kind == FaultKind::power_loss ||
                       kind == FaultKind::dead_disk || kind == FaultKind::kill_conductor;
  return {kind, 0, std::chrono::floor<std::chrono::milliseconds>(begin), at_once ? Duration(0) : k_lasting};
}

}  // namespace

Course course_of(const why::Incident& incident) {
  const std::string state = text_in(incident.facts.node, "provision_state");
  const std::vector<Happening> all = happenings_of(incident.facts);
  const std::vector<Part> jobs = jobs_in(all);
  if (jobs.empty())
    throw Error(ErrorKind::input, cat("the incident of ", incident.node, " has no job in its events: it is ", state))
        .hint("what hearth why --file says of it needs no run");
  if (text_in(incident.facts.node, "last_error").find("was aborted by request") != std::string::npos)
    throw Error(ErrorKind::unsupported, cat("a person ended the last job of ", incident.node, ": no fault leads there"))
        .hint("hearth why --file FILE says what it was stuck on; an incident of a job that was not ended is played");
  Course course = course_in(all, jobs.back(), time_of(incident.facts.now));
  const std::string& first = course.states.front();
  if (first != "verifying" && first != "deploying")
    throw Error(ErrorKind::unsupported,
                cat("the last job of ", incident.node, " began as ", first, ": verifying and deploying are played"));
  course.has_boots = incident.facts.boot_log.has_value();
  course.cause = without_site(why::causes_of(incident.facts).front().cause, incident.node);
  return course;
}

Course course_of(const std::vector<TraceLine>& lines, const std::string& machine, const Course& like) {
  std::vector<Happening> all = happenings_of(lines, machine);
  std::optional<Part> job = job_like(all, like.states.front());
  if (!job) return {};
  Duration now = lines.back().at;
  if (!like.has_ended) now = std::min(now, cut_to(all, *job, like));
  Course course = course_in(all, *job, now);
  course.cause = cause_at(all, now, machine, like.has_boots);
  return course;
}

Layout layout_of(const why::Incident& incident, std::vector<std::string>& notes) {
  Layout layout = drawn_layout(1, 1);
  MachineLayout& machine = layout.machines.front();
  const bool is_name = !incident.node.empty() && incident.node.size() <= 63 &&
                       std::all_of(incident.node.begin(), incident.node.end(), [](unsigned char c) {
                         return std::isalnum(c) != 0 || c == '-' || c == '_' || c == '.';
                       });
  if (is_name) machine.name = incident.node;
  if (!incident.facts.macs.empty() && pxe::parse_mac(incident.facts.macs.front()))
    machine.mac = incident.facts.macs.front();
  const auto properties = incident.facts.node.find("properties");
  const std::string capabilities =
      properties != incident.facts.node.end() ? text_in(*properties, "capabilities") : std::string();
  std::string mode = text_in(incident.facts.node, "boot_mode");
  for (const auto& [key, value] : bootstrap::parse_capabilities(capabilities)) {
    if (key == "boot_mode") mode = value;
  }
  machine.uefi = mode != "bios";
  const std::string driver = text_in(incident.facts.node, "driver");
  if (driver != "redfish") notes.push_back(cat("its BMC is played as one that speaks Redfish, not ", driver));
  notes.push_back(cat("one machine is played, ", *machine.uefi ? "UEFI" : "BIOS", mode.empty() ? " (not known)" : "",
                      ", with an image of 2 GiB"));
  return layout;
}

Matches matches_of(const Course& course, const Wish& wish,
                   const std::function<void(std::uint64_t, std::uint64_t)>& progress) {
  const std::string& machine = wish.layout->machines.front().name;
  Matches matches{.machine = machine};
  /// True where that run leads to the same cause.
  const auto look = [&](const std::vector<TraceLine>& lines, std::vector<Fault> faults, const std::string& before) {
    ++matches.played;
    const Course played = course_of(lines, machine, course);
    if (played.states.empty() || !is_same_way(course, played)) return false;
    Match match{std::move(faults), before, played.cause, played.cause == course.cause};
    const bool is_same = match.is_same_cause;
    Match* const last = matches.found.empty() ? nullptr : &matches.found.back();
    if (last == nullptr || last->faults.front().kind != match.faults.front().kind)
      matches.found.push_back(std::move(match));
    else if (is_same)
      *last = std::move(match);
    return is_same;
  };
  const std::vector<TraceLine> unhurt = Run(wish, {}, course).lines();
  (void)look(unhurt, {}, "");
  if (!matches.found.empty()) return matches;  // each fault that begins later would be found, too
  const std::vector<Moment> moments = moments_of(unhurt, machine, course);
  const std::uint64_t all = k_tried.size() * moments.size();
  try {
    for (std::size_t kind = 0; kind < k_tried.size(); ++kind) {
      for (std::size_t at = moments.size(); at > 0; --at) {
        progress((kind + 1) * moments.size() - at, all);
        const std::vector<Fault> faults = {fault_at(k_tried.at(kind), moments[at - 1].at)};
        if (look(Run(wish, faults, course).lines(), faults, moments[at - 1].before)) break;
      }
    }
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::interrupted) throw;
    matches.is_stopped = true;
  }
  progress(all, all);
  std::stable_sort(matches.found.begin(), matches.found.end(),
                   [](const Match& a, const Match& b) { return a.is_same_cause && !b.is_same_cause; });
  return matches;
}

std::string matches_text(const why::Incident& incident, const Course& course, const Matches& matches,
                         const std::string& replay) {
  std::string text = cat(incident.node, ": ", join(course.states, ", then "),
                         course.stage.empty() ? "" : cat("; last at \"", course.stage, "\""), "\n",
                         "why: ", why::causes_of(incident.facts).front().cause, "\n", matches.played,
                         matches.played == 1 ? " run of one machine, without a fault\n"
                                             : " runs of one machine, each with another fault, or at another moment\n");
  std::optional<bool> heading;
  for (const Match& match : matches.found) {
    if (heading != match.is_same_cause)
      text += match.is_same_cause ? "goes the same way, and why says the same:\n"
                                  : "goes the same way, and why would say something else:\n";
    heading = match.is_same_cause;
    if (match.faults.empty()) {
      text += cat("  no fault: it has stood there for ", elapsed_text(course.waited),
                  ", and without a fault goes on after that\n");
    } else {
      const Fault& fault = match.faults.front();
      text += cat("  ", name(fault.kind), ": ", meaning(fault.kind), ", from before ", match.before, "\n");
      text += cat("    ", replay, " 1 --faults ", shell_quote(text_of(match.faults, {matches.machine})), "\n");
    }
    if (!match.is_same_cause) text += cat("    why: ", match.cause, "\n");
  }
  if (matches.found.empty())
    text += matches.is_stopped
                ? "None of them goes that way.\n"
                : "None of them goes that way: it was another fault, more than one, or something that is not played "
                  "here.\n";
  if (matches.is_stopped) text += "Stopped before all were played: others may go that way, too.\n";
  return text;
}

Json matches_json(const why::Incident& incident, const Course& course, const Matches& matches) {
  Json found = Json::array();
  for (const Match& match : matches.found)
    found.push_back({{"faults", text_of(match.faults, {matches.machine})},
                     {"before", match.before},
                     {"same_cause", match.is_same_cause},
                     {"cause", match.cause}});
  return {{"node", incident.node},      {"states", course.states},  {"stage", course.stage},
          {"cause", course.cause},      {"played", matches.played}, {"stopped", matches.is_stopped},
          {"matches", std::move(found)}};
}

}  // namespace hearth::simulation
