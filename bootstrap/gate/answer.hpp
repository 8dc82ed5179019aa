// Answers of the REST face in Ironic's form: errors, versions, JSON.
#pragma once

#include <string>

#include "base/json.hpp"
#include "base/net/served.hpp"

namespace hearth::bootstrap {

constexpr int k_newest_minor = 87;  ///< of the API that we speak, 1.1 to 1.87

[[nodiscard]] ServedResponse json_answer(int status, const Json& body);
/// 202 and 204 have neither body nor content type: the field's client takes that for "nothing to read".
[[nodiscard]] ServedResponse empty_answer(int status, const std::string& location = "");
/// {"error_message": "{\"faultcode\": …}"}: encoded twice, as the field's clients expect it.
[[nodiscard]] ServedResponse fault_answer(int status, const std::string& text);

/// The minor version that a request asks for; -1 when we can't speak it. Without a header it is 1.1.
[[nodiscard]] int asked_minor(const ServedRequest& request);
void add_version_headers(ServedResponse& response, int minor, const std::string& request_id);

[[nodiscard]] Json root_document(const std::string& base);
[[nodiscard]] Json v1_document(const std::string& base);

}  // namespace hearth::bootstrap
