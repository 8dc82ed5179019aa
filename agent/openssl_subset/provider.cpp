// The algorithms of OpenSSL that hearth-agent has: those that TLS 1.2 and 1.3 with the public internet's certificates
// need, MD5 for fingerprints of files, and BLAKE2b for frames files.
//
// In a static program OpenSSL's own default provider drags in every algorithm there is, from ARIA to Whirlpool, with
// their encoders for key files: 750 kB that an agent never runs. This file has the symbol of that provider's entry
// point, so the linker never opens its archive member, and offers a shorter list of the same implementations. The
// interface is that of provider(7) and provider-base(7); the names ending in _functions and the ossl_prov_* helpers are
// inside libcrypto.a of OpenSSL 3.0 and in no header. tests/peers/agent/tls_peer.py tries each suite, group and kind of
// certificate against `openssl s_server`.
#include <openssl/bio.h>
#include <openssl/core.h>
#include <openssl/core_dispatch.h>
#include <openssl/evp.h>

#include <initializer_list>

extern "C" {
struct ProviderContext;  // OpenSSL's prov_ctx_st
ProviderContext* ossl_prov_ctx_new();
void ossl_prov_ctx_free(ProviderContext* context);
void ossl_prov_ctx_set0_libctx(ProviderContext* context, OSSL_LIB_CTX* library);
void ossl_prov_ctx_set0_handle(ProviderContext* context, const OSSL_CORE_HANDLE* handle);
void ossl_prov_ctx_set0_core_bio_method(ProviderContext* context, BIO_METHOD* method);
BIO_METHOD* ossl_prov_ctx_get0_core_bio_method(ProviderContext* context);
BIO_METHOD* ossl_bio_prov_init_bio_method();
int ossl_prov_bio_from_dispatch(const OSSL_DISPATCH* core);
int ossl_prov_seeding_from_dispatch(const OSSL_DISPATCH* core);
int ossl_prov_get_capabilities(void* context, const char* capability, OSSL_CALLBACK* callback, void* argument);

extern const OSSL_DISPATCH ossl_md5_functions[];
extern const OSSL_DISPATCH ossl_sha1_functions[];
extern const OSSL_DISPATCH ossl_sha224_functions[];
extern const OSSL_DISPATCH ossl_sha256_functions[];
extern const OSSL_DISPATCH ossl_sha384_functions[];
extern const OSSL_DISPATCH ossl_sha512_functions[];
extern const OSSL_DISPATCH ossl_blake2b512_functions[];
extern const OSSL_DISPATCH ossl_aes128gcm_functions[];
extern const OSSL_DISPATCH ossl_aes256gcm_functions[];
extern const OSSL_DISPATCH ossl_aes128cbc_functions[];
extern const OSSL_DISPATCH ossl_aes256cbc_functions[];
extern const OSSL_DISPATCH ossl_aes256ctr_functions[];
extern const OSSL_DISPATCH ossl_aes256ecb_functions[];
extern const OSSL_DISPATCH ossl_chacha20_ossl_poly1305_functions[];
extern const OSSL_DISPATCH ossl_hmac_functions[];
extern const OSSL_DISPATCH ossl_kdf_hkdf_functions[];
extern const OSSL_DISPATCH ossl_kdf_tls1_3_kdf_functions[];
extern const OSSL_DISPATCH ossl_kdf_tls1_prf_functions[];
extern const OSSL_DISPATCH ossl_drbg_ctr_functions[];
extern const OSSL_DISPATCH ossl_seed_src_functions[];
extern const OSSL_DISPATCH ossl_rsa_keymgmt_functions[];
extern const OSSL_DISPATCH ossl_rsapss_keymgmt_functions[];
extern const OSSL_DISPATCH ossl_dh_keymgmt_functions[];
extern const OSSL_DISPATCH ossl_ec_keymgmt_functions[];
extern const OSSL_DISPATCH ossl_x25519_keymgmt_functions[];
extern const OSSL_DISPATCH ossl_ed25519_keymgmt_functions[];
extern const OSSL_DISPATCH ossl_mac_legacy_keymgmt_functions[];
extern const OSSL_DISPATCH ossl_rsa_signature_functions[];
extern const OSSL_DISPATCH ossl_ecdsa_signature_functions[];
extern const OSSL_DISPATCH ossl_ed25519_signature_functions[];
extern const OSSL_DISPATCH ossl_mac_legacy_hmac_signature_functions[];
extern const OSSL_DISPATCH ossl_rsa_asym_cipher_functions[];
extern const OSSL_DISPATCH ossl_dh_keyexch_functions[];
extern const OSSL_DISPATCH ossl_ecdh_keyexch_functions[];
extern const OSSL_DISPATCH ossl_x25519_keyexch_functions[];
extern const OSSL_DISPATCH ossl_SubjectPublicKeyInfo_der_to_rsa_decoder_functions[];
extern const OSSL_DISPATCH ossl_SubjectPublicKeyInfo_der_to_rsapss_decoder_functions[];
extern const OSSL_DISPATCH ossl_SubjectPublicKeyInfo_der_to_ec_decoder_functions[];
extern const OSSL_DISPATCH ossl_SubjectPublicKeyInfo_der_to_ed25519_decoder_functions[];
extern const OSSL_DISPATCH ossl_SubjectPublicKeyInfo_der_to_x25519_decoder_functions[];
}

