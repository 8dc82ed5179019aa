// JUnit's XML, which CI services read: a test case for each thing that was tried. Pure.
// Source: https://github.com/testmoapp/junitxml (there is no schema of its authors').
#pragma once

#include <string>
#include <vector>

namespace hearth::cli {

struct JunitCase {
  enum class Outcome { passed, failed, error /* it could not be tried to its end */, skipped };
  std::string name;
  double seconds = 0;
  Outcome outcome = Outcome::passed;
  std::string kind;     ///< of a failure or an error
  std::string message;  ///< one line; of a failure, an error or a skip
  std::string story;    ///< of a failure or an error
  std::string output;   ///< what was written meanwhile, of a failure or an error; may be empty
};

/// What XML 1.0 has no place for stands as "?".
[[nodiscard]] std::string junit_xml(const std::string& suite, const std::vector<JunitCase>& cases, double seconds);

}  // namespace hearth::cli
