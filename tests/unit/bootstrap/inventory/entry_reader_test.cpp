#include "bootstrap/inventory/entry_reader.hpp"

#include <gtest/gtest.h>

#include "metadata/model/yaml_reader.hpp"

namespace hearth::bootstrap {
namespace {

TEST(EntryReader, a_document_further_down_has_the_places_of_its_file) {
  const std::string text = "a: {mac: 52:54:00:00:00:01, cpu: 010}\n";
  EntryReader reader(text, true, 7);
  const ListingEntry entry = reader.entry(metadata::parse_yaml(text, "f").value_or_throw());
  EXPECT_EQ(entry.data["a"]["mac"], "52:54:00:00:00:01");
  EXPECT_EQ(entry.data["a"]["cpu"], 8);
  EXPECT_EQ(entry.place("a.cpu"), (Position{8, 34}));
}

}  // namespace
}  // namespace hearth::bootstrap
