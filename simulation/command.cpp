#include "simulation/command.hpp"

#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <memory>
#include <utility>

#include "base/cli/print.hpp"
#include "base/clock.hpp"
#include "base/error.hpp"
#include "base/progress.hpp"
#include "base/progress_text.hpp"
#include "base/sys/file.hpp"
#include "base/sys/file_digest.hpp"
#include "base/sys/limits.hpp"
#include "base/sys/process.hpp"
#include "base/sys/stop_signals.hpp"
#include "base/sys/user_places.hpp"
#include "base/text.hpp"
#include "bootstrap/inventory/draft.hpp"
#include "simulation/incident.hpp"
#include "simulation/life.hpp"
#include "simulation/many_runs.hpp"
#include "simulation/timeline.hpp"

namespace hearth::simulation {

namespace {

constexpr int k_most_years = 20;
constexpr std::uint64_t k_most_runs = 100'000;
constexpr std::uint64_t k_usual_runs = 20;  ///< a few minutes for a room on few processors
constexpr std::uint64_t k_bytes_a_megabit = 125'000;
constexpr std::uint64_t k_strangers_known = 255;  // by their cards

double years_of(const cli::Arguments& arguments) {
  const std::string text = arguments.value_or("years", "1");
  double years = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), years);
  if (error != std::errc() || end != text.data() + text.size() || !(years > 0) || years > k_most_years)
    throw Error(ErrorKind::usage,
                cat("--years ", text, ": a number above 0, and up to ", k_most_years, ", is expected"));
  return years;
}

/// One person's wish.
struct SiteWish {
  PlayedSite told;
  std::shared_ptr<const Layout> layout;
  std::optional<Level> level;
  std::vector<Fault> listed;  ///< without a level
  std::uint64_t strangers = 0;
  std::string directory;
  std::optional<bootstrap::why::Incident> incident{};  ///< in place of a site file

  /// Runs differ by their seed.
  [[nodiscard]] Wish of(std::uint64_t run) const {
    Wish wish;
    wish.seed = told.seed * k_most_runs + run;
    wish.layout = layout;
    wish.strangers = strangers;
    wish.directory = directory;
    Life life = level ? life_of(wish.seed, layout->machines.size(), *level, told.years) : Life{listed, {}};
    for (const Fault& fault : life.faults) life.trouble = std::max(life.trouble, fault.begin + fault.length);
    wish.trouble = std::max<Duration>(life.trouble, std::chrono::seconds(1));
    wish.faults = std::move(life.faults);
    return wish;
  }
};

/// The command that plays one of its runs again, up to the run's number.
std::string replay_command(const cli::Arguments& arguments) {
  std::vector<std::string> words = {"hearth", "simulate", arguments.operands().front()};
  for (const char* option : {"faults", "years", "seed", "link", "strangers"}) {
    if (const auto value = arguments.value(option)) words.insert(words.end(), {cat("--", option), *value});
  }
  words.emplace_back("--replay");
  return shell_join(words);
}

std::string note_of_strangers(const SiteWish& wish) {
  const std::uint64_t in_a_lease = wish.strangers * wish.layout->network.lease_s / 3600;
  const std::uint64_t taken = std::min({std::max<std::uint64_t>(in_a_lease, 1), k_strangers_known, wish.told.pool});
  return cat(wish.strangers, " computers an hour that the site does not know ask for an address, too: they have up to ",
             taken, " of the pool's ", wish.told.pool, " (--strangers 0: a closed network)");
}

/// What both kinds of files are played with.
void read_options(SiteWish& wish, const cli::Arguments& arguments, std::string_view usual_faults) {
  PlayedSite& told = wish.told;
  told.file = arguments.operands().front();
  told.years = years_of(arguments);
  told.seed = cli::number(arguments, "seed", 1);
  told.faults = arguments.value_or("faults", std::string(usual_faults));
  told.link = cli::number(arguments, "link", 1000, {.most = 1'000'000}) * k_bytes_a_megabit;
  told.replay = replay_command(arguments);
  wish.directory = temporary_directory(current_environment()).string();
}

void read_faults(SiteWish& wish) {
  const PlayedSite& told = wish.told;
  wish.level = parse_level(told.faults);
  if (wish.level) return;
  auto faults = parse_faults(told.faults, wish.layout->names());
  if (!faults || faults->empty())
    throw Error(ErrorKind::usage, cat("--faults ", told.faults, ": none, rare, often, storm or a list is expected",
                                      faults ? "" : cat(": ", faults.error())))
        .hint("a list: KIND[:MACHINE]@SECONDS+SECONDS, …; hearth simulate --help");
  wish.listed = std::move(faults).value();
}

