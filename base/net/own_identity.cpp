#include "base/net/own_identity.hpp"

#include <openssl/x509v3.h>

#include <algorithm>
#include <optional>

#include "base/certificate.hpp"
#include "base/error.hpp"
#include "base/net/look_up.hpp"
#include "base/sys/file.hpp"
#include "base/text.hpp"

namespace hearth {

namespace {

Certificate certificate_in(const std::optional<std::string>& pem) {
  return pem ? read_certificate(*pem) : Certificate();
}

bool is_of(X509* certificate, EVP_PKEY* key) {
  return certificate != nullptr && ::X509_check_private_key(certificate, key) == 1;
}

/// Machines trust an authority for as long as they are in service: another in its place, unasked, would cut them off.
Error lost_key(const fs::path& file, const fs::path& authority) {
  return Error(ErrorKind::input, cat("the key of ", authority.string(), " is lost: ", file.string(),
                                     fs::exists(file) ? " is another" : " is not there"))
      .hint(cat("Take ", file.filename().string(),
                " from a backup. Who trusts this authority trusts no other: to have "
                "a new one made, move ",
                authority.filename().string(), " away, and tell its machines of the new one."));
}

PrivateKey kept_key(const fs::path& file) {
  RealFileSystem files;
  if (const std::optional<std::string> kept = files.read(file)) {
    PrivateKey key = read_key(*kept);
    if (!key)
      throw Error(ErrorKind::input, cat(file.string(), " is no key (PEM)"))
          .hint("Take it from a backup. Without it, and without its authority, new ones are made.");
    if ((fs::status(file).permissions() & (fs::group_all | fs::others_all)) != fs::no_perms) {
      throw Error(ErrorKind::input, cat(file.string(), " is open to others than its owner: they may have the key"))
          .hint("chmod 600 keeps it where nobody has; without it and its authority new ones are made.");
    }
    return key;
  }
  PrivateKey key = make_key();
  files.write(file, pem_of(key.get()), {.mode = 0600, .uid = {}, .gid = {}});
  return key;
}

/// From the day that clocks without a battery begin at.
CertificateFields endless(const char* name, std::vector<std::pair<int, std::string>> extensions) {
  return {.name = name, .extensions = std::move(extensions), .from = WallTime(), .until = WallTime::max()};
}

/// Its key and name must stay: by these, whoever trusts an older one trusts what this one signs. Once the server's
/// certificate itself was such a one.
Certificate kept_authority(const fs::path& file, EVP_PKEY* key) {
  RealFileSystem files;
  if (Certificate kept = certificate_in(files.read(file)); is_of(kept.get(), key)) return kept;
  Certificate made = make_certificate(endless("hearth", {{NID_basic_constraints, "critical,CA:TRUE,pathlen:0"},
                                                         {NID_key_usage, "critical,digitalSignature,keyCertSign"},
                                                         {NID_subject_key_identifier, "hash"}}),
                                      key, {.key = key});
  files.write(file, pem_of(made.get()), {.mode = 0644, .uid = {}, .gid = {}});
  return made;
}

/// Its name is another than the authority's: the same would make it one that signs itself (RFC 5280 section 3.2).
Certificate certificate_for(const std::vector<std::string>& hosts, EVP_PKEY* key, X509* authority) {
  CertificateFields fields = endless("hearth server", {{NID_basic_constraints, "critical,CA:FALSE"},
                                                       {NID_key_usage, "critical,digitalSignature"},
                                                       {NID_ext_key_usage, "serverAuth"},
                                                       {NID_subject_key_identifier, "hash"},
                                                       {NID_authority_key_identifier, "keyid:always"}});
  std::vector<std::string> names;
  for (const std::string& host : hosts) names.push_back(cat(is_address(host) ? "IP:" : "DNS:", host));
  if (!names.empty()) fields.extensions.emplace_back(NID_subject_alt_name, join(names, ","));
  return make_certificate(fields, key, {.certificate = authority, .key = key});
}

/// Clients that trust an authority take no certificate that signs itself, but itself.
bool is_signed_by(X509* authority, X509* certificate) {
  const X509_NAME* const issuer = ::X509_get_issuer_name(certificate);
  return ::X509_check_issued(authority, certificate) == X509_V_OK &&
         ::X509_NAME_cmp(::X509_get_subject_name(certificate), issuer) != 0;
}

bool serves(X509* certificate, EVP_PKEY* key, X509* authority, const std::vector<std::string>& hosts) {
  if (!is_of(certificate, key) || !is_signed_by(authority, certificate)) return false;
  return std::all_of(hosts.begin(), hosts.end(), [certificate](const std::string& host) {
    return is_address(host) ? ::X509_check_ip_asc(certificate, host.c_str(), 0) == 1
                            : ::X509_check_host(certificate, host.c_str(), host.size(), 0, nullptr) == 1;
  });
}

}  // namespace

fs::path own_authority_file(const fs::path& directory, const std::string& name) {
  return directory / cat(name, "-authority.pem");
}

TlsFiles own_identity(const fs::path& directory, const std::string& name, const std::vector<std::string>& hosts) {
  RealFileSystem files;
  const fs::path key_file = directory / cat(name, ".key");
  const fs::path certificate_file = directory / cat(name, ".pem");
  const fs::path authority_file = own_authority_file(directory, name);
  const Certificate trusted = certificate_in(files.read(authority_file));
  if (trusted && !files.status(key_file)) throw lost_key(key_file, authority_file);
  const PrivateKey key = kept_key(key_file);
  if (trusted && !is_of(trusted.get(), key.get())) throw lost_key(key_file, authority_file);
  const Certificate authority = kept_authority(authority_file, key.get());
  if (!serves(certificate_in(files.read(certificate_file)).get(), key.get(), authority.get(), hosts)) {
    const Certificate made = certificate_for(hosts, key.get(), authority.get());
    files.write(certificate_file, cat(pem_of(made.get()), pem_of(authority.get())),
                {.mode = 0644, .uid = {}, .gid = {}});
  }
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
