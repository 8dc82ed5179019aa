// GnuTLS' Kuznyechik, a block cipher of Russian standards whose tables have 200 kB. No connection of this program can
// use it (priorities without GOST: base/gnutls/tls_client.cpp, deploy/rest/tls_identity.cpp), and it decrypts no keys
// by it. GnuTLS' list of ciphers refers to these three functions; who got to them would end the program. They
// are not public: where a later GnuTLS has others, the linker takes the archive's own, and only the size is lost.
#include <cstdlib>

extern "C" {

void _gnutls_kuznyechik_set_key() { std::abort(); }
void _gnutls_kuznyechik_encrypt() { std::abort(); }
void _gnutls_kuznyechik_decrypt() { std::abort(); }

}  // extern "C"
