#include "metadata/resources/translation.hpp"

#include <gtest/gtest.h>

#include "metadata/model/fault.hpp"
#include "metadata/model/json_reader.hpp"
#include "metadata/model/value_text.hpp"

namespace hearth::metadata {
namespace {

Value read(const char* text) { return parse_json_value(text, "test").value_or_throw(); }

struct Renamed {
  const char* type;
  const char* given;
  const char* expected;
};

TEST(Translation, gives_properties_their_present_names) {
  for (const Renamed& each : {
           Renamed{"OS::Neutron::Port",
                   R"({"network_id": "n", "fixed_ips": [{"subnet_id": "s"}, {"ip_address": "a"}]})",
                   R"({"fixed_ips": [{"subnet": "s"}, {"ip_address": "a"}], "network": "n"})"},
           Renamed{"OS::Neutron::Subnet", R"({"cidr": "c", "network_id": "n"})", R"({"cidr": "c", "network": "n"})"},
           Renamed{"OS::Nova::Server", R"({"networks": [{"uuid": "n"}, {"port": "p"}]})",
                   R"({"networks": [{"network": "n"}, {"port": "p"}]})"},
           Renamed{"OS::Nova::Server", R"({"block_device_mapping_v2": [{"image_id": "i"}]})",
                   R"({"block_device_mapping_v2": [{"image": "i"}]})"},
           Renamed{"OS::Heat::RandomString", R"({"sequence": "digits"})",
                   R"({"character_classes": [{"class": "digits", "min": 1}]})"},
           Renamed{"OS::Heat::RandomString", R"({"sequence": "digits", "character_classes": [{"class": "letters"}]})",
                   R"({"character_classes": [{"class": "letters"}, {"class": "digits", "min": 1}]})"},
           Renamed{"OS::Neutron::Net", R"({"network_id": "n"})", R"({"network_id": "n"})"},
           Renamed{"OS::Neutron::Port", R"({"network_id": null, "network": "n"})", R"({"network": "n"})"},
       }) {
    EXPECT_EQ(python_repr(translated_properties(each.type, read(each.given))), python_repr(read(each.expected)));
  }
}

TEST(Translation, refuses_what_is_given_by_both_names) {
  try {
    (void)translated_properties("OS::Neutron::Port", read(R"({"network": "a", "network_id": "b"})"));
    FAIL();
  } catch (const Fault& fault) {
    EXPECT_EQ(fault.text(), "Cannot define the following properties at the same time: network, network_id");
  }
  EXPECT_THROW(
      (void)translated_properties("OS::Nova::Server", read(R"({"networks": [{"uuid": "a", "network": "b"}]})")), Fault);
}

}  // namespace
}  // namespace hearth::metadata
