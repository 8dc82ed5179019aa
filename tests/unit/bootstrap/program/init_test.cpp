#include "bootstrap/program/init.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.hpp"
#include "base/text.hpp"
#include "builder/spec/image_description.hpp"

namespace hearth::bootstrap::program {
namespace {

struct Answering {
  std::vector<std::string> answers;
  std::vector<std::string> heard;
  std::vector<std::string> questions;
  std::size_t asked = 0;
  std::string name = "image";

  std::string image() {
    return ask_for_image(
        [this](const std::string& question, const std::string&, bool) -> std::optional<std::string> {
          questions.push_back(question);
          if (asked == answers.size()) return std::nullopt;
          return answers[asked++];
        },
        [this](const std::string& line) { heard.push_back(line); }, name);
  }
};

TEST(Init, answers_become_a_description_that_its_reader_takes) {
  Answering person{{"", "nginx-light, curl", "amy", "qcow2,raw"}};
  person.name = "web";
  const auto images = builder::parse_image_descriptions({{"images.yaml", person.image()}});
  ASSERT_TRUE(images) << images.error().text();
  EXPECT_EQ(images->front().shown_command_line(),
            "DIB_DEV_USER_PWDLESS_SUDO=yes DIB_DEV_USER_USERNAME=amy disk-image-create -o web -t qcow2,raw -p "
            "nginx-light,curl vm debian-minimal enable-serial-console openssh-server devuser");
}

TEST(Init, packages_that_are_in_doubt_are_asked_for_again_and_taken_when_said_twice) {
  std::vector<std::string> answers = {"", "ngnix", "nginx", "", "", "", "odd", "odd", "", ""};
  std::vector<std::string> heard;
  std::size_t asked = 0;
  const auto image = [&] {
    return ask_for_image(
        [&](const std::string&, const std::string&, bool) { return std::optional(answers.at(asked++)); },
        [&](const std::string& line) { heard.push_back(line); }, "image",
        [](const std::string& system, const std::string& packages) {
          EXPECT_EQ(system, "debian-minimal");
          return packages == "nginx" ? "" : cat("there is no package ", packages);
        });
  };
  EXPECT_NE(image().find("packages: ['nginx']"), std::string::npos);
  ASSERT_EQ(heard.size(), 1U);
  EXPECT_THAT(heard[0], testing::HasSubstr("there is no package ngnix"));
  EXPECT_NE(image().find("packages: ['odd']"), std::string::npos) << "it may come from elsewhere";
}

TEST(Init, nothing_but_enter_is_enough) {
  Answering person{{"", "", "", ""}};
  const auto images = builder::parse_image_descriptions({{"images.yaml", person.image()}});
  ASSERT_TRUE(images) << images.error().text();
  EXPECT_EQ(images->front().shown_command_line(),
            "disk-image-create -o image -t qcow2 vm debian-minimal enable-serial-console");
}

TEST(Init, a_wrong_answer_gets_the_nearest_right_one_and_is_asked_again) {
  Answering person{{"debian-minmal", "debian-minimal", "--help", "it's", "curl", "Root", "", "qcow3", "qcow2"}};
  (void)person.image();
  ASSERT_EQ(person.heard.size(), 5U);
  EXPECT_THAT(person.heard.front(), testing::HasSubstr("did you mean debian-minimal?"));
  EXPECT_THAT(person.heard.back(), testing::HasSubstr("qcow2"));
}

TEST(Init, what_would_fail_in_the_build_is_refused_where_it_is_asked) {
  Answering person{{"", "../..", "=x", "/etc/passwd", "curl", "daemon", "www-data", "amy", ""}};
  (void)person.image();
  EXPECT_EQ(person.heard.size(), 5U);
  EXPECT_THAT(person.heard.back(), testing::HasSubstr("'www-data' is a user of the system already"));
}

TEST(Init, each_question_says_how_many_there_are_and_keeps_its_number_when_it_is_asked_again) {
  Answering person{{"no", "", "", "", ""}};
  (void)person.image();
  ASSERT_EQ(person.questions.size(), 5U);
  EXPECT_THAT(person.questions[0], testing::StartsWith("(2 of 5) the operating system")) << "what it is to be was 1";
  EXPECT_EQ(person.questions[1], person.questions[0]);
  EXPECT_THAT(person.questions[4], testing::StartsWith("(5 of 5) formats"));
}

TEST(Init, who_gets_a_user_reads_that_it_is_root_by_sudo) {
  Answering person{{"", "", "", ""}};
  (void)person.image();
  EXPECT_THAT(person.questions[2], testing::HasSubstr("your key in ~/.ssh, and is root by sudo"));
}

TEST(Init, answers_that_end_are_an_error) {
  Answering person{{"debian-minimal"}};
  EXPECT_THROW((void)person.image(), Error);
}

}  // namespace
}  // namespace hearth::bootstrap::program
