#include "simulation/conductor_host.hpp"

#include "base/error.hpp"
#include "base/sys/file.hpp"
#include "bootstrap/power/redfish_driver.hpp"
#include "pxe/dhcp/journal.hpp"

namespace hearth::simulation {

namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
namespace boot = bootstrap;

constexpr Duration k_tick = milliseconds(50);  ///< of the product, when there is something new
constexpr const char* k_leases = "leases";
constexpr Duration k_idle_tick = seconds(1);  ///< and when time is all that can bring something

pxe::Site pxe_site(const Site& of) {
  pxe::Site site;
  site.networks = {of.layout.network};
  site.unknown = of.layout.unknown;
  return site;
}

boot::Settings conductor_settings() {
  boot::Settings settings;
  settings.rehearsal = false;
  return settings;
}

/// Files of the host that are handed out as they are.
pxe::FoundFiles boot_files_in(const std::string& directory) {
  pxe::FoundFiles files;
  for (const char* name : {"undionly.kpxe", "snponly.efi", "shimx64.efi", "grubx64.efi"}) {
    files.paths[name] = cat(directory, "/", name);
  }
  return files;
}

std::string contents_of(const pxe::Content& content) {
  if (content.fd() < 0) return content.bytes();
  std::string text(content.size(), '\0');
  text.resize(content.read(0, text));
  return text;
}

}  // namespace

void TaskWorkers::submit(boot::Work work, boot::Finished finished) {
  ++running_;
  scheduler_.start(owner_, [this, work = std::move(work), finished = std::move(finished)] {
    boot::Outcome outcome = work();
    --running_;
    done_.push_back({finished, std::move(outcome)});
    news_();
  });
}

bool TaskWorkers::collect(std::size_t most) {
  const bool news = !done_.empty();
  for (std::size_t left = std::min(done_.size(), most); left > 0; --left) {
    const Done one = std::move(done_.front());
    done_.pop_front();
    one.finished(one.outcome);
  }
  return news;
}

void TraceLogger::log(LogLevel level, std::string_view text) noexcept {
  site_.note("log", "conductor", cat(log_level_name(level), " ", text));
}

/// The conductor's client, for BMCs and agents: its orders are looked at as they leave.
class WatchedClient final : public HttpClient {
 public:
  explicit WatchedClient(Site& site) : site_(site), client_(site.network, site.layout.server()) {}
  [[nodiscard]] HttpResponse send(const HttpRequest& request) override {
    const std::size_t action = request.url.path.find("/Actions/ComputerSystem.Reset");
    if (request.method == "POST" && action != std::string::npos && !site_.scheduler.is_ending()) {
      const std::string before = request.url.path.substr(0, action);
      site_.rules.power_ordered(before.substr(before.rfind('/') + 1),
                                text_member(json_or_null(request.body), "ResetType"));
    }
    return client_.send(request);
  }

 private:
  Site& site_;
  HostClient client_;
};

/// One life of the conductor.
struct ConductorHost::Process final : private pxe::RequestLog {
  Process(Site& its_site, SimulatedDisk& its_disk, boot::Store& store, Random random);
  ~Process() override;
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  void serve();
  void tick();
  void tick_soon(Duration time);
  void take_dhcp(const std::string& bytes, const std::string& from, const Site::Reply& back);
  void answer_dhcp(const pxe::dhcp::Decision& decision, MonotonicTime asked, const std::string& to,
                   const Site::Reply& back);
  ServedResponse hand_out(const ServedRequest& request, pxe::Protocol protocol);
  void record(const pxe::RequestRecord& /*record*/) noexcept override {}

  Site& site;
  SimulatedDisk& disk;
  OwnerId owner;
  Random random_;
  TraceLogger log{site};
  WatchedClient http{site};
  boot::Drivers drivers;
  boot::HttpAgentClient agents{site.scheduler.clock(), seconds(60), &http};
  TaskWorkers workers;
  boot::Conductor conductor;
  boot::BootDesk desk;
  boot::IronicApi people;
  boot::IronicApi machines;
  boot::Gate people_gate;
  boot::Gate machines_gate;
  pxe::LearningBook nodes{desk.nodes()};
  pxe::AddressBook addresses;
  pxe::AttributedRequests requests{nodes, addresses, *this, &desk};
  pxe::SiteContent content;
  std::unique_ptr<pxe::dhcp::Engine> dhcp;
  bool is_tick_due = false;
};

