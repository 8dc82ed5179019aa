// How the builds of many images ended: the table for people, JUnit's XML for CI services, JSON. Pure.
#pragma once

#include <string>
#include <vector>

#include "base/json.hpp"

namespace hearth::builder {

struct ImageResult {
  enum class Outcome { built, unchanged, failed, interrupted, not_built };
  std::string name;
  std::string stem;   ///< absolute path without the format
  std::string place;  ///< file:line:column of its description
  Outcome outcome = Outcome::not_built;
  int code = 0;
  std::string error;  ///< the story of a failure
  double seconds = 0;
  std::size_t from_layers = 0;  ///< steps
  std::size_t ran = 0;
  std::vector<std::string> outputs;
};

[[nodiscard]] const char* name_of(ImageResult::Outcome outcome);

/// The exit code of all: of the last image that failed, in their order, as diskimage-builder has it; 0 where none did.
[[nodiscard]] int exit_code_of(const std::vector<ImageResult>& results);
[[nodiscard]] std::size_t failures_of(const std::vector<ImageResult>& results);

/// A line an image, then one that counts; at most `room` columns wide (0: any number).
[[nodiscard]] std::string results_table(const std::vector<ImageResult>& results, double seconds, std::size_t room = 0);
[[nodiscard]] Json results_json(const std::vector<ImageResult>& results, double seconds);
/// A test case an image: failed ones with their story, those that were not built as skipped.
[[nodiscard]] std::string junit_xml(const std::vector<ImageResult>& results, const std::string& suite, double seconds);

}  // namespace hearth::builder
