#include "builder/fetch/fetch_session.hpp"

#include <algorithm>
#include <set>

#include "base/error.hpp"
#include "base/net/web_client.hpp"
#include "base/sys/file.hpp"
#include "base/sys/mount.hpp"
#include "base/sys/user_places.hpp"
#include "base/text.hpp"
#include "base/variable.hpp"
#include "builder/fetch/fetch_proxy.hpp"
#include "builder/fetch/git_answers.hpp"
#include "builder/fetch/known_answers.hpp"
#include "builder/fetch/local_access.hpp"
#include "builder/fetch/network_cut.hpp"
#include "builder/fetch/recording.hpp"
#include "builder/fetch/redactions.hpp"
#include "builder/fetch/step_board.hpp"
#include "builder/fetch/variants.hpp"
#include "builder/sandbox/sandbox.hpp"

namespace hearth::builder::fetch {

namespace {

constexpr std::size_t k_told_misses = 10;
constexpr std::uint64_t k_most_stall = 3600;
constexpr Duration k_answer_time = std::chrono::seconds(60);
constexpr Duration k_answer_step = std::chrono::milliseconds(1);
constexpr const char* k_in_target = "/tmp/in_target.d";  // HOOKS of the target; mmdebstrap makes its own
constexpr const char* k_epoch = "SOURCE_DATE_EPOCH";
const fs::path k_system_bundle = "/etc/ssl/certs/ca-certificates.crt";
const fs::path k_authorities = "/hearth/authorities.pem";  // in the sandbox; hooks' own files it is not among

// Lines of the board's log.
constexpr std::string_view k_fetch = "fetch ";
constexpr std::string_view k_taken = "taken ";
constexpr std::string_view k_resumed = "resumed";  // what was answered before was asked for by answer_now()

/// Of "METHOD URL".
FetchKey asked_key(const std::string& fetch) {
  const std::size_t blank = fetch.find(' ');
  if (blank == std::string::npos) return {"", fetch};
  return {fetch.substr(0, blank), fetch.substr(blank + 1)};
}

/// HEARTH_FETCH_STALL: seconds for which a server may be silent.
Duration stall_time(const Environment& environment) {
  const std::string given = variable(environment, "HEARTH_FETCH_STALL");
  if (given.empty()) return ProxySetup{}.stall;
  const auto seconds = parse_number(given);
  if (!seconds || *seconds == 0 || *seconds > k_most_stall) {
    throw Error(ErrorKind::usage,
                cat("HEARTH_FETCH_STALL: '", given, "' is no number of seconds from 1 to ", k_most_stall));
  }
  return std::chrono::seconds(*seconds);
}

Lock read_lock(const fs::path& file) {
  const std::optional<std::string> text = RealFileSystem().read(file);
  return text ? parse_lock(*text, file.string()).value_or_throw() : Lock{};
}

Lock given_lock(const FetchPlan& plan) {
  if (*plan.mode == FetchMode::record) return {};
  if (!fs::exists(plan.lock)) {
    throw Error(ErrorKind::not_found, cat("there is no lock file ", plan.lock.string()))
        .hint("Make it where there is a network: the same command with --record.");
  }
  return read_lock(plan.lock);
}

void write_lock(const fs::path& file, const Lock& lock, ObjectStore& store) try {
  keep_git_answers(file, lock, store);
  RealFileSystem().write(file, lock_text(lock), {.mode = 0644});
  remove_other_git_answers(file, lock);
} catch (Error& error) {
  throw error.during(cat("writing the lock ", file.string(), " of a build whose outputs are there"))
      .hint("Mend that (is the disk full?), and record again; what was fetched is kept.");
}

void remember_answers(const fs::path& directory, const Lock& session) {
  change_known_answers(directory, [&](Lock& known) {
    for (const auto& [key, fetched] : session.fetches) known.fetches[key] = fetched;
  });
}

/// The system's authorities and the build's own, for programs of the sandbox and of the target.
void trust(HookView& view, const std::string& authority, const Environment& environment) {
  const std::string system = system_ca_file(environment);
  view.files[k_authorities_file] = cat(system.empty() ? "" : RealFileSystem().read(system).value_or(""), authority);
  const std::string file = cat(k_hooks_place, "/.fetch/authorities.pem");
  for (const char* name : {"SSL_CERT_FILE", "CURL_CA_BUNDLE", "GIT_SSL_CAINFO", "REQUESTS_CA_BUNDLE", "PIP_CERT",
                           "NODE_EXTRA_CA_CERTS", "CARGO_HTTP_CAINFO"}) {
    view.variables[name] = file;
  }
  if (!variable(environment, "WGETRC").empty()) return;
  view.files["wgetrc"] = cat("ca_certificate = ", k_in_target, "/.fetch/authorities.pem\n");  // wget knows no variable
  view.variables["HEARTH_TARGET_WGETRC"] = cat(k_hooks_place, "/.fetch/wgetrc");
}

/// Names of loopback by which hooks mean servers of their own: they ask these without the proxy. Of a name that the
/// user gave, or that the lock has, the machine's servers are meant, which only the proxy reaches and replays.
std::string own_loopback(const FetchPlan& plan, const Lock& lock) {
  std::vector<std::string> own = {"127.0.0.1", "localhost"};
  const auto is_machines = [&](const std::string& host) {
    const auto is_named = [&](const std::string& server) {
      const std::string lower = to_lower(server);
      return lower == host || lower.starts_with(cat(host, ":"));
    };
    return std::any_of(plan.local.begin(), plan.local.end(), is_named) ||
           std::any_of(lock.fetches.begin(), lock.fetches.end(), [&](const auto& fetched) {
             const Result<Url> url = parse_url(fetched.first.url);
             return url && url->host == host;
           });
  };
  own.erase(std::remove_if(own.begin(), own.end(), is_machines), own.end());
  return join(own, ",");
}

HookView view_for(const FetchPlan& plan, const std::string& own_hosts, const std::string& authority,
                  const Environment& environment) {
  HookView view;
  const std::string proxy = cat("http://127.0.0.1:", k_proxy_port);
  for (const char* name : {"http_proxy", "https_proxy", "ftp_proxy", "HTTP_PROXY", "HTTPS_PROXY", "FTP_PROXY"}) {
    view.variables[name] = proxy;
  }
  for (const char* name : {"no_proxy", "NO_PROXY"}) view.variables[name] = own_hosts;
  view.variables["DIB_OFFLINE"] = "";  // hooks are to ask; the proxy decides
  view.variables["HEARTH_FETCH"] = *plan.mode == FetchMode::record ? "record" : "replay";
  if (!authority.empty()) trust(view, authority, environment);
  std::string apt;
  if (!authority.empty()) apt += "Acquire::https::CaInfo \"@HOOKS@/.fetch/authorities.pem\";\n";
  // A lock is as good on a later day: what it names is held to digests, not to dates.
  if (*plan.mode != FetchMode::record) apt += "Acquire::Check-Valid-Until \"false\";\n";
  if (!apt.empty()) {
    view.files["apt.conf"] = replace_all(apt, k_hooks_place, k_in_target);
    view.variables["APT_CONFIG"] = cat(k_hooks_place, "/.fetch/apt.conf");
  }
  return view;
}

std::map<std::string, std::string> parse_settings(const std::string& lines) {
  std::map<std::string, std::string> settings;
  for (const std::string& line : split_lines(lines)) {
    const std::size_t equals = line.find('=');
    if (equals != std::string::npos && equals > 0) settings[line.substr(0, equals)] = line.substr(equals + 1);
  }
  return settings;
}

std::string advice(FetchMode mode) {
  switch (mode) {
    case FetchMode::record: return "";
    case FetchMode::locked:
      return "  The lock no longer fits what the elements fetch or what the servers have: record it again "
             "(--record).\n";
    case FetchMode::offline:
      return "  Record it where there is a network (--record), or fetch what the lock names (--locked), or unpack the "
             "bundle that has it.\n";
  }
  return "";
}

}  // namespace

struct FetchSession::State {
  State(const FetchPlan& given, const Environment& environment)
      : plan(given),
        epoch(variable(environment, k_epoch)),
        store(std::make_shared<ObjectStore>(fetch_directory(environment))) {
    Lock lock = given_lock(plan);
    session.settings = lock.settings;
    take_git_answers(plan.lock, lock, *store);
    const bool records = *plan.mode == FetchMode::record;
    const bool intercept = records ? !plan.allow_unrecorded : lock.has_https();
    const std::string own_hosts = own_loopback(plan, lock);
    Lock known = records ? known_answers(store->directory()) : Lock{};
    recording = std::make_shared<Recording>(
        *plan.mode, std::move(lock), std::move(known), store, [board = board] { return board->shown(); },
        [board = board](const FetchKey& key, const std::string& sha256) {
          board->log_fetch(cat(k_fetch, key.method, " ", key.url, " ", sha256));
        });
    proxy = std::make_unique<FetchProxy>(
        recording, store,
        ProxySetup{.intercept = intercept,
                   .environment = environment,
                   .stall = stall_time(environment),
                   .count_request = [board = board](int change) { board->count_request(change); },
                   .on_bytes = [board = board](std::size_t bytes) { board->count_fetched(bytes); },
                   .check = local_access(plan.local)});
    view = view_for(plan, own_hosts, proxy->authority(), environment);
  }

