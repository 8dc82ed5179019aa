#include "bootstrap/why/page_causes.hpp"

#include <algorithm>
#include <array>
#include <cstdio>

#include "base/text.hpp"
#include "bootstrap/node/node.hpp"

namespace hearth::bootstrap::why {

namespace {

constexpr double k_felt = 0.5;        // seconds: people begin to wait
constexpr double k_slow_flush = 0.2;  // a disk of spinning metal takes 0.03

std::string seconds_text(double seconds) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), seconds < 10 ? "%.2f s" : "%.0f s", seconds);
  return text.data();
}

/// What the conductor has measured of itself.
class OwnPace {
 public:
  explicit OwnPace(const Json& pace) : pace_(pace) {}
  [[nodiscard]] double longest(const char* part) const {
    const Json& found = object_member(object_member(pace_, "parts"), part);
    const auto value = found.find("longest");
    return value != found.end() && value->is_number() ? value->get<double>() : 0.0;
  }
  [[nodiscard]] std::string what(const char* part) const {
    return text_in(object_member(object_member(pace_, "parts"), part), "what");
  }
  [[nodiscard]] std::size_t count(const char* key) const {
    const Json& workers = object_member(pace_, "workers");
    const auto value = workers.find(key);
    return value != workers.end() && value->is_number_unsigned() ? value->get<std::size_t>() : 0;
  }
  [[nodiscard]] std::vector<std::string> asked() const {
    std::vector<std::string> names;
    const Json list = member_or_null(pace_, "asked");
    for (const Json& name : list) {
      if (name.is_string()) names.push_back(name.get<std::string>());
    }
    return names;
  }
  [[nodiscard]] std::string line(const char* part) const {
    return cat("the longest ", part, " of the last two minutes: ", seconds_text(longest(part)),
               what(part).empty() ? "" : cat(" (", what(part), ")"));
  }

 private:
  const Json& pace_;
};

/// Nobody answers: how the process is says why.
Finding silent(const PageFacts& facts) {
  const std::string seen =
      facts.hangs ? cat(facts.where, " has not answered within ", seconds_text(facts.patience), ": ", facts.fault)
                  : facts.fault;
  if (!facts.process) {
    return {"The conductor does not answer.",
            {seen},
            facts.is_here ? "which process it is says fuser -v on the lock beside that socket; restart it"
                          : "on its machine, hearth why page says how its process is; from here: is that its address, "
                            "and is the way there "
                            "open?"};
  }
  const ProcessFacts& process = *facts.process;
  const std::string state = cat("process ", process.pid, " is in state ", std::string(1, process.state),
                                process.waits.empty() ? "" : cat(", in ", process.waits));
  switch (process.state) {
    case 'T':
    case 't':
      return {cat("The conductor's process ", process.pid, " is stopped: somebody, or a debugger, holds it."),
              {seen, state},
              cat("kill -CONT ", process.pid, " lets it go on; its work goes on where it was")};
    case 'D':
      return {"The conductor waits for the disk of its state, and answers nobody meanwhile.",
              {seen, state},
              "look at that disk, or the server that has it: dmesg, df -h, iostat -x 1"};
    case 'R':
      return {"The conductor computes, and answers nobody meanwhile.",
              {seen, state},
              "wait a minute and ask again; if it stays so, restart it: it goes on where it was"};
    default: break;
  }
  return {"The conductor hangs: it waits for something else than requests, and answers nobody.",
          {seen, state},
          "restart it: it goes on where it was; its last log lines belong into a report"};
}

Finding slow_store(const PageFacts& facts, const OwnPace& pace) {
  std::vector<std::string> seen = {pace.line("store")};
  if (facts.flush)
    seen.push_back(cat("to keep 4 KiB beside it took the disk ", seconds_text(*facts.flush), " just now"));
  if (facts.flush.value_or(0) >= k_slow_flush) {
    return {
        "The disk of the conductor's state is slow to keep what is written: each change waits for it, and all answers "
        "behind it.",
        seen,
        "look at that disk: what else writes to it (iotop), is it full or failing (df -h, dmesg); --state on another "
        "one"};
  }
  return {"To keep changes in the conductor's store takes long: all answers wait for it.", seen,
          "what else has the disk or the store (fuser -v DIR/state.db); very many events: hearth node events --keep N"};
}

/// It answers what it has in memory till something changes, which waits, and all behind it.
Finding hung_disk(const PageFacts& facts) {
  return {"The disk of the conductor's state hangs: each change waits for it, and all answers behind it.",
          {cat("to keep 4 KiB beside it had not ended after ", seconds_text(*facts.flush))},
          "look at that disk, or the server that has it: dmesg, df -h, iostat -x 1; --state on another one"};
}

constexpr const char* k_keeps_nothing = "The conductor answers, but can't keep what is changed.";

/// It answers, and nothing is done: what is to be changed fails.
std::optional<Finding> keeps_nothing(const PageFacts& facts, const OwnPace& pace) {
  std::vector<std::string> seen;
  if (!facts.flush_fault.empty()) seen.push_back(cat("4 KiB beside its store, just now: ", facts.flush_fault));
  const std::string unkept = text_in(facts.pace, "unkept");
  if (!unkept.empty()) {
    seen.push_back(cat("the last change: ", unkept));
  } else if (const std::string fault = pace.what("store refused"); !fault.empty()) {
    seen.push_back(cat("a change of the last two minutes: ", fault));
  }
  if (seen.empty()) return std::nullopt;
  return Finding{facts.flush_fault.empty() && unkept.empty() ? "The conductor answers, but could not keep a change."
                                                             : k_keeps_nothing,
                 seen,
                 "look at the disk of its state (df -h, dmesg), and who else has its database (fuser -v DIR/state.db); "
                 "then do it again: what was kept before is safe"};
}