SiteWish wish_of_incident(const cli::Arguments& arguments) {
  const std::string& file = arguments.operands().front();
  for (const char* option : {"runs", "years", "strangers", "jobs"}) {
    if (arguments.has(option))
      throw Error(ErrorKind::usage, cat("--", option, " is for a site file; ", file, " is an incident"));
  }
  if (arguments.has("faults") && !arguments.has("replay"))
    throw Error(ErrorKind::usage, "--faults of an incident are found; to see one of them, --replay 1 --faults LIST");
  SiteWish wish;
  read_options(wish, arguments, "none");
  const Fd opened = open_regular(file);
  wish.incident = bootstrap::why::unpacked(read_all(opened, file, bootstrap::why::k_largest_incident + 1), file);
  Layout layout = layout_of(*wish.incident, wish.told.notes);
  layout.link = wish.told.link;
  wish.layout = std::make_shared<const Layout>(std::move(layout));
  read_faults(wish);
  return wish;
}

SiteWish wish_of(const cli::Arguments& arguments) {
  if (arguments.operands().size() != 1) throw Error(ErrorKind::usage, "name one site file, or one incident");
  const std::string& file = arguments.operands().front();
  if (file.ends_with(".zst")) return wish_of_incident(arguments);
  if (!bootstrap::format_of(file) || *bootstrap::format_of(file) != bootstrap::ListingFormat::yaml)
    throw Error(ErrorKind::usage, cat(file,
                                      ": a site file (.yaml: hearth site new writes one) or an incident "
                                      "(.tar.zst: hearth incident NODE) is expected"));
  SiteWish wish;
  read_options(wish, arguments, "rare");
  PlayedSite& told = wish.told;
  const bootstrap::SiteFile site = bootstrap::load_site_file(file);
  for (const std::string& line : bootstrap::draft_nodes(site.inventory).warnings) told.notes.push_back(line);
  wish.layout = std::make_shared<const Layout>(layout_of(site, told.link, told.notes));
  told.machines = wish.layout->machines.size();
  told.pool = wish.layout->pool();
  told.image_bytes = wish.layout->image_bytes;
  told.without_own = static_cast<std::uint64_t>(std::count_if(
      wish.layout->machines.begin(), wish.layout->machines.end(), [](const auto& one) { return one.address.empty(); }));
  wish.strangers = cli::number(arguments, "strangers", Wish().strangers, {.least = 0, .most = 3600});
  if (wish.strangers > 0 && told.faults != "none") told.notes.push_back(note_of_strangers(wish));
  read_faults(wish);
  return wish;
}

unsigned processes_for(const cli::Arguments& arguments, std::size_t machines) {
  const auto asked = static_cast<unsigned>(cli::number(arguments, "jobs", usable_processors(), {.most = 1024}));
  const unsigned fit = fitting_processes(asked, machines, available_memory());
  if (fit < asked) cli::tell(cat("note: memory is enough for ", fit, " of ", asked, " processes\n"));
  return fit;
}

/// On a terminal a live line; elsewhere a line now and then.
class RunsShown {
 public:
  /// `advice`: what the first line ends with.
  explicit RunsShown(std::string advice = "") : advice_(std::move(advice)) {}
  void operator()(std::uint64_t done, std::uint64_t all) {
    const Duration took = clock_.now() - began_;
    const std::string text =
        cat(done, " of ", all, all == 1 ? " run" : " runs",
            done == 0 ? cat(" after ", rough_text(took)) : cat(", ", rough_text(left(took, done, all)), " left"));
    if (is_live_) return cli::show_live(done == all ? "" : text);
    if (done == all || took < next_) return;
    cli::tell(cat(text, next_ == k_first ? advice_ : "", "\n"));
    next_ = took + k_pause;
  }

 private:
  static constexpr Duration k_first = std::chrono::seconds(15);
  static constexpr Duration k_pause = std::chrono::seconds(60);
  static Duration left(Duration took, std::uint64_t done, std::uint64_t all) {
    return took / static_cast<std::int64_t>(done) * static_cast<std::int64_t>(all - done);
  }

  const std::string advice_;
  const SystemClock clock_;
  const MonotonicTime began_ = clock_.now();
  const bool is_live_ = is_live_terminal(STDERR_FILENO, current_environment());
  Duration next_ = k_first;
};

/// It ends the line on the terminal, too: nothing is to be left of it.
void tell_stopped(const Sums& sums, std::uint64_t runs) {
  if (sums.runs > 0) {
    cli::tell(cat("note: stopped after ", sums.runs, " of ", runs, " runs; this is what those were\n"));
  } else {
    cli::tell(cat("note: stopped before any of ", runs, runs == 1 ? " run" : " runs",
                  " came to its end: there is nothing to report yet\n"));
  }
}

