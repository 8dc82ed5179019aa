// Parts of OpenSSL that hearth-agent does without. Other parts refer to them, so each has a small substitute here; as
// the linker then finds their symbols defined, it leaves the originals in the archive. See provider.cpp.
//
// - Curves P-224 to P-521 have fast implementations with tables of precomputed points. The general one (Montgomery
//   arithmetic, in constant time as well) takes half a millisecond longer for a handshake.
// - Binary curves, X448 and Ed448: no public certificate has them.
// - Keys of DSA: gone from TLS 1.3, and no browser takes them.
// - Messages of libcrypto's errors. Those of TLS and of certificates, which people see, are elsewhere and stay.
#include <openssl/core_dispatch.h>

#include <cstddef>
#include <cstdint>

extern "C" {

struct ec_method_st;
const ec_method_st* EC_GFp_mont_method();
const ec_method_st* EC_GFp_nistp224_method() { return EC_GFp_mont_method(); }
const ec_method_st* EC_GFp_nistp256_method() { return EC_GFp_mont_method(); }
const ec_method_st* EC_GFp_nistp521_method() { return EC_GFp_mont_method(); }
const ec_method_st* EC_GFp_nistz256_method() { return EC_GFp_mont_method(); }

// The general implementation never makes any of these tables.
void* EC_nistp224_pre_comp_dup(void* table) { return table; }
void* EC_nistp256_pre_comp_dup(void* table) { return table; }
void* EC_nistp521_pre_comp_dup(void* table) { return table; }
void* EC_nistz256_pre_comp_dup(void* table) { return table; }
void EC_nistp224_pre_comp_free(void* /*table*/) {}
void EC_nistp256_pre_comp_free(void* /*table*/) {}
void EC_nistp521_pre_comp_free(void* /*table*/) {}
void EC_nistz256_pre_comp_free(void* /*table*/) {}

/// Groups without a method are refused.
const ec_method_st* EC_GF2m_simple_method() { return nullptr; }
int ossl_ec_GF2m_simple_oct2point() { return 0; }
int ossl_ec_GF2m_simple_point2oct() { return 0; }
int ossl_ec_GF2m_simple_set_compressed_coordinates() { return 0; }

int ossl_x448() { return 0; }
void ossl_x448_public_from_private() {}
int ossl_ed448_public_from_private() { return 0; }
int ossl_ed448_sign() { return 0; }
int ossl_ed448_verify() { return 0; }

int ossl_err_load_crypto_strings() { return 1; }

extern const OSSL_DISPATCH ossl_dsa_keymgmt_functions[];
const OSSL_DISPATCH ossl_dsa_keymgmt_functions[] = {{0, nullptr}};
}
