#include "bootstrap/site/site_questions.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"
#include "base/text.hpp"
#include "bootstrap/site/site_file.hpp"

namespace hearth::bootstrap {
namespace {

/// Somebody who answers with the next of these.
struct Person {
  std::vector<std::string> answers;
  std::size_t next = 0;
  std::vector<std::string> asked, hidden, told;
  Ask ask = [this](const std::string& question, const std::string&, bool is_hidden) -> std::optional<std::string> {
    asked.push_back(question);
    if (is_hidden) hidden.push_back(question);
    if (next == answers.size()) return std::nullopt;
    return answers[next++];
  };
  Say say = [this](const std::string& line) { told.push_back(line); };
};

TEST(SiteQuestions, aSiteIsAskedForAndEachAnswerIsChecked) {
  Person person{.answers = {"192.0.2/24",
                            "192.0.2.0/24",
                            "198.51.100.1",
                            "",
                            "192.0.2.60-192.0.2.50",
                            "",
                            "",
                            "eth1",
                            "",
                            "stack.yaml",
                            "redfsh",
                            "redfish",
                            "",
                            "secret",
                            "control1",
                            "nothing",
                            "52:54:00:00:00:01",
                            "",
                            "control",
                            "",
                            "https://198.51.100.11",
                            "",
                            ""}};
  SiteDraft draft;
  ask_for_site(draft, person.ask, person.say);
  EXPECT_EQ(person.asked.at(0).substr(0, 30), "(1 of 7) the provisioning netw");
  EXPECT_EQ(person.asked.at(1), person.asked.at(0)) << "asked again, it is the same question";
  EXPECT_EQ(person.asked.at(9).substr(0, 27), "(7 of 7) the stack's templa");
  EXPECT_EQ(person.asked.at(11).substr(0, 27), "(BMCs, 1 of 3) the kind of ") << "again";
  EXPECT_EQ(person.asked.at(14).substr(0, 27), "(machine 1, 1 of 7) its nam");
  EXPECT_EQ(person.asked.at(21).substr(0, 27), "(machine 1, 7 of 7) its sys");
  EXPECT_EQ(person.asked.at(22).substr(0, 27), "(machine 2, 1 of 7) its nam");
  EXPECT_EQ(person.next, person.answers.size());
  EXPECT_EQ(join(person.told, "\n"),
            "  '192.0.2/24' is no network\n  '198.51.100.1' is no address in 192.0.2.0/24\n"
            "  '192.0.2.60-192.0.2.50' has its last address before its first\n"
            "  there is no driver redfsh; did you mean redfish?\n  'nothing' is no machine's address");
  EXPECT_EQ(person.hidden, std::vector<std::string>{"(BMCs, 3 of 3) their password"});
  EXPECT_EQ(draft.seed, "192.0.2.1");
  EXPECT_EQ(draft.bmc["password"], "secret");
  ASSERT_EQ(draft.machines.size(), 1U);
  EXPECT_EQ(draft.machines[0]["firmware"], "uefi");
  const Result<SiteFile, std::string> site = parse_site_file(site_text(draft), "site.yaml");
  ASSERT_TRUE(site) << site.error();
  EXPECT_EQ(site->inventory[0].data["pm_system_id"], "/redfish/v1/Systems/1");
}

TEST(SiteQuestions, addressesThatNoMachineCanHaveAreAskedAgain) {
  Person person{.answers = {"192.0.2.1-192.0.2.9", "", "", "", "", "", "redfish", "", "p", "a", "52:54:00:00:00:01", "",
                            "", "192.0.2.255", "192.0.2.50", "192.0.2.50", "192.0.2.60", "", ""}};
  SiteDraft draft;
  draft.subnet = "192.0.2.0/24";
  draft.seed = "192.0.2.3";
  ask_for_site(draft, person.ask, person.say);
  ASSERT_EQ(person.told.size(), 3U) << join(person.told, "\n");
  EXPECT_EQ(person.told[0], "  '192.0.2.1-192.0.2.9' holds the seed's own address");
  EXPECT_EQ(person.told[1], "  '192.0.2.255' is the network's first or last address, which no machine can have");
  EXPECT_EQ(person.told[2], "  that is the machine's own; its BMC has another");
}

TEST(SiteQuestions, whatOptionsHaveSaidIsNotAsked) {
  Person person{.answers = {"", "", "", "", "", ""}};
  SiteDraft draft;
  draft.subnet = "192.0.2.0/24";
  draft.seed = "192.0.2.2";
  draft.machines = {{{"name", "a"}}};
  ask_for_site(draft, person.ask, person.say);
  EXPECT_EQ(join(person.asked, "\n").find("the provisioning network"), std::string::npos);
  EXPECT_EQ(join(person.asked, "\n").find("(machine "), std::string::npos);
  EXPECT_EQ(draft.seed, "192.0.2.2");
}

TEST(SiteQuestions, numbersGoOnAfterWhatWasAskedBefore) {
  Person person{.answers = {"192.0.2.0/24", "", "", "", "", "", "", "ipmi", "", "p", ""}};
  SiteDraft draft;
  ask_for_site(draft, person.ask, person.say, 2);
  EXPECT_EQ(person.asked.at(0).substr(0, 9), "(3 of 9) ");
  EXPECT_EQ(person.asked.at(6).substr(0, 9), "(9 of 9) ");
  EXPECT_EQ(person.asked.at(10).substr(0, 20), "(machine 1, 1 of 6) ") << "IPMI knows no systems";
  for (const std::string& question : person.asked) EXPECT_NE(question.find(" of "), std::string::npos) << question;
}

TEST(SiteQuestions, anInputThatEndsWritesNothing) {
  Person person;
  SiteDraft draft;
  EXPECT_THROW(ask_for_site(draft, person.ask, person.say), Error);
}

TEST(SiteQuestions, withoutAPersonTheNetworkMustBeSaid) {
  SiteDraft draft;
  EXPECT_EQ(fill_site(draft).size(), 1U);
  draft.subnet = "192.0.2.0/24";
  EXPECT_TRUE(fill_site(draft).empty());
  EXPECT_EQ(draft.seed, "192.0.2.1");
}

}  // namespace
}  // namespace hearth::bootstrap
