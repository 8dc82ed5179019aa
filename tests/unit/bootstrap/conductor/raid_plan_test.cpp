#include "bootstrap/conductor/raid_plan.hpp"

#include <gmock/gmock.h>

#include "base/text.hpp"

namespace hearth::bootstrap {
namespace {

using testing::HasSubstr;

constexpr std::uint64_t k_gb = std::uint64_t{1} << 30U;

/// So many drives of a size behind a controller: "ssd0", …
void add_drives(RaidHardware& hardware, const std::string& controller, const std::string& media, int count, int gb) {
  const auto before = hardware.drives.size();
  for (int i = 0; i < count; ++i) {
    const std::string id = cat(to_lower(media), before + static_cast<std::size_t>(i));
    hardware.drives.push_back(
        {id, cat("/", controller, "/", id), controller, media, "SAS", static_cast<std::uint64_t>(gb) * k_gb});
  }
}

/// "RAID1 C ssd0 ssd1; …"
std::string laid(const char* disks, const RaidHardware& hardware) {
  const RaidPlan plan = plan_raid(Json::parse(disks), hardware);
  if (!plan.fault.empty()) return plan.fault;
  std::vector<std::string> volumes;
  for (const PlannedVolume& planned : plan.volumes) {
    std::string text = cat(planned.wish.raid_type, planned.root ? "*" : "", " ", planned.wish.bytes / k_gb);
    for (const std::string& path : planned.wish.drives) text += cat(" ", path);
    volumes.push_back(text);
  }
  return join(volumes, "; ");
}

class RaidPlanTest : public testing::Test {
 protected:
  RaidPlanTest() {
    add_drives(hardware, "C", "HDD", 4, 100);
    add_drives(hardware, "C", "SSD", 2, 50);
  }
  RaidHardware hardware;
};

TEST_F(RaidPlanTest, theFewestDrivesOfAKindThatDo) {
  EXPECT_EQ(laid(R"([{"raid_level": "1", "size_gb": 40, "is_root_volume": true}])", hardware),
            "RAID1* 40 /C/hdd0 /C/hdd1");
  EXPECT_EQ(laid(R"([{"raid_level": "1", "size_gb": 40, "disk_type": "ssd"}])", hardware), "RAID1 40 /C/ssd4 /C/ssd5");
  EXPECT_EQ(laid(R"([{"raid_level": "5", "size_gb": 150}])", hardware), "RAID5 150 /C/hdd0 /C/hdd1 /C/hdd2");
  EXPECT_EQ(laid(R"([{"raid_level": "5", "size_gb": 250}])", hardware), "RAID5 250 /C/hdd0 /C/hdd1 /C/hdd2 /C/hdd3");
  EXPECT_EQ(laid(R"([{"raid_level": "0", "size_gb": 150, "number_of_physical_disks": 3}])", hardware),
            "RAID0 150 /C/hdd0 /C/hdd1 /C/hdd2");
  EXPECT_EQ(laid(R"([{"raid_level": "1+0", "size_gb": 150}])", hardware), "RAID10 150 /C/hdd0 /C/hdd1 /C/hdd2 /C/hdd3");
}

TEST_F(RaidPlanTest, aDriveThatIsNamedIsOneDriveAndOneVolumesUnlessBothShareIt) {
  const auto named = [&](const char* first, const char* second, bool shares, bool other_shares) {
    const auto disk = [](const char* ids, bool share) {
      return cat(R"({"raid_level": "1", "size_gb": 40, "controller": "C", "physical_disks": )", ids,
                 share ? R"(, "share_physical_disks": true})" : "}");
    };
    return laid(cat("[", disk(first, shares), ", ", disk(second, other_shares), "]").c_str(), hardware);
  };
  constexpr const char* k_first = R"(["hdd0", "hdd1"])";
  constexpr const char* k_second = R"(["hdd1", "hdd2"])";
  EXPECT_EQ(named(k_first, k_second, true, true), "RAID1 40 /C/hdd0 /C/hdd1; RAID1 40 /C/hdd1 /C/hdd2");
  EXPECT_THAT(named(k_first, k_second, false, true), HasSubstr("disk hdd1 is named more than once"));
  EXPECT_THAT(named(k_first, k_second, true, false), HasSubstr("disk hdd1 is named more than once"));
  EXPECT_THAT(named(R"(["hdd0", "hdd0"])", k_second, true, true), HasSubstr("disk hdd0 is named more than once"));
  EXPECT_THAT(laid(R"([{"raid_level": "1", "size_gb": 0}])", hardware), HasSubstr("of no size"))
      << "no size is all there is, to a BMC";
}

TEST_F(RaidPlanTest, twoVolumesShareDrivesOnlyWhereBothMay) {
  EXPECT_EQ(laid(R"([{"raid_level": "1", "size_gb": 40}, {"raid_level": "1", "size_gb": 40}])", hardware),
            "RAID1 40 /C/hdd0 /C/hdd1; RAID1 40 /C/hdd2 /C/hdd3");
  EXPECT_EQ(laid(R"([{"raid_level": "1", "size_gb": 40, "share_physical_disks": true, "disk_type": "hdd"},
                     {"raid_level": "1", "size_gb": 60, "share_physical_disks": true, "disk_type": "hdd"}])",
                 hardware),
            "RAID1 40 /C/hdd0 /C/hdd1; RAID1 60 /C/hdd0 /C/hdd1");
}

