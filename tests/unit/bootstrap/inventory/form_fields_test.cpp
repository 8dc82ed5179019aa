#include "bootstrap/inventory/form_fields.hpp"

#include <gtest/gtest.h>

#include "base/text.hpp"
#include "tests/unit/bootstrap/inventory/form_examples.hpp"

namespace hearth::bootstrap {
namespace {

/// A value at a table's path.
void put_at(Json& out, std::string_view path, const Json& value) {
  Json* at = &out;
  for (const std::string& part : split(path, '.')) {
    const bool list = part.ends_with("[]");
    at = &(*at)[list ? part.substr(0, part.size() - 2) : part];
    if (list) at = &(*at)[0];
  }
  *at = value;
}

TEST(FormFields, each_field_of_a_table_is_used_or_told) {
  for (const FormExample& each : k_form_examples) {
    for (const FormField& field : form_fields(each.form)) {
      if (field.own == k_by_form || field.path == "*") continue;
      ListingEntry entry;
      put_at(entry.data, field.path, "value");
      apply_form_fields(each.form, entry, Json::object());
      const bool told = entry.left_out.contains(std::string(field.path));
      EXPECT_NE(told, format_json(entry.data).find("value") != std::string::npos) << field.path;
      EXPECT_EQ(told, field.own == k_left_out) << field.path;
    }
  }
}

}  // namespace
}  // namespace hearth::bootstrap