namespace {

constexpr OSSL_ALGORITHM algorithm(const char* names, const OSSL_DISPATCH* functions) {
  return {names, "provider=default", functions, nullptr};
}

/// Reads the public key of a certificate.
constexpr OSSL_ALGORITHM key_reader(const char* names, const OSSL_DISPATCH* functions) {
  return {names, "provider=default,fips=yes,input=der,structure=SubjectPublicKeyInfo", functions, nullptr};
}

constexpr OSSL_ALGORITHM k_end = {nullptr, nullptr, nullptr, nullptr};
constexpr const char* k_rsa = "RSA:rsaEncryption:1.2.840.113549.1.1.1";
constexpr const char* k_rsa_pss = "RSA-PSS:RSASSA-PSS:1.2.840.113549.1.1.10";
constexpr const char* k_dh = "DH:dhKeyAgreement:1.2.840.113549.1.3.1";
constexpr const char* k_ec = "EC:id-ecPublicKey:1.2.840.10045.2.1";
constexpr const char* k_x25519 = "X25519:1.3.101.110";
constexpr const char* k_ed25519 = "ED25519:1.3.101.112";

constexpr OSSL_ALGORITHM k_digests[] = {
    algorithm("MD5:SSL3-MD5:1.2.840.113549.2.5", ossl_md5_functions),
    algorithm("SHA1:SHA-1:SSL3-SHA1:1.3.14.3.2.26", ossl_sha1_functions),
    algorithm("SHA2-224:SHA-224:SHA224:2.16.840.1.101.3.4.2.4", ossl_sha224_functions),
    algorithm("SHA2-256:SHA-256:SHA256:2.16.840.1.101.3.4.2.1", ossl_sha256_functions),
    algorithm("SHA2-384:SHA-384:SHA384:2.16.840.1.101.3.4.2.2", ossl_sha384_functions),
    algorithm("SHA2-512:SHA-512:SHA512:2.16.840.1.101.3.4.2.3", ossl_sha512_functions),
    algorithm("BLAKE2B-512:BLAKE2b512:1.3.6.1.4.1.1722.12.2.1.16", ossl_blake2b512_functions),  // frames files
    k_end};
constexpr OSSL_ALGORITHM k_ciphers[] = {
    algorithm("AES-128-GCM:id-aes128-GCM:2.16.840.1.101.3.4.1.6", ossl_aes128gcm_functions),
    algorithm("AES-256-GCM:id-aes256-GCM:2.16.840.1.101.3.4.1.46", ossl_aes256gcm_functions),
    algorithm("AES-128-CBC:AES128:2.16.840.1.101.3.4.1.2", ossl_aes128cbc_functions),
    algorithm("AES-256-CBC:AES256:2.16.840.1.101.3.4.1.42", ossl_aes256cbc_functions),
    algorithm("AES-256-CTR", ossl_aes256ctr_functions),                          // for the random generator
    algorithm("AES-256-ECB:2.16.840.1.101.3.4.1.41", ossl_aes256ecb_functions),  // likewise
    algorithm("ChaCha20-Poly1305", ossl_chacha20_ossl_poly1305_functions),
    k_end};
constexpr OSSL_ALGORITHM k_macs[] = {algorithm("HMAC", ossl_hmac_functions), k_end};
constexpr OSSL_ALGORITHM k_derivations[] = {algorithm("HKDF", ossl_kdf_hkdf_functions),
                                            algorithm("TLS13-KDF", ossl_kdf_tls1_3_kdf_functions),
                                            algorithm("TLS1-PRF", ossl_kdf_tls1_prf_functions), k_end};
constexpr OSSL_ALGORITHM k_generators[] = {algorithm("CTR-DRBG", ossl_drbg_ctr_functions),
                                           algorithm("SEED-SRC", ossl_seed_src_functions), k_end};
constexpr OSSL_ALGORITHM k_keys[] = {
    algorithm(k_rsa, ossl_rsa_keymgmt_functions),         algorithm(k_rsa_pss, ossl_rsapss_keymgmt_functions),
    algorithm(k_dh, ossl_dh_keymgmt_functions),           algorithm(k_ec, ossl_ec_keymgmt_functions),
    algorithm(k_x25519, ossl_x25519_keymgmt_functions),   algorithm(k_ed25519, ossl_ed25519_keymgmt_functions),
    algorithm("HMAC", ossl_mac_legacy_keymgmt_functions), k_end};
constexpr OSSL_ALGORITHM k_signatures[] = {algorithm(k_rsa, ossl_rsa_signature_functions),
                                           algorithm("ECDSA", ossl_ecdsa_signature_functions),
                                           algorithm(k_ed25519, ossl_ed25519_signature_functions),
                                           algorithm("HMAC", ossl_mac_legacy_hmac_signature_functions), k_end};
constexpr OSSL_ALGORITHM k_key_transports[] = {algorithm(k_rsa, ossl_rsa_asym_cipher_functions), k_end};
constexpr OSSL_ALGORITHM k_exchanges[] = {algorithm(k_dh, ossl_dh_keyexch_functions),
                                          algorithm("ECDH", ossl_ecdh_keyexch_functions),
                                          algorithm(k_x25519, ossl_x25519_keyexch_functions), k_end};
constexpr OSSL_ALGORITHM k_key_readers[] = {
    key_reader(k_rsa, ossl_SubjectPublicKeyInfo_der_to_rsa_decoder_functions),
    key_reader(k_rsa_pss, ossl_SubjectPublicKeyInfo_der_to_rsapss_decoder_functions),
    key_reader(k_ec, ossl_SubjectPublicKeyInfo_der_to_ec_decoder_functions),
    key_reader(k_ed25519, ossl_SubjectPublicKeyInfo_der_to_ed25519_decoder_functions),
    key_reader(k_x25519, ossl_SubjectPublicKeyInfo_der_to_x25519_decoder_functions),
    k_end};

const OSSL_ALGORITHM* query_operation(void* /*context*/, int operation, int* no_cache) {
  *no_cache = 0;
  switch (operation) {
    case OSSL_OP_DIGEST: return k_digests;
    case OSSL_OP_CIPHER: return k_ciphers;
    case OSSL_OP_MAC: return k_macs;
    case OSSL_OP_KDF: return k_derivations;
    case OSSL_OP_RAND: return k_generators;
    case OSSL_OP_KEYMGMT: return k_keys;
    case OSSL_OP_SIGNATURE: return k_signatures;
    case OSSL_OP_ASYM_CIPHER: return k_key_transports;
    case OSSL_OP_KEYEXCH: return k_exchanges;
    case OSSL_OP_DECODER: return k_key_readers;
    default: return nullptr;
  }
}

void tear_down(void* context) {
  auto* provider = static_cast<ProviderContext*>(context);
  ::BIO_meth_free(ossl_prov_ctx_get0_core_bio_method(provider));
  ossl_prov_ctx_free(provider);
}

using Function = void (*)();

const OSSL_DISPATCH k_functions[] = {
    {OSSL_FUNC_PROVIDER_TEARDOWN, reinterpret_cast<Function>(tear_down)},
    {OSSL_FUNC_PROVIDER_QUERY_OPERATION, reinterpret_cast<Function>(query_operation)},
    {OSSL_FUNC_PROVIDER_GET_CAPABILITIES, reinterpret_cast<Function>(ossl_prov_get_capabilities)},
    {0, nullptr}};

OSSL_LIB_CTX* library_of(const OSSL_CORE_HANDLE* handle, const OSSL_DISPATCH* core) {
  for (; core->function_id != 0; ++core) {
    if (core->function_id == OSSL_FUNC_CORE_GET_LIBCTX) {
      return reinterpret_cast<OSSL_LIB_CTX*>(::OSSL_FUNC_core_get_libctx(core)(handle));
    }
  }
  return nullptr;
}

}  // namespace

