#include "agent/run_parts/order.hpp"

#include <regex.h>

#include <algorithm>
#include <array>

#include "base/run_parts.hpp"
#include "base/text.hpp"

namespace hearth::agent {

struct NamePattern::Compiled {
  Compiled() = default;
  Compiled(const Compiled&) = delete;
  Compiled& operator=(const Compiled&) = delete;
  ~Compiled() {
    if (ready) ::regfree(&regex);
  }
  regex_t regex{};
  bool ready = false;
};

NamePattern::NamePattern(std::unique_ptr<Compiled> compiled) : compiled_(std::move(compiled)) {}
NamePattern::NamePattern(NamePattern&&) noexcept = default;
NamePattern::~NamePattern() = default;

Result<NamePattern> NamePattern::compile(const std::string& expression) {
  std::unique_ptr<Compiled> compiled = std::make_unique<Compiled>();
  const int code = ::regcomp(&compiled->regex, expression.c_str(), REG_EXTENDED | REG_NOSUB);
  if (code == 0) {
    compiled->ready = true;
    return NamePattern(std::move(compiled));
  }
  std::array<char, 256> reason{};
  ::regerror(code, &compiled->regex, reason.data(), reason.size());
  return ParseError{"RUN_PARTS_REGEX", {}, cat("'", expression, "': ", reason.data())};
}

bool NamePattern::matches(const std::string& name) const {
  return ::regexec(&compiled_->regex, name.c_str(), 0, nullptr, 0) == 0;
}

Selection select_scripts(const std::vector<Candidate>& candidates, const NamePattern& pattern) {
  Selection selection;
  for (const Candidate& candidate : candidates) {
    if (!candidate.regular) continue;
    const bool conforms = pattern.matches(candidate.name);
    if (candidate.executable && conforms) selection.scripts.push_back(candidate.name);
    if (candidate.executable && !conforms) selection.nonconforming.push_back(candidate.name);
    if (!candidate.executable && conforms) selection.not_executable.push_back(candidate.name);
  }
  for (auto* names : {&selection.scripts, &selection.not_executable, &selection.nonconforming}) {
    std::sort(names->begin(), names->end(), runs_before);
  }
  return selection;
}

}  // namespace hearth::agent
