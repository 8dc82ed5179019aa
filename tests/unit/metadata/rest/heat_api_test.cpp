#include "metadata/rest/heat_api.hpp"

#include "tests/unit/metadata/rest/rest_fixture.hpp"

namespace hearth::metadata::live {
namespace {

using testing::HasSubstr;

const std::string k_request =
    cat(R"({"stack_name": "s1", "timeout_mins": 5, "tags": "a,b", "template": {"resources": )", k_nested, "}}");

TEST_F(RestTest, CreatesShowsUpdatesAndDeletesAStack) {
  const ServedResponse created = send("POST", "/v1/admin/stacks", k_request);
  EXPECT_EQ(created.status, 201);
  const std::string id = Json::parse(created.body)["stack"]["id"];
  EXPECT_EQ(find_header(created.headers, "Location"), cat("http://h:8004/v1/admin/stacks/s1/", id));
  const Json shown = get(self("s1"))["stack"];
  EXPECT_EQ(shown["stack_status"], "CREATE_IN_PROGRESS");
  EXPECT_EQ(shown["tags"], Json::array({"a", "b"}));
  EXPECT_EQ(get("/v1/admin/stacks")["stacks"].size(), 1U);
  EXPECT_EQ(get("/v1/admin/stacks?show_nested=True")["stacks"].size(), 3U);
  EXPECT_EQ(send("PUT", self("s1"), k_request).status, 409);
  const StackPlace place = engine_->find("s1");
  (void)engine_->signal(place.live->tree.stack(2).id, "d", Json::object());
  EXPECT_EQ(send("PUT", self("s1"), k_request).status, 202);
  EXPECT_EQ(status("s1"), "UPDATE_COMPLETE");
  EXPECT_EQ(send("PATCH", self("s1"), R"({"parameters": {"a": 1}})").status, 202);
  EXPECT_EQ(get(self("s1") + "/template")["resources"], Json::parse(k_nested));
  EXPECT_EQ(send("DELETE", self("s1")).status, 204);
  EXPECT_EQ(send("GET", "/v1/admin/stacks/s1").status, 404);
}

TEST_F(RestTest, RedirectsFromNamesAndIdsToBoth) {
  send("POST", "/v1/admin/stacks", k_request);
  const std::string id = engine_->find("s1").live->tree.id;
  const ServedResponse by_name = send("DELETE", "/v1/admin/stacks/s1");
  EXPECT_EQ(by_name.status, 302);
  EXPECT_EQ(find_header(by_name.headers, "Location"), cat("http://h:8004/v1/admin/stacks/s1/", id));
  EXPECT_EQ(find_header(send("GET", cat("/v1/admin/stacks/", id, "/resources?nested_depth=5")).headers, "Location"),
            cat("http://h:8004/v1/admin/stacks/s1/", id, "/resources?nested_depth=5"));
  EXPECT_EQ(send("GET", cat("/v1/admin/stacks/arn:openstack:heat::admin:stacks%2Fs1%2F", id)).status, 302);
}

TEST_F(RestTest, RefusesInHeatsForm) {
  EXPECT_EQ(send("GET", "/v1/admin/stacks", "", "wrong").status, 401);
  EXPECT_EQ(send("POST", "/v1/admin/stacks", "{").status, 400);
  EXPECT_EQ(send("POST", "/v1/admin/stacks", "[]").status, 400);
  EXPECT_EQ(send("POST", "/v1/admin/stacks", R"({"stack_name": 5, "template": {}})").status, 400);
  EXPECT_THAT(send("POST", "/v1/admin/stacks", R"({"stack_name": "x"})").body, HasSubstr("No template specified"));
  EXPECT_THAT(send("GET", "/v1/admin/stacks/nope").body, HasSubstr("The Stack (nope) could not be found."));
  send("POST", "/v1/admin/stacks", k_request);
  EXPECT_EQ(send("POST", "/v1/admin/stacks", k_request).status, 409);
  EXPECT_EQ(send("GET", replace_all(self("s1"), "/admin/", "/other/")).status, 403);
  EXPECT_EQ(send("POST", self("s1") + "/actions", R"({"dance": null})").status, 400);
  EXPECT_EQ(send("GET", "/").status, 300);
}

TEST_F(RestTest, PagesTheList) {
  for (const char* name : {"a", "b", "c"}) create(name, "{}");
  const Json first = get("/v1/admin/stacks?limit=2")["stacks"];
  ASSERT_EQ(first.size(), 2U);
  EXPECT_EQ(first[0]["stack_name"], "c");
  const Json rest = get(cat("/v1/admin/stacks?limit=2&marker=", first[1]["id"].get<std::string>()))["stacks"];
  ASSERT_EQ(rest.size(), 1U);
  EXPECT_EQ(rest[0]["stack_name"], "a");
}

TEST_F(RestTest, ShowsOutputsAndActs) {
  create("s1", k_one_server);
  (void)engine_->signal(engine_->find("s1").live->tree.id, "d1", Json::parse(R"({"result": "42"})"));
  EXPECT_EQ(get(self("s1") + "/outputs")["outputs"][0]["output_key"], "d1");
  EXPECT_EQ(get(self("s1") + "/outputs/d1")["output"]["output_value"]["result"], "42");
  EXPECT_EQ(get(self("s1") + "/outputs/none"), 404);
  create("s2", R"({"a": {}})");
  EXPECT_EQ(send("POST", self("s2") + "/actions", R"({"suspend": null})").status, 200);
  EXPECT_EQ(status("s2"), "SUSPEND_COMPLETE");
}

}  // namespace
}  // namespace hearth::metadata::live
