// Tables for people, as the field's clients print them (prettytable's). Pure.
#pragma once

#include <string>
#include <vector>

namespace hearth::cli {

using Row = std::vector<std::string>;

/// Words that are longer than a narrow column: names that are copied stay whole, and a page fits its terminal.
enum class LongWords { whole, broken };

/// A table with borders ("+----+", "| id |"), columns as wide as their characters; a cell may have several lines. Cells
/// are texts of people, machines and BMCs: other controls in them are shown as \x1b and give the terminal no order.
/// `room`: columns that it may be wide (0: any number); the widest cells are wrapped between their words, and within
/// them where that is not enough and they may be broken.
[[nodiscard]] std::string table(const Row& head, const std::vector<Row>& rows, std::size_t room = 0,
                                LongWords words = LongWords::whole);

/// The columns of the terminal that standard output is, or that COLUMNS names, 20 at least; 0 where neither is, and
/// programs may read the table.
[[nodiscard]] std::size_t table_room();

}  // namespace hearth::cli
