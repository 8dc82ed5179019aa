#include "bootstrap/inventory/ansible_inventory.hpp"

#include <gtest/gtest.h>

#include "base/text.hpp"
#include "bootstrap/inventory/listing.hpp"

namespace hearth::bootstrap {
namespace {

TEST(AnsibleInventory, variables_of_children_win_over_those_of_parents_and_a_hosts_own_over_all) {
  const auto hosts = read_ansible_ini(
      "[r1]\nw0 "
      "own=1\n[all:vars]\na=all\nb=all\nc=all\nown=0\n[parent:children]\nr1\n[parent:vars]\nb=parent\nc=parent\n"
      "[r1:vars]\nc=child\n",
      "f");
  ASSERT_TRUE(hosts) << hosts.error().text();
  EXPECT_EQ(hosts->at(0).variables.data, Json({{"a", "all"}, {"b", "parent"}, {"c", "child"}, {"own", "1"}}));
  EXPECT_EQ(hosts->at(0).variables.place("c").line, 14);
}

TEST(AnsibleInventory, variables_may_stand_before_their_group_and_of_the_groups_that_are_always_there) {
  const auto hosts = read_ansible_ini("[r1:vars]\na=1\n[ungrouped:vars]\na=2\n[all:vars]\nb=3\n[r1]\nw0\n", "f");
  ASSERT_TRUE(hosts) << hosts.error().text();
  EXPECT_EQ(hosts->at(0).variables.data, Json({{"b", "3"}, {"a", "1"}}));
}

std::vector<ListingEntry> ansible(std::string_view text) {
  const auto entries = read_listing(text, "f", ListingFormat::ansible);
  if (!entries) ADD_FAILURE() << entries.error().text() << "\n" << text;
  return entries ? *entries : std::vector<ListingEntry>();
}

TEST(AnsibleInventory, variables_of_a_group_that_stands_twice_count_from_both_places) {
  const auto hosts = ansible(
      "all: {children: {a: {vars: {ipmi_username: u, ipmi_address: 192.0.2.1}}}}\n"
      "a: {hosts: {w0: }, vars: {ipmi_address: 192.0.2.2}}\n");
  ASSERT_EQ(hosts.size(), 1U);
  EXPECT_NE(format_json(hosts[0].data).find("\"u\""), std::string::npos) << format_json(hosts[0].data);
  EXPECT_NE(format_json(hosts[0].data).find("192.0.2.2"), std::string::npos) << format_json(hosts[0].data);
}

TEST(AnsibleInventory, what_is_no_object_of_hosts_children_or_variables_is_refused) {
  for (const auto& [text, fault] :
       {std::pair{"a:\n  hosts: w0\n", "f:2:10: the hosts of the group a are to be an object, or a list of names"},
        std::pair{"a:\n  children: b\n", "f:2:13: the children of the group a are to be an object, or a list of names"},
        std::pair{"a:\n  vars: [x]\n", "f:2:9: the variables of the group a are to be an object"}}) {
    const auto entries = read_listing(text, "f", ListingFormat::ansible);
    ASSERT_FALSE(entries) << text;
    EXPECT_EQ(entries.error().text(), fault);
  }
}

TEST(AnsibleInventory, an_ini_whose_first_line_has_commas_is_none_of_a_table) {
  constexpr const char* k_text = "w0 tags=a,b,c ipmi_address=192.0.2.5\nw1 ipmi_address=192.0.2.6\n";
  EXPECT_EQ(read_listing(k_text, "f", ListingFormat::any).value().size(), 2U);
  EXPECT_EQ(ansible(k_text).size(), 2U);
  EXPECT_EQ(ansible("w0,1,2\nw1 ipmi_address=192.0.2.6\n").size(), 1U) << "as it was asked for";
}

TEST(AnsibleInventory, values_of_an_ini_are_literals_or_text) {
  const auto hosts = read_ansible_ini("w0 a='{{ b }}' c=\"{'d':1}\" e=True f=01\n", "f");
  ASSERT_TRUE(hosts) << hosts.error().text();
  EXPECT_EQ(hosts->at(0).variables.data, Json({{"a", "{{ b }}"}, {"c", {{"d", 1}}}, {"e", true}, {"f", "01"}}));
}

TEST(AnsibleInventory, ranges_of_hosts) {
  EXPECT_EQ(expand_host_range("w[08:10].x"), (std::vector<std::string>{"w08.x", "w09.x", "w10.x"}));
  EXPECT_EQ(expand_host_range("[a:c]1"), (std::vector<std::string>{"a1", "b1", "c1"}));
  EXPECT_EQ(expand_host_range("w[1:5:2]"), (std::vector<std::string>{"w1", "w3", "w5"}));
  for (const char* none : {"w[x]", "w[a:f:4294967296]", "w[1:2:18446744073709551615]"})
    EXPECT_EQ(expand_host_range(none), std::vector<std::string>{none});
}

TEST(AnsibleInventory, what_grows_out_of_a_short_text_is_bounded) {
  const std::string ranges = [] {
    std::string text = "n";
    for (int i = 0; i < 5; ++i) text += "[1:1]";
    return text;
  }();
  const std::string large = cat("[r]\nn[1:60000]\n[r:vars]\nx=", std::string(8000, 'x'), "\n");
  for (const auto& [text, fault] : {std::pair{std::string(256, 'n'), "f:1:1: a host's name has 255 bytes at most"},
                                    std::pair{ranges, "f:1:1: a host's name has 4 ranges at most"},
                                    std::pair{std::string("a[1:1000][1:1000]\n"), "f:1:1: more than 200000 hosts"},
                                    std::pair{cat("n[1:60000] x=", std::string(8000, 'x')), "f:1:1: more than 256 MiB"},
                                    std::pair{large, "f:1:1: more than 256 MiB"}}) {
    const auto hosts = read_ansible_ini(text, "f");
    ASSERT_FALSE(hosts) << fault;
    EXPECT_EQ(hosts.error().text().substr(0, std::string_view(fault).size()), fault);
  }
  EXPECT_EQ(read_ansible_ini("a[1:2][1:2][1:2][1:2]\n", "f").value().size(), 16U);
}

TEST(AnsibleInventory, AVariableThatIsLeftOutIsToldWithTheOneThatWasMeant) {
  const auto hosts = ansible("[r]\nw0 ipmi_address=192.0.2.9 ipmi_pasword=x rack=C ironic_drvier=ipmi\n");
  ASSERT_EQ(hosts.size(), 1U);
  EXPECT_EQ(hosts[0].left_out,
            (std::set<std::string>{"ipmi_pasword (ipmi_password?)", "ironic_drvier (ironic_driver?)", "rack"}));
}

}  // namespace
}  // namespace hearth::bootstrap
