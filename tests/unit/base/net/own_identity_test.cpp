#include "base/net/own_identity.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <openssl/obj_mac.h>
#include <openssl/x509.h>

#include "base/certificate.hpp"
#include "base/hex.hpp"
#include "base/hmac.hpp"
#include "base/sys/file.hpp"
#include "base/sys/process.hpp"
#include "base/text.hpp"
#include "tests/fakes/running_server.hpp"

namespace hearth {
namespace {

using testing::AllOf;
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

/// What a client answers that verifies: by a bundle of its own, or by the site's authority beside its system's.
std::string verified(const std::string& url, const std::string& ca_file, const Environment& env = {}) {
  SystemClock clock;
  WebClient client(clock, env, "test");
  HttpRequest request;
  request.url = parse_url(url).value_or_throw();
  request.deadline = Deadline::after(std::chrono::seconds(20), clock);
  request.ca_file = ca_file;
  try {
    return client.send(request).body;
  } catch (const Error& error) {
    return error.what();
  }
}

/// A certificate as an older Hearth made it: the server's own, which signs itself.
std::string former_certificate(const fs::path& key_file) {
  const PrivateKey key = read_key(RealFileSystem().read(key_file).value_or(""));
  const CertificateFields fields{.name = "hearth",
                                 .extensions = {{NID_basic_constraints, "critical,CA:TRUE,pathlen:0"},
                                                {NID_key_usage, "critical,digitalSignature,keyCertSign"},
                                                {NID_subject_alt_name, "IP:127.0.0.1"}},
                                 .from = WallTime(std::chrono::seconds(946684800)),
                                 .until = WallTime::max()};
  return pem_of(make_certificate(fields, key.get(), {.key = key.get()}).get());
}

TEST(OwnIdentity, WhoTrustsTheAuthorityTrustsTheCertificateForANewAddressToo) {
  const TempDir directory = TempDir::create("/tmp", "own-identity-");
  (void)own_identity(directory.path(), "agents", {"192.0.2.1"});
  const std::string authority = own_authority_file(directory.path(), "agents").string();
  const fs::path kept = directory.path() / "kept.pem";
  fs::copy_file(authority, kept);
  const TlsFiles files = own_identity(directory.path(), "agents", {"192.0.2.1", "localhost"});
  Greeter greeter;
  fakes::RunningServer server(greeter, {}, nullptr, &files);
  const std::string by_address = server.url("/", "https");
  const std::string by_name = replace_all(by_address, "127.0.0.1", "localhost");
  EXPECT_EQ(verified(by_name, kept.string()), "/");
  EXPECT_EQ(verified(by_name, files.certificate), "/") << "it has the authority behind it";
  EXPECT_THAT(verified(by_address, kept.string()), HasSubstr("IP address mismatch"));
  EXPECT_EQ(verified(by_name, "", {{k_site_authority, kept.string()}}), "/");
  const std::string none = (directory.path() / "none.pem").string();
  EXPECT_THAT(verified(by_name, "", {{k_site_authority, none}}), HasSubstr("does not hold"));
  (void)own_identity(directory.path(), "other", {"localhost"});
  const std::string stranger = own_authority_file(directory.path(), "other").string();
  EXPECT_THAT(verified(by_name, stranger), HasSubstr("does not hold"));
  EXPECT_THAT(verified(by_name, "", {{k_site_authority, stranger}}), HasSubstr("does not hold"));
}

TEST(OwnIdentity, ADamagedAuthorityOfTheSiteIsNamedAndTakesNobodyElsesTrust) {
  const TempDir directory = TempDir::create("/tmp", "own-identity-");
  const TlsFiles files = own_identity(directory.path(), "agents", {"127.0.0.1"});
  const std::string authority = own_authority_file(directory.path(), "agents").string();
  const std::string damaged = (directory.path() / "damaged.pem").string();
  RealFileSystem().write(damaged, RealFileSystem().read(authority).value_or("").substr(0, 200), {});
  Greeter greeter;
  fakes::RunningServer server(greeter, {}, nullptr, &files);
  const std::string url = server.url("/", "https");
  EXPECT_EQ(verified(url, "", {{"SSL_CERT_FILE", authority}, {k_site_authority, damaged}}), "/");
  EXPECT_THAT(verified(url, "", {{k_site_authority, damaged}}),
              AllOf(HasSubstr("does not hold"), HasSubstr("the site's authority is not among those that are trusted"),
                    HasSubstr(damaged)));
  EXPECT_THAT(verified(url, damaged), HasSubstr(cat("reading the trusted certificates in ", damaged)));
  const std::string absent = (directory.path() / "absent.pem").string();
  EXPECT_THAT(verified(url, absent),
              HasSubstr(cat("reading the trusted certificates in ", absent, ": No such file or directory")));
  fakes::RunningServer clear(greeter, {});
  EXPECT_THAT(verified(clear.url("/", "https"), authority), HasSubstr("http:// in place of https://?"));
}

TEST(OwnIdentity, WhoTrustsTheCertificateOfAnOlderHearthTrustsTheOneThatReplacesIt) {
  const TempDir directory = TempDir::create("/tmp", "own-identity-");
  TlsFiles files = own_identity(directory.path(), "agents", {"127.0.0.1"});
  const std::string former = former_certificate(files.key);
  RealFileSystem().write(files.certificate, former, {});
  fs::remove(own_authority_file(directory.path(), "agents"));
  const fs::path kept = directory.path() / "kept.pem";
  RealFileSystem().write(kept, former, {});
  const std::string pin = key_pin(files.certificate);
  files = own_identity(directory.path(), "agents", {"127.0.0.1"});
  EXPECT_NE(RealFileSystem().read(files.certificate), former);
  EXPECT_EQ(key_pin(files.certificate), pin);
  Greeter greeter;
  fakes::RunningServer server(greeter, {}, nullptr, &files);
  EXPECT_EQ(verified(server.url("/", "https"), kept.string()), "/");
  EXPECT_EQ(verified(server.url("/", "https"), own_authority_file(directory.path(), "agents").string()), "/");
}

TEST(OwnIdentity, AnAuthorityWhoseKeyIsLostIsNotReplacedUnasked) {
  const TempDir directory = TempDir::create("/tmp", "own-identity-");
  const fs::path key = own_identity(directory.path(), "agents", {}).key;
  const fs::path authority = own_authority_file(directory.path(), "agents");
  const std::string trusted = RealFileSystem().read(authority).value_or("");
  const auto refusal = [&] {
    try {
      (void)own_identity(directory.path(), "agents", {});
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  fs::rename(key, directory.path() / "kept");
  EXPECT_THAT(refusal(), HasSubstr("agents-authority.pem is lost: "));
  EXPECT_FALSE(fs::exists(key));
  RealFileSystem().write(key, pem_of(make_key().get()), {.mode = 0600, .uid = {}, .gid = {}});
  EXPECT_THAT(refusal(), HasSubstr("agents.key is another"));
  EXPECT_EQ(RealFileSystem().read(authority), trusted);
  fs::rename(directory.path() / "kept", key);
  EXPECT_EQ(refusal(), "");
  fs::remove(key);
  fs::remove(authority);
  EXPECT_EQ(refusal(), "") << "it is asked for";
  EXPECT_NE(RealFileSystem().read(authority), trusted);
}

TEST(OwnIdentity, AClockThatBeginsInTheYear1970IsNotBeforeACertificate) {
  const TempDir directory = TempDir::create("/tmp", "own-identity-");
  const TlsFiles files = own_identity(directory.path(), "agents", {"127.0.0.1"});
  for (const std::string& file : {files.certificate, own_authority_file(directory.path(), "agents").string()}) {
    const Certificate made = read_certificate(RealFileSystem().read(file).value_or(""));
    EXPECT_EQ(::ASN1_TIME_cmp_time_t(::X509_get0_notBefore(made.get()), 0), 0) << file;
  }
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
