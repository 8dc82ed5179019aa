#include "builder/fetch/certificate_authority.hpp"

#include <gtest/gtest.h>
#include <sys/socket.h>

#include <thread>

#include "base/error.hpp"
#include "base/net/connection.hpp"
#include "base/net/web_client.hpp"
#include "base/sys/file.hpp"
#include "base/text.hpp"
#include "builder/fetch/channel.hpp"
#include "tests/unit/builder/fetch/loopback.hpp"

namespace hearth::builder::fetch {
namespace {

/// What a client that trusts `trusted` learns from a server that plays `host`.
std::string greeting(CertificateAuthority& authority, const std::string& host, const std::string& trusted) {
  Listener listener;
  std::thread server([&] {
    try {
      Channel channel(listener.accept());
      channel.start_tls(authority.context_for(host));
      std::array<char, 4096> question{};
      (void)channel.read(question);
      channel.write("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello");
    } catch (const Error&) {  // the client did not like it
    }
  });
  const TempDir dir = TempDir::create("/tmp", "hearth-test-");
  RealFileSystem().write(dir.path() / "ca.pem", trusted, {});
  const SystemClock clock;
  WebClient client(clock, {}, "test");
  HttpRequest request;
  request.url = parse_url(cat("https://127.0.0.1:", listener.port, "/")).value_or_throw();
  request.ca_file = (dir.path() / "ca.pem").string();
  std::string got;
  try {
    got = client.send(request).body;
  } catch (const Error& error) {
    got = error.what();
  }
  server.join();
  return got;
}

TEST(CertificateAuthority, IsBelievedByThoseWhoTrustItForTheNameItPlays) {
  CertificateAuthority authority;
  EXPECT_EQ(greeting(authority, "127.0.0.1", authority.certificate()), "hello");
  EXPECT_NE(greeting(authority, "a.example", authority.certificate()), "hello") << "another name";
  EXPECT_NE(greeting(authority, "127.0.0.1", CertificateAuthority().certificate()), "hello") << "another authority";
}

TEST(CertificateAuthority, MakesOneContextForAName) {
  CertificateAuthority authority;
  EXPECT_EQ(&authority.context_for("a.example"), &authority.context_for("a.example"));
  EXPECT_NE(&authority.context_for("a.example"), &authority.context_for("b.example"));
  EXPECT_THROW((void)authority.context_for("a.example,DNS:b.example"), Error);
}

}  // namespace
}  // namespace hearth::builder::fetch
