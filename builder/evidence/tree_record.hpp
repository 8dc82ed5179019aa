// What is in an image, file by file, and which step wrote it last: NAME.d/tree.tsv, a line for each entry, sorted by
// path:
//
//   PATH <tab> KIND+MODE <tab> UID:GID <tab> SIZE <tab> sha256 or link target <tab> STEP
//
// The step is found by the time of an entry's last change (ctime, which hooks can't set) among the times of the steps.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/path.hpp"

namespace hearth::builder::evidence {

/// When a step began, wall clock, nanoseconds.
struct StepSpan {
  std::string name;
  std::int64_t began_ns = 0;
};

/// The step that ran at `changed_ns`, of steps in the order of time.
[[nodiscard]] std::string step_at(const std::vector<StepSpan>& steps, std::int64_t changed_ns);

[[nodiscard]] std::string record_tree(const fs::path& root, const std::vector<StepSpan>& steps);

/// Throws Error (input) "SOURCE:LINE: …" where it is no such record: cut short, or written by others.
void require_tree_record(std::string_view record, const std::string& source);

struct WrittenFile {
  std::string step;
  std::uint64_t size = 0;
};
/// The files of a record, by path without the first slash.
[[nodiscard]] std::map<std::string, WrittenFile> written_files(std::string_view record);

struct TreeDifference {
  std::string path;
  std::string what;  ///< "contents", "mode", "owner", "only in the first", …
  std::string step;
};
/// The first entry, in the order of paths, in which two records differ, steps left aside; nothing when they agree.
[[nodiscard]] std::optional<TreeDifference> first_difference(std::string_view first, std::string_view second);

}  // namespace hearth::builder::evidence
