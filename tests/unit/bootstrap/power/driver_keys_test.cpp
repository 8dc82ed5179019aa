#include "bootstrap/power/driver_keys.hpp"

#include <gmock/gmock.h>

#include <regex>
#include <set>

#include "base/sys/file.hpp"
#include "base/text.hpp"
#include "bootstrap/power/all_drivers.hpp"
#include "source_directory.hpp"

namespace hearth::bootstrap {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

Node node_with(const Json& driver_info) {
  Node node;
  node.driver_info = driver_info;
  return node;
}

std::set<std::string> table_names() {
  std::set<std::string> names;
  for (const DriverSheet& sheet : driver_sheets()) {
    for (const DriverKey& key : sheet.keys) names.insert(key.name);
  }
  for (const DriverKey& key : common_driver_keys()) names.insert(key.name);
  return names;
}

/// The keys that the sources ask a node for.
std::set<std::string> names_read() {
  std::set<std::string> names;
  const std::regex read(R"re((?:info\(|driver_setting\(\w+, |own_or\(node, )"([a-z_]+)")re");
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(fs::path(HEARTH_SOURCE_DIR) / "bootstrap")) {
    if (entry.path().extension() != ".cpp") continue;
    const std::string code = read_file(entry.path());
    for (std::sregex_iterator at(code.begin(), code.end(), read), end; at != end; ++at) names.insert((*at)[1]);
  }
  return names;
}

TEST(DriverKeys, haveASheetForEveryDriverOfTheProgram) {
  std::vector<std::string> names;
  for (const DriverSheet& sheet : driver_sheets()) names.push_back(sheet.driver);
  EXPECT_THAT(names,
              testing::UnorderedElementsAreArray(all_drivers("/nowhere", std::make_shared<const Curfew>()).names()));
}

TEST(DriverKeys, everyKeyThatIsReadIsInTheTable) {
  const std::set<std::string> known = table_names();
  const std::set<std::string> read = names_read();
  EXPECT_GT(read.size(), 40U);
  for (const std::string& name : read) EXPECT_THAT(known, Contains(name));
}

TEST(DriverKeys, everyKeyOfTheTableIsRead) {
  std::set<std::string> read = names_read();
  for (const char* prefix : {"deploy_", "rescue_"}) {  // boot/boot_wish.cpp puts these together
    for (const char* part : {"kernel", "ramdisk"}) read.insert(cat(prefix, part));
  }
  for (const std::string& name : table_names()) {
    const bool vendors = std::regex_match(name, std::regex("(drac|ilo|irmc|xclarity)_.*"));  // vendor_driver.cpp, too
    if (vendors) continue;
    EXPECT_THAT(read, Contains(name));
  }
}

TEST(DriverKeys, AValueThatCanNotBeIsToldBeforeItIsNeeded) {
  EXPECT_EQ(driver_value_fault("redfish", "deploy_callback_timeout", "3m"),
            "deploy_callback_timeout 3m is no whole number.");
  for (const char* good : {"bmc.example.org", "https://bmc:8443/", "192.0.2.1:443", "[2001:db8::1]", "2001:db8::1",
                           "http://[2001:db8::1]:8000/redfish", "BMC_1"})
    EXPECT_EQ(driver_value_fault("redfish", "redfish_address", good), "") << good;
  EXPECT_EQ(driver_value_fault("redfish", "redfish_address", "htps://192.0.2.202"),
            "redfish_address htps://192.0.2.202 is no URL of http or https; did you mean https://?");
  EXPECT_EQ(driver_value_fault("redfish", "redfish_address", "https//192.0.2.202"),
            "redfish_address https//192.0.2.202 is no URL: a scheme ends with ://, as in https://.");
  for (const char* odd : {"192.0.2", "bmc 1", "https://", "192.0.2.300", "a,b"})
    EXPECT_THAT(driver_value_fault("redfish", "redfish_address", odd), HasSubstr("is no address.")) << odd;
  EXPECT_EQ(driver_value_fault("redfish", "redfish_timeout", "abc"), "redfish_timeout abc is no whole number.");
  EXPECT_EQ(driver_value_fault("redfish", "redfish_verify_ca", "flase"),
            "redfish_verify_ca flase is neither true nor false, nor a file.");
  EXPECT_THAT(driver_value_fault("redfish", "redfish_auth_type", "digest"), HasSubstr("none of auto, session, basic"));
  for (const char* address : {"10.20.1.300", "https://10.20.1:443/redfish"})
    EXPECT_THAT(driver_value_fault("redfish", "redfish_address", address), HasSubstr("is no address"));
  for (const char* address : {"10.20.1.30", "http://10.20.1.30:8000", "bmc7.example", "[fd00::7]", "10g-switch"})
    EXPECT_EQ(driver_value_fault("redfish", "redfish_address", address), "") << address;
  EXPECT_EQ(driver_value_fault("redfish", "redfish_verify_ca", "/etc/hearth/bmcs.pem"), "");
  EXPECT_EQ(driver_value_fault("idrac", "redfish_timeout", "30"), "");
  EXPECT_EQ(driver_value_fault("redfish", "of_another_program", "x"), "");
}

TEST(DriverKeys, giveDefaultsToTheDrivers) {
  EXPECT_EQ(driver_setting(Node(), "ipmi_port"), "623");
  EXPECT_EQ(driver_setting(node_with({{"ipmi_port", 6230}}), "ipmi_port"), "6230");
  EXPECT_EQ(driver_setting(Node(), "redfish_timeout"), "60");
  EXPECT_THROW(static_cast<void>(driver_setting(Node(), "ipmi_colour")), std::logic_error);
}

TEST(DriverKeys, tellWhatIsMissingAndWhatCantBe) {
  EXPECT_THAT(driver_key_faults(Node(), "ipmi"), ElementsAre("ipmi_address is missing: the address of the BMC."));
  EXPECT_THAT(driver_key_faults(node_with({{"ipmi_address", "192.0.2.5"}, {"ipmi_port", 70000}}), "ipmi"),
              ElementsAre("ipmi_port 70000 is no port."));
  EXPECT_THAT(driver_key_faults(node_with({{"redfish_address", "bmc"}, {"redfish_auth_type", "none"}}), "redfish"),
              ElementsAre("redfish_auth_type none is none of auto, session, basic."));
  EXPECT_THAT(driver_key_faults(node_with({{"redfish_address", "bmc"}}), "idrac"), IsEmpty());
}

TEST(DriverKeys, findTheKeyThatWasMeant) {
  EXPECT_EQ(meant_driver_key("redfish", "redfish_adress"), "redfish_address");
  EXPECT_EQ(meant_driver_key("redfish", "redfish_address"), "");
  EXPECT_EQ(meant_driver_key("redfish", "deploy_timeout"), "deploy_callback_timeout");
  EXPECT_EQ(meant_driver_key("ipmi", "ipmi_hex_kg_key"), "");  // nothing is near
}

TEST(DriverKeys, areIronicsProperties) {
  const Json properties = driver_properties("ipmi");
  EXPECT_EQ(properties["ipmi_address"], "the address of the BMC. Required.");
  EXPECT_THAT(properties["ipmi_port"], "UDP port of the BMC. Default is 623.");
  EXPECT_THAT(text_of(properties["deploy_kernel"]), HasSubstr("kernel of the deploy ramdisk"));
}

}  // namespace
}  // namespace hearth::bootstrap
