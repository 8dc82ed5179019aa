#include "bootstrap/why/causes/image_causes.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

#include "base/text.hpp"
#include "bootstrap/node/node.hpp"

namespace hearth::bootstrap::why {

namespace {

constexpr std::size_t k_most_causes = 4;

/// Steps that ran, or were taken from a layer that the last build had not, for one reason: the first one's.
struct Group {
  std::string step;
  bool is_taken = false;
  std::string made_by;  ///< whose build the layer is of
  std::vector<std::string> reasons;
  double seconds = 0;
  std::size_t behind = 0;  ///< that ran because the first did
  double seconds_behind = 0;
};

constexpr std::string_view k_after = "it comes after ";

/// Whether it ran for what is another step's reason, or is nobody's: such a phase always runs, and no layer has it.
bool is_others(const std::string& reason) {
  return reason.starts_with(k_after) || reason.starts_with("it shares its layer with ") ||
         reason.starts_with("steps of its phase always run") ||
         reason.starts_with("it was too quick for a layer of its own");
}

/// The group of the step that the reason names, else the last one.
Group& group_for(std::vector<Group>& groups, const std::string& reason) {
  const auto named = std::find_if(groups.begin(), groups.end(),
                                  [&](const Group& group) { return reason == cat(k_after, group.step); });
  return named == groups.end() ? groups.back() : *named;
}

std::vector<Group> groups_of(const Json& steps) {
  std::vector<Group> groups;
  std::size_t before = 0;  // ran ahead of the first cause, in the layer of which that is
  double seconds_before = 0;
  for (const Json& step : steps) {
    if (step.at("outcome") == "taken") {
      const auto changed = step.value("changed", std::vector<std::string>());
      const bool is_told = !groups.empty() && groups.back().reasons == changed;
      if (!changed.empty() && !is_told)
        groups.push_back(
            {.step = step.at("step"), .is_taken = true, .made_by = step.value("made_by", ""), .reasons = changed});
      continue;
    }
    const auto reasons = step.value("why", std::vector<std::string>());
    const double seconds = step.at("seconds").get<double>();
    const bool is_same = !groups.empty() && !reasons.empty() && reasons == groups.back().reasons;
    if (reasons.empty() || is_others(reasons.front()) || is_same) {
      const bool is_after = !reasons.empty() && reasons.front().starts_with(k_after);
      if (!groups.empty() && groups.back().is_taken && !is_after) continue;  // what always runs: nothing else did
      Group* const cause = groups.empty() ? nullptr : &group_for(groups, reasons.empty() ? "" : reasons.front());
      (cause == nullptr ? before : cause->behind) += 1;
      (cause == nullptr ? seconds_before : cause->seconds_behind) += seconds;
      continue;
    }
    groups.push_back({.step = step.at("step"),
                      .is_taken = false,
                      .made_by = "",
                      .reasons = reasons,
                      .seconds = seconds,
                      .behind = std::exchange(before, 0),
                      .seconds_behind = std::exchange(seconds_before, 0)});
  }
  return groups;
}

std::string steps_text(std::size_t count) { return cat(count, count == 1 ? " step" : " steps"); }

/// "the step's name changed" of the step itself is "it changed".
std::string reason_of(const std::string& step, const std::string& reason) {
  return reason.starts_with(cat(step, " ")) ? cat("it", reason.substr(step.size())) : reason;
}

std::string next_of(const std::string& reason) {
  if (reason.starts_with("nothing was kept of an earlier build"))
    return "nothing: the first build under a name runs all that no other image's build has kept, and the next one "
           "keeps what has not changed";
  if (reason.starts_with("its layer is not in the cache"))
    return "hearth cache pin IMAGE keeps an image's layers; HEARTH_CACHE_LIMIT allows a larger cache";
  if (reason.starts_with("it is not kept: ") || reason.starts_with("the last build could not keep it: "))
    return "let its hook fetch by what can be asked again (an element's source-repository or package-installs), or "
           "leave it: it runs each time";
  if (reason.starts_with("the variable "))
    return "where it was not meant, build with the variable as it was; else nothing: the next build keeps this one's "
           "layers";
  return "where it was meant, nothing: the next build keeps what has not changed since";
}

/// "the build of shop": who ran a step that `image` took.
std::string maker_of(const Group& group, const std::string& image) {
  if (group.made_by.empty()) return "another build";
  return group.made_by == image ? "an earlier build of this image" : cat("the build of ", group.made_by);
}

Finding finding_of(Group group, std::size_t kept, const std::string& image) {
  // What somebody wrote comes before what a build was told.
  std::stable_partition(group.reasons.begin(), group.reasons.end(),
                        [](const std::string& reason) { return !reason.starts_with("the variable "); });
  Finding finding;
  const std::string how =
      group.is_taken ? cat(" was taken as ", maker_of(group, image), " had made it, because ") : " ran because ";
  finding.cause = cat(group.step, how, reason_of(group.step, group.reasons.front()),
                      group.behind == 0 ? "" : cat("; ", steps_text(group.behind), " ran with it"), ".");
  for (std::size_t i = 1; i < group.reasons.size(); ++i)
    finding.evidence.push_back(reason_of(group.step, group.reasons[i]));
  const std::string behind = group.behind == 0 ? ""
                                               : cat(", what ran with it", group.is_taken ? " took " : " ",
                                                     fixed(group.seconds_behind, 1), " s");
  finding.evidence.push_back(
      cat(group.is_taken ? "it did not run again" : cat("it took ", fixed(group.seconds, 1), " s"), behind, "; ",
          steps_text(kept), kept == 1 ? " was" : " were", " taken from layers"));
  finding.next = next_of(group.reasons.front());
  return finding;
}

std::vector<Finding> findings_of(const Json& report) {
  const std::vector<Group> groups = groups_of(report.at("steps"));
  const auto kept = report.at("taken").get<std::size_t>();
  std::vector<Finding> found;
  for (const Group& group : groups) {
    if (found.size() == k_most_causes) break;
    found.push_back(finding_of(group, kept, report.value("image", "")));
  }
  if (groups.size() > found.size())
    found.back().evidence.push_back(cat("and ", groups.size() - found.size(), " more that had a cause of their own"));
  const auto elements = report.value("changed_elements", std::vector<std::string>());
  if (found.empty() && !elements.empty())
    found.push_back({cat("It was made anew because a file of the element", elements.size() == 1 ? " " : "s ",
                         join_first(elements, k_most_causes), " changed."),
                     {cat("no step had to run for it: none reads that file (a README, a test), whose name is in the "
                          "image's evidence; ",
                          steps_text(kept), kept == 1 ? " was" : " were", " taken from layers")},
                     "nothing"});
  if (found.empty())
    found.push_back({cat("Nothing had changed: ", steps_text(kept), kept == 1 ? " was" : " were",
                         " taken from layers, and the rest always runs."),
                     {},
                     "nothing"});
  return found;
}

constexpr std::string_view k_said = "  | ";  ///< before each of a hook's last lines

/// What of a hook's last lines tells why it failed: the last one that speaks of a fault; empty of none.
std::string fault_said(const std::vector<std::string>& story) {
  static constexpr std::array<std::string_view, 14> k_words = {
      "fatal:",  "rror:",   "ERROR",     "E: ",           "not found", "No such file", "denied",
      "refused", "resolve", "Unable to", "No space left", "timed out", "cannot ",      "can't "};
  for (auto line = story.rbegin(); line != story.rend(); ++line) {
    const bool is_fault = line->starts_with(k_said) && std::any_of(k_words.begin(), k_words.end(), [&](auto word) {
                            return line->find(word) != std::string::npos;
                          });
    if (is_fault) return std::string(trim(line->substr(k_said.size())));
  }
  return "";
}

/// Of a build that has not ended well.
Finding unfinished_cause(const Json& unfinished, const std::string& records) {
  const std::string begun = cat("The last build (begun ", text_in(unfinished, "began"), ") ");
  const std::vector<std::string> story = split_lines(text_in(unfinished, "error"));
  const std::string older = "what is there, if anything, is of an earlier build";
  if (story.empty())
    return {cat(begun, "has not ended: it runs, or was killed."),
            {older},
            "wait for it where it runs; else build again: it goes on behind the last layer that was kept"};
  const std::string said = fault_said(story);
  const std::string cause = cat(story.front(), said.empty() ? "" : cat(": ", said));
  Finding finding{cat(begun, "failed: ", cause, cause.ends_with('.') ? "" : "."), {}, ""};
  for (auto line = story.begin() + 1; line != story.end(); ++line) {
    const bool is_twice = std::find(story.begin() + 1, line, *line) != line;
    const bool is_next =
        line->find("The whole log: ") != std::string::npos || line->find("--break ") != std::string::npos;
    if (!is_twice && !is_next) finding.evidence.push_back(*line);
  }
  finding.evidence.push_back(older);
  finding.next = cat("read ", records, "/build.log; mended, it goes on behind the last step that was kept");
  return finding;
}

}  // namespace

std::vector<Finding> causes_of(const ImageFacts& facts) {
  std::vector<Finding> found;
  const Json unfinished = member_or_null(facts.report, "unfinished");
  if (unfinished.is_object()) found.push_back(unfinished_cause(unfinished, facts.records));
  if (!facts.report.contains("steps")) return found;
  for (Finding& finding : findings_of(facts.report)) {
    if (unfinished.is_object()) finding.cause = cat("Of the build before: ", finding.cause);
    found.push_back(std::move(finding));
  }
  return found;
}

}  // namespace hearth::bootstrap::why