int replay(const SiteWish& site, std::uint64_t run, const cli::Arguments& arguments) {
  Wish wish = site.of(run);
  wish.keep = Trace::Keep::lines;
  const StopSignals signals;
  const Played played = play(wish);
  if (const auto digest = arguments.value("expect"); digest && *digest != played.digest)
    throw Error(ErrorKind::input, cat("run ", run, " is another one than ", *digest, ": its digest is ", played.digest))
        .hint("It was played by another Hearth, from another file, or with other options.");
  if (const auto file = arguments.value("timeline"))
    RealFileSystem().write(*file, timeline(played), {.mode = 0644, .uid = {}, .gid = {}});
  if (arguments.has("json")) {
    cli::print(cat(line_of(result_of(run, played)), "\n"));
  } else {
    for (const TraceLine& line : played.lines) cli::print(cat(line_text(line), "\n"));
    cli::print(cat("\nrun ", run, ", digest ", played.digest,
                   ", faults: ", played.faults.empty() ? "none" : text_of(played.faults, site.layout->names()), "\n",
                   played.broken.empty() ? "it came to its end" : played.broken, "\n"));
  }
  return played.broken.empty() ? 0 : 1;
}

/// How long it will take nobody knows before one has come to its end: that is said, and how to have less of it.
std::string beginning(const PlayedSite& site, std::uint64_t runs, unsigned processes) {
  return cat("playing ", runs, runs == 1 ? " run" : " runs", " of ", site.machines,
             site.machines == 1 ? " machine, " : " machines, ", processes,
             " at a time: how long that takes is told when one is done; --runs N and --years N ask for less, and "
             "Ctrl-C reports ",
             "what there is by then\n");
}

int tell_incident(const SiteWish& site, const cli::Arguments& arguments) {
  const StopSignals signals;
  const Course course = course_of(*site.incident);
  RunsShown shown;
  const Matches matches =
      matches_of(course, site.of(1), [&shown](std::uint64_t done, std::uint64_t all) { shown(done, all); });
  cli::print(arguments.has("json") ? cat(format_json(matches_json(*site.incident, course, matches)), "\n")
                                   : matches_text(*site.incident, course, matches, site.told.replay));
  if (matches.is_stopped) StopSignals::check();
  return matches.found.empty() ? 1 : 0;
}

}  // namespace

int play_site(const cli::Arguments& arguments) {
  const SiteWish site = wish_of(arguments);
  for (const char* option : {"timeline", "expect"}) {
    if (arguments.has(option) && !arguments.has("replay"))
      throw Error(ErrorKind::usage, cat("--", option, " is for one run: name it, --replay RUN"));
  }
  if (const auto file = arguments.value("timeline"); file && !file->ends_with(".svg"))
    throw Error(ErrorKind::usage, cat("--timeline ", *file, ": it is drawn as SVG, whose files end in .svg"))
        .hint("browsers and picture viewers open it; rsvg-convert and inkscape make a PNG of one");
  for (const std::string& note : site.told.notes) cli::tell(cat("note: ", note, "\n"));
  if (arguments.has("replay"))
    return replay(site, cli::number(arguments, "replay", 1, {.most = k_most_runs}), arguments);
  if (site.incident) return tell_incident(site, arguments);
  const unsigned processes = processes_for(arguments, site.told.machines);
  ManyRuns wish;
  wish.runs = cli::number(arguments, "runs", k_usual_runs, {.most = k_most_runs});
  wish.processes = processes;
  wish.parent = site.directory;
  wish.play = [&site](std::uint64_t run, const std::string& directory) {
    Wish own = site.of(run);
    own.directory = directory;
    return play(own);
  };
  cli::tell(beginning(site.told, wish.runs, processes));
  RunsShown shown(wish.runs > 1 ? "; --runs N plays fewer" : "");
  wish.progress = [&](std::uint64_t done) { shown(done, wish.runs); };
  Sums sums;
  wish.take = [&sums](const RunResult& result) { sums.add(result); };
  try {
    play_all(wish);
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::interrupted) throw;
    tell_stopped(sums, wish.runs);
    if (sums.runs == 0) throw;
    cli::print(arguments.has("json") ? cat(format_json(report_json(site.told, sums)), "\n")
                                     : report_text(site.told, sums));
    throw;
  }
  cli::print(arguments.has("json") ? cat(format_json(report_json(site.told, sums)), "\n")
                                   : report_text(site.told, sums));
  return sums.bad.empty() ? 0 : 1;
}

}  // namespace hearth::simulation
