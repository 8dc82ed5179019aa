#include "bootstrap/cli/seed_service.hpp"

#include <net/if.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <ctime>

#include "base/cli/print.hpp"
#include "base/net/http_server.hpp"
#include "base/net/own_identity.hpp"
#include "base/sys/datagram.hpp"
#include "base/sys/file.hpp"
#include "base/sys/first_start.hpp"
#include "base/sys/lock.hpp"
#include "base/sys/process.hpp"
#include "base/sys/random.hpp"
#include "base/text.hpp"
#include "bootstrap/api/ironic_api.hpp"
#include "bootstrap/boot/boot_service.hpp"
#include "bootstrap/boot/carried_address.hpp"
#include "bootstrap/boot/first_signs.hpp"
#include "bootstrap/cli/commands.hpp"
#include "bootstrap/cli/own_engine.hpp"
#include "bootstrap/cli/place_files.hpp"
#include "bootstrap/cli/seed_tls.hpp"
#include "bootstrap/client/conductor_client.hpp"
#include "bootstrap/gate/kept_people.hpp"
#include "bootstrap/handover/handover.hpp"
#include "bootstrap/page/heat_stacks.hpp"
#include "bootstrap/page/status_page.hpp"
#include "bootstrap/power/all_drivers.hpp"
#include "bootstrap/power/consoles.hpp"
#include "bootstrap/site/boot_site.hpp"
#include "bootstrap/store/kept_answers.hpp"
#include "bootstrap/store/site_files.hpp"
#include "bootstrap/store/standby.hpp"
#include "metadata/live/service_options.hpp"
#include "metadata/live/stack_client.hpp"
#include "pxe/boot/answer.hpp"
#include "pxe/privileges.hpp"
#include "pxe/service.hpp"

