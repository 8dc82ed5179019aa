#include "simulation/world.hpp"

#include <deque>
#include <utility>

#include "base/error.hpp"
#include "base/sys/file.hpp"
#include "base/sys/stop_signals.hpp"
#include "bootstrap/rehearse/redfish_face.hpp"
#include "pxe/dhcp/message.hpp"

namespace hearth::simulation {

namespace {

using bootstrap::RedfishFace;
using std::chrono::milliseconds;
using std::chrono::seconds;

/// How a machine's BMC is just now; more than one trouble at a time is counted.
struct BmcState {
  int slow = 0;
  int hung = 0;
  int closed = 0;
  int lies = 0;
  bool has_other_password = false;
};

/// From when a fault begins while all is well to when all is so again.
class Outages {
 public:
  explicit Outages(Tally& tally) : tally_(tally) {}
  void begins(FaultKind kind, Duration now) {
    if (!is_well_ || !tally_.converged) return;
    while (!causes_.empty() && now - causes_.front().since > k_until_seen) pass_unseen();
    causes_.push_back({kind, now});
  }
  /// What the person sees.
  void look(bool is_well, Duration now) {
    if (is_well == is_well_) return;
    is_well_ = is_well;
    if (is_well && !tally_.converged) {
      tally_.converged = now;
    } else if (is_well) {
      share(now);
    } else {
      while (causes_.size() > 1 && now - causes_.front().since > k_until_seen) pass_unseen();
    }
  }
  /// What has passed unseen until now will not be seen.
  void end(Duration now) {
    if (!is_well_) share(now);
    while (!causes_.empty()) pass_unseen();
  }

 private:
  static constexpr Duration k_until_seen = std::chrono::minutes(2);  ///< people look every 90 s, and are answered late
  struct Cause {
    FaultKind kind;
    Duration since;
  };
  /// Which of them it was nobody knows: to each its part of the time since it began.
  void share(Duration now) {
    const auto count = static_cast<std::int64_t>(causes_.size());
    for (const Cause& cause : causes_) tally_.recoveries.push_back({cause.kind, (now - cause.since) / count});
    causes_.clear();
  }
  void pass_unseen() {
    tally_.recoveries.push_back({causes_.front().kind, Duration(0)});
    causes_.pop_front();
  }
  Tally& tally_;
  std::deque<Cause> causes_;  ///< what has begun since all was well, and may be seen yet
  bool is_well_ = false;
};

class World {
 public:
  explicit World(const Wish& wish);
  [[nodiscard]] Played play();

 private:
  void make_machines();
  void serve_bmc(std::size_t number);
  void answer_as_bmc(std::size_t number, const ServedRequest& request, const Network::Reply& reply);
  void visit();
  void begin(const Fault& fault, bool is_on);
  [[nodiscard]] bool is_well() const;

