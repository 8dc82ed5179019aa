#include "bootstrap/page/status_page.hpp"

#include <gmock/gmock.h>

#include "base/text.hpp"
#include "bootstrap/page/view.hpp"
#include "tests/unit/bootstrap/conductor_fixture.hpp"

namespace hearth::bootstrap {
namespace {

using testing::HasSubstr;

/// What is not the page's.
class Rest final : public GuardedHandler {
 public:
  ServedResponse answer(const ServedRequest& request, const Caller& /*caller*/) override {
    ServedResponse response;
    response.body = cat("rest ", request.path);
    return response;
  }
};

class Stacks final : public StackSource {
 public:
  void look(std::function<void(const Json&)> tell) override { tell(view); }
  Json view = {{"stacks", Json::array()}};
};

struct Message {
  std::string id, name;
  Json data;
};

class Page : public ConductorFixture {
 protected:
  Page() { page = std::make_unique<StatusPage>(*conductor, page_log, rest, &stacks); }

  ServedResponse ask(const std::string& target, HttpHeaders headers = {}, const std::string& method = "GET",
                     const Caller& caller = {Role::read, "someone"}) {
    ServedRequest request;
    request.method = method;
    request.target = target;
    const RequestTarget parts = parse_request_target(target).value();
    request.path = parts.path;
    request.query = parts.query;
    request.headers = std::move(headers);
    request.peer = "192.0.2.7";
    return page->answer(request, caller);
  }
  std::shared_ptr<ServedStream> look_on(const std::string& last = "") {
    ServedResponse response = ask("/page/events", last.empty() ? HttpHeaders{} : HttpHeaders{{"Last-Event-ID", last}});
    EXPECT_EQ(response.status, 200);
    return response.stream;
  }
  /// The messages that wait for the reader.
  static std::vector<Message> read(ServedStream& stream) {
    std::string all;
    while (const ServedStream::Part part = stream.take()) all += *part;
    std::vector<Message> messages;
    for (std::size_t at = 0; (at = all.find("id: ", at)) != std::string::npos;) {
      const std::size_t end = all.find("\n\n", at);
      const std::vector<std::string> lines = split(all.substr(at, end - at), '\n');
      messages.push_back({lines.at(0).substr(4), lines.at(1).substr(7), Json::parse(lines.at(2).substr(6))});
      at = end;
    }
    return messages;
  }
  static std::vector<std::int64_t> ids(const Json& events) {
    std::vector<std::int64_t> found;
    for (const Json& event : events) found.push_back(event["id"]);
    return found;
  }