namespace hearth::bootstrap {

namespace {

using metadata::live::url_host;

/// Names that this machine is reached by, beside its addresses.
std::vector<std::string> own_hosts(const cli::Arguments& arguments) {
  std::vector<std::string> hosts = arguments.values("allow-host");
  std::string name(256, '\0');
  if (::gethostname(name.data(), name.size() - 1) == 0) hosts.emplace_back(name.c_str());
  for (const char* option : {"public", "agent-url"}) {
    const std::string given = arguments.value_or(option, "");
    const Result<Url> url = parse_url(given.find("://") == std::string::npos ? cat("http://", given) : given);
    if (!given.empty() && url) hosts.push_back(url->host);
  }
  return hosts;
}

constexpr cli::NumberRange k_from_none{.least = 0};

Settings settings_of(const cli::Arguments& arguments, const std::optional<pxe::Site>& site) {
  Settings settings;
  if (site) {
    settings.site_ramdisks.emplace();
    for (const auto& [state, profile] : site->profiles) settings.site_ramdisks->emplace(pxe::state_name(state));
  }
  const auto seconds = [&](const char* option, Seconds usual) {
    return Seconds(cli::number(arguments, option, static_cast<std::uint64_t>(usual.count()), k_from_none));
  };
  settings.deploy_callback_timeout = seconds("deploy-callback-timeout", settings.deploy_callback_timeout);
  settings.clean_callback_timeout = seconds("clean-callback-timeout", settings.clean_callback_timeout);
  settings.inspect_timeout = seconds("inspect-timeout", settings.inspect_timeout);
  settings.rescue_callback_timeout = seconds("rescue-callback-timeout", settings.rescue_callback_timeout);
  settings.boot_silence_timeout = seconds("boot-silence-timeout", settings.boot_silence_timeout);
  settings.agent_silence_timeout = seconds("agent-silence-timeout", settings.agent_silence_timeout);
  settings.heartbeat_interval = seconds("heartbeat-interval", settings.heartbeat_interval);
  settings.poll_interval = seconds("poll-interval", settings.poll_interval);
  settings.power_sync_interval = seconds("power-sync-interval", settings.power_sync_interval);
  settings.power_off_wait = seconds("power-off-wait", settings.power_off_wait);
  settings.reminder_interval = seconds("reminder-interval", settings.reminder_interval);
  settings.boots_at_once = cli::number(arguments, "boots-at-once", settings.boots_at_once, k_from_none);
  settings.max_concurrent_deploy = cli::number(arguments, "max-concurrent-deploy", 0, k_from_none);
  settings.max_concurrent_clean = cli::number(arguments, "max-concurrent-clean", 0, k_from_none);
  settings.power_off_after_deploy_failure = !arguments.has("leave-failed-on");
  settings.automated_clean = arguments.has("automated-clean");
  settings.keep_events = static_cast<std::int64_t>(cli::number(arguments, "keep-events", 1'000'000, k_from_none));
  settings.rehearsal = arguments.has("rehearsal");
  settings.host = arguments.value_or("host-name", settings.host);
  return settings;
}

/// Of the stack service that the page shows; empty where it trusts this machine.
std::string stack_token(const cli::Arguments& arguments) {
  const std::optional<std::string> file = arguments.value("stacks-token-file");
  if (!file) return "";
  const std::optional<std::string> token = RealFileSystem().read(*file);
  if (!token) throw Error(ErrorKind::not_found, cat("--stacks-token-file ", *file, ": there is no such file"));
  return std::string(trim(*token));
}

fs::path made_directory(const cli::Arguments& arguments) {
  const fs::path directory = state_directory(arguments);
  make_state_directory(directory);
  return directory;
}

/// After one that was killed, a copy of it that tries a request (metadata/live/trials) may have the lock for a moment;
/// after `hearth deploy`, its services until they have wound up.
FileLock taken_lock(const fs::path& directory) {
  std::optional<FileLock> lock = FileLock::try_acquire(directory / "lock", std::chrono::seconds(5));
  if (lock) return std::move(*lock);
  throw Error(ErrorKind::io, cat("another process works on ", directory.string()))
      .hint(
          "one conductor per state directory: stop the other one, or give another --state; hearth deploy --seed "
          "http://127.0.0.1:6385 lets one that serves do the work");
}

/// Files that the site file names and machines will need: they may come later.
void tell_of_missing(const std::string& file) {
  if (!is_site_file_name(file)) return;
  for (const std::string& line : missing_files(load_site_file(file), false)) {
    if (line.starts_with("deploy.") || line.starts_with("image:")) cli::tell(cat("note: ", file, ": ", line, "\n"));
  }
}

/// The site to boot, with what hearth image load has put aside for its machines.
std::optional<pxe::Site> site_of(const cli::Arguments& arguments, const fs::path& directory) {
  const std::optional<std::string> file = arguments.value("boot");
  if (!file) return std::nullopt;
  pxe::Site site = load_boot_site(*file, directory.string());
  tell_of_missing(*file);
  if (const std::optional<std::string> unknown = arguments.value("unknown"))
    site.unknown = *unknown == "ignore" ? pxe::UnknownPolicy::ignore : pxe::UnknownPolicy::local;
  if (site.root.empty()) {
    site.root = (directory / "files").string();
    RealFileSystem().make_directories(site.root, 0755);
  }
  return site;
}

std::unique_ptr<FirstStart> first_boot_of(const std::optional<pxe::Site>& site, const fs::path& directory) {
  const bool has_own = site && fs::absolute(site->state_dir) != fs::absolute(directory);
  return has_own ? std::make_unique<FirstStart>(site->state_dir) : nullptr;
}

/// Null where none goes along.
std::unique_ptr<CarriedAddress> carried_address(const cli::Arguments& arguments) {
  const std::optional<std::string> address = arguments.value("address");
  const std::string card = arguments.value_or("interface", "");
  if (!address && !card.empty()) throw Error(ErrorKind::usage, cat("--interface ", card, ": with --address only"));
  if (!address) return nullptr;
  if (!arguments.has("standby"))
    throw Error(ErrorKind::usage,
                cat("--address ", *address, ": goes with whichever of several seeds serves (--standby)"))
        .hint(cat("An address that stays: ip address add ", *address, " dev CARD"));
  return std::make_unique<CarriedAddress>(parse_card_address(*address, card));
}

/// A line an event on stdout, as it becomes durable.
void tell_event(const Event& event) {
  cli::print(
      cat(one_line(cat(event.title.empty() ? "site" : event.title, " ", event.kind, ": ", lines_as_one(event.text))),
          "\n"));
  std::fflush(stdout);
}

/// Those given, else our addresses on the networks that machines boot from.
std::vector<std::string> agent_addresses(const cli::Arguments& arguments, const std::optional<pxe::Site>& site) {
  std::vector<std::string> addresses = arguments.values("agents");
  if (!addresses.empty() || !site) return addresses;
  for (const pxe::Network& network : site->networks) {  // those behind a relay share an address
    const std::string own = pxe::to_text(network.server);
    if (std::find(addresses.begin(), addresses.end(), own) == addresses.end()) addresses.push_back(own);
  }
  return addresses;
}

/// Of an address that no card of this machine has: what gives it one, and the card of the site file, if that is none.
std::string address_advice(const std::string& own, const std::optional<pxe::Site>& site) {
  const std::string missing = cat("no card of this machine has ", own, ", the seed's address for machines");
  if (!site) return missing;
  std::string card = "CARD";
  std::string unknown;
  for (const std::string& name : site->interfaces) {
    card = name;
    if (::if_nametoindex(name.c_str()) == 0)
      unknown = cat("; nor is there a card ", name, " (network.interface): ip link lists those that there are");
  }
  const std::optional<pxe::Ipv4> address = pxe::parse_ipv4(own);
  const pxe::Network* network = address ? site->network_of(*address) : nullptr;
  const std::string subnet = network == nullptr ? "" : pxe::to_text(network->subnet);
  const std::string prefix = subnet.find('/') == std::string::npos ? "" : subnet.substr(subnet.find('/'));
  return cat(missing, unknown, ". Give it one: ip address add ", own, prefix, " dev ", unknown.empty() ? card : "CARD");
}

}  // namespace

/// In the order in which they are made.
struct SeedService::Parts {
  explicit Parts(const cli::Arguments& arguments)
      : has_page(!arguments.has("no-page")),
        stands_by(arguments.has("standby")),
        first(state_directory(arguments)),
        directory(made_directory(arguments)),
        site(site_of(arguments, directory)),
        first_boot(first_boot_of(site, directory)),
        networks(agent_addresses(arguments, site)),
        carried(carried_address(arguments)),
        lock(taken_lock(directory)),
        rights(!arguments.has("keep-rights") ? own_rights(arguments) : nullptr),
        store(store_to_serve(arguments)),
        starting(long_work()),
        drivers(drivers_if_ours()),
        agents(clock, std::chrono::seconds(60), nullptr, rests()),
        conductor({store, drivers, agents, workers, clock, log, settings_of(arguments, site), directory}),
        people(conductor, IronicApi::Faces::all, log),
        machines(conductor, IronicApi::Faces::agents, log),
        engine(arguments, networks, directory, clock, log),
        desk(directory, arguments.value_or("consoles", ""), clock),
        shown_stacks(workers, clock, arguments.value_or("stacks", engine.url),
                     engine.service ? engine.service->token() : stack_token(arguments),
                     arguments.value_or("stacks-ca-file", engine.ca_file)),
        page(conductor, log, people, engine.service || arguments.has("stacks") ? &shown_stacks : nullptr, &desk),
        people_gate({kept_people(directory), own_hosts(arguments)},
                    has_page ? static_cast<GuardedHandler&>(page) : people, clock, log),
        machines_gate({{}, own_hosts(arguments)}, machines, clock, log),
        people_answers(people_gate, store),
        machine_answers(machines_gate, store),
        access(engine),
        server({.body_bytes = Gate::k_inventory,
                .all_bodies = 2 * Gate::k_inventory,
                .connections = connections_of(engine),
                .stop_time = std::chrono::seconds(1),
                .pause = [home = store.home()] { return home == nullptr ? "" : home->pause(); }},
               clock, log, &access) {
    people.set_engine(engine.shown());
    people.set_consoles(desk);
    desk.ask_sessions([this](const std::string& uuid) { return consoles.session(uuid); });
    people.set_seeds([this, since = unix_microseconds(clock.wall())] { return seeds_shown(since); });
    people.set_pace([this] { return pace_shown(); });
    conductor.ledger().measure(pace);
    people_gate.measure(pace);
    machines_gate.measure(pace);
    conductor.ledger().watch([this](const Event& event) {
      if (event.kind == "handover") server.stop();
    });
    if (!arguments.has("quiet")) conductor.ledger().watch(std::function<void(const Event&)>(tell_event));
    take_address();
    listen(arguments);
    if (site) open_boot(arguments);
    give_up_rights();
    if (boot) boot->start();
    conductor.ledger().record_site("conductor", "started");
    conductor.settle();
    tell_files();
    begin_to_keep();
    first.happened();
    if (first_boot) first_boot->happened();
  }
  Parts(const Parts&) = delete;
  Parts& operator=(const Parts&) = delete;
  ~Parts() {
    store.end();  // its thread tells the server
  }

