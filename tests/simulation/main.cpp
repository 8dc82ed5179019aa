// simulate: sites played from numbers.
#include <malloc.h>

#include <cstdio>
#include <functional>
#include <limits>

#include "base/check.hpp"
#include "base/error.hpp"
#include "base/sys/file.hpp"
#include "base/text.hpp"
#include "simulation/timeline.hpp"
#include "tests/simulation/shrunk.hpp"

namespace hearth::simulation {

namespace {

constexpr const char* k_usage =
    "usage: simulate [--seed N] [--seeds COUNT] [--machines N] [--faults LIST] [--twice] [--trace] [--timeline FILE]\n"
    "                [--expect DIGEST] [--stop] [--no-shrink] [--list FILE]\n"
    "\n"
    "Plays a site from blank machines to where all are active, with the faults that the seed draws, COUNT seeds from N "
    "on.\n"
    "--stop ends with the first seed that breaks a rule.\n"
    "FILE has sites in place of COUNT, a line each: SEED MACHINES FAULTS, FAULTS as LIST or \"drawn\": those of the "
    "seed. "
    "# begins a comment.\n"
    "LIST has faults in place of those: kill-conductor@130.5+0,hung-bmc:node3@60+600 (\"\": none).\n"
    "Exit codes: 0 every rule held; 1 one did not: what, how to repeat it, and the fewest faults that still show it;\n"
    "2 wrong usage; 70 an invariant of the product did not hold (base/check.hpp).\n";

constexpr std::uint64_t k_most_seeds = ~std::uint64_t{0} >> 1U;

struct Options {
  Wish wish;
  std::uint64_t seeds = 1;
  bool twice = false;
  bool trace = false;
  bool stop = false;
  bool shrink = true;
  std::string timeline;
  std::string expect;
  std::string list;
};

std::uint64_t number_of(const std::string& word, std::string_view option, std::uint64_t most) {
  const auto number = parse_number(word);
  if (!number || *number == 0 || *number > most)
    throw Error(ErrorKind::usage, cat(option, " takes a number from 1 to ", most, ", not '", word, "'"));
  return *number;
}

std::vector<Fault> faults_in(const std::string& word, std::string_view option, std::size_t machines) {
  auto faults = parse_faults(word);
  if (!faults) throw Error(ErrorKind::usage, cat(option, ": ", faults.error()));
  for (const Fault& fault : *faults) {
    if (fault.machine >= machines)
      throw Error(ErrorKind::usage, cat(option, ": ", text_of(fault), ": there are ", machines, " machines"));
  }
  return std::move(faults).value();
}

Options parse_options(const std::vector<std::string>& words) {
  Options options;
  std::optional<std::string> faults;
  const std::map<std::string, std::function<void(const std::string&)>> takers = {
      {"--seed", [&](const std::string& word) { options.wish.seed = number_of(word, "--seed", k_most_seeds); }},
      {"--seeds", [&](const std::string& word) { options.seeds = number_of(word, "--seeds", 1'000'000'000); }},
      {"--machines",
       [&](const std::string& word) { options.wish.machines = number_of(word, "--machines", k_most_drawn_machines); }},
      {"--faults", [&](const std::string& word) { faults = word; }},
      {"--list", [&](const std::string& word) { options.list = word; }},
      {"--timeline", [&](const std::string& word) { options.timeline = word; }},
      {"--expect", [&](const std::string& word) { options.expect = word; }}};
  const std::map<std::string, bool*> flags = {
      {"--twice", &options.twice}, {"--trace", &options.trace}, {"--stop", &options.stop}};
  for (std::size_t at = 0; at < words.size(); ++at) {
    const std::string& word = words[at];
    if (const auto flag = flags.find(word); flag != flags.end()) {
      *flag->second = true;
    } else if (word == "--no-shrink") {
      options.shrink = false;
    } else if (const auto taker = takers.find(word); taker != takers.end() && at + 1 < words.size()) {
      taker->second(words[++at]);
    } else {
      throw Error(ErrorKind::usage, cat("'", word, taker == takers.end() ? "' is no option" : "' lacks its value"));
    }
  }
  if (faults) options.wish.faults = faults_in(*faults, "--faults", options.wish.machines);
  if (options.trace || !options.timeline.empty()) options.wish.keep = Trace::Keep::lines;
  return options;
}

std::string command_for(const Wish& wish, const std::vector<Fault>& faults, const std::string& digest) {
  return cat("simulate --seed ", wish.seed, " --machines ", wish.machines, " --faults \"", text_of(faults),
             "\" --expect ", digest);
}

/// What a rule says without its numbers and names: another fault must not pass for the same.
std::string kind_of(const std::string& broken) {
  std::string kind;
  for (const char c : broken.substr(0, 60)) {
    if (c < '0' || c > '9') kind += c;
  }
  return kind;
}

void tell_failure(const Options& options, const Wish& wish, const Played& played) {
  std::printf("seed %llu: %s\nrepeat:   %s\n", static_cast<unsigned long long>(wish.seed), played.broken.c_str(),
              command_for(wish, played.faults, played.digest).c_str());
  if (!options.shrink) return;
  std::fflush(stdout);
  Wish fewer = wish;
  fewer.keep = Trace::Keep::nothing;
  std::string digest = played.digest;
  const std::vector<Fault> least = shrunk(played.faults, [&](const std::vector<Fault>& faults) {
    fewer.faults = faults;
    const Played again = play(fewer);
    const bool same = kind_of(again.broken) == kind_of(played.broken);
    if (same) digest = again.digest;
    return same;
  });
  std::printf("shrunk:   %s\n", command_for(wish, least, digest).c_str());
}

std::uint64_t seed_under_way = 0;

/// An invariant of the product ends the process: which site it was must be known.
void tell_seed() noexcept {
  std::printf("seed %llu: an invariant does not hold (standard error says which)\nrepeat:   simulate --seed %llu\n",
              static_cast<unsigned long long>(seed_under_way), static_cast<unsigned long long>(seed_under_way));
  std::fflush(stdout);
}

/// Whether every rule held.
bool run_one(const Options& options, const Wish& wish) {
  seed_under_way = wish.seed;
  const Duration began = thread_time();
  const Played played = play(wish);
  const double took = seconds_in(thread_time() - began);
  for (const TraceLine& line : played.lines) {
    if (options.trace) std::printf("%s\n", line_text(line).c_str());
  }
  if (!options.timeline.empty())
    RealFileSystem().write(options.timeline, timeline(played), {.mode = 0644, .uid = {}, .gid = {}});
  std::printf("seed %llu: %s, %s, %.0f s in %.3f s, %llu events, %zu faults\n",
              static_cast<unsigned long long>(wish.seed), played.digest.c_str(),
              played.broken.empty() ? "good" : "BROKEN", seconds_in(played.elapsed), took,
              static_cast<unsigned long long>(played.events), played.faults.size());
  std::fflush(stdout);
  if (!options.expect.empty() && options.expect != played.digest)
    std::printf("this is not the trace %s: it is of another commit, or was drawn otherwise\n", options.expect.c_str());
  if (options.twice && play(wish).digest != played.digest) {
    std::printf("seed %llu: two runs, and two traces\n", static_cast<unsigned long long>(wish.seed));
    return false;
  }
  if (!played.broken.empty()) tell_failure(options, wish, played);
  return played.broken.empty();
}

std::vector<Wish> listed(const Options& options) {
  std::vector<Wish> wishes;
  std::size_t number = 0;
  for (const std::string& line : split_lines(read_file(options.list))) {
    const std::string where = cat(options.list, ":", ++number);
    const std::vector<std::string> words = split_words(line.substr(0, line.find('#')));
    if (words.empty()) continue;
    if (words.size() != 3) throw Error(ErrorKind::usage, cat(where, ": not of the form SEED MACHINES FAULTS"));
    Wish wish = options.wish;
    wish.seed = number_of(words[0], where, k_most_seeds);
    wish.machines = static_cast<std::size_t>(number_of(words[1], where, k_most_drawn_machines));
    wish.faults.reset();
    if (words[2] != "drawn") wish.faults = faults_in(words[2], where, wish.machines);
    wishes.push_back(std::move(wish));
  }
  if (wishes.empty()) throw Error(ErrorKind::usage, cat(options.list, " has no site in it"));
  return wishes;
}

int run(const std::vector<std::string>& words) {
  const Options options = parse_options(words);
  const std::vector<Wish> wishes = options.list.empty() ? std::vector<Wish>() : listed(options);
  const std::uint64_t count = options.list.empty() ? options.seeds : wishes.size();
  const Duration began = thread_time();
  std::uint64_t bad = 0;
  for (std::uint64_t at = 0; at < count && !(options.stop && bad > 0); ++at) {
    Wish wish = options.list.empty() ? options.wish : wishes[at];
    if (options.list.empty()) wish.seed += at;
    bad += run_one(options, wish) ? 0 : 1;
  }
  if (count > 1) {
    const double took = seconds_in(thread_time() - began);
    std::printf("%llu seeds, %llu bad, %.1f s of processor time, %.1f seeds a second\n",
                static_cast<unsigned long long>(count), static_cast<unsigned long long>(bad), took,
                static_cast<double>(count) / took);
  }
  return bad == 0 ? 0 : 1;
}

}  // namespace

}  // namespace hearth::simulation

int main(int argc, char** argv) {
  const std::vector<std::string> words(argv + 1, argv + argc);
  if (!words.empty() && (words[0] == "--help" || words[0] == "-h")) {
    std::fputs(hearth::simulation::k_usage, stdout);
    return 0;
  }
  hearth::set_check_ending(hearth::simulation::tell_seed);
  // What a site had, the next one takes: given back, each of a thousand would ask the system for its megabytes page by
  // page.
  ::mallopt(M_MMAP_THRESHOLD, std::numeric_limits<int>::max());
  ::mallopt(M_TRIM_THRESHOLD, std::numeric_limits<int>::max());
  try {
    return hearth::simulation::run(words);
  } catch (const hearth::Error& error) {
    std::fprintf(stderr, "simulate: %s\n", error.story().c_str());
    return error.kind() == hearth::ErrorKind::usage ? 2 : 1;
  }
}
