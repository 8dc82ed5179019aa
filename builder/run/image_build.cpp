#include "builder/run/image_build.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <future>

#include "base/cli/print.hpp"
#include "base/error.hpp"
#include "base/net/web_client.hpp"
#include "base/progress.hpp"
#include "base/sys/blocked_signals.hpp"
#include "base/sys/limits.hpp"
#include "base/sys/lock.hpp"
#include "base/sys/namespace.hpp"
#include "base/sys/process.hpp"
#include "base/sys/stop_signals.hpp"
#include "base/sys/user_places.hpp"
#include "base/text.hpp"
#include "builder/cache/change_question.hpp"
#include "builder/cache/unchanged.hpp"
#include "builder/evidence/evidence.hpp"
#include "builder/evidence/image_facts.hpp"
#include "builder/evidence/own_names.hpp"
#include "builder/evidence/step_spans.hpp"
#include "builder/fetch/fetch_session.hpp"
#include "builder/fetch/git_answers.hpp"
#include "builder/fetch/local_access.hpp"
#include "builder/fetch/private_network.hpp"
#include "builder/guestfs/appliance_settings.hpp"
#include "builder/hooks/hook_network.hpp"
#include "builder/hooks/host_files.hpp"
#include "builder/hooks/own_files.hpp"
#include "builder/layers/input_digest.hpp"
#include "builder/layers/script_inputs.hpp"
#include "builder/lint/read_once.hpp"
#include "builder/outdated/outdated.hpp"
#include "builder/plan/plan_image.hpp"
#include "builder/report/estimate.hpp"
#include "builder/report/json_progress.hpp"
#include "builder/report/last_build.hpp"
#include "builder/run/build.hpp"
#include "builder/run/build_facts.hpp"
#include "builder/run/build_warnings.hpp"
#include "builder/run/disk_checks.hpp"
#include "builder/run/hidden_places.hpp"
#include "builder/sandbox/missing_right.hpp"
#include "builder/sandbox/sandbox.hpp"
#include "builder/sandbox/shifted_host.hpp"
#include "builder/sandbox/step_watch.hpp"
#include "builder/store/repository_states.hpp"
#include "builder/target/workspace.hpp"

