#include "agent/deploy/command.hpp"

#include <sys/reboot.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>

#include "agent/deploy/agent.hpp"
#include "agent/deploy/init/modules.hpp"
#include "agent/deploy/init/network.hpp"
#include "agent/deploy/init/system.hpp"
#include "agent/deploy/real_machine.hpp"
#include "base/check.hpp"
#include "base/cli/command.hpp"
#include "base/cli/print.hpp"
#include "base/error.hpp"
#include "base/log.hpp"
#include "base/net/web_client.hpp"
#include "base/sys/process.hpp"
#include "base/text.hpp"

namespace hearth::agent {

namespace {

using namespace deploy;

constexpr Duration k_before_retry = std::chrono::seconds(30);

std::string line_with(const std::vector<std::string>& words) {
  std::string line = RealFileSystem().read("/proc/cmdline").value_or("");
  for (const std::string& word : words) line += cat(" ", word);
  return line;
}

/// The agent and what it needs of this machine.
Ending run_agent(const Settings& settings, Console& console, std::function<void()> settle) {
  ::signal(SIGPIPE, SIG_IGN);  // a conductor that hangs up must not end us
  SystemClock clock;
  const Environment env = current_environment();
  WebClient http(clock, env, "hearth-agent");
  Dialer dialer(clock, env);
  RealMachine machine(settings.boot_mac, settings.collect_lldp, std::move(settle));
  OrderWorld world{machine, http, dialer, clock, console};
  RealSurroundings surroundings(clock);
  return Agent(settings, world, surroundings).run();
}

void end_machine(Ending ending, Console& console) {
  console.say(ending == Ending::reboot ? "rebooting" : "switching off");
  RealMachine("", false, {}).end(ending);
}

std::string release() {
  utsname kernel{};
  ::uname(&kernel);
  return kernel.release;
}

/// One try of process 1, from drivers to the conductor's last order.
void run_ramdisk(const Settings& settings, const NetworkWish& wish, ModuleLoader& modules, Network& network,
                 Console& console) {
  modules.settle();
  if (modules.met_packed()) {
    console.say(
        "modules are packed by XZ, which this kernel can't unpack: unpack them where the ramdisk is made (xz -d)");
  }
  mount_efi_variables();
  if (find_nics(RealFileSystem(), read_link).empty()) {
    throw Error(ErrorKind::not_found, "this machine has no network interface that the ramdisk has a driver for")
        .hint("Add its module to the element deploy-ramdisk: DIB_DEPLOY_RAMDISK_MODULES.");
  }
  if (!network.start(wish, settings, modules)) {
    throw Error(ErrorKind::io, "this machine got no address")
        .hint(
            "Is the DHCP server up, and the cable in the right port? Without one, ip= on the kernel command line says "
            "it.");
  }
  end_machine(run_agent(settings, console, [&modules] { modules.settle(); }), console);
}

int failed(const Error& error) {
  cli::tell(cat("hearth-agent: ", error.story(), "\n"));
  return error.exit_code();
}

}  // namespace

int deploy_main(const std::vector<std::string>& words) {
  if (cli::asks_for_help(words)) {
    std::fputs("usage: hearth-agent deploy [NAME=VALUE…]   (as on the kernel command line: ipa-api-url=URL …)\n",
               stdout);
    return 0;
  }
  try {
    const SystemClock clock;
    Console console(clock, STDOUT_FILENO);
    const Settings settings = settings_of(parse_kernel_line(line_with(words)));
    const Ending ending = run_agent(settings, console, {});
    end_machine(ending, console);
    return 0;
  } catch (const Error& error) {
    return failed(error);
  }
}

int write_image_main(const std::vector<std::string>& words) {
  const bool help = cli::asks_for_help(words);
  if (help || words.size() < 2 || words.size() > 3) {
    std::fputs(
        "usage: hearth-agent write-image URL DISK [CHECKSUM | frames:ROOT]\n"
        "Everything on DISK is lost. CHECKSUM is md5, sha256 or sha512 of the file, ROOT that of a frames file.\n",
        help ? stdout : stderr);
    return help ? 0 : 2;
  }
  try {
    SystemClock clock;
    const Environment env = current_environment();
    WebClient http(clock, env, "hearth-agent");
    Dialer dialer(clock, env);
    WriterWorld world{http, dialer, clock, "",
                      [](const std::string& text) { std::fprintf(stderr, "%s\n", one_line(text).c_str()); }};
    ImageInfo image{.id = words[0], .urls = {words[0]}};
    const std::string sum = words.size() > 2 ? words[2] : "";
    if (sum.rfind("frames:", 0) == 0) {
      image.root = sum.substr(7);
    } else if (!sum.empty()) {
      const std::optional<HashKind> kind = hash_of_length(sum.size());
      if (!kind) throw Error(ErrorKind::usage, "the checksum must be md5, sha256 or sha512 in hexadecimal");
      image.checksum = Checksum{*kind, to_lower(sum)};
    }
    WriteProgress progress;
    const WrittenImage written = deploy::write_image(image, words[1], world, progress);
    std::printf("%s: %s, %s fetched, %s of disk\n", words[1].c_str(), std::string(format_name(written.format)).c_str(),
                human_bytes(progress.fetched).c_str(), human_bytes(written.disk_size).c_str());
    return 0;
  } catch (const Error& error) {
    return failed(error);
  }
}

int init_main(const std::vector<std::string>& words) {
  if (::getpid() != 1 && cli::asks_for_help(words)) {
    std::fputs("usage: init [NAME=VALUE…]   (process 1 of the deploy ramdisk; words as on the kernel command line)\n",
               stdout);
    return 0;
  }
  if (::getpid() != 1) {
    std::fputs("hearth-agent init: this is for process 1 of the deploy ramdisk\n", stderr);
    return 2;
  }
  ::signal(SIGCHLD, SIG_IGN);
  mount_system();
  open_console();
  // Process 1 must not end: the machine starts again, which its conductor sees.
  set_check_ending([]() noexcept { ::reboot(RB_AUTOBOOT); });
  SystemClock clock;
  Console console(clock, STDOUT_FILENO);
  console.say(cat("Hearth deploy ramdisk ", HEARTH_VERSION, ", Linux ", release()));
  const std::string kernel_line = line_with(words);
  const Settings settings = settings_of(parse_kernel_line(kernel_line));
  const NetworkWish wish = network_wish(kernel_words(kernel_line));
  ModuleLoader modules(cat("/lib/modules/", release()));
  Network network(clock, console);
  while (true) {
    try {
      run_ramdisk(settings, wish, modules, network, console);
    } catch (const Error& error) {
      for (const std::string& line : split_lines(error.story())) console.say(line);
    } catch (const std::exception& error) {
      console.say(error.what());
    }
    console.say("trying again in 30 s");
    clock.sleep(k_before_retry);
  }
}

int modprobe_main(const std::vector<std::string>& words) { return deploy::modprobe_main(words); }

}  // namespace hearth::agent
