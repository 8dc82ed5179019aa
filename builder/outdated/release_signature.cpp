#include "builder/outdated/release_signature.hpp"

#include "base/error.hpp"
#include "base/text.hpp"
#include "base/variable.hpp"

namespace hearth::builder {

std::vector<fs::path> archive_keyrings(const FileReader& files, const Environment& environment) {
  std::vector<fs::path> keyrings;
  for (const char* name : {"DIB_APT_KEYRING", "DIB_DEBIAN_KEYRING"}) {
    if (const fs::path file = variable(environment, name); !file.empty() && files.status(file))
      keyrings.push_back(file);
  }
  for (const std::string& name : files.list("/usr/share/keyrings")) {
    if (name.ends_with("-archive-keyring.gpg")) keyrings.push_back(fs::path("/usr/share/keyrings") / name);
  }
  for (const char* directory : {"/etc/apt/trusted.gpg.d", "/etc/apt/keyrings"}) {
    for (const std::string& name : files.list(directory)) {
      if (name.ends_with(".gpg")) keyrings.push_back(fs::path(directory) / name);
    }
  }
  return keyrings;
}

SignatureCheck check_release_signature(const std::string& text, const std::string& signature,
                                       const std::vector<fs::path>& keyrings, CommandRunner& runner,
                                       const fs::path& scratch) {
  if (keyrings.empty()) return {.unchecked = "this machine has no keyring of an archive"};
  const TempDir place = TempDir::create(scratch, ".release-");
  RealFileSystem files;
  Command command{.argv = {"gpgv", "--status-fd", "1"}};
  for (const fs::path& keyring : keyrings) {
    command.argv.emplace_back("--keyring");
    command.argv.push_back(keyring.string());
  }
  if (!signature.empty()) {
    files.write(place.path() / "Release.gpg", signature, {.mode = 0600});
    command.argv.push_back((place.path() / "Release.gpg").string());
  }
  files.write(place.path() / "Release", text, {.mode = 0600});
  command.argv.push_back((place.path() / "Release").string());
  SignatureCheck check{.unchecked = "by none of the keys that this machine has"};
  try {
    for (const std::string& line : split_lines(runner.run(command).out)) {
      const std::vector<std::string> words = split_words(line);
      if (words.size() < 2 || words[0] != "[GNUPG:]") continue;
      if (words[1] == "BADSIG") check.is_bad = true;
      if (words[1] == "GOODSIG") check.unchecked.clear();
      if (words[1] == "EXPKEYSIG" && !check.unchecked.empty()) check.unchecked = "its key's time is over";
      if (words[1] == "REVKEYSIG" && !check.unchecked.empty()) check.unchecked = "its key was revoked";
    }
  } catch (const Error&) {
    return {.unchecked = "there is no gpgv (package gpgv)"};
  }
  return check;
}

}  // namespace hearth::builder
