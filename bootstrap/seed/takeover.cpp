#include "bootstrap/seed/takeover.hpp"

#include <fcntl.h>

#include "base/error.hpp"
#include "base/sys/file.hpp"
#include "base/sys/file_digest.hpp"
#include "base/sys/random.hpp"
#include "base/sys/sync.hpp"
#include "base/text.hpp"
#include "bootstrap/handover/handover.hpp"
#include "bootstrap/node/node.hpp"
#include "bootstrap/seed/images_disk.hpp"
#include "bootstrap/seed/seed_plan.hpp"

namespace hearth::bootstrap {

namespace {

constexpr std::uint64_t k_spare_bytes = std::uint64_t{64} << 20U;
constexpr const char* k_fetched = "state.bundle";
constexpr const char* k_plan = "plan.json";

void write_secret(const fs::path& file, const std::string& text) {
  RealFileSystem().write(file, text, {.mode = 0600, .uid = {}, .gid = {}});
}

}  // namespace

std::optional<TakeoverJournal> read_journal(const fs::path& home) {
  const std::optional<std::string> text = RealFileSystem().read(home / "takeover.json");
  if (!text) return std::nullopt;
  const Json kept = parse_json(*text, (home / "takeover.json").string()).value_or_throw();
  return TakeoverJournal{text_in(kept, "id"), text_in(kept, "node"), text_in(kept, "address"),
                         text_in(kept, "step", "begun"), text_in(kept, "pin")};
}

void write_journal(const fs::path& home, const TakeoverJournal& journal) {
  const Json json = {{"id", journal.id},
                     {"node", journal.node},
                     {"address", journal.address},
                     {"step", journal.step},
                     {"pin", journal.pin}};
  write_secret(home / "takeover.json", json_document(json));
}

std::string node_address(const Json& node) {
  const Json& given = object_member(object_member(node, "extra"), "x_seed");
  const Json& internal = object_member(node, "driver_internal_info");
  return text_in(given, "ipv4_address", text_in(given, "address", text_in(internal, "last_address")));
}

std::vector<std::string> takeover_faults(const Json& node, const Json& look, const SiteFile& site,
                                         std::uint64_t bytes_needed) {
  std::vector<std::string> faults;
  const std::string state = text_in(node, "provision_state");
  const std::string name = text_in(node, "name");
  if (state != "active") faults.push_back(cat(name, " is ", state, ": only an active node can take over"));
  if (node.value("maintenance", false)) faults.push_back(cat(name, " is in maintenance"));
  const std::string version = text_in(look, "version");
  if (version != HEARTH_VERSION)
    faults.push_back(
        cat(name, " has Hearth ", version, ", this one is ", HEARTH_VERSION, ": make its image with the same Hearth"));
  for (const Json& fault : look.value("faults", Json::array())) faults.push_back(cat(name, ": ", text_of(fault)));
  const std::uint64_t free = look.value("free", std::uint64_t{0});
  if (free < bytes_needed + k_spare_bytes)
    faults.push_back(
        cat(name, " has ", human_bytes(free), " free, and ", human_bytes(bytes_needed), " are to go there"));
  if (look.value("prefix", 0) !=
      static_cast<int>(parse_number(site.subnet.substr(site.subnet.find('/') + 1)).value_or(0)))
    faults.push_back(cat(name, " is not in the network ", site.subnet, " with the address that it was reached at"));
  return faults;
}

void Takeover::advance(TakeoverJournal& journal, const std::string& step) {
  journal.step = step;
  write_journal(home_, journal);
}

std::vector<std::pair<fs::path, std::string>> Takeover::images() const {
  if (site_.image.empty() || site_.deploy.kernel.empty()) return {};
  return {{site_.image, cat("site", site_.image.extension().string())},
          {site_.deploy.kernel, "site.kernel"},
          {site_.deploy.ramdisk, "site.ramdisk"}};
}

TakeoverJournal Takeover::begin(const Wishes& wishes) {
  if (std::optional<TakeoverJournal> kept = read_journal(home_)) {
    if (kept->node == wishes.node) return *kept;
    throw Error(ErrorKind::input, cat("a takeover by ", kept->node, " is under way (", kept->step, ")"))
        .hint(cat("finish it: hearth seed takeover SITE ", kept->node, "; or call it off: --back"));
  }
  const Json node = known_node(wishes.node);
  TakeoverJournal journal{random_hex(8), text_in(node, "name", wishes.node), wishes.address, "begun"};
  if (journal.address.empty()) journal.address = node_address(node);
  if (journal.address.empty())
    throw Error(ErrorKind::input, cat("the seed knows no address of ", journal.node)).hint("give it: --address");
  return journal;
}

Json Takeover::known_node(const std::string& name) try {
  return world_.ask_seed("GET", cat("/v1/nodes/", name), Json());
} catch (const Error& error) {
  if (error.kind() != ErrorKind::not_found) throw;
  std::vector<std::string> names;
  const Json all = world_.ask_seed("GET", "/v1/nodes", Json());
  for (const Json& node : list_member(all, "nodes")) names.push_back(text_in(node, "name", text_in(node, "uuid")));
  const std::optional<std::string> near = nearest(name, names);
  throw Error(ErrorKind::not_found, cat("the seed has no node ", name, near ? cat("; did you mean ", *near, "?") : ""))
      .hint("hearth node list shows those that it has");
}

std::vector<std::string> Takeover::faults_of(const TakeoverJournal& journal) {
  const Json node = known_node(journal.node);
  const Json look = world_.on_node(journal.address, {"--look", "--address", journal.address});
  std::uint64_t bytes = 0;
  for (const auto& [file, name] : images()) {
    const Json there = look.value("files", Json::object());
    if (!there.contains(name)) bytes += fs::file_size(file);
  }
  return takeover_faults(node, look, site_, bytes);
}

void Takeover::check(const Wishes& wishes) {
  const TakeoverJournal journal = begin(wishes);
  if (journal.step != "begun") {
    world_.tell(cat("the takeover by ", journal.node, " is under way: ", journal.step));
    return;
  }
  const std::vector<std::string> faults = faults_of(journal);
  if (!faults.empty())
    throw Error(ErrorKind::input, cat(journal.node, " can't take the services over:\n", join(faults, "\n")));
  world_.tell(cat(journal.node, " (", journal.address, ") can take the services over"));
}

/// What the node has already, by its digest, is not sent again.
void Takeover::bring(const TakeoverJournal& journal, const std::vector<std::pair<fs::path, std::string>>& files) {
  const Json look = world_.on_node(journal.address, {"--look", "--address", journal.address});
  const Json there = look.value("files", Json::object());
  const TempDir folder = TempDir::create(home_, "bring.");
  std::vector<fs::path> missing;
  for (const auto& [file, name] : files) {
    if (text_in(there, name) == digest_file(file).sha256) continue;
    const fs::path link = folder.path() / name;
    fs::create_symlink(fs::canonical(file), link);
    missing.push_back(link);
  }
  if (missing.empty()) return;
  world_.copy(journal.address, missing);
}

/// Between its two roles nothing answers for a moment.
bool Takeover::is_handed_over(const TakeoverJournal& journal) {
  const Deadline deadline = Deadline::after(std::chrono::seconds(60), clock_);
  while (true) {
    try {
      return text_in(world_.ask_seed("GET", "/v1/hearth/handover", Json()), "id") == journal.id;
    } catch (const Error& error) {
      if (error.kind() == ErrorKind::not_found) return false;  // it has not heard of it, and serves
      if (error.kind() != ErrorKind::io || deadline.passed(clock_.now())) throw;
      clock_.sleep(std::chrono::milliseconds(200));
    }
  }
}

void Takeover::ask(TakeoverJournal& journal, bool force) {
  const Json wish = {{"id", journal.id}, {"to", journal.node}, {"force", force}};
  static_cast<void>(world_.ask_seed("POST", "/v1/hearth/handover", wish));
  advance(journal, "asked");
}

void Takeover::fetch(TakeoverJournal& journal) {
  const Deadline deadline = Deadline::after(std::chrono::minutes(10), clock_);
  Json packed;
  while (packed.is_null()) {  // the services end, then their state is packed
    try {
      packed = world_.ask_seed("GET", "/v1/hearth/handover", Json());
    } catch (const Error&) {
      if (deadline.passed(clock_.now())) throw;
      clock_.sleep(std::chrono::milliseconds(300));
    }
  }
  if (text_in(packed, "id") != journal.id)
    throw Error(ErrorKind::input, cat("the seed's services are given to ", text_in(packed, "to"), " by somebody else"));
  const fs::path part = home_ / "state.part";
  const std::uint64_t bytes = packed.value("bytes", std::uint64_t{0});
  std::uint64_t have = fs::exists(part) ? fs::file_size(part) : 0;
  if (have > bytes) {
    fs::remove(part);
    have = 0;
  }
  while (have < bytes) {
    const std::string more = world_.seed_bytes(cat("/v1/hearth/handover/state?offset=", have));
    if (more.empty()) throw Error(ErrorKind::external, "the seed gives no more of its state, and some is missing");
    const Fd fd = Fd::open(part.string(), O_WRONLY | O_CREAT | O_APPEND, 0600);
    write_all(fd, more, part.string());
    have += more.size();
  }
  if (digest_file(part).sha256 != text_in(packed, "sha256")) {
    fs::remove(part);
    throw Error(ErrorKind::external, "the seed's state arrived altered").hint("run the takeover again");
  }
  sync_file(part);  // the journal says "fetched" next, and nobody looks again
  fs::rename(part, home_ / k_fetched);
  advance(journal, "fetched");
}

void Takeover::settle(TakeoverJournal& journal) {
  const Json answer = world_.on_node(journal.address, {k_plan});
  journal.pin = text_in(answer, "pin");
  advance(journal, "settled");
  world_.tell(cat(journal.node, " serves now: ", answer.value("nodes", 0), " nodes, conductor https://",
                  journal.address, ":6385 (its certificate there: /var/lib/hearth/node/server.pem), for machines ",
                  site_.seed_address));
}

void Takeover::run(const Wishes& wishes) {
  TakeoverJournal journal = begin(wishes);
  if (journal.step == "settled") {
    world_.tell(cat("the services run on ", journal.node, " already"));
    return;
  }
  if (journal.step == "begun" && is_handed_over(journal)) advance(journal, "asked");
  if (journal.step == "begun") {
    if (const std::vector<std::string> faults = faults_of(journal); !faults.empty())
      throw Error(ErrorKind::input, cat(journal.node, " can't take the services over:\n", join(faults, "\n")));
    advance(journal, "begun");
    world_.tell(cat("images go to ", journal.node));
    bring(journal, images());
    world_.tell("the seed's services end; from now on nothing changes there");
    ask(journal, wishes.force);
  }
  if (journal.step == "asked") fetch(journal);
  const fs::path state = home_ / k_fetched;
  if (journal.step == "fetched") {
    std::vector<std::pair<fs::path, std::string>> files = images();
    files.emplace_back(state, k_fetched);
    Json digests = Json::object();
    for (const auto& [file, name] : files) digests[name] = digest_file(file).sha256;
    const Json plan = {{"id", journal.id},
                       {"node", journal.node},
                       {"own_address", journal.address},
                       {"seed_address", site_.seed_address},
                       {"site", boot_site(site_, "", "/var/lib/hearth/node")},
                       {"files", digests}};
    write_secret(home_ / k_plan, json_document(plan));
    files.emplace_back(home_ / k_plan, k_plan);
    world_.tell(cat("what the seed knows goes to ", journal.node, ": ", human_bytes(fs::file_size(state))));
    bring(journal, files);
    world_.tell("the seed goes down");
    world_.stop_seed();
    advance(journal, "stopped");
  }
  if (world_.seed_is_up())
    throw Error(ErrorKind::input, "the seed is up, and has the address that the node is to take").hint("stop it first");
  world_.tell(cat(journal.node, " takes ", site_.seed_address, " and starts the services"));
  settle(journal);
}

void Takeover::call_off() {
  const std::optional<TakeoverJournal> journal = read_journal(home_);
  if (!journal) throw Error(ErrorKind::input, "there is no takeover under way");
  if (journal->step == "settled") {
    throw Error(ErrorKind::input, cat("the services run on ", journal->node, ", and know more than the seed by now"))
        .hint(
            "the seed's image is as it was when they left; remove takeover.json beside its console to start it anyway");
  }
  if (journal->step == "stopped") {  // it may have begun to serve
    world_.tell(cat(journal->node, " gives the address back"));
    static_cast<void>(world_.on_node(journal->address, {"--undo", k_plan}));
  }
  if (!world_.seed_is_up()) world_.start_seed();
  const bool frozen = is_handed_over(*journal);
  if (frozen) static_cast<void>(world_.ask_seed("DELETE", "/v1/hearth/handover", Json()));
  for (const char* file : {k_fetched, "state.part", k_plan, "takeover.json"}) fs::remove(home_ / file);
  world_.tell(frozen ? "the seed's services start again" : "the seed serves");
}

}  // namespace hearth::bootstrap
