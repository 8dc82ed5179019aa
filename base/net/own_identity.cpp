#include "base/net/own_identity.hpp"

#include <openssl/x509v3.h>

#include <algorithm>
#include <optional>

#include "base/certificate.hpp"
#include "base/error.hpp"
#include "base/sys/file.hpp"
#include "base/text.hpp"

namespace hearth {

namespace {

constexpr WallTime k_year_2000 = WallTime(std::chrono::seconds(946684800));

PrivateKey kept_key(const fs::path& file) {
  RealFileSystem files;
  if (const std::optional<std::string> kept = files.read(file)) {
    PrivateKey key = read_key(*kept);
    if (!key)
      throw Error(ErrorKind::input, cat(file.string(), " is no key (PEM)")).hint("Without it a new one is made.");
    if ((fs::status(file).permissions() & (fs::group_all | fs::others_all)) != fs::no_perms) {
      throw Error(ErrorKind::input, cat(file.string(), " is open to others than its owner: they may have the key"))
          .hint("chmod 600 keeps it where nobody has; without the file a new one is made.");
    }
    return key;
  }
  PrivateKey key = make_key();
  files.write(file, pem_of(key.get()), {.mode = 0600, .uid = {}, .gid = {}});
  return key;
}

std::string certificate_of(EVP_PKEY* key, const std::vector<std::string>& addresses) {
  CertificateFields fields{.name = "hearth",
                           .extensions = {{NID_basic_constraints, "critical,CA:TRUE,pathlen:0"},
                                          {NID_key_usage, "critical,digitalSignature,keyCertSign"}},
                           .from = k_year_2000,
                           .until = WallTime::max()};
  std::vector<std::string> names;
  for (const std::string& address : addresses) names.push_back(cat("IP:", address));
  if (!names.empty()) fields.extensions.emplace_back(NID_subject_alt_name, join(names, ","));
  return pem_of(make_certificate(fields, key, {.key = key}).get());
}

Certificate certificate_in(const std::optional<std::string>& pem) {
  return pem ? read_certificate(*pem) : Certificate();
}

bool serves(X509* certificate, EVP_PKEY* key, const std::vector<std::string>& addresses) {
  if (certificate == nullptr || ::X509_check_private_key(certificate, key) != 1) return false;
  return std::all_of(addresses.begin(), addresses.end(), [certificate](const std::string& address) {
    return ::X509_check_ip_asc(certificate, address.c_str(), 0) == 1;
  });
}

}  // namespace

TlsFiles own_identity(const fs::path& directory, const std::string& name, const std::vector<std::string>& addresses) {
  RealFileSystem files;
  const fs::path key_file = directory / cat(name, ".key");
  const fs::path certificate_file = directory / cat(name, ".pem");
  const PrivateKey key = kept_key(key_file);
  if (!serves(certificate_in(files.read(certificate_file)).get(), key.get(), addresses))
    files.write(certificate_file, certificate_of(key.get(), addresses), {.mode = 0644, .uid = {}, .gid = {}});
  return {certificate_file.string(), key_file.string()};
}

std::string key_pin(const std::string& certificate_file) {
  const Certificate certificate = certificate_in(RealFileSystem().read(certificate_file));
  std::string pin = public_key_digest(certificate.get());
  if (pin.empty())
    throw Error(ErrorKind::input, cat("reading the certificate in ", certificate_file, ": there is none"));
  return pin;
}

}  // namespace hearth
