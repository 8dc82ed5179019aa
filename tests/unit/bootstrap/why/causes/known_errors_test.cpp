#include "bootstrap/why/causes/known_errors.hpp"

#include <gtest/gtest.h>

namespace hearth::bootstrap::why {
namespace {

/// A text as our drivers, our deploy agent, ipmitool or Ironic's ramdisk say it, and a part of its cause.
struct Said {
  const char* text;
  const char* cause;
};

const Said k_said[] = {
    {"Failed to verify: BMC 198.51.100.9: chassis power status: Error: Unable to establish IPMI v2 / RMCP+ session: "
     "RAKP 2 HMAC is invalid",
     "refuses the user"},
    {"BMC 198.51.100.9: chassis power on: Set Chassis Power Control to Up/On failed: Insufficient privilege level",
     "does not allow"},
    {"BMC https://bmc: log-in: HTTP 503: no session left", "busy"},
    {"BMC 198.51.100.9: chassis power status: ipmitool: not found (the package ipmitool has it)", "lacks the program"},
    {"BMC 198.51.100.9 said yes, but the machine is still off", "did not follow"},
    {"the BMC can't boot from cdrom; it can from None, Pxe", "can't do what was asked"},
    {"the BMC does not tell the power: \"Unknown\"", "not with a power state"},
    {"BMC https://198.51.100.9: connecting to 198.51.100.9: No route to host", "no way from here"},
    {"BMC 198.51.100.9: chassis power status: Could not open socket! Error: Unable to establish IPMI v2 / RMCP+ "
     "session",
     "no way from here"},
    {"BMC http://bmc: reading the answer of http://bmc/redfish/v1: timed out", "never answers"},
    {"BMC http://bmc: connecting to bmc:80: timed out", "Nothing answers"},
    {"BMC https://bmc: log-in: HTTP 403: Account locked out after 3 attempts", "has locked the user's account"},
    {"BMC https://bmc: log-in: HTTP 200", "no Redfish service"},
    {"BMC https://bmc: setting the boot device: HTTP 400: The value Pxe for the property BootSourceOverrideTarget is "
     "not "
     "in the list of acceptable values.",
     "does not take what it was asked for"},
    {"there is no driver idrac7", "none that this conductor has"},
    {"redfish_address is missing: where the BMC is.", "not complete"},
    {"Agent returned error for write image on node u: the checksum of the image i from http://s/i is 11, expected 22",
     "checksum differs"},
    {"ImageChecksumError: Image failed to verify against checksum. location: /tmp/i; image ID: i", "checksum differs"},
    {"the image i has a signature that does not hold for this site's key", "signed by another key"},
    {"the image i is not signed, but this site asks for it", "not signed"},
    {"the image i: block 7 is not what the image's map says: its hash differs", "is damaged"},
    {"http://s/i: the image changed on the server while it was being fetched", "was replaced"},
    {"the disk /dev/sda is too small: it has 1000 bytes, the image needs 2000", "smaller than the image"},
    {"No suitable device was found for deployment: no disk fits the root device hints {\"serial\": \"x\"}. Disks: sda",
     "No disk of the machine"},
    {"the root device hints {} fit several disks: sda, sdb", "Several disks"},
    {"/dev/sda is in use: nothing was written to it", "RAID, LVM or multipath"},
    {"the partition table of the image i counts sectors of 512 bytes, the disk /dev/sda has sectors of 4096",
     "another size of sectors"},
    {"the image i has no partition table: it is no whole disk", "not a whole disk"},
    {"the image i holds no ext4, XFS or Btrfs: it is no partition image", "the image is none"},
    {"/dev/sda has no EFI system partition", "no EFI loader"},
    {"this machine was not started by UEFI, or its firmware's variables are not there", "started by BIOS"},
    {"the image has neither grub-install nor grub2-install", "brings no GRUB"},
    {"writing to /dev/sda at byte 4096: Input/output error", "disk is broken"},
    {"writing to /var/lib/x: No space left on device", "disk is full"},
    {"i.qcow2 does not fit into memory (1 GiB may be used)", "too little memory"},
    {"the image http://s/i: status 404", "no file of that name"},
    {"the machine booted again in the middle of the work (power loss?)", "lost power"},
    {"this machine has no network interface that the ramdisk has a driver for",
     "no driver for the machine's network card"},
    {"The deploy was aborted by request.", "A person ended it"},
    {"Failed to verify: libvirt qemu+ssh://h/system: list: Permission denied (publickey,password)", "SSH key"},
    {"libvirt qemu+tcp://h/system: list: error: authentication failed: Failed to start SASL negotiation",
     "the user that its URI names"},
    {"libvirt qemu+tcp://h/system: list: error: authentication failed: Failed to start SASL negotiation: -4 (SASL(-4): "
     "no "
     "mechanism available: No worthy mechs found)",
     "no way of logging in"},
    {"libvirt qemu+tls://h/system: list: error: authentication failed: Failed to start SASL negotiation: -1 (SASL(-1): "
     "generic failure: GSSAPI Error: Unspecified GSS failure. (No Kerberos credentials available))",
     "Kerberos ticket"},
    {"libvirt qemu+tcp://h/system: list: error: authentication failed: Failed to step SASL negotiation: -13 "
     "(SASL(-13): "
     "authentication failure: wrong secret)",
     "libvirt refuses the user or the password"},
    {"libvirt qemu+tcp://h/system: list: error: authentication failed: Failed to collect auth credentials",
     "has none to give"},
    {"Failed to verify: iLO client: error logging in: iLO returned 401", "refuses the user"},
    {"the config drive http://s/cd: the server answers 404", "config drive does not"},
};

TEST(KnownErrors, EachTextHasItsCause) {
  for (const Said& said : k_said) {
    const std::optional<Finding> found = known_error(said.text, "web1", "redfish");
    ASSERT_TRUE(found) << said.text;
    EXPECT_NE(found->cause.find(said.cause), std::string::npos) << said.text << "\n" << found->cause;
    EXPECT_EQ(found->evidence, std::vector<std::string>{said.text});
    EXPECT_FALSE(found->next.empty());
    EXPECT_EQ((found->cause + found->next).find("{}"), std::string::npos) << found->next;
  }
}

TEST(KnownErrors, WhatTheRamdiskSaysOfTheImagesServerIsOfNoBmc) {
  const auto said = [](const char* text) {
    const std::string whole = std::string("Agent returned error for write image on node u: ") + text;
    const std::optional<Finding> found = known_error(whole, "web1", "redfish");
    EXPECT_TRUE(found) << whole;
    EXPECT_EQ((found->cause + found->next).find("BMC"), std::string::npos) << found->cause;
    return found->cause;
  };
  EXPECT_NE(said("http://s/i: the server answers 404 Not Found").find("has no file"), std::string::npos);
  EXPECT_NE(said("http://s/i: the server answers 403 Forbidden").find("does not let"), std::string::npos);
  EXPECT_NE(said("http://s/i: the server answers 502 Bad Gateway").find("server fails"), std::string::npos);
  EXPECT_NE(said("connecting to 192.0.2.9: Connection refused").find("nothing listens"), std::string::npos);
  EXPECT_NE(said("looking up s: Name or service not known").find("look up the name"), std::string::npos);
  EXPECT_NE(said("connecting to 192.0.2.9: No route to host").find("does not reach"), std::string::npos);
  EXPECT_NE(said("http://s/i: the connection broke").find("does not reach"), std::string::npos);
  EXPECT_NE(said("the certificate of s does not hold: self-signed").find("certificate of the image"),
            std::string::npos);
  EXPECT_FALSE(known_error("Failed to run steps: the agent answers 503: busy", "web1", "redfish"));
}

TEST(KnownErrors, OfABmcsOwnCertificateItIsToldHowItIsTrusted) {
  const std::string text = "BMC https://192.0.2.9: the certificate of 192.0.2.9 does not hold: self-signed certificate";
  const std::string next = known_error(text, "web1", "redfish")->next;
  EXPECT_NE(next.find("hearth node set web1 --driver-info redfish_verify_ca=FILE"), std::string::npos) << next;
  EXPECT_NE(next.find("openssl s_client -connect BMC:443"), std::string::npos) << next;
}

TEST(KnownErrors, KeysAreThoseThatTheDriverReads) {
  EXPECT_NE(known_error("HTTP 401", "web1", "idrac")->next.find("drac_password="), std::string::npos);
  EXPECT_EQ(known_error("HTTP 401", "web1", "idrac")->next.find("idrac_"), std::string::npos);
  EXPECT_NE(known_error("BMC h: HTTP 404", "web1", "ilo")->next.find("ilo_system_id="), std::string::npos);
}

TEST(KnownErrors, TheNodeIsNamedInWhatIsToBeDone) {
  const std::string next = known_error("HTTP 401", "web1", "redfish")->next;
  EXPECT_NE(next.find("hearth node manage web1"), std::string::npos);
  EXPECT_NE(next.find("--driver-info redfish_password=…;"), std::string::npos) << next;
}

TEST(KnownErrors, OthersAreNotGuessedAt) {
  EXPECT_FALSE(known_error("a word that nobody ever said", "web1", "redfish"));
  EXPECT_FALSE(known_error("", "web1", "redfish"));
}

}  // namespace
}  // namespace hearth::bootstrap::why
