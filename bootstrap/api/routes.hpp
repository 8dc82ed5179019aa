// The paths that there are, with the methods and the query parameters that each has. Whatever else is asked for is
// refused by name: a filter that is ignored would answer with all nodes, a method that is ignored would do something
// else.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/net/query.hpp"
#include "bootstrap/gate/gate.hpp"

namespace hearth::bootstrap {

struct Route {
  std::string_view path;        ///< behind /v1/, "*" for one part
  std::string_view methods;     ///< apart by blanks; GET serves HEAD, too
  std::string_view parameters;  ///< of the query, likewise
};

/// Throws Refusal: 404 where there is no such path, 405 for a method it does not have, 400 for a parameter that it does
/// not know, and where something is no UTF-8.
void check_route(const std::vector<std::string>& parts, const std::string& method, const Parameters& parameters);

/// What a person must at least be to send this; `secrets`: it asks for what others do not see.
[[nodiscard]] Role needed_role(const std::vector<std::string>& parts, std::string_view method, bool secrets);

/// All of them for `hearth help rest-calls`, in lines of 80 columns: path, methods with the role that each takes,
/// parameters.
[[nodiscard]] std::string routes_text();

}  // namespace hearth::bootstrap
