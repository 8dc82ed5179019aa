// A seed's conductor over its REST API, as its owner asks it.
#pragma once

#include <string>

#include "base/clock.hpp"
#include "base/json.hpp"

namespace hearth::bootstrap {

class SeedApi {
 public:
  /// `pin`: of its key (TlsPeer::pin), where it has one of its own.
  SeedApi(std::string url, std::string token, const Clock& clock, std::string pin = "")
      : url_(std::move(url)), token_(std::move(token)), clock_(clock), pin_(std::move(pin)) {}
  /// Throw Error with the answer's text; not_found for 404.
  [[nodiscard]] Json call(const std::string& method, const std::string& target, const Json& body) const;
  [[nodiscard]] std::string bytes(const std::string& target) const;
  [[nodiscard]] Json get(const std::string& target) const;
  /// Whether anything answers there.
  [[nodiscard]] bool answers() const;
  void put(const std::string& target, const Json& body) const;

 private:
  [[nodiscard]] std::string send(const std::string& method, const std::string& target, const std::string& body) const;

  std::string url_;
  std::string token_;
  const Clock& clock_;
  std::string pin_;
};

/// How many nodes are in which state, and the last events; for a person. Pure.
[[nodiscard]] std::string seed_status_text(const Json& nodes, const Json& events);

}  // namespace hearth::bootstrap
