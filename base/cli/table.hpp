// Tables for people, as the field's clients print them (prettytable's). Pure.
#pragma once

#include <string>
#include <vector>

namespace hearth::cli {

using Row = std::vector<std::string>;

/// A table with borders ("+----+", "| id |"), columns as wide as their characters; a cell may have several lines. Cells
/// are texts of people, machines and BMCs: other controls in them are shown as \x1b and give the terminal no order.
[[nodiscard]] std::string table(const Row& head, const std::vector<Row>& rows);

}  // namespace hearth::cli
