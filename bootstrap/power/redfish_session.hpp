// Requests to one BMC by Redfish, logged in: errors in words, tags (ETag) sent back. The BMC's session is kept for the
// next requests: each log-in is a line in its audit log, and of sessions it has few.
#pragma once

#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/net/http.hpp"
#include "bootstrap/power/driver.hpp"

namespace hearth::bootstrap {

/// Open sessions of many BMCs, one for each account. May be used by several threads at once.
class RedfishSessions {
 public:
  struct Open {
    Node node;          ///< how its BMC is reached
    std::string token;  ///< X-Auth-Token
    std::string path;   ///< what ends it
  };
  [[nodiscard]] std::optional<Open> of(const std::string& account) const;
  /// False when there is one already.
  [[nodiscard]] bool keep(const std::string& account, Open session);
  /// The BMC does not know it any more.
  void forget(const std::string& account, const std::string& token);
  /// All of them, which then are nobody's.
  [[nodiscard]] std::vector<Open> take_all();

 private:
  mutable std::mutex mutex_;
  std::map<std::string, Open> open_;
};

/// Where the node's BMC is: scheme, host and port.
[[nodiscard]] std::string redfish_url(const Node& node);

/// What a BMC says, for people, who read it in events and tables: bounded, and one line.
[[nodiscard]] std::string words_of_bmc(std::string_view text);

class RedfishSession {
 public:
  /// `kept` must outlive it. Throws PowerFault.
  RedfishSession(HttpClient& http, Clock& clock, const Node& node, RedfishSessions& kept);
  RedfishSession(const RedfishSession&) = delete;
  RedfishSession& operator=(const RedfishSession&) = delete;
  ~RedfishSession();
  /// Ends what is kept, as far as BMCs answer within a second in all; others end theirs when they were idle for long.
  static void end_all(HttpClient& http, Clock& clock, RedfishSessions& kept);

  [[nodiscard]] Json get(const std::string& path);
  /// Null where the BMC has no such thing (404).
  [[nodiscard]] Json get_if_there(const std::string& path);
  void post(const std::string& path, const Json& body);
  /// POST or DELETE of what may take its time: the path by which the task is asked for, empty where it is done
  /// (DSP0266, asynchronous operations).
  [[nodiscard]] std::string order(const std::string& method, const std::string& path, const Json& body);
  [[nodiscard]] BmcTask task(const std::string& path);
  /// What `object` links to under `key`; null when it does not, or the BMC has nothing there.
  [[nodiscard]] Json linked(const Json& object, const char* key);
  /// Those of a collection, as far as they are there.
  [[nodiscard]] std::vector<Json> members(const Json& collection, const char* key = "Members");
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
  /// To end a session that is kept.
  RedfishSession(HttpClient& http, Clock& clock, const RedfishSessions::Open& open, RedfishSessions& kept,
                 const Deadline& deadline);
  /// Where a kept session has ended meanwhile, by a new one.
  Answer send(const std::string& method, const std::string& path, const Json& body, const std::string& tag = "");
  Answer send_once(const std::string& method, const std::string& path, const Json& body, const std::string& tag = "");
  [[nodiscard]] std::string account() const;
  void log_in();
  [[nodiscard]] Json taken(const std::string& path, const Answer& answer);
  [[noreturn]] void refuse(const std::string& what, const Answer& answer) const;

  HttpClient& http_;
  Clock& clock_;
  const Node& node_;
  RedfishSessions& kept_;
  std::string base_;
  Deadline deadline_ = Deadline::never();
  Deadline list_until_ = Deadline::never();  ///< collections of a BMC that never comes to an end are read no longer
  std::string token_;
  std::string session_;       ///< to be ended with this; empty where it is kept
  bool from_before_ = false;  ///< the token was kept
  bool basic_ = false;
  std::map<std::string, std::string> tags_;
};

}  // namespace hearth::bootstrap
