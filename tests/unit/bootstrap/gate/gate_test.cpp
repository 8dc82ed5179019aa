#include "bootstrap/gate/gate.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include "base/error.hpp"
#include "base/hmac.hpp"
#include "base/text.hpp"
#include "tests/fakes/manual_clock.hpp"
#include "tests/fakes/memory_logger.hpp"

namespace hearth::bootstrap {
namespace {

/// Says who came in.
class Behind final : public GuardedHandler {
 public:
  ServedResponse answer(const ServedRequest&, const Caller& caller) override {
    ++asked;
    last = caller;
    ServedResponse response;
    response.status = caller.role == Role::nobody ? 401 : 200;
    response.body = caller.name;
    return response;
  }
  int asked = 0;
  Caller last;
};

class GateTest : public ::testing::Test {
 protected:
  ServedResponse ask(HttpHeaders headers, const std::string& method = "GET", const std::string& path = "/v1/nodes",
                     const std::string& peer = "127.0.0.1") {
    ServedRequest request;
    request.method = method;
    request.target = path;
    request.path = path;
    request.headers = std::move(headers);
    if (!request.header("Host")) request.headers.emplace_back("Host", "127.0.0.1:6385");
    request.peer = peer;
    return gate.answer(request);
  }

  Behind behind;
  fakes::ManualClock clock;
  fakes::MemoryLogger log;
  Gate gate{{{{"admin", Role::admin, "secret-of-the-admin"}, {"ann", Role::read, "secret-of-ann-herself"}},
             {"seed.example.org"}},
            behind,
            clock,
            log};
};

TEST_F(GateTest, OnlyWhoMayImportAnInventorySendsALongOne) {
  const auto admitted = [&](const std::string& path, const std::string& token) {
    ServedRequest head;
    head.method = "POST";
    head.path = head.target = path;
    head.headers = {{"Host", "127.0.0.1:6385"}, {"X-Auth-Token", token}};
    return gate.admit(head).body_bytes;
  };
  EXPECT_EQ(admitted("/v1/hearth/import", "secret-of-the-admin"), Gate::k_inventory);
  EXPECT_EQ(admitted("/v1/hearth/import", "secret-of-ann-herself"), Gate::k_body);
  EXPECT_EQ(admitted("/v1/hearth/import", ""), Gate::k_body);
  EXPECT_EQ(admitted("/v1/nodes", "secret-of-the-admin"), Gate::k_body);
}

TEST_F(GateTest, thisMachineIsNobody) {
  EXPECT_EQ(ask({}).status, 401);
  EXPECT_EQ(ask({}, "GET", "/v1/nodes", "::1").status, 401);
}

TEST_F(GateTest, bySocketsWithAPathRootAndOurOwnUserAreKnownAndNobodyElse) {
  const auto ask_as = [&](uid_t user, HttpHeaders headers = {}) {
    ServedRequest request;
    request.path = "/v1/nodes";
    request.headers = std::move(headers);
    request.peer = "local";
    request.user = user;
    return gate.answer(request);
  };
  EXPECT_EQ(ask_as(0).body, "root");
  EXPECT_EQ(behind.last.role, Role::admin);
  EXPECT_EQ(ask_as(::geteuid()).status, 200);
  EXPECT_EQ(ask_as(::geteuid() + 1000).status, 401);
  EXPECT_EQ(ask_as(::geteuid() + 1000, {{"X-Auth-Token", "secret-of-ann-herself"}}).body, "ann");
  EXPECT_EQ(ask_as(0, {{"X-Auth-Token", "secret-of-ann-herself"}}).body, "ann");  // he says who he is
  EXPECT_EQ(ask_as(0, {{"X-Auth-Token", "wrong"}}).status, 401);
  EXPECT_EQ(ask_as(0, {{"Host", "evil.example"}}).status, 421);
}

TEST_F(GateTest, aTokenSaysWhoOneIs) {
  EXPECT_EQ(ask({{"X-Auth-Token", "secret-of-the-admin"}}).body, "admin");
  EXPECT_EQ(ask({{"X-Auth-Token", "secret-of-ann-herself"}}).body, "ann");
  EXPECT_EQ(ask({{"Authorization", cat("Basic ", base64_encode("x:secret-of-ann-herself"))}}).body, "ann");
  for (const char* wrong : {"", "secret", "secret-of-ann-herself "})
    EXPECT_EQ(ask({{"X-Auth-Token", wrong}}).status, 401);
  Gate none({{}, {}}, behind, clock, log);
  ServedRequest request;
  request.headers = {{"X-Auth-Token", ""}};
  EXPECT_EQ(none.answer(request).status, 401);
}

TEST_F(GateTest, aNameThatWasMadeToPointHereReachesNoHandlerWhateverItBrings) {
  for (const char* host : {"evil.example", "evil.example:6385", "EVIL.example.", "seed.example.org.evil.example"}) {
    EXPECT_EQ(ask({{"Host", host}, {"X-Auth-Token", "secret-of-the-admin"}}).status, 421) << host;
  }
  EXPECT_EQ(behind.asked, 0);
  for (const char* host : {"192.0.2.1", "192.0.2.1:6385", "[2001:db8::1]:6385", "localhost:1", "a.localhost",
                           "Seed.Example.org:6385", "seed.example.org."}) {
    EXPECT_EQ(ask({{"Host", host}, {"X-Auth-Token", "secret-of-the-admin"}}).status, 200) << host;
  }
}

TEST_F(GateTest, aPageFromElsewhereReachesNoHandlerWhateverItBrings) {
  const std::pair<const char*, const char*> token{"X-Auth-Token", "secret-of-the-admin"};
  for (const HttpHeaders& headers :
       {HttpHeaders{token, {"Origin", "http://evil.example"}}, HttpHeaders{token, {"Origin", "null"}},
        HttpHeaders{token, {"Origin", "http://127.0.0.1:8000"}}, HttpHeaders{token, {"Sec-Fetch-Site", "cross-site"}},
        HttpHeaders{token, {"Sec-Fetch-Site", "same-site"}}}) {
    EXPECT_EQ(ask(headers, "POST").status, 403);
    EXPECT_EQ(ask(headers, "GET").status, 403);
  }
  EXPECT_EQ(ask({token, {"Sec-Fetch-Site", "cross-site"}, {"Sec-Fetch-Mode", "navigate"}}, "POST").status, 403);
  EXPECT_EQ(behind.asked, 0);
  EXPECT_EQ(ask({token, {"Sec-Fetch-Site", "cross-site"}, {"Sec-Fetch-Mode", "navigate"}}, "GET").status, 200)
      << "a link";
  EXPECT_EQ(ask({token, {"Origin", "http://127.0.0.1:6385"}, {"Sec-Fetch-Site", "same-origin"}}, "POST").status, 200);
}

TEST_F(GateTest, aBrowserLogsInOnceAndOut) {
  EXPECT_EQ(ask({}, "POST", "/v1/hearth/login").status, 401);
  const ServedResponse in = ask({{"X-Auth-Token", "secret-of-ann-herself"}}, "POST", "/v1/hearth/login");
  ASSERT_EQ(in.status, 204);
  const std::string cookie = find_header(in.headers, "Set-Cookie").value_or("");
  for (const char* word : {"HttpOnly", "SameSite=Strict", "Path=/"})
    EXPECT_NE(cookie.find(word), std::string::npos) << cookie;
  const HttpHeaders with = {{"Cookie", cat("theme=dark; ", cookie.substr(0, cookie.find(';')))}};
  EXPECT_EQ(ask(with).body, "ann");
  EXPECT_EQ(std::pair(behind.last.role, behind.last.may), std::pair(Role::read, Role::read));
  const ServedResponse admin = ask({{"X-Auth-Token", "secret-of-the-admin"}}, "POST", "/v1/hearth/login");
  const std::string his = find_header(admin.headers, "Set-Cookie").value_or("");
  EXPECT_EQ(ask({{"Cookie", his.substr(0, his.find(';'))}}).body, "admin");
  EXPECT_EQ(std::pair(behind.last.role, behind.last.may), std::pair(Role::read, Role::admin)) << "with his token";
  clock.advance(std::chrono::hours(13));
  EXPECT_EQ(ask(with).status, 401);
  const ServedResponse again = ask({{"X-Auth-Token", "secret-of-ann-herself"}}, "POST", "/v1/hearth/login");
  const std::string second = find_header(again.headers, "Set-Cookie").value_or("");
  const HttpHeaders now = {{"Cookie", second.substr(0, second.find(';'))}};
  EXPECT_EQ(ask(now).status, 200);
  EXPECT_EQ(ask(now, "DELETE", "/v1/hearth/login").status, 204);
  EXPECT_EQ(ask(now).status, 401);
}

TEST_F(GateTest, aLogInOutlivesARestartLetsOnlyLookAndCannotBeMadeUp) {
  struct Restarted final : GateTest {
    void TestBody() override {}
    using GateTest::ask;
    using GateTest::behind;
  } restarted;
  const ServedResponse in = ask({{"X-Auth-Token", "secret-of-the-admin"}}, "POST", "/v1/hearth/login");
  const std::string header = find_header(in.headers, "Set-Cookie").value_or("");
  const std::string cookie = header.substr(0, header.find(';'));
  EXPECT_EQ(restarted.ask({{"Cookie", cookie}}).body, "admin");
  EXPECT_EQ(restarted.behind.last.role, Role::read);
  std::string later = cookie;
  later[later.find('=') + 1] = '9';  // ends later
  std::string other = cookie;
  other.replace(other.rfind('.') + 1, std::string::npos, "ann");
  for (const std::string& forged :
       {later, other, std::string("hearth-session=1.2.3"), std::string("hearth-session=...")})
    EXPECT_EQ(restarted.ask({{"Cookie", forged}}).status, 401) << forged;
}

TEST_F(GateTest, whoIsTakenOutIsShutOutAtOnceWithHisLogIn) {
  const ServedResponse in = ask({{"X-Auth-Token", "secret-of-ann-herself"}}, "POST", "/v1/hearth/login");
  const std::string cookie = in.headers.front().second.substr(0, in.headers.front().second.find(';'));
  ASSERT_EQ(ask({{"Cookie", cookie}}).status, 200);
  gate.set_people({{"bert", Role::read, "secret-of-bert-himself"}});
  EXPECT_EQ(ask({{"X-Auth-Token", "secret-of-ann-herself"}}).status, 401);
  EXPECT_EQ(ask({{"Cookie", cookie}}).status, 401);
  EXPECT_EQ(ask({{"X-Auth-Token", "secret-of-bert-himself"}}).status, 200);
}

TEST_F(GateTest, refusalsOfStrangersDoNotFillTheLog) {
  for (int one = 0; one < 10000; ++one) static_cast<void>(ask({}));
  EXPECT_LE(log.lines.size(), 60U);
}

TEST(People, areReadWithTheirRoles) {
  const auto people = parse_people("# who\nann read 0123456789abcdef\n\nbob operate fedcba9876543210\n", "people");
  ASSERT_EQ(people.size(), 2U);
  EXPECT_EQ(people[0].role, Role::read);
  EXPECT_EQ(people[1].name, "bob");
  for (const char* bad :
       {"ann read short", "ann king 0123456789abcdef", "ann nobody 0123456789abcdef", "ann 0123456789abcdef"})
    EXPECT_THROW(static_cast<void>(parse_people(bad, "people")), Error) << bad;
}

std::string fault_of_people(const char* text) {
  try {
    static_cast<void>(parse_people(text, "people"));
  } catch (const Error& error) {
    return error.what();
  }
  return "none";
}

TEST(People, ofALineItIsSaidWhichOfItsWordsIsWrong) {
  EXPECT_EQ(fault_of_people("bert oprate 0123456789abcdef"),
            "people:1: 'oprate' is no role; do you mean operate? There are read, operate and admin: NAME ROLE TOKEN");
  EXPECT_EQ(fault_of_people("ann read 0123456789abcdef\nbert operate short"),
            "people:2: the token of bert has 5 characters, and needs 16 at least: openssl rand -hex 32");
  EXPECT_EQ(fault_of_people("bert 0123456789abcdef"),
            "people:1: NAME ROLE TOKEN is expected, which are 3 words, and here are 2; ROLE is read, operate or admin");
}

}  // namespace
}  // namespace hearth::bootstrap