namespace hearth::builder {

namespace {

constexpr std::chrono::seconds k_silent_evidence{2};

constexpr std::uint64_t k_gib = std::uint64_t{1} << 30;
constexpr std::size_t k_longest_story = 60'000;  // bytes of an error: what a pipe holds that nobody reads yet
constexpr Duration k_name_patience = std::chrono::seconds(2);  // with a build of the same name
constexpr Duration k_name_retry = std::chrono::milliseconds(20);

std::optional<Workspace> workspace_on_disk(const ImageRequest& request, const BuildNeighbours& neighbours,
                                           std::uint64_t memory, BuildLog& log) {
  const std::uint64_t needed = neighbours.memory ? 1 : 2 * request.min_tmpfs_gib * k_gib;
  if (request.use_tmpfs && memory >= needed) return std::nullopt;
  if (request.use_tmpfs && neighbours.memory) {
    log.line(cat("hearth: builds in ", request.temporary_parent.string(), ": it takes more memory than its part"));
  } else if (request.use_tmpfs) {
    log.line(cat("WARNING: Not enough RAM to use tmpfs for build. Using ", request.temporary_parent.string(), ". (",
                 human_bytes(memory), " < ", 2 * request.min_tmpfs_gib, "G)"));
  }
  if (!fs::is_directory(request.temporary_parent)) {
    throw Error(ErrorKind::not_found, cat("the build's directory is to be made in ", request.temporary_parent.string(),
                                          ", which is not there"))
        .hint("Make it, or let TMPDIR name another one.");
  }
  return Workspace::create(fs::canonical(request.temporary_parent));  // the sandbox can't follow links of the host
}

constexpr const char* k_other_cache =
    "Hooks get it to write to. --image-cache DIR (or DIB_IMAGE_CACHE, DIB_LOCKFILES, LIBGUESTFS_CACHEDIR) names "
    "another directory.";
constexpr const char* k_other_output = "The image is written there; -o DIRECTORY/NAME names another directory.";

/// Created as the user. Returns its path without links, which the sandbox can't follow.
fs::path writable_directory(const fs::path& directory, const char* how_to_name_another) {
  RealFileSystem().make_directories(directory, 0777);
  if (::access(directory.c_str(), W_OK) != 0)
    throw Error(Error::from_errno("writing to", directory.string()).hint(how_to_name_another));
  return fs::canonical(directory);
}

/// A build makes directories in its user's home, but not the home.
void require_home(const ImageRequest& request) {
  const fs::path home = home_directory(request.environment);
  boost::system::error_code failed;
  if (fs::is_directory(home, failed)) return;
  for (const fs::path& place : {request.cache, request.lock_files}) {
    if (!holds(home, place)) continue;
    throw Error(ErrorKind::not_found,
                cat("the home ", home.string(), ", where ", place.string(), " would be made, is no directory"))
        .hint("Make it, let HOME name another one, or give --image-cache DIR (DIB_IMAGE_CACHE) and DIB_LOCKFILES.");
  }
}

/// Says in `spec` where hooks, outputs, layers and libguestfs' appliance are written to. Of the image cache those two
/// are the builder's: a hook that changed them would change other images.
void make_writable_directories(const ImageRequest& request, SandboxSpec& spec) {
  require_home(request);
  const fs::path own = request.output.string() + ".d";
  take_back_own_files(own);
  if (fs::weakly_canonical(request.output.parent_path()) == "/") {
    throw Error(ErrorKind::input,
                cat("the image ", request.output.string(), " would lie in /, which hooks see as their own"))
        .hint("Give a directory by -o DIRECTORY/NAME.");
  }
  spec.output = writable_directory(request.output.parent_path(), k_other_output);
  spec.image = request.output.filename().string();
  (void)writable_directory(own, k_other_output);
  spec.writable = {writable_directory(request.cache, k_other_cache),
                   writable_directory(request.lock_files, k_other_cache)};
  spec.closed = {writable_directory(layer_directory(request.cache), k_other_cache),
                 writable_directory(appliance_directory(request.environment, request.cache), k_other_cache)};
  spec.writable.insert(spec.writable.end(), spec.closed.begin(), spec.closed.end());
  if (!request.fetching.mode) return;
  // What an earlier build left there is in no lock: hooks of recorded builds get empty ones of their own.
  for (const fs::path& shared : {spec.writable[0], spec.writable[1]}) {
    const bool holds_more = holds(shared, spec.output) || holds(shared, request.start_directory);
    if (!holds_more) spec.closed.push_back(shared);
  }
}

/// One build of a name at a time: two would write one log, and the last one's outputs beside the other's evidence. A
/// build that was killed takes the kernel a moment.
FileLock lock_name(const ImageRequest& request, Clock& clock) {
  const fs::path directory = request.output.string() + ".d";
  for (const Deadline deadline = Deadline::after(k_name_patience, clock);;) {
    if (std::optional<FileLock> lock = FileLock::try_acquire(directory / k_name_lock)) return std::move(*lock);
    if (deadline.passed(clock.now())) break;
    clock.sleep(k_name_retry);
  }
  throw Error(ErrorKind::io, cat("another build makes ", request.output.string(), " at this moment"))
      .hint(cat("Wait for it (its log is ", (directory / k_build_log).string(), "), or give another name by -o."));
}

/// For disk-image-create, whose stdout is the whole log: what would be progress goes there too.
class LogProgress final : public Progress {
 public:
  explicit LogProgress(BuildLog& log) : log_(log) {}
  void step_begin(std::string_view, std::size_t, std::size_t) override {}
  void line(std::string_view) override {}
  void step_end(StepOutcome, Duration) override {}
  void note(std::string_view) override {}  // whoever notes something logs it as well
  void finish(std::string_view summary) override {
    for (const std::string& line : split_lines(summary)) log_.line(line);
  }