  [[nodiscard]] Json seeds_shown(Stamp since) {
    const Home* home = store.home();
    return {{"serving", {{"name", sql::driver_name()}, {"since", stamp_json(since)}}},
            {"database", home == nullptr ? Json() : Json(home->name())},
            {"waiting", home == nullptr ? std::vector<std::string>() : home->waiting_seeds()}};
  }

  [[nodiscard]] Json pace_shown() {
    constexpr std::size_t k_named = 10;
    std::vector<std::string> asked = conductor.asked_nodes();
    if (asked.size() > k_named) asked.resize(k_named);
    const ThreadWorkers::Load load = workers.load();
    return {{"parts", pace.shown(clock.now())},
            {"workers", {{"busy", load.busy}, {"waiting", load.waiting}, {"most", load.most}, {"slow", load.slow}}},
            {"asked", asked},
            {"unkept", conductor.ledger().unkept()},
            {"nodes", conductor.ledger().nodes().size()}};
  }

  /// More has been kept, or something is wrong with what keeps it.
  void look_at_store() {
    if (const Duration flush = store.longest_flush(); flush != Duration{}) pace.took("store", flush, clock.now());
    conductor.became_durable();
    people_answers.look();
    machine_answers.look();
    if (boot) boot->look_at_home();
    const std::string now = store.trouble();
    if (store.is_lost()) return server.stop();
    if (!now.empty() && now != trouble) {
      log.error(cat("nothing is acknowledged and no order given until the database takes it: ", now));
    } else if (now.empty() && !trouble.empty()) {
      log.info(cat(store.home() ? store.home()->name() : "the disk", " answers again: what waited is kept"));
    }
    trouble = now;
  }

