#include "metadata/resources/type_descriptions.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "metadata/model/value_text.hpp"
#include "metadata/resources/property_schema.hpp"
#include "metadata/resources/type_names.hpp"

namespace hearth::metadata {
namespace {

TEST(TypeDescriptions, EachFamilyIsDescribedOnceInItsPlace) {
  ASSERT_EQ(families().size(), static_cast<std::size_t>(Family::opaque) + 1);
  for (std::size_t i = 0; i < families().size(); ++i) {
    EXPECT_EQ(families()[i].family, static_cast<Family>(i));
    const bool has_no_types = families()[i].family == Family::nested || families()[i].family == Family::external;
    EXPECT_EQ(families()[i].types.empty(), has_no_types) << i;
  }
}

TEST(TypeDescriptions, NoTypeLacksAPart) {
  std::set<std::string_view> seen;
  for (const FamilyDescription& family : families()) {
    for (const TypeDescription& type : family.types) {
      const std::string name(type.name);
      EXPECT_TRUE(seen.insert(type.name).second) << name << " is described twice";
      EXPECT_EQ(family_of(name), family.family) << name;
      EXPECT_EQ(std::count(builtin_type_names().begin(), builtin_type_names().end(), name), 1) << name;
      EXPECT_NE(type.schema.empty(), type.schema_of.empty()) << name << " has not one schema";
      const ResourceType* table = find_resource_type(name);
      ASSERT_NE(table, nullptr) << name;
      EXPECT_FALSE(table->attributes.empty()) << name;
      for (const FormerName& each : type.former) {
        const PropertySchema* property = table->property(each.list.empty() ? each.present : each.list);
        ASSERT_NE(property, nullptr) << name << ": " << each.present;
        if (each.list.empty()) continue;
        const auto& members = property->item->members;
        EXPECT_TRUE(std::any_of(members.begin(), members.end(), [&](const auto& m) { return m.first == each.present; }))
            << name << ": " << each.list << " has no " << each.present;
      }
    }
  }
}

TEST(TypeDescriptions, AServerGroupHasOneOfFourPolicies) {
  const ResourceType* group = find_resource_type("OS::Nova::ServerGroup");
  ASSERT_NE(group, nullptr);
  const auto with = [&](const char* policy) {
    return convert_properties(group->properties, map_of({{"policies", Value::list({Value::string(policy)})}}));
  };
  EXPECT_EQ(python_str(member(with("soft-affinity"), "policies")), "['soft-affinity']");
  EXPECT_THROW(static_cast<void>(with("affinty")), Fault);
}

TEST(TypeDescriptions, ARowMayRefineWhatItsFamilySays) {
  EXPECT_EQ(reference_kind(Family::wait_handle, "OS::Heat::WaitConditionHandle"), ReferenceKind::id);
  EXPECT_EQ(reference_kind(Family::wait_handle, "OS::Heat::SwiftSignalHandle"), ReferenceKind::url);
  EXPECT_EQ(reference_kind(Family::external, "OS::Heat::WaitConditionHandle"), ReferenceKind::external_id);
  EXPECT_EQ(family_of("OS::Cinder::Volume"), Family::opaque);
  EXPECT_EQ(find_description("OS::Cinder::Volume"), nullptr);
}

}  // namespace
}  // namespace hearth::metadata
