// What a lock may say of requests and answers that carry credentials: signed URLs, posted passwords, tokens that a
// server hands out. While a build is recorded, client and server see all of it; lock, store, log and provenance get it
// without. A replay hands out what is kept, and takes any credential.
//
// Two URLs that differ in nothing but secrets may still be two things (pages of a list, named by tokens): the second
// one of a build is masked as REDACTED-2, and so on, in the order in which they are first asked for.
#pragma once

#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/net/http.hpp"
#include "builder/fetch/lock_file.hpp"

namespace hearth::builder::fetch {

/// What is kept of an answer that carries a credential. Of a redirect the body is not: it only repeats the URL.
struct KeptAnswer {
  HttpHeaders headers;
  std::string body;
};

class Redactions {
 public:
  /// The URL without user info and fragment, with its secret parameters masked.
  [[nodiscard]] std::string url(const Url& url);
  /// What tells a posted body apart from others: all of it, but for secrets in a form or in JSON, and git's own
  /// version.
  [[nodiscard]] std::string posted(const HttpHeaders& asked, const std::string& body);
  /// Nothing when the answer carries no credential that can be seen: a redirect's Location, a token. `headers` are
  /// those that a lock keeps.
  [[nodiscard]] std::optional<KeptAnswer> answer(const Url& asked, int status, const HttpHeaders& headers,
                                                 std::string_view body);

 private:
  [[nodiscard]] std::string mask_for(const std::string& masked, const std::string& text);
  [[nodiscard]] std::string location(const Url& asked, const std::string& reference);

  std::mutex mutex_;
  std::map<std::string, std::vector<std::string>> seen_;  ///< masked: what it was; never leaves this process
};

[[nodiscard]] bool is_redirect(int status);
/// An answer of this head may carry a credential: it has to be seen whole before the client gets it.
[[nodiscard]] bool may_carry_credential(int status, const HttpHeaders& headers, std::uint64_t size);
/// What is kept is not all that came: whoever needs the credential has to ask again.
[[nodiscard]] bool is_redacted(const Fetched& fetched);
/// A secret of the URL is masked: who has only the URL can't ask for it.
[[nodiscard]] bool is_redacted(std::string_view url);

}  // namespace hearth::builder::fetch