  Wish wish_;
  const std::shared_ptr<const Layout> layout_;
  Tally tally_;
  TempDir directory_ = TempDir::create(wish_.directory, "hearth-simulation-");
  Scheduler scheduler_;
  Calls calls_;
  Trace trace_;
  Network network_;
  Rules rules_;
  Site site_;
  Random bmc_random_;
  std::vector<std::unique_ptr<Machine>> machines_;
  Racks racks_{machines_};
  std::vector<BmcState> bmcs_;
  std::vector<std::unique_ptr<RedfishFace>> faces_;
  std::unique_ptr<ConductorHost> conductor_;
  std::unique_ptr<Person> person_;
  Outages outages_{tally_};
  int lossy_ = 0, slow_ = 0, full_ = 0, twice_ = 0, lost_ = 0;
  std::map<std::string, int> cut_;
};

World::World(const Wish& wish)
    : wish_(wish),
      layout_(wish.layout ? wish.layout : std::make_shared<const Layout>(drawn_layout(wish.seed, wish.machines))),
      calls_(scheduler_.clock(), wish.seed),
      trace_(wish.keep, directory_.path().string()),
      network_(scheduler_, trace_, Random::of(wish.seed, "network")),
      rules_(scheduler_, trace_),
      site_{scheduler_, network_, trace_, rules_, *layout_, tally_, wish.seed, directory_.path().string()},
      bmc_random_(Random::of(wish.seed, "bmc")) {
  wish_.machines = layout_->machines.size();
  if (!wish_.faults) wish_.faults = faults_of(wish.seed, wish_.machines, wish.trouble);
  for (const char* name : {"undionly.kpxe", "snponly.efi", "shimx64.efi", "grubx64.efi", "kernel", "ramdisk"})
    RealFileSystem().write(directory_.path() / name, name, {.mode = 0644, .uid = {}, .gid = {}});
  make_machines();
  conductor_ = std::make_unique<ConductorHost>(site_);
  person_ = std::make_unique<Person>(site_, machines_);
}

void World::make_machines() {
  bmcs_.resize(wish_.machines);
  for (std::size_t number = 0; number < wish_.machines; ++number) {
    machines_.push_back(std::make_unique<Machine>(site_, number));
    const std::string& name = machines_.back()->name();
    faces_.push_back(
        std::make_unique<RedfishFace>(racks_, RedfishFace::Account{"admin", cat("password of ", name)}, name));
    serve_bmc(number);
  }
  site_.mend_password = [this](std::size_t number) { bmcs_.at(number).has_other_password = false; };
}

void World::serve_bmc(std::size_t number) {
  network_.put_host(layout_->bmc(number), bmc_link(number), Scheduler::k_world);
  network_.listen(layout_->bmc(number), 80, Scheduler::k_world,
                  [this, number](const ServedRequest& request, const Network::Reply& reply) {
                    const BmcState& bmc = bmcs_[number];
                    if (bmc.hung > 0) return;
                    const Duration time = bmc.slow > 0 ? bmc_random_.between(seconds(5), seconds(50))
                                                       : bmc_random_.between(milliseconds(20), milliseconds(400));
                    scheduler_.after(time, Scheduler::k_world, [this, number, request, reply] {
                      if (bmcs_[number].hung == 0) answer_as_bmc(number, request, reply);
                    });
                  });
}

void World::answer_as_bmc(std::size_t number, const ServedRequest& request, const Network::Reply& reply) {
  const BmcState& bmc = bmcs_[number];
  if (bmc.has_other_password) {
    RedfishFace other(racks_, {"admin", "another password"}, machines_[number]->name());
    return reply(other.answer(request));
  }
  const bool is_reset = request.method == "POST" && request.path.find("ComputerSystem.Reset") != std::string::npos;
  if (is_reset && bmc.lies > 0 && bmc_random_.one_in(2)) return reply({204, "", {}, ""});
  if (is_reset && machines_[number]->is_on() && text_member(json_or_null(request.body), "ResetType") == "ForceOff")
    site_.rules.switched_off(machines_[number]->name());
  ServedResponse response = faces_[number]->answer(request);
  if (bmc.lies > 0 && request.method == "GET" && bmc_random_.one_in(4)) {
    Json told = json_or_null(response.content());
    if (told.contains("PowerState")) {
      told["PowerState"] = machines_[number]->is_on() ? "Off" : "On";
      response.body = format_json(told);
    }
  }
  reply(std::move(response));
}

void World::begin(const Fault& fault, bool is_on) {
  trace_.note(scheduler_.elapsed(), "FAULT", "", cat(is_on ? "begins: " : "ends: ", text_of(fault, layout_->names())));
  if (fault.machine >= machines_.size()) return;
  if (is_on) outages_.begins(fault.kind, scheduler_.elapsed());
  Machine& machine = *machines_[fault.machine];
  BmcState& bmc = bmcs_[fault.machine];
  const int step = is_on ? 1 : -1;
  const auto cut = [&](const std::string& link) { network_.cut(link, (cut_[link] += step) > 0); };
  switch (fault.kind) {
    case FaultKind::kill_conductor:
      if (is_on) conductor_->kill();
      return;
    case FaultKind::power_cut:
      if (is_on) conductor_->cut_power();
      return;
    case FaultKind::full_disk: conductor_->fill_disk((full_ += step) > 0); return;
    case FaultKind::lossy_net: network_.lose((lossy_ += step) > 0 ? 20 : 0); return;
    case FaultKind::slow_net: network_.slow((slow_ += step) > 0 ? Duration(seconds(2)) : Duration(0)); return;
    case FaultKind::lost_answers: network_.lose_answers((lost_ += step) > 0 ? 33 : 0); return;
    case FaultKind::cut_machine: cut(machine.name()); return;
    case FaultKind::cut_bmc: cut(bmc_link(fault.machine)); return;
    case FaultKind::slow_bmc: bmc.slow += step; return;
    case FaultKind::hung_bmc: bmc.hung += step; return;
    case FaultKind::lying_bmc: bmc.lies += step; return;
    case FaultKind::closed_bmc:
      bmc.closed += step;
      return bmc.closed > 0 ? network_.close(layout_->bmc(fault.machine), 80) : serve_bmc(fault.machine);
    case FaultKind::wrong_password:
      if (is_on) bmc.has_other_password = true;
      return;
    case FaultKind::power_loss:
      if (is_on) machine.lose_power();
      return;
    case FaultKind::dead_disk:
      if (is_on) machine.kill_disk();
      return;
    case FaultKind::slow_boot: machine.boot_slowly(is_on ? Duration(std::chrono::minutes(8)) : Duration(0)); return;
    case FaultKind::site_power:
      for (const auto& one : machines_) one->lose_power();
      return;
    case FaultKind::twice: person_->is_doubtful((twice_ += step) > 0); return;
    case FaultKind::wrong_order:
      if (is_on) person_->err(fault.machine);
      return;
  }
}

/// Somebody's computer asks for an address, with a card that nobody knows, and is gone again.
void World::visit() {
  namespace dhcp = pxe::dhcp;
  if (wish_.strangers == 0) return;
  auto random = std::make_shared<Random>(Random::of(wish_.seed, "visitors"));
  const Duration longest = Duration(std::chrono::hours(2)) / wish_.strangers;
  scheduler_.start(Scheduler::k_world, [this, random, longest] {
    const MonotonicTime end = scheduler_.now() + wish_.trouble;
    for (std::uint8_t number = 1; scheduler_.now() < end; ++number) {
      scheduler_.sleep(random->between(longest / 40, longest));
      dhcp::Message question;
      question.chaddr = {{0x52, 0x54, 0xff, 0, 0, number}};
      question.flags = 0x8000;
      question.set_byte(dhcp::option::type, static_cast<std::uint8_t>(dhcp::Type::discover));
      const std::string name = cat("visitor", static_cast<int>(number));
      const auto took = std::make_shared<bool>(false);
      const auto ask = [this, name](const dhcp::Message& message, const Site::Reply& reply) {
        network_.datagram(name, k_conductor_link, [this, name, bytes = write_message(message, 1472), reply] {
          if (site_.dhcp_server) site_.dhcp_server(bytes, name, reply);
        });
      };
      ask(question, [question, ask, took](const std::string& bytes) mutable {
        const auto offer = dhcp::parse_message(bytes);
        if (!offer || offer->type() != dhcp::Type::offer || std::exchange(*took, true)) return;
        question.set_byte(dhcp::option::type, static_cast<std::uint8_t>(dhcp::Type::request));
        question.set_address(dhcp::option::requested_address, offer->yiaddr);
        ask(question, [](const std::string&) {});
      });
    }
  });
}

bool World::is_well() const { return person_->is_content() && conductor_->is_quiet(); }

Played World::play() {
  conductor_->start();
  person_->start();
  visit();
  for (const Fault& fault : *wish_.faults) {
    scheduler_.after(fault.begin, Scheduler::k_world, [this, fault] { begin(fault, true); });
    if (fault.length > Duration(0))
      scheduler_.after(fault.begin + fault.length, Scheduler::k_world, [this, fault] { begin(fault, false); });
  }
  const MonotonicTime trouble_ends = scheduler_.now() + wish_.trouble;
  const MonotonicTime end = trouble_ends + wish_.patience;
  std::uint64_t events = 0;
  bool is_enough = false;
  while (!rules_.first() && !is_enough && scheduler_.step(end)) {
    ++events;
    StopSignals::check();
    conductor_->look();
    outages_.look(person_->is_content(), scheduler_.elapsed());
    if (scheduler_.now() > trouble_ends && is_well()) break;
    is_enough = wish_.enough && wish_.enough(trace_.lines());
  }
  if (!rules_.first() && !is_enough && !is_well())
    rules_.broken(cat(fixed(seconds_in(wish_.patience) / 3600, 1), " h after the last fault: ", person_->worry()));
  Played played{
      rules_.first().value_or(""), trace_.digest(), scheduler_.elapsed(), events, *wish_.faults, trace_.lines(), {}};
  outages_.end(scheduler_.elapsed());
  played.tally = std::move(tally_);
  return played;
}

}  // namespace

Played play(const Wish& wish) { return World(wish).play(); }

}  // namespace hearth::simulation
