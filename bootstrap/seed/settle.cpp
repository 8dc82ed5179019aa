#include "bootstrap/seed/settle.hpp"

#include <boost/filesystem/directory.hpp>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.hpp"
#include "base/net/own_identity.hpp"
#include "base/sys/file.hpp"
#include "base/sys/file_digest.hpp"
#include "base/sys/sync.hpp"
#include "base/text.hpp"
#include "bootstrap/bundle/bundle_file.hpp"
#include "bootstrap/handover/handover.hpp"
#include "bootstrap/node/node.hpp"
#include "bootstrap/seed/seed_api.hpp"
#include "bootstrap/seed/takeover.hpp"

namespace hearth::bootstrap {

namespace {

constexpr const char* k_state = "/var/lib/hearth/node";
constexpr const char* k_unit = "/usr/lib/systemd/system/hearth-seed.service";
constexpr const char* k_drop_in = "/etc/systemd/system/hearth-seed.service.d";
constexpr const char* k_settings = "/etc/hearth/takeover";
constexpr const char* k_bundle = "state.bundle";

/// Everything below gets the owner of `like`.
void give(const fs::path& tree, const fs::path& like) {
  struct stat owner {};
  if (::stat(like.c_str(), &owner) != 0) throw Error::from_errno("looking at", like.string());
  const auto own = [&](const fs::path& path) {
    if (::lchown(path.c_str(), owner.st_uid, owner.st_gid) != 0)
      throw Error::from_errno("changing the owner of", path.string());
  };
  own(tree);
  for (fs::recursive_directory_iterator at(tree), end; at != end; ++at) own(at->path());
}

/// What the services are to find: theirs again, and that it is here now.
void take_possession(const fs::path& state, const Json& plan, const Clock& clock) {
  Store store((state / "state.db").string());
  forget_handover(store);
  Event event;
  event.at = unix_microseconds(clock.wall());
  event.kind = "handover";
  event.text = cat("the services run on ", text_in(plan, "node"), " now");
  std::vector<Node> nodes = store.nodes([](const std::string&, const std::string&) {});  // a row set aside stays so
  std::vector<const Node*> changed;
  for (Node& node : nodes) {
    if (node.name != text_in(plan, "node")) continue;
    node.fields["protected"] = true;  // undeploying it would end what undeploys it
    node.fields["protected_reason"] = "the seed's services run on it";
    event.node = node.uuid;
    event.title = node.name;
    changed.push_back(&node);
  }
  std::vector<Event> events = {event};
  store.commit(changed, {}, events);
}

}  // namespace

std::optional<OwnInterface> interface_with(const Json& shown, const std::string& address) {
  for (const Json& link : shown.is_array() ? shown : Json::array()) {
    for (const Json& own : link.value("addr_info", Json::array())) {
      if (text_in(own, "local") == address) return OwnInterface{text_in(link, "ifname"), own.value("prefixlen", 0)};
    }
  }
  return std::nullopt;
}

std::string settled_environment(const Json& plan, const OwnInterface& interface) {
  const std::string own = text_in(plan, "own_address");
  const std::string seed = text_in(plan, "seed_address");
  return cat("HEARTH_SEED_INTERFACE=", interface.name, "\nHEARTH_SEED_ADDRESS=", seed, "\nHEARTH_SEED_ADDRESSES=\"",
             own, "/", interface.prefix, " ", seed, "/", interface.prefix, "\"\nHEARTH_SEED_OPTIONS=\"--listen ", own,
             " --own-tls --stacks-listen 0.0.0.0 --public ", seed, " --heartbeat-interval 10 --poll-interval 2\"\n");
}

Json settled_site(const Json& plan, const OwnInterface& interface) {
  Json site = plan.value("site", Json::object());
  site["interfaces"] = {interface.name};
  return site;
}

std::string settled_unit() {
  return "# Written by hearth seed takeover: this machine serves what the seed did.\n"
         "[Unit]\nConditionPathExists=\nConditionPathExists=/etc/hearth/takeover/seed.env\n"
         "Wants=hearth-seed-address.service\nAfter=hearth-seed-address.service\n\n"
         "[Service]\nEnvironmentFile=\nEnvironmentFile=/etc/hearth/takeover/seed.env\nExecStart=\n"
         "ExecStart=/usr/bin/hearth node serve --boot /etc/hearth/takeover/site.json --engine "
         "--state "
         "/var/lib/hearth/node $HEARTH_SEED_OPTIONS\n";
}

Json Settler::plan(const std::string& name) const {
  const fs::path file = in(k_settle_folder) / name;
  return parse_json(read_file(file), file.string()).value_or_throw();
}

OwnInterface Settler::interface(const std::string& address) {
  Command command;
  command.argv = {"ip", "-j", "address", "show"};
  const Json shown = parse_json(run_checked(runner_, command), "what ip prints").value_or_throw();
  if (std::optional<OwnInterface> found = interface_with(shown, address)) return *found;
  throw Error(ErrorKind::not_found, cat("this machine has no interface with the address ", address));
}

void Settler::systemctl(const std::vector<std::string>& words) {
  Command command;
  command.argv = words;
  command.argv.insert(command.argv.begin(), "systemctl");
  run_checked(runner_, command);
}

Json Settler::look(const std::string& address) {
  RealFileSystem files;
  Json faults = Json::array();
  if (!fs::exists(in(k_unit)))
    faults.push_back("there is no hearth-seed.service: its image is to have the element boot-stack");
  if (fs::exists(in("/etc/hearth/seed.env"))) faults.push_back("it is a seed already, by its own metadata");
  if (::geteuid() != 0) faults.push_back("its user must be root there");
  Json found = {{"version", HEARTH_VERSION}, {"files", Json::object()}, {"prefix", 0}};
  try {
    found["prefix"] = interface(address).prefix;
  } catch (const Error& error) {
    faults.push_back(error.what());
  }
  const fs::path folder = in(k_settle_folder);
  files.make_directories(folder, 0700);
  for (const std::string& name : files.list(folder)) {
    if (fs::is_regular_file(folder / name)) found["files"][name] = digest_file(folder / name).sha256;
  }
  found["free"] = fs::space(folder).available;
  found["faults"] = faults;
  return found;
}

void Settler::check_files(const Json& plan) const {
  for (const auto& [name, digest] : plan.at("files").items()) {
    const fs::path file = in(k_settle_folder) / name;
    if (!fs::exists(file)) throw Error(ErrorKind::not_found, cat("there is no ", file.string()));
    if (digest_file(file).sha256 != text_of(digest))
      throw Error(ErrorKind::input, cat(file.string(), " is not what was sent")).hint("run the takeover again");
  }
}

void Settler::place_state(const Json& plan) {
  const std::string id = text_in(plan, "id");
  const fs::path state = in(k_state);
  RealFileSystem files;
  if (files.read(state / "taken-over").value_or("") == id) return;
  check_files(plan);
  const fs::path fresh = cat(state.string(), ".", id);
  fs::remove_all(fresh);
  bundle::unpack_bundle(in(k_settle_folder) / k_bundle, fresh, std::nullopt, {});
  for (const fs::path& folder : {fresh, fresh / "files", fresh / "files/images", fresh / "metadata"})
    files.make_directories(folder, 0700);
  for (const auto& [name, digest] : plan.at("files").items()) {
    if (name == k_bundle) continue;
    fs::remove(fresh / "files/images" / name);
    fs::create_hard_link(in(k_settle_folder) / name, fresh / "files/images" / name);
    fs::permissions(fresh / "files/images" / name, fs::owner_read | fs::group_read | fs::others_read);
  }
  take_possession(fresh, plan, clock_);
  files.write(fresh / "taken-over", id, {.mode = 0600, .uid = {}, .gid = {}});
  give(fresh, state.parent_path());
  sync_file_system(fresh);  // a machine whose power is cut has it
  if (fs::exists(state)) {
    const fs::path before = cat(state.string(), ".before-", id);
    fs::remove_all(before);
    fs::rename(state, before);
  }
  fs::rename(fresh, state);
  sync_directory(state.parent_path());
}

void Settler::configure(const Json& plan) {
  const OwnInterface own = interface(text_in(plan, "own_address"));
  RealFileSystem files;
  files.make_directories(in(k_settings), 0755);
  files.make_directories(in(k_drop_in), 0755);
  files.write(in(k_settings) / "seed.env", settled_environment(plan, own), {});
  files.write(in(k_settings) / "site.json", json_document(settled_site(plan, own)), {});
  files.write(in(k_drop_in) / "takeover.conf", settled_unit(), {});
  systemctl({"daemon-reload"});
}

std::string Settler::last_words() {
  Command command;
  command.argv = {"journalctl", "-q", "-o", "cat", "-n", "5", "_SYSTEMD_UNIT=hearth-seed.service"};
  command.err = Output::discard;
  try {
    return runner_.run(command).out;
  } catch (const Error&) {
    return "";
  }
}

Json Settler::wait_until_ready(const Json& plan, const Deadline& deadline) {
  const auto word_in = [&](const char* file) {
    return std::string(trim(RealFileSystem().read(in(k_state) / file).value_or("")));
  };
  const SeedApi boot(cat("http://", text_in(plan, "seed_address")), "",
                     clock_);  // last: it looks for other DHCP servers
  while (true) {
    try {
      const std::string pin = key_pin((in(k_state) / "server.pem").string());
      const SeedApi people(cat("https://", text_in(plan, "own_address"), ":6385"), word_in("api-token"), clock_, pin);
      const SeedApi machines(cat("https://", text_in(plan, "seed_address"), ":6385"), "", clock_, pin);
      const bool with_tls = word_in("metadata/transport") == "tls";
      const SeedApi stacks(cat(with_tls ? "https://" : "http://", text_in(plan, "seed_address"), ":8004"),
                           word_in("metadata/api-token"), clock_, with_tls ? pin : "");
      static_cast<void>(machines.get("/v1"));
      static_cast<void>(stacks.get("/v1/admin/stacks"));
      if (!boot.answers())
        throw Error(ErrorKind::external, cat("no HTTP boot on ", text_in(plan, "seed_address"), ":80"));
      return {{"nodes", people.get("/v1/nodes").at("nodes").size()}, {"pin", pin}};
    } catch (const Error& error) {
      if (deadline.passed(clock_.now())) {
        throw Error(ErrorKind::external, cat("the services don't answer here: ", error.what(), "\n", last_words()))
            .hint("mend it and run the takeover again, or call it off: --back");
      }
    }
    clock_.sleep(std::chrono::milliseconds(500));
  }
}

/// One that was begun over a connection that broke is still at work.
FileLock Settler::alone(const Deadline& deadline) {
  RealFileSystem().make_directories(in(k_settle_folder), 0700);
  while (true) {
    if (std::optional<FileLock> lock = FileLock::try_acquire(cat(in(k_settle_folder).string(), ".lock")))
      return std::move(*lock);
    if (deadline.passed(clock_.now()))
      throw Error(ErrorKind::io, "another takeover is at work on this machine").hint("wait for its end");
    clock_.sleep(std::chrono::milliseconds(200));
  }
}

Json Settler::settle(const std::string& plan_name, const Deadline& deadline) {
  const FileLock lock = alone(deadline);
  const Json plan = this->plan(plan_name);
  if (!fs::exists(in(k_state) / "taken-over") || read_file(in(k_state) / "taken-over") != text_in(plan, "id"))
    systemctl({"stop", "hearth-seed.service"});
  place_state(plan);
  configure(plan);
  systemctl({"restart", "hearth-seed-address.service"});
  systemctl({"restart", "--no-block", "hearth-seed.service"});  // it may take more than one try
  const Json served = wait_until_ready(plan, deadline);
  for (const auto& [name, digest] : plan.at("files").items()) fs::remove(in(k_settle_folder) / name);
  return served;
}

Json Settler::undo(const std::string& plan_name, const Deadline& deadline) {
  const FileLock lock = alone(deadline);
  const fs::path file = in(k_settle_folder) / plan_name;
  if (!fs::exists(file)) return Json::object();
  const Json plan = this->plan(plan_name);
  if (fs::exists(in(k_settings))) {
    systemctl({"stop", "hearth-seed.service"});
    systemctl({"stop", "hearth-seed-address.service"});  // takes the address away
    fs::remove_all(in(k_settings));
    fs::remove(in(k_drop_in) / "takeover.conf");
    systemctl({"daemon-reload"});
  }
  const fs::path state = in(k_state);
  const fs::path before = cat(state.string(), ".before-", text_in(plan, "id"));
  if (fs::exists(before)) {
    fs::remove_all(state);
    fs::rename(before, state);
  }
  fs::remove_all(in(k_settle_folder));
  return Json::object();
}

}  // namespace hearth::bootstrap
