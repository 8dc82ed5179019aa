#include "bootstrap/cli/known_names.hpp"

#include <gmock/gmock.h>

#include "base/cli/completion.hpp"
#include "base/sys/file.hpp"
#include "base/sys/lock.hpp"
#include "bootstrap/client/conductor_client.hpp"
#include "bootstrap/program/program.hpp"
#include "bootstrap/store/store.hpp"

namespace hearth::bootstrap {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Not;
using Words = std::vector<std::string>;

/// What a shell is offered where two nodes and an image are known, and no conductor serves.
class KnownNames : public testing::Test {
 protected:
  KnownNames() {
    Node web;
    web.uuid = "u1";
    web.name = "web1";
    Node nameless;
    nameless.uuid = "u2";
    std::vector<Event> events;
    Store store((directory_.path() / k_state_file).string());
    store.commit({&web, &nameless}, {}, events);
    store.put_document("image/node", {{"file", "node.qcow2"}});
  }
  Words offered(Words line) {
    line.insert(line.begin(), "hearth");
    line.insert(line.end() - 1, {"--state", directory_.path().string()});
    Words words;
    for (const cli::Offer& offer : cli::offers(program::make_program("/usr/bin/hearth"), line).words)
      words.push_back(offer.word);
    return words;
  }
  TempDir directory_ = TempDir::create(fs::temp_directory_path(), "hearth-known-");
};

TEST_F(KnownNames, NodesOfTheStateThatTheLineNames) {
  EXPECT_THAT(offered({"node", "show", ""}), ElementsAre("web1", "u2"));
  EXPECT_THAT(offered({"node", "deploy", "u2", "w"}), ElementsAre("web1"));
  EXPECT_THAT(offered({"node", "show", "web1", ""}), IsEmpty()) << "it takes one";
  EXPECT_THAT(offered({"incident", "w"}), ElementsAre("web1"));
  EXPECT_THAT(offered({"why", ""}), ElementsAre("image", "node", "stack", "value", "page", "web1", "u2"));
  EXPECT_THAT(offered({"why", "node", "w"}), ElementsAre("web1"));
}

TEST_F(KnownNames, RegisteredImagesWhereOneIsAskedFor) {
  EXPECT_THAT(offered({"node", "deploy", "web1", "--image="}), ElementsAre("--image=node"));
}

TEST_F(KnownNames, StatesAndDrivers) {
  EXPECT_THAT(offered({"node", "list", "--provision-state="}), Contains("--provision-state=wait call-back"));
  EXPECT_THAT(offered({"node", "drivers", "red"}), ElementsAre("redfish"));
  EXPECT_THAT(offered({"node", "drivers", ""}), Not(Contains("web1")));
}

TEST_F(KnownNames, NothingWhereSomebodyElseHasTheStateAndDoesNotServeIt) {
  const FileLock lock = FileLock::try_acquire(directory_.path() / "lock").value();
  EXPECT_THAT(offered({"node", "show", ""}), IsEmpty());
}

TEST_F(KnownNames, NothingOfWhatIsCalledANameOnly) { EXPECT_THAT(known_names("NAME", {}), IsEmpty()); }

TEST_F(KnownNames, NothingOfAStackServiceThatIsNotThere) {
  EXPECT_THAT(offered({"stack", "show", "--url", "http://127.0.0.1:1/v1/admin", ""}), IsEmpty());
}

TEST(KnownNamesOfTables, EachCommandOnAStackCallsItSo) {
  for (const cli::Command& row : program::make_program("/usr/bin/hearth").commands) {
    const bool takes_a_new_name = row.words == "stack create" || row.words == "stack adopt";
    if (!row.words.starts_with("stack ") || row.operands.empty() || takes_a_new_name) continue;
    EXPECT_TRUE(row.operands.starts_with("STACK")) << row.words;
  }
}

}  // namespace
}  // namespace hearth::bootstrap
