#include "bootstrap/why/causes/stack_causes.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "base/text.hpp"
#include "bootstrap/node/node.hpp"

namespace hearth::bootstrap::why {

namespace {

/// So begins what a refusal of `hearth deploy` advises where nodes have no profile (deploy/choice.cpp).
constexpr std::string_view k_flavor_advice = "A node is of that flavor with ";

std::string link_of(const Json& resource, std::string_view rel) {
  const auto links = resource.is_object() ? resource.find("links") : resource.end();
  if (!resource.is_object() || links == resource.end()) return "";
  for (const Json& link : *links) {
    if (text_in(link, "rel") == rel) return text_in(link, "href");
  }
  return "";
}

/// The stack of a resource is itself a resource above: its state follows from those below, so it is never the cause.
bool holds_others(const Json& resource) { return !link_of(resource, "nested").empty(); }

/// What commands call resources of nested stacks: "Compute.0.Deployment".
class Paths {
 public:
  explicit Paths(const Json& resources) {
    for (const Json& resource : resources) {
      if (holds_others(resource)) holders_.emplace(link_of(resource, "nested"), &resource);
    }
  }

  [[nodiscard]] std::string of(const Json& resource) const {
    std::string path = text_in(resource, "resource_name");
    auto holder = holders_.find(link_of(resource, "stack"));
    for (std::size_t depth = 0; holder != holders_.end() && depth < k_deepest; ++depth) {
      path = cat(text_in(*holder->second, "resource_name"), ".", path);
      holder = holders_.find(link_of(*holder->second, "stack"));
    }
    return path;
  }

