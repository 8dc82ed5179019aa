#include "base/sql/database.hpp"
#include "tests/unit/metadata/rest/rest_fixture.hpp"

namespace hearth::metadata::live {
namespace {

using testing::HasSubstr;

class AsideTest : public RestTest {
 protected:
  AsideTest() {
    create("odd", k_one_server);
    create("good", k_one_server);
    id_ = engine_->find("odd").live->tree.id;
    engine_.reset();
    repository_.reset();
    {
      sql::Database database((directory_.path() / "state.db").string());
      database.run(cat("UPDATE tree SET data = replace(data, '\"body\"', '\"no body\"') WHERE id = '", id_, "'"));
    }
    restart();
  }
  std::string id_;
};

TEST_F(AsideTest, IsListedAndShownWithTheReason) {
  const Json stacks = get("/v1/admin/stacks")["stacks"];
  ASSERT_EQ(stacks.size(), 2U);
  EXPECT_EQ(stacks[1]["stack_name"], "odd");
  EXPECT_EQ(stacks[1]["stack_status"], "CHECK_FAILED");
  const ServedResponse led = send("GET", "/v1/admin/stacks/odd");
  EXPECT_EQ(led.status, 302);
  const std::string place = cat("/v1/admin/stacks/odd/", id_);
  EXPECT_THAT(find_header(led.headers, "Location").value_or(""), HasSubstr(place));
  const Json shown = get(place)["stack"];
  EXPECT_EQ(shown["stack_status"], "CHECK_FAILED");
  EXPECT_THAT(shown["stack_status_reason"].get<std::string>(), HasSubstr("\"body\" is missing"));
  EXPECT_THAT(shown["stack_status_reason"].get<std::string>(), HasSubstr("or delete the stack"));
  EXPECT_EQ(get(place + "/resources")["resources"].size(), 0U);
  EXPECT_EQ(get("/v1/other/stacks")["stacks"].size(), 0U);
  EXPECT_EQ(send("GET", cat("/v1/other/stacks/odd/", id_)).status, 403);
  EXPECT_EQ(send("GET", "/v1/other/stacks/odd").status, 404);
}

TEST_F(AsideTest, NothingIsDoneWithItButToDeleteIt) {
  const std::string place = cat("/v1/admin/stacks/odd/", id_);
  const std::string body = R"({"stack_name": "odd", "template": {"resources": {}}})";
  for (const auto& [method, target, text] :
       std::vector<std::array<std::string, 3>>{{"PUT", place, body},
                                               {"PATCH", place, body},
                                               {"GET", place + "/template", ""},
                                               {"POST", place + "/actions", R"({"suspend": null})"},
                                               {"POST", place + "/snapshots", "{}"},
                                               {"DELETE", place + "/abandon", ""},
                                               {"POST", place + "/resources/d1/signal", "{}"},
                                               {"POST", "/v1/admin/stacks", body}}) {
    const ServedResponse refused = send(method, target, text);
    EXPECT_EQ(refused.status, 409) << method << " " << target << " " << refused.body;
  }
  EXPECT_EQ(send("DELETE", place).status, 204);
  EXPECT_EQ(get("/v1/admin/stacks")["stacks"].size(), 1U);
  EXPECT_EQ(send("GET", place).status, 404);
  restart();
  EXPECT_EQ(get("/v1/admin/stacks")["stacks"].size(), 1U);
  EXPECT_EQ(send("POST", "/v1/admin/stacks", body).status, 201);
}

}  // namespace
}  // namespace hearth::metadata::live
