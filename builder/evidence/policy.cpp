#include "builder/evidence/policy.hpp"

#include <ctime>

#include "base/debian_version.hpp"
#include "base/text.hpp"

namespace hearth::builder::evidence {

namespace {

std::string quoted(const std::string& text) { return text.empty() ? "nothing" : cat("'", text, "'"); }

}  // namespace

std::optional<std::int64_t> parse_time(const std::string& text) {
  if (const auto seconds = parse_number(text)) return static_cast<std::int64_t>(*seconds);
  for (const char* form : {"%Y-%m-%dT%H:%M:%SZ", "%Y-%m-%d"}) {
    std::tm parts{};
    const char* const end = ::strptime(text.c_str(), form, &parts);
    if (end != nullptr && *end == 0) return ::timegm(&parts);
  }
  return std::nullopt;
}

std::map<std::string, std::string> identity_in(const Json& statement) {
  return {{"builder", text_at(statement, "/predicate/runDetails/builder/id")},
          {"name", text_at(statement, "/predicate/buildDefinition/externalParameters/image/name")},
          {"version", text_at(statement, "/predicate/buildDefinition/externalParameters/image/version")},
          {"finished", text_at(statement, "/predicate/runDetails/metadata/finishedOn")}};
}

std::vector<std::string> policy_faults(const Json& statement, const Policy& policy) {
  const std::map<std::string, std::string> is = identity_in(statement);
  const std::string& version = is.at("version");
  const std::string& finished = is.at("finished");
  std::vector<std::string> faults;
  const auto require = [&](const char* what, const std::optional<std::string>& wanted) {
    if (!wanted || is.at(what) == *wanted) return;
    faults.push_back(cat("its ", what, " is ", quoted(is.at(what)), ", not '", *wanted, "'"));
  };
  require("builder", policy.builder);
  require("name", policy.name);
  require("version", policy.version);
  if (policy.minimum_version && (version.empty() || compare_debian_versions(version, *policy.minimum_version) < 0)) {
    faults.push_back(cat("its version is ", quoted(version), ", older than '", *policy.minimum_version, "'"));
  }
  if (policy.not_before && parse_time(finished).value_or(-1) < *policy.not_before) {
    faults.push_back(cat("its build ended at ", quoted(finished), ", before the time that --not-before gives"));
  }
  return faults;
}

}  // namespace hearth::builder::evidence
