#include "bootstrap/rehearse/commands.hpp"

#include <cstdio>

#include "base/error.hpp"
#include "base/sys/file.hpp"
#include "base/sys/namespace.hpp"
#include "base/text.hpp"
#include "bootstrap/rehearse/rehearsal.hpp"
#include "bootstrap/rehearse/work_folder.hpp"
#include "bootstrap/seed/accelerator.hpp"

namespace hearth::bootstrap {

namespace {

std::uint64_t number(const cli::Arguments& arguments, const char* option, std::uint64_t usual) {
  const std::optional<std::string> text = arguments.value(option);
  if (!text) return usual;
  const std::optional<std::uint64_t> value = parse_number(*text);
  if (!value || *value == 0)
    throw Error(ErrorKind::usage, cat("--", option, " ", *text, ": a positive number is expected"));
  return *value;
}

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
  return std::chrono::seconds(number(arguments, "seed-timeout", seed == SeedKind::process ? 120 : 600));
}

int rehearse(const cli::Arguments& arguments, const fs::path& executable) {
  if (arguments.operands().size() != 1) throw Error(ErrorKind::usage, "name one site file");
  const fs::path file = arguments.operands().front();
  RehearsalSettings settings;
  settings.site = load_site_file(file);
  settings.hearth = executable;
  settings.seed = seed_of(arguments);
  settings.faults = faults_of(arguments, settings.site);
  settings.inspect = !arguments.has("no-inspection");
  settings.boots_at_once = static_cast<unsigned>(number(arguments, "at-once", settings.boots_at_once));
  settings.limit = std::chrono::seconds(number(arguments, "timeout", 3600));
  settings.seed_patience = seed_patience(arguments, settings.seed);
  check(settings);
  const SystemClock clock;
  settings.accelerator = chosen_accelerator(arguments.value_or("accel", ""), clock);
  settings.work = fs::absolute(arguments.value_or("output", cat(file.stem().string(), ".rehearsal")));
  const FileLock lock = taken_work_folder(settings.work);
  NamespacedProcess inside = NamespacedProcess::start([&] {
    try {
      return run_rehearsal(settings);
    } catch (const Error& error) {
      std::fputs(cat("hearth: ", error.story(), "\n").c_str(), stderr);
      return error.exit_code();
    }
  });
  while (true) {
    if (const std::optional<ExitStatus> status = inside.wait()) return shell_code(*status);
  }
}

}  // namespace

std::vector<cli::Command> rehearse_commands(const fs::path& executable) {
  return {
      {"rehearse",
       "SITE.yaml",
       "play a whole site on this machine: its seed and blank machines in QEMU",
       "Makes a network of its own with the machines that the file lists, and takes them through inventory, "
       "inspection and deployment to the stack that it names. Needs no root; nothing is left but DIR with logs and "
       "disks. Exit codes: 0 every machine is active, or spare, and the stack complete, 1 not, else a step's own.\n\n"
       "Faults: power-loss:MACHINE@STATE, dead-disk:MACHINE[@STATE], lossy-link:MACHINE[@STATE]. A deployment that "
       "fails with them is run again, up to three times; a dead disk is replaced before.",
       {{"seed",
         0,
         "KIND",
         "process (default): the seed's services run on this machine; vm: in its image",
         {"process", "vm"}},
        {"inject", 0, "FAULT", "have something go wrong; may be given more than once"},
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
}

}  // namespace hearth::bootstrap