TEST_F(RaidPlanTest, namedDrivesAreTakenAndTheRestOfThem) {
  EXPECT_EQ(laid(R"([{"raid_level": "1", "size_gb": "MAX", "controller": "C", "physical_disks": ["hdd2", "hdd3"]},
                     {"raid_level": "1", "size_gb": 10}])",
                 hardware),
            "RAID1 10 /C/hdd0 /C/hdd1; RAID1 0 /C/hdd2 /C/hdd3");
  EXPECT_EQ(laid(R"([{"raid_level": "0", "size_gb": 5, "controller": "C", "physical_disks": ["hdd9"]}])", hardware),
            "controller C has no free physical disk hdd9");
}

TEST_F(RaidPlanTest, aVolumeIsOfOneControllerAndOfFreeDrives) {
  RaidHardware two;
  add_drives(two, "A", "HDD", 1, 100);
  add_drives(two, "B", "HDD", 1, 100);
  EXPECT_EQ(laid(R"([{"raid_level": "1", "size_gb": 10}])", two),
            "failed to find matching physical disks for all logical disks");
  hardware.volumes.push_back({.id = "v", .path = "/v", .drives = {"/C/hdd0", "/C/hdd1"}});
  EXPECT_EQ(laid(R"([{"raid_level": "1", "size_gb": 60}])", hardware), "RAID1 60 /C/hdd2 /C/hdd3");
}

TEST_F(RaidPlanTest, whatCanNotBeIsToldInIronicsWords) {
  EXPECT_THAT(laid(R"([{"raid_level": "2", "size_gb": 1}])", hardware),
              HasSubstr("RAID level 2 is not supported by the driver. Supported RAID levels: 0, 1, 5, 6, 1+0"));
  EXPECT_EQ(laid(R"([{"raid_level": "1", "size_gb": 500}])", hardware),
            "failed to find matching physical disks for all logical disks");
  EXPECT_THAT(laid(R"([{"raid_level": "1", "size_gb": "MAX"}])", hardware),
              HasSubstr("'physical_disks' is missing from logical_disk while 'size_gb'='MAX' was requested"));
  EXPECT_THAT(
      laid(R"([{"raid_level": "1", "size_gb": 500, "controller": "C", "physical_disks": ["hdd0", "hdd1"]}])", hardware),
      HasSubstr("The physical disk space (107374182400 bytes) is not enough for the size of the logical disk "
                "(536870912000 bytes)"));
  EXPECT_THAT(laid(R"([{"raid_level": "1", "size_gb": 1, "controller": "C", "physical_disks": ["hdd0"]}])", hardware),
              HasSubstr("is not made of 1 physical disks"));
  EXPECT_NE(laid(R"([{"raid_level": "0", "size_gb": 9223372036854775807}])", hardware), "");
}

TEST(RaidTypes, levelsAreIronicsAndTypesAreRedfishs) {
  EXPECT_EQ(raid_level_of("RAID10"), "1+0");
  EXPECT_EQ(raid_level_of("RAID60"), "6+0");
  EXPECT_EQ(raid_level_of("JBOD"), "");
}

}  // namespace
}  // namespace hearth::bootstrap