struct Suspect {
  double seconds;
  Finding finding;
};

std::vector<Suspect> suspects(const PageFacts& facts, const OwnPace& pace) {
  std::vector<Suspect> found;
  const double store = pace.longest("store");
  const double tick = pace.longest("tick");
  const double answer = pace.longest("answer");
  const double busy = pace.longest("late busy");
  const double idle = pace.longest("late idle");
  const double known = std::max({store, tick, answer});
  // What is measured within another is the cause where it is most of it.
  const auto explains = [](double part, double whole) { return part >= whole / 2; };
  if (store >= k_felt) found.push_back({store, slow_store(facts, pace)});
  if (answer >= k_felt && !explains(store, answer)) {
    found.push_back(
        {answer,
         {cat("One request takes the conductor long: ", pace.what("answer"), ". All others wait for it."),
          {pace.line("answer")},
          "ask for less of it: fields=, limit= and filters of Ironic's API; who asks stands in the log of the proxy "
          "or client"}});
  }
  if (tick >= k_felt && !explains(store, tick)) {
    found.push_back({tick,
                     {"A round of the conductor over its nodes takes long: all answers wait for it.",
                      {pace.line("tick"), cat("nodes: ", text_in(facts.pace, "nodes"))},
                      "fewer deployments at a time (--max-concurrent-deploy), a longer --power-sync-interval; "
                      "docs: how large a site can be"}});
  }
  if (busy >= k_felt && !explains(known, busy)) {
    found.push_back(
        {busy,
         {"The stack engine, or encryption, works on the thread that answers: the page waits for it.",
          {pace.line("late busy")},
          "hearth stack list says which stack is under way; wait for it, or run it apart: hearth metadata serve"}});
  }
  if (idle >= k_felt && !explains(known, idle)) {
    found.push_back(
        {idle,
         {"The conductor did not get to run: its machine is overloaded, or stops it again and again.",
          {pace.line("late idle"), "it used no processor meanwhile, and waited for no change to be kept"},
          "look at what else runs there (top, and steal in vmstat 1), and whether its memory is swapped out"}});
  }
  return found;
}

/// A page is as quick as ever, but what it is to begin waits for BMCs.
std::optional<Finding> hung_bmcs(const OwnPace& pace) {
  const std::size_t busy = pace.count("busy");
  const std::size_t slow = pace.count("slow");
  const std::vector<std::string> asked = pace.asked();
  const bool full = busy > 0 && busy == pace.count("most");
  // A large site asks as many at once as it can: where each answers soon, nobody waits long.
  if ((!full && pace.count("waiting") == 0) || 2 * slow < busy) return std::nullopt;
  return Finding{
      cat("All ", busy, " that talk to BMCs and agents wait for an answer: what is begun now waits for them."),
      {cat("under way: ", busy, " of ", pace.count("most"), ", ", slow,
           " of them for long; waiting: ", pace.count("waiting")),
       cat("nodes that are being asked, for the longest time first: ", join(asked, ", "))},
      asked.empty() ? "hearth node list" : cat("hearth why node ", asked.front())};
}

}  // namespace

std::optional<Finding> unkept_cause(const PageFacts& facts) {
  if (facts.flush_hangs) return hung_disk(facts);
  std::optional<Finding> found = keeps_nothing(facts, OwnPace(facts.pace));
  return found && found->cause == k_keeps_nothing ? found : std::nullopt;
}

std::vector<Finding> causes_of(const PageFacts& facts) {
  if (!facts.answered) return {facts.flush_hangs ? hung_disk(facts) : silent(facts)};
  const OwnPace pace(facts.pace);
  std::vector<Suspect> slow = suspects(facts, pace);
  std::stable_sort(slow.begin(), slow.end(), [](const Suspect& a, const Suspect& b) { return a.seconds > b.seconds; });
  std::vector<Finding> findings;
  if (facts.flush_hangs) findings.push_back(hung_disk(facts));
  if (std::optional<Finding> lost = keeps_nothing(facts, pace)) findings.push_back(std::move(*lost));
  for (Suspect& one : slow) findings.push_back(std::move(one.finding));
  if (std::optional<Finding> hung = hung_bmcs(pace)) findings.push_back(std::move(*hung));
  const std::string smallest =
      cat("the smallest answer of ", facts.where, " came after ", seconds_text(*facts.answered));
  if (*facts.answered >= k_felt && slow.empty()) {
    findings.insert(findings.begin(),
                    {"The way to the conductor is slow: it answers at once, and the answer takes long to come.",
                     {smallest, pace.line("answer")},
                     "look at what is between: a proxy, a VPN, a lossy link (ping, mtr)"});
  }
  if (!findings.empty()) return findings;
  return {{"The page is not slow as it is seen from here: the conductor answers at once, and nothing took long lately.",
           {smallest, pace.line("answer"), pace.line("tick"), pace.line("store")},
           "if a browser waits all the same, look at the way from there: its developer tools, a proxy, hearth why page "
           "--url "
           "there"}};
}

}  // namespace hearth::bootstrap::why