ConductorHost::Process::Process(Site& its_site, SimulatedDisk& its_disk, boot::Store& store, Random random)
    : site(its_site),
      disk(its_disk),
      owner(its_site.scheduler.make_owner()),
      random_(random),
      workers(site.scheduler, owner, [this] { tick_soon(k_tick); }),
      conductor({store, drivers, agents, workers, site.scheduler.clock(), log, conductor_settings(), site.directory}),
      desk(conductor, {cat("http://", site.layout.server(), ":6385"), ""}, {}),
      people(conductor, boot::IronicApi::Faces::all, log),
      machines(conductor, boot::IronicApi::Faces::agents, log),
      people_gate({.people = {{"operator", boot::Role::admin, k_admin_token}}, .hosts = {}}, people,
                  site.scheduler.clock(), log),
      machines_gate({.people = {}, .hosts = {}}, machines, site.scheduler.clock(), log),
      content(pxe_site(site), boot_files_in(site.directory), nodes, addresses, [] { return std::string(); }) {
  drivers.add("redfish", std::make_unique<boot::RedfishDriver>(http, site.scheduler.clock()));
  site.rules.started(conductor.ledger());
  conductor.ledger().watch([this](const boot::Committed& what) {
    site.rules.committed(conductor.ledger(), what, disk.is_cut());
    for (const boot::Event& event : what.events) {
      if (event.kind == "retry") ++site.tally.machines[event.title].retries;
      if (event.kind == "failure") ++site.tally.machines[event.title].failures;
    }
  });
  pxe::dhcp::LeaseTable leases;
  for (const pxe::dhcp::Lease& lease : pxe::dhcp::parse_journal(disk.contents(k_leases)).leases) {
    leases.put(lease);
    addresses.put(lease.address, lease.mac);
  }
  std::string lines;
  for (const pxe::dhcp::Lease& lease : leases.all()) lines += pxe::dhcp::journal_line(lease);
  if (!disk.replace(k_leases, lines)) throw Error(ErrorKind::io, "writing leases: no space left on device");
  dhcp = std::make_unique<pxe::dhcp::Engine>(pxe_site(site), nodes, std::move(leases));
  conductor.agents().know_leases([this](const std::string& address) -> std::optional<std::string> {
    const auto known = pxe::parse_ipv4(address);
    const auto mac = known ? addresses.find(*known) : std::nullopt;
    return mac ? std::optional(pxe::to_text(*mac)) : std::nullopt;
  });
  desk.follow();
  serve();
  tick_soon(k_tick);
}

/// Its tasks first: what they work with goes with it.
ConductorHost::Process::~Process() {
  site.dhcp_server = nullptr;
  site.scheduler.end(owner);
}

void ConductorHost::Process::serve() {
  const auto face = [this](HttpHandler& handler) {
    return [this, &handler](const ServedRequest& request, const Network::Reply& reply) {
      ServedResponse response = handler.answer(request);
      if (response.status == 500 && !disk.is_full())
        site.rules.broken(cat(request.method, " ", request.path, " is answered with 500: ", response.body));
      if (request.path == "/v1/nodes/detail" && response.status == 200 && !disk.is_cut())
        site.rules.shown(list_member(json_or_null(response.content()), "nodes"));
      tick_soon(k_tick);
      if (!disk.is_cut()) reply(std::move(response));
    };
  };
  site.network.put_host(site.layout.server(), k_conductor_link, Scheduler::k_world);
  site.network.put_host(site.layout.people(), k_people_link, Scheduler::k_world);
  site.network.listen(site.layout.server(), 6385, owner, face(machines_gate));
  site.network.listen(site.layout.people(), 6385, owner, face(people_gate));
  for (const auto& [port, protocol] :
       {std::pair{std::uint16_t{80}, pxe::Protocol::http}, {std::uint16_t{69}, pxe::Protocol::tftp}}) {
    site.network.listen(site.layout.server(), port, owner,
                        [this, protocol = protocol](const ServedRequest& request, const Network::Reply& reply) {
                          reply(hand_out(request, protocol));
                        });
  }
  site.dhcp_server = [this](const std::string& bytes, const std::string& from, const Site::Reply& back) {
    take_dhcp(bytes, from, back);
  };
}

ServedResponse ConductorHost::Process::hand_out(const ServedRequest& request, pxe::Protocol protocol) {
  const std::optional<std::string> name = pxe::normalise_name(request.path);
  const pxe::Ipv4 client = pxe::parse_ipv4(request.peer).value_or(pxe::Ipv4{});
  if (name && name->starts_with("images/")) return {.body = "a part of an image"};
  if (!name) return plain_response(404);
  auto found = content.open({*name, client, site.layout.network.server, protocol});
  const auto* const file = std::get_if<pxe::Content>(&found);
  requests.record({.protocol = protocol == pxe::Protocol::http ? "http" : "tftp",
                   .client = client,
                   .what = *name,
                   .outcome = file != nullptr ? "done" : std::get<pxe::Refusal>(found).text,
                   .good = file != nullptr});
  tick_soon(k_tick);
  if (file == nullptr) return plain_response(404);
  std::string text = contents_of(*file);
  if (name->starts_with("ipxe/") && text.find("\nkernel ") != std::string::npos && !disk.is_cut())
    site.rules.ramdisk_told(site.network.link_of(request.peer));
  return {.body = std::move(text)};
}