/// In place of OpenSSL's, which would bring everything.
extern "C" int ossl_default_provider_init(const OSSL_CORE_HANDLE* handle, const OSSL_DISPATCH* core,
                                          const OSSL_DISPATCH** functions, void** context) {
  OSSL_LIB_CTX* library = library_of(handle, core);
  if (library == nullptr || ossl_prov_bio_from_dispatch(core) == 0 || ossl_prov_seeding_from_dispatch(core) == 0)
    return 0;
  ProviderContext* provider = ossl_prov_ctx_new();
  if (provider == nullptr) return 0;
  ossl_prov_ctx_set0_libctx(provider, library);
  ossl_prov_ctx_set0_handle(provider, handle);
  ossl_prov_ctx_set0_core_bio_method(provider, ossl_bio_prov_init_bio_method());
  *functions = k_functions;
  *context = provider;
  return 1;
}

/// The provider "base" holds readers and writers of key files only: there is none here.
extern "C" int ossl_base_provider_init(const OSSL_CORE_HANDLE* /*handle*/, const OSSL_DISPATCH* /*core*/,
                                       const OSSL_DISPATCH** /*functions*/, void** /*context*/) {
  return 0;
}

/// Certificates name the digests of their signatures by number; these are the ones that can be looked up so.
extern "C" void openssl_add_all_digests_int() {
  for (const EVP_MD* digest :
       {::EVP_md5(), ::EVP_sha1(), ::EVP_sha224(), ::EVP_sha256(), ::EVP_sha384(), ::EVP_sha512()}) {
    ::EVP_add_digest(digest);
  }
}

/// Ciphers are looked up by number for encrypted key files only.
extern "C" void openssl_add_all_ciphers_int() {}
