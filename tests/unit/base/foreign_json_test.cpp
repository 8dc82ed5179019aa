#include "base/foreign_json.hpp"

#include <gtest/gtest.h>

#include <functional>

namespace hearth {
namespace {

std::string nested(std::size_t levels) { return std::string(levels, '[') + "1" + std::string(levels, ']'); }

TEST(ForeignJson, IsLessDeepThanWhatWeReadBack) {
  EXPECT_TRUE(parse_foreign_json(nested(256), "the request").ok());
  const Result<Json> refused = parse_foreign_json(nested(257), "the request");
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().text(), "the request: nested deeper than 256 levels");
  EXPECT_TRUE(parse_json(nested(512), "a row").ok());
  EXPECT_FALSE(parse_json(nested(513), "a row").ok());
  EXPECT_TRUE(parse_json(nested(1024), "a row", 1024).ok());
}

TEST(ForeignJson, KnowsHowDeepAValueIs) {
  EXPECT_FALSE(is_deeper_than(Json("text"), 0));
  EXPECT_TRUE(is_deeper_than(Json::array(), 0));
  EXPECT_FALSE(is_deeper_than(Json::parse(R"({"a": [1, {"b": 2}]})"), 3));
  EXPECT_TRUE(is_deeper_than(Json::parse(R"({"a": [1, {"b": 2}]})"), 2));
  EXPECT_TRUE(is_deeper_than(parse_json(nested(200'000), "", 200'000).value_or_throw(), 199'999)) << "without a stack";
}

std::string fault_of(const std::function<void()>& use) {
  try {
    use();
  } catch (const Json::exception& error) {
    return json_fault(error);
  }
  return "nothing";
}

TEST(ForeignJson, AMemberThatIsMissingIsAFaultAndNotTheEndOfTheProcess) {
  const Json value = Json::object();
  EXPECT_EQ(fault_of([&] { static_cast<void>(value["name"].get<std::string>()); }), "something is missing");
}

TEST(ForeignJson, FaultsAreToldInOurWords) {
  const Json value = Json::parse(R"({"n": 5, "l": []})");
  EXPECT_EQ(fault_of([&] { (void)value.value("n", ""); }), "there is a number where a text is expected");
  EXPECT_EQ(fault_of([&] { (void)value["n"].value("x", ""); }), "there is a number where a map is expected");
  EXPECT_EQ(fault_of([&] { (void)value.at("x"); }), "\"x\" is missing");
  EXPECT_EQ(fault_of([&] { (void)value["n"].at("x"); }), "there is a number where a map is expected");
  EXPECT_EQ(fault_of([&] { (void)value["l"].get<std::string>(); }), "there is a list where a text is expected");
  EXPECT_EQ(fault_of([&] { (void)Json("\xff").dump(); }), "a text is not UTF-8");
  Json list = Json::array();
  EXPECT_EQ(fault_of([&] { list.update(Json::array()); }), "a value is of another kind than is expected");
}

}  // namespace
}  // namespace hearth
