#include "bootstrap/why/causes/node_causes.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "bootstrap/why/causes/boot_causes.hpp"
#include "bootstrap/why/causes/known_errors.hpp"

namespace hearth::bootstrap::why {

namespace {

/// How long an agent that works may say nothing before that is told.
constexpr Stamp k_silence = 90'000'000;

/// An object, empty where it is anything else: other conductors leave out, or say null.
Json object_in(const Json& from, std::string_view key) {
  const auto found = from.is_object() ? from.find(std::string(key)) : from.end();
  return from.is_object() && found != from.end() && found->is_object() ? *found : Json::object();
}

/// How long a BMC may take for its answer before that is told, in seconds.
constexpr long k_patience_with_bmc = 5;

/// What a command is called that asks for what Ironic's API calls so.
std::string verb_word(const std::string& verb) {
  return verb == "active" ? "deploy" : verb == "deleted" ? "undeploy" : verb;
}

/// "85 MiB of 123 MiB fetched, 764 MiB written", of what an agent tells.
std::string progress_text(const Json& progress) {
  const auto bytes = [&](const char* key) {
    const Json& value = member_or_null(progress, key);
    return value.is_number_unsigned() || (value.is_number_integer() && value >= 0)
               ? human_bytes(value.get<std::uint64_t>())
               : std::string();
  };
  std::vector<std::string> parts;
  const std::string whole = bytes("to_fetch");
  if (const std::string fetched = bytes("fetched"); !fetched.empty())
    parts.push_back(cat(fetched, whole.empty() ? "" : cat(" of ", whole), " fetched"));
  if (const std::string written = bytes("written"); !written.empty()) parts.push_back(cat(written, " written"));
  return parts.empty() ? cat("progress: ", format_json(progress)) : cat("progress: ", join(parts, ", "));
}

class NodeReader {
 public:
  explicit NodeReader(const NodeFacts& facts)
      : facts_(facts),
        name_(text_in(facts.node, "name", text_in(facts.node, "uuid"))),
        state_(parse_state(text_in(facts.node, "provision_state"))),
        internal_(object_in(facts.node, "driver_internal_info")) {}

  std::vector<Finding> causes() {
    const bool is_at_work = is(StateKind::working) || is(StateKind::waiting);
    if (facts_.unkept && is_at_work) found_.push_back(*facts_.unkept);
    if (!facts_.is_served && is_at_work) found_.push_back(unserved());
    maintenance();
    instruction();
    held_power();
    const std::string error = text_in(facts_.node, "last_error");
    const std::string before = is(StateKind::failed) ? error_of_state() : "";
    if (!before.empty()) failure(before);
    if (!error.empty() && error != before) {
      failure(error);
    } else if (is_at_work) {
      if (found_.empty() || !is_for_people()) work();
    }
    refusal();
    if (facts_.unkept && !is_at_work) found_.push_back(*facts_.unkept);
    if (found_.empty()) found_.push_back(at_rest());
    return once_each();
  }

 private:
  /// What a node is in maintenance for may be its last error, too: one cause, with the evidence of both.
  [[nodiscard]] std::vector<Finding> once_each() const {
    std::vector<Finding> told;
    for (const Finding& finding : found_) {
      const auto same =
          std::find_if(told.begin(), told.end(), [&](const Finding& one) { return one.cause == finding.cause; });
      if (same == told.end()) {
        told.push_back(finding);
        continue;
      }
      for (const std::string& line : finding.evidence) {
        if (std::find(same->evidence.begin(), same->evidence.end(), line) == same->evidence.end())
          same->evidence.push_back(line);
      }
    }
    return told;
  }

  /// Of a state that this program does not know, nothing is said but its name.
  [[nodiscard]] bool is(StateKind kind) const { return state_ && kind_of(*state_) == kind; }

  [[nodiscard]] std::string state_name() const { return text_in(facts_.node, "provision_state"); }

  /// Why it came into the state that it is in: last_error may be of something tried since, or cleared by that.
  [[nodiscard]] std::string error_of_state() const {
    std::string error;
    for (const Json& event : facts_.events) {
      if (text_in(event, "kind") != "state") continue;
      const Json detail = object_in(event, "detail");
      error = parse_state(text_in(detail, "to")) == state_ ? text_in(detail, "error") : "";
    }
    return error;
  }

  [[nodiscard]] bool is_for_people() const { return !object_in(internal_, "operator_instruction").empty(); }

