#include "bootstrap/conductor/conductor.hpp"

#include <algorithm>
#include <utility>

#include "base/python_json.hpp"
#include "base/sys/file.hpp"
#include "base/sys/random.hpp"
#include "base/text.hpp"
#include "bootstrap/conductor/bmc_steps.hpp"
#include "bootstrap/conductor/config_drive.hpp"
#include "bootstrap/conductor/deploy_steps.hpp"
#include "bootstrap/conductor/image_order.hpp"
#include "bootstrap/conductor/password_hash.hpp"
#include "bootstrap/inventory/driver_words.hpp"
#include "bootstrap/inventory/matching.hpp"
#include "bootstrap/node/root_hints.hpp"
#include "bootstrap/power/consoles.hpp"

namespace hearth::bootstrap {

namespace {

fs::path made(const fs::path& directory) {
  RealFileSystem().make_directories(directory, 0700);
  return directory;
}

/// What its driver is told of its BMC, without what its machine boots.
Json management_of(const Node& node) {
  Json told = Json::object();
  for (const auto& [key, value] : node.driver_info.items()) {
    if (!key.starts_with("deploy_") && !key.starts_with("rescue_") && key != "kernel_append_params") told[key] = value;
  }
  return told;
}

}  // namespace

Conductor::Conductor(Parts parts)
    : settings_(parts.settings),
      ledger_(parts.store, parts.clock, management_id_of),
      drivers_(parts.drivers),
      workers_(parts.workers),
      off_orders_(ledger_.now()),
      jobs_({ledger_, drivers_, parts.agents, workers_, parts.log, settings_, strangers_, busy_, off_orders_,
             made(parts.directory / "agents")}),
      power_({ledger_, drivers_, parts.agents, workers_, parts.log, settings_, strangers_, busy_, off_orders_,
              parts.directory / "agents"}),
      agents_({ledger_, drivers_, parts.agents, workers_, parts.log, settings_, strangers_, busy_, off_orders_,
               parts.directory / "agents"},
              jobs_),
      directory_(parts.directory),
      log_(parts.log) {
  if (!parts.store.put_off().empty()) log_.warning(cat("the rotation of its key is put off: ", parts.store.put_off()));
  for (const auto& [uuid, node] : ledger_.nodes()) {
    if (node.internal.contains("import_to")) importing_.insert(uuid);
  }
  for (const auto& [uuid, why] : ledger_.set_aside()) {
    log_.error(cat("node ", uuid, " is set aside, for its row can't be read: ", why,
                   ". It is left as it is, and the other nodes are served: start the Hearth that wrote it, or put the "
                   "state back from a backup"));
  }
}

const Node& Conductor::node(const std::string& id) const {
  const Node* found = ledger_.find(id);
  if (found == nullptr) throw Refusal(404, cat("Node ", id, " could not be found."));
  return *found;
}

void Conductor::check_words(const Node& node) const {
  const std::vector<std::string> faults = driver_word_faults(node, settings_.rehearsal);
  if (!faults.empty()) throw Refusal(400, join(faults, "; "));
}

Node& Conductor::edit(const std::string& id) { return ledger_.edit(node(id).uuid); }

namespace {

/// Of a cleaning that is to boot no ramdisk: all steps here need one, those of a BMC as Ironic's own do.
std::string ramdisk_fault(const Json& arguments) {
  if (!arguments.is_object() || !arguments.value("disable_ramdisk", false)) return "";
  std::vector<std::string> faults;
  for (const Json& step : list_member(arguments, "clean_steps"))
    faults.push_back(cat("clean step ", python_text(step), " requires booting a ramdisk"));
  return join(faults, "; ");
}

/// By its name, or as the file that `image load` has kept.
bool is_registered(const std::string& image, Store& store) {
  if (store.document(cat("image/", image))) return true;
  const auto images = store.documents("image/");
  return std::ranges::any_of(images, [&](const auto& row) { return text_in(row.second, "file") == image; });
}

/// Whoever takes over a machine that is in use says what is on it: a URL, or an image that the seed has.
void check_adoption(const Node& node, Store& store) {
  const std::string image = text_in(node.instance_info, "image_source");
  if (image.find("://") != std::string::npos || (!image.empty() && is_registered(image, store))) return;
  const std::string why = image.empty()
                              ? "instance_info has no image_source"
                              : cat("image_source ", image, " is neither a URL nor an image of `hearth image list`");
  throw Refusal(400, cat("Node ", node.title(), " can't be adopted: what is on its disk is not known (", why,
                         "); hearth node set ", node.title(), " --instance-info image_source=IMAGE"));
}

/// Before a machine is switched off for it. In Ironic's words where it has them.
void check_steps(const Node& node, Verb verb, const Json& arguments) {
  for (const auto& [of, key] : {std::pair{Verb::clean, "clean_steps"}, {Verb::service, "service_steps"}}) {
    if (verb != of) continue;
    const bool given = arguments.is_object() && arguments.contains(key) && !arguments[key].is_null();
    const bool in_vain = given && verb == Verb::service && arguments[key] == Json::array();
    if (!given || in_vain)
      throw Refusal(400, cat("\"", key, "\" is required when setting target provision state to ", name(verb)));
    if (const std::string fault = asked_form_fault(key, arguments[key]); !fault.empty()) throw Refusal(400, fault);
    for (const Json& step : arguments[key]) {
      const std::string fault = is_bmc_step(node, step) ? bmc_step_fault(node, step_kind(kind_of_work(of)), step) : "";
      if (!fault.empty()) throw Refusal(400, fault);
    }
  }
  if (arguments.is_object() && arguments.contains("deploy_steps")) {
    if (const std::string fault = steps_fault(arguments["deploy_steps"]); !fault.empty()) throw Refusal(400, fault);
  }
}

/// What can be known before a machine is touched is no failure of its node, as in Ironic.
void check_order(const Node& node, const Jobs& jobs) {
  const std::vector<std::string> faults = jobs.faults_of(node, kind_of_work(Verb::deploy));
  if (faults.empty()) return;
  const bool by_hint = !root_device_faults(node.properties).empty();
  throw Refusal(400, cat("Failed to validate deploy or power info for node ", node.title(), ": ", join(faults, "; "),
                         by_hint ? "; hearth node set NODE --property root_device='{\"serial\": \"…\"}'" : "",
                         "; it stays ", name(node.state)));
}

/// A machine is not switched for a ramdisk that nobody has named.
void check_ramdisk(const Node& node, Verb verb, const Json& arguments, const Jobs& jobs) {
  const auto said = [&](const char* key, bool usual) {
    return arguments.is_object() && arguments.contains(key) ? arguments[key] == true : usual;
  };
  const bool boots = verb == Verb::deploy || verb == Verb::rebuild || verb == Verb::rescue || verb == Verb::service ||
                     (verb == Verb::clean && !said("disable_ramdisk", false)) ||
                     (verb == Verb::provide && jobs.cleans(node)) ||
                     (verb == Verb::inspect && said("manage_boot", true));
  const std::string fault = boots ? jobs.ramdisk_fault(node, kind_of_work(verb)) : "";
  if (!fault.empty())
    throw Refusal(400, cat("Failed to validate boot interface for node ", node.title(), ": ", fault, "; it stays ",
                           name(node.state)));
}

}  // namespace

Verb Conductor::check_order_of(const Node& before, const std::string& text, const Json& arguments) {
  const std::optional<Verb> verb = parse_verb(text);
  if (!verb) throw Refusal(400, refusal(text, before.uuid, before.state));
  const bool leads_on =
      *verb == Verb::deploy || *verb == Verb::rebuild || *verb == Verb::rescue || *verb == Verb::clean;
  if (before.maintenance && leads_on) {
    throw Refusal(400, cat("The ", name(*verb), " operation can't be performed on node ", before.uuid,
                           " because it's in maintenance mode."));
  }
  // Before what it is asked with, as in Ironic.
  if (!after(before.state, *verb)) throw Refusal(400, refusal(name(*verb), before.uuid, before.state));
  if (before.fields.value("protected", false) && (*verb == Verb::rebuild || *verb == Verb::undeploy)) {
    throw Refusal(403, cat("Node ", before.uuid, " is protected and can not be undeployed, rebuilt or deleted."));
  }
  if (*verb == Verb::rescue && text_in(arguments, "rescue_password").empty()) {
    throw Refusal(400, "A non-empty \"rescue_password\" is required when setting target provision state to rescue");
  }
  check_steps(before, *verb, arguments);
  if (*verb == Verb::deploy || *verb == Verb::rebuild) check_order(before, jobs_);
  if (*verb == Verb::adopt) check_adoption(before, ledger_.store());
  check_ramdisk(before, *verb, arguments, jobs_);
  check_limit(*verb);
  return *verb;
}

bool Conductor::keep_changed(Node changed) {
  Node& kept = ledger_.edit(changed.uuid);
  const bool is_other = kept.driver != changed.driver || management_of(kept) != management_of(changed);
  kept = std::move(changed);
  return is_other && power_.try_management(kept);
}

void Conductor::record_refusal(const Node& node, const std::string& text, const Refusal& refusal) {
  constexpr std::chrono::minutes k_quiet{10};
  const std::string said = cat(text, " was refused: ", refusal.what());
  const Stamp now = ledger_.now();
  std::erase_if(refused_, [&](const auto& entry) { return now - entry.second.at > microseconds(k_quiet); });
  if (const auto last = refused_.find(node.uuid); last != refused_.end() && last->second.said == said) return;
  refused_[node.uuid] = {said, now};
  ledger_.record(node, "refused", said, {{"verb", text}});
  settle();
}

void Conductor::verb(const std::string& id, const std::string& text, const Json& arguments) {
  const Node& before = node(id);
  check_is_ours(before);
  std::optional<Verb> verb;
  try {
    verb = check_order_of(before, text, arguments);
  } catch (const Refusal& refusal) {
    if (parse_verb(text)) record_refusal(before, text, refusal);
    throw;
  }
  refused_.erase(before.uuid);
  Json given = arguments;
  if (*verb == Verb::rescue) given["rescue_password"] = hashed_password(text_in(arguments, "rescue_password"));
  Node& changed = edit(id);
  jobs_.begin(changed, *verb, given);
  if (const std::string fault = ramdisk_fault(given); *verb == Verb::clean && !fault.empty())
    fail(ledger_, changed, cat("Cannot clean node ", changed.uuid, ": ", fault));
  if (*verb == Verb::abort && changed.state == State::active) go_back(changed);
  if (*verb == Verb::deploy || *verb == Verb::rebuild) {
    if (changed.instance_uuid.empty()) changed.instance_uuid = random_uuid();
    put_config_drive(changed,
                     arguments.is_object() && arguments.contains("configdrive") ? arguments["configdrive"] : Json());
    changed.job.arguments.erase("configdrive");
  }
  settle();
}

/// Of a service that was given up: its machine is not left in the ramdisk, nor off.
void Conductor::go_back(Node& node) {
  node.last_error.clear();
  if (node.internal.erase(k_out_of_system) == 0) return;
  try {
    power_.request(node, PowerAction::reboot, Seconds(0));
    ledger_.record(node, "power", "it is started again, into its own system");
  } catch (const Refusal& refusal) {
    node.last_error = cat("its machine is not in its own system yet (hearth node reboot): ", refusal.what());
  }
}

void Conductor::check_limit(Verb verb) const {
  const bool deploys = verb == Verb::deploy || verb == Verb::rebuild;
  const std::size_t most = deploys                                         ? settings_.max_concurrent_deploy
                           : verb == Verb::clean || verb == Verb::undeploy ? settings_.max_concurrent_clean
                                                                           : 0;
  if (most == 0) return;
  const auto is_one = [deploys](State state) {
    return deploys ? state == State::deploying || state == State::wait_call_back
                   : state == State::deleting || state == State::cleaning || state == State::clean_wait;
  };
  std::size_t found = 0;
  for (const Node* node : ledger_.with_job()) found += is_one(node->state) ? 1 : 0;
  if (found < most) return;
  const char* task = deploys ? "provisioning" : verb == Verb::undeploy ? "unprovisioning" : "cleaning";
  throw Refusal(503, cat("Unable to process request at this time. The concurrent action limit for ", task,
                         " has been reached. Please contact your administrator and try again later."));
}

void Conductor::put_config_drive(Node& node, const Json& given) {
  if (given.is_string()) {
    node.instance_info["configdrive"] = given;
    return;
  }
  Json contents = given;
  if (contents.is_null()) {
    const std::string role = role_of(node);
    const std::optional<Json> of_role = role.empty() ? std::nullopt : ledger_.store().document(cat("role/", role));
    contents = drive_contents(node, of_role.value_or(Json::object()));
    if (contents.is_null()) return;
  } else if (!contents.contains("meta_data")) {
    contents["meta_data"] = {{"uuid", node.instance_uuid}, {"name", node.title()}, {"hostname", node.title()}};
  }
  node.instance_info["configdrive"] = config_drive(contents);
}

void Conductor::power(const std::string& id, const std::string& target, Seconds patience) {
  const std::optional<PowerAction> action = parse_power_action(target);
  if (!action) throw Refusal(400, cat("Invalid power state target ", target));
  power_.request(edit(id), *action, patience);
  settle();
}

void Conductor::ask_boot_device(const std::string& id, PowerWatch::Answered answered) {
  power_.ask_boot_device(node(id), std::move(answered));
  settle();
}

void Conductor::set_boot_device(const std::string& id, const std::string& device, bool persistent,
                                PowerWatch::Answered answered) {
  power_.set_boot_device(edit(id), device, persistent, std::move(answered));
  settle();
}

void Conductor::inject_nmi(const std::string& id, PowerWatch::Answered answered) {
  power_.inject_nmi(edit(id), std::move(answered));
  settle();
}

void Conductor::set_boot_mode(const std::string& id, const std::string& mode) {
  power_.set_boot_mode(edit(id), mode);
  settle();
}

void Conductor::set_secure_boot(const std::string& id, bool on) {
  power_.set_secure_boot(edit(id), on);
  settle();
}

void Conductor::set_maintenance(const std::string& id, bool on, const std::string& reason) {
  Node& changed = edit(id);
  changed.maintenance = on;
  changed.maintenance_reason = on ? reason : "";
  if (!on) changed.fault.clear();
  if (!on) changed.internal.erase("power_sync_failures");
  ledger_.record(changed, "maintenance", on ? cat("in maintenance: ", reason) : "back in service");
  settle();
}

void Conductor::give(const std::string& id, const std::string& to, bool for_good) {
  const Node& before = node(id);
  const std::string owner = given_to(before);
  if (owner == to && (!for_good || before.internal.contains(k_given_for_good))) return;
  if (owner == to) {
    Node& changed = edit(id);
    changed.internal[k_given_for_good] = true;
    ledger_.record(changed, "given", cat("its machine is ", to, "'s for good"));
    return settle();
  }
  check_is_ours(before);
  if (before.job.running() || busy_.contains(before.uuid) || importing_.contains(before.uuid) ||
      is_to_be_switched(before))
    throw Refusal(409, cat("Node ", before.title(), " is being worked on, or is to be switched; it can be given away ",
                           "when that is done."));
  if (const Stamp until = off_orders_.stray_until(before, ledger_.now()); until != 0)
    throw Refusal(
        409, cat("Node ", before.title(), " can't be given away yet: its BMC may still carry out what was ",
                 "ordered before the conductor was killed, until ", text_of(stamp_json(until)).substr(0, 19), " UTC"));
  Node& changed = edit(id);
  changed.internal[k_given_to] = to;
  if (for_good) changed.internal[k_given_for_good] = true;
  ledger_.record(changed, "given", cat("its machine is given to ", to, ", which alone gives it orders from now on"));
  settle();
}

void Conductor::take_back(const std::string& id) {
  if (given_to(node(id)).empty()) return;
  if (node(id).internal.contains(k_given_for_good))
    throw Refusal(409, cat("Node ", node(id).title(), " was given to ", given_to(node(id)), " for good."));
  Node& changed = edit(id);
  const std::string owner = given_to(changed);
  changed.internal.erase(k_given_to);
  const PowerDriver* driver = drivers_.find(changed.driver);
  // Whoever had it may have switched it: that is looked at, and nothing forced.
  if (driver != nullptr && !driver->by_hand()) changed.power = Power::unknown;
  ledger_.record(changed, "given", cat("its machine is ours again; ", owner, " had it"));
  settle();
}

void Conductor::set_console(const std::string& id, bool on) {
  if (const std::string fault = console_fault(node(id)); !fault.empty()) throw Refusal(400, fault);
  if (node(id).fields.value("console_enabled", false) == on) return;
  Node& changed = edit(id);
  changed.fields["console_enabled"] = on;
  ledger_.record(changed, "console", on ? "its console is switched on" : "its console is switched off");
  settle();
}

std::vector<std::pair<std::string, std::string>> Conductor::validate(const std::string& id) const {
  const Node& checked = node(id);
  const PowerDriver* driver = drivers_.find(checked.driver);
  std::vector<std::string> power =
      driver == nullptr ? std::vector{cat("there is no driver ", checked.driver)} : driver->missing(checked);
  std::vector<std::string> boot;
  const std::string stranger = checked.ports.empty() ? "the node has no port: by no card its machine is known" : "";
  if (!stranger.empty()) boot.push_back(stranger);
  const bool has_sites = settings_.site_ramdisks && settings_.site_ramdisks->contains("deploy");
  for (const char* key : {"deploy_kernel", "deploy_ramdisk"}) {
    if (checked.info(key).empty() && !has_sites)
      boot.push_back(cat("driver_info has no ", key, "; hearth baremetal configure boot sets it"));
  }
  const std::string power_text = join(power, "; ");
  const std::string boot_text = join(boot, "; ");
  const std::string deploy = join(image_faults(checked), "; ");
  const auto by_redfish = [&](const char* part) {
    return step_interface(checked, part) == "redfish" ? power_text : std::string("unsupported");
  };
  return {{"bios", by_redfish("bios")},
          {"boot", boot_text},
          {"console", has_console(checked) ? console_fault(checked) : "unsupported"},
          {"deploy", deploy},
          {"firmware", by_redfish("firmware")},
          {"inspect", stranger},
          {"management", power_text},
          {"network", ""},
          {"power", power_text},
          {"raid", by_redfish("raid")},
          {"rescue", boot_text},
          {"storage", ""}};
}

void Conductor::seen(const std::string& mac, const std::string& how, Sign sign) {
  const Node* found = ledger_.by_mac(mac);
  if (found == nullptr) {
    strangers_.note(mac, how, ledger_.now());
    return;
  }
  strangers_.forget(mac);
  const bool boots = sign == Sign::boots;
  const bool is_first = found->seen < found->provision_updated;  // since it came to this state
  const bool news = sign != Sign::asks || !found->instruction.action.empty() || is_first;
  if (!news && ledger_.now() - found->seen < microseconds(Seconds(30))) return;
  Node& changed = ledger_.edit(found->uuid);
  heard_from(ledger_, changed, how);
  if (boots) {
    ledger_.record(changed, "boot", cat("asks the network for its boot: ", how));
    jobs_.booted_again(changed);
  }
  settle();
}

void Conductor::instruction_done(const std::string& id) {
  Node& changed = edit(id);
  lift_instruction(ledger_, changed, "somebody said so");
  settle();
}

void Conductor::settle() { static_cast<void>(settle(0)); }

void Conductor::settle_wholly() {
  settle();
  for (int again = 0; again < 2; ++again) {
    jobs_.look();
    settle(k_all);
  }
}

bool Conductor::settle(std::size_t most) {
  const bool more = jobs_.advance_all(most);
  bring_all_on();
  try {
    ledger_.commit();
  } catch (const std::exception&) {
    jobs_.drop_pending();
    power_.drop_pending();
    look_at_all_imports_ = true;
    throw;
  }
  dispatch();
  return more;
}

void Conductor::dispatch() {
  jobs_.dispatch();
  power_.dispatch();
}

void Conductor::became_durable() {
  ledger_.tell_kept();
  if (ledger_.is_committed()) dispatch();
}

namespace {

/// Nodes that are worked on before others get the thread: a change of one, with its events, is a fifth of a
/// millisecond.
constexpr std::size_t k_at_once = 16;

}  // namespace

void Conductor::tick() {
  // A result can lead to the next stage at once; whoever ticks has other things to do, too.
  static_cast<void>(as_far_as_possible([this] {
    look_at_time();
    for (int round = 0; round < 4 && go_on(k_all); ++round) continue;
    return false;
  }));
}

bool Conductor::begin_tick() {
  return as_far_as_possible([this] {
    look_at_time();
    return go_on(k_at_once);
  });
}

bool Conductor::go_on() {
  return as_far_as_possible([this] { return go_on(k_at_once); });
}

bool Conductor::as_far_as_possible(const std::function<bool()>& step) try {
  if (!ledger_.store().trouble().empty()) return false;  // nothing is decided that can't be kept
  return step();
} catch (const std::exception& error) {  // a full disk, mostly: tried again at the next tick, told now and then
  if (complaints_.take(MonotonicTime(std::chrono::microseconds(ledger_.now()))))
    log_.error(cat("nothing can be kept, so nothing goes on: ", error.what()));
  return false;
}

void Conductor::look_at_time() {
  keep_key();
  forget_old_events();
  jobs_.look();
  looks_at_power_ = true;
}

bool Conductor::go_on(std::size_t most) {
  const bool news = workers_.collect(most);
  if (std::exchange(looks_at_power_, false)) power_.look();
  const bool more = settle(most);
  return news || more;
}

void Conductor::keep_key() {
  const Stamp now = ledger_.now();
  if (now < key_next_) return;
  key_next_ = now + microseconds(Seconds(1));
  try {
    if (ledger_.store().put_back_key())
      log_.warning("the file of keys that open the conductor's database was removed, and was put back");
    lacks_key_ = false;
  } catch (const Error& error) {
    if (!std::exchange(lacks_key_, true))
      log_.error(cat("the keys that open the conductor's database are lost when it ends: ", error.story()));
  }
  take_new_key(now);
}

/// What can't be done just now is tried again.
void Conductor::take_new_key(Stamp now) {
  const bool again = now >= key_again_;
  if (again) key_again_ = now + microseconds(Seconds(60));
  try {
    if (ledger_.store().seal_anew(again)) log_.info("the conductor's database is sealed with the new key");
  } catch (const Error& error) {
    log_.warning(cat("the conductor's database stays sealed with the former key: ", error.story()));
  }
}

void Conductor::forget_old_events() {
  const Stamp now = ledger_.now();
  if (now < forget_next_ || settings_.keep_events == 0) return;
  forget_next_ = now + microseconds(Seconds(600));
  ledger_.store().keep_events(settings_.keep_events);
}

std::vector<std::string> Conductor::asked_nodes() const {
  std::vector<std::pair<Stamp, std::string>> asked;
  for (const auto& [uuid, since] : busy_) {
    const Node* const node = ledger_.by_uuid(uuid);
    if (node != nullptr) asked.emplace_back(since, node->title());
  }
  std::sort(asked.begin(), asked.end());
  std::vector<std::string> names;
  for (auto& [since, title] : asked) names.push_back(std::move(title));
  return names;
}

bool Conductor::quiet() const { return workers_.idle() && jobs_.idle() && importing_.empty() && !jobs_.has_work(); }

}  // namespace hearth::bootstrap
