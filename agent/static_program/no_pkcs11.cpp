// p11-kit's functions for smart cards and other tokens, as GnuTLS calls them: here there are none. p11-kit loads its
// modules at run time, which a static program can't, and Debian has no static library of it. The prototypes are those
// of its public headers, so the compiler checks them.
#include <gnutls/gnutls.h>

#define CRYPTOKI_GNU 1
#define P11_KIT_FUTURE_UNSTABLE_API 1  // for iter.h of older ones
#include <p11-kit/p11-kit.h>
#include <p11-kit/pin.h>
#include <p11-kit/uri.h>
#include <cstddef>  // before p11-kit's, which needs it
// clang-format off
#define template attributes  // the name of a parameter
#include <p11-kit/iter.h>
#undef template
// clang-format on

extern "C" {

GNUTLS_SKIP_GLOBAL_INIT  // GnuTLS is set up by gnutls_global_init() (base/gnutls/start.hpp), not before main()

    CK_FUNCTION_LIST**
    p11_kit_modules_load(const char*, int) {
  return nullptr;
}
CK_FUNCTION_LIST* p11_kit_module_load(const char*, int) { return nullptr; }
CK_RV p11_kit_module_finalize(CK_FUNCTION_LIST*) { return CKR_FUNCTION_NOT_SUPPORTED; }
void p11_kit_module_release(CK_FUNCTION_LIST*) {}
char* p11_kit_module_get_name(CK_FUNCTION_LIST*) { return nullptr; }
int p11_kit_module_get_flags(CK_FUNCTION_LIST*) { return 0; }
char* p11_kit_config_option(CK_FUNCTION_LIST*, const char*) { return nullptr; }
const char* p11_kit_message() { return nullptr; }
const char* p11_kit_strerror(CK_RV) { return "there is no PKCS #11 in this program"; }
std::size_t p11_kit_space_strlen(const unsigned char*, std::size_t) { return 0; }
char* p11_kit_space_strdup(const unsigned char*, std::size_t) { return nullptr; }

P11KitUri* p11_kit_uri_new() { return nullptr; }
void p11_kit_uri_free(P11KitUri*) {}
int p11_kit_uri_parse(const char*, P11KitUriType, P11KitUri*) { return P11_KIT_URI_BAD_SCHEME; }
int p11_kit_uri_format(P11KitUri*, P11KitUriType, char**) { return P11_KIT_URI_UNEXPECTED; }
CK_INFO_PTR p11_kit_uri_get_module_info(P11KitUri*) { return nullptr; }
int p11_kit_uri_match_module_info(const P11KitUri*, const CK_INFO*) { return 0; }
CK_TOKEN_INFO_PTR p11_kit_uri_get_token_info(P11KitUri*) { return nullptr; }
int p11_kit_uri_match_token_info(const P11KitUri*, const CK_TOKEN_INFO*) { return 0; }
CK_ATTRIBUTE_PTR p11_kit_uri_get_attribute(P11KitUri*, CK_ATTRIBUTE_TYPE) { return nullptr; }
CK_ATTRIBUTE_PTR p11_kit_uri_get_attributes(P11KitUri*, CK_ULONG*) { return nullptr; }
int p11_kit_uri_set_attribute(P11KitUri*, CK_ATTRIBUTE_PTR) { return P11_KIT_URI_UNEXPECTED; }
const char* p11_kit_uri_get_pin_source(const P11KitUri*) { return nullptr; }
const char* p11_kit_uri_get_pin_value(const P11KitUri*) { return nullptr; }

P11KitPin* p11_kit_pin_new_for_string(const char*) { return nullptr; }
void p11_kit_pin_unref(P11KitPin*) {}
std::size_t p11_kit_pin_get_length(P11KitPin*) { return 0; }
const unsigned char* p11_kit_pin_get_value(P11KitPin*, std::size_t*) { return nullptr; }
int p11_kit_pin_register_callback(const char*, p11_kit_pin_callback, void*, p11_kit_pin_destroy_func) { return -1; }
void p11_kit_pin_unregister_callback(const char*, p11_kit_pin_callback, void*) {}
P11KitPin* p11_kit_pin_request(const char*, P11KitUri*, const char*, P11KitPinFlags) { return nullptr; }
P11KitPin* p11_kit_pin_file_callback(const char*, P11KitUri*, const char*, P11KitPinFlags, void*) { return nullptr; }

P11KitIter* p11_kit_iter_new(P11KitUri*, P11KitIterBehavior) { return nullptr; }
void p11_kit_iter_free(P11KitIter*) {}
void p11_kit_iter_add_filter(P11KitIter*, CK_ATTRIBUTE*, CK_ULONG) {}
void p11_kit_iter_begin_with(P11KitIter*, CK_FUNCTION_LIST_PTR, CK_SLOT_ID, CK_SESSION_HANDLE) {}
CK_RV p11_kit_iter_next(P11KitIter*) { return CKR_CANCEL; }
CK_OBJECT_HANDLE p11_kit_iter_get_object(P11KitIter*) { return 0; }
CK_RV p11_kit_iter_get_attributes(P11KitIter*, CK_ATTRIBUTE*, CK_ULONG) { return CKR_FUNCTION_NOT_SUPPORTED; }

}  // extern "C"
