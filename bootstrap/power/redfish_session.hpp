// Requests to one BMC by Redfish, logged in: errors in words, tags (ETag) sent back, the session closed at the end.
#pragma once

#include <optional>

#include "base/net/http.hpp"
#include "bootstrap/power/driver.hpp"

namespace hearth::bootstrap {

class RedfishSession {
 public:
  /// Throws PowerFault.
  RedfishSession(HttpClient& http, Clock& clock, const Node& node);
  RedfishSession(const RedfishSession&) = delete;
  RedfishSession& operator=(const RedfishSession&) = delete;
  ~RedfishSession();

  [[nodiscard]] Json get(const std::string& path);
  /// Answers with one of `also` are good, too ("already in that state" is a 400 with some).
  int post(const std::string& path, const Json& body, const std::vector<int>& also = {});
  /// With the tag of the last get() of this path; without, where the BMC then refuses.
  void patch(const std::string& path, const Json& body);
  /// The path of the node's system.
  [[nodiscard]] std::string system_path();

 private:
  struct Answer {
    int status;
    Json body;
    HttpHeaders headers;
  };
  Answer send(const std::string& method, const std::string& path, const Json& body, const std::string& tag = "");
  void log_in();
  [[noreturn]] void refuse(const std::string& what, const Answer& answer) const;

  HttpClient& http_;
  Clock& clock_;
  const Node& node_;
  std::string base_;
  std::string token_;
  std::string session_;
  bool basic_ = false;
  std::map<std::string, std::string> tags_;
};

}  // namespace hearth::bootstrap