  PageLog page_log{log, clock};
  Rest rest;
  Stacks stacks;
  std::unique_ptr<StatusPage> page;
};

TEST_F(Page, hasTheFrontForBrowsersAndLeavesTheRestToTheApi) {
  EXPECT_EQ(ask("/").body, "rest /");
  EXPECT_EQ(ask("/v1/nodes", {{"Accept", "text/html"}}).body, "rest /v1/nodes");
  const ServedResponse front = ask("/", {{"Accept", "text/html,*/*"}});
  EXPECT_EQ(front.status, 303);
  EXPECT_EQ(find_header(front.headers, "Location"), "/page/");
  EXPECT_THAT(ask("/page/").body, HasSubstr("<title>Hearth"));
  EXPECT_EQ(ask("/page/none.js").status, 404);
  EXPECT_EQ(ask("/page/../../etc/passwd").status, 404);
}

TEST_F(Page, everyAnswerForbidsOtherSourcesAndFrames) {
  for (const char* path : {"/page/", "/page/app.js", "/page/history", "/page/none", "/page"}) {
    const std::string policy = find_header(ask(path).headers, "Content-Security-Policy").value_or("");
    EXPECT_THAT(policy, HasSubstr("default-src 'none'; script-src 'self'; style-src 'self'")) << path;
    EXPECT_THAT(policy, HasSubstr("frame-ancestors 'none'")) << path;
    EXPECT_THAT(policy, testing::Not(HasSubstr("unsafe"))) << path;
  }
}

TEST_F(Page, canOnlyBeRead) {
  for (const char* method : {"POST", "PUT", "DELETE", "PATCH"}) {
    EXPECT_EQ(ask("/page/history", {}, method).status, 405) << method;
  }
}

TEST_F(Page, aFileIsNotSentAgainToWhoHasIt) {
  const std::string etag = find_header(ask("/page/app.js").headers, "ETag").value();
  const ServedResponse again = ask("/page/app.js", {{"If-None-Match", etag}});
  EXPECT_EQ(again.status, 304);
  EXPECT_EQ(again.body, "");
}

TEST_F(Page, withoutALogInOneSeesHowManyNodesThereAreAndNothingElse) {
  const std::string uuid = add("fake-hardware");
  for (const std::string& path : {std::string("/page/events"), std::string("/page/history"),
                                  std::string("/page/waiting"), cat("/page/nodes/", uuid)}) {
    EXPECT_EQ(ask(path, {}, "GET", {}).status, 401) << path;
    EXPECT_EQ(ask(path, {}, "HEAD", {}).status, 401) << path;
    EXPECT_EQ(ask(path).status, 200) << path;
  }
  EXPECT_EQ(Json::parse(ask("/page/counts", {}, "GET", {}).body), Json({{"nodes", 1}}));
  EXPECT_EQ(ask("/page/app.js", {}, "GET", {}).status, 200);
}

TEST_F(Page, aReaderGetsEverythingFirstAndThenWhatChanges) {
  const std::string uuid = add("fake-hardware");
  const auto reader = look_on();
  std::vector<Message> told = read(*reader);
  ASSERT_EQ(told.size(), 1U);
  EXPECT_EQ(told[0].name, "snapshot");
  EXPECT_EQ(told[0].data["nodes"][0]["name"], "web1");
  EXPECT_TRUE(told[0].data["has_stacks"]);
  page->flush();  // the stacks are news, the nodes are not
  read(*reader);
  page->flush();
  EXPECT_TRUE(read(*reader).empty());
  set_state(uuid, State::active);
  conductor->ledger().record(node(uuid), "state", "to active");
  conductor->settle();
  page_log.warning("careful");
  page->flush();
  told = read(*reader);
  ASSERT_EQ(told.size(), 1U);
  EXPECT_EQ(told[0].name, "change");
  EXPECT_EQ(told[0].data["nodes"][0]["state"], "active");
  EXPECT_EQ(told[0].data["events"][0]["text"], "to active");
  EXPECT_EQ(told[0].data["lines"][0]["text"], "careful");
  conductor->ledger().remove(uuid);
  conductor->settle();
  page->flush();
  EXPECT_EQ(read(*reader).at(0).data["removed"][0], uuid);
}

TEST_F(Page, aNodeThatLooksTheSameIsNoNews) {
  const std::string uuid = add("fake-hardware");
  const auto reader = look_on();
  page->flush();
  set_state(uuid, State::available);
  page->flush();
  read(*reader);
  conductor->ledger().edit(uuid).internal["agent_secret_token"] = "x";
  conductor->settle();
  page->flush();
  EXPECT_TRUE(read(*reader).empty());
}

TEST_F(Page, whoComesAgainGetsEachEventThatHeMissedOnceAndOnlyChangedNodes) {
  const std::string web1 = add("fake-hardware");
  const std::string web2 = add("fake-hardware", "52:54:00:00:00:02", "web2");
  const std::string seen = read(*look_on()).at(0).id;
  for (int i = 0; i < 5; ++i) conductor->ledger().record(node(web2), "agent", cat("missed ", i));
  conductor->ledger().edit(web2).last_error = "late";
  conductor->settle();
  const Message told = read(*look_on(seen)).at(0);
  EXPECT_EQ(told.name, "change");
  EXPECT_EQ(told.data["events"].size(), 5U);
  ASSERT_EQ(told.data["nodes"].size(), 1U);
  EXPECT_EQ(told.data["nodes"][0]["name"], "web2");
  EXPECT_TRUE(read(*look_on(told.id)).at(0).data["events"].empty());
}

TEST_F(Page, whoMissedTooMuchOrComesFromAnotherRunStartsAnew) {
  const std::string uuid = add("fake-hardware");
  const std::string seen = read(*look_on()).at(0).id;
  EXPECT_EQ(read(*look_on("otherrun-1-1-0")).at(0).name, "snapshot");
  EXPECT_EQ(read(*look_on("nonsense")).at(0).name, "snapshot");
  for (int i = 0; i < 600; ++i) conductor->ledger().record(node(uuid), "agent", cat("missed ", i));
  conductor->settle();
  const Message told = read(*look_on(seen)).at(0);
  EXPECT_TRUE(told.data["gap"]);
  EXPECT_EQ(told.data["events"].size(), 400U);
  EXPECT_EQ(told.data["events"].back()["text"], "missed 599");
}

TEST_F(Page, noEventIsLostWhileTwoReadersComeAndGo) {
  const std::string uuid = add("fake-hardware");
  std::string seen = read(*look_on()).at(0).id;
  const auto steady = look_on();
  read(*steady);
  std::vector<std::int64_t> of_steady;
  std::vector<std::int64_t> of_other;
  for (int round = 0; round < 20; ++round) {
    const auto other = look_on(seen);
    for (int i = 0; i < 3; ++i) conductor->ledger().record(node(uuid), "agent", "x");
    conductor->settle();
    if (round % 2 == 0) page->flush();
    for (const Message& message : read(*other)) {
      seen = message.id;
      for (const std::int64_t id : ids(message.data["events"])) of_other.push_back(id);
    }
    other->close();
  }
  page->flush();
  for (const Message& message : read(*steady)) {
    for (const std::int64_t id : ids(message.data["events"])) of_steady.push_back(id);
  }
  for (const Message& message : read(*look_on(seen))) {
    for (const std::int64_t id : ids(message.data["events"])) of_other.push_back(id);
  }
  EXPECT_EQ(of_steady.size(), 60U);
  EXPECT_EQ(of_steady, of_other);
}

TEST_F(Page, readersWhoLeaveMakeRoomAndTooManyAreToldToComeAgain) {
  std::vector<std::shared_ptr<ServedStream>> readers;
  for (std::size_t i = 0; i < StatusPage::k_readers; ++i) readers.push_back(look_on());
  const ServedResponse refused = ask("/page/events");
  EXPECT_EQ(refused.status, 503);
  EXPECT_TRUE(find_header(refused.headers, "Retry-After"));
  readers[0]->detach();
  EXPECT_EQ(ask("/page/events").status, 200);
}

TEST_F(Page, whenNothingHappensReadersGetASignOfLife) {
  const auto reader = look_on();
  page->flush();
  while (reader->take()) continue;
  clock.advance(std::chrono::seconds(20));
  page->flush();
  const ServedStream::Part sign = reader->take();
  ASSERT_NE(sign, nullptr);
  EXPECT_EQ(sign->at(0), ':');
}

TEST_F(Page, changedStacksAreNews) {
  const auto reader = look_on();
  page->flush();
  read(*reader);
  stacks.view = {{"error", "gone"}};
  clock.advance(std::chrono::seconds(5));
  page->flush();
  EXPECT_EQ(read(*reader).at(0).data["stacks"]["error"], "gone");
}

TEST_F(Page, networksAndLeasesAreForThoseWhoAreLoggedIn) {
  EXPECT_EQ(ask("/page/network", {}, "GET", {Role::nobody, ""}).status, 401);
  EXPECT_EQ(Json::parse(ask("/page/network").body)["leases"], Json::array());
}

TEST_F(Page, aNodesDetailsHaveWhatItsMachineAskedFor) {
  const std::string uuid = add("fake-hardware");
  EXPECT_EQ(Json::parse(ask(cat("/page/nodes/", uuid)).body)["boots"], Json::array());
  const Json shown =
      page_boot({{"time", 1.5}, {"protocol", "http"}, {"what", "/k?temp_url_sig=S3CRET"}, {"seconds", 0.25}});
  EXPECT_EQ(shown["at"], "1970-01-01T00:00:01.500000+00:00");
  EXPECT_EQ(shown["seconds"], 0.25);
  EXPECT_EQ(shown.dump().find("S3CRET"), std::string::npos);
  EXPECT_EQ(page_boot({{"time", "x"}})["seconds"], 0.0);
}

TEST_F(Page, aNodeInTroubleIsToldWithItsCauseAndTheNextStep) {
  const std::string uuid = add("fake-hardware");
  EXPECT_FALSE(Json::parse(ask(cat("/page/nodes/", uuid)).body).contains("why")) << "of others there is nothing to say";
  conductor->ledger().edit(uuid).last_error = "Unable to establish IPMI v2 / RMCP+ session: password=S3CRET";
  conductor->settle();
  const Json why = Json::parse(ask(cat("/page/nodes/", uuid)).body)["why"];
  EXPECT_NE(why["cause"], "");
  EXPECT_NE(why["next"], "");
  EXPECT_EQ(why.dump().find("S3CRET"), std::string::npos);
}

TEST_F(Page, olderEventsAndANodesOwnAreThere) {
  const std::string uuid = add("fake-hardware");
  for (int i = 0; i < 300; ++i) conductor->ledger().record(node(uuid), "agent", cat(i));
  conductor->settle();
  const Json newest = Json::parse(ask("/page/history").body)["events"];
  EXPECT_EQ(newest.size(), 200U);
  const Json older = Json::parse(ask(cat("/page/history?before=", newest[0]["id"].get<int>())).body)["events"];
  EXPECT_EQ(older.back()["id"].get<int>() + 1, newest[0]["id"].get<int>());
  const Json details = Json::parse(ask(cat("/page/nodes/", uuid)).body);
  EXPECT_EQ(details["events"].back()["text"], "299");
  EXPECT_EQ(ask("/page/nodes/nobody").status, 404);
}

}  // namespace
}  // namespace hearth::bootstrap
