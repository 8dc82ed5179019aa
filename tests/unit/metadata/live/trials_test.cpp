#include "metadata/live/trials.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <ctime>
#include <future>
#include <mutex>
#include <thread>

#include "base/net/web_client.hpp"
#include "base/text.hpp"
#include "metadata/live/side_thread.hpp"
#include "tests/fakes/memory_logger.hpp"
#include "tests/fakes/running_server.hpp"

namespace hearth::metadata::live {
namespace {

using fakes::RawConnection;
using namespace std::chrono_literals;
using testing::HasSubstr;

/// What templates might do, were they evaluated by the server itself.
class Evaluator final : public HttpHandler {
 public:
  ServedResponse answer(const ServedRequest& request) override {
    if (request.path == "/loop") spin({});
    if (request.path == "/long") spin(breathe);
    if (request.path == "/eat") eat(breathe);
    if (request.path == "/die") std::abort();
    if (request.path == "/kill") (void)std::raise(SIGKILL);
    if (request.path.starts_with("/wait") && is_copy) ::pause();
    if (request.path.starts_with("/heavy/") && is_copy) spin_for(150ms);
    if (!is_copy && !request.path.starts_with("/plain")) ++state;
    if (request.path.starts_with("/heavy/aside") && !is_copy) {
      SideThread::beside([this] { stay_beside(); });
    }
    if (request.path.starts_with("/question")) const std::lock_guard<std::mutex> lock(lock_);
    if (request.path == "/heavy/throw") throw Error(ErrorKind::io, "the disk is gone");
    if (request.path == "/throw") throw Error(ErrorKind::io, "the disk is gone");
    ServedResponse response;
    if (request.path == "/refuse") response.status = 400;
    if (request.path == "/forbid") response.status = 403;
    response.headers = {{"X-By", is_copy ? "copy" : "server"}};
    response.body = cat(request.path, " is done");
    response.principal = "somebody";
    ++answers;
    return response;
  }

  bool is_copy = false;
  std::function<void()> breathe;
  std::uint64_t state = 0;
  int answers = 0;
  std::atomic<bool> is_held = true;  ///< what is done on a side thread
  std::atomic<int> beside = 0;       ///< how many do it

 private:
  std::mutex lock_;
  [[noreturn]] static void spin(const std::function<void()>& breathe) {
    for (std::atomic<std::uint64_t> turns = 0;; ++turns) {
      if (turns % 1000 == 0 && breathe) breathe();
    }
  }
  /// Of processor time, which is what counts, however busy the machine is.
  void spin_for(Duration time) const {
    const auto used = [] { return std::chrono::duration<double>(static_cast<double>(std::clock()) / CLOCKS_PER_SEC); };
    const auto end = used() + time;
    while (used() < end) breathe();
  }
  /// Holds a lock nearly all the time, but not while it breathes.
  void stay_beside() {
    struct Counted {
      explicit Counted(std::atomic<int>& given) : count(given) { ++count; }
      ~Counted() { --count; }
      std::atomic<int>& count;
    } const counted(beside);
    while (is_held) {
      {
        const std::lock_guard<std::mutex> lock(lock_);
        std::this_thread::sleep_for(1ms);
      }
      SideThread::breathe();
    }
  }
  static void eat(const std::function<void()>& breathe) {
    std::vector<std::string> eaten;
    for (; eaten.size() < 4000; breathe()) eaten.emplace_back(1 << 20, 'x');
  }
};

/// Puts before each answer what it says.
class Guard final : public HttpHandler {
 public:
  Guard(Evaluator& inner, Trials& trials) : inner_(inner), trials_(trials) {}
  std::unique_ptr<HeldAnswer> hold(const ServedRequest& request) override {
    if (request.path == "/plain") return nullptr;
    const bool asks = request.method == "GET";
    const bool signals = request.path.starts_with("/signal");
    return trials_.hold({request,
                         asks      ? Trying::asks
                         : signals ? Trying::signals
                                   : Trying::changes,
                         inner_, trees_of(request),
                         [this, &request] { return request.path == "/moving" ? ++inner_.state : inner_.state; },
                         [this](std::uint64_t) { ++passed; },
                         [](const std::string& message) {
                           ServedResponse response = plain_response(400);
                           response.body = message;
                           return response;
                         }});
  }
  ServedResponse answer(const ServedRequest& request) override { return inner_.answer(request); }
  int passed = 0;