  void settle();
  void wait_for_answers() const;
  [[nodiscard]] std::string asked(const FetchKey& key);

  FetchPlan plan;
  std::string epoch;
  Lock session;  ///< once it is over
  std::shared_ptr<StepBoard> board = std::make_shared<StepBoard>();
  std::shared_ptr<ObjectStore> store;
  Fd in_use = store->share();
  std::shared_ptr<Recording> recording;
  std::unique_ptr<FetchProxy> proxy;
  HookView view;
  Handover handover = Handover::create();
  std::size_t log_read = 0;  ///< of the board's log, by the sandbox's process
};

void add_variables(const HookView& view, const std::string& hooks, Environment& environment) {
  for (const char* name : {"http_proxy", "https_proxy", "no_proxy"}) {
    environment[cat("HEARTH_CALLER_", name)] = variable(environment, name);
  }
  for (const auto& [name, value] : view.variables) environment[name] = replace_all(value, k_hooks_place, hooks);
}

/// What the image came of is what this build fetched. The log carries it over from the sandbox's process.
void FetchSession::State::settle() {
  std::set<FetchKey> used;
  for (const std::string& line : split_lines(board->fetch_log(0))) {
    if (line == k_resumed) used.clear();
    if (line.starts_with(k_fetch))
      used.insert(asked_key(line.substr(k_fetch.size(), line.rfind(' ') - k_fetch.size())));
    if (!line.starts_with(k_taken)) continue;
    const FetchKey key = asked_key(line.substr(k_taken.size()));
    recording->taken_over(key);
    used.insert(key);
  }
  if (!board->log_overflowed()) recording->keep_only(used);
}

/// Has the proxy ask for it; what it was answered with is in the log.
std::string FetchSession::State::asked(const FetchKey& key) {
  const SystemClock clock;
  HttpRequest request;
  request.method = "HEAD";
  request.url = parse_url(cat("http://127.0.0.1:", k_proxy_port, "/", key.url)).value_or_throw();
  try {
    (void)WebClient(clock, {}, "hearth").send(request);
  } catch (const Error&) {  // the log knows
  }
  const std::string answered = cat(k_fetch, key.method, " ", key.url, " ");
  const std::string log = board->fetch_log(log_read);
  log_read += log.size();
  std::string digest = k_failed;
  for (const std::string& line : split_lines(log)) {
    if (line.starts_with(answered)) digest = line.substr(answered.size());
  }
  return digest;
}

/// A client need not wait for the whole of an answer: curl -f goes when it sees 404.
void FetchSession::State::wait_for_answers() const {
  SystemClock clock;
  for (Duration waited{}; board->requests_under_way() > 0; waited += k_answer_step) {
    if (waited >= k_answer_time)
      throw Error(ErrorKind::input, "an answer that a step had asked for is still under way");
    clock.sleep(k_answer_step);
  }
}

std::vector<std::string> FetchSession::new_fetches() {
  state_->wait_for_answers();
  if (state_->board->log_overflowed()) {
    throw Error(ErrorKind::input, "there were too many fetches to remember them all");
  }
  const std::string log = state_->board->fetch_log(state_->log_read);
  state_->log_read += log.size();
  return split_lines(log);
}

void FetchSession::require_complete() {
  if (*state_->plan.mode != FetchMode::record || state_->plan.allow_unrecorded) return;
  state_->wait_for_answers();
  std::vector<std::string> unrecorded;
  for (const std::string& line : split_lines(state_->board->fetch_log(0))) {
    const std::size_t end = line.rfind(' ');
    if (end == std::string::npos || line.substr(end + 1) != k_not_recorded) continue;
    std::string told = cat("  ", asked_key(line.substr(k_fetch.size(), end - k_fetch.size())).url);
    if (std::find(unrecorded.begin(), unrecorded.end(), told) == unrecorded.end()) unrecorded.push_back(told);
  }
  if (unrecorded.empty()) return;
  throw Error(ErrorKind::input, cat("not all that hooks asked for could be recorded:\n", join(unrecorded, "\n")))
      .hint(
          "Have the hooks fetch it by http or https, trusting the authorities that SSL_CERT_FILE names; or give "
          "--allow-unrecorded for a lock that is not complete.");
}

/// What was posted is not known any more: its answer holds while all else that the step asked for does.
std::string FetchSession::answer_now(const std::string& fetch) {
  const FetchKey key = asked_key(fetch);
  const bool records = *state_->plan.mode == FetchMode::record;
  // The proxy has neither the credential nor the choice to ask with: the step itself has to.
  if (records && (key.method.starts_with("GET;") || is_redacted(key.url))) return k_failed;
  const std::optional<Fetched> foreseen = state_->recording->foreseen(key);
  if (records && foreseen && find_header(foreseen->headers, k_vary)) return k_failed;
  if (records && key.method == "GET") return state_->asked(key);
  if (!foreseen) return k_not_locked;
  return records && !state_->store->open(foreseen->sha256, foreseen->size) ? k_failed : foreseen->sha256;
}

void FetchSession::take_over(const std::vector<std::string>& fetches) {
  state_->board->log_fetch(k_resumed);
  for (const std::string& fetch : fetches) state_->board->log_fetch(cat(k_taken, fetch));
  state_->log_read += state_->board->fetch_log(state_->log_read).size();
}

void FetchSession::keep_settings(std::string_view lines) { state_->board->keep_settings(lines); }

Environment settled_environment(const FetchPlan& plan, Environment environment, const Clock& clock) {
  std::map<std::string, std::string> settings = given_lock(plan).settings;
  if (*plan.mode == FetchMode::record) {
    const auto now = std::chrono::duration_cast<std::chrono::seconds>(clock.wall().time_since_epoch());
    settings[k_epoch] = std::to_string(now.count());
  }
  for (const auto& [name, value] : settings) {
    if (std::string& set = environment[name]; set.empty()) set = value;
  }
  return environment;
}

fs::path fetch_directory(const Environment& environment) {
  // A path; HEARTH_CACHE=0 is another matter (no layers), and no place.
  if (const std::string given = variable(environment, "HEARTH_CACHE"); given.find('/') != std::string::npos) {
    return fs::absolute(given) / "fetched";
  }
  return cache_directory(environment) / "hearth/fetched";
}

FetchSession::FetchSession(const FetchPlan& plan, const Environment& environment)
    : state_(std::make_unique<State>(plan, environment)) {}
FetchSession::FetchSession(FetchSession&&) noexcept = default;
FetchSession::~FetchSession() = default;

const HookView& FetchSession::view() const { return state_->view; }

std::unique_ptr<Progress> FetchSession::enter(std::unique_ptr<Progress> progress) {
  const auto bundle = state_->view.files.find(k_authorities_file);
  if (bundle != state_->view.files.end()) {
    RealFileSystem().write(k_authorities, bundle->second, {.mode = 0644});
    // For programs that read no variable.
    if (fs::exists(k_system_bundle)) bind_mount(k_authorities, k_system_bundle, Access::read_only);
  }
  give_descriptor(state_->handover.giver, cut_network());
  state_->handover = {};
  return announce_steps(std::move(progress), *state_->board);
}

void FetchSession::serve() {
  state_->handover.giver = Fd();  // so that the end of the sandbox is seen
  Fd listener = take_descriptor(state_->handover.taker);
  if (listener) state_->proxy->start(std::move(listener));
}

const Lock& FetchSession::fetched() const { return state_->session; }

std::string FetchSession::finish(bool good) {
  state_->proxy->stop();
  const FetchMode mode = *state_->plan.mode;
  Lock& session = state_->session;
  std::map<std::string, std::string> settings = std::move(session.settings);
  if (mode == FetchMode::record) settings = parse_settings(state_->board->settings());
  state_->settle();
  session = state_->recording->result();
  session.settings = std::move(settings);
  session.settings[k_epoch] = state_->epoch;
  if (mode == FetchMode::record) remember_answers(state_->store->directory(), session);
  if (good && mode == FetchMode::record) write_lock(state_->plan.lock, session, *state_->store);
  std::vector<std::string> told;
  std::size_t more = 0;
  for (const Miss& miss : state_->recording->misses()) {
    const std::string line = cat("  ", miss.url, " (asked by ", miss.step, "): ", miss.why);
    if (std::find(told.begin(), told.end(), line) != told.end()) continue;
    told.size() < k_told_misses ? told.push_back(line) : void(++more);
  }
  for (const std::string& note : session.notes) told.push_back(cat("  ", note));
  if (told.empty()) return "";
  if (more > 0) told.push_back(cat("  … and ", more, " more"));
  return cat("Requests that got no answer, or were not recorded:\n", join(told, "\n"), "\n",
             state_->recording->misses().empty() ? "" : advice(mode));
}

}  // namespace hearth::builder::fetch