  [[nodiscard]] std::string command(std::string_view verb) const { return cat("hearth node ", verb, " ", name_); }

  /// Where one reads what happened: another conductor has no events of ours, but Ironic's history.
  [[nodiscard]] std::string history() const {
    return facts_.is_ours ? command("events") : cat("openstack baremetal node history list ", name_);
  }
  [[nodiscard]] std::string watch() const {
    return facts_.is_ours ? command("events") + " -f" : cat("openstack baremetal node show ", name_);
  }

  [[nodiscard]] std::optional<Finding> known_cause(const std::string& text) const {
    std::optional<Finding> known = known_error(text, name_, text_in(facts_.node, "driver"));
    if (!known) return known;
    for (const char* verb : {"manage", "deploy"}) {
      const std::string said = cat("then ", command(verb));
      if (known->next.ends_with(said)) known->next.replace(known->next.size() - said.size(), said.size(), again(verb));
    }
    known->next += back();
    return known;
  }

  /// Another verb than the one that failed, which leads a machine that is in use back to where it was.
  [[nodiscard]] std::string back() const {
    if (state_ == State::service_failed) return cat("; or back to active, into its own system: ", command("abort"));
    if (state_ == State::rescue_failed) return cat("; or back to active, into its own system: ", command("unrescue"));
    return "";
  }

  /// What is done when the cause is gone: not every state lets the verb that `verb` is.
  [[nodiscard]] std::string again(std::string_view verb) const {
    if (!state_) return "then the same again";
    switch (*state_) {
      case State::enroll: return cat("then ", command("manage"));
      case State::available: return cat("then ", command(verb));
      case State::deploy_failed: return cat("then ", command("deploy"));
      case State::clean_failed: return cat("then ", command("manage"), " and ", command("provide"));
      case State::inspect_failed: return cat("then ", command("inspect"));
      case State::adopt_failed: return cat("then ", command("adopt"));
      case State::rescue_failed: return cat("then ", command("rescue"));
      case State::unrescue_failed: return cat("then ", command("unrescue"));
      case State::service_failed: return cat("then ", command("service"));
      case State::error: return cat("then ", command("undeploy"));
      default: break;
    }
    if (is(StateKind::working) || is(StateKind::waiting)) return "it goes on by itself then";
    return verb == "deploy" ? cat("then ", command(verb)) : "then the same command again";
  }

  [[nodiscard]] Finding unserved() const {
    return {cat("No conductor runs: it stays ", state_name(), " until one goes on with it."),
            {"nobody serves the state; this was read from what its conductor left"},
            "hearth node serve"};
  }

  void maintenance() {
    const auto set = facts_.node.find("maintenance");
    if (set == facts_.node.end() || *set != true) return;
    const std::string reason = text_in(facts_.node, "maintenance_reason");
    const std::string back = cat("hearth node maintenance unset ", name_);
    if (std::optional<Finding> known = known_cause(reason)) {
      known->evidence = {cat("in maintenance: ", reason)};
      known->next += cat("; at last ", back);
      found_.push_back(*known);
      return;
    }
    const std::string fault = text_in(facts_.node, "fault");
    found_.push_back({cat(fault.empty() ? "It is out of service" : cat("It was taken out of service after a ", fault),
                          reason.empty() ? "." : cat(": ", reason, reason.back() == '.' ? "" : ".")),
                      {"maintenance is true"},
                      cat("when it is well again: ", back)});
  }

  void instruction() {
    const auto todo = internal_.find("operator_instruction");
    if (todo == internal_.end() || !todo->is_object()) return;
    found_.push_back({cat("It waits for a person: ", text_in(*todo, "text")),
                      {cat("since ", text_in(*todo, "since"), ", until ", text_in(*todo, "deadline"))},
                      cat("do it; then say so: ", command("todo"), " --done")});
  }

  /// bootstrap/conductor/power_watch.hpp
  void held_power() {
    const Stamp until = internal_.value("power_waits_until", Stamp{0});
    const std::string target = text_in(facts_.node, "target_power_state");
    if (until <= facts_.now || target.empty()) return;
    found_.push_back(
        {"Its BMC may yet carry out an order to switch it off of a conductor that was killed: it is started "
         "after that.",
         {cat("asked for: ", target), cat("held until ", text_of(stamp_json(until)).substr(0, 19), " UTC")},
         cat("wait, or watch: ", watch())});
  }

