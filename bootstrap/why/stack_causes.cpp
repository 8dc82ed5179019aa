#include "bootstrap/why/stack_causes.hpp"

#include <algorithm>

#include "base/text.hpp"

namespace hearth::bootstrap::why {

namespace {

/// The stack of a resource is itself a resource above: its state follows from those below, so it is never the cause.
bool holds_others(const Json& resource) {
  for (const Json& link : resource.value("links", Json::array())) {
    if (text_in(link, "rel") == "nested") return true;
  }
  return false;
}

std::string text_after(const std::string& text, std::string_view words) {
  const std::size_t at = text.find(words);
  return at == std::string::npos ? "" : text.substr(at + words.size());
}

Finding waiting(const std::string& stack, const Json& resource) {
  const std::string name = text_in(resource, "resource_name");
  const std::string reason = text_in(resource, "resource_status_reason");
  const std::string seen =
      cat(name, " (", text_in(resource, "resource_type"), ") is ", text_in(resource, "resource_status"), ": ", reason);
  const std::string server = reason.substr(0, reason.find(' '));
  if (reason.find("paused until Hook") != std::string::npos) {
    return {cat("A hook that a person clears holds ", name, "."),
            {seen},
            cat("hearth stack hook clear ", stack, " ", name)};
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
  return {cat(name, " is not finished."), {seen}, cat("hearth stack event list ", stack, " --follow")};
}

}  // namespace

std::vector<Finding> stack_causes(const Json& stack, const Json& resources) {
  const std::string name = text_in(stack, "stack_name");
  const std::string status = text_in(stack, "stack_status");
  std::vector<Finding> failed;
  std::vector<Finding> waits;
  for (const Json& resource : resources) {
    const std::string of = text_in(resource, "resource_status");
    if (holds_others(resource)) continue;
    if (of.ends_with("_FAILED")) {
      const std::string reason = text_in(resource, "resource_status_reason");
      failed.push_back({cat(text_in(resource, "resource_name"), " failed: ", reason.substr(0, reason.find('\n'))),
                        {cat(text_in(resource, "resource_type"), " is ", of, ": ", reason)},
                        cat("hearth stack failures list ", name)});
    } else if (of.ends_with("_IN_PROGRESS")) {
      waits.push_back(waiting(name, resource));
    }
  }
  std::vector<Finding> found = std::move(failed);
  if (!found.empty() || status.ends_with("_IN_PROGRESS")) {
    // What is known of the most is the cause; resources that only wait behind it say no more than that.
    std::stable_partition(waits.begin(), waits.end(),
                          [](const Finding& one) { return one.cause.find("is not finished.") == std::string::npos; });
    found.insert(found.end(), waits.begin(), waits.end());
  }
  if (!found.empty()) return found;
  const std::string reason = text_in(stack, "stack_status_reason");
  if (status.ends_with("_FAILED"))
    return {{cat("The stack is ", status, ": ", reason), {}, cat("hearth stack event list ", name)}};
  if (status.ends_with("_IN_PROGRESS"))
    return {{cat("Nothing is wrong: the stack is ", status, "."),
             {reason},
             cat("hearth stack event list ", name, " --follow")}};
  return {{cat("Nothing is wrong: the stack is ", status, "."), {}, ""}};
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
