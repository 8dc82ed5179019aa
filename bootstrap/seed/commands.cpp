#include "bootstrap/seed/commands.hpp"

#include <cstdio>
#include <memory>

#include "base/cli/print.hpp"
#include "base/error.hpp"
#include "base/net/url.hpp"
#include "base/net/web_client.hpp"
#include "base/sys/file.hpp"
#include "base/sys/random.hpp"
#include "base/text.hpp"
#include "bootstrap/node/node.hpp"
#include "bootstrap/seed/accelerator.hpp"
#include "bootstrap/seed/handover_command.hpp"
#include "bootstrap/seed/images_disk.hpp"
#include "bootstrap/seed/seed_api.hpp"
#include "bootstrap/seed/seed_control.hpp"
#include "bootstrap/seed/seed_plan.hpp"
#include "bootstrap/seed/simulate.hpp"
#include "bootstrap/seed/takeover_commands.hpp"
#include "builder/channels/commands.hpp"

namespace hearth::bootstrap {

namespace {

void print(const std::string& text) {
  cli::print(text);
  std::fflush(stdout);
}

/// What all commands work with: the site and where its seed's files are.
struct Seed {
  SiteFile site;
  fs::path image;
  fs::path home;
  SystemClock clock;
  RealRunner runner{clock};
  SeedControl control;

  explicit Seed(const cli::Arguments& arguments)
      : site(load(arguments)), image(image_of(site)), home(cat(image.string(), ".run")), control(home, runner, clock) {}

  /// For who gives the site's image away: one of a channel is taken from there now.
  void settle_image(const cli::Arguments& arguments) {
    if (has_channel_image(site)) site.image = builder::channels::image_named(site.image.filename().string(), arguments);
  }
  [[nodiscard]] std::string token(const char* advice = "hearth seed create makes it") const {
    const std::optional<std::string> text = RealFileSystem().read(cat(image.string(), ".token"));
    if (!text) throw Error(ErrorKind::not_found, cat("there is no ", image.string(), ".token")).hint(advice);
    return std::string(trim(*text));
  }
  [[nodiscard]] SeedMachine machine(const cli::Arguments& arguments) const {
    SeedMachine machine;
    machine.image = image;
    machine.home = home;
    machine.cards = seed_cards(site);
    machine.memory_mib = site.seed_memory_mib;
    const std::optional<std::string> port = arguments.value("first-port");
    const std::uint64_t first = port ? parse_number(*port).value_or(65536) : 0;
    if (first > 65000) throw Error(ErrorKind::usage, cat("--first-port ", *port, ": no port"));
    machine.first_port = static_cast<std::uint16_t>(first);
    return machine;
  }

