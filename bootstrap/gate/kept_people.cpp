#include "bootstrap/gate/kept_people.hpp"

#include <utility>

#include "base/cli/print.hpp"
#include "base/error.hpp"
#include "base/sys/random.hpp"
#include "base/text.hpp"

namespace hearth::bootstrap {

namespace {

std::string kept_token(const fs::path& directory) {
  RealFileSystem files;
  const fs::path path = directory / "api-token";
  const std::optional<std::string> kept = files.read(path);
  if (kept && !trim(*kept).empty()) return std::string(trim(*kept));
  const std::string token = random_hex(32);
  files.write(path, cat(token, "\n"), {.mode = 0600, .uid = {}, .gid = {}});
  return token;
}

std::string people_text(const fs::path& directory) { return RealFileSystem().read(directory / "people").value_or(""); }

std::vector<Credential> read_people(const fs::path& directory) {
  std::vector<Credential> people = parse_people(people_text(directory), (directory / "people").string());
  people.push_back({"admin", Role::admin, kept_token(directory)});
  return people;
}

}  // namespace

std::vector<Credential> kept_people(const fs::path& directory) {
  const fs::path file = directory / "people";
  if (const auto status = RealFileSystem().status(file); status && (status->mode & 0077U) != 0)
    cli::tell(cat("warning: ", file.string(), ", which holds people's tokens, is open to other users of this machine: ",
                  "chmod 600 ", file.string(), "\n"));
  return read_people(directory);
}

KeptPeople::KeptPeople(fs::path directory, Gate& gate, Logger& log)
    : directory_(std::move(directory)), gate_(gate), log_(log), known_(people_text(directory_)) {}

void KeptPeople::look() {
  std::string fault;
  try {
    std::string text = people_text(directory_);
    if (text == known_) return fault_.clear();
    gate_.set_people(read_people(directory_));
    known_ = std::move(text);
    log_.log(LogLevel::info, cat(directory_.string(), "/people was read anew: who is not in it is shut out"));
  } catch (const Error& error) {
    fault = error.what();
  }
  if (!fault.empty() && fault != fault_)
    log_.log(LogLevel::warning, cat("whoever was let in before still is: ", fault));
  fault_ = std::move(fault);
}

}  // namespace hearth::bootstrap