 private:
  static std::vector<std::string> trees_of(const ServedRequest& request) {
    const std::vector<std::string> parts = split(request.path, '/');
    return parts.size() > 2 ? std::vector{parts[2]} : std::vector<std::string>{};
  }

  Evaluator& inner_;
  Trials& trials_;
};

class TrialsTest : public testing::Test {
 protected:
  TrialsTest()
      : trials_({server_,
                 clock_,
                 log_,
                 {.processor = 2s, .stretch = 200ms, .wall = 60s, .memory = 64U << 20U},
                 [this](const Trial::Breath& breathe) {
                   evaluator_.is_copy = true;
                   evaluator_.breathe = breathe;
                 },
                 [this] { return lacks_something_; },
                 {.length = 30}}),
        guard_(evaluator_, trials_),
        port_(server_.listen("test", "127.0.0.1", 0, guard_)),
        thread_([this] { server_.run(); }) {}
  ~TrialsTest() override { end_server(); }

  void end_server() {
    server_.stop();
    if (thread_.joinable()) thread_.join();
  }

  HttpResponse send(const std::string& method, const std::string& target, const std::string& body = "") {
    WebClient client(clock_, {}, "test");
    HttpRequest request;
    request.method = method;
    request.url = parse_url(cat("http://127.0.0.1:", port_, target)).value_or_throw();
    request.body = body;
    request.deadline = Deadline::after(60s, clock_);
    return client.send(request);
  }
  [[nodiscard]] static std::string by(const HttpResponse& response) {
    return find_header(response.headers, "X-By").value_or("");
  }
  template <class Value>
  Value there(std::function<Value()> look) {
    std::promise<Value> value;
    server_.post([&] { value.set_value(look()); });
    return value.get_future().get();
  }