  /// Each 50 ms, if all that this thread has to do lets it.
  void round() {
    const MonotonicTime begun = clock.now();
    const Duration used = thread_time();
    if (last_round != MonotonicTime{}) {
      const Duration late = begun - last_round - k_round;
      pace.took(2 * (used - last_used) >= late ? "late busy" : "late idle", late, begun);
    }
    look_at_store();
    if (boot && trouble.empty()) boot->tick();  // what was heard waits, too
    if (conductor.begin_tick() && !goes_on) go_on(true);
    last_round = clock.now();
    last_used = thread_time();
    pace.took("tick", last_round - begun, last_round);
    if ((boot && boot->has_failed()) || (carried && carried->is_lost())) server.stop();
  }

  /// Whoever has asked meanwhile is answered between two pieces of a tick.
  void go_on(bool more) {
    if (goes_on = more; !more) return;
    server.post([this] {
      const MonotonicTime begun = clock.now();
      go_on(conductor.go_on());
      pace.took("tick", clock.now() - begun, clock.now());
    });
  }

  /// Of the processor, for this thread.
  static Duration thread_time() {
    timespec used{};
    ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
    return std::chrono::seconds(used.tv_sec) + std::chrono::nanoseconds(used.tv_nsec);
  }

  void say(const std::string& name, const std::string& address, std::uint16_t port) const {
    if (!silent) metadata::live::tell_port(name, address, port);
  }

