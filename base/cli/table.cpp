#include "base/cli/table.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <set>

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

using Cells = std::vector<std::vector<Lines>>;  // of the head and all rows

std::vector<std::size_t> widths_of(const Cells& all) {
  std::vector<std::size_t> widths(all.front().size());
  for (const std::vector<Lines>& row : all) {
    for (std::size_t x = 0; x < row.size(); ++x) {
      for (const std::string& line : row[x]) widths[x] = std::max(widths[x], columns(line));
    }
  }
  return widths;
}

/// Wraps the cells of a column as they are in `whole`; its width then.
std::size_t wrap_column(Cells& all, const Cells& whole, std::size_t x, std::size_t width, LongWords words) {
  std::size_t widest = 0;
  for (std::size_t y = 0; y < all.size(); ++y) {
    std::vector<Lines>& row = all[y];
    if (x >= row.size()) continue;
    Lines lines;
    for (const std::string& line : whole[y][x]) {
      const std::string text = words == LongWords::broken ? fitted(line, width) : wrapped(line, width);
      for (std::string& part : split(text, '\n')) lines.push_back(std::move(part));
    }
    for (const std::string& line : lines) widest = std::max(widest, columns(line));
    row[x] = std::move(lines);
  }
  return widest;
}

/// The widest column gives way, again and again; one whose words are too long for it is asked once.
void fit(Cells& all, const Cells& whole, std::vector<std::size_t>& widths, std::size_t room, LongWords words) {
  constexpr std::size_t k_border = 3;  // " | "
  std::set<std::size_t> rigid;
  while (rigid.size() < widths.size()) {
    std::size_t total = 1;
    std::optional<std::size_t> widest;
    for (std::size_t x = 0; x < widths.size(); ++x) {
      total += widths[x] + k_border;
      if (!rigid.contains(x) && (!widest || widths[x] > widths[*widest])) widest = x;
    }
    if (total <= room || !widest) return;
    const std::size_t excess = total - room;
    const std::size_t wanted = std::max(widths[*widest] / 2, widths[*widest] - std::min(excess, widths[*widest]));
    const std::size_t got = wrap_column(all, whole, *widest, std::max<std::size_t>(wanted, 1), words);
    if (got > wanted) rigid.insert(*widest);
    widths[*widest] = got;
  }
}

}  // namespace

std::string table(const Row& head, const std::vector<Row>& rows, std::size_t room, LongWords words) {
  Cells all;
  const auto add = [&](const Row& row) {
    all.emplace_back();
    for (const std::string& cell : row) all.back().push_back(lines_of(cell));
  };
  add(head);
  for (const Row& row : rows) add(row);
  std::vector<std::size_t> widths = widths_of(all);
  const Cells given = all;
  if (room > 0) fit(all, given, widths, room, LongWords::whole);
  if (room > 0 && words == LongWords::broken) fit(all, given, widths, room, words);
  std::string border = "+";
  for (const std::size_t width : widths) border += cat(std::string(width + 2, '-'), "+");
  border += "\n";
  std::string text = cat(border, drawn(all[0], widths), border);
  for (std::size_t y = 1; y < all.size(); ++y) text += drawn(all[y], widths);
  return rows.empty() ? text : cat(text, border);
}

std::size_t table_room() {
  const char* said = std::getenv("COLUMNS");
  const bool named = said != nullptr && parse_number(said).value_or(0) > 0;
  return named || ::isatty(STDOUT_FILENO) != 0 ? terminal_width(STDOUT_FILENO, said, 20) : 0;
}

}  // namespace hearth::cli
