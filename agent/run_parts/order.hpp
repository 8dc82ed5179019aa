// Which files of a scripts directory run: the pure part of dib-run-parts. Their order is base/run_parts.hpp's.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/result.hpp"

namespace hearth::agent {

/// A POSIX extended regular expression that is searched for in names.
class NamePattern {
 public:
  [[nodiscard]] static Result<NamePattern> compile(const std::string& expression);
  NamePattern(NamePattern&&) noexcept;
  ~NamePattern();
  [[nodiscard]] bool matches(const std::string& name) const;

 private:
  struct Compiled;
  explicit NamePattern(std::unique_ptr<Compiled> compiled);
  std::unique_ptr<Compiled> compiled_;
};

/// An entry of a scripts directory, links followed.
struct Candidate {
  std::string name;
  bool regular = false;
  bool executable = false;
};

struct Selection {
  std::vector<std::string> scripts;         ///< to be run, in order
  std::vector<std::string> not_executable;  ///< files with a fitting name that lack the x bit
  std::vector<std::string> nonconforming;   ///< executable files whose name does not match
  bool operator==(const Selection&) const = default;
};

[[nodiscard]] Selection select_scripts(const std::vector<Candidate>& candidates, const NamePattern& pattern);

}  // namespace hearth::agent
