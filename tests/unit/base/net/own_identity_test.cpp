#include "base/net/own_identity.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/hex.hpp"
#include "base/hmac.hpp"
#include "base/sys/file.hpp"
#include "base/sys/process.hpp"
#include "base/text.hpp"
#include "tests/fakes/running_server.hpp"

namespace hearth {
namespace {

using testing::HasSubstr;

class Greeter final : public HttpHandler {
 public:
  ServedResponse answer(const ServedRequest& request) override {
    ServedResponse response;
    response.body = request.path;
    asked += cat(request.path, " ");
    return response;
  }
  std::string asked;
};

/// Sends all clients to one place.
class Elsewhere final : public HttpHandler {
 public:
  ServedResponse answer(const ServedRequest& /*request*/) override {
    ServedResponse response;
    response.status = 302;
    response.headers.emplace_back("Location", place);
    return response;
  }
  std::string place;
};

std::string fetched(const fakes::RunningServer& server, const std::string& path, const std::string& pin, bool verify,
                    const std::string& scheme = "https") {
  SystemClock clock;
  WebClient client(clock, {}, "test");
  HttpRequest request;
  request.url = parse_url(server.url(path, scheme)).value_or_throw();
  request.max_redirects = 3;
  request.deadline = Deadline::after(std::chrono::seconds(20), clock);
  request.verify_tls = verify;
  request.pin = pin;
  try {
    return client.send(request).body;
  } catch (const Error& error) {
    return cat(error.kind() == ErrorKind::input ? "input: " : "", error.what());
  }
}

std::string raw_bytes(const std::string& hex) {
  std::string bytes;
  for (std::size_t i = 0; i < hex.size(); i += 2) bytes += static_cast<char>(std::stoi(hex.substr(i, 2), nullptr, 16));
  return bytes;
}

TEST(OwnIdentity, APinnedClientSpeaksToThatKeyAndNoOther) {
  const TempDir directory = TempDir::create("/tmp", "own-identity-");
  const TlsFiles files = own_identity(directory.path(), "agents", {"127.0.0.1"});
  const std::string pin = key_pin(files.certificate);
  Greeter greeter;
  fakes::RunningServer server(greeter, {}, nullptr, &files);
  EXPECT_EQ(fetched(server, "/pinned", pin, true), "/pinned");
  EXPECT_THAT(fetched(server, "/other", std::string(64, 'a'), false), HasSubstr("input: 127.0.0.1:"));
  EXPECT_THAT(fetched(server, "/other", std::string(64, 'a'), true), HasSubstr("has another key than the pinned one"));
  EXPECT_THAT(fetched(server, "/other", "no pin", false), HasSubstr("has another key"));
  EXPECT_THAT(fetched(server, "/other", "", true), HasSubstr("does not hold"));
  EXPECT_EQ(fetched(server, "/blind", "", false), "/blind");
  if (!find_program("curl", current_environment())) GTEST_SKIP() << "curl is not installed";
  SystemClock clock;
  RealRunner runner(clock);
  Command command;
  command.argv = {"curl",
                  "-sS",
                  "--max-time",
                  "20",
                  "--cacert",
                  files.certificate,
                  "--pinnedpubkey",
                  cat("sha256//", base64_encode(raw_bytes(pin))),
                  server.url("/curl", "https")};
  EXPECT_EQ(run_checked(runner, command), "/curl");  // by the address, too
  server.stop();
  EXPECT_EQ(greeter.asked, "/pinned /blind /curl ");
}

TEST(OwnIdentity, APinnedClientSaysNothingInClearWhereverItIsSentTo) {
  const TempDir directory = TempDir::create("/tmp", "own-identity-");
  const TlsFiles files = own_identity(directory.path(), "agents", {"127.0.0.1"});
  const std::string pin = key_pin(files.certificate);
  Greeter overhearing;
  fakes::RunningServer plain(overhearing, {});
  Elsewhere elsewhere;
  elsewhere.place = plain.url("/moved");
  fakes::RunningServer server(elsewhere, {}, nullptr, &files);
  EXPECT_THAT(fetched(plain, "/first", pin, true, "http"), HasSubstr("input: http://127.0.0.1:"));
  EXPECT_THAT(fetched(server, "/", pin, true), HasSubstr("/moved is not https"));
  EXPECT_EQ(fetched(server, "/", "", false), "/moved");
  plain.stop();
  EXPECT_EQ(overhearing.asked, "/moved ");
}

TEST(OwnIdentity, TheKeyIsKeptAndTheCertificateIsMadeAnewForMoreAddresses) {
  const TempDir directory = TempDir::create("/tmp", "own-identity-");
  const auto certificate = [&] { return RealFileSystem().read(directory.path() / "agents.pem").value_or(""); };
  const TlsFiles files = own_identity(directory.path(), "agents", {"192.0.2.1", "2001:db8::1"});
  EXPECT_EQ(fs::status(files.key).permissions(), fs::owner_read | fs::owner_write);
  const std::string pin = key_pin(files.certificate);
  const std::string first = certificate();
  (void)own_identity(directory.path(), "agents", {"2001:db8::1"});
  EXPECT_EQ(certificate(), first);
  (void)own_identity(directory.path(), "agents", {"192.0.2.2"});
  EXPECT_NE(certificate(), first);
  EXPECT_EQ(key_pin(files.certificate), pin);
  fs::permissions(files.key, fs::owner_read | fs::owner_write | fs::others_read);
  EXPECT_THROW(own_identity(directory.path(), "agents", {}), Error) << "somebody may have it";
  RealFileSystem().write(files.key, "scrap", {.mode = 0600, .uid = {}, .gid = {}});
  EXPECT_THROW(own_identity(directory.path(), "agents", {}), Error);
  EXPECT_THROW((void)key_pin(files.key), Error);
}

}  // namespace
}  // namespace hearth
