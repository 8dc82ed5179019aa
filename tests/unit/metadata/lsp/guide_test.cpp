#include "metadata/lsp/guide.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/text.hpp"
#include "metadata/compile/files.hpp"
#include "metadata/lsp/look.hpp"

namespace hearth::metadata::lsp {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

constexpr const char* k_text =
    "heat_template_version: 2018-08-31\n"
    "parameters:\n"
    "  flavor: {type: string, description: how large, default: m1}\n"
    "conditions: {big: {equals: [1, 1]}}\n"
    "resources:\n"
    "  script:\n"
    "    type: OS::Heat::SoftwareConfig\n"
    "  inner: {type: in.yaml}\n";

/// What the guide says of the place of "^" behind k_text.
struct Asking {
  explicit Asking(const std::string& more) : text(cat(k_text, more)) {
    const std::size_t cursor = text.find('^');
    text.erase(cursor, 1);
    place = place_at(text, cursor);
  }
  [[nodiscard]] Vocabulary words() { return {readable_part(text), "top.yaml", files, registered}; }
  std::vector<std::string> names() {
    std::vector<std::string> all;
    for (const Choice& choice : choices_at(place, words())) all.push_back(choice.name);
    return all;
  }
  std::string story() { return about(place, words()); }
  std::string target() {
    const std::optional<Target> found = target_of(place, words());
    return found ? cat(found->file, ":", found->mark.line) : "";
  }

  std::string text;
  CursorPlace place;
  MapFiles files{{{"in.yaml",
                   "heat_template_version: 2018-08-31\nparameters: {size: {type: number}}\n"
                   "outputs: {ip: {value: 1}}\n"}}};
  Registered registered;
};

TEST(Guide, offers_what_fits_at_the_cursor) {
  EXPECT_THAT(Asking("^").names(), AllOf(Contains("outputs"), Not(Contains("resources"))));
  EXPECT_THAT(Asking("  b:\n    ^").names(), AllOf(Contains("type"), Contains("external_id")));
  EXPECT_THAT(Asking("  b:\n    type: OS::^").names(), AllOf(Contains("OS::Heat::Value"), Contains("in.yaml")));
  EXPECT_THAT(Asking("  b:\n    type: OS::Heat::SoftwareConfig\n    properties:\n      ^").names(),
              AllOf(Contains("group"), Contains("config"), Not(Contains("get_param"))));
  EXPECT_THAT(Asking("  b:\n    type: OS::Heat::SoftwareConfig\n    properties:\n      inputs:\n        - ^").names(),
              AllOf(Contains("name"), Contains("type")));
  EXPECT_THAT(Asking("  b:\n    type: in.yaml\n    properties:\n      ^").names(), ElementsAre("size"));
  EXPECT_THAT(Asking("  b:\n    type: X\n    properties:\n      a: {get_^").names(),
              AllOf(Contains("get_param"), Contains("list_join")));
  EXPECT_THAT(Asking("  b:\n    type: X\n    properties:\n      a: {get_param: ^").names(),
              AllOf(Contains("flavor"), Contains("OS::stack_name")));
  EXPECT_THAT(Asking("  b:\n    type: X\n    properties:\n      a: {get_attr: [inner, ^").names(), ElementsAre("ip"));
  EXPECT_THAT(Asking("  b:\n    type: X\n    depends_on: [^").names(), AllOf(Contains("script"), Contains("inner")));
  EXPECT_THAT(Asking("  b:\n    type: X\n    deletion_policy: ^").names(), ElementsAre("Delete", "Retain", "Snapshot"));
  EXPECT_THAT(Asking("  b:\n    condition: ^").names(), ElementsAre("big"));
  EXPECT_THAT(Asking("outputs:\n  o:\n    value:\n      get_resource: ^").names(), Contains("script"));
  EXPECT_THAT(Asking("  b:\n    type: OS::Heat::SoftwareConfig\n    properties:\n      config: |\n        ^").names(),
              IsEmpty());
}

TEST(Guide, offers_the_groups_that_have_hooks_and_the_servers_and_configs_of_a_deployment) {
  const std::string config = "  b:\n    type: OS::Heat::SoftwareConfig\n    properties:\n      ";
  EXPECT_THAT(Asking(config + "group: ^").names(), AllOf(Contains("script"), Contains("puppet")));
  EXPECT_THAT(Asking(config + "config: ^").names(), Not(Contains("script")));
  const std::string deployment =
      "  Web1: {type: OS::Nova::Server}\n  b:\n    type: OS::Heat::SoftwareDeployment\n    properties:\n      ";
  EXPECT_THAT(Asking(deployment + "server: ^").names(), ElementsAre("Web1"));
  EXPECT_THAT(Asking(deployment + "config: ^").names(), ElementsAre("script"));
  Asking asking(deployment + "server: W^");
  EXPECT_EQ(choices_at(asking.place, asking.words()).front().insert, "{get_resource: Web1}");
}

TEST(Guide, tells_what_a_word_means) {
  EXPECT_THAT(Asking("  b:\n    type: OS::Heat::Soft^wareConfig").story(),
              AllOf(HasSubstr("`group`"), HasSubstr("Attributes: ")));
  EXPECT_THAT(Asking("  b:\n    type: OS::Heat::SoftwareConfig\n    properties:\n      gr^oup: script\n").story(),
              HasSubstr("**group**: string, default"));
  EXPECT_THAT(Asking("outputs:\n  o:\n    value: {list_^join: [a, []]}").story(), HasSubstr("lists joined to a text"));
  EXPECT_THAT(Asking("outputs:\n  o:\n    value: {get_param: fla^vor}").story(),
              AllOf(HasSubstr("how large"), HasSubstr("\"m1\"")));
  EXPECT_EQ(Asking("outputs:\n  o:\n    value: {get_param: non^e}").story(), "");
}

TEST(Guide, leads_to_where_a_name_is_defined) {
  EXPECT_EQ(Asking("outputs:\n  o:\n    value: {get_param: fla^vor}").target(), ":3");
  EXPECT_EQ(Asking("outputs:\n  o:\n    value: {get_resource: ^script}").target(), ":6");
  EXPECT_EQ(Asking("outputs:\n  o:\n    value: {get_attr: [inn^er, ip]}").target(), ":8");
  EXPECT_EQ(Asking("  b:\n    type: in^.yaml").target(), "in.yaml:0");
  EXPECT_EQ(Asking("  b:\n    type: OS::Heat::Val^ue").target(), "");
}

}  // namespace
}  // namespace hearth::metadata::lsp
