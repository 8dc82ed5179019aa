// Shelves: what Ironic keeps beside nodes and ports - chassis, port groups, allocations, deploy templates, volume
// connectors and targets. A shelf is a row of a table: its fields with their forms, what is unique. A record is JSON
// with all fields of its shelf. Pure; throws Refusal with Ironic's words.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "bootstrap/node/shown.hpp"

namespace hearth::bootstrap {

/// What a field's value must look like.
enum class Form { text, name, trait, object, truth, whole, uuid, mac, texts, traits, steps };

struct ShelfField {
  std::string_view name;
  Form form;
  std::string_view initial;  ///< JSON; "" = it must be given
  bool changes = true;       ///< by PATCH
};

struct Shelf {
  std::string_view path;    ///< behind /v1, and of its records in the store: "volume/connectors"
  std::string_view list;    ///< the key of a list
  std::string_view title;   ///< "Volume connector"
  std::string_view phrase;  ///< "A volume connector"
  int since;                ///< the API's version that brought it: 1.…
  std::string_view brief;   ///< fields of a row that are told unasked; "" = all
  bool named;               ///< its records can be asked for by name
  std::vector<ShelfField> fields;
  std::vector<std::vector<std::string_view>> unique;  ///< sets of fields that no two records share
};

[[nodiscard]] const std::vector<Shelf>& shelves();
/// Null where there is none.
[[nodiscard]] const Shelf* shelf_at(std::string_view path);

/// A new record as `body` describes it, with a UUID of its own where it gives none.
[[nodiscard]] Json new_record(const Shelf& shelf, const Json& body);
/// The record after a JSON patch.
[[nodiscard]] Json patched_record(const Shelf& shelf, const Json& record, const Json& patch);
/// Throws Refusal (409) when `record` has what another one has that must be unique.
void check_unique(const Shelf& shelf, const Json& record, const std::vector<Json>& others);
/// As the API shows it: with links, secrets masked.
[[nodiscard]] Json shown_record(const Shelf& shelf, const Json& record, const View& view);

/// Throws Refusal (400) for what is no trait: CUSTOM_… or a standard one.
void check_trait(const std::string& trait);

}  // namespace hearth::bootstrap
