#include "bootstrap/handover/handover.hpp"

#include <gtest/gtest.h>

#include "base/sys/file.hpp"
#include "base/sys/file_digest.hpp"
#include "base/text.hpp"

namespace hearth::bootstrap {
namespace {

class HandedOver : public ::testing::Test {
 protected:
  HandedOver() {
    RealFileSystem files;
    files.make_directories(state() / "files/images", 0700);
    files.make_directories(state() / "metadata", 0700);
    for (const char* name :
         {"lock", "endpoint", "api-token", "metadata/state.db", "metadata/seal-key", "files/images/site.raw"})
      files.write(state() / name, cat("bytes of ", name), {.mode = 0600});
    Store store((state() / "state.db").string());
    keep_handover(store, {"one", "compute1"});
  }
  [[nodiscard]] const fs::path& state() const { return folder_.path(); }
  ServedResponse ask(HandoverEndpoint& endpoint, const std::string& method, const std::string& target,
                     const std::string& body = "", const std::string& token = "secret") {
    ServedRequest request;
    const RequestTarget parts = parse_request_target(target).value();
    request.method = method;
    request.path = parts.path;
    request.query = parts.query;
    request.headers = {{"X-Auth-Token", token}};
    request.body = body;
    request.peer = "192.0.2.9";
    const ServedResponse nobody = endpoint.answer(request, {});
    EXPECT_TRUE(nobody.status == 401 || nobody.status == 503) << nobody.status;
    const Caller reader{token == "guess" ? Role::nobody : Role::admin, "admin"};
    return endpoint.answer(request, reader);
  }
  TempDir folder_ = TempDir::create(fs::temp_directory_path(), "handover.");
};

TEST_F(HandedOver, isKeptWithTheNodesUntilItIsForgotten) {
  Store store((state() / "state.db").string());
  EXPECT_EQ(kept_handover(store), (Handover{"one", "compute1", false}));
  forget_handover(store);
  EXPECT_EQ(kept_handover(store), std::nullopt);
}

TEST_F(HandedOver, allThatIsKnownIsPackedAndNothingOfTheProcess) {
  std::vector<std::string> names;
  for (const bundle::Source& source : state_sources(state())) names.push_back(source.path);
  EXPECT_EQ(join(names, " "), "api-token files/images/site.raw metadata/seal-key metadata/state.db seal-key state.db");
  const fs::path packed = pack_state(state(), {"one", "compute1"});
  const fs::path out = state() / "out";
  EXPECT_EQ(bundle::unpack_bundle(packed, out, std::nullopt, {}).manifest.name, "one");
  EXPECT_EQ(read_file(out / "metadata/state.db"), "bytes of metadata/state.db");
  Store copy((out / "state.db").string());
  EXPECT_EQ(kept_handover(copy)->to, "compute1");
}

TEST_F(HandedOver, whatWasPackedForThisHandoverStaysAndForAnotherIsMadeAnew) {
  const fs::path packed = pack_state(state(), {"one", "compute1"});
  const std::string first = digest_file(packed).sha256;
  RealFileSystem().write(state() / "late", "x", {});
  EXPECT_EQ(digest_file(pack_state(state(), {"one", "compute1"})).sha256, first);
  EXPECT_NE(digest_file(pack_state(state(), {"two", "compute1"})).sha256, first);
  EXPECT_EQ(fs::status(packed).permissions(), fs::owner_read | fs::owner_write);
}

TEST_F(HandedOver, theEndpointGivesItAwayInPartsToWhoeverHasTheTokenAndServesNothingElse) {
  RealFileSystem().write(state() / "large", std::string(k_state_part + 100, 'x'), {});
  const fs::path packed = pack_state(state(), {"one", "compute1"});
  std::vector<HandoverEndpoint::Ending> endings;
  HandoverEndpoint endpoint({state(), packed}, {"one", "compute1"},
                            [&](HandoverEndpoint::Ending how) { endings.push_back(how); });
  const ServedResponse elsewhere = ask(endpoint, "POST", "/v1/nodes");
  EXPECT_EQ(elsewhere.status, 503);
  EXPECT_NE(elsewhere.body.find("given to compute1"), std::string::npos);
  EXPECT_EQ(ask(endpoint, "GET", "/v1/hearth/handover", "", "guess").status, 401);
  const Json told = Json::parse(ask(endpoint, "GET", "/v1/hearth/handover").body);
  EXPECT_EQ(told["id"], "one");
  std::string all;
  while (true) {
    const std::string part = ask(endpoint, "GET", cat("/v1/hearth/handover/state?offset=", all.size())).body;
    if (part.empty()) break;
    EXPECT_LE(part.size(), k_state_part);
    all += part;
  }
  EXPECT_EQ(all, read_file(packed));
  EXPECT_EQ(told["bytes"], all.size());
  EXPECT_EQ(told["sha256"], digest_file(packed).sha256);
  EXPECT_EQ(ask(endpoint, "GET", "/v1/hearth/handover/state?offset=99999999999").body, "");

  EXPECT_EQ(ask(endpoint, "POST", "/v1/hearth/handover", R"({"id": "one", "to": "compute1"})").status, 200);
  EXPECT_EQ(ask(endpoint, "POST", "/v1/hearth/handover", R"({"id": "two", "to": "compute2"})").status, 409);
  EXPECT_TRUE(endings.empty());
  EXPECT_EQ(ask(endpoint, "POST", "/v1/hearth/handover/leave").status, 200);
  EXPECT_EQ(ask(endpoint, "DELETE", "/v1/hearth/handover").status, 200);
  EXPECT_EQ(endings, (std::vector{HandoverEndpoint::Ending::left, HandoverEndpoint::Ending::called_off}));
}

TEST_F(HandedOver, onlyAnAdministratorMayHaveItOrEndIt) {
  const fs::path packed = pack_state(state(), {"one", "compute1"});
  bool ended = false;
  HandoverEndpoint endpoint({state(), packed}, {"one", "compute1"}, [&](HandoverEndpoint::Ending) { ended = true; });
  for (const char* path : {"/v1/hearth/handover/leave", "/v1/hearth/handover/state", "/v1/hearth/handover"}) {
    ServedRequest request;
    request.method = "POST";
    request.path = path;
    request.peer = "127.0.0.1";
    EXPECT_EQ(endpoint.answer(request, {}).status, 401) << path;
    EXPECT_EQ(endpoint.answer(request, {Role::operate, "someone"}).status, 403) << path;
  }
  EXPECT_FALSE(ended);
}

}  // namespace
}  // namespace hearth::bootstrap
