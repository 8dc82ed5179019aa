#include "agent/deploy/init/modules.hpp"

#include <boost/filesystem/directory.hpp>

#include <fcntl.h>
#include <fnmatch.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <vector>

#include "base/cli/command.hpp"
#include "base/clock.hpp"
#include "base/error.hpp"
#include "base/text.hpp"

namespace hearth::agent::deploy {

namespace {

constexpr int k_quiet_rounds = 3;
constexpr Duration k_round = std::chrono::milliseconds(100);

/// What decides most comparisons before fnmatch(3) has to: the pattern's text up to its first wildcard.
bool may_match(const std::string& pattern, const std::string& text) {
  const std::size_t fixed = pattern.find_first_of("*?[");
  return text.compare(0, std::min(fixed, pattern.size()), pattern, 0, std::min(fixed, pattern.size())) == 0;
}

/// zlib and zstd are in this program; XZ is the kernel's to decompress, where it was built for that.
std::optional<StreamInflater::Kind> compression_of(std::string_view file) {
  if (file.ends_with(".gz")) return StreamInflater::Kind::gzip;
  if (file.ends_with(".zst")) return StreamInflater::Kind::zstd;
  return std::nullopt;
}

bool insert(const Fd& module, const std::string& file) {
  constexpr int compressed_file = 4;  // MODULE_INIT_COMPRESSED_FILE, Linux 5.17
  const std::optional<StreamInflater::Kind> kind = compression_of(file);
  const int flags = kind || file.ends_with(".xz") ? compressed_file : 0;
  if (::syscall(SYS_finit_module, module.get(), "", flags) == 0 || errno == EEXIST) return true;
  if (!kind) return false;
  const std::string code = decompressed_module(read_all(Fd(::dup(module.get())), file), *kind);
  return ::syscall(SYS_init_module, code.data(), code.size(), "") == 0 || errno == EEXIST;
}

std::string release() {
  utsname kernel{};
  ::uname(&kernel);
  return kernel.release;
}

}  // namespace

std::string module_name(std::string_view file) {
  std::string name(file.substr(file.rfind('/') + 1));
  name = name.substr(0, name.find(".ko"));
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

std::string decompressed_module(std::string_view bytes, StreamInflater::Kind kind) {
  constexpr std::size_t limit = std::size_t{256} << 20U;
  StreamInflater inflater(kind);
  std::string code;
  std::vector<char> buffer(std::size_t{256} << 10U);
  while (const std::size_t size = inflater.inflate(bytes, buffer)) {
    code.append(buffer.data(), size);
    if (code.size() > limit) throw Error(ErrorKind::input, "the module is larger than any");
  }
  if (!bytes.empty() || !inflater.complete()) throw Error(ErrorKind::input, "the module is cut off");
  return code;
}

ModuleCatalog::ModuleCatalog(std::string_view dep, std::string_view alias) {
  for (const std::string& line : split_lines(dep)) {
    const std::size_t colon = line.find(':');
    if (colon == std::string::npos) continue;
    std::vector<std::string>& files = modules_[module_name(std::string_view(line).substr(0, colon))];
    files = split_words(std::string_view(line).substr(colon + 1));
    files.insert(files.begin(), line.substr(0, colon));
  }
  for (const std::string& line : split_lines(alias)) {
    const std::vector<std::string> words = split_words(line);
    if (words.size() != 3 || words[0] != "alias") continue;
    aliases_[words[1].substr(0, words[1].find(':'))].push_back({words[1], module_name(words[2])});
  }
}

void ModuleCatalog::add_module(const std::string& module, std::vector<std::string>& files) const {
  const auto found = modules_.find(module);
  if (found == modules_.end()) return;
  for (auto file = found->second.rbegin(); file != found->second.rend(); ++file) {  // the last one is needed first
    if (std::find(files.begin(), files.end(), *file) == files.end()) files.push_back(*file);
  }
}

std::vector<std::string> ModuleCatalog::files_for(const std::string& name_or_alias) const {
  std::vector<std::string> files;
  add_module(module_name(name_or_alias), files);
  const auto group = aliases_.find(name_or_alias.substr(0, name_or_alias.find(':')));
  if (group == aliases_.end()) return files;
  for (const Alias& alias : group->second) {
    if (!may_match(alias.pattern, name_or_alias)) continue;
    if (::fnmatch(alias.pattern.c_str(), name_or_alias.c_str(), 0) == 0) add_module(alias.module, files);
  }
  return files;
}

ModuleLoader::ModuleLoader(std::string directory)
    : directory_(std::move(directory)),
      catalog_(RealFileSystem().read(directory_ + "/modules.dep").value_or(""),
               RealFileSystem().read(directory_ + "/modules.alias").value_or("")) {}

bool ModuleLoader::load(const std::string& name_or_alias) {
  const std::vector<std::string> files = catalog_.files_for(name_or_alias);
  bool done = !files.empty();
  for (const std::string& file : files) {
    if (!loaded_.insert(file).second) continue;
    try {
      const Fd module = Fd::open(cat(directory_, "/", file), O_RDONLY);
      if (insert(module, file)) continue;
      done = false;
      met_packed_ = met_packed_ || file.ends_with(".xz");
    } catch (const Error&) {
      done = false;
    }
  }
  return done;
}

bool ModuleLoader::load_new_devices() {
  bool any = false;
  boost::system::error_code error;
  const RealFileSystem files;
  fs::recursive_directory_iterator entry("/sys/devices", error);
  for (; !error && entry != fs::recursive_directory_iterator(); entry.increment(error)) {
    if (entry->path().filename() != "modalias") continue;
    try {
      const std::string alias(trim(files.read(entry->path()).value_or("")));
      if (alias.empty() || !tried_.insert(alias).second) continue;
      any = load(alias) || any;
    } catch (const Error&) {
      continue;  // the device has gone
    }
  }
  return any;
}

void ModuleLoader::settle() {
  SystemClock clock;
  for (int quiet = 0; quiet < k_quiet_rounds; quiet = load_new_devices() ? 0 : quiet + 1) {
    if (quiet > 0) clock.sleep(k_round);
  }
}

int modprobe_main(const std::vector<std::string>& words) {
  const bool help = cli::asks_for_help(words);
  if (words.empty() || help) {
    std::fputs("usage: modprobe [-OPTION…] NAME   (of a kernel module, or an alias of one; options mean nothing)\n",
               help ? stdout : stderr);
    return help ? 0 : 1;
  }
  ModuleLoader loader(cat("/lib/modules/", release()));
  bool done = false;
  for (const std::string& word : words) {
    if (!word.empty() && word.front() != '-') done = loader.load(word);
  }
  return done ? 0 : 1;
}

}  // namespace hearth::agent::deploy
