#include <algorithm>

#include "agent/doctor/check.hpp"
#include "base/log.hpp"
#include "base/python_json.hpp"
#include "base/text.hpp"

namespace hearth::agent {

std::vector<CheckResult> examine(const DoctorWorld& world) {
  const CollectSettings settings = read_collect_settings(world);
  std::vector<CheckResult> results = {check_agents(settings, world), check_network(settings, world)};
  const Poll poll = poll_once(settings, world);
  results.push_back(check_metadata(poll));
  results.push_back(check_polling(settings, world));
  results.push_back(check_hooks(poll, world));
  results.push_back(check_signals(poll, world));
  return results;
}

bool is_well(const std::vector<CheckResult>& results) {
  return std::all_of(results.begin(), results.end(), [](const CheckResult& result) { return result.problems.empty(); });
}

std::string report_text(const std::vector<CheckResult>& results) {
  std::string text;
  int number = 0;
  for (const CheckResult& result : results) {
    text += cat(++number, ". ", result.question, result.problems.empty() ? " Yes.\n" : " No.\n");
    for (const Problem& problem : result.problems) {
      for (const std::string& line : split_lines(trim(problem.what))) text += cat("   ", one_line(line), "\n");
      text += cat("   -> ", one_line(problem.advice), "\n");
    }
    for (const std::string& note : result.notes) text += cat("   (", one_line(note), ")\n");
  }
  return cat(text, is_well(results) ? "Nothing keeps a deployment of this machine IN_PROGRESS.\n" : "");
}

std::string report_json(const std::vector<CheckResult>& results) {
  Json checks = Json::array();
  for (const CheckResult& result : results) {
    Json problems = Json::array();
    for (const Problem& problem : result.problems) {
      Json entry = Json::object();
      entry["what"] = problem.what;
      entry["advice"] = problem.advice;
      problems.push_back(std::move(entry));
    }
    Json check = Json::object();
    check["name"] = result.name;
    check["question"] = result.question;
    check["ok"] = result.problems.empty();
    check["problems"] = std::move(problems);
    check["notes"] = result.notes;
    checks.push_back(std::move(check));
  }
  Json document = Json::object();
  document["ok"] = is_well(results);
  document["checks"] = std::move(checks);
  return cat(python_json(document, {.indent = 2}), "\n");
}

}  // namespace hearth::agent
