#include "agent/deploy/rescue.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "base/text.hpp"

namespace hearth::agent::deploy {

namespace {

constexpr const char* k_busybox = "/bin/busybox";
constexpr const char* k_dropbear = "/usr/sbin/dropbear";

/// What a shell needs, for programs that the agent starts: it is process 1 and has no environment of its own.
Environment shell_environment() {
  return {{"PATH", "/bin:/sbin:/usr/bin:/usr/sbin"}, {"HOME", "/root"}, {"TERM", "linux"}};
}

void run_checked(CommandRunner& runner, std::vector<std::string> argv) {
  Command command{.argv = std::move(argv), .env = shell_environment()};
  command.out = Output::discard;  // a server that goes into the background must not hold a pipe
  const CommandResult result = runner.run(command);
  if (!succeeded(result.status)) throw Error(ErrorKind::external, cat(command.argv[0], ": ", describe(result.status)));
}

}  // namespace

bool is_password_hash(std::string_view text) {
  // "$ID$…" in the alphabet of crypt(5); anything else would let nobody in, or everybody.
  const auto fits = [](unsigned char c) {
    return c > ' ' && c < 0x7f && c != ':' && c != '!' && c != '*' && c != '\\';
  };
  return text.size() > 20 && text.front() == '$' && text.find('$', 1) != std::string_view::npos &&
         std::all_of(text.begin(), text.end(), fits);
}

std::vector<RescueFile> rescue_files(const std::string& password_hash) {
  return {{"/etc/passwd", "root:x:0:0:root:/root:/bin/sh\nrescue:x:0:0:rescue:/root:/bin/sh\n", 0644},
          {"/etc/group", "root:x:0:\ntty:x:5:\n", 0644},
          {"/etc/shadow", cat("root:!:19000:0:99999:7:::\nrescue:", password_hash, ":19000:0:99999:7:::\n"), 0600},
          {"/etc/shells", "/bin/sh\n", 0644}};
}

std::string rescue_hash(const Json& params, CommandRunner& runner) {
  std::string password = params.is_object() ? params.value("rescue_password", "") : "";
  if (password.empty()) throw Error(ErrorKind::input, "rescue_password is missing");
  if (params.value("hashed", false)) {
    if (!is_password_hash(password)) throw Error(ErrorKind::input, "rescue_password is no hash of crypt(5)");
    return password;
  }
  Command command{.argv = {k_busybox, "cryptpw", "-m", "sha512", "-P", "0"}, .env = shell_environment()};
  command.input = cat(password, "\n");
  std::string hash(trim(run_checked(runner, command)));
  if (!is_password_hash(hash)) throw Error(ErrorKind::external, "busybox could not hash the password");
  return hash;
}

void let_in(const std::string& password_hash, FileSystem& files, CommandRunner& runner) {
  for (const char* program : {k_busybox, k_dropbear}) {
    if (files.status(program)) continue;
    throw Error(ErrorKind::unsupported, cat("this ramdisk has no ", program, ", so nobody could log in"))
        .hint("Build it by the element deploy-ramdisk, whose packages bring busybox-static and dropbear-bin.");
  }
  for (const char* directory : {"/root", "/etc/dropbear", "/var/run", "/var/log", "/usr/bin", "/bin", "/sbin"})
    files.make_directories(directory, 0755);
  for (const RescueFile& file : rescue_files(password_hash))
    files.write(file.path, file.content, {.mode = file.mode, .uid = {}, .gid = {}});
  run_checked(runner, {k_busybox, "--install", "-s"});
  run_checked(runner, {k_dropbear, "-R"});  // makes its keys when the first one comes
}

}  // namespace hearth::agent::deploy
