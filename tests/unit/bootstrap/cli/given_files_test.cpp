#include "bootstrap/cli/given_files.hpp"

#include <gmock/gmock.h>

#include "base/error.hpp"

namespace hearth::bootstrap {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

constexpr const char* k_ed25519 =
    "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIIt4qMQ7WuV82PrdnqKeIRNIdw0LXpPUdzMlY8ifm4Sh admin@example";
constexpr const char* k_ecdsa =
    "ecdsa-sha2-nistp256 AAAAE2VjZHNhLXNoYTItbmlzdHAyNTYAAAAIbmlzdHAyNTYAAABBBK60IkJzIxD3poTQrACJrKDi4aOj/"
    "irzhBXvInijxBKhqANz+XXLwBOCs/8QbIQj7oS17Tw9oBm4XTnOMjB4NcE= x";

std::string refusal_of_key(const std::string& text) {
  try {
    static_cast<void>(public_keys_in(text, "k"));
  } catch (const Error& error) {
    return error.story();
  }
  return "taken";
}

std::string refusal_of_user_data(const std::string& text) {
  try {
    static_cast<void>(user_data_in(text, "u"));
  } catch (const Error& error) {
    return error.story();
  }
  return "taken";
}

TEST(GivenFiles, KeysOfAnyTypeAreTakenEachByItself) {
  EXPECT_THAT(public_keys_in(std::string(k_ed25519) + "\n", "k"), ElementsAre(k_ed25519));
  EXPECT_THAT(public_keys_in(std::string("# of the admins\n\n") + k_ed25519 + "\r\n  " + k_ecdsa, "k"),
              ElementsAre(k_ed25519, k_ecdsa));
  const std::string narrowed = std::string("from=\"192.0.2.0/24\",command=\"echo a b\" ") + k_ed25519;
  EXPECT_THAT(public_keys_in(narrowed, "k"), ElementsAre(narrowed));
}

TEST(GivenFiles, APrivateKeyIsNotTakenAndNotRepeated) {
  for (const char* kind : {"", "OPENSSH ", "RSA ", "ENCRYPTED "}) {
    const std::string told = refusal_of_key(std::string("-----BEGIN ") + kind + "PRIVATE KEY-----\nMC4CAQAw\n");
    EXPECT_THAT(told, StartsWith("k:1: this is a private key"));
    EXPECT_THAT(told, HasSubstr("ssh-keygen -t ed25519"));
    EXPECT_THAT(told, Not(HasSubstr("MC4CAQAw")));
  }
  EXPECT_THAT(refusal_of_key(std::string(k_ed25519) + "\n-----BEGIN PRIVATE KEY-----\n"), StartsWith("k:2: "));
}

TEST(GivenFiles, WhatIsNoKeyIsToldWithItsLine) {
  EXPECT_THAT(refusal_of_key("-----BEGIN PUBLIC KEY-----\n"), HasSubstr("k:1: this is a public key of OpenSSL's"));
  EXPECT_THAT(refusal_of_key("---- BEGIN SSH2 PUBLIC KEY ----\n"), HasSubstr("ssh-keygen -i -f"));
  EXPECT_THAT(refusal_of_key("\ngarbage\n"), StartsWith("k:2: this is no public key"));
  EXPECT_THAT(refusal_of_key("\x7f"
                             "ELF\xff secret"),
              AllOf(StartsWith("k:1: this is no public key"), Not(HasSubstr("secret"))));
  EXPECT_THAT(refusal_of_key(""), StartsWith("k: there is no key in it"));
  EXPECT_THAT(refusal_of_key("# nobody\n"), StartsWith("k: there is no key in it"));
}

TEST(GivenFiles, AKeyThatWasCutOrIsOfAnotherTypeIsNone) {
  const std::string whole = k_ed25519;
  EXPECT_THAT(refusal_of_key("ssh-ed25519 AAAAC3NzaC1lZDI1NTE5"), StartsWith("k:1: this is no public key"));
  EXPECT_THAT(refusal_of_key("ssh-rsa" + whole.substr(11)), StartsWith("k:1: this is no public key"));
  EXPECT_THAT(refusal_of_key(whole.substr(12)), StartsWith("k:1: this is no public key")) << "its type is missing";
}

TEST(GivenFiles, UserDataIsTextAndNoKey) {
  EXPECT_EQ(user_data_in("#!/bin/sh\necho ä\n", "u"), "#!/bin/sh\necho ä\n");
  EXPECT_EQ(refusal_of_user_data("MIME-Version: 1.0\nContent-Type: multipart/mixed\n"), "taken");
  EXPECT_THAT(refusal_of_user_data("name,pm_type,mac\n"), StartsWith("u:1: this is no user-data that a first boot"));
  EXPECT_THAT(refusal_of_user_data("a\nb\xff password"),
              AllOf(StartsWith("u:2: this line is no UTF-8"), Not(HasSubstr("password"))));
  EXPECT_THAT(refusal_of_user_data(" \n"), StartsWith("u: there is nothing in it"));
  EXPECT_THAT(refusal_of_user_data("-----BEGIN OPENSSH PRIVATE KEY-----\nMC4\n"), StartsWith("u:1: this is a private"));
}

}  // namespace
}  // namespace hearth::bootstrap