  void listen(const cli::Arguments& arguments) {
    silent = arguments.has("silent");
    const std::uint16_t port = metadata::live::port_option(arguments, "port", 6385);
    const std::string address = arguments.value_or("listen", "127.0.0.1");
    const std::optional<TlsFiles> tls = people_tls(arguments, networks, directory);
    const std::uint16_t bound = server.listen("api", address, port, people_answers, tls ? &*tls : nullptr);
    say("api", address, bound);
    places.add(directory / k_api_socket);
    places.add(directory / "endpoint");
    server.listen_locally("api", directory / k_api_socket, people_answers);
    const std::string near = address == "0.0.0.0" ? "127.0.0.1" : url_host(address);
    nodes_url = cat(tls ? "https://" : "http://", near, ":", bound);
    RealFileSystem().write(directory / "endpoint", cat(nodes_url, "\n"), {.mode = 0600, .uid = {}, .gid = {}});
    if (!silent)
      cli::tell(cat("status page and API: ", nodes_url, "/; all is kept in ", directory.string(),
                    arguments.has("boot") ? "" : "; without --boot SITE no machine is booted by network", "\n"));
    const std::optional<TlsFiles> machines_tls = agents_tls(arguments, networks, directory);
    const std::string scheme = machines_tls ? "https://" : "http://";
    for (const std::string& own : networks) {
      const std::uint16_t agent_port = listen_for_agents(own, port, machines_tls ? &*machines_tls : nullptr);
      say("agents", own, agent_port);
      if (agent_face.url.empty()) agent_face.url = cat(scheme, url_host(own), ":", agent_port);
    }
    agent_face.url = arguments.value_or("agent-url", agent_face.url);
    if (machines_tls) agent_face.pin = key_pin(machines_tls->certificate);
    if (!agent_face.url.empty() && !agent_face.url.starts_with(scheme)) {
      throw Error(ErrorKind::usage, cat("--agent-url ", agent_face.url, ": machines are served by ", scheme))
          .hint("Behind a proxy that ends TLS itself, and for machines that can't: --plain-agents.");
    }
    if (engine.service) {
      const TlsFiles* tls_of_engine = engine.tls ? &*engine.tls : nullptr;
      engine.ports.socket = directory / "metadata" / metadata::live::k_local_socket;
      places.add(engine.ports.socket);
      for (const auto& [name, own] : engine.service->listen(server, engine.ports, tls_of_engine))
        say(name, engine.ports.address, own);
      places.add(directory / "metadata" / metadata::live::k_endpoint_file);
      RealFileSystem().write(directory / "metadata" / metadata::live::k_endpoint_file, cat(engine.url, "\n"),
                             {.mode = 0600, .uid = {}, .gid = {}});
    }
  }

  std::uint16_t listen_for_agents(const std::string& own, std::uint16_t port, const TlsFiles* tls) try {
    return server.listen("agents", own, port, machine_answers, tls);
  } catch (Error& error) {
    if (error.system_error() == EADDRNOTAVAIL) error.hint(address_advice(own, site));
    throw;
  }

  void open_boot(const cli::Arguments& arguments) {
    BootService::Options options;
    options.force = arguments.has("boot-force");
    options.home = store.home();
    options.rests = rests();
    options.agents = agent_face;
    if (engine.service) {
      options.in_vain = [this](const std::string& address, const std::string& what) {
        engine.service->overheard(address, cat("is not answered: ", what));
      };
    }
    boot = std::make_unique<BootService>(*site, options, conductor, clock, log);
    if (!has_followed) boot->look_around();
  }

  /// With --standby, when nobody else serves the database. Where one did until now, its network has a DHCP server, and
  /// nobody looks for another again.
  Store store_to_serve(const cli::Arguments& arguments) {
    const std::string url = database_option(arguments);
    if (!stands_by) return open_store(directory, url);
    if (url.empty())
      throw Error(ErrorKind::usage, "--standby is for seeds that share a database: --database postgresql://…");
    for (Standby standby(url, directory, log);;) try {
        Claim claim = standby.wait();
        has_followed = standby.has_waited();
        if (carried) claim.renewed = [this](MonotonicTime until) { carried->hold(until); };
        return open_store(directory, url, claim);
      } catch (const sql::StoreError& error) {
        standby.was_refused(error);
      }
  }

  void sign_of_life() {
    if (store.home() != nullptr) store.home()->sign_of_life();
  }

