// Which form an inventory has, by what is in it. Pure.
#pragma once

#include <string>
#include <vector>

#include "bootstrap/inventory/listing.hpp"
#include "metadata/model/value.hpp"

namespace hearth::bootstrap {

/// How a text is written: json, yaml, csv, lines or ini.
[[nodiscard]] ListingFormat syntax_of(std::string_view text);

/// Of a document of Kubernetes' objects: those of a List, or of a list that stands alone; else the document itself.
[[nodiscard]] std::vector<const metadata::Value*> objects_in(const metadata::Value& document);
/// The form of JSON's or YAML's documents; instackenv where nodes say nothing of themselves. A ParseError names what
/// is there and what would be known, or both forms that it may have.
[[nodiscard]] Result<ListingFormat> form_of(const std::vector<metadata::Value>& documents, std::string_view source,
                                            const std::vector<Position>& places);

/// "a spreadsheet of Excel (.xlsx)", of bytes that are no text but what people save tables as; else empty.
[[nodiscard]] std::string spreadsheet_kind(std::string_view bytes);

/// Of a table, by its first line that is not empty: a semicolon where it has no comma, as spreadsheets write it where
/// numbers have a comma; a tab where it has neither, as tables are copied from them.
[[nodiscard]] char separator_of(std::string_view first_line);
/// The form of CSV by its first line; `any` where no form begins like this.
[[nodiscard]] ListingFormat form_of_table(const std::vector<std::string>& first_line);
/// "OOB IP" → oob_ip.
[[nodiscard]] std::string column_name(std::string_view written);

}  // namespace hearth::bootstrap
