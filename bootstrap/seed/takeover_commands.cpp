#include "bootstrap/seed/takeover_commands.hpp"

#include <csignal>
#include <cstdio>

#include "base/cli/print.hpp"
#include "base/error.hpp"
#include "base/sys/file.hpp"
#include "base/sys/lock.hpp"
#include "base/text.hpp"
#include "bootstrap/seed/settle.hpp"

namespace hearth::bootstrap {

namespace {

void print_takeover(const std::string& text) {
  cli::print(text);
  std::fflush(stdout);
}

std::chrono::seconds seconds_of(const cli::Arguments& arguments, std::uint64_t usual) {
  const std::optional<std::string> text = arguments.value("timeout");
  const std::optional<std::uint64_t> seconds = text ? parse_number(*text) : usual;
  if (!seconds) throw Error(ErrorKind::usage, cat("--timeout ", *text, ": a number is expected"));
  return std::chrono::seconds(*seconds);
}

/// Services that are no virtual machine of this computer: they end when they are told to.
SeedWorld::Switch running_services(const SeedApi& api) {
  SeedWorld::Switch services;
  services.is_up = [&api] { return api.answers(); };
  services.stop = [&api] {
    if (api.answers()) static_cast<void>(api.call("POST", "/v1/hearth/handover/leave", Json::object()));
    SystemClock clock;
    const Deadline deadline = Deadline::after(std::chrono::minutes(2), clock);
    while (api.answers()) {
      if (deadline.passed(clock.now())) throw Error(ErrorKind::external, "the seed's services do not end");
      clock.sleep(std::chrono::milliseconds(200));
    }
  };
  services.start = [&api] {  // they may just be on their way from one role to the other
    SystemClock clock;
    const Deadline deadline = Deadline::after(std::chrono::seconds(60), clock);
    while (!api.answers()) {
      if (deadline.passed(clock.now()))
        throw Error(ErrorKind::input, "the seed's services are down")
            .hint("start them where they ran, then again --back");
      clock.sleep(std::chrono::milliseconds(200));
    }
  };
  return services;
}

int takeover(const cli::Arguments& arguments, const FindSeed& find) {
  if (arguments.operands().size() != (arguments.has("back") ? 1U : 2U))
    throw Error(ErrorKind::usage, arguments.has("back") ? "name the site file" : "name the site file and the node");
  if (arguments.has("url") && !arguments.has("token-file"))
    throw Error(ErrorKind::usage, "--token-file is needed beside --url: the token of that seed is not here");
  SeedPlace place = find(arguments);
  RealFileSystem().make_directories(place.home, 0700);
  const std::optional<FileLock> lock = FileLock::try_acquire(place.home / "takeover.lock");
  if (!lock) throw Error(ErrorKind::input, "another takeover of this seed is at work").hint("wait for its end");
  if (const std::optional<std::string> url = arguments.value("url")) {
    place.url = *url;
    place.token = trim(read_file(*arguments.value("token-file")));
  }
  SystemClock clock;
  RealRunner runner(clock);
  const SeedApi api(place.url, place.token, clock);
  const Remote remote(arguments.value_or("user", "root"), arguments.values("ssh-option"), runner);
  std::vector<std::string> program = {arguments.value_or("program", "hearth")};
  SeedWorld world(api, remote, arguments.has("url") ? running_services(api) : place.machine, program,
                  [](const std::string& line) { print_takeover(cat(line, "\n")); });
  Takeover takeover(place.site, place.home, world, clock);
  if (arguments.has("back")) {
    takeover.call_off();
    return 0;
  }
  const Takeover::Wishes wishes{arguments.operands()[1], arguments.value_or("address", ""), arguments.has("force")};
  arguments.has("check") ? takeover.check(wishes) : takeover.run(wishes);
  return 0;
}

int settle(const cli::Arguments& arguments) {
  // Its network is about to change under the connection that it was started by; it goes on when that breaks.
  for (const int signal : {SIGHUP, SIGPIPE}) std::signal(signal, SIG_IGN);
  SystemClock clock;
  RealRunner runner(clock);
  Settler settler("", runner, clock);
  const auto plan = [&]() -> const std::string& {
    if (arguments.operands().size() != 1) throw Error(ErrorKind::usage, "name the plan");
    return arguments.operands().front();
  };
  const Deadline deadline = Deadline::after(seconds_of(arguments, 300), clock);
  Json answer;
  if (arguments.has("look"))
    answer = settler.look(arguments.value_or("address", ""));
  else if (arguments.has("undo"))
    answer = settler.undo(plan(), deadline);
  else
    answer = settler.settle(plan(), deadline);
  print_takeover(cat(format_json(answer), "\n"));
  return 0;
}

}  // namespace

std::vector<cli::Command> takeover_commands(const FindSeed& find) {
  return {
      {"seed takeover",
       "SITE.yaml NODE",
       "move the seed's services, and all they know, to a machine that the seed has deployed",
       "NODE's image has the element boot-stack and an ssh server; it is active, and root is let in with a key. Its "
       "image and the machines' go there; the seed's services end; their state (nodes, stacks, leases, events) is "
       "copied; the seed goes down; the node takes the seed's address and serves. Interrupted anywhere, the same "
       "command goes on; until the node serves, --back calls it off, and the seed serves again. Never do both.\n"
       "Exit codes: 0 the node serves, 1 not, with the reason and what to do.",
       {{"check", 0, "", "only tell whether it would work"},
        {"back", 0, "", "call it off: the seed serves again (operand: SITE.yaml; --bridge for its machine)"},
        {"force", 0, "", "even while nodes are worked on; their work begins again on the node"},
        {"address", 0, "ADDRESS", "of the node (what the seed knows)"},
        {"user", 0, "NAME", "for ssh (root)"},
        {"ssh-option", 0, "WORD", "for ssh's -o, such as IdentityFile=key; may be given more than once"},
        {"program", 0, "FILE", "hearth on the node (hearth)"},
        {"bridge", 0, "BRIDGE", "for --back, as for hearth seed up"},
        {"accel", 0, "KIND", "for --back: kvm or tcg", {"kvm", "tcg"}},
        {"first-port", 0, "PORT", "for --back, as for hearth seed up"},
        {"timeout", 't', "SECONDS", "for --back: how long to wait for the seed (600)"},
        {"url", 0, "URL", "the conductor of a seed that is no virtual machine of this computer"},
        {"token-file", 0, "FILE", "its token"}},
       [find](const cli::Arguments& arguments) { return takeover(arguments, find); }},
      {"seed settle",
       "PLAN",
       "the node's side of hearth seed takeover, which runs it",
       "Puts what was brought to /var/lib/hearth/takeover in place and starts the services with the seed's address. "
       "Prints JSON.",
       {{"look", 0, "", "only tell what this machine is like"},
        {"undo", 0, "", "end the services and give the address back"},
        {"address", 0, "ADDRESS", "with --look: this machine's own"},
        {"timeout", 't', "SECONDS", "how long to wait for the services (300)"}},
       settle}};
}

}  // namespace hearth::bootstrap
