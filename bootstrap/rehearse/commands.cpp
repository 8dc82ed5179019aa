#include "bootstrap/rehearse/commands.hpp"

#include <poll.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include "base/cli/print.hpp"
#include "base/error.hpp"
#include "base/sys/file.hpp"
#include "base/sys/namespace.hpp"
#include "base/text.hpp"
#include "bootstrap/inventory/draft.hpp"
#include "bootstrap/rehearse/looking_in.hpp"
#include "bootstrap/rehearse/played_inventory.hpp"
#include "bootstrap/rehearse/rehearsal.hpp"
#include "bootstrap/rehearse/work_folder.hpp"
#include "bootstrap/seed/accelerator.hpp"
#include "builder/channels/commands.hpp"

namespace hearth::bootstrap {

namespace {

std::vector<InjectedFault> faults_of(const cli::Arguments& arguments, const SiteFile& site) {
  std::vector<std::string> names;
  for (const BlankMachine& machine : site.machines) names.push_back(machine.name);
  std::vector<InjectedFault> faults;
  for (const std::string& text : arguments.values("inject")) {
    Result<InjectedFault, std::string> fault = parse_fault(text, names);
    if (!fault) throw Error(ErrorKind::usage, fault.error());
    faults.push_back(std::move(fault).value());
  }
  return faults;
}

SeedKind seed_of(const cli::Arguments& arguments) {
  const std::string word = arguments.value_or("seed", "process");
  if (word == "process") return SeedKind::process;
  if (word == "vm") return SeedKind::machine;
  throw Error(ErrorKind::usage, cat("--seed is vm or process, not '", word, "'"));
}

void check(const RehearsalSettings& settings) {
  std::vector<std::string> missing = missing_files(settings.site, settings.seed == SeedKind::machine);
  if (settings.site.machines.empty()) missing.emplace_back("machines: the site file lists none");
  const Environment env = current_environment();
  const std::vector<std::pair<const char*, const char*>> programs = {
      {"qemu-system-x86_64", "qemu-system-x86"}, {"qemu-img", "qemu-utils"}, {"ip", "iproute2"}};
  for (const auto& [program, package] : programs) {
    if (!find_program(program, env)) missing.push_back(cat(program, " is not installed: apt-get install ", package));
  }
  if (!fs::exists("/dev/net/tun")) missing.emplace_back("there is no /dev/net/tun: modprobe tun");
  if (missing.empty()) return;
  throw Error(ErrorKind::input, cat("this can't be rehearsed:\n", join(missing, "\n")));
}

Duration seed_patience(const cli::Arguments& arguments, SeedKind seed) {
  return std::chrono::seconds(cli::number(arguments, "seed-timeout", seed == SeedKind::process ? 120 : 600));
}

fs::path folder_of(const cli::Arguments& arguments) {
  const fs::path file = arguments.operands().front();
  return fs::absolute(arguments.value_or("output", cat(file.stem().string(), ".rehearsal")));
}

/// The words that name this rehearsal again.
std::vector<std::string> naming_words(const cli::Arguments& arguments) {
  std::vector<std::string> words = {"rehearse", arguments.operands().front()};
  if (const auto output = arguments.value("output")) words.insert(words.end(), {"--output", *output});
  return words;
}

std::string way_back(const cli::Arguments& arguments) {
  std::vector<std::string> words = naming_words(arguments);
  words.insert(words.begin(), "hearth");
  return shell_join(words);
}

/// Looks into a rehearsal that runs, where that is asked for. Returns an exit code then.
std::optional<int> look_in(const cli::Arguments& arguments, const fs::path& executable) {
  std::vector<std::string> asked;
  for (const char* option : {"shell", "console", "connect"}) {
    if (arguments.has(option)) asked.emplace_back(option);
  }
  if (asked.empty()) return std::nullopt;
  if (asked.size() > 1) throw Error(ErrorKind::usage, cat("--", asked[0], " and --", asked[1], " are two commands"));
  for (const char* option : {"inject", "keep", "page", "seed", "inventory", "no-inspection", "accel"}) {
    if (arguments.has(option)) {
      throw Error(ErrorKind::usage, cat("--", option, " is for the start of a rehearsal; --", asked[0],
                                        " looks into one that runs: two commands"));
    }
  }
  const RunningRehearsal rehearsal{folder_of(arguments), way_back(arguments)};
  const std::string target = arguments.value_or(asked[0], "");
  if (asked[0] == "console") {
    enter_console(rehearsal, target);
  } else if (asked[0] == "connect") {
    connect_streams(rehearsal, target);
  } else {
    std::vector<std::string> connect = naming_words(arguments);
    connect.insert(connect.begin(), executable.string());
    connect.insert(connect.end(), {"--connect", cat(target, ":22")});
    const std::vector<std::string> words(arguments.operands().begin() + 1, arguments.operands().end());
    return enter_shell(rehearsal, target, connect, words);
  }
  return 0;
}

SiteFile site_of(const cli::Arguments& arguments) {
  SiteFile site = load_site_file(arguments.operands().front());
  if (has_channel_image(site)) site.image = builder::channels::image_named(site.image.filename().string(), arguments);
  const std::optional<std::string> file = arguments.value("inventory");
  if (!file) return site;
  const ListingFormat format = format_of(*file).value_or(ListingFormat::any);
  const std::vector<ListingEntry> entries = read_listing(read_file(*file), *file, format).value_or_throw();
  if (const Drafts drafts = draft_nodes(entries); !drafts.good())
    throw Error(ErrorKind::input, cat("the inventory has faults\n", faults_text(drafts.faults, entries, *file)));
  std::vector<std::string> left_out;
  Result<SiteFile, std::string> whole = with_inventory(std::move(site), entries, *file, left_out);
  for (const std::string& line : left_out) cli::tell(cat("note: ", line, "\n"));
  if (!whole) throw Error(ErrorKind::input, cat("site file and inventory do not fit\n", whole.error()));
  return std::move(whole).value();
}

/// Waits for the end; a signal ends a rehearsal that is kept, with the code that its steps had.
int wait_for_end(NamespacedProcess& inside, const Fd& kept) {
  sigset_t set{};
  ::sigemptyset(&set);
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) ::sigaddset(&set, number);
  ::sigprocmask(SIG_BLOCK, &set, nullptr);
  const Fd signals(::signalfd(-1, &set, SFD_CLOEXEC));
  const Fd end(static_cast<int>(::syscall(SYS_pidfd_open, inside.pid(), 0)));
  std::array<pollfd, 3> waited = {{{end.get(), POLLIN, 0}, {signals.get(), POLLIN, 0}, {kept.get(), POLLIN, 0}}};
  std::optional<int> code;
  while (true) {
    if (::poll(waited.data(), waited.size(), -1) < 0) continue;
    if ((waited[2].revents & POLLIN) != 0) {
      char byte = 0;
      if (::read(kept.get(), &byte, 1) == 1) code = static_cast<unsigned char>(byte);
      waited[2].fd = -1;
    }
    if (waited[0].revents != 0) return shell_code(*inside.wait());
    if (waited[1].revents == 0) continue;
    signalfd_siginfo info{};
    const bool has_signal = ::read(signals.get(), &info, sizeof info) == sizeof info;
    inside.kill();
    cli::print("\nthe rehearsal is ended\n");
    return code.value_or(128 + (has_signal ? static_cast<int>(info.ssi_signo) : SIGTERM));
  }
}

std::uint16_t page_port(const std::string& text) {
  const std::optional<std::uint64_t> port = parse_number(text);
  if (!port || *port > 65535) throw Error(ErrorKind::usage, cat("--page ", text, ": a port is expected"));
  return static_cast<std::uint16_t>(*port);
}

int rehearse(const cli::Arguments& arguments, const fs::path& executable) {
  if (arguments.operands().empty()) throw Error(ErrorKind::usage, "name one site file");
  if (const std::optional<int> code = look_in(arguments, executable)) return *code;
  if (arguments.operands().size() != 1) throw Error(ErrorKind::usage, "name one site file");
  RehearsalSettings settings;
  settings.site = site_of(arguments);
  settings.hearth = executable;
  settings.keep = arguments.has("keep");
  settings.way_back = way_back(arguments);
  settings.seed = seed_of(arguments);
  settings.faults = faults_of(arguments, settings.site);
  settings.inspect = !arguments.has("no-inspection");
  settings.boots_at_once = static_cast<unsigned>(cli::number(arguments, "at-once", settings.boots_at_once));
  settings.limit = std::chrono::seconds(cli::number(arguments, "timeout", 3600));
  settings.seed_patience = seed_patience(arguments, settings.seed);
  check(settings);
  Fd page;
  if (const std::optional<std::string> port = arguments.value("page")) {
    page = listen_on_loopback(page_port(*port));
    settings.page = page.get();
  }
  const SystemClock clock;
  settings.accelerator = chosen_accelerator(arguments.value_or("accel", ""), clock);
  settings.work = folder_of(arguments);
  const FileLock lock = taken_work_folder(settings.work);
  Pipe kept = Pipe::create();
  NamespacedProcess inside = NamespacedProcess::start([&] {
    try {
      return run_rehearsal(settings, [&](int code) {
        const char byte = static_cast<char>(code);
        write_all(kept.write, {&byte, 1}, "the starter");
      });
    } catch (const Error& error) {
      cli::tell(cat("hearth: ", error.story(), "\n"));
      return error.exit_code();
    }
  });
  kept.write = Fd();
  return wait_for_end(inside, kept.read);
}

}  // namespace

