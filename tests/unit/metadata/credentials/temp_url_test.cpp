#include "metadata/credentials/temp_url.hpp"

#include <gtest/gtest.h>

#include "base/hmac.hpp"
#include "base/json.hpp"
#include "base/net/url.hpp"
#include "base/sys/file.hpp"
#include "base/text.hpp"
#include "source_directory.hpp"

namespace hearth::metadata {
namespace {

constexpr std::int64_t k_now = 1'700'000'000;

ServedRequest request_for(const std::string& method, const std::string& path, const std::string& query) {
  ServedRequest request;
  request.method = method;
  request.path = percent_decode(path);
  request.query = query;
  request.peer = "127.0.0.1";
  return request;
}

TEST(TempUrl, IsGrantedOrRefusedAsSwiftDoes) {
  const std::string file = HEARTH_SOURCE_DIR "/tests/unit/metadata/credentials/data/temp_urls.json";
  const Json cases = parse_json(read_file(file), file).value_or_throw();
  ASSERT_EQ(cases.size(), 28U);
  for (const Json& row : cases) {
    const ServedRequest request = request_for(row["method"], row["path"], row["query"]);
    const auto path = parse_object_path(request.path);
    const auto grant = path ? check_temp_url(request, *path, {"mykey", "otherkey"}, k_now) : std::nullopt;
    EXPECT_EQ(grant.has_value(), row["granted"].get<bool>()) << row;
    if (grant && row.contains("disposition")) {
      EXPECT_EQ(temp_url_disposition(request, *path), row["disposition"].get<std::string>()) << row;
    }
  }
}

TEST(TempUrl, ThatWeMakeIsGrantedForItsMethodObjectAndTimeOnly) {
  const std::string path = "/v1/AUTH_x/c/a b/ü";
  const std::string url = make_temp_url("key", "PUT", k_now + 10, path);
  const std::string query = url.substr(url.find('?') + 1);
  const auto granted = [&](const std::string& method, const std::string& where, std::int64_t now) {
    const ServedRequest request = request_for(method, where, query);
    return check_temp_url(request, *parse_object_path(where), {"other", "key"}, now).has_value();
  };
  EXPECT_EQ(percent_decode(url.substr(0, url.find('?'))), path);
  EXPECT_TRUE(granted("PUT", path, k_now));
  EXPECT_TRUE(granted("HEAD", path, k_now));
  EXPECT_FALSE(granted("GET", path, k_now));
  EXPECT_FALSE(granted("DELETE", path, k_now));
  EXPECT_FALSE(granted("PUT", "/v1/AUTH_x/c/a b/u", k_now));
  EXPECT_FALSE(granted("PUT", path, k_now + 10));
}

TEST(TempUrl, WithoutAnyKeyIsNeverGranted) {
  const std::string query = "temp_url_sig=" + std::string(64, '0') + "&temp_url_expires=2147483586";
  EXPECT_FALSE(check_temp_url(request_for("GET", "/v1/a/c/o", query), {"a", "c", "o"}, {}, k_now));
}

TEST(TempUrl, MayNameItsDigest) {
  const std::string path = "/v1/AUTH_x/c/o";
  const std::string digest = base64_encode(hmac(HashKind::sha256, "key", cat("GET\n2147483586\n", path)));
  const std::string query = cat("temp_url_sig=sha256:", percent_encode(digest), "&temp_url_expires=2147483586");
  EXPECT_TRUE(check_temp_url(request_for("GET", path, query), *parse_object_path(path), {"key"}, k_now));
  EXPECT_FALSE(check_temp_url(request_for("GET", path, query), *parse_object_path(path), {"no"}, k_now));
}

TEST(ObjectPath, HasAccountContainerAndObject) {
  EXPECT_EQ(parse_object_path("/v1/AUTH_x/c/o/p q"), (ObjectPath{"AUTH_x", "c", "o/p q"}));
}

TEST(ObjectPath, TricksAreNoObjects) {
  for (const std::string bad :
       {"/", "/v1/a/c", "/v1/a/c/", "/v1//c/o", "/v1/a//o", "/v2/a/c/o", "v1/a/c/o", "/v1/a/c/../o", "/v1/a/c/o/..",
        "/v1/a/../o", "/v1/a/./o", "/v1/a/c/o\n", "/v1/a/c/\x1b[2J"}) {
    EXPECT_FALSE(parse_object_path(bad)) << bad;
  }
  EXPECT_FALSE(parse_object_path("/v1/a/c/" + std::string(1025, 'o')));
  EXPECT_TRUE(parse_object_path("/v1/a/c/..."));
}

TEST(AddressRange, HoldsItsAddresses) {
  EXPECT_TRUE(address_in_range("192.0.2.200", "192.0.2.0/24"));
  EXPECT_TRUE(address_in_range("192.0.2.1", "192.0.2.1"));
  EXPECT_TRUE(address_in_range("192.0.2.1", "0.0.0.0/0"));
  EXPECT_TRUE(address_in_range("2001:db8:1::1", "2001:db8::/32"));
  EXPECT_FALSE(address_in_range("192.0.3.1", "192.0.2.0/24"));
  EXPECT_FALSE(address_in_range("192.0.2.127", "192.0.2.128/25"));
  EXPECT_FALSE(address_in_range("2001:db9::1", "2001:db8::/32"));
  for (const char* bad : {"192.0.2.0/33", "192.0.2.0/x", "::/0", "", "x/8"}) {
    EXPECT_FALSE(address_in_range("192.0.2.1", bad)) << bad;
  }
}

}  // namespace
}  // namespace hearth::metadata
