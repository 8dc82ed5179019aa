#include "agent/deploy/rest/tls_identity.hpp"

#include <gtest/gtest.h>

#include "agent/deploy/rest/server.hpp"
#include "base/error.hpp"
#include "base/net/web_client.hpp"
#include "base/sys/file.hpp"
#include "base/text.hpp"

namespace hearth::agent::deploy {
namespace {

/// A server that answers with the target and the body's size.
struct TlsIdentityWorld {
  explicit TlsIdentityWorld(const std::string& host, bool tls = true) : identity(host) {
    files.write(ca(), identity.certificate(), {.mode = 0600, .uid = {}, .gid = {}});
    server.emplace(
        0,
        [](const ServedRequest& request) {
          return ServedResponse{.status = 200, .body = cat(request.target, " ", request.body.size())};
        },
        tls ? &identity : nullptr);
  }
  [[nodiscard]] std::string ca() const { return (directory.path() / "ca.pem").string(); }
  std::string post(const std::string& host, const std::string& body, const std::string& scheme = "https") {
    WebClient http(clock, {}, "test");
    HttpRequest request{.method = "POST",
                        .url = parse_url(cat(scheme, "://", host, ":", server->port(), "/v1")).value_or_throw()};
    request.body = body;
    request.ca_file = ca();
    request.deadline = Deadline::after(std::chrono::seconds(30), clock);
    return http.send(request).body;
  }

  SystemClock clock;
  RealFileSystem files;
  TempDir directory = TempDir::create(fs::temp_directory_path(), "tls-identity");
  TlsIdentity identity;
  std::optional<RestServer> server;
};

TEST(TlsIdentity, WhoTrustsTheCertificateIsServedAtTheAddressThatItNames) {
  TlsIdentityWorld world("127.0.0.1");
  EXPECT_EQ(world.post("127.0.0.1", "abc"), "/v1 3");
  EXPECT_EQ(world.post("127.0.0.1", std::string(5U << 20U, 'x')), cat("/v1 ", 5U << 20U)) << "a config drive's size";
  EXPECT_THROW(world.post("localhost", ""), Error) << "another name";
}

TEST(TlsIdentity, ANameIsAsGoodAsAnAddressAndBracketsBelongToUrls) {
  TlsIdentityWorld named("localhost");
  EXPECT_EQ(named.post("localhost", ""), "/v1 0");
  EXPECT_THROW(named.post("127.0.0.1", ""), Error);
  const TlsIdentity six("[2001:db8::1]");
  EXPECT_EQ(six.certificate().rfind("-----BEGIN CERTIFICATE-----", 0), 0U);
}

TEST(TlsIdentity, AnotherAgentsCertificateIsNotTrusted) {
  TlsIdentityWorld world("127.0.0.1");
  world.files.write(world.ca(), TlsIdentity("127.0.0.1").certificate(), {.mode = 0600, .uid = {}, .gid = {}});
  EXPECT_THROW(world.post("127.0.0.1", ""), Error);
}

TEST(TlsIdentity, PlainRequestsGetNoAnswerWhereTlsIsServedAndAreServedWhereItIsNot) {
  TlsIdentityWorld world("127.0.0.1");
  EXPECT_THROW(world.post("127.0.0.1", "", "http"), Error);
  EXPECT_EQ(world.post("127.0.0.1", "after it"), "/v1 8") << "it goes on serving";
  TlsIdentityWorld plain("127.0.0.1", false);
  EXPECT_EQ(plain.post("127.0.0.1", "abc", "http"), "/v1 3");
}

}  // namespace
}  // namespace hearth::agent::deploy
