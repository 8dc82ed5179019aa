// Longest common subsequence by dynamic programming, after the common head and tail are taken off. Its table is
// bounded: two middles that differ in more than k_max_cells line pairs are shown as replaced whole, which is correct,
// only not the shortest. Configuration files don't come near that.
#include "agent/apply/diff.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "base/text.hpp"

namespace hearth::agent {

namespace {

constexpr std::size_t k_context = 3;
constexpr std::size_t k_max_cells = 16'000'000;

using Lines = std::vector<std::string_view>;

/// Lines with their newlines, so that a missing last one is a difference.
Lines lines_of(std::string_view text) {
  Lines lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size() - 1) + 1;
    lines.push_back(text.substr(0, end));
    text.remove_prefix(end);
  }
  return lines;
}

struct Edit {
  char mark;  ///< ' ', '-' or '+'
  std::string_view line;
};

class EditScript {
 public:
  EditScript(const Lines& before, const Lines& after) : before_(before), after_(after) {}

  std::vector<Edit> run() {
    std::size_t head = 0;
    while (head < std::min(before_.size(), after_.size()) && before_[head] == after_[head]) ++head;
    std::size_t tail = 0;
    while (tail < std::min(before_.size(), after_.size()) - head &&
           before_[before_.size() - 1 - tail] == after_[after_.size() - 1 - tail]) {
      ++tail;
    }
    for (std::size_t i = 0; i < head; ++i) edits_.push_back({' ', before_[i]});
    middle(head, before_.size() - tail, after_.size() - tail);
    for (std::size_t i = before_.size() - tail; i < before_.size(); ++i) edits_.push_back({' ', before_[i]});
    return std::move(edits_);
  }

 private:
  void middle(std::size_t begin, std::size_t before_end, std::size_t after_end) {
    const std::size_t rows = before_end - begin;
    const std::size_t columns = after_end - begin;
    std::size_t i = 0;
    std::size_t j = 0;
    if (rows * columns <= k_max_cells) {
      const std::vector<std::uint32_t> table = common_lengths(begin, rows, columns);
      const auto cell = [&](std::size_t row, std::size_t column) { return table[row * (columns + 1) + column]; };
      while (i < rows && j < columns) {
        if (before_[begin + i] == after_[begin + j]) {
          edits_.push_back({' ', before_[begin + i]});
          ++i;
          ++j;
        } else if (cell(i + 1, j) >= cell(i, j + 1)) {
          edits_.push_back({'-', before_[begin + i++]});
        } else {
          edits_.push_back({'+', after_[begin + j++]});
        }
      }
    }
    for (; i < rows; ++i) edits_.push_back({'-', before_[begin + i]});
    for (; j < columns; ++j) edits_.push_back({'+', after_[begin + j]});
  }

  /// table[i][j] = length of the longest common subsequence of what follows line i and line j.
  [[nodiscard]] std::vector<std::uint32_t> common_lengths(std::size_t begin, std::size_t rows,
                                                          std::size_t columns) const {
    std::vector<std::uint32_t> table((rows + 1) * (columns + 1), 0);
    for (std::size_t i = rows; i-- > 0;) {
      for (std::size_t j = columns; j-- > 0;) {
        std::uint32_t& cell = table[i * (columns + 1) + j];
        const std::uint32_t below = table[(i + 1) * (columns + 1) + j];
        const std::uint32_t right = table[i * (columns + 1) + j + 1];
        const bool same = before_[begin + i] == after_[begin + j];
        cell = same ? table[(i + 1) * (columns + 1) + j + 1] + 1 : std::max(below, right);
      }
    }
    return table;
  }

  const Lines& before_;
  const Lines& after_;
  std::vector<Edit> edits_;
};

/// A stretch of edits with its context, as positions in the edit script.
struct Hunk {
  std::size_t begin;
  std::size_t end;
};

std::vector<Hunk> hunks_of(const std::vector<Edit>& edits) {
  std::vector<Hunk> hunks;
  for (std::size_t i = 0; i < edits.size(); ++i) {
    if (edits[i].mark == ' ') continue;
    const std::size_t begin = i > k_context ? i - k_context : 0;
    const std::size_t end = std::min(i + 1 + k_context, edits.size());
    if (!hunks.empty() && begin <= hunks.back().end) {
      hunks.back().end = end;
    } else {
      hunks.push_back({begin, end});
    }
  }
  return hunks;
}

/// "12,3": first line and count, in diff's own shorthand (count 1 is left out; an empty range names the line before).
std::string range_text(std::size_t lines_before, std::size_t count) {
  const std::size_t first = count == 0 ? lines_before : lines_before + 1;
  return count == 1 ? cat(first) : cat(first, ",", count);
}

std::string edit_text(const Edit& edit) {
  const bool whole = edit.line.back() == '\n';
  return cat(edit.mark, edit.line, whole ? "" : "\n\\ No newline at end of file\n");
}

}  // namespace

std::string unified_diff(std::string_view before, std::string_view after, std::string_view before_name,
                         std::string_view after_name) {
  if (before == after) return "";
  const Lines before_lines = lines_of(before);
  const Lines after_lines = lines_of(after);
  const std::vector<Edit> edits = EditScript(before_lines, after_lines).run();
  std::string text = cat("--- ", before_name, "\n+++ ", after_name, "\n");
  std::size_t at = 0;
  std::size_t before_at = 0;
  std::size_t after_at = 0;
  for (const Hunk& hunk : hunks_of(edits)) {
    before_at += hunk.begin - at;
    after_at += hunk.begin - at;
    at = hunk.begin;
    std::string body;
    const std::size_t before_begin = before_at;
    const std::size_t after_begin = after_at;
    for (; at < hunk.end; ++at) {
      before_at += edits[at].mark != '+' ? 1U : 0U;
      after_at += edits[at].mark != '-' ? 1U : 0U;
      body += edit_text(edits[at]);
    }
    text += cat("@@ -", range_text(before_begin, before_at - before_begin), " +",
                range_text(after_begin, after_at - after_begin), " @@\n", body);
  }
  return text;
}

}  // namespace hearth::agent
