// Forms of one URL that a server chooses by more than Accept: where its Vary names User-Agent or Accept-Language, the
// first answer of a build lies under the URL's plain key and says for whom it is (hearth-vary=FIELD=VALUE&…); answers
// to other values lie beside it, under keys that end in ";vary=" and those. Pure.
#pragma once

#include <string>

#include "base/net/http.hpp"

namespace hearth::builder::fetch {

inline constexpr const char* k_vary = "hearth-vary";

/// The values in `asked` of the fields that `vary` names, as a word; empty where it names none that count.
[[nodiscard]] std::string varied_values(const std::string& vary, const HttpHeaders& asked);
/// The same of the fields that such a word is about.
[[nodiscard]] std::string values_like(const std::string& word, const HttpHeaders& asked);

}  // namespace hearth::builder::fetch
