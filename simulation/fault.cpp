#include "simulation/fault.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdio>

#include "base/text.hpp"
#include "simulation/random.hpp"

namespace hearth::simulation {

namespace {

struct FaultRow {
  std::string_view name;
  bool at_once;
  bool of_machine;
  std::string_view meaning;
  std::string_view advice;
};

constexpr std::array<FaultRow, k_fault_kinds> k_rows = {{
    {"kill-conductor", true, false, "the conductor is killed, and starts again",
     "look in the seed's journal for what kills it (memory?), and let systemd start it again at once"},
    {"power-cut", true, false, "the seed loses its power",
     "a UPS for the seed, or a second seed to take over by (hearth seed takeover)"},
    {"full-disk", false, false, "the seed's disk is full", "room on the seed's disk, and an alarm before it is full"},
    {"lossy-net", false, false, "packets are lost, or come twice",
     "the switches and cables of the provisioning network: counters of errors at the ports"},
    {"slow-net", false, false, "packets come late", "the provisioning network apart from others, or a larger link"},
    {"cut-machine", false, true, "the machine's link is cut",
     "the machine's cable and port; a second card that boots, too (more than one MAC)"},
    {"cut-bmc", false, true, "the BMC's link is cut",
     "the BMCs' network: a switch and an uplink that do not fail with one cable"},
    {"slow-bmc", false, true, "the BMC takes half a minute for an answer",
     "newer firmware for the BMCs; fewer programs that ask them"},
    {"hung-bmc", false, true, "the BMC takes connections and says nothing",
     "newer firmware for the BMCs, and a way to cut their power from afar (a switched PDU)"},
    {"lying-bmc", false, true, "the BMC says yes and does nothing",
     "newer firmware for the BMCs; hearth node validate before machines are deployed"},
    {"wrong-password", true, true, "the BMC has another password",
     "whoever changes a BMC's password tells Hearth, too: hearth node set NODE --driver-info …_password=…"},
    {"power-loss", true, true, "the machine loses its power", "two power supplies on two feeds for each machine"},
    {"dead-disk", true, true, "its disk takes no writes", "spare disks at the site, or two disks a machine as RAID 1"},
    {"slow-boot", false, true, "its firmware takes minutes more",
     "a firmware's quick boot, and no boot from cards that are not needed"},
    {"twice", false, false, "a person sends each order twice", ""},
    {"wrong-order", true, true, "a person gives it an order that was not meant for it",
     "names that are not alike, and lesser roles for who need not deploy (hearth node serve --help)"},
    {"lost-answers", false, false, "HTTP requests are done, and their answers are lost",
     "proxies and firewalls between people and the seed: none should end connections"},
    {"site-power", true, false, "all machines lose their power", "a UPS or a second feed for the room"},
    {"closed-bmc", false, true, "the BMC's service is switched off",
     "a BMC setting that keeps Redfish or IPMI switched on, checked by hearth node validate"},
}};

const FaultRow& row_of(FaultKind kind) { return k_rows.at(static_cast<std::size_t>(kind)); }

std::string milliseconds_text(Duration time) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.3f", seconds_in(time));
  return text.data();
}

std::optional<Duration> parse_time(std::string_view text) {
  double given = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), given);
  if (error != std::errc() || end != text.data() + text.size() || given < 0 || given > 1e8) return std::nullopt;
  return std::chrono::milliseconds(static_cast<std::int64_t>(given * 1000 + 0.5));
}

/// Those that each seed has always drawn from.
constexpr int k_drawn_kinds = 17;

std::optional<std::size_t> machine_named(std::string_view name, const std::vector<std::string>& names) {
  if (names.empty()) {
    const auto number = name.starts_with("node") ? parse_number(name.substr(4)) : std::nullopt;
    return number && *number > 0 ? std::optional(static_cast<std::size_t>(*number - 1)) : std::nullopt;
  }
  const auto found = std::find(names.begin(), names.end(), name);
  return found == names.end() ? std::nullopt : std::optional(static_cast<std::size_t>(found - names.begin()));
}

/// "; did you mean power-loss?", else all that there are.
std::string which_of(std::string_view word, const std::vector<std::string>& known) {
  const std::optional<std::string> near = nearest(word, known);
  return near ? cat("; did you mean ", *near, "?") : cat(": there are ", join(known, ", "));
}

