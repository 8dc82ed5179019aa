#include "builder/vm/commands.hpp"

#include "base/cli/print.hpp"
#include "base/cli/seconds_option.hpp"
#include "base/error.hpp"
#include "base/json.hpp"
#include "base/pattern.hpp"
#include "base/sys/file.hpp"
#include "base/sys/stop_signals.hpp"
#include "base/sys/user_places.hpp"
#include "base/text.hpp"
#include "builder/vm/check_file.hpp"
#include "builder/vm/image_boot.hpp"
#include "builder/vm/kvm_probe.hpp"
#include "builder/vm/ssh_needs.hpp"

namespace hearth::builder::vm {

namespace {

constexpr std::uint16_t k_ssh_port = 2222;

constexpr int k_default_timeout_s = 180;
constexpr int k_emulated_timeout_s = 600;
constexpr int k_default_patience_s = 30;

std::vector<cli::Option> machine_options(const ImageSource& source) {
  std::vector<cli::Option> options = {
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
      {"share", 0, "DIR",
       "a directory of this machine for the guest, read-only; there: mount -t 9p -o trans=virtio,ro share /mnt"},
      {"share-writable", 0, "", "the guest may write to it"},
      {"keep-writes", 0, "", "let the machine change the image (default: changes are discarded)"}};
  options.insert(options.end(), source.options.begin(), source.options.end());
  return options;
}

fs::path image_of(const cli::Arguments& arguments, const ImageSource& source) {
  if (arguments.operands().size() != 1) throw Error(ErrorKind::usage, "name one image");
  return source.image_named(arguments.operands().front(), arguments);
}

/// Below this firmware may start, and no system of ours says a word.
constexpr std::uint64_t k_least_memory_mib = 128;

std::optional<SharedDirectory> share_of(const cli::Arguments& arguments) {
  const std::optional<std::string> directory = arguments.value("share");
  if (!directory) {
    if (arguments.has("share-writable")) throw Error(ErrorKind::usage, "--share-writable goes with --share DIR");
    return std::nullopt;
  }
  if (!fs::is_directory(*directory))
    throw Error(ErrorKind::not_found, cat("--share: there is no directory ", *directory));
  return SharedDirectory{fs::absolute(*directory), arguments.has("share-writable")};
}

std::string choose_accelerator(const cli::Arguments& arguments, const fs::path& scratch, const Clock& clock) {
  if (const std::optional<std::string> wanted = arguments.value("accel")) return *wanted;
  const KvmVerdict verdict =
      cached_kvm_verdict({}, cache_directory(current_environment()) / "hearth", current_boot_id(), scratch, clock);
  if (!verdict.works)
    cli::tell(
        cat("emulating the machine (TCG), about ten times slower: KVM did not run here (", verdict.reason, ")\n"));
  return verdict.works ? "kvm" : "tcg";
}

PortForward forward_of(const std::string& text) {
  const std::size_t colon = std::min(text.find(':'), text.size());
  const auto port = [&](const std::string& part) {
    const std::optional<std::uint64_t> number = parse_number(part);
    if (!number || *number == 0 || *number > 65535) {
      throw Error(ErrorKind::usage, cat("--forward: '", text, "' is not HOST:GUEST, two ports: 8080:80"));
    }
    return static_cast<std::uint16_t>(*number);
  };
  return {port(text.substr(0, colon)), port(text.substr(std::min(colon + 1, text.size())))};
}

FirmwareKind firmware_of(const std::string& name) {
  if (name == "uefi") return FirmwareKind::uefi;
  return name == "uefi-secure" ? FirmwareKind::uefi_secure : FirmwareKind::bios;
}

/// The firmware would look for a system in anything else, and wait for good.
std::string disk_format_of(const fs::path& image) {
  const bool is_directory = fs::is_directory(image);
  std::string format = is_directory ? "" : image_format_of(image);
  if (!is_directory && (format != "raw" || !is_archive(image))) return format;
  throw Error(ErrorKind::input, cat(image.string(), " is ", is_directory ? "a directory" : "an archive",
                                    ", and machines start from disks"))
      .hint(cat("A container image is for podman load -i ", image.string(),
                " or docker load; of the same elements hearth image create -t qcow2 makes a disk."));
}

/// In MiB. "2G" and "2048M" are what QEMU and others take.
std::uint64_t memory_of(const cli::Arguments& arguments, std::uint64_t usual) try {
  return cli::number(arguments, "memory", usual);
} catch (const Error& error) {
  const std::string given = to_lower(arguments.value_or("memory", ""));
  const std::size_t digits = std::min(given.find_first_not_of("0123456789"), given.size());
  const std::optional<std::uint64_t> count = parse_number(given.substr(0, digits));
  const std::string unit = given.substr(digits);
  const bool is_gib = unit == "g" || unit == "gb" || unit == "gib";
  const bool is_mib = unit == "m" || unit == "mb" || unit == "mib";
  if (!count || *count > 1'000'000 || (!is_gib && !is_mib)) throw;
  throw Error(error).hint(cat("It counts MiB, without a unit: --memory ", is_gib ? *count * 1024 : *count));
}

QemuMachine make_machine(const fs::path& image, const cli::Arguments& arguments, const fs::path& scratch,
                         const Clock& clock) {
  QemuMachine machine;
  machine.image = fs::absolute(image);
  if (!fs::exists(machine.image)) {
    std::string hint = "hearth image create makes one.";
    for (const char* type : {"vdi", "vhdx", "vhd", "vmdk", "iso", "raw", "qcow2"}) {
      const std::string file = cat(image.string(), ".", type);
      if (fs::exists(file)) hint = cat("Did you mean ", file, "?");
    }
    throw Error(ErrorKind::not_found, cat("there is no image ", machine.image.string())).hint(hint);
  }
  machine.image_format = disk_format_of(machine.image);
  machine.firmware = firmware_of(arguments.value_or("firmware", "bios"));
  if (machine.firmware != FirmwareKind::bios) machine.ovmf = find_ovmf(machine.firmware);
  machine.cd_drive = arguments.has("cd") || machine.image.extension() == ".iso";
  machine.sector_size = static_cast<std::uint32_t>(cli::number(arguments, "sector-size", machine.sector_size));
  machine.memory_mib = memory_of(arguments, machine.memory_mib);
  if (machine.memory_mib < k_least_memory_mib) {
    throw Error(ErrorKind::usage, cat("--memory: ", machine.memory_mib, " MiB are too few for any system; ",
                                      k_least_memory_mib, " at least"));
  }
  machine.share = share_of(arguments);
  if (machine.share) {
    cli::tell(cat("in the guest: mount -t 9p -o trans=virtio", machine.share->writable ? "" : ",ro", " ", k_share_tag,
                  " /mnt   (Debian's cloud kernel, the usual one of the element vm, has no 9p: "
                  "DIB_KERNEL_PACKAGE=linux-image-amd64)\n"));
  }
  machine.cpus = static_cast<unsigned>(cli::number(arguments, "cpus", machine.cpus));
  machine.user_network = arguments.has("network");
  for (const std::string& text : arguments.values("forward")) machine.forwards.push_back(forward_of(text));
  if (arguments.has("ssh")) {
    machine.forwards.push_back({k_ssh_port, 22});
    cli::tell(cat("log in, once the login prompt is there (a first start makes host keys, too): ssh -p ", k_ssh_port,
                  " USER@127.0.0.1\n"));
  }
  machine.disk_writes = arguments.has("keep-writes") ? DiskWrites::kept : DiskWrites::discarded;
  machine.accelerator = choose_accelerator(arguments, scratch, clock);
  return machine;
}

cli::Command boot_command(const ImageSource& source) {
  return {.words = "image boot",
          .operands = "IMAGE|NAME@CHANNEL",
          .summary = "start an image in QEMU, its serial console on this terminal",
          .details = "The image is not changed unless --keep-writes is given. Ctrl-A x ends the machine.",
          .options = machine_options(source),
          .run =
              [source](const cli::Arguments& arguments) {
                const fs::path image = image_of(arguments, source);
                const SystemClock clock;
                const StopSignals signals;
                RealRunner runner(clock);
                const TempDir scratch = TempDir::create(temporary_directory(current_environment()), "hearth-boot.");
                return boot_image(make_machine(image, arguments, scratch.path(), clock), scratch.path(), runner);
              },
          .first = true};
}

/// A key for this machine alone, by which checks log in.
fs::path make_key(const fs::path& scratch, QemuMachine& machine, CommandRunner& runner) {
  fs::path key = scratch / "key";
  if (!machine.ssh_key.empty()) return key;
  if (!find_program("ssh", current_environment()) || !find_program("ssh-keygen", current_environment())) {
    throw Error(ErrorKind::not_found, "checks in the guest (--run, --checks) need ssh")
        .hint("Install (as root): apt-get install openssh-client");
  }
  Command make;
  make.argv = {"ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "hearth image test", "-f", key.string()};
  run_checked(runner, make);
  machine.ssh_key = read_file(key.string() + ".pub");
  return key;
}

/// What is wrong in any of them is told together.
CheckFile check_files(const std::vector<std::string>& paths) {
  CheckFile asked;
  builder::ParseFaults faults;
  for (const std::string& path : paths) {
    Result<CheckFile, builder::ParseFaults> file = parse_check_file(read_file(path), path);
    if (!file) {
      faults.add(file.error());
      continue;
    }
    std::move(file.value().inside.begin(), file.value().inside.end(), std::back_inserter(asked.inside));
    std::move(file.value().pages.begin(), file.value().pages.end(), std::back_inserter(asked.pages));
  }
  if (!faults.all.empty()) throw faults.to_error();
  return asked;
}

/// The checks that options ask for: --http's, --run's, then those of files, inside before pages.
GuestChecks checks_of(const cli::Arguments& arguments, const fs::path& scratch, bool has_server, QemuMachine& machine,
                      const Clock& clock, CommandRunner& runner) {
  GuestChecks checks;
  const auto way_in = [&] { return WayIn{make_key(scratch, machine, runner), has_server}; };
  for (const std::string& text : arguments.values("http")) {
    const Result<HttpWish, std::string> wish = parse_http_wish(text);
    if (!wish) throw Error(ErrorKind::usage, wish.error());
    checks.push_back(http_check(*wish, clock));
  }
  const auto patience = std::chrono::seconds(cli::seconds(arguments, "retry-timeout", k_default_patience_s));
  CheckFile asked = check_files(arguments.values("checks"));
  for (const std::string& command : arguments.values("run")) {
    if (trim(command).empty()) throw Error(ErrorKind::usage, "--run: a command for the guest's shell is expected");
    checks.push_back(run_check(command, way_in(), runner));
  }
  const bool has_inside = !asked.inside.empty();
  if (has_inside) checks.push_back(inside_check(std::move(asked.inside), way_in(), patience, clock, runner));
  const PagePatience page_patience{patience, has_inside};
  for (const HttpWish& page : asked.pages) checks.push_back(http_check(page, clock, page_patience));
  return checks;
}

/// What is expected on the console: with checks from outside nothing, unless it is said.
std::vector<std::string> expectations_of(const cli::Arguments& arguments) {
  std::vector<std::string> expected = arguments.values("expect");
  const bool has_checks = arguments.has("http") || arguments.has("run") || arguments.has("checks");
  if (expected.empty() && !has_checks) expected.emplace_back("login:");
  for (const std::string& pattern : expected) static_cast<void>(Pattern(pattern));
  return expected;
}

/// What the record of the image's build says of logging in.
SshLack recorded_lack(const fs::path& record) {
  const std::optional<std::string> text = RealFileSystem().read(record);
  const Result<Json> manifest = parse_json(text.value_or(""), record.string());
  return manifest ? ssh_lack(*manifest) : SshLack{};
}

/// What --run and --checks need is looked for where it costs nothing, before a machine is started in vain.
void require_way_in(const fs::path& image, const fs::path& record, const SshLack& lack) {
  if (lack.what.empty()) return;
  throw Error(ErrorKind::input, cat("checks in the guest (--run, --checks) can't log in to ", image.string(), ": ",
                                    lack.what, " (", record.string(), ")"))
      .hint(lack.advice);
}

int run_test(const cli::Arguments& arguments, const ImageSource& source) {
  const fs::path image = image_of(arguments, source);
  const SystemClock clock;
  const StopSignals signals;
  const TempDir scratch = TempDir::create(temporary_directory(current_environment()), "hearth-test.");
  RealRunner runner(clock);
  const std::vector<std::string> expected = expectations_of(arguments);
  // Before the machine, for which KVM is probed.
  const std::uint64_t given = cli::seconds(arguments, "timeout", k_default_timeout_s);
  // So that a place that can't be written is told before, not after.
  std::optional<AtomicFile> junit;
  if (const std::optional<std::string> path = arguments.value("junit")) {
    if (fs::is_directory(*path)) throw Error(ErrorKind::usage, cat("--junit: ", *path, " is a directory; name a file"));
    junit.emplace(AtomicFile::create(*path));
  }
  QemuMachine asked;
  const fs::path record = source.manifest_of(image);
  const SshLack lack = recorded_lack(record);
  const GuestChecks checks = checks_of(arguments, scratch.path(), lack.has_server, asked, clock, runner);
  if (!asked.ssh_key.empty()) require_way_in(image, record, lack);
  QemuMachine machine = make_machine(image, arguments, scratch.path(), clock);
  machine.ssh_key = asked.ssh_key;
  const bool is_slow = !arguments.value("timeout") && machine.accelerator == "tcg";
  const std::chrono::seconds seconds(is_slow ? k_emulated_timeout_s : given);
  const SshPatience patience{.whole = std::max<Duration>(seconds / 3, SshPatience{}.whole)};  // slow machines get more
  const BootReport report = test_image(machine, expected, checks, Deadline::after(seconds, clock), scratch.path(),
                                       clock, patience, [](const std::string& line) { cli::tell(cat(line, "\n")); });
  cli::print(arguments.has("json") ? json_document(report.json()) : report.text());
  if (junit) {
    write_all(junit->fd(), report.junit(machine.image.filename().string()), *arguments.value("junit"));
    junit->commit();
  }
  return report.exit_code();
}

cli::Command test_command(const ImageSource& source) {
  std::vector<cli::Option> options = machine_options(source);
  options.push_back(
      {"expect", 'e', "REGEX", "a sign of life on the console; repeatable, in order (default: 'login:')"});
  options.push_back(
      {"http", 0, "PORT/PATH[=WORDS]",
       "what the guest serves there is asked for until it is answered well, with WORDS in it; repeatable"});
  options.push_back(
      {"run", 0, "COMMAND",
       "run in the guest, by ssh as root; its exit code must be 0; repeatable. The image needs an ssh server (the "
       "element openssh-server) and systemd 252"});
  options.push_back({"checks", 0, "FILE",
                     "what must be true of the machine, in goss's words (YAML); needs what --run needs; repeatable"});
  options.push_back({"retry-timeout", 0, "SECONDS",
                     cat("how long what FILE says is asked again once the system has started (default: ",
                         k_default_patience_s, ")")});
  options.push_back({"junit", 0, "FILE", "write what was seen and checked as JUnit's XML, for CI services"});
  options.push_back({"timeout", 't', "SECONDS",
                     cat("how long to wait for all of them, also 5m (default: ", k_default_timeout_s,
                         "; where the machine is emulated, ", k_emulated_timeout_s, ")")});
  options.push_back({"json", 0, "", "print what was seen as JSON"});
  return {
      .words = "image test",
      .operands = "IMAGE|NAME@CHANNEL",
      .summary = "start an image and wait for signs of life on its console",
      .details =
          "Exit codes: 0 all signs were seen and checks passed; 3 it came up, and a check failed; 4 no sign in time, "
          "or the machine ended or failed before (what was seen and the console's last lines are told): where only "
          "checks are asked, a prompt to log in or an answer is one; 1 it could not be tried; 2 wrong usage.\n"
          "Checks come after the signs, in order: --http, --run, --checks; all are told, also behind one that failed. "
          "The guest reaches nothing outside. What the record beside the image (NAME.d) says it lacks for --run is an "
          "error at once; else the check ends when nobody got in for a third of --timeout behind the log-in prompt.\n"
          "Example: hearth image test web.qcow2 --http 80/=Welcome --run 'systemctl is-active nginx'",
      .options = options,
      .run = [source](const cli::Arguments& arguments) { return run_test(arguments, source); }};
}

}  // namespace

std::vector<cli::Command> commands(const ImageSource& source) { return {boot_command(source), test_command(source)}; }

}  // namespace hearth::builder::vm
