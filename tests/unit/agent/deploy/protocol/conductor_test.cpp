#include "agent/deploy/protocol/conductor.hpp"

#include <gtest/gtest.h>

#include "tests/fakes/manual_clock.hpp"
#include "tests/fakes/scripted_http.hpp"

namespace hearth::agent::deploy {
namespace {

const std::string k_api = "http://192.0.2.1:6385";
const char* const k_node =
    R"({"node":{"uuid":"u1","properties":{}},"config":{"heartbeat_timeout":60,"agent_token":"t","hearth":{"progress_url":"http://192.0.2.1/p"}}})";

struct World {
  fakes::ScriptedHttp http;
  fakes::ManualClock clock;
  Conductor conductor{http, clock, k_api, {}};

  [[nodiscard]] std::string version_sent() const {
    return *find_header(http.sent.back().headers, "X-OpenStack-Ironic-API-Version");
  }
};

TEST(Conductor, TheLookUpBringsAddressesAndTheVersionThatBothKnow) {
  World world;
  world.http.on("GET", k_api + "/", 200, R"({"default_version":{"id":"v1","version":"1.82"}})");
  world.http.on("GET", k_api + "/v1/lookup?addresses=52%3A54%3A00%3A00%3A00%3A01%2C52%3A54%3A00%3A00%3A00%3A02", 200,
                k_node);
  world.conductor.greet();
  const LookedUp found = world.conductor.look_up({"52:54:00:00:00:01", "52:54:00:00:00:02"}, "");
  EXPECT_EQ(world.version_sent(), "1.62");
  EXPECT_EQ(found.uuid(), "u1");
  EXPECT_EQ(found.token, "t");
  EXPECT_EQ(found.heartbeat_timeout, std::chrono::seconds(60));
  EXPECT_EQ(found.progress_url, "http://192.0.2.1/p");
}

TEST(Conductor, AMaskedTokenIsNoToken) {
  const LookedUp found = parse_lookup(R"({"node":{"uuid":"u1"},"config":{"agent_token":"******"}})");
  EXPECT_TRUE(found.token_known);
  EXPECT_EQ(found.token, "");
}

TEST(Conductor, AnswersThatNameNoNodeAreRefused) {
  for (const char* body : {"", "[]", "{}", R"({"node":{}})", R"({"node":"u1"})"})
    EXPECT_THROW(static_cast<void>(parse_lookup(body)), Error) << body;
}

TEST(Conductor, WhoIsKnownByAPinIsAskedByHttpsOnly) {
  fakes::ScriptedHttp http;
  fakes::ManualClock clock;
  Conductor plain{http, clock, "http://192.0.2.1:6385", {true, "", std::string(64, 'a')}};
  EXPECT_THROW(plain.greet(), Error);
  EXPECT_TRUE(http.sent.empty());
}

TEST(Conductor, RefusalsAreToldWithIronicsReason) {
  World world;
  world.http.on("GET", k_api + "/v1/lookup?addresses=m", 404,
                R"({"error_message":"{\"faultcode\":\"Client\",\"faultstring\":\"Resource could not be found.\"}"})");
  try {
    static_cast<void>(world.conductor.look_up({"m"}, ""));
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::not_found);
    EXPECT_NE(std::string(error.what()).find("404: Resource could not be found."), std::string::npos);
  }
}

TEST(Conductor, AHeartbeatBringsItsToken) {
  World world;
  world.http.on("POST", k_api + "/v1/heartbeat/u1", 202);
  world.http.on("POST", k_api + "/v1/heartbeat/u2", 409, "");
  world.conductor.beat({"u1", "http://192.0.2.9:9999", "t", ""});
  const Json body = parse_json(world.http.sent.back().body, "").value_or_throw();
  EXPECT_EQ(body["callback_url"], "http://192.0.2.9:9999");
  EXPECT_EQ(body["agent_token"], "t");
  EXPECT_EQ(world.version_sent(), "1.31");
  EXPECT_FALSE(body.contains("agent_verify_ca"));
  EXPECT_FALSE(world.conductor.takes_certificates());
  EXPECT_THROW(world.conductor.beat({"u2", "", "", ""}), Error);
}

TEST(Conductor, AHeartbeatBringsTheAgentsCertificateWhereTheConductorTakesOne) {
  World world;
  world.http.on("GET", k_api + "/", 200, R"({"default_version":{"id":"v1","version":"1.82"}})");
  world.http.on("POST", k_api + "/v1/heartbeat/u1", 202);
  world.conductor.greet();
  EXPECT_TRUE(world.conductor.takes_certificates());
  world.conductor.beat({"u1", "https://192.0.2.9:9999", "t", "PEM"});
  EXPECT_EQ(parse_json(world.http.sent.back().body, "").value_or_throw()["agent_verify_ca"], "PEM");
  EXPECT_EQ(world.version_sent(), "1.68");
}

TEST(Conductor, ARefusalWithoutAReasonIsNothingWorse) {
  World world;
  for (const char* body : {R"({"error_message":{"faultstring":null}})", R"({"error_message":"{\"faultstring\":7}"})",
                           R"({"error_message":[1]})", R"({"error_message":null})", "[]", "null", "\"\""}) {
    world.http.on("POST", k_api + "/v1/heartbeat/u1", 503, body);
    EXPECT_THROW(world.conductor.beat({"u1", "", "", ""}), Error) << body;
  }
}

