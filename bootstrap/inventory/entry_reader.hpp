// Values of an inventory as JSON, with the place of each. Where text is expected, what was written is taken in place of
// what YAML 1.1 makes of it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "bootstrap/inventory/listing.hpp"
#include "metadata/model/value.hpp"

namespace hearth::bootstrap {

/// Of one document. `above` are the lines that stand before it in its file.
class EntryReader {
 public:
  EntryReader(std::string_view text, bool yaml, int above = 0);

  [[nodiscard]] Position position(const metadata::Value& value) const;
  [[nodiscard]] ListingEntry entry(const metadata::Value& value);

 private:
  Json convert(const metadata::Value& value, const std::string& path);
  [[nodiscard]] Json scalar(const metadata::Value& value, const std::string& path) const;
  [[nodiscard]] std::string written_at(const metadata::Value& value) const;

  bool yaml_;
  int above_;
  std::vector<std::string> lines_;
  std::map<std::string, Position> places_;
};

}  // namespace hearth::bootstrap