  /// The moment since when what its machine asked for counts: the work began, or the machine was last started for it.
  [[nodiscard]] Stamp work_began() const {
    Stamp began = 0;
    for (const Json& event : facts_.events) {
      if (text_in(event, "kind") != "state") continue;
      const Json detail = object_in(event, "detail");
      const auto from = parse_state(text_in(detail, "from"));
      const auto to = parse_state(text_in(detail, "to"));
      const bool begins = from && to && kind_of(*to) == StateKind::working && kind_of(*from) != StateKind::waiting;
      if (begins) began = parse_stamp(text_in(event, "at"));
    }
    return began;
  }

  [[nodiscard]] Finding boot(const std::string& said) const {
    BootFacts boot{
        .node = name_, .macs = facts_.macs, .log = facts_.boot_log, .since = work_began(), .now = facts_.now};
    boot.off = text_in(internal_, "observed_power", text_in(facts_.node, "power_state")) == "power off" &&
               is(StateKind::waiting);
    boot.heard = said;
    const bool is_held = is(StateKind::waiting) && state_ != State::inspect_wait;  // no import changes it until then
    if (is_held) boot.before = command("abort");
    boot.again = !is_held                          ? again("deploy")
                 : state_ == State::wait_call_back ? cat("then ", command("deploy"))
                                                   : "then the same command again";
    for (const Json& row : facts_.strangers) {
      if (parse_stamp(text_in(row, "last_seen")) >= boot.since)
        boot.strangers.push_back(cat(text_in(row, "mac"), " (", text_in(row, "how"), ")"));
    }
    return with_boot_mode(boot_cause(boot));
  }

  /// The last failure of it in which these words stand; empty where none is known.
  [[nodiscard]] std::string failed_with(std::string_view words) const {
    std::string found;
    for (const Json& event : facts_.events) {
      const std::string text =
          text_in(event, "kind") == "failure" ? text_in(event, "text") : text_in(object_in(event, "detail"), "error");
      if (text.find(words) != std::string::npos) found = text;
    }
    return found;
  }

  /// A machine that is told to boot as its BMC does not: many have no legacy boot at all.
  [[nodiscard]] Finding with_boot_mode(Finding finding) const {
    const std::string told = text_in(facts_.node, "boot_mode");
    std::string wanted;
    for (const auto& [key, value] : parse_capabilities(text_in(object_in(facts_.node, "properties"), "capabilities"))) {
      if (key == "boot_mode") wanted = value;
    }
    if (told.empty() || wanted.empty() || told == wanted) return finding;
    finding.evidence.push_back(
        cat("its BMC said that it boots by ", told, "; by its capabilities it is told to boot by ", wanted));
    // What was advised after such a failure is not to be taken back now: the two would follow each other for ever.
    if (const std::string seen = failed_with("was not started by UEFI"); wanted == "bios" && !seen.empty()) {
      finding.evidence.push_back(cat("its ramdisk was started by BIOS all the same: ", seen));
      return finding;
    }
    if (const std::string seen = failed_with("o EFI"); wanted == "bios" && !seen.empty()) {
      finding.evidence.push_back(cat("the image can't boot by UEFI: ", seen));
      finding.next =
          cat("switch the machine to BIOS in its firmware; where it has no BIOS, build the image with the element "
              "block-device-efi, and hearth node set ",
              name_,
              " --capability boot_mode:uefi. Then abort and begin "
              "anew. Else ",
              finding.next);
      return finding;
    }
    finding.next = cat("hearth node set ", name_, " --capability boot_mode:", told, " (firmware: ", told,
                       " in the site file), then abort and begin anew. Else ", finding.next);
    return finding;
  }

  /// A person ended it: what was known a moment before, of a machine with another card than the node has, still is.
  void add_stuck(Finding& ended) const {
    Finding before = boot("");
    if (before.evidence.empty() || !before.evidence.back().starts_with("no node's: ")) return;
    ended.cause = cat(ended.cause, " Until then: ", before.cause);
    ended.evidence.insert(ended.evidence.end(), before.evidence.begin(), before.evidence.end());
    ended.next = before.next + back();
  }