  void begin_to_keep() {
    starting.reset();
    sign_of_life();
    store.keep_beside([this] {
      if (boot) boot->look_at_home();  // machines wait for no other thread
      server.post([this] { look_at_store(); });
    });
  }

  [[nodiscard]] std::optional<Home::LongWork> long_work() {
    if (store.home() == nullptr) return std::nullopt;
    return std::optional<Home::LongWork>(std::in_place, *store.home());
  }

  /// For all threads that there are.
  void give_up_rights() {
    if (!rights) return;
    starting.reset();
    rights->give_up();
    starting = long_work();
  }

  void take_address() {
    sign_of_life();
    if (!carried) return;
    if (const std::string why = store.home()->pause(); !why.empty())
      throw Error(ErrorKind::external, cat("this seed can't begin to serve: ", why))
          .hint("Started again, it waits until the database answers.");
    carried->take(store.home()->term_end());
  }

  /// To those who wait: what of this site is in files. Each ten seconds, and when all of them are made.
  void tell_files() {
    if (store.home() == nullptr || (files_left-- > 0)) return;
    files_left = 9;
    Change change;
    change.files = format_json(site_files(directory), {});
    if (change.files != files_told) static_cast<void>(store.home()->add(change));
    files_told = *change.files;
  }

  /// Whether another seed may serve by now, so that nobody is to hear from this one. From any thread.
  [[nodiscard]] std::function<bool()> rests() {
    if (store.home() == nullptr) return {};
    return [home = store.home()] { return !home->pause().empty(); };
  }

  /// Nothing here has started a thread yet, so it holds for all. The lock alone is opened before: it follows no link,
  /// and writes nothing.
  std::unique_ptr<pxe::Rights> own_rights(const cli::Arguments& arguments) {
    pxe::RightsWish wish{arguments.value_or("user", ""), {directory.string()}, {}};
    if (site) {
      wish.states.push_back(site->state_dir);
      wish.needed = pxe::needed_files(*site, arguments.value_or("boot", ""));
    }
    for (const char* file : {"tls-certificate", "tls-key", "agents-certificate", "agents-key"})
      wish.needed.push_back(arguments.value_or(file, ""));
    return std::make_unique<pxe::Rights>(std::move(wish), log);
  }

  /// Asked here, where the state is locked and the other user's: a look at it beforehand would be root's, and might
  /// seal it anew under a conductor that runs. What was given away is served to nobody, and needs no rights.
  Drivers drivers_if_ours() {
    if (const std::optional<Handover> given = kept_handover(store)) {
      starting.reset();
      if (rights) rights->give_up();
      first.happened();  // whoever asks for it serves from here
      throw GivenAway(directory, *given);
    }
    return all_drivers(directory, std::make_shared<const Curfew>(rests()));
  }

