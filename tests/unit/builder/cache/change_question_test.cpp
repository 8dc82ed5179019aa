#include "builder/cache/change_question.hpp"

#include <gmock/gmock.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <future>
#include <string>
#include <thread>

#include "base/error.hpp"
#include "tests/unit/builder/element_tree.hpp"

namespace hearth::builder {
namespace {

class ChangeQuestionTest : public testing::Test {
 protected:
  static constexpr int k_answered = 7;
  /// More changed inputs than a pipe takes at once.
  static constexpr int k_inputs = 400;

  ChangeQuestionTest() {
    tree.add("os", "", "operating-system");
    tree.hook("os", "extra-data.d/10-x", "true\n");
    plan = tree.plan({"os"});
  }
  std::string input(int number) const {
    return (dir.path() / (std::string(200, 'n') + std::to_string(number))).string();
  }
  void change_inputs() {
    for (int i = 0; i < k_inputs; ++i) std::ofstream(input(i)) << "more";
  }
  /// A process that asks, and says by its exit code that it was answered.
  pid_t start(ChangeQuestion& question) {
    const pid_t process = ::fork();
    if (process != 0) return process;
    try {
      question.ask(facts);
      ::_exit(k_answered);
    } catch (const Error&) {
      ::_exit(1);
    }
  }
  /// That the process sleeps: it waits for the answer.
  static bool waits(pid_t process) {
    const RealFileSystem system;
    for (int i = 0; i < 1000; ++i) {
      const std::string status = system.read("/proc/" + std::to_string(process) + "/stat").value_or("");
      if (status.find(") S ") != std::string::npos) return true;
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    return false;
  }

  TempDir dir = TempDir::create(fs::temp_directory_path(), "hearth-test-");
  RealFileSystem files;
  ElementTree tree{files, dir.path() / "elements"};
  BuildPlan plan;
  FactSource facts{files, plan, {.environment = [](Phase) { return Environment(); }}};
};

TEST_F(ChangeQuestionTest, TellsOfMoreChangesThanAPipeTakes) {
  for (int i = 0; i < k_inputs; ++i) (void)facts.host_digest_of(input(i));
  ChangeQuestion question;
  const pid_t asks = start(question);
  question.begin_answering();
  change_inputs();
  question.answer(facts);
  int status = 0;
  ASSERT_EQ(::waitpid(asks, &status, 0), asks);
  EXPECT_EQ(WEXITSTATUS(status), k_answered);
}

TEST_F(ChangeQuestionTest, AnswersNobodyForEverWhenTheSandboxIsKilled) {
  for (int i = 0; i < k_inputs; ++i) (void)facts.host_digest_of(input(i));
  ChangeQuestion question;
  const pid_t asks = start(question);
  question.begin_answering();
  change_inputs();
  ASSERT_TRUE(waits(asks));
  ::kill(asks, SIGKILL);
  ASSERT_EQ(::waitpid(asks, nullptr, 0), asks);
  std::future<void> answer = std::async(std::launch::async, [&] { question.answer(facts); });
  if (answer.wait_for(std::chrono::seconds(10)) != std::future_status::ready) {
    ADD_FAILURE() << "the answer waits for a reader that is gone";
    std::_Exit(1);  // the thread can't be ended
  }
  EXPECT_THROW(answer.get(), Error);
}

}  // namespace
}  // namespace hearth::builder
