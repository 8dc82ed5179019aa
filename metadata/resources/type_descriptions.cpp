#include "metadata/resources/type_descriptions.hpp"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "metadata/resources/types/descriptions.hpp"

namespace hearth::metadata {

namespace {

std::vector<FamilyDescription> all_families() {
  std::vector<FamilyDescription> all = {types::configs(),
                                        types::deployments(),
                                        types::deployment_groups(),
                                        types::groups(),
                                        types::chains(),
                                        types::nested_templates(),
                                        types::values(),
                                        types::random_strings(),
                                        types::nothings(),
                                        types::servers(),
                                        types::networks(),
                                        types::subnets(),
                                        types::ports(),
                                        types::wait_handles(),
                                        types::wait_conditions(),
                                        types::key_pairs(),
                                        types::external_resources(),
                                        types::clouds()};
  std::sort(all.begin(), all.end(), [](const auto& one, const auto& other) { return one.family < other.family; });
  return all;
}

using Row = std::pair<Family, const TypeDescription*>;

const std::unordered_map<std::string_view, Row>& rows() {
  static const std::unordered_map<std::string_view, Row> by_name = [] {
    std::unordered_map<std::string_view, Row> found;
    for (const FamilyDescription& family : families()) {
      for (const TypeDescription& type : family.types) found.emplace(type.name, Row{family.family, &type});
    }
    return found;
  }();
  return by_name;
}

}  // namespace

const std::vector<FamilyDescription>& families() {
  static const std::vector<FamilyDescription> all = all_families();
  return all;
}

const FamilyDescription& description_of(Family family) { return families().at(static_cast<std::size_t>(family)); }

const TypeDescription* find_description(std::string_view type) {
  const auto found = rows().find(type);
  return found == rows().end() ? nullptr : found->second.second;
}

Family family_of(std::string_view type) {
  const auto found = rows().find(type);
  return found == rows().end() ? Family::opaque : found->second.first;
}

ReferenceKind reference_kind(Family family, std::string_view type) {
  const TypeDescription* row = family_of(type) == family ? find_description(type) : nullptr;
  return row != nullptr && row->reference ? *row->reference : description_of(family).reference;
}

}  // namespace hearth::metadata