std::vector<cli::Command> rehearse_commands(const fs::path& executable) {
  std::vector<cli::Command> rows = {
      {"rehearse",
       "SITE.yaml [COMMAND…]",
       "play a whole site on this machine: its seed and blank machines in QEMU",
       "Makes a network of its own with the machines that the file lists, and takes them through inventory, "
       "inspection and deployment to the stack that it names; where it names none, each gets the image, and starts. "
       "Needs "
       "no root; nothing is left but DIR with logs and disks. Exit codes: 0 every machine is active, or spare, and the "
       "stack complete, 1 not, else a step's own.\n\n"
       "Faults: power-loss:MACHINE@STATE, dead-disk:MACHINE[@STATE], lossy-link:MACHINE[@STATE]; in the inventory "
       "wrong-mac:MACHINE, wrong-password:MACHINE. A step that fails by them is run again, up to three times; a dead "
       "disk is replaced, an inventory corrected before. What no fault befell and fails is not tried again.\n\n"
       "While it runs, the same command looks in from another terminal: --shell MACHINE (ssh as root, with a key of "
       "the "
       "rehearsal; the image needs an ssh server; COMMAND is run in place of a shell, behind -- where it has options), "
       "--console MACHINE, --connect "
       "MACHINE:PORT. The seed is the machine 'seed'.\n\n"
       "Example: hearth rehearse site.yaml --inventory instackenv.json --inject wrong-mac:control1 --keep --page 8000",
       {{"seed",
         0,
         "KIND",
         "process (default): the seed's services run on this machine; vm: in its image",
         {"process", "vm"}},
        {"inject", 0, "FAULT", "have something go wrong; may be given more than once"},
        {"inventory", 0, "FILE",
         "the inventory of the real site (instackenv.json and its like); its BMCs are played, with their accounts"},
        {"page", 0, "PORT", "status page and API at this port of 127.0.0.1 (0: any that is free)"},
        {"keep", 0, "", "when the steps have ended, all goes on until ^C; the exit code stays that of the steps"},
        {"shell", 0, "MACHINE", "a shell in a machine of a rehearsal that runs"},
        {"console", 0, "MACHINE", "its serial console on this terminal; Ctrl-] leaves it"},
        {"connect", 0, "MACHINE:PORT", "standard input and output at a port of it, as for ssh's ProxyCommand"},
        {"no-inspection", 0, "", "leave out the machines' inspection"},
        {"at-once", 0, "N", "how many machines boot at a time (2)"},
        {"accel", 0, "KIND", "kvm or tcg (default: kvm where a probe shows that a guest really runs)", {"kvm", "tcg"}},
        {"output", 'o', "DIR",
         "for logs and disks (SITE.rehearsal); an earlier rehearsal's is replaced, one that still runs refused"},
        {"seed-timeout", 0, "SECONDS", "how long to wait for the seed's services (120; with --seed vm 600)"},
        {"timeout", 't', "SECONDS", "the end of it, whatever the state (3600)"}},
       [executable](const cli::Arguments& arguments) { return rehearse(arguments, executable); },
       "",
       true}};
  for (cli::Option& option : builder::channels::source_options()) rows.front().options.push_back(std::move(option));
  return rows;
}

}  // namespace hearth::bootstrap