TEST(Conductor, ATimeoutBeyondAllNumbersIsADay) {
  const auto timeout = [](const std::string& text) {
    return parse_lookup(R"({"node":{"uuid":"u1"},"config":{"heartbeat_timeout":)" + text + "}}").heartbeat_timeout;
  };
  for (const char* text : {"1e300", "18446744073709551615", "86401"})
    EXPECT_EQ(timeout(text), std::chrono::hours(24)) << text;
  for (const char* text : {"-1e300", "-5", "0.5"}) EXPECT_EQ(timeout(text), std::chrono::seconds(1)) << text;
}

TEST(Conductor, TheTokenIsNotRedirected) {
  World world;
  world.http.on("POST", k_api + "/v1/heartbeat/u1", 202);
  world.http.on("POST", "http://192.0.2.1/p", 200);
  world.conductor.beat({"u1", "", "t", ""});
  EXPECT_EQ(world.http.sent.back().max_redirects, 0);
  static_cast<void>(world.conductor.report_progress("http://192.0.2.1/p", {{"agent_token", "t"}}));
  EXPECT_EQ(world.http.sent.back().max_redirects, 0);
}

TEST(Conductor, AReportOfProgressIsAnsweredWithWhatTheConductorSaysOrNotTakenWhichIsNoFailure) {
  World world;
  world.http.on("POST", "http://192.0.2.1/p", 200, R"({"peers": []})");
  EXPECT_EQ(world.conductor.report_progress("http://192.0.2.1/p", Json::object()), Json::parse(R"({"peers": []})"));
  world.http.on("POST", "http://192.0.2.1/p2", 202);
  EXPECT_EQ(world.conductor.report_progress("http://192.0.2.1/p2", Json::object()), Json::object());
  world.http.on("POST", "http://192.0.2.1/p3", 500);
  EXPECT_EQ(world.conductor.report_progress("http://192.0.2.1/p3", Json::object()), nullptr);
}

TEST(Conductor, VersionsThatMakeNoSenseAreTheOldest) {
  EXPECT_EQ(api_version("1.82", 62).minor, 62);
  EXPECT_EQ(api_version("1.40", 62).minor, 40);
  for (const char* text : {"", "2.1", "1.x", "1."}) EXPECT_EQ(api_version(text, 62).minor, 31) << text;
}

}  // namespace
}  // namespace hearth::agent::deploy
