#include "bootstrap/why/node_causes.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "bootstrap/why/boot_causes.hpp"
#include "bootstrap/why/known_errors.hpp"

namespace hearth::bootstrap::why {

namespace {

/// How long an agent that works may say nothing before that is told.
constexpr Stamp k_silence = 90'000'000;

class NodeReader {
 public:
  explicit NodeReader(const NodeFacts& facts)
      : facts_(facts),
        name_(text_in(facts.node, "name", text_in(facts.node, "uuid"))),
        state_(parse_state(text_in(facts.node, "provision_state")).value_or(State::available)),
        internal_(facts.node.value("driver_internal_info", Json::object())) {
    if (!internal_.is_object()) internal_ = Json::object();
  }

  std::vector<Finding> causes() {
    maintenance();
    instruction();
    const std::string error = text_in(facts_.node, "last_error");
    if (!error.empty()) {
      failure(error);
    } else if (kind_of(state_) == StateKind::working || kind_of(state_) == StateKind::waiting) {
      if (found_.empty() || !is_for_people()) work();
    }
    if (found_.empty()) found_.push_back(at_rest());
    return found_;
  }

 private:
  [[nodiscard]] bool is_for_people() const { return internal_.contains("operator_instruction"); }

  [[nodiscard]] std::string command(std::string_view verb) const { return cat("hearth node ", verb, " ", name_); }

  [[nodiscard]] std::optional<Finding> known_cause(const std::string& text) const {
    return known_error(text, name_, text_in(facts_.node, "driver"));
  }

  void maintenance() {
    if (!facts_.node.value("maintenance", false)) return;
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
    if (todo == internal_.end()) return;
    found_.push_back({cat("It waits for a person: ", text_in(*todo, "text")),
                      {cat("since ", text_in(*todo, "since"), ", until ", text_in(*todo, "deadline"))},
                      cat("do it; then say so: ", command("todo"))});
  }

  /// The moment since when what its machine asked for counts: the work began, or the machine was last started for it.
  [[nodiscard]] Stamp work_began() const {
    Stamp began = 0;
    for (const Json& event : facts_.events) {
      if (text_in(event, "kind") != "state") continue;
      const Json detail = event.value("detail", Json::object());
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
               kind_of(state_) == StateKind::waiting;
    boot.heard = said;
    return boot_cause(boot);
  }

  void failure(const std::string& error) {
    if (error.find("waiting for callback") != std::string::npos) {
      Finding finding = boot(error);
      if (std::find(finding.evidence.begin(), finding.evidence.end(), error) == finding.evidence.end())
        finding.evidence.push_back(error);
      return found_.push_back(std::move(finding));
    }
    if (std::optional<Finding> known = known_cause(error)) return found_.push_back(std::move(*known));
    const bool agent = error.find("Agent returned error") != std::string::npos;
    found_.push_back(
        {cat(kind_of(state_) == StateKind::failed ? cat("It is ", name(state_), ": ") : "Its last action failed: ",
             error),
         {},
         agent ? cat(command("log"), " has what its ramdisk said")
               : cat(command("events"), " has what happened before")});
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
      if (!known) known = Finding{cat("It is tried again: ", retry), {retry}, command("events") + " -f"};
      known->evidence.push_back("it is tried again by itself");
      return found_.push_back(std::move(*known));
    }
    if (kind_of(state_) == StateKind::waiting) return found_.push_back(boot(retry));
    found_.push_back(busy());
  }

  [[nodiscard]] Finding busy() const {
    const Json job = internal_.value("job", Json::object());
    const std::string stage = text_in(job, "stage");
    const Stamp since = job.empty() ? facts_.now : parse_stamp(text_in(job, "since"));
    const long seconds = (facts_.now - since) / 1'000'000;
    std::vector<std::string> evidence = {cat(text_in(job, "kind"), ", ", stage, ", for ", seconds, " s")};
    const auto progress = internal_.find("progress");
    if (progress != internal_.end()) evidence.push_back(cat("progress: ", format_json(*progress)));
    const auto seen = internal_.find("last_seen");
    const Stamp heard = seen == internal_.end() ? since : parse_stamp(text_in(*seen, "at"));
    if (seen != internal_.end())
      evidence.push_back(cat("last heard of at ", text_in(*seen, "at"), ": ", text_in(*seen, "how")));
    if (stage == "power on" && text_in(facts_.node, "power_state") == "power off") {
      return {"It waits for its turn to be started: only so many machines boot at once.", evidence,
              "hearth node serve --help names the option for how many"};
    }
    const bool agent = stage == "write image" || stage == "run steps" || stage == "get steps" || stage == "boot loader";
    if (agent && facts_.now - std::max(heard, since) > k_silence) {
      return {"The ramdisk was at work and says nothing any more.", evidence,
              "look at the machine's console, power and cable; the conductor gives up by itself after a while"};
    }
    return {cat("Nothing is wrong: it is ", name(state_), stage.empty() ? "." : cat(", at \"", stage, "\".")), evidence,
            cat(command("events"), " -f")};
  }

  [[nodiscard]] Finding at_rest() const {
    const std::string is = cat("it is ", name(state_));
    switch (state_) {
      case State::enroll:
        return {cat("Nothing is wrong: ", is, ", and nobody has asked for more."), {}, command("manage")};
      case State::manageable:
        return {cat("Nothing is wrong: ", is, ", and nobody has asked for more."), {}, command("provide")};
      case State::available:
        return {
            cat("Nothing is wrong: ", is, ", and no image was asked for."), {}, command("deploy") + " --image IMAGE"};
      default: break;
    }
    const bool off = text_in(facts_.node, "power_state") == "power off";
    if (off && state_ == State::active) {
      return {"It is active, and its machine is off.", {"power state: power off"}, cat("hearth node power on ", name_)};
    }
    return {cat("Nothing is wrong that its conductor knows: ", is, "."), {}, command("events")};
  }

  const NodeFacts& facts_;
  std::string name_;
  State state_;
  Json internal_;
  std::vector<Finding> found_;
};

}  // namespace

std::vector<Finding> node_causes(const NodeFacts& facts) { return NodeReader(facts).causes(); }

}  // namespace hearth::bootstrap::why