  SystemClock clock_;
  fakes::MemoryLogger log_;
  Evaluator evaluator_;
  bool lacks_something_ = false;
  HttpServer server_{{}, clock_, log_, nullptr};
  Trials trials_;
  Guard guard_;
  std::uint16_t port_;
  std::thread thread_;
};

TEST_F(TrialsTest, WhatChangesIsDoneByTheServerOnceItWasTriedAndWhatAsksByTheCopy) {
  const HttpResponse change = send("POST", "/change");
  EXPECT_EQ(change.status, 200);
  EXPECT_EQ(by(change), "server");
  const HttpResponse question = send("GET", "/question");
  EXPECT_EQ(by(question), "copy");
  EXPECT_THAT(question.body, HasSubstr("/question"));
  EXPECT_EQ(by(send("POST", "/refuse")), "copy") << "to refuse it once is enough";
  EXPECT_EQ(by(send("GET", "/forbid")), "server") << "that is logged";
  EXPECT_EQ(send("POST", "/throw").status, 500);
  EXPECT_EQ(by(send("GET", "/plain")), "server");
  EXPECT_EQ(there<int>([&] { return guard_.passed; }), 4);
  there<int>([&] { return lacks_something_ = true; });
  EXPECT_EQ(by(send("GET", "/question")), "server");
}

TEST_F(TrialsTest, WhatHasNoEndDiesOrTakesAllMemoryIsRefusedAndTheServerServesOn) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "a sanitizer's allocator ends a copy that gets no memory in its own way, or never";
#endif
  const std::string advice = "nothing was changed";
  for (const auto& [target, why] : std::vector<std::pair<std::string, std::string>>{
           {"/loop", "more than 0.2 s of processor time"},
           {"/long",
            "more than 2 s of processor time; nothing was changed. Have the templates do less, or give the "
            "server more by --request-seconds"},
           {"/eat", "more than 64 MB of memory"},
           {"/die", "ends the process that does it (SIGABRT)"},
           {"/kill", "was killed, as Linux does where a machine has no memory left"}}) {
    for (const char* method : {"POST", "GET"}) {
      const HttpResponse response = send(method, target);
      EXPECT_EQ(response.status, 400);
      EXPECT_THAT(response.body, HasSubstr(why));
      EXPECT_THAT(response.body, HasSubstr(advice));
    }
  }
  EXPECT_EQ(by(send("POST", "/change")), "server");
  server_.stop();
  EXPECT_TRUE(log_.holds("refused POST /die from 127.0.0.1"));
}

TEST_F(TrialsTest, OthersAreServedMeanwhileAndFewRunAtOnce) {
  std::vector<std::future<HttpResponse>> loops;
  for (int i = 0; i < 20; ++i) loops.push_back(std::async(std::launch::async, [&] { return send("POST", "/loop"); }));
  int served = 0;
  for (auto& loop : loops) {
    while (loop.wait_for(0s) != std::future_status::ready) {
      const MonotonicTime began = clock_.now();
      EXPECT_EQ(by(send("GET", "/plain")), "server");
      EXPECT_LT(clock_.now() - began, 2s);
      ++served;
    }
    EXPECT_EQ(loop.get().status, 400);
  }
  EXPECT_GT(served, 20);
}

TEST_F(TrialsTest, TheLineHasAnEnd) {
  std::vector<std::unique_ptr<RawConnection>> waiting;
  for (int i = 0; i < 40; ++i) {
    waiting.push_back(std::make_unique<RawConnection>(port_));
    waiting.back()->say("GET /wait HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n");
  }
  const std::string last = waiting.back()->rest();
  EXPECT_THAT(last, HasSubstr("503 Service Unavailable"));
  EXPECT_THAT(last, HasSubstr("Retry-After: 2"));
}

TEST_F(TrialsTest, ACopyWhoseClientHasGoneIsEndedAndTheNextHasItsTurn) {
  {
    RawConnection one(port_);
    RawConnection two(port_);
    for (RawConnection* client : {&one, &two}) client->say("GET /wait HTTP/1.1\r\nHost: h\r\n\r\n");
    EXPECT_EQ(send("GET", "/plain").status, 200);
  }
  EXPECT_EQ(by(send("POST", "/change")), "server");
  // One that was killed a moment ago may still be on its way out; the server is to wait for it, not this test.
  const auto has_child = [] {
    siginfo_t child{};
    return ::waitid(P_ALL, 0, &child, WEXITED | WNOHANG | WNOWAIT) == 0;
  };
  const MonotonicTime killed = clock_.now();
  while (there<bool>(has_child) && clock_.now() - killed < 10s) std::this_thread::sleep_for(10ms);
  EXPECT_FALSE(there<bool>(has_child)) << "a copy is left";
}

TEST_F(TrialsTest, WhatChangedMeanwhileIsTriedAnewAndNotForEver) {
  const HttpResponse response = send("POST", "/moving");
  EXPECT_EQ(response.status, 503);
  EXPECT_THAT(response.body, HasSubstr("changes too often"));
  EXPECT_EQ(there<int>([&] { return evaluator_.answers; }), 0) << "nothing is done that was not tried as things are";
}

TEST_F(TrialsTest, AHeavierChangeIsDoneWhileItsTreeChangesAgainAndAgain) {
  std::atomic<bool> done = false;
  std::atomic<int> taken = 0;
  std::vector<std::future<void>> machines;
  for (int i = 0; i < 3; ++i) {
    machines.push_back(std::async(std::launch::async, [&] {
      while (!done) taken += send("POST", "/signal/tree").status == 200 ? 1 : 0;
    }));
  }
  for (int i = 0; i < 3; ++i) EXPECT_EQ(send("POST", "/heavy/tree").status, 200);
  EXPECT_EQ(send("GET", "/question/tree").status, 200);
  done = true;
  for (auto& machine : machines) machine.get();
  EXPECT_GE(taken, 3) << "signals that came before an update are done before it";
  EXPECT_EQ(there<int>([&] { return evaluator_.answers; }), taken + 3) << "what was acknowledged was done";
}

TEST_F(TrialsTest, WhatIsHeavyIsDoneBesideAllButWhatIsAboutItsTree) {
  std::future<HttpResponse> heavy = std::async(std::launch::async, [&] { return send("POST", "/heavy/aside"); });
  while (there<std::uint64_t>([&] { return evaluator_.state; }) == 0) std::this_thread::sleep_for(5ms);
  EXPECT_EQ(by(send("POST", "/change/other")), "server");
  EXPECT_EQ(by(send("GET", "/question/other")), "copy");
  std::future<HttpResponse> same = std::async(std::launch::async, [&] { return send("GET", "/question/aside"); });
  EXPECT_EQ(by(send("POST", "/heavy/other")), "server") << "who is a little heavy does not wait for what is very heavy";
  std::future<HttpResponse> second = std::async(std::launch::async, [&] { return send("POST", "/heavy/aside2"); });
  while (evaluator_.beside < 2) std::this_thread::sleep_for(5ms);
  std::future<HttpResponse> next = std::async(std::launch::async, [&] { return send("POST", "/heavy/next"); });
  EXPECT_EQ(same.wait_for(300ms), std::future_status::timeout);
  EXPECT_EQ(next.wait_for(0s), std::future_status::timeout) << "two at once, and no more";
  EXPECT_EQ(by(send("POST", "/signal/machine")), "server");
  evaluator_.is_held = false;
  EXPECT_EQ(by(heavy.get()), "server");
  EXPECT_EQ(by(second.get()), "server");
  EXPECT_EQ(same.get().status, 200);
  EXPECT_EQ(by(next.get()), "server");
  EXPECT_EQ(send("POST", "/heavy/throw").status, 500);
}

TEST_F(TrialsTest, WhatIsDoneOnASideThreadIsDoneThoughItsClientHasGone) {
  {
    RawConnection client(port_);
    client.say("POST /heavy/aside HTTP/1.1\r\nHost: h\r\nContent-Length: 0\r\n\r\n");
    while (there<std::uint64_t>([&] { return evaluator_.state; }) == 0) std::this_thread::sleep_for(5ms);
  }
  std::future<HttpResponse> same = std::async(std::launch::async, [&] { return send("POST", "/change/aside"); });
  EXPECT_EQ(same.wait_for(300ms), std::future_status::timeout);
  evaluator_.is_held = false;
  EXPECT_EQ(by(same.get()), "server");
  EXPECT_EQ(there<int>([&] { return evaluator_.answers; }), 2);
}

TEST_F(TrialsTest, ACopyFindsNoLockHeldByWhatIsBeside) {
  std::future<HttpResponse> heavy = std::async(std::launch::async, [&] { return send("POST", "/heavy/aside"); });
  while (evaluator_.beside == 0) std::this_thread::sleep_for(5ms);
  for (int i = 0; i < 20; ++i) EXPECT_EQ(by(send("GET", "/question/other")), "copy");
  evaluator_.is_held = false;
  EXPECT_EQ(by(heavy.get()), "server");
}

TEST_F(TrialsTest, WhatIsBesideEndsWithTheServer) {
  {
    RawConnection client(port_);
    client.say("POST /heavy/aside HTTP/1.1\r\nHost: h\r\nContent-Length: 0\r\n\r\n");
    while (evaluator_.beside == 0) std::this_thread::sleep_for(5ms);
  }
  end_server();
  EXPECT_EQ(evaluator_.beside, 0);
}

TEST_F(TrialsTest, MachinesDoNotWaitForPeople) {
  std::vector<std::unique_ptr<RawConnection>> people;
  for (int i = 0; i < 4; ++i) {
    people.push_back(std::make_unique<RawConnection>(port_));
    people.back()->say("GET /wait HTTP/1.1\r\nHost: h\r\n\r\n");
  }
  EXPECT_EQ(by(send("POST", "/signal/tree")), "server");
}

TEST_F(TrialsTest, OneTreeDoesNotFillTheLine) {
  std::vector<std::unique_ptr<RawConnection>> waiting;
  for (int i = 0; i < 28; ++i) {
    waiting.push_back(std::make_unique<RawConnection>(port_));
    waiting.back()->say("POST /wait/tree HTTP/1.1\r\nHost: h\r\nConnection: close\r\nContent-Length: 0\r\n\r\n");
  }
  EXPECT_THAT(waiting.back()->rest(), HasSubstr("503 Service Unavailable"));
  EXPECT_EQ(by(send("POST", "/change/other")), "server");
}

TEST(PackedAnswers, ComeOutAsTheyWentInAndNoOthers) {
  ServedResponse response;
  response.status = 201;
  response.headers = {{"Location", "/a"}, {"Empty", ""}};
  response.shared_body = std::make_shared<const std::string>("any\0 bytes: 3:abc", 17);
  response.principal = "p";
  const std::string text = packed(response);
  const std::optional<ServedResponse> back = unpacked(text);
  ASSERT_TRUE(back);
  EXPECT_EQ(back->status, 201);
  EXPECT_EQ(back->headers, response.headers);
  EXPECT_EQ(back->content(), response.content());
  EXPECT_EQ(back->principal, "p");
  for (const std::size_t cut : {1, 3, 8}) EXPECT_FALSE(unpacked(text.substr(0, text.size() - cut)));
  for (const char* bad : {"", "3:20", "1:x0:0:0:", "3:2000:0:0:99:a", ":", "3:99"}) EXPECT_FALSE(unpacked(bad));
}

}  // namespace
}  // namespace hearth::metadata::live
