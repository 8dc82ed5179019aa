#include "builder/channels/pointer.hpp"

#include <gmock/gmock.h>

#include "base/base64.hpp"
#include "base/error.hpp"
#include "base/frames/signature.hpp"
#include "base/json.hpp"
#include "builder/evidence/statements.hpp"

namespace hearth::builder::channels {
namespace {

constexpr const char* k_pem =  // of RFC 8032's first test
    "-----BEGIN PRIVATE KEY-----\nMC4CAQAwBQYDK2VwBCIEIJ1hsZ3v/VpguoRK9JLsLMREScVpezJpGXA7rAMcrn9g\n-----END PRIVATE "
    "KEY-----\n";
const std::string k_public = "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a";
const std::string k_digest(64, 'a');

Pointer sample() {
  return {.reference = {"web", "stable"},
          .serial = 7,
          .published_s = 1'700'000'000,
          .expires_s = 1'700'086'400,
          .version = "1.4",
          .built_s = 1'600'000'000,
          .files = {{"web.qcow2", k_digest, 3}, {"web.d/manifest.json", k_digest, 0}}};
}

std::string refusal(const std::string& envelope, const Reference& wanted = {"web", "stable"},
                    const std::vector<std::string>& keys = {k_public}) {
  try {
    (void)open_pointer(envelope, wanted, keys, "here");
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::input);
    return error.what();
  }
  return "";
}

/// Another statement, with a signature that holds.
std::string sealed_statement(const std::string& payload) {
  return format_json(evidence::envelope(payload, frames::sign(evidence::signed_text(payload), k_pem), k_public));
}

std::string statement_of(const Pointer& pointer) {
  return *base64_decode(json_or_null(sealed(pointer, k_pem)).at("payload").get<std::string>());
}

TEST(ChannelPointer, ComesBackAsItWasSealed) {
  const Opened opened = open_pointer(sealed(sample(), k_pem), {"web", "stable"}, {k_public}, "here");
  EXPECT_EQ(opened.key_id, k_public);
  EXPECT_EQ(opened.pointer.serial, 7U);
  EXPECT_EQ(opened.pointer.version, "1.4");
  EXPECT_EQ(opened.pointer.published_s, 1'700'000'000);
  EXPECT_EQ(opened.pointer.expires_s, 1'700'086'400);
  EXPECT_EQ(opened.pointer.built_s, 1'600'000'000);
  ASSERT_EQ(opened.pointer.files.size(), 2U);
  EXPECT_EQ(opened.pointer.image().path, "web.qcow2");
  EXPECT_EQ(opened.pointer.image().size, 3U);
}

TEST(ChannelPointer, IsRefusedWhenItWasCutShortAnywhere) {
  const std::string whole = sealed(sample(), k_pem);
  for (std::size_t size = 0; size + 3 < whole.size(); size += 7)
    EXPECT_THAT(refusal(whole.substr(0, size)), testing::HasSubstr("web@stable: here is refused")) << size;
}

TEST(ChannelPointer, IsRefusedWhenAByteWasAltered) {
  std::string altered = statement_of(sample());
  altered.replace(altered.find("\"serial\":7"), 10, "\"serial\":9");
  Json envelope = json_or_null(sealed(sample(), k_pem));
  envelope["payload"] = base64_encode(altered);
  EXPECT_THAT(refusal(format_json(envelope)), testing::HasSubstr("its signature does not hold"));
}

TEST(ChannelPointer, OfAnotherKeyNameOrChannelIsRefusedByName) {
  const std::string envelope = sealed(sample(), k_pem);
  EXPECT_THAT(refusal(envelope, {"web", "stable"}, {std::string(64, '0')}),
              testing::HasSubstr("signed by another key (" + k_public));
  EXPECT_THAT(refusal(envelope, {"web", "candidate"}), testing::HasSubstr("it is about web@stable"));
  EXPECT_THAT(refusal(envelope, {"mail", "stable"}), testing::HasSubstr("it is about web@stable"));
}

TEST(ChannelPointer, IsNoOtherStatementThatTheKeyHasSigned) {
  const std::string other = format_json({{"_type", evidence::k_statement_type},
                                         {"predicateType", evidence::k_predicate_type},
                                         {"predicate", {{"name", "web"}}}});
  EXPECT_THAT(refusal(sealed_statement(other)), testing::HasSubstr("no statement about a channel"));
  EXPECT_THAT(refusal(sealed_statement("[]")), testing::HasSubstr("no statement about a channel"));
}

TEST(ChannelPointer, NamesNoFileOutsideOfItsDirectory) {
  for (const char* path : {"/etc/passwd", "../x", "a/../../x", "", "a//b", "a\nb", "a/", "./a"}) {
    Pointer pointer = sample();
    pointer.files.front().path = path;
    EXPECT_THAT(refusal(sealed(pointer, k_pem)), testing::HasSubstr("is no name of a file")) << path;
  }
  Pointer pointer = sample();
  pointer.files.push_back({"web.d", k_digest, 1});
  EXPECT_THAT(refusal(sealed(pointer, k_pem)), testing::HasSubstr("'web.d' is a file and a directory"));
  pointer = sample();
  pointer.files.push_back(pointer.files.back());
  EXPECT_THAT(refusal(sealed(pointer, k_pem)), testing::HasSubstr("is in it twice"));
  pointer.files.clear();
  EXPECT_THAT(refusal(sealed(pointer, k_pem)), testing::HasSubstr("it names no image"));
}

TEST(ChannelPointer, HoldsUntilItExpires) {
  EXPECT_NO_THROW(require_unexpired(sample(), 1'700'086'399));
  EXPECT_THROW(require_unexpired(sample(), 1'700'086'400), Error);
  Pointer for_ever = sample();
  for_ever.expires_s = {};
  EXPECT_NO_THROW(require_unexpired(for_ever, 4'000'000'000));
}

TEST(ChannelPointer, AnImageIsOlderByItsVersionElseByItsTime) {
  Pointer next = sample();
  next.version = "1.10";
  next.built_s = 1;
  EXPECT_EQ(older_than(next, sample()), "");
  EXPECT_THAT(older_than(sample(), next), testing::HasSubstr("version 1.4 is older than 1.10"));
  next.version = "1.4";
  EXPECT_THAT(older_than(next, sample()), testing::HasSubstr("it was built at 1970"));
  next.version = "";
  EXPECT_THAT(older_than(next, sample()), testing::HasSubstr("it was built at 1970"));
  EXPECT_EQ(older_than(sample(), sample()), "");
}

TEST(ChannelPointer, IsNamedByTwoWords) {
  EXPECT_EQ(parse_reference("web@stable"), (Reference{"web", "stable"}));
  for (const char* text :
       {"web", "web@", "@stable", "a@b@c", "../web@stable", "web@../x", "web@.x", "-web@x", "we b@x"})
    EXPECT_EQ(parse_reference(text), std::nullopt) << text;
  EXPECT_EQ(parse_reference(std::string(129, 'a') + "@x"), std::nullopt);
}

}  // namespace
}  // namespace hearth::builder::channels
