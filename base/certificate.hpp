// X.509 certificates (RFC 5280) that a program makes itself, and the keys in them, by OpenSSL: a server's own identity
// (own_identity.hpp), and the authority of a build's recording proxy.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/clock.hpp"

struct evp_pkey_st;  // OpenSSL's EVP_PKEY
struct x509_st;      // OpenSSL's X509

namespace hearth {

struct FreeCertificate {
  void operator()(evp_pkey_st* key) const;
  void operator()(x509_st* certificate) const;
};
using PrivateKey = std::unique_ptr<evp_pkey_st, FreeCertificate>;
using PublicKey = std::unique_ptr<evp_pkey_st, FreeCertificate>;
using Certificate = std::unique_ptr<x509_st, FreeCertificate>;

/// A new one (EC, P-256). Throws Error(io).
[[nodiscard]] PrivateKey make_key();

struct CertificateFields {
  std::string name;  ///< common name, cut at RFC 5280's 64 bytes; peers are known by subjectAltName
  std::vector<std::pair<int, std::string>> extensions;  ///< a NID and a value in the words of x509v3_config(5)
  WallTime from, until;                                 ///< WallTime::max(): it has no end (the year 9999)
};

/// Who signs: its certificate, or none where the new one signs itself; and its key.
struct Issuer {
  x509_st* certificate = nullptr;
  evp_pkey_st* key = nullptr;
};

/// A certificate of `key` with a random number. Throws Error(io), also for a value of an extension that is none.
[[nodiscard]] Certificate make_certificate(const CertificateFields& fields, evp_pkey_st* key, Issuer issuer);

/// The first in a PEM text; empty where it has none.
[[nodiscard]] PrivateKey read_key(std::string_view pem);
[[nodiscard]] PublicKey read_public_key(std::string_view pem);
[[nodiscard]] Certificate read_certificate(std::string_view pem);

[[nodiscard]] std::string pem_of(evp_pkey_st* key);
[[nodiscard]] std::string pem_of(x509_st* certificate);

/// SHA-256 of a certificate's public key (SPKI), in hexadecimal; empty where there is none.
[[nodiscard]] std::string public_key_digest(const x509_st* certificate);

}  // namespace hearth
