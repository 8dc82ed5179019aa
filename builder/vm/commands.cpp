#include "builder/vm/commands.hpp"

#include <cstdio>

#include "base/error.hpp"
#include "base/json.hpp"
#include "base/pattern.hpp"
#include "base/sys/file.hpp"
#include "base/sys/user_places.hpp"
#include "base/text.hpp"
#include "builder/vm/image_boot.hpp"
#include "builder/vm/kvm_probe.hpp"

namespace hearth::vm {

namespace {

constexpr std::uint16_t k_ssh_port = 2222;

constexpr int k_default_timeout_s = 180;

std::vector<cli::Option> machine_options() {
  return {
      {"firmware",
       0,
       "KIND",
       "bios (default), uefi, or uefi-secure: Secure Boot enforced, Microsoft's keys",
       {"bios", "uefi", "uefi-secure"}},
      {"cd", 0, "", "put the image into a CD drive (default for an .iso file)"},
      {"sector-size", 0, "BYTES", "of the disk, as the machine sees it: 512 (default) or 4096", {"512", "4096"}},
      {"memory", 'm', "MIB", "memory of the machine (default: 1024)"},
      {"cpus", 0, "N", "processors (default: 1)"},
      {"accel", 0, "KIND", "kvm or tcg (default: kvm where a probe shows that a guest really runs)", {"kvm", "tcg"}},
      {"network", 0, "", "give the machine the host's network, behind NAT"},
      {"forward", 0, "HOST:GUEST",
       "a port of this machine's loopback that leads to one of the guest; may be given more than once; needs no "
       "--network"},
      {"ssh", 0, "", cat("the same for ", k_ssh_port, ":22; says how to log in")},
      {"keep-writes", 0, "", "let the machine change the image (default: changes are discarded)"}};
}

std::uint64_t number(const cli::Arguments& arguments, const std::string& option, std::uint64_t fallback) {
  const std::optional<std::string> text = arguments.value(option);
  if (!text) return fallback;
  const std::optional<std::uint64_t> value = parse_number(*text);
  if (!value || *value == 0)
    throw Error(ErrorKind::usage, cat("--", option, ": '", *text, "' is not a positive number"));
  return *value;
}

std::string choose_accelerator(const cli::Arguments& arguments, const fs::path& scratch, const Clock& clock) {
  const std::string wanted = arguments.value_or("accel", "");
  if (wanted == "kvm" || wanted == "tcg") return wanted;
  if (!wanted.empty()) throw Error(ErrorKind::usage, cat("--accel is kvm or tcg, not '", wanted, "'"));
  const KvmVerdict verdict =
      cached_kvm_verdict({}, cache_directory(current_environment()) / "hearth", current_boot_id(), scratch, clock);
  if (!verdict.works) std::fprintf(stderr, "KVM is not used: %s\n", verdict.reason.c_str());
  return verdict.works ? "kvm" : "tcg";
}

PortForward forward_of(const std::string& text) {
  const std::size_t colon = text.find(':');
  const auto port = [&](const std::string& part) {
    const std::optional<std::uint64_t> number = parse_number(part);
    if (!number || *number == 0 || *number > 65535) {
      throw Error(ErrorKind::usage, cat("--forward: '", text, "' is not HOST:GUEST, two ports: 8080:80"));
    }
    return static_cast<std::uint16_t>(*number);
  };
  if (colon == std::string::npos) return {port(text), port(text)};
  return {port(text.substr(0, colon)), port(text.substr(colon + 1))};
}

FirmwareKind firmware_of(const std::string& name) {
  if (name == "bios") return FirmwareKind::bios;
  if (name == "uefi") return FirmwareKind::uefi;
  if (name == "uefi-secure") return FirmwareKind::uefi_secure;
  throw Error(ErrorKind::usage, cat("--firmware is bios, uefi or uefi-secure, not '", name, "'"));
}

QemuMachine make_machine(const cli::Arguments& arguments, const fs::path& scratch, const Clock& clock) {
  if (arguments.operands().size() != 1) throw Error(ErrorKind::usage, "name one image");
  QemuMachine machine;
  machine.image = fs::absolute(arguments.operands().front());
  if (!fs::exists(machine.image)) {
    throw Error(ErrorKind::not_found, cat("there is no image ", machine.image.string()))
        .hint("hearth image create makes one.");
  }
  machine.image_format = image_format_of(machine.image);
  machine.firmware = firmware_of(arguments.value_or("firmware", "bios"));
  if (machine.firmware != FirmwareKind::bios) machine.ovmf = find_ovmf(machine.firmware);
  machine.cd_drive = arguments.has("cd") || machine.image.extension() == ".iso";
  machine.sector_size = static_cast<std::uint32_t>(number(arguments, "sector-size", machine.sector_size));
  if (machine.sector_size != 512 && machine.sector_size != 4096) {
    throw Error(ErrorKind::usage, "--sector-size is 512 or 4096");
  }
  machine.memory_mib = number(arguments, "memory", machine.memory_mib);
  machine.cpus = static_cast<unsigned>(number(arguments, "cpus", machine.cpus));
  machine.user_network = arguments.has("network");
  for (const std::string& text : arguments.values("forward")) machine.forwards.push_back(forward_of(text));
  if (arguments.has("ssh")) {
    machine.forwards.push_back({k_ssh_port, 22});
    std::fprintf(stderr, "log in: ssh -p %u USER@127.0.0.1\n", static_cast<unsigned>(k_ssh_port));
  }
  machine.disk_writes = arguments.has("keep-writes") ? DiskWrites::kept : DiskWrites::discarded;
  machine.accelerator = choose_accelerator(arguments, scratch, clock);
  return machine;
}

cli::Command boot_command() {
  return {.words = "image boot",
          .operands = "IMAGE",
          .summary = "start an image in QEMU, its serial console on this terminal",
          .details = "The image is not changed unless --keep-writes is given. Ctrl-A x ends the machine.",
          .options = machine_options(),
          .run =
              [](const cli::Arguments& arguments) {
                const SystemClock clock;
                RealRunner runner(clock);
                const TempDir scratch = TempDir::create(temporary_directory(current_environment()), "hearth-boot.");
                return boot_image(make_machine(arguments, scratch.path(), clock), scratch.path(), runner);
              },
          .first = true};
}

Json report_json(const BootReport& report) {
  Json seen = Json::array();
  for (const Seen& sign : report.seen) {
    seen.push_back({{"expected", sign.expected},
                    {"line", sign.line},
                    {"seconds", std::chrono::duration<double>(sign.after).count()}});
  }
  return {{"passed", report.passed},
          {"seen", seen},
          {"missing", report.missing},
          {"reason", report.reason},
          {"seconds", std::chrono::duration<double>(report.took).count()},
          {"last_lines", report.last_lines}};
}

cli::Command test_command() {
  std::vector<cli::Option> options = machine_options();
  options.push_back(
      {"expect", 'e', "REGEX", "a sign of life on the console; repeatable, in order (default: 'login:')"});
  options.push_back(
      {"timeout", 't', "SECONDS", cat("how long to wait for all of them (default: ", k_default_timeout_s, ")")});
  options.push_back({"json", 0, "", "print what was seen as JSON"});
  return {.words = "image test",
          .operands = "IMAGE",
          .summary = "start an image and wait for signs of life on its console",
          .details =
              "Exit codes: 0 all signs were seen, 1 not (says what was seen and the console's last lines).\n"
              "Example: hearth image test hello.qcow2 --firmware uefi --expect 'login:'",
          .options = options,
          .run = [](const cli::Arguments& arguments) {
            const SystemClock clock;
            const TempDir scratch = TempDir::create(temporary_directory(current_environment()), "hearth-test.");
            std::vector<std::string> expected = arguments.values("expect");
            if (expected.empty()) expected.emplace_back("login:");
            // Before the machine, for which KVM is probed.
            const auto seconds = std::chrono::seconds(number(arguments, "timeout", k_default_timeout_s));
            for (const std::string& pattern : expected) static_cast<void>(Pattern(pattern));
            const QemuMachine machine = make_machine(arguments, scratch.path(), clock);
            const BootReport report =
                test_image(machine, expected, Deadline::after(seconds, clock), scratch.path(), clock);
            const std::string text =
                arguments.has("json") ? cat(format_json(report_json(report), {.indent = 2}), "\n") : report.text();
            std::fputs(text.c_str(), stdout);
            return report.passed ? 0 : 1;
          }};
}

}  // namespace

std::vector<cli::Command> commands() { return {boot_command(), test_command()}; }

}  // namespace hearth::vm
