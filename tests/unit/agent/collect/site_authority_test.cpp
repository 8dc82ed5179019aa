#include "agent/collect/site_authority.hpp"

#include <gmock/gmock.h>

#include "base/net/dialer.hpp"
#include "tests/unit/agent/collect/source_fixture.hpp"

namespace hearth::agent {
namespace {

using testing::Contains;
using testing::HasSubstr;

/// Self-signed, P-256; its name is "hearth".
constexpr const char* k_authority_pem = R"(-----BEGIN CERTIFICATE-----
MIIBeTCCAR+gAwIBAgIUZ12x0gHQynRhKaxP5RVibNerCQYwCgYIKoZIzj0EAwIw
ETEPMA0GA1UEAwwGaGVhcnRoMCAXDTI2MTEyNjA3NDU1NloYDzIxMjYxMTAyMDc0
NTU2WjARMQ8wDQYDVQQDDAZoZWFydGgwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNC
AAQrOV4kqdZlIC61Qxm3x/gvo41tlTi1J6SkiOxE6DL71ObuwDp/+WVMLjWkR0Hg
DLif5hZ7dYi8dKLHlVwuGrq6o1MwUTAdBgNVHQ4EFgQUieZoswk4dMO1EfQSP6+E
C57/UrQwHwYDVR0jBBgwFoAUieZoswk4dMO1EfQSP6+EC57/UrQwDwYDVR0TAQH/
BAUwAwEB/zAKBggqhkjOPQQDAgNIADBFAiAHdsW0TOUK+xusXdWap2KLD+371hxT
8i090KrPeu3HtgIhAN/qTw6Yt6+kTsCnDNvvd4QrmJSMYvorvD/pf7dzuM0i
-----END CERTIFICATE-----
)";

class SiteAuthorityTest : public SourceFixture {
 protected:
  void keep(const Json& document) {
    const Settings settings(parse_ini("", "test").value_or_throw(), {}, {});
    keep_site_authority(
        document, "a drive",
        {settings, files_, runner_, http_, clock_, log_, once_, tokens_, messages_, 0, nullptr, &files_});
  }
  [[nodiscard]] std::optional<std::string> kept() const { return files_.read(k_site_authority_file); }
};

TEST_F(SiteAuthorityTest, WhatTheDriveNamesIsKeptOnceAndTold) {
  keep({{"uuid", "u"}});
  EXPECT_EQ(kept(), std::nullopt);
  keep({{"hearth-authority", k_authority_pem}});
  EXPECT_EQ(kept(), k_authority_pem);
  EXPECT_THAT(log_.lines, Contains(HasSubstr("named in a drive, is trusted: /etc/hearth/authority.pem")));
  const std::size_t lines = log_.lines.size();
  keep({{"hearth-authority", k_authority_pem}});
  EXPECT_EQ(log_.lines.size(), lines);
}

TEST_F(SiteAuthorityTest, WhatIsNoCertificateNeverTakesThePlaceOfOne) {
  keep({{"hearth-authority", k_authority_pem}});
  for (const Json& bad : {Json("scrap"), Json(3), Json(std::string(100'000, 'a')), Json("")}) {
    keep({{"hearth-authority", bad}});
    EXPECT_EQ(kept(), k_authority_pem) << bad;
  }
  EXPECT_THAT(log_.lines, Contains(HasSubstr("The hearth-authority of a drive is not trusted")));
}

TEST_F(SiteAuthorityTest, LocalMetadataOfTheImageNameOneToo) {
  files_.put("/m.json", format_json({{"a", 1}, {"hearth-authority", k_authority_pem}}));
  const Settings settings(parse_ini("[heat_local]\npath = /m.json\n", "test").value_or_throw(), {}, {});
  (void)source_rows().front().collect(
      {settings, files_, runner_, http_, clock_, log_, once_, tokens_, messages_, 0, nullptr, &files_});
  EXPECT_EQ(kept(), k_authority_pem);
}

}  // namespace
}  // namespace hearth::agent