 private:
  BuildLog& log_;
};

/// What a person, or a program in his place, follows.
bool tells_progress(Verbosity verbosity) { return verbosity == Verbosity::progress || verbosity == Verbosity::json; }

std::unique_ptr<Progress> progress_for(Verbosity verbosity, BuildLog& log, const Clock& clock, const Environment& env) {
  if (verbosity == Verbosity::json) return std::make_unique<JsonProgress>(STDOUT_FILENO);
  if (verbosity == Verbosity::progress) return make_progress(STDERR_FILENO, clock, env);
  return std::make_unique<LogProgress>(log);
}

/// Tells how long it is going to take, by the times of the image's last build.
std::unique_ptr<Progress> with_estimate(std::unique_ptr<Progress> progress, const ImageRequest& request,
                                        const BuildPlan& plan) {
  const auto read = [&](const char* name) {
    const fs::path file = fs::path(request.output.string() + ".d") / name;
    const Result<Json> json = parse_json(RealFileSystem().read(file).value_or("null"), file.string());
    return json.ok() ? json.value() : Json();
  };
  std::vector<std::string> planned;
  for (const Step& step : plan.steps) planned.push_back(step.label());
  return estimate(std::move(progress), last_times(read(k_steps_file), read(k_timing_file)), planned);
}

int wait_for(NamespacedProcess& sandbox) {
  while (true) {
    if (const std::optional<ExitStatus> status = sandbox.wait()) return shell_code(*status);
    if (StopSignals::received() == 0) continue;
    sandbox.kill();
    StopSignals::check();
  }
}

/// In the log, and where a person sees the build's progress.
void note(const std::string& text, BuildLog& log, Verbosity verbosity) {
  log.line(cat("hearth: ", text));
  if (tells_progress(verbosity)) cli::tell(cat("note: ", text, "\n"));
}

void begin_log(BuildLog& log, const ImageRequest& request, const BuildPlan& plan, const std::vector<std::string>& notes,
               Verbosity verbosity) {
  std::vector<std::string> names = plan.elements.names();
  names.push_back(request.output.filename().string());
  const LogSecrets secrets = log_secrets(request.environment, names);
  log.hide(secrets.values);
  log.add_file((fs::path(request.output.string() + ".d") / k_build_log).string(), BuildLog::Links::refuse);
  if (request.log_file) {
    log.add_file(request.log_file->string());
    if (verbosity == Verbosity::log) cli::print(cat("Output logs going to: ", request.log_file->string(), "\n"));
  }
  if (verbosity == Verbosity::plain_log) log.echo(false);
  if (verbosity == Verbosity::log && !request.quiet) log.echo(request.stamp_output);
  log.line(cat("hearth ", HEARTH_VERSION, ": building elements: ", join(request.elements, " ")));
  log.line(cat("Expanded element dependencies to: ", join(plan.elements.names(), " ")));
  for (const std::string& each : notes) log.line(each);
  for (const std::string& variable : secrets.shown) {
    note(cat("what ", variable, " holds is part of a name of this build, and is not hidden in its log"), log,
         verbosity);
  }
}

/// Hooks that read the clock make other bytes on other days.
void report_clocks(const ImageRequest& request, const BuildPlan& plan, BuildLog& log, Verbosity verbosity) {
  const bool is_to_repeat = request.fetching.mode || request.environment.count("SOURCE_DATE_EPOCH") > 0;
  for (const Step& step : plan.steps) {
    if (step.kind != Step::Kind::hook) continue;
    const Element* const element = plan.elements.find(step.element);
    if (element == nullptr) continue;
    const auto words = clock_words(RealFileSystem().read(element->path / step.label()).value_or(""));
    if (!words) continue;
    const std::string text = cat(step.label(), " (element ", step.element, ") reads the clock (", *words,
                                 "): what it makes of that differs from day to day; SOURCE_DATE_EPOCH has the image's");
    log.line(cat("hearth: ", text));
    if (is_to_repeat && tells_progress(verbosity)) cli::tell(cat("note: ", text, "\n"));
  }
}

/// Hooks that read something of a home that nothing declares would miss it without a word.
void report_hidden(const ImageRequest& request, const BuildPlan& plan, const SandboxSpec& spec, BuildLog& log,
                   Verbosity verbosity) {
  for (const std::string& text : hidden_places(RealFileSystem(), request, plan, spec)) {
    log.line(cat("hearth: ", text));
    if (tells_progress(verbosity)) cli::tell(cat("note: ", text, "\n"));
  }
}

/// Release files whose news are of no package that the image has, and what they were when it was built.
std::map<std::string, std::string> repositories_without_news(const ImageRequest& request, const Clock& clock) try {
  const BuildRecords records = read_build_records(RealFileSystem(), request.output.string() + ".d");
  const OutdatedSetup setup{.image_cache = request.cache, .environment = request.environment};
  const ImageAge age = image_ages({records}, setup, clock).front();
  return age.packages.empty() && age.unknown.empty() ? records.repositories : std::map<std::string, std::string>();
} catch (const Error&) {  // somebody took the records away
  return {};
}

/// Whether the outputs of an earlier build are what this one would make; says so.
std::vector<fs::path> outputs_up_to_date(const ImageRequest& request, const std::string& key, const FactSource& facts,
                                         const FactKey& secrets, const Clock& clock, BuildLog& log,
                                         Verbosity verbosity) {
  if (!may_be_unchanged(request)) return {};
  const bool is_apart = fetch::why_no_private_network(request.environment).empty();
  const std::set<fetch::LocalPlace> places = is_apart ? named_places(request) : std::set<fetch::LocalPlace>();
  WebClient client(clock, request.environment, "hearth", is_apart ? fetch::as_hooks_reach(places) : AddressCheck());
  RepositoryStates repositories(
      layer_directory(request.cache) / "repositories.json", client, clock, layer_policy(request).repository_age,
      request.environment, [&](const std::string& url) { return !is_apart || fetch::hooks_reach(url, places, clock); });
  std::optional<std::map<std::string, std::string>> without_news;  // asked for when nothing else has changed
  const auto now = [&](const std::string& what) -> std::optional<std::string> {
    if (!request.if_outdated || what.starts_with("git ") || what.starts_with("url ")) return repositories.digest(what);
    if (!without_news) without_news = repositories_without_news(request, clock);
    const auto found = without_news->find(what);
    return found == without_news->end() ? repositories.digest(what) : found->second;
  };
  std::vector<fs::path> outputs =
      unchanged_outputs(request.output.string() + ".d", key, facts, {.repository = now, .fetch = {}}, secrets);
  for (const fs::path& output : outputs) {
    const std::string text = cat(output.string(), " is up to date: nothing that it is made of has changed");
    log.line(text);
    if (tells_progress(verbosity)) cli::tell(cat(text, "\n"));
    if (verbosity == Verbosity::json) print_event({{"event", "up-to-date"}, {"output", output.string()}});
  }
  return outputs;
}

/// The sandbox's root has rights of root's over what belongs to its ids only; who else owns a directory is known
/// before.
void require_own_ids(const SandboxSpec& spec, const IdMaps& maps) {
  std::vector<fs::path> written = spec.writable;
  written.push_back(spec.output);
  for (const fs::path& directory : written) {
    const std::string owner = owner_outside(directory, maps);
    if (owner.empty()) continue;
    throw Error(ErrorKind::input, cat(directory.string(), " belongs to ", owner,
                                      ": builds of root's don't have that id, and can't write there"))
        .hint(
            "Give a directory of root's (-o, --image-cache), build as the user whom it belongs to, or let everybody "
            "write there.");
  }
}

/// The machine as the build is to see it; says so where hooks of root's have root's own ids.
ShiftedHost shifted_host(const SandboxSpec& spec, BuildLog& log, Verbosity verbosity) {
  ShiftedHost host = ShiftedHost::create(needed_places(spec));
  if (::geteuid() == 0) require_own_ids(spec, host.maps());
  if (!host.why_not().empty())
    note(cat("hooks run with this machine's root's ids, and not with a range of their own: ", host.why_not()), log,
         verbosity);
  return host;
}

/// The sandbox's process becomes what hooks run in.
BuilderPlaces enter(const ImageRequest& request, const SandboxSpec& spec, ShiftedHost& host,
                    fetch::PrivateNetwork* network) {
  host.attach();
  if (request.breaks.empty()) ::setsid();  // hooks have no business with the caller's terminal; break shells do
  if (network != nullptr) network->enter();
  BuilderPlaces places = enter_sandbox(spec);
  if (network != nullptr) network->wait_until_connected();
  return places;
}

/// What the proxy answers is a fact anyway.
StepWatch::Network watched_network(bool has_proxy) {
  return has_proxy ? StepWatch::Network::not_watched : StepWatch::Network::watched;
}

/// Directories of the machine that hooks write to without changing them.
std::vector<StepWatch::Copy> copies_of(const SandboxSpec& spec, const BuilderPlaces& places) {
  return {{"/tmp", "/hearth/private/tmp/upper"},
          {"/var/tmp", "/hearth/private/var/tmp/upper"},
          {spec.output, places.written_by_hooks()}};
}

/// As they are given, where they lie, and where hooks see Hearth's own.
std::vector<fs::path> places_of(const ElementSet& elements) {
  std::vector<fs::path> places = {k_elements_directory};
  for (const Element& element : elements.elements) {
    boost::system::error_code failed;
    fs::path real = fs::canonical(element.path, failed);
    places.push_back(element.path);
    if (!failed && real != element.path) places.push_back(std::move(real));
  }
  return places;
}

std::unique_ptr<StepWatch> watch_of(const ImageRequest& request, bool has_proxy, const SandboxSpec& spec,
                                    const BuilderPlaces& places, const BuildPlan& plan) {
  if (!request.use_cache) return nullptr;
  return std::make_unique<StepWatch>(
      watched_network(has_proxy), copies_of(spec, places), [](const fs::path& path) { return asked_look(path); },
      input_stamp, places_of(plan.elements));
}

/// Runs `work` in a thread that no signal interrupts: those are for the one that waits for the sandbox.
std::future<void> start_beside(const std::function<void()>& work) {
  const BlockedSignals blocked;
  return std::async(std::launch::async, work);
}

void write_evidence(const ImageRequest& request, const std::vector<evidence::ElementFact>& elements,
                    const std::set<std::string>& variables, std::optional<fetch::Lock> fetched,
                    const FactKey& secrets) try {
  evidence::write_evidence({.stem = request.output,
                            .version = request.version,
                            .builder = request.builder,
                            .is_ramdisk = request.ramdisk,
                            .arguments = request.arguments,
                            .directory = request.start_directory,
                            .environment = request.environment,
                            .read_variables = variables,
                            .elements = elements,
                            .fetched = std::move(fetched),
                            .fetches = fetch::fetch_directory(request.environment),
                            .signing_key = request.signing_key});
  if (request.use_cache) note_evidence(request.output.string() + ".d", secrets);
} catch (Error& error) {
  throw error.during(cat("writing the evidence of ", request.output.string(), ", whose outputs are there"))
      .hint("When there is room and a right to write it, the same command makes it.");
}

/// What can be refused before anything is made; notes for the log.
DiskPlan checked_disk(const ImageRequest& request, const BuildPlan& plan, CommandRunner& trials,
                      std::vector<std::string>& notes) {
  DiskPlan disk = plan_disk(request, plan);
  const std::vector<std::string>& warnings = disk.layout.warnings;
  notes.insert(notes.end(), warnings.begin(), warnings.end());
  check_tools(disk, request, request.environment);
  check_places(disk, request);
  check_options(disk, request, trials, request.temporary_parent);
  if (request.fetching.mode == fetch::FetchMode::record) fetch::require_place_for_lock(request.fetching.lock);
  return disk;
}

/// Where the build works: in memory, or in a directory that goes with what is returned.
std::optional<Workspace> choose_workspace(const ImageRequest& request, const BuildNeighbours& neighbours,
                                          SandboxSpec& spec, BuildLog& log) {
  spec.tmpfs_bytes = neighbours.memory.value_or(memory_for_tmpfs());
  std::optional<Workspace> workspace = workspace_on_disk(request, neighbours, spec.tmpfs_bytes, log);
  if (workspace) spec.work_directory = workspace->path();
  return workspace;
}

/// What ends the sandbox's process goes into the log, and to the one that waits for it.
int tell_failure(const Fd& failed, BuildLog& log, const std::function<void()>& work) {
  try {
    work();
    return 0;
  } catch (const Error& error) {
    for (const std::string& line : split_lines(error.story())) {
      if (!line.starts_with("  | ")) log.line(cat("hearth: ", line));  // what was printed stands above
    }
    write_all(failed, error.story().substr(0, k_longest_story), "the pipe to the builder");
    return error.exit_code();
  } catch (const std::exception& error) {
    const std::string story = describe_unexpected(error);
    log.line(cat("hearth: ", story));
    write_all(failed, story.substr(0, k_longest_story), "the pipe to the builder");
    return 1;
  }
}

/// What ended the sandbox's process: said here, it looks like any other error. One that was killed could not say it.
/// `unanswered`, of what it fetched, is told last: where a replay misses something, that is the cause.
void throw_story(const Fd& failed, int code, const std::string& unanswered, BuildLog& log) {
  std::string story = read_all(failed, "the pipe from the sandbox");
  if (!story.empty()) {
    if (!unanswered.empty()) story += cat("\n", trim(unanswered));
    throw Error(ErrorKind::external, story, code);
  }
  const char* const signal = code > 128 ? ::sigabbrev_np(code - 128) : nullptr;
  if (signal == nullptr) return;
  const Error killed =
      Error(ErrorKind::external, cat("the build was killed by SIG", signal), code)
          .hint(
              "The kernel does that where memory is short (dmesg tells): let it have more, or build with --no-tmpfs.");
  log.line(cat("hearth: ", killed.story()));
  cli::tell(unanswered);
  throw killed;
}

/// Whether there is nothing to build; with a key, what is there is signed by it. Evidence that somebody took away, or
/// changed, is made anew.
bool is_done(const ImageRequest& request, const BuildPlan& plan, const std::string& key, const FactSource& facts,
             const FactKey& secrets, const Clock& clock, BuildLog& log, Verbosity verbosity) {
  const std::vector<fs::path> outputs = outputs_up_to_date(request, key, facts, secrets, clock, log, verbosity);
  if (outputs.empty()) return false;
  const std::vector<std::string> faults = changed_evidence(request.output, outputs, secrets);
  for (const std::string& fault : faults) note(cat(fault, ": it is made anew"), log, verbosity);
  if (request.signing_key || !faults.empty())
    write_evidence(request, evidence::element_facts(plan.elements.elements), facts.counted_variables(), std::nullopt,
                   secrets);
  return true;
}

LayerPolicy policy_of(const ImageRequest& request, const BuildNeighbours& neighbours) {
  LayerPolicy policy = layer_policy(request);
  policy.branches = neighbours.branches;
  policy.stored = neighbours.stored;
  policy.ends = neighbours.ends;
  policy.until = neighbours.until;
  return policy;
}

/// A build that is to run: what is known of it, and where it tells of itself.
struct ReadyBuild {
  const ImageRequest& request;
  const Installation& installation;
  Verbosity verbosity;
  const BuildNeighbours& neighbours;
  const BuildPlan& plan;
  const DiskPlan& disk;
  const std::vector<Finding>& warnings;
  SandboxSpec& spec;
  FactSource& facts;
  const std::string& key;  ///< of its outputs
  const FactKey& secrets;
  SystemClock& clock;
  RealRunner& runner;
  BuildLog& log;
};

/// The sandbox's process: becomes what hooks run in, and builds there.
void build_inside(const ReadyBuild& ready, ShiftedHost& host, fetch::PrivateNetwork* own_network,
                  fetch::FetchSession* network, std::vector<evidence::StepSpan>& spans, ChangeQuestion& question) {
  const ImageRequest& request = ready.request;
  const BuilderPlaces places = enter(request, ready.spec, host, own_network);
  const std::unique_ptr<StepWatch> watch = watch_of(request, network != nullptr, ready.spec, places, ready.plan);
  auto progress =
      with_estimate(progress_for(ready.verbosity, ready.log, ready.clock, request.environment), request, ready.plan);
  if (network != nullptr) progress = evidence::note_steps(network->enter(std::move(progress)), spans);
  places.open_network_settings();
  try {
    build({request, ready.plan, ready.installation, ready.disk, ready.runner, *progress, ready.log, ready.clock,
           ready.facts, network, network != nullptr ? &spans : nullptr, watch.get(),
           policy_of(request, ready.neighbours), places.way_to(ready.spec.closed.front()), &places, ready.key,
           ready.secrets, [&] { question.ask(ready.facts); }});
  } catch (Error& error) {
    throw told_of_full_place(error, ready.spec.work_directory, ready.spec.tmpfs_bytes);
  }
}

/// Runs the sandbox, answers it from the machine's side, and writes the evidence of what it made.
int run_sandbox(const ReadyBuild& ready, const std::vector<evidence::ElementFact>& elements,
                const std::set<std::string>& variables) {
  const ImageRequest& request = ready.request;
  BuildLog& log = ready.log;
  const StopSignals signals;
  require_rights(request.environment);
  const std::optional<Workspace> workspace = choose_workspace(request, ready.neighbours, ready.spec, log);
  report_hidden(request, ready.plan, ready.spec, log, ready.verbosity);
  std::vector<std::string> notes;
  const std::unique_ptr<fetch::PrivateNetwork> own_network = private_network(request, ready.plan, notes);
  for (const std::string& each : notes) note(each, log, ready.verbosity);
  ready.spec.has_own_network = request.fetching.mode.has_value();
  std::optional<fetch::FetchSession> network;
  if (request.fetching.mode) network.emplace(request.fetching, request.environment);
  std::vector<evidence::StepSpan> spans;
  if (network && request.use_cache) spans.push_back({"a step whose result was kept by an earlier build", 0});
  ShiftedHost host = shifted_host(ready.spec, log, ready.verbosity);
  Pipe built = Pipe::create();
  Pipe failed = Pipe::create();
  ChangeQuestion question;
  std::future<void> answer;
  std::future<void> evidence;  // stands before `sandbox`, which is then ended first: the thread waits for its outputs
  NamespacedProcess sandbox = NamespacedProcess::start(
      [&] {
        return tell_failure(failed.write, log, [&] {
          build_inside(ready, host, own_network.get(), network ? &*network : nullptr, spans, question);
          if (ready.neighbours.until.empty()) write_all(built.write, "b", "the pipe to the builder");
          built.write = Fd();
        });
      },
      host.maps());
  built.write = Fd();
  failed.write = Fd();
  question.begin_answering();
  answer = start_beside([&] { question.answer(ready.facts); });
  if (own_network) own_network->connect(sandbox.pid());
  // The outputs are there a moment before the kernel has taken the sandbox down. What was fetched is known only then.
  evidence = start_beside([&] {
    if (!network && !read_all(built.read, "the pipe from the sandbox").empty())
      write_evidence(request, elements, variables, std::nullopt, ready.secrets);
  });
  if (network) network->serve();
  const int code = wait_for(sandbox);
  const std::string unanswered = network ? network->finish(code == 0) : "";
  for (const std::string& line : split_lines(unanswered)) log.line(line);
  if (code == 0) cli::tell(unanswered);
  if (code == 0 && network) write_evidence(request, elements, variables, network->fetched(), ready.secrets);
  if (code == 0) {
    if (evidence.wait_for(k_silent_evidence) != std::future_status::ready)
      note("the digests of what was made are taken, for its evidence", log, ready.verbosity);
    evidence.get();
  }
  tell_at_end(request, ready.plan, ready.warnings, code != 0, log);
  if (code != 0) throw_story(failed.read, code, unanswered, log);
  return code;
}

/// The process that drew the live line was killed, and nothing of the build is left but its log.
void tell_of_interruption(Error& error, const ImageRequest& request, Verbosity verbosity) {
  if (verbosity == Verbosity::progress) wipe_live_line(STDERR_FILENO, request.environment);
  error.hint(
      cat("But for the log of what was done: ", (fs::path(request.output.string() + ".d") / k_build_log).string()));
}

int build_in_sandbox(const ImageRequest& asked, const Installation& installation, Verbosity verbosity,
                     const BuildNeighbours& neighbours) {
  SystemClock clock;
  RealRunner runner(clock);
  std::vector<std::string> notes;
  const RealFileSystem system;
  const ReadOnce files(system);
  const BuildPlan plan = plan_image(files, asked, installation.elements, notes);
  if (!neighbours.until.empty()) require_kept_step(asked, plan, neighbours.until);
  const DiskPlan disk = checked_disk(asked, plan, runner, notes);
  const std::vector<Finding> warnings = build_warnings(files, asked, plan, disk.layout, runner);
  refuse_warnings(asked, warnings);
  refuse_certain_faults(warnings);

  const fs::path directory = asked.output.parent_path();
  const bool is_new_directory = !fs::exists(directory);
  SandboxSpec spec;
  try {
    make_writable_directories(asked, spec);
  } catch (const Error&) {
    require_rights(asked.environment);  // who lacks both is told of the right: with it the directories are his
    throw;
  }
  show_machine(files, asked, installation, plan, disk, spec);
  const ImageRequest request = with_path_of_hooks(asked, spec, files);
  const FileLock only_one = lock_name(request, clock);
  BuildLog log(clock);
  begin_log(log, request, plan, notes, verbosity);
  if (is_new_directory) note(cat("there was no directory ", directory.string(), "; it is made"), log, verbosity);
  tell_warnings(warnings, log);

  const FactKey secrets = LayerStore(layer_directory(request.cache)).fact_key();
  FactSource facts = fact_source(files, request, plan, installation, disk, spec, secrets);
  const std::string key = output_key(request, plan, installation, facts, files_of_layout(disk), secrets);
  if (is_done(request, plan, key, facts, secrets, clock, log, verbosity)) {
    forget_unfinished_build(request.output);
    return 0;
  }
  for (const std::string& each : notes_on_earlier_image(request)) note(each, log, verbosity);
  const LastBuild last_build(request.output, clock);
  try {
    facts.prepare();
    const std::set<std::string> variables = facts.counted_variables();
    // What is edited from here on ends the build (ChangeQuestion), or comes too late for it.
    const std::vector<evidence::ElementFact> elements = evidence::element_facts(plan.elements.elements);
    report_clocks(request, plan, log, verbosity);
    const int code = run_sandbox({request, installation, verbosity, neighbours, plan, disk, warnings, spec, facts, key,
                                  secrets, clock, runner, log},
                                 elements, variables);
    if (code == 0) forget_unfinished_build(request.output);
    return code;
  } catch (Error& error) {
    if (error.kind() == ErrorKind::interrupted) tell_of_interruption(error, request, verbosity);
    last_build.failed(log.fit_to_show(error.story()));
    throw;
  }
}

}  // namespace

std::uint64_t memory_for_tmpfs() { return available_memory() / 5 * 4; }

int build_image(const ImageRequest& request, const Installation& installation, Verbosity verbosity,
                const BuildNeighbours& neighbours) {
  if (verbosity != Verbosity::json) return build_in_sandbox(request, installation, verbosity, neighbours);
  print_event({{"event", "begin"}, {"image", request.output.string()}});
  int code = 0;
  try {
    code = build_in_sandbox(request, installation, verbosity, neighbours);
  } catch (const Error& error) {
    print_event(
        {{"event", "end"}, {"image", request.output.string()}, {"code", error.exit_code()}, {"error", error.story()}});
    throw;
  }
  print_event({{"event", "end"}, {"image", request.output.string()}, {"code", code}});
  return code;
}

}  // namespace hearth::builder