 private:
  static SiteFile load(const cli::Arguments& arguments) {
    if (arguments.operands().empty()) throw Error(ErrorKind::usage, "name the site file");
    return load_site_file(arguments.operands().front());
  }
  static fs::path image_of(const SiteFile& site) {
    if (site.seed_image.empty())
      throw Error(ErrorKind::input, "the site file does not say where the seed's image is")
          .hint("add  seed: {image: seed.qcow2}");
    return site.seed_image;
  }
};

int create(const cli::Arguments& arguments, const fs::path& executable) {
  Seed seed(arguments);
  if (seed.image.extension() != ".qcow2")
    throw Error(ErrorKind::input, cat(seed.image.string(), ": the seed's image is to end in .qcow2"));
  if (seed.control.is_up())
    throw Error(ErrorKind::input, cat("the seed of ", seed.image.string(), " is up")).hint("hearth seed down stops it");
  const std::string token = random_hex(24);
  const FileAttributes secret{.mode = 0600, .uid = {}, .gid = {}};
  RealFileSystem files;
  const fs::path metadata = cat(seed.image.string(), ".metadata.json");  // hooks see this folder, wherever it is
  files.write(metadata, json_document(seed_metadata(seed.site, seed_cards(seed.site), token)), secret);
  Command command;
  command.argv = {executable.string(),
                  "image",
                  "create",
                  "-o",
                  seed.image.string(),
                  "--image-size",
                  arguments.value_or("image-size", "8"),
                  "--metadata",
                  metadata.string(),
                  "vm",
                  arguments.value_or("system", "debian-minimal"),
                  "enable-serial-console",
                  "boot-stack"};
  for (const std::string& element : arguments.values("element")) command.argv.push_back(element);
  command.env = current_environment();
  command.env->try_emplace("DIB_GRUB_TIMEOUT", "1");
  // As in the rehearsal: without KVM the kernel's check of its timer may fail.
  command.env->try_emplace("DIB_BOOTLOADER_DEFAULT_CMDLINE", "quiet systemd.show_status=no no_timer_check panic=10");
  command.out = Output::inherit;
  command.err = Output::inherit;
  command.own_group = false;
  if (const CommandResult result = seed.runner.run(command); !succeeded(result.status))
    return shell_code(result.status);
  files.write(cat(seed.image.string(), ".token"), cat(token, "\n"), secret);
  print(cat("The seed is ", seed.image.string(), ", the token of its services beside it. Next: hearth seed up ",
            arguments.operands().front(), " --bridge BRIDGE\n"));
  return 0;
}

/// The site's image as a disk of the machine, and what its conductor is to know of it; null where the file names none.
Json lend_image(Seed& seed, SeedMachine& machine) {
  if (seed.site.image.empty() || seed.site.deploy.kernel.empty()) return nullptr;
  machine.images = seed.home / "images.squashfs";
  print("packing the image for the machines\n");
  return pack_image({"site", seed.site.image, seed.site.deploy}, machine.images, seed.runner);
}

std::string endpoint_of(const Seed& seed) {
  return std::string(trim(RealFileSystem().read(seed.home / "endpoint").value_or("http://127.0.0.1:6385")));
}

/// Starts the machine; does not wait for its services. What its conductor is to know of the image that is lent to it.
Json boot_machine(Seed& seed, SeedMachine& machine, const cli::Arguments& arguments) {
  const std::optional<std::string> bridge = arguments.value("bridge");
  if (!bridge) throw Error(ErrorKind::usage, "--bridge is needed: the one that the provisioning network is in");
  if (!fs::exists(seed.image))
    throw Error(ErrorKind::not_found, cat("there is no ", seed.image.string())).hint("hearth seed create makes it");
  RealFileSystem().make_directories(seed.home, 0700);
  machine.accelerator = chosen_accelerator(arguments.value_or("accel", ""), seed.clock);
  const Json image = seed.control.is_up() ? Json() : lend_image(seed, machine);
  seed.control.start(machine, *bridge);
  RealFileSystem().write(seed.home / "endpoint", cat("http://127.0.0.1:", forwarded_port(machine, 6385), "\n"), {});
  print(cat("the seed is booting; its console: ", (seed.home / "console.log").string(), "\n"));
  return image;
}

Deadline patience_of(const cli::Arguments& arguments, const Clock& clock) {
  const std::optional<std::string> patience = arguments.value("timeout");
  return Deadline::after(std::chrono::seconds(patience ? parse_number(*patience).value_or(600) : 600), clock);
}

void need_not_taken_over(const Seed& seed) {
  const std::optional<TakeoverJournal> journal = read_journal(seed.home);
  if (!journal || (journal->step != "stopped" && journal->step != "settled")) return;
  throw Error(ErrorKind::input, cat("the services of this seed ", journal->step == "settled" ? "run" : "are to run",
                                    " on ", journal->node, " (", journal->address, ")"))
      .hint("hearth seed takeover goes on with it, or calls it off: --back");
}

/// IMAGE.authority.pem: who signs for its stack engine. Empty where that is served in clear, as an older seed's is.
fs::path keep_authority(const Seed& seed, const SeedApi& api) {
  const fs::path file = cat(seed.image.string(), ".authority.pem");
  RealFileSystem files;
  files.remove(file);
  try {
    const std::string authority = text_in(api.get("/v1/hearth/engine"), "authority");
    if (authority.empty()) return {};
    files.write(file, authority, {.mode = 0644, .uid = {}, .gid = {}});
    return file;
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::not_found) throw;
    return {};
  }
}

int up(const cli::Arguments& arguments) {
  Seed seed(arguments);
  need_not_taken_over(seed);
  seed.settle_image(arguments);
  SeedMachine machine = seed.machine(arguments);
  const Json image = boot_machine(seed, machine, arguments);
  seed.control.wait_until_ready(patience_of(arguments, seed.clock),
                                [](const std::string& line) { print(cat(line, "\n")); });
  const SeedApi api(cat("http://127.0.0.1:", forwarded_port(machine, 6385)), seed.token(), seed.clock);
  if (!image.is_null()) register_image(api, seed.site, image);
  const fs::path ca_file = keep_authority(seed, api);
  print(cat("the seed is up: conductor http://127.0.0.1:", forwarded_port(machine, 6385), ", stacks ",
            ca_file.empty() ? "http" : "https", "://127.0.0.1:", forwarded_port(machine, 8004), "/v1/admin",
            ca_file.empty() ? "" : cat(" (--ca-file ", ca_file.string(), ")"), ", for machines ",
            seed.site.seed_address, "\nexport HEARTH_NODE_URL=http://127.0.0.1:", forwarded_port(machine, 6385),
            "   and --token-file ", seed.image.string(), ".token\n"));
  return 0;
}

/// For the takeover: the seed as a virtual machine of this computer.
SeedPlace place_of(const cli::Arguments& arguments) {
  const auto seed = std::make_shared<Seed>(arguments);
  seed->settle_image(arguments);
  SeedPlace place{seed->site, seed->home, endpoint_of(*seed), "", {}};
  if (!arguments.has("url"))
    place.token = seed->token(
        "hearth seed create makes it beside the image of a seed that is a virtual machine; one that hearth node serve "
        "runs "
        "is named: --url http://127.0.0.1:6385 --token-file DIR/api-token");
  place.machine.is_up = [seed] { return seed->control.is_up(); };
  place.machine.stop = [seed] { seed->control.stop(std::chrono::seconds(120), seed_tap(seed_cards(seed->site))); };
  place.machine.start = [seed, arguments] {
    SeedMachine machine = seed->machine(arguments);
    static_cast<void>(boot_machine(*seed, machine, arguments));
    const SeedApi api(cat("http://127.0.0.1:", forwarded_port(machine, 6385)), seed->token(), seed->clock);
    const Deadline deadline = patience_of(arguments, seed->clock);
    while (!api.answers()) {  // what is given away answers, too, but never says on the console that it is ready
      if (deadline.passed(seed->clock.now())) throw Error(ErrorKind::external, "the seed does not answer in time");
      seed->clock.sleep(std::chrono::milliseconds(500));
    }
  };
  return place;
}

int down(const cli::Arguments& arguments) {
  Seed seed(arguments);
  const bool was_up = seed.control.stop(arguments.has("force") ? Duration::zero() : std::chrono::seconds(90),
                                        seed_tap(seed_cards(seed.site)));
  print(was_up ? "the seed is down; what it knows is in its image\n" : "the seed was down\n");
  return 0;
}

int status(const cli::Arguments& arguments) {
  Seed seed(arguments);
  const std::optional<TakeoverJournal> journal = read_journal(seed.home);
  const bool moved = journal && journal->step == "settled";
  if (moved) {
    print(cat("the services run on ", journal->node, "\n"));
  } else if (seed.control.is_up()) {
    print(cat("the seed is up: ", seed.image.string(), "\n"));
  } else {
    print(cat("the seed is down: no virtual machine runs ", seed.image.string(),
              "\n(a conductor that serves on this machine itself is asked by: hearth node list)\n",
              journal ? cat("a takeover by ", journal->node, " is under way\n") : ""));
    return 1;
  }
  const std::string pin = moved ? journal->pin : "";
  const std::string url =
      moved ? cat(pin.empty() ? "http://" : "https://", journal->address, ":6385") : endpoint_of(seed);
  const SeedApi api(url, seed.token(), seed.clock, pin);
  try {
    print(seed_status_text(api.get("/v1/nodes/detail"), api.get("/v1/hearth/events?newest=true&limit=5")));
    return 0;
  } catch (const Error& error) {
    print(cat("its conductor does not answer: ", error.what(), "\n"));
    const std::vector<std::string> lines = seed_lines(RealFileSystem().read(seed.home / "console.log").value_or(""));
    for (const std::string& line : lines) print(cat("  ", line, "\n"));
    return 1;
  }
}

int console(const cli::Arguments& arguments) {
  Seed seed(arguments);
  print("the seed's console; Ctrl-] leaves it\n");
  seed.control.console();
  print("\n");
  return 0;
}

}  // namespace

