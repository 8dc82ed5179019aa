// An HttpClient that answers by method and URL and records what it was sent. Answers for one key are used up in order,
// the last one stays; an unknown URL is "connection refused", as a wrong port would be.
#pragma once

#include <functional>
#include <map>

#include "base/error.hpp"
#include "base/net/http.hpp"
#include "base/text.hpp"

namespace hearth::fakes {

class ScriptedHttp final : public HttpClient {
 public:
  using Answer = std::function<HttpResponse(const HttpRequest&)>;
  std::vector<HttpRequest> sent;

  /// `url` as Url::text() gives it.
  void on(const std::string& method, const std::string& url, Answer answer) {
    answers_[cat(method, " ", url)].push_back(std::move(answer));
  }
  void on(const std::string& method, const std::string& url, int status, const std::string& body = "",
          const HttpHeaders& headers = {}) {
    on(method, url, [status, body, headers](const HttpRequest& request) {
      return HttpResponse{status, "", headers, body, request.url};
    });
  }
  void refuse(const std::string& method, const std::string& url) {
    on(method, url, [](const HttpRequest& request) -> HttpResponse { throw refused(request); });
  }

  [[nodiscard]] HttpResponse send(const HttpRequest& request) override {
    sent.push_back(request);
    const auto found = answers_.find(cat(request.method, " ", request.url.text()));
    if (found == answers_.end()) throw refused(request);
    std::vector<Answer>& answers = found->second;
    const Answer answer = answers.front();
    if (answers.size() > 1) answers.erase(answers.begin());
    const HttpResponse response = answer(request);
    const std::optional<HttpRequest> next = redirected(request, response);
    return next ? send(*next) : response;
  }

 private:
  static Error refused(const HttpRequest& request) {
    return Error(ErrorKind::io, cat("connecting to ", request.url.authority(), ": Connection refused"));
  }
  std::map<std::string, std::vector<Answer>> answers_;
};

}  // namespace hearth::fakes
