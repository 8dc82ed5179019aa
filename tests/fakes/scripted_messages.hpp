// A MessageDialer whose streams answer from a script and record what they were sent. Behind the script comes silence:
// the deadline passes.
#pragma once

#include <deque>

#include "base/error.hpp"
#include "base/net/web_socket.hpp"

namespace hearth::fakes {

class ScriptedMessages final : public MessageDialer {
 public:
  std::vector<Url> dialed;
  std::vector<std::string> sent;
  std::deque<std::string> answers;
  std::function<void()> at_silence = [] {};

  [[nodiscard]] std::unique_ptr<MessageStream> dial(const Url& url, const Trust& /*trust*/,
                                                    const Deadline& /*deadline*/) override {
    dialed.push_back(url);
    return std::make_unique<Stream>(*this);
  }

 private:
  class Stream final : public MessageStream {
   public:
    explicit Stream(ScriptedMessages& script) : script_(script) {}
    void send(const std::string& text, const Deadline& /*deadline*/) override { script_.sent.push_back(text); }
    [[nodiscard]] std::string receive(const Deadline& /*deadline*/) override {
      if (script_.answers.empty()) {
        script_.at_silence();
        throw Error(ErrorKind::io, "timed out");
      }
      std::string answer = script_.answers.front();
      script_.answers.pop_front();
      return answer;
    }

   private:
    ScriptedMessages& script_;
  };
};

}  // namespace hearth::fakes