  static constexpr std::chrono::milliseconds k_round{50};
  Pace pace;
  MonotonicTime last_round{};
  Duration last_used{};
  bool goes_on = false;  ///< a tick is not at its end yet
  bool has_page;
  bool stands_by;
  FirstStart first;
  fs::path directory;
  std::optional<pxe::Site> site;
  std::unique_ptr<FirstStart> first_boot;  ///< in the boot servers' own directory, where the site has one
  std::vector<std::string> networks;       ///< our addresses on those of the machines
  AgentFace agent_face;
  std::string nodes_url;
  bool silent = false;
  SystemClock clock;
  FdLogger standard_error{2};
  PageLog log{standard_error, clock};
  std::unique_ptr<CarriedAddress> carried;  ///< its companion is to have nothing of what follows
  FileLock lock;
  std::unique_ptr<pxe::Rights> rights;
  bool has_followed = false;  ///< another seed
  int files_left = 0;         ///< seconds until they are looked at
  std::string files_told;
  PlaceFiles places;
  Store store;
  std::optional<Home::LongWork> starting;  ///< which may take longer than a term
  Drivers drivers;
  HttpAgentClient agents;
  ThreadWorkers workers{256};
  Conductor conductor;
  IronicApi people;
  IronicApi machines;
  OwnEngine engine;
  ConsoleDesk desk;
  HeatStacks shown_stacks;
  StatusPage page;
  Gate people_gate;
  KeptPeople kept{directory, people_gate, log};
  Gate machines_gate;
  KeptAnswers people_answers;
  KeptAnswers machine_answers;
  std::string trouble;  ///< of the store, as it was told last
  EngineAccess access;
  HttpServer server;
  std::unique_ptr<BootService> boot;
  Consoles consoles{directory, log};
  FirstSigns signs{
      conductor, [this](const std::string& id) { return engine.service ? engine.service->engine().last_poll(id) : 0; }};
};

GivenAway::GivenAway(const fs::path& directory, Handover given)
    : Error(ErrorKind::input, cat("the services of ", directory.string(), " are given to ", given.to)),
      handover(std::move(given)) {
  hint("hearth seed takeover goes on with it; with --back it calls it off");
}

SeedService::SeedService(const cli::Arguments& arguments) : parts_(std::make_unique<Parts>(arguments)) {
  parts_->server.take_signals();
}
SeedService::~SeedService() { static_cast<void>(parts_->store.is_lost() ? parts_.release() : nullptr); }

void SeedService::run() {
  parts_->server.every(Parts::k_round, [this] { parts_->round(); });
  parts_->server.every(std::chrono::milliseconds(250), [this] {
    parts_->page.flush();
    parts_->people.look_at_consoles();
  });
  parts_->server.every(std::chrono::seconds(1),
                       [this] { parts_->consoles.follow(parts_->conductor.ledger().with_console()); });
  if (parts_->engine.service) {
    parts_->page.set_engine_hears();
    metadata::live::Engine& engine = parts_->engine.service->engine();
    engine.watch([this, &engine](const metadata::live::EventRecord& event) {
      const std::string server = engine.server_of(event.stack_id, event.resource);
      if (!server.empty()) parts_->signs.deployment_is(server, event.resource, event.status);
    });
  }
  parts_->server.every(std::chrono::seconds(1), [this] {
    parts_->signs.look();
    parts_->kept.look();
    if (parts_->carried) parts_->carried->tell_of_stranger(parts_->log);
    parts_->tell_files();
  });
  parts_->server.run(true);
  if (parts_->carried) parts_->carried->drop();  // before another one may follow
  if (!parts_->store.is_lost()) parts_->store.end();
  parts_->places.remove();
  if (const Home* home = parts_->store.home(); home != nullptr && home->went_back()) {
    keep_went_back(parts_->directory, home->trouble());
    check_did_not_go_back(parts_->directory);
  }
  if (parts_->store.is_lost()) {
    throw Error(ErrorKind::external, cat(parts_->store.trouble(), ": this conductor gives no orders any more"))
        .hint(parts_->store.home() != nullptr
                  ? cat("What it had acknowledged the other one knows; the rest is lost. ",
                        parts_->stands_by ? "Started again, this one waits." : "Stop one of the two for good.")
                  : "What it had acknowledged is kept. See to the disk (dmesg, df), then start it: it goes on.");
  }
  if (parts_->carried && parts_->carried->is_lost())
    throw Error(ErrorKind::external, cat("machines don't find this seed any more: ", parts_->carried->why_lost()))
        .hint("Started again, it waits in its turn, or says what is in its way.");
  if (parts_->boot && parts_->boot->has_failed()) {
    throw Error(ErrorKind::external, "a boot server has ended: nothing can boot any more")
        .hint("the reason is in the log above; start it again");
  }
}

std::optional<Handover> SeedService::handover() const { return kept_handover(parts_->store); }
bool SeedService::wind_up() { return parts_->workers.stop(std::chrono::seconds(2)); }
const std::string& SeedService::nodes_url() const { return parts_->nodes_url; }
const std::string& SeedService::stacks_url() const { return parts_->engine.url; }
const std::string& SeedService::stacks_ca_file() const { return parts_->engine.ca_file; }
std::string SeedService::stacks_token() const { return parts_->engine.service ? parts_->engine.service->token() : ""; }

int serve_handover(const cli::Arguments& arguments, const Handover& handover) {
  const fs::path directory = made_directory(arguments);
  const FileLock lock = taken_lock(directory);
  const SystemClock clock;
  FdLogger log(2);
  HttpServer server({}, clock, log, nullptr);
  std::optional<HandoverEndpoint::Ending> ending;
  HandoverEndpoint endpoint({directory, pack_state(directory, handover)}, handover, [&](HandoverEndpoint::Ending how) {
    ending = how;
    server.stop();
  });
  Gate gate({kept_people(directory), own_hosts(arguments)}, endpoint, clock, log);
  const std::optional<TlsFiles> tls = people_tls(arguments, {}, directory);
  server.listen("api", arguments.value_or("listen", "127.0.0.1"),
                static_cast<std::uint16_t>(cli::number(arguments, "port", 6385, {.least = 0, .most = 65535})), gate,
                tls ? &*tls : nullptr);
  PlaceFiles places;
  places.add(directory / k_api_socket);
  server.listen_locally("api", directory / k_api_socket, gate);
  const std::string status = cat("nothing is served: the services are given to ", handover.to);
  log.log(LogLevel::warning, status);
  notify_service_manager(current_environment(), cat("READY=1\nSTATUS=", status));
  server.run(true);
  if (!ending) return 0;
  Store store((directory / "state.db").string());
  if (*ending == HandoverEndpoint::Ending::left) {
    keep_handover(store, {handover.id, handover.to, true});
    return 0;
  }
  forget_handover(store);
  fs::remove(directory / k_state_bundle);
  return k_called_off;
}

std::vector<cli::Option> boot_options() {
  std::vector<cli::Option> options = {
      {"user", 0, "USER",
       "whom root becomes (hearth, else an id of its own), who gets DIR and the site's state_dir; root: nobody, for "
       "local "
       "libvirt URIs"},
      {"agents", 0, "ADDRESS", "for machines; may be given more than once"},
      {"boot", 0, "SITE",
       "also serve DHCP, TFTP and HTTP boot: a site file, or one of hearth pxe serve, which tells of it; its nodes are "
       "these"},
      {"unknown",
       0,
       "HOW",
       "machines that are no nodes (as the site says): local gives them an address and has them boot from their disk, "
       "ignore answers nothing",
       {"local", "ignore"}},
      {"boot-force", 0, "", "even where another DHCP server answers"},
      {"allow-host", 0, "NAME",
       "a name that requests may come by, beside this machine's own and its addresses; may be given more than once"},
      {"agent-url", 0, "URL", "where ramdisks find the conductor (https://ADDRESS:PORT of the first --agents)"},
      {"agents-certificate", 0, "FILE",
       "serve machines by TLS with this chain (PEM; DIR/server.pem, made with its key at the first start)"},
      {"agents-key", 0, "FILE", "and this key, whose pin ramdisks get with their boot; another one: start again"},
      {"plain-agents", 0, "",
       "serve machines without TLS, for ramdisks that can't: whoever overhears them has their tokens"},
      {"stacks-listen", 0, "ADDRESS", "of the stack engine (the first --agents)"},
      {"tls-stacks", 0, "",
       "serve it by TLS, as new sites are, also where it was in clear: machines in service are to be deployed anew"},
      {"plain-stacks", 0, "",
       "serve it in clear, for images whose agents can't do otherwise: whoever overhears them has their tokens"},
      {"public", 0, "HOST", "under which agents reach the stack engine (the address listened on)"},
      {"cfn-port", 0, "PORT", "the engine's CFN API (8000)"},
      {"objects-port", 0, "PORT", "its objects (8080)"},
      {"heat-port", 0, "PORT", "its orchestration API (8004)"},
      {"identity-port", 0, "PORT", "its Keystone for agents (5000)"},
      {"deploy-callback-timeout", 0, "SECONDS", "how long a deployment waits for its machine (1800)"},
      {"poll-interval", 0, "SECONDS", "between looks at an agent's work (2)"},
      {"boots-at-once", 0, "N", "how many machines boot the ramdisk at a time (250): fewer than there are addresses"}};
  for (cli::Option& each : metadata::live::request_options()) options.push_back(std::move(each));
  return options;
}

}  // namespace hearth::bootstrap