  /// An order that was refused since the node came into its state: nothing else tells of it.
  void refusal() {
    Json refused;
    for (const Json& event : facts_.events) {
      if (text_in(event, "kind") == "state") refused = Json();
      if (text_in(event, "kind") == "refused") refused = event;
    }
    if (!refused.is_object()) return;
    const std::string verb = text_in(object_in(refused, "detail"), "verb");
    const bool lacks_image =
        verb_word(verb) == "deploy" && text_in(object_in(facts_.node, "instance_info"), "image_source").empty();
    const std::string order = cat(command(verb_word(verb)), lacks_image ? " --image IMAGE" : "");
    const bool is_changed = parse_stamp(text_in(facts_.node, "updated_at")) > parse_stamp(text_in(refused, "at"));
    Finding finding{cat("Its last order was refused, and it stayed ", state_name(), ": ", text_in(refused, "text")),
                    {cat("asked at ", text_in(refused, "at").substr(0, 19), " UTC; nobody has begun anything since",
                         is_changed ? ", though the node was changed: it may be mended" : "")},
                    verb.empty() ? "the same command again, when what is named there is mended"
                                 : cat("when what is named there is mended: ", order)};
    if (!finding.cause.ends_with('.')) finding.cause += '.';
    found_.push_back(std::move(finding));
    if (state_ == State::active && found_.size() == 1) found_.push_back(at_rest());
  }

  void failure(const std::string& error) {
    find_failure(error);
    const Json info = object_in(facts_.node, "driver_info");
    const bool lacks_login = text_in(info, "ipmi_username").empty() && text_in(info, "ipmi_password").empty();
    if (text_in(facts_.node, "driver") == "ipmi" && lacks_login && state_ == State::enroll) {
      found_.back().evidence.emplace_back("its BMC has neither user nor password, and few take that");
      found_.back().next =
          cat("hearth node set ", name_, " --driver-info ipmi_username=… --driver-info ipmi_password=…, ",
              again("manage"), ". Else ", found_.back().next);
    }
    // It stands where it failed: had anybody tried since, it would stand elsewhere, or with another error.
    const Stamp at = failed_at(error);
    if (at == 0 || !(state_ == State::enroll || is(StateKind::failed))) return;
    found_.back().evidence.push_back(
        cat("seen at ", text_of(stamp_json(at)).substr(0, 19), " UTC; nobody has tried it since"));
  }

  /// When this was said last, as far as its events tell: 0 where they don't.
  [[nodiscard]] Stamp failed_at(const std::string& error) const {
    Stamp at = 0;
    for (const Json& event : facts_.events) {
      if (text_in(event, "kind") == "failure" && text_in(event, "text") == error)
        at = parse_stamp(text_in(event, "at"));
    }
    return at;
  }

  void find_failure(const std::string& error) {
    if (to_lower(error).find("timeout reached while") != std::string::npos) {
      Finding finding = boot(error);
      if (std::find(finding.evidence.begin(), finding.evidence.end(), error) == finding.evidence.end())
        finding.evidence.push_back(error);
      finding.next += back();
      return found_.push_back(std::move(finding));
    }
    if (std::optional<Finding> known = known_cause(error)) {
      if (error.find("was aborted by request") != std::string::npos) add_stuck(*known);
      return found_.push_back(std::move(*known));
    }
    const bool agent = error.find("Agent returned error") != std::string::npos;
    found_.push_back(
        {cat(is(StateKind::failed) ? cat("It is ", state_name(), ": ") : "Its last action failed: ", error),
         {},
         cat(!agent           ? cat(history(), " has what happened before")
             : facts_.is_ours ? cat(command("log"), " has what its ramdisk said")
                              : "its conductor keeps what the ramdisk said in /var/log/ironic/deploy",
             back())});
  }

  /// What was tried again last, if nothing went well since.
  [[nodiscard]] std::string last_retry() const {
    const Stamp began = work_began();
    std::string text;
    for (const Json& event : facts_.events) {
      if (parse_stamp(text_in(event, "at")) < began) continue;
      const std::string kind = text_in(event, "kind");
      if (kind == "retry")
        text = text_in(event, "text");
      else if (kind != "boot" && kind != "power")
        text.clear();
    }
    return text;
  }

  void work() {
    const std::string retry = last_retry();
    const bool silent = retry.rfind("nothing was heard", 0) == 0;
    if (!retry.empty() && !silent) {
      std::optional<Finding> known = known_cause(retry);
      if (!known) known = Finding{cat("It is tried again: ", retry), {retry}, watch()};
      const std::size_t count = retry.ends_with(")") ? retry.rfind(" (") : std::string::npos;  // "… (2 of 4)"
      known->evidence.push_back(count == std::string::npos
                                    ? std::string("it is tried again by itself")
                                    : cat("it is tried again by itself", retry.substr(count),
                                          ": after the last it stays failed, until a person begins it anew"));
      return found_.push_back(std::move(*known));
    }
    if (is(StateKind::waiting)) return found_.push_back(boot(retry));
    found_.push_back(busy());
  }

