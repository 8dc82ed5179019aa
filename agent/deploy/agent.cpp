#include "agent/deploy/agent.hpp"

#include <algorithm>

#include "agent/deploy/rest/face.hpp"
#include "agent/deploy/root_device.hpp"
#include "agent/deploy/spread/giving.hpp"
#include "base/byte_order.hpp"
#include "base/error.hpp"
#include "base/sys/random.hpp"
#include "base/text.hpp"

namespace hearth::agent::deploy {

namespace {

constexpr Duration k_longest_lookup_pause = std::chrono::seconds(60);
constexpr Duration k_progress_period = std::chrono::seconds(2);
constexpr Duration k_last_words = std::chrono::seconds(2);  ///< for answers that are under way when the machine ends
constexpr int k_inspection_attempts = 5;

/// Machines that start together shall not ask together.
double random_between(double low, double high) {
  constexpr double k_steps = 4294967296.0;
  return low + (high - low) * static_cast<double>(get_le(random_bytes(4), 0, 4)) / k_steps;
}

Duration seconds(double value) { return std::chrono::duration_cast<Duration>(std::chrono::duration<double>(value)); }

std::string percent(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? human_bytes(part) : cat(part * 100 / whole, " %");
}

}  // namespace

Json inspection_data(Machine& machine, const std::string& boot_mac) {
  Json data = {{"inventory", machine.inventory()}, {"root_disk", nullptr}};
  try {
    data["root_disk"] = disk_json(choose_root_device(machine.disks(), Json::object()));
  } catch (const Error&) {
    data["root_disk"] = nullptr;  // no disk is a finding, too
  }
  data["boot_interface"] = boot_mac.empty() ? Json(nullptr) : Json(boot_mac);
  data["configuration"] = {{"collectors", {"default", "pci-devices"}},
                           {"managers", {{{"name", "generic_hardware_manager"}, {"version", "1.2"}}}}};
  data["pci_devices"] = machine.pci_devices();
  data["error"] = nullptr;
  return data;
}

std::vector<std::string> Agent::macs() {
  std::vector<std::string> macs;
  for (const Nic& nic : world_.machine.nics()) macs.push_back(nic.mac);
  return macs;
}

bool Agent::report(const Json& data) {
  Conductor reporter(world_.http, world_.clock, "", trust());
  try {
    const bool taken = reporter.report_inspection(settings_.inspection_url, data);
    world_.console.say(taken ? "the inspection was reported" : "the inspection was refused; going on without it");
    return true;
  } catch (const Error& error) {
    world_.console.say(error.what());
    return false;
  }
}

void Agent::inspect() {
  const Json data = inspection_data(world_.machine, settings_.boot_mac);
  for (int attempt = 1; attempt <= k_inspection_attempts; ++attempt) {
    if (report(data)) return;
    world_.clock.sleep(std::chrono::seconds(5));
  }
  world_.console.say("the inspection will be reported with the next heartbeats");
  unreported_ = data;
}

LookedUp Agent::find_conductor() {
  const Deadline deadline = Deadline::after(settings_.lookup_timeout, world_.clock);
  Duration pause = settings_.lookup_interval;
  std::string problem = "no conductor is named on the kernel command line";
  while (true) {
    for (const std::string& url : settings_.api_urls) {
      try {
        conductor_.emplace(world_.http, world_.clock, url, trust());
        conductor_->greet();
        return conductor_->look_up(macs(), settings_.node_uuid);
      } catch (const Error& error) {
        if (problem != error.what()) world_.console.say(cat(url, ": ", error.what()));
        problem = error.what();
      }
    }
    if (deadline.passed(world_.clock.now()) || settings_.api_urls.empty()) break;
    world_.clock.sleep(seconds(std::chrono::duration<double>(pause).count() * random_between(0.75, 1.25)));
    pause = std::min<Duration>(pause * 2, k_longest_lookup_pause);
  }
  throw Error(ErrorKind::not_found, cat("no conductor knows this machine (", join(macs(), ", "), "): ", problem))
      .hint(
          "Enrol the machine with one of these addresses, bring it into a state in which it waits for its agent\n"
          "(deploy, clean, inspect), and check ipa-api-url on the kernel command line.");
}

void Agent::report_writing(const Conductor::Heartbeat& beat, const std::string& progress_url) {
  Json report = progress_json(session_);
  report["node_uuid"] = beat.uuid;
  report["agent_token"] = beat.token;
  const bool spreads = session_.spread.peers.stripes() > 0;
  if (spreads) report["faults"] = session_.spread.peers.take_faults();
  const Json answer = conductor_->report_progress(progress_url, report);
  if (!spreads) return;
  if (answer.is_null()) return session_.spread.peers.keep_faults(report["faults"]);
  if (answer.contains("peers")) session_.spread.peers.follow(parse_peers(answer["peers"]));
}

void Agent::beat_until_ended(const Conductor::Heartbeat& beat, const LookedUp& found) {
  MonotonicTime next = world_.clock.now();
  MonotonicTime next_line = next;
  while (session_.ending == Ending::none) {
    if (world_.clock.now() >= next) {
      Duration pause = seconds(static_cast<double>(found.heartbeat_timeout.count()) * random_between(0.3, 0.6));
      if (!unreported_.is_null() && report(unreported_)) unreported_ = nullptr;
      try {
        conductor_->beat(beat);
      } catch (const Error& error) {
        world_.console.say(error.what());
        pause = seconds(random_between(5, 10));
      }
      next = world_.clock.now() + pause;
    }
    const bool writing = session_.writing;
    const Duration until = std::min<Duration>(next - world_.clock.now(), writing || !found.progress_url.empty()
                                                                             ? k_progress_period
                                                                             : Duration(std::chrono::seconds(1)));
    if (!surroundings_.wait(std::max<Duration>(until, std::chrono::milliseconds(1)))) next = world_.clock.now();
    if (writing && world_.clock.now() >= next_line) {
      world_.console.say(cat("written ", percent(session_.progress.fetched, session_.progress.to_fetch)));
      next_line = world_.clock.now() + std::chrono::seconds(10);
    }
    if (writing && !found.progress_url.empty()) {
      report_writing(beat, found.progress_url);
    }
  }
}

void Agent::serve(const LookedUp& found) {
  const std::string token = settings_.token.empty() ? found.token : settings_.token;
  CommandBoard board(
      order_rows(world_, session_), [this] { surroundings_.wake(); }, surroundings_.beside());
  FaceState state;
  state.started_at = std::chrono::duration<double>(world_.clock.wall().time_since_epoch()).count();
  state.version = HEARTH_VERSION;
  state.token = token;
  state.progress = [this] { return progress_json(session_); };
  session_.spread.peers.blamed = [this] { surroundings_.wake(); };
  state.give = [this, token](const ServedRequest& request) {
    return give_frames(request, token, session_.spread.shelf);
  };
  const std::string host = settings_.advertise_host.empty()
                               ? surroundings_.address_towards(parse_url(conductor_->url()).value_or_throw())
                               : settings_.advertise_host;
  if (host.empty())
    throw Error(ErrorKind::io, cat("this machine has no address from which ", conductor_->url(), " is reached"));
  std::optional<TlsIdentity> tls;
  if (conductor_->takes_certificates() && !settings_.plain) tls.emplace(host);
  const std::shared_ptr<void> port = surroundings_.listen(
      settings_.listen_port, [&](const ServedRequest& request) { return answer_request(request, board, state); },
      tls ? &*tls : nullptr, [&state](const ServedRequest& request) { return admits_long_body(request, state); });
  const std::string url = cat(tls ? "https://" : "http://", host, ":", settings_.advertise_port);
  world_.console.say(cat("waiting for orders at ", url));
  beat_until_ended({found.uuid(), url, token, tls ? tls->certificate() : ""}, found);
  world_.clock.sleep(k_last_words);
}

Ending Agent::run() {
  if (!settings_.inspection_url.empty()) inspect();
  const LookedUp found = find_conductor();
  world_.console.say(cat("this machine is node ", found.uuid(), " of ", conductor_->url()));
  if (found.token_known && settings_.token.empty()) {
    throw Error(ErrorKind::input,
                "the conductor has given this node's token before: to an earlier agent, or to another machine")
        .hint(
            "Have the conductor start the node's deployment anew; if it happens again, two machines claim one "
            "address.");
  }
  session_.node = found.node;
  session_.verify_tls = !settings_.insecure;
  session_.image_key = settings_.image_key.empty() ? found.image_key : settings_.image_key;
  session_.disk_wait_attempts = settings_.disk_wait_attempts;
  session_.disk_wait_delay = settings_.disk_wait_delay;
  serve(found);
  return session_.ending;
}

}  // namespace hearth::agent::deploy
