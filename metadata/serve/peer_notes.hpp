// What was last seen of machines that asked in vain, by their address: a certificate that they don't take, a key or a
// path that is none, or, where boot servers run beside, what its network overheard. A machine whose agent gets nothing
// can't tell its story itself; whoever looks at a stack is told this.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>

#include "base/clock.hpp"
#include "base/net/http_server.hpp"

namespace hearth::metadata {

/// Between the servers and the access log that they had before. Belongs to the servers' thread.
class PeerNotes final : public AccessLog {
 public:
  PeerNotes(AccessLog& next, const Clock& clock) : next_(next), clock_(clock) {}
  void record(const AccessRecord& record) noexcept override;
  void refused_certificate(std::string_view peer, std::string_view why) noexcept override;

  /// What others have seen of that address: "is not answered: arp who-has 192.0.2.99 (nobody has 192.0.2.99)".
  void overheard(const std::string& peer, std::string what) { note(peer, std::move(what)); }

  /// "192.0.2.7 does not take our certificate (it does not know the authority), 5 s ago": of that address, or where it
  /// is empty, of the last few that `is_known` says nothing of. Only what came after `since`, Unix seconds; empty where
  /// there is nothing.
  [[nodiscard]] std::string told(const std::string& address, std::int64_t since,
                                 const std::function<bool(const std::string&)>& is_known) const;

 private:
  struct Note {
    std::string what;
    std::int64_t at = 0;
  };
  void note(const std::string& peer, std::string what);
  [[nodiscard]] std::int64_t now() const;

  AccessLog& next_;
  const Clock& clock_;
  std::map<std::string, Note> notes_;  ///< by address; the oldest goes when there are many
};

}  // namespace hearth::metadata