void ConductorHost::Process::take_dhcp(const std::string& bytes, const std::string& from, const Site::Reply& back) {
  const auto message = pxe::dhcp::parse_message(bytes);
  if (!message) return;
  const auto now = unix_seconds(site.scheduler.clock().wall());
  pxe::dhcp::Decision decision = dhcp->handle(*message, {.from = {{}, 68}, .local = site.layout.network.server}, now);
  if (decision.no_room) site.tally.refused.insert(from);
  if (!decision.event.empty())
    requests.record({.protocol = "dhcp",
                     .client = decision.answer ? decision.answer->message.yiaddr : pxe::Ipv4{},
                     .mac = pxe::to_text(message->chaddr),
                     .what = std::string(type_name(message->type())),
                     .outcome = decision.event,
                     .good = decision.good});
  tick_soon(k_tick);
  if (!decision.keep) return answer_dhcp(decision, site.scheduler.now(), from, back);
  if (decision.keep->state == pxe::dhcp::Lease::State::bound) addresses.put(decision.keep->address, decision.keep->mac);
  // As dhcp::Server: the answer leaves when its lease is durable, or not at all.
  site.scheduler.after(random_.between(milliseconds(1), milliseconds(20)), owner,
                       [this, decision = std::move(decision), asked = site.scheduler.now(), from, back] {
                         if (disk.append(k_leases, pxe::dhcp::journal_line(*decision.keep)) && !disk.is_cut())
                           answer_dhcp(decision, asked, from, back);
                       });
}

void ConductorHost::Process::answer_dhcp(const pxe::dhcp::Decision& decision, MonotonicTime asked,
                                         const std::string& to, const Site::Reply& back) {
  if (!decision.answer) return;
  const pxe::dhcp::Message& answer = decision.answer->message;
  site.note("dhcp", to, cat(type_name(answer.type()), " ", pxe::to_text(answer.yiaddr), " ", answer.file));
  if (answer.type() == pxe::dhcp::Type::ack && answer.yiaddr)
    site.rules.leased(to, answer.yiaddr, asked, seconds(dhcp->site().networks[0].lease_s));
  site.network.datagram(k_conductor_link, to,
                        [bytes = write_message(answer, decision.answer->limit), back] { back(bytes); });
}

void ConductorHost::Process::tick_soon(Duration time) {
  if (is_tick_due && time == k_tick) return;
  if (time == k_tick) is_tick_due = true;
  site.scheduler.after(time, owner, [this, soon = time == k_tick] {
    if (soon) is_tick_due = false;
    tick();
    if (!soon) tick_soon(k_idle_tick);
  });
}

void ConductorHost::Process::tick() {
  conductor.tick();
  try {
    desk.tick();
  } catch (const std::exception& error) {
    if (!disk.is_full()) site.rules.broken(cat("the boot desk: ", error.what()));
  }
}

ConductorHost::ConductorHost(Site& site)
    : site_(site), random_(Random::of(site.seed, "conductor")), disk_(site.scheduler, Random::of(site.seed, "disk")) {}

ConductorHost::~ConductorHost() = default;

/// With a full disk it may not come up: it is tried again, as systemd does.
void ConductorHost::start() {
  if (process_) return;
  site_.note("conductor", "conductor", "starts");
  try {
    store_ = std::make_unique<boot::Store>(cat(site_.directory, "/nodes.db"));
    process_ = std::make_unique<Process>(site_, disk_, *store_, Random(random_.next()));
    process_->tick_soon(k_idle_tick);
  } catch (const Error& error) {
    site_.note("conductor", "conductor", cat("is killed, since it can't start: ", error.what()));
    if (!disk_.is_full()) site_.rules.broken(cat("the conductor does not start: ", error.story()));
    end_process(SimulatedDisk::Cut::process);
  }
}

void ConductorHost::strike(SimulatedDisk::Cut cut) {
  if (!process_) return;
  cut_ = cut;
  if (random_.one_in(3)) return end_process(cut);
  // In the next write, or some writes later: else it would mostly be one that follows upon a long silence.
  disk_.cut_after(random_.below(random_.one_in(2) ? 12 : 600), cut);
}

void ConductorHost::look() {
  if (process_ && disk_.is_cut()) end_process(cut_);
}

void ConductorHost::end_process(SimulatedDisk::Cut cut) {
  if (process_)
    site_.note("conductor", "conductor", cut == SimulatedDisk::Cut::power ? "is killed by a power cut" : "is killed");
  if (!disk_.is_cut()) {
    disk_.cut_after(0, cut);
    disk_.freeze();
  }
  process_.reset();
  store_.reset();
  disk_.come_back();
  site_.scheduler.after(random_.between(seconds(1), seconds(30)), Scheduler::k_world, [this] { start(); });
}

bool ConductorHost::is_quiet() const { return process_ && process_->conductor.quiet(); }

}  // namespace hearth::simulation
