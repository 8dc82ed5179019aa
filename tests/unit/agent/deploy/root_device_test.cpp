#include "agent/deploy/root_device.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"

namespace hearth::agent::deploy {
namespace {

constexpr std::uint64_t k_root_device_gib = std::uint64_t{1} << 30U;

std::vector<Disk> disks() {
  return {{.name = "/dev/nvme0n1",
           .model = "FAST 1",
           .serial = "N1",
           .wwn = "eui.01",
           .transport = "nvme",
           .size = 100 * k_root_device_gib},
          {.name = "/dev/sda",
           .model = "ST4000NM",
           .vendor = "SEAGATE",
           .serial = "S1",
           .hctl = "0:0:0:0",
           .size = 60 * k_root_device_gib,
           .rotational = true},
          {.name = "/dev/sdb",
           .model = "ST4000NM",
           .vendor = "SEAGATE",
           .serial = "S2",
           .hctl = "0:0:1:0",
           .size = 60 * k_root_device_gib,
           .rotational = true},
          {.name = "/dev/sdc",
           .model = "Stick",
           .serial = "U1",
           .transport = "usb",
           .size = 8 * k_root_device_gib,
           .removable = true},
          {.name = "/dev/sdd", .model = "Tiny", .serial = "T1", .size = 2 * k_root_device_gib}};
}

std::string chosen(const Json& hints) { return choose_root_device(disks(), hints).name; }

std::string root_device_problem(const Json& hints) {
  try {
    return "chosen: " + chosen(hints);
  } catch (const Error& error) {
    return error.what();
  }
}

TEST(RootDevice, WithoutHintsTheSmallestOfAtLeastFourGibibytesIsTaken) {
  EXPECT_EQ(chosen(Json::object()), "/dev/sda");  // not the stick, which can be pulled out, nor the tiny one
}

TEST(RootDevice, HintsNameOneDisk) {
  const std::vector<std::pair<Json, std::string>> cases = {
      {{{"serial", "s2"}}, "/dev/sdb"},
      {{{"name", "s== /dev/nvme0n1"}}, "/dev/nvme0n1"},
      {{{"size", 100}}, "/dev/nvme0n1"},
      {{{"size", ">= 90"}}, "/dev/nvme0n1"},
      {{{"rotational", false}, {"tran", "nvme"}}, "/dev/nvme0n1"},
      {{{"rotational", "true"}, {"hctl", "0:0:1:0"}}, "/dev/sdb"},
      {{{"model", "<in> fast"}}, "/dev/nvme0n1"},
      {{{"model", "<all-in> st nm"}, {"serial", "s!= s1"}}, "/dev/sdb"},
      {{{"serial", "<or> x9 <or> n1"}}, "/dev/nvme0n1"},
      {{{"wwn", "eui.01"}}, "/dev/nvme0n1"}};
  for (const auto& [hints, name] : cases) EXPECT_EQ(chosen(hints), name) << hints.dump();
}

TEST(RootDevice, WhatMatchesNothingIsAnErrorThatListsTheDisks) {
  const std::string text = root_device_problem({{"serial", "gone"}});
  EXPECT_NE(text.find("No suitable device was found"), std::string::npos);
  EXPECT_NE(text.find("/dev/sdb (60.0 GiB, ST4000NM, serial S2)"), std::string::npos) << text;
}

TEST(RootDevice, HintsThatFitSeveralDisksAreAnError) {
  EXPECT_NE(root_device_problem({{"vendor", "seagate"}}).find("fit several disks: /dev/sda"), std::string::npos);
}

TEST(RootDevice, ADiskThatIsInUseIsRefusedByName) {
  EXPECT_NE(root_device_problem({{"serial", "u1"}}).find("Left out: /dev/sdc is removable"), std::string::npos);
}

TEST(RootDevice, UnknownHintsAndValuesAreErrors) {
  EXPECT_NE(root_device_problem({{"colour", "red"}}).find("'colour' is not known"), std::string::npos);
  EXPECT_NE(root_device_problem({{"size", ">= large"}}).find("'large' is no number"), std::string::npos);
}

TEST(RootDevice, OperatorsCompareAsIronicsDo) {
  struct Case {
    const char* wanted;
    const char* actual;
    bool number;
    bool holds;
  };
  for (const Case& one :
       {Case{"= 50", "60", true, true}, Case{"== 50", "60", true, false}, Case{"!= 50", "60", true, true},
        Case{"< 61", "60", true, true}, Case{"<= 60", "60", true, true}, Case{"> 60", "60", true, false},
        Case{"60", "60", true, true}, Case{"s< b", "A", false, true}, Case{"s>= b", "a", false, false},
        Case{"s<= a", "a", false, true}, Case{"s> a", "b", false, true}, Case{"<in> b", "abc", false, true},
        Case{"<or> a", "b", false, false}, Case{"<all-in> a c", "abc", false, true}}) {
    EXPECT_EQ(hint_holds(one.wanted, one.actual, one.number), one.holds) << one.wanted << " " << one.actual;
  }
}

}  // namespace
}  // namespace hearth::agent::deploy
