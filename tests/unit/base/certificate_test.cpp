#include "base/certificate.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <openssl/x509v3.h>

#include "base/error.hpp"
#include "base/sys/file.hpp"
#include "base/sys/process.hpp"
#include "base/text.hpp"

namespace hearth {
namespace {

using testing::HasSubstr;

constexpr WallTime k_year_2000 = WallTime(std::chrono::seconds(946684800));

/// What openssl(1) says of the certificate in a file.
std::string openssl(std::vector<std::string> arguments) {
  SystemClock clock;
  RealRunner runner(clock);
  arguments.insert(arguments.begin(), "openssl");
  Command command;
  command.argv = std::move(arguments);
  return run_checked(runner, command);
}

TEST(Certificate, OpensslReadsAndVerifiesOneWithoutAnEnd) {
  if (!find_program("openssl", current_environment())) GTEST_SKIP() << "openssl is not installed";
  const PrivateKey key = make_key();
  const Certificate made = make_certificate({.name = "a server",
                                             .extensions = {{NID_basic_constraints, "critical,CA:TRUE,pathlen:0"},
                                                            {NID_key_usage, "critical,digitalSignature,keyCertSign"},
                                                            {NID_subject_alt_name, "IP:192.0.2.1"}},
                                             .from = k_year_2000,
                                             .until = WallTime::max()},
                                            key.get(), {.key = key.get()});
  const TempDir directory = TempDir::create("/tmp", "certificate-");
  const std::string file = (directory.path() / "made.pem").string();
  RealFileSystem().write(file, pem_of(made.get()), {});
  EXPECT_EQ(openssl({"x509", "-in", file, "-noout", "-dates", "-subject"}),
            "notBefore=Jan  1 00:00:00 2000 GMT\nnotAfter=Dec 31 23:59:59 9999 GMT\nsubject=CN = a server\n");
  EXPECT_THAT(
      openssl({"verify", "-x509_strict", "-purpose", "sslserver", "-verify_ip", "192.0.2.1", "-CAfile", file, file}),
      HasSubstr(": OK"));
}

TEST(Certificate, KeysAndCertificatesAreReadAsTheyWereWritten) {
  const PrivateKey key = make_key();
  const PrivateKey read = read_key(pem_of(key.get()));
  ASSERT_TRUE(read);
  const Certificate made = make_certificate(
      {.name = std::string(70, 'n'), .from = k_year_2000, .until = k_year_2000 + std::chrono::hours(1)}, key.get(),
      {.key = read.get()});
  const Certificate found = read_certificate(cat("text before\n", pem_of(made.get())));
  ASSERT_TRUE(found);
  EXPECT_EQ(public_key_digest(found.get()), public_key_digest(made.get()));
  EXPECT_EQ(public_key_digest(found.get()).size(), 64U);
  EXPECT_EQ(public_key_digest(nullptr), "");
  EXPECT_FALSE(read_key("no key"));
  EXPECT_FALSE(read_public_key(pem_of(key.get()))) << "the private one is another text";
  EXPECT_FALSE(read_certificate(""));
  EXPECT_THROW((void)make_certificate({.name = "n",
                                       .extensions = {{NID_subject_alt_name, "IP:nowhere"}},
                                       .from = k_year_2000,
                                       .until = WallTime::max()},
                                      key.get(), {.key = key.get()}),
               Error);
}

}  // namespace
}  // namespace hearth
