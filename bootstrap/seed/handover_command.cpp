#include "bootstrap/seed/handover_command.hpp"

#include <cstdio>

#include "base/cli/print.hpp"
#include "base/error.hpp"
#include "base/frames/signature.hpp"
#include "base/net/url.hpp"
#include "base/sys/file.hpp"
#include "base/sys/lock.hpp"
#include "base/text.hpp"
#include "bootstrap/client/conductor_client.hpp"
#include "bootstrap/node/node.hpp"
#include "bootstrap/seed/cloud_world.hpp"
#include "builder/evidence/evidence.hpp"
#include "metadata/live/stack_client.hpp"

namespace hearth::bootstrap {

namespace {

/// The seed that is given: of a site file, or a conductor as all commands find it.
struct GivenSeed {
  fs::path folder;
  CloudWorld::AskSeed ask;
  std::map<std::string, fs::path> files;
};

GivenSeed given_seed(const cli::Arguments& arguments, const FindSeed& find, const Clock& clock) {
  GivenSeed seed;
  if (arguments.operands().size() > 1) throw Error(ErrorKind::usage, "name the site file only, or nothing");
  if (arguments.operands().empty()) {
    seed.folder = arguments.value_or("journal", "handover");
    const std::shared_ptr<ConductorClient> client = ConductorClient::open(arguments);
    seed.ask = [client](const std::string& method, const std::string& target, const Json& body) {
      return client->call(method, target, body);
    };
    return seed;
  }
  const SeedPlace place = find(arguments);
  seed.folder = arguments.value_or("journal", place.home.string());
  const bool elsewhere = arguments.has("url");
  if (elsewhere && !arguments.has("token-file"))
    throw Error(ErrorKind::usage, "--token-file is needed beside --url: the token of that seed is not here")
        .hint("It is the file api-token of its state directory.");
  const auto api = std::make_shared<SeedApi>(
      arguments.value_or("url", place.url),
      elsewhere ? std::string(trim(read_file(arguments.value_or("token-file", "")))) : place.token, clock);
  seed.ask = [api](const std::string& method, const std::string& target, const Json& body) {
    return api->call(method, target, body);
  };
  seed.files = {{"site", place.site.image},
                {"site-kernel", place.site.deploy.kernel},
                {"site-ramdisk", place.site.deploy.ramdisk}};
  return seed;
}

/// The seed's stacks: of a service that is named, or that has its state beside the conductor's. Nothing where neither
/// is.
CloudWorld::AskSeed stacks_of(const cli::Arguments& arguments, HttpClient& http, const Clock& clock) {
  const metadata::live::GivenAddress given{arguments.value_or("stacks-url", ""),
                                           arguments.value_or("stacks-token-file", ""),
                                           arguments.value_or("stacks-ca-file", "")};
  const fs::path state = fs::path(state_directory(arguments)) / "metadata";
  const bool is_here = arguments.operands().empty() && !arguments.has("url") &&
                       RealFileSystem().status(state / metadata::live::k_endpoint_file).has_value();
  if (given.url.empty() && !is_here) return {};
  const auto client = std::make_shared<metadata::live::StackClient>(
      http, clock, metadata::live::stack_address(state, given, current_environment()));
  return [client](const std::string& method, const std::string& target, const Json& body) {
    return client->call(method, target, body);
  };
}

Giving::Wishes wishes_of(const cli::Arguments& arguments, std::map<std::string, fs::path> files) {
  Giving::Wishes wishes;
  wishes.to = arguments.value_or("to", "");
  if (const Result<Url> to = parse_url(wishes.to); to && !to->user_info.empty())  // all users of the seed are told it
    throw Error(ErrorKind::usage, "--to: no user or password is to be in the URL of the cloud")
        .hint("Who logs in is told by OS_USERNAME and OS_PASSWORD, or --password-file FILE.");
  wishes.files = std::move(files);
  for (const std::string& word : arguments.values("image")) {
    const std::size_t at = word.find('=');
    if (at == std::string::npos || at == 0 || at + 1 == word.size())
      throw Error(ErrorKind::usage, cat("--image ", word, ": NAME=FILE is expected"));
    wishes.files[word.substr(0, at)] = word.substr(at + 1);
  }
  for (const std::string& node : arguments.values("leave")) wishes.left.insert(node);
  wishes.final = arguments.has("final");
  if (const auto patience = arguments.value("patience")) {
    const std::optional<std::uint64_t> seconds = parse_number(*patience);
    if (!seconds || *seconds > 86'400)
      throw Error(ErrorKind::usage, cat("--patience ", *patience, ": seconds are expected, 86400 at most"));
    wishes.patience = std::chrono::seconds(*seconds);
  }
  return wishes;
}

int verify_record(const cli::Arguments& arguments, const fs::path& folder) {
  const std::string key = builder::evidence::public_key_hex(*arguments.value("verify"));
  const fs::path file = folder / k_handover_record;
  const Json statement = open_record(read_file(file), file.string(), key);
  cli::print(json_document(statement));
  return 0;
}

int handover(const cli::Arguments& arguments, const FindSeed& find) {
  SystemClock clock;
  const bool back = arguments.has("back");
  for (const char* other : {"dry-run", "final"}) {
    if (back && arguments.has(other)) throw Error(ErrorKind::usage, cat("--back and --", other, " do not go together"));
  }
  // Where the record is read the seed may be gone.
  if (const auto journal = arguments.value("journal"); journal && arguments.has("verify"))
    return verify_record(arguments, *journal);
  const GivenSeed seed = given_seed(arguments, find, clock);
  if (arguments.has("verify")) return verify_record(arguments, seed.folder);
  Giving::Wishes wishes = wishes_of(arguments, seed.files);
  const std::optional<GivingJournal> kept = read_giving(seed.folder);
  if (kept && wishes.to.empty()) wishes.to = kept->to;
  if (wishes.to.empty() && back)
    throw Error(ErrorKind::input,
                cat("no handover was begun: the folder ", fs::absolute(seed.folder).string(), " has no record of one"))
        .hint("What a handover did stands in the folder that it was begun with: --journal DIR names it.");
  if (wishes.to.empty())
    throw Error(ErrorKind::usage, "--to is needed: the URL of the cloud's identity service, as http://192.0.2.1:5000");
  const bool looks = arguments.has("dry-run");
  if (!back && !looks) {
    const std::optional<std::string> key = arguments.value("sign-key");
    if (!key)
      throw Error(ErrorKind::usage, "--sign-key is needed: who signs the record of what is given")
          .hint("openssl genpkey -algorithm ed25519 -out handover.key   makes one.");
    wishes.key = Secret::read(*key);
    static_cast<void>(frames::public_key_of(wishes.key->text()));  // before anything is given
  }
  std::string password;
  if (const auto file = arguments.value("password-file")) password = trim(read_file(*file));
  const Environment environment = current_environment();
  const auto variable = [&](const char* name) {
    const auto found = environment.find(name);
    return found == environment.end() ? std::string() : found->second;
  };
  if (!looks) RealFileSystem().make_directories(seed.folder, 0700);
  std::optional<FileLock> lock;
  if (!looks && !(lock = FileLock::try_acquire(seed.folder / "handover.lock")))
    throw Error(ErrorKind::input, cat("another handover is at work in ", seed.folder.string()))
        .hint("wait for its end");
  WebClient http(clock, environment, "hearth-seed");
  CloudWorld world({wishes.to, cloud_login(environment, password), variable("OS_REGION_NAME"), variable("OS_CACERT")},
                   seed.ask, stacks_of(arguments, http, clock), http, clock, [](const std::string& line) {
                     cli::print(cat(line, "\n"));
                     std::fflush(stdout);
                   });
  Giving giving(seed.folder, world, clock);
  if (back)
    giving.back(wishes);
  else
    looks ? giving.look(wishes) : giving.run(wishes);
  return 0;
}

}  // namespace

cli::Command handover_command(const FindSeed& find) {
  return {
      "seed handover",
      "[SITE.yaml]",
      "give a live OpenStack the nodes, images and stacks of a seed",
      "Images go to glance and are compared; nodes go to Ironic with their UUIDs, ports and passwords. Those in "
      "service are adopted: nothing is switched, written or cleaned. From then on the seed gives them no orders. "
      "Stacks are adopted by Heat, with the ids of their servers; no deployment runs again, and their agents are told "
      "to ask there. What is not given (networks, first-boot data) is named. The record of what was given is signed. "
      "Interrupted anywhere, the same command goes on; --back returns everything, until --final. The seed is that "
      "of SITE.yaml, else the conductor of --url or --state. Who logs in at the cloud is told by OS_USERNAME, "
      "OS_PASSWORD, OS_PROJECT_NAME …, as for OpenStack's own client.\n"
      "Exit codes: 0 done, 1 not, with the reason and what to do.",
      with_client(
          {{"to", 0, "URL", "the cloud's identity service, as http://192.0.2.1:5000"},
           {"dry-run", 0, "", "only tell what would be given, and what is wrong"},
           {"back", 0, "", "return everything to the seed"},
           {"final", 0, "", "from now on nothing is returned"},
           {"leave", 0, "NAME",
            "a node or a stack that stays with the seed; with --back, a node that was deleted in the cloud; with "
            "--back or --final, a server whose agent is not waited for; may be given more than once"},
           {"stacks-url", 0, "URL",
            "the seed's stack service, as https://192.0.2.1:8004/v1/admin (that of --state, where one runs)"},
           {"stacks-token-file", 0, "FILE", "its token"},
           {"stacks-ca-file", 0, "FILE", "whom to trust there"},
           {"patience", 0, "SECONDS", "how long agents are waited for (300)"},
           {"image", 0, "NAME=FILE",
            "where the file of an image is (NAME, NAME-kernel, NAME-ramdisk), if the seed's is not here"},
           {"sign-key", 0, "FILE", "the private key that signs the record (Ed25519, PEM)"},
           {"password-file", 0, "FILE", "the password, in place of OS_PASSWORD"},
           {"journal", 0, "DIR", "where journal and record are (that of SITE.yaml, else ./handover)"},
           {"verify", 0, "KEY", "only tell what the record says, if the owner of this public key has signed it"}}),
      [find](const cli::Arguments& arguments) { return handover(arguments, find); }};
}

}  // namespace hearth::bootstrap
