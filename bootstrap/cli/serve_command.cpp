// `hearth node serve`: the conductor and its REST faces in one process.
#include <cstdio>
#include <cstdlib>

#include "base/cli/print.hpp"
#include "base/sys/datagram.hpp"
#include "base/sys/secret.hpp"
#include "base/text.hpp"
#include "bootstrap/cli/commands.hpp"
#include "bootstrap/cli/seed_service.hpp"

namespace hearth::bootstrap {

namespace {

int serve(const cli::Arguments& arguments) {
  forbid_dumps();  // passwords of BMCs and the stacks' keys would be in them
  std::optional<Handover> handover;
  try {
    SeedService service(arguments);
    notify_service_manager(current_environment(), "READY=1");
    try {
      service.run();
    } catch (const Error& error) {
      if (service.wind_up()) throw;
      cli::tell(cat("hearth: ", error.story(), "\n"));
      std::fflush(nullptr);
      std::_Exit(error.exit_code());
    }
    handover = service.handover();
    if (!service.wind_up() && !handover) {
      cli::tell("hearth: ended while BMCs or agents had not answered; what was asked of them is asked again\n");
      std::fflush(nullptr);
      std::_Exit(0);
    }
  } catch (const GivenAway& given) {
    handover = given.handover;
  }
  return handover ? serve_handover(arguments, *handover) : 0;
}

std::vector<cli::Option> standby_options() {
  return {{"standby", 0, "",
           "one of several seeds of one database, started alike: wait while another serves it, and follow when that is "
           "silent for 3 s"},
          {"address", 0, "ADDRESS/PREFIX",
           "with --standby: this IPv4 address goes with whichever serves, and is announced by gratuitous ARP"},
          {"interface", 0, "CARD", "the card that gets it"}};
}

}  // namespace

cli::Command serve_command() {
  cli::Command command{
      "node serve",
      "",
      "run the conductor: moves nodes through their states; Ironic's REST API",
      "The field's client works with it: OS_AUTH_TYPE=http_basic OS_USERNAME=admin OS_PASSWORD=$(cat DIR/api-token) "
      "OS_ENDPOINT=http://127.0.0.1:6385 openstack baremetal …. "
      "Machines are served on the addresses given by --agents, and there get nothing but what a deploy ramdisk needs. "
      "Everything is kept in DIR: killed at any moment, it goes on where it was. People's token is in DIR/api-token "
      "(X-Auth-Token, or the password of Basic credentials), which programs on this machine need like all others; root "
      "and the user that this runs as need none at DIR/api.socket, where hearth node asks; "
      "DIR/people gives further ones lesser roles: a line each, NAME ROLE TOKEN, with ROLE read, operate or admin. A "
      "browser finds the status page at the same address; to see nodes one logs in with a token.\nExit codes: 0 it was "
      "stopped, or its services run elsewhere now (hearth seed takeover); 75 that was called off, start it again.",
      {{"state", 0, "DIR", "where nodes are kept (HEARTH_NODE_STATE, /var/lib/hearth/node)"},
       {"database", 0, "URL",
        "keep nodes, events, leases and stacks there: postgresql://USER@HOST/NAME (DIR/{,metadata/}seal-key open it)"},
       {"listen", 0, "ADDRESS", "for people (127.0.0.1)"},
       {"port", 0, "PORT", "of the API, for people and machines (6385)"},
       {"engine", 0, "", "also run the stack engine (as hearth metadata serve does), for hearth deploy"},
       {"keep-events", 0, "N", "how many events are kept (1000000); 0 = all"},
       {"rehearsal", 0, "",
        "also take drivers and words that make something run on this machine: qemu, other libvirt URIs, password files "
        "anywhere"},
       {"consoles", 0, "DIR",
        "machines that another program of this computer runs have their serial consoles there: DIR/NAME/console.log, "
        "and the socket DIR/NAME/console"},
       {"no-page", 0, "", "no status page"},
       {"stacks", 0, "URL",
        "whose stacks the page shows: a Heat API such as http://127.0.0.1:8004/v1/PROJECT (with --engine, its own)"},
       {"stacks-token-file", 0, "FILE", "the token for it"},
       {"stacks-ca-file", 0, "FILE", "whom to trust there (PEM; the system's authorities)"},
       {"tls-certificate", 0, "FILE", "serve people by TLS with this chain (PEM)"},
       {"tls-key", 0, "FILE", "and this key"},
       {"own-tls", 0, "", "or with DIR/server.pem and its key, which are made at the first start"},
       {"host-name", 0, "NAME", "the conductor's name (hearth)"},
       {"automated-clean", 0, "", "clean nodes before they become available"},
       {"max-concurrent-deploy", 0, "N",
        "deployments above this many at once are refused (0 = none, they wait; Ironic: 250)"},
       {"max-concurrent-clean", 0, "N", "likewise cleanings and undeployments (0; Ironic: 50)"},
       {"leave-failed-on", 0, "", "leave a machine on whose deployment has failed (power_off_after_deploy_failure)"},
       {"clean-callback-timeout", 0, "SECONDS", "how long cleaning waits for its machine (1800)"},
       {"inspect-timeout", 0, "SECONDS", "how long an inspection waits for its result (1800)"},
       {"rescue-callback-timeout", 0, "SECONDS", "how long a rescue waits for its machine (1800)"},
       {"boot-silence-timeout", 0, "SECONDS",
        "a machine of which nothing is heard for so long after its start is started again, twice (600); 0 = never"},
       {"agent-silence-timeout", 0, "SECONDS", "an agent that is silent for so long is lost (600)"},
       {"heartbeat-interval", 0, "SECONDS", "told to agents (300)"},
       {"power-sync-interval", 0, "SECONDS", "between looks at all BMCs (60); 0 = never"},
       {"power-off-wait", 0, "SECONDS", "from an agent's leave to switching its machine off (30)"},
       {"reminder-interval", 0, "SECONDS", "between reminders to people (300)"},
       {"keep-rights", 0, "", "stay root in full, to give machines of QEMU their taps and root's disks (driver qemu)"},
       {"quiet", 'q', "", "don't print events"}},
      serve,
      "",
      true};
  for (auto* more : {standby_options, boot_options})
    for (cli::Option& option : more()) command.options.push_back(std::move(option));
  return command;
}

std::vector<cli::Command> commands() {
  std::vector<cli::Command> all = node_commands();
  for (auto* more : {verb_commands, port_commands, baremetal_commands, image_commands}) {
    for (cli::Command& command : more()) all.push_back(std::move(command));
  }
  all.push_back(todo_command());
  all.push_back(console_command());
  all.push_back(serve_command());
  all.push_back(deploy_command());
  all = cli::answered_by("a conductor", std::move(all));
  for (cli::Command& command : backup_commands()) all.push_back(std::move(command));
  all.push_back(schema_command());
  all.push_back(seeds_command());
  return all;
}

}  // namespace hearth::bootstrap