std::vector<cli::Command> seed_commands(const fs::path& executable) {
  const char* site = "SITE.yaml";
  const std::string about = "The site file is that of hearth rehearse (bootstrap/README.md).";
  std::vector<cli::Command> all = {
      {"seed create",
       site,
       "build the image of a site's seed: conductor, DHCP, TFTP, HTTP boot, metadata",
       cat(about,
           " The image is seed.image of it; FILE.token beside it has the token of the seed's services. The seed "
           "configures itself at its first boot from metadata in the image."),
       {{"system", 0, "ELEMENT", "the operating system's element (debian-minimal)"},
        {"element", 0, "ELEMENT", "one more; may be given more than once"},
        {"image-size", 0, "GIB", "of its disk (8)"}},
       [executable](const cli::Arguments& arguments) { return create(arguments, executable); }},
      {"seed up",
       site,
       "start the seed in QEMU, with a card in the provisioning network",
       "Waits until its services answer. They keep what they know in the image. People reach them on this machine's "
       "loopback. The site's image and deploy ramdisk are lent to it and registered as 'site'; an image NAME@CHANNEL "
       "is "
       "taken from its channel.",
       {{"bridge", 0, "BRIDGE", "of this machine, into the provisioning network"},
        {"accel", 0, "KIND", "kvm or tcg (default: kvm where a probe shows that a guest really runs)", {"kvm", "tcg"}},
        {"first-port", 0, "PORT", "five ports of this machine from here on, in place of the services' own numbers"},
        {"timeout", 't', "SECONDS", "how long to wait for its services (600)"}},
       up},
      {"seed down",
       site,
       "stop the seed's machine",
       "Its system ends in order; after 90 seconds the plug is pulled.",
       {{"force", 0, "", "pull the plug at once"}},
       down},
      {"seed status",
       site,
       "tell how the seed is, and its nodes",
       "Exit codes: 0 it answers, 1 it does not.",
       {},
       status},
      {"seed console", site, "connect this terminal with the seed's console", "Ctrl-] leaves it.", {}, console}};
  all.push_back(simulate_command(executable));
  all.push_back(handover_command(place_of));
  for (cli::Command& command : takeover_commands(place_of)) all.push_back(std::move(command));
  for (cli::Command& command : all) {
    if (command.words != "seed up" && command.words != "seed takeover") continue;
    for (cli::Option& option : builder::channels::source_options()) command.options.push_back(std::move(option));
  }
  return all;
}

}  // namespace hearth::bootstrap
