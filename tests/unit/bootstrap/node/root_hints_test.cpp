#include "bootstrap/node/root_hints.hpp"

#include <gtest/gtest.h>

#include "base/text.hpp"

namespace hearth::bootstrap {
namespace {

std::string hint_faults(const char* hints) {
  return join(root_device_faults({{"root_device", Json::parse(hints)}}), " | ");
}

TEST(RootHints, whatTheRamdiskReadsIsTaken) {
  for (const char* good :
       {R"({})", R"({"size": 200})", R"({"size": ">= 200"})", R"({"size": "200"})", R"({"size": "<or> 100 <or> 200"})",
        R"({"rotational": false, "model": "<in> NVMe", "vendor": "s== intel", "serial": "S1"})",
        R"({"rotational": "No", "name": "/dev/sda", "hctl": "1:0:0:0", "by_path": "/dev/disk/by-path/x"})",
        R"({"wwn": "0x1", "wwn_with_extension": "0x12", "wwn_vendor_extension": "0x2", "tran": "nvme"})"})
    EXPECT_EQ(hint_faults(good), "") << good;
  EXPECT_TRUE(root_device_faults(Json::object()).empty());
}

TEST(RootHints, aMistypedOneIsToldWithWhatWasMeant) {
  EXPECT_EQ(hint_faults(R"({"sise": ">= 200"})"), "root_device.sise is no hint (do you mean size?)");
  EXPECT_EQ(
      hint_faults(R"({"colour": "red"})"),
      "root_device.colour is no hint: there are size, serial, wwn, wwn_with_extension, wwn_vendor_extension, name, "
      "by_path, hctl, model, vendor, rotational, tran");
  for (const char* size : {"=> 200", ">= 200 GB", "much", ">=", "200G"})
    EXPECT_NE(
        hint_faults(cat(R"({"size": ")", size, R"("})").c_str()).find("is no size: a number of GiB without a unit"),
        std::string::npos)
        << size;
  EXPECT_EQ(hint_faults(R"({"rotational": "flase"})"), "root_device.rotational 'flase' is neither true nor false");
  EXPECT_EQ(hint_faults(R"({"model": "= NVMe"})"),
            "root_device.model '= nvme': behind = a number is expected; texts are compared by s==");
  EXPECT_EQ(hint_faults(R"({"serial": ["a"], "wwn": " "})"),
            "root_device.serial is to be a text or a number | root_device.wwn is empty");
  EXPECT_EQ(hint_faults(R"("sda")"), "root_device is to be an object of hints, such as {\"serial\": \"…\"}");
}

}  // namespace
}  // namespace hearth::bootstrap