 private:
  static constexpr std::size_t k_deepest = 32;
  std::map<std::string, const Json*> holders_;  ///< by the stack that they hold
};

std::string text_after(const std::string& text, std::string_view words) {
  const std::size_t at = text.find(words);
  return at == std::string::npos ? "" : text.substr(at + words.size());
}

/// Since when it waits, and what can't begin before it has ended.
std::string circumstances(const Json& resource) {
  std::vector<std::string> behind;
  for (const Json& name : member_or_null(resource, "required_by")) {
    if (name.is_string()) behind.push_back(name.get<std::string>());
  }
  const std::string since = text_in(resource, "updated_time");
  const std::string told = since.empty() ? "" : cat("it has been so since ", since);
  if (behind.empty()) return told;
  return cat(told, told.empty() ? "" : "; ", "behind it wait: ", join(behind, ", "));
}

Finding waiting_cause(const std::string& stack, const std::string& name, const Json& resource) {
  const std::string reason = text_in(resource, "resource_status_reason");
  const std::string seen =
      cat(name, " (", text_in(resource, "resource_type"), ") is ", text_in(resource, "resource_status"), ": ", reason);
  const std::string server = reason.substr(0, reason.find(' '));
  const std::string refused = text_after(reason, "; seen: ");
  if (!refused.empty()) {
    return {
        cat("The machine of ", server, " asks in vain: ", refused.substr(0, refused.find("; ")), "."),
        {seen},
        "mend what is said of it; if that address is not this machine's, look for the machine itself: hearth why node "
        "NAME"};
  }
  if (reason.find("has not asked for its metadata") != std::string::npos) {
    return {cat("The machine of ", server,
                " has never asked for its metadata: it does not run, or does not find this service."),
            {seen},
            "hearth node list says which machine it is; hearth why node NAME where that stands; on it: hearth-agent "
            "doctor"};
  }
  const std::string failed = text_after(reason, "its last run failed ");
  if (!failed.empty()) {
    const std::string step = failed.find(" in ") == std::string::npos ? "" : failed.substr(failed.find(" in ") + 4);
    return {
        cat("A hook on ", server, " fails before its deployments are run",
            step.empty() ? "." : cat(": ", step.substr(0, step.find('\n')))),
        {seen},
        cat("mend what the hook says; the agent tries again by itself. All of its words: hearth stack resource show ",
            stack, " ", name)};
  }
  if (reason.find("a run of its hooks goes on") != std::string::npos) {
    return {
        cat(server, " is at work: ", text_after(reason, "; "), "."), {seen}, "wait; a hook that hangs is named here"};
  }
  if (reason.find("last asked") != std::string::npos) {
    return {cat(server, " asks for its metadata, and has not answered ", name, " yet."),
            {seen},
            "an agent of others tells no more: journalctl -u os-collect-config on it, or hearth-agent doctor"};
  }
  const std::string type = text_in(resource, "resource_type");
  if (type.find("WaitCondition") != std::string::npos) {
    return {cat(name, " waits for a signal that nobody has sent yet."),
            {seen},
            "look at the script that is to send it: does it run, and does it reach the handle's URL?"};
  }
  if (type.ends_with("Server")) {
    return {
        cat(name,
            " waits for its machine: a node that `hearth deploy` chooses and deploys for it. While no such run goes "
            "on, none comes."),
        {seen},
        cat("hearth deploy -t TEMPLATE --name ", stack,
            " --seed URL, with the template that the stack was made of; hearth node list says what is deployed")};
  }
  return {cat(name, " is not finished."), {seen}, cat("hearth stack event list ", stack, " --follow")};
}

Finding waiting(const std::string& stack, const std::string& name, const Json& resource) {
  Finding finding = waiting_cause(stack, name, resource);
  if (std::string told = circumstances(resource); !told.empty()) finding.evidence.push_back(std::move(told));
  return finding;
}

Finding held(const std::string& stack, const std::string& path, const std::string& hook, const Json& resource) {
  return {cat("The hook ", hook, " holds ", path, " until a person clears it."),
          {cat(path, " (", text_in(resource, "resource_type"), ") is ", text_in(resource, "resource_status"))},
          cat("hearth stack hook clear ", stack, " ", path, hook == "pre-create" ? "" : cat(" --hook ", hook))};
}

/// In words where the reason is a code: "deploy_status_code : Deployment exited with non-zero status code: 1".
std::string failure(const std::string& path, const std::string& reason) {
  const std::string code = text_after(reason, "exited with non-zero status code: ");
  if (code.empty()) return cat(path, " failed: ", reason.substr(0, reason.find('\n')));
  return cat("What ", path, " runs on its server ended with exit code ",
             code.substr(0, code.find_first_not_of("-0123456789")), ".");
}

/// The end of what a failed deployment wrote: there stands what is wrong.
std::vector<std::string> last_words(const Json& resource) {
  constexpr std::size_t k_lines = 3;
  std::vector<std::string> lines = split_lines(text_in(resource, "deploy_stderr"));
  std::erase_if(lines, [](const std::string& line) { return trim(line).empty(); });
  if (lines.size() > k_lines) lines.erase(lines.begin(), lines.end() - k_lines);
  for (std::string& line : lines) line = cat("stderr: ", line);
  return lines;
}

/// Of a server that failed, whoever provides machines said why, which stands in quotes behind Heat's words.
std::string providers_words(const std::string& reason) {
  const std::string words = text_after(reason, "Went to status ERROR due to \"");
  return words.empty() ? reason : words.substr(0, words.rfind('"'));
}

Finding failed_cause(const std::string& stack, const std::string& path, const Json& resource) {
  const std::string reason = text_in(resource, "resource_status_reason");
  Finding finding{failure(path, providers_words(reason)), last_words(resource),
                  cat("hearth stack failures list ", stack)};
  const bool is_said = finding.cause.find(reason) != std::string::npos;
  finding.evidence.push_back(cat(text_in(resource, "resource_type"), " is ", text_in(resource, "resource_status"),
                                 is_said ? "" : cat(": ", reason)));
  if (const std::size_t advice = finding.cause.find(k_flavor_advice); advice != std::string::npos) {
    finding.next = cat(finding.cause.substr(advice), ". Then the same hearth deploy again");
    finding.cause = trim(finding.cause.substr(0, advice));
    finding.evidence = {cat(text_in(resource, "resource_type"), " is ", text_in(resource, "resource_status"))};
  }
  return finding;
}

/// What ran when something else failed, or a person or the stack's time ended it: never the cause. Heat's words, too.
bool is_ended_by_another(const std::string& reason) {
  return reason.ends_with(" aborted") || reason.find("peration cancelled") != std::string::npos ||
         reason.find("aborted (user triggered cancel)") != std::string::npos || reason == "Deployment cancelled.";
}

/// Nothing failed by itself: the stack's own reason is the cause (its time was over, or a person cancelled it).
Finding ended_by_stack(const std::string& name, const Json& stack, const std::vector<Finding>& ended) {
  Finding finding{cat("The stack is ", text_in(stack, "stack_status"), ": ", text_in(stack, "stack_status_reason")),
                  {},
                  cat("hearth stack event list ", name)};
  for (const Finding& one : ended) finding.evidence.push_back(one.cause);
  return finding;
}

}  // namespace

std::vector<Finding> stack_causes(const Json& stack, const Json& resources) {
  const std::string name = text_in(stack, "stack_name");
  const std::string status = text_in(stack, "stack_status");
  std::vector<Finding> failed;
  std::vector<Finding> ended;  // because something else failed
  std::vector<Finding> waits;
  const Paths paths(resources);
  for (const Json& resource : resources) {
    const std::string of = text_in(resource, "resource_status");
    const std::string hook = text_in(resource, "hook");
    if (!hook.empty()) waits.insert(waits.begin(), held(name, paths.of(resource), hook, resource));
    if (holds_others(resource)) continue;
    if (of.ends_with("_FAILED")) {
      const std::string reason = text_in(resource, "resource_status_reason");
      std::vector<Finding>& list = is_ended_by_another(reason) ? ended : failed;
      list.push_back(failed_cause(name, paths.of(resource), resource));
    } else if (of.ends_with("_IN_PROGRESS")) {
      waits.push_back(waiting(name, paths.of(resource), resource));
    }
  }
  std::vector<Finding> found = std::move(failed);
  if (found.empty() && !ended.empty()) found.push_back(ended_by_stack(name, stack, ended));
  if (!found.empty() || status.ends_with("_IN_PROGRESS")) {
    // What is known of the most is the cause; resources that only wait behind it say no more than that.
    std::stable_partition(waits.begin(), waits.end(),
                          [](const Finding& one) { return one.cause.find("is not finished.") == std::string::npos; });
    found.insert(found.end(), waits.begin(), waits.end());
  }
  if (!found.empty()) return found;
  const std::string reason = text_in(stack, "stack_status_reason");
  if (reason.find("is set aside") != std::string::npos) {
    return {{cat("The stack can't be served: ", reason.substr(0, reason.find(". It is kept"))),
             {cat("stack_status: ", status)},
             cat("hearth help backup-and-upgrade says how its state is put back; or give it up: hearth stack delete ",
                 name)}};
  }
  if (status.starts_with("ROLLBACK_")) {
    return {{cat("An update failed and ", status == "ROLLBACK_COMPLETE" ? "was" : "is being", " taken back: ", reason),
             {cat("stack_status: ", status)},
             cat("hearth stack event list ", name, " has what failed")}};
  }
  if (status.ends_with("_FAILED"))
    return {{cat("The stack is ", status, ": ", reason), {}, cat("hearth stack event list ", name)}};
  if (status.ends_with("_IN_PROGRESS"))
    return {{cat("Nothing is wrong: the stack is ", status, "."),
             {reason},
             cat("hearth stack event list ", name, " --follow")}};
  return {{cat("Nothing is wrong: the stack is ", status, "."), {}, ""}};
}

std::optional<Finding> resource_cause(const Json& stack, const Json& resources, const std::string& path) {
  const std::string name = text_in(stack, "stack_name");
  const Paths paths(resources);
  for (const Json& resource : resources) {
    if (paths.of(resource) != path) continue;
    const std::string hook = text_in(resource, "hook");
    if (!hook.empty()) return held(name, path, hook, resource);
    const std::string status = text_in(resource, "resource_status");
    if (status.ends_with("_FAILED")) return failed_cause(name, path, resource);
    if (status.ends_with("_IN_PROGRESS")) return waiting(name, path, resource);
  }
  return std::nullopt;
}

std::vector<std::string> paths_of(const Json& resources) {
  const Paths paths(resources);
  std::vector<std::string> all;
  for (const Json& resource : resources) all.push_back(paths.of(resource));
  return all;
}

Json resources_ahead(const Json& resources, const Json& unbegun, const std::set<std::string>& paths) {
  struct Row {
    std::string path;
    std::vector<std::string> needed_by;
  };
  Json all = resources;
  for (const Json& row : unbegun) all.push_back(row);
  const Paths known(all);
  std::vector<Row> rows;
  for (const Json& resource : all) {
    const std::string path = known.of(resource);
    const std::string around = path.substr(0, path.rfind('.') == std::string::npos ? 0 : path.rfind('.') + 1);
    rows.push_back({path, {}});
    for (const Json& name : list_member(resource, "required_by")) {
      if (name.is_string()) rows.back().needed_by.push_back(cat(around, name.get<std::string>()));
    }
  }
  std::set<std::string> begins;  // what has to begin: those, the stacks that have them, and what is ahead
  std::set<std::string> ends;    // what has to end for it
  const auto note = [&](const std::string& path) {
    bool is_new = begins.insert(path).second;
    for (std::size_t dot = path.find('.'); dot != std::string::npos; dot = path.find('.', dot + 1))
      is_new = begins.insert(path.substr(0, dot)).second || is_new;
    return is_new;
  };
  const auto is_within_ahead = [&](const std::string& path) {
    for (std::size_t dot = path.find('.'); dot != std::string::npos; dot = path.find('.', dot + 1)) {
      if (ends.contains(path.substr(0, dot))) return true;
    }
    return false;
  };
  for (const std::string& path : paths) note(path);
  for (bool goes_on = true; goes_on;) {
    goes_on = false;
    for (const Row& row : rows) {
      const bool is_needed = std::any_of(row.needed_by.begin(), row.needed_by.end(),
                                         [&](const std::string& name) { return begins.contains(name); });
      if (ends.contains(row.path) || (!is_needed && !is_within_ahead(row.path))) continue;
      ends.insert(row.path);
      note(row.path);
      goes_on = true;
    }
  }
  Json ahead = Json::array();
  for (const Json& resource : resources) {
    if (ends.contains(known.of(resource))) ahead.push_back(resource);
  }
  return ahead;
}

std::vector<std::string> silent_servers(const Json& resources) {
  std::vector<std::string> names;
  for (const Json& resource : resources) {
    const std::string reason = text_in(resource, "resource_status_reason");
    if (reason.find("has not asked for its metadata") == std::string::npos) continue;
    const std::string server = reason.substr(0, reason.find(' '));
    if (std::find(names.begin(), names.end(), server) == names.end()) names.push_back(server);
  }
  return names;
}

}  // namespace hearth::bootstrap::why