  [[nodiscard]] Finding busy() const {
    const Json job = object_in(internal_, "job");
    const std::string stage = text_in(job, "stage");
    const Stamp since = job.empty() ? facts_.now : parse_stamp(text_in(job, "since"));
    const long seconds = (facts_.now - since) / 1'000'000;
    std::vector<std::string> evidence;
    if (!job.empty()) evidence.push_back(cat(text_in(job, "kind"), ", ", stage, ", for ", seconds, " s"));
    const auto progress = internal_.find("progress");
    if (progress != internal_.end() && !progress->is_null()) evidence.push_back(progress_text(*progress));
    const Json seen = object_in(internal_, "last_seen");
    const Stamp heard = seen.empty() ? since : parse_stamp(text_in(seen, "at"));
    if (!seen.empty()) evidence.push_back(cat("last heard of at ", text_in(seen, "at"), ": ", text_in(seen, "how")));
    if (stage == "power on" && text_in(facts_.node, "power_state") == "power off") {
      return {"It waits for its turn to be started: only so many machines boot at once.", evidence,
              "wait, or let more of them: hearth node serve --boots-at-once N"};
    }
    if (state_ == State::verifying && seconds >= k_patience_with_bmc) {
      return {cat("Its BMC was asked ", seconds, " s ago and has not answered."), evidence,
              "wait: it fails by itself with what the BMC did not do; or look at the BMC: its address, its cable, a "
              "restart"};
    }
    const bool agent = stage == "write image" || stage.ends_with(" steps") || stage == "boot loader";
    if (agent && facts_.now - std::max(heard, since) > k_silence) {
      return {"The ramdisk was at work and says nothing any more.", evidence,
              "look at the machine's console, power and cable; the conductor gives up by itself after a while"};
    }
    return {cat("Nothing is wrong: it is ", state_name(), stage.empty() ? "." : cat(", at \"", stage, "\".")), evidence,
            watch()};
  }

  [[nodiscard]] Finding at_rest() const {
    const std::string now = cat("it is ", state_name());
    if (!state_) return {cat("Its state, ", state_name(), ", is none that this program knows."), {}, ""};
    switch (*state_) {
      case State::enroll:
        return {cat("Nothing is wrong: ", now, ", and nobody has asked for more."), {}, command("manage")};
      case State::manageable:
        return {cat("Nothing is wrong: ", now, ", and nobody has asked for more."), {}, command("provide")};
      case State::available:
        return {
            cat("Nothing is wrong: ", now, ", and no image was asked for."), {}, command("deploy") + " --image IMAGE"};
      default: break;
    }
    if (is(StateKind::failed) || state_ == State::error)
      return {cat("It is ", state_name(), ", and its conductor does not say why."), {}, history()};
    if (is(StateKind::held)) {
      return {cat("A step named \"hold\" holds it until a person lets it go on."),
              {cat("provision state: ", state_name())},
              command("unhold")};
    }
    const bool off = text_in(facts_.node, "power_state") == "power off";
    if (off && state_ == State::active) {
      return {"It is active, and its machine is off.", {"power state: power off"}, cat("hearth node power on ", name_)};
    }
    if (state_ == State::active) {
      if (std::optional<Finding> vain = vain_cause(facts_.boot_log, facts_.now)) return *vain;
    }
    return {cat("Nothing is wrong that its conductor knows: ", now, "."), {}, history()};
  }

  const NodeFacts& facts_;
  std::string name_;
  std::optional<State> state_;
  Json internal_;
  std::vector<Finding> found_;
};

}  // namespace

bool is_troubled(const Json& node) {
  const std::optional<State> state = parse_state(text_in(node, "provision_state"));
  const StateKind kind = state ? kind_of(*state) : StateKind::stable;
  const bool is_stuck = kind == StateKind::failed || kind == StateKind::waiting || kind == StateKind::held;
  const Json& todo = member_or_null(member_or_null(node, "driver_internal_info"), "operator_instruction");
  return is_stuck || state == State::error || node.value("maintenance", false) ||
         !text_in(node, "last_error").empty() || (todo.is_object() && !todo.empty());
}

std::vector<Finding> node_causes(const NodeFacts& facts) { return NodeReader(facts).causes(); }

}  // namespace hearth::bootstrap::why