/// The error says which part of the fault is wrong.
Result<Fault, std::string> parse_one(std::string_view text, const std::vector<std::string>& names) {
  const std::size_t at = text.find('@');
  const std::size_t plus = text.find('+', at == std::string_view::npos ? 0 : at);
  const std::size_t colon = text.substr(0, at).find(':');
  const std::string_view kind = text.substr(0, std::min(at, colon));
  const std::optional<FaultKind> known = parse_kind(kind);
  if (!known) {
    std::vector<std::string> kinds;
    for (const FaultRow& row : k_rows) kinds.emplace_back(row.name);
    return cat("'", kind, "' is no kind of fault", which_of(kind, kinds));
  }
  const bool named = colon != std::string_view::npos;
  if (is_of_machine(*known) != named)
    return cat(kind, named ? " is of no one machine" : " is of a machine", ": ", kind, named ? "" : ":MACHINE",
               "@SECONDS+SECONDS");
  const bool timed = at != std::string_view::npos && plus != std::string_view::npos;
  const std::optional<Duration> begin = timed ? parse_time(text.substr(at + 1, plus - at - 1)) : std::nullopt;
  const std::optional<Duration> length = timed ? parse_time(text.substr(plus + 1)) : std::nullopt;
  if (!begin || !length) return cat("'", text, "': behind its kind @SECONDS+SECONDS is expected, when and how long");
  Fault fault{*known, 0, *begin, *length};
  if (!named) return fault;
  const std::string_view name = text.substr(colon + 1, at - colon - 1);
  const std::optional<std::size_t> machine = machine_named(name, names);
  if (!machine) return cat("there is no machine '", name, "'", names.empty() ? "" : which_of(name, names));
  fault.machine = *machine;
  return fault;
}

}  // namespace

std::string_view name(FaultKind kind) { return row_of(kind).name; }
std::string_view meaning(FaultKind kind) { return row_of(kind).meaning; }

std::string_view advice(FaultKind kind) { return row_of(kind).advice; }

std::optional<FaultKind> parse_kind(std::string_view name) {
  const auto row = std::find_if(k_rows.begin(), k_rows.end(), [&](const FaultRow& one) { return one.name == name; });
  return row == k_rows.end() ? std::nullopt : std::optional(static_cast<FaultKind>(row - k_rows.begin()));
}

bool is_of_machine(FaultKind kind) { return row_of(kind).of_machine; }

std::string text_of(const Fault& fault, const std::vector<std::string>& names) {
  const std::string machine = fault.machine < names.size() ? names[fault.machine] : cat("node", fault.machine + 1);
  return cat(name(fault.kind), is_of_machine(fault.kind) ? cat(":", machine) : "", "@", milliseconds_text(fault.begin),
             "+", milliseconds_text(fault.length));
}

std::string text_of(const std::vector<Fault>& faults, const std::vector<std::string>& names) {
  std::vector<std::string> texts;
  for (const Fault& fault : faults) texts.push_back(text_of(fault, names));
  return join(texts, ",");
}

Result<std::vector<Fault>, std::string> parse_faults(std::string_view text, const std::vector<std::string>& names) {
  std::vector<Fault> faults;
  for (const std::string& part : split(text, ',')) {
    if (part.empty()) continue;
    const Result<Fault, std::string> fault = parse_one(part, names);
    if (!fault) return fault.error();
    faults.push_back(*fault);
  }
  return faults;
}

std::vector<Fault> faults_of(std::uint64_t seed, std::size_t machines, Duration end) {
  Random random = Random::of(seed, "faults");
  std::vector<Fault> faults;
  // Some kinds only in one seed, so that it is not always all of them that go wrong.
  std::vector<FaultKind> kinds;
  for (int kind = 0; kind < k_drawn_kinds; ++kind) {
    if (random.percent(40)) kinds.push_back(static_cast<FaultKind>(kind));
  }
  if (kinds.empty()) return faults;
  const std::uint64_t count = random.below(2 * machines + 10);
  const auto whole = [](Duration time) { return std::chrono::floor<std::chrono::milliseconds>(time); };
  for (std::uint64_t i = 0; i < count; ++i) {
    const FaultKind kind = kinds[random.below(kinds.size())];
    Fault fault{kind, static_cast<std::size_t>(random.below(machines)), {}, {}};
    // Most of them early, when most is under way: the earlier of two moments.
    const Duration last = end - std::chrono::seconds(1);
    fault.begin =
        whole(std::min(random.between(std::chrono::seconds(1), last), random.between(std::chrono::seconds(1), last)));
    if (!row_of(kind).at_once)
      fault.length = whole(std::min(random.between(std::chrono::seconds(1), end / 6), end - fault.begin));
    if (!row_of(kind).of_machine) fault.machine = 0;
    faults.push_back(fault);
  }
  std::stable_sort(faults.begin(), faults.end(), [](const Fault& a, const Fault& b) { return a.begin < b.begin; });
  return faults;
}

}  // namespace hearth::simulation
