#include "base/cli/table.hpp"

#include <algorithm>

#include "base/cli/layout.hpp"
#include "base/log.hpp"
#include "base/text.hpp"

namespace hearth::cli {

namespace {

using Lines = std::vector<std::string>;

Lines lines_of(const std::string& cell) {
  Lines lines = split(cell, '\n');
  for (std::string& line : lines) line = one_line(line);
  return lines;
}

std::string drawn(const std::vector<Lines>& cells, const std::vector<std::size_t>& widths) {
  std::size_t height = 1;
  for (const Lines& lines : cells) height = std::max(height, lines.size());
  std::string text;
  for (std::size_t y = 0; y < height; ++y) {
    text += "|";
    for (std::size_t x = 0; x < cells.size(); ++x) {
      text += cat(" ", padded(y < cells[x].size() ? cells[x][y] : "", widths[x]), " |");
    }
    text += "\n";
  }
  return text;
}

}  // namespace

std::string table(const Row& head, const std::vector<Row>& rows) {
  std::vector<std::size_t> widths(head.size());
  std::vector<std::vector<Lines>> all;
  const auto add = [&](const Row& row) {
    all.emplace_back();
    for (std::size_t x = 0; x < row.size(); ++x) {
      all.back().push_back(lines_of(row[x]));
      for (const std::string& line : all.back().back()) widths[x] = std::max(widths[x], columns(line));
    }
  };
  add(head);
  for (const Row& row : rows) add(row);
  std::string border = "+";
  for (const std::size_t width : widths) border += cat(std::string(width + 2, '-'), "+");
  border += "\n";
  std::string text = cat(border, drawn(all[0], widths), border);
  for (std::size_t y = 1; y < all.size(); ++y) text += drawn(all[y], widths);
  return rows.empty() ? text : cat(text, border);
}

}  // namespace hearth::cli
