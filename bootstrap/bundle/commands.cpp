#include "bootstrap/bundle/commands.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <ctime>

#include "base/cli/print.hpp"
#include "base/error.hpp"
#include "base/sys/file.hpp"
#include "base/sys/stop_signals.hpp"
#include "base/text.hpp"
#include "bootstrap/bundle/bundle_file.hpp"
#include "bootstrap/bundle/collect.hpp"
#include "bootstrap/bundle/site_parts.hpp"
#include "builder/channels/commands.hpp"
#include "builder/evidence/evidence.hpp"
#include "builder/fetch/fetch_session.hpp"
#include "builder/installation.hpp"

namespace hearth::bootstrap::bundle {

namespace {

constexpr std::uint64_t k_step_bytes = std::uint64_t{64} << 20U;

/// A line that grows, on a terminal only.
OnBytes shown_progress(const char* what) {
  if (::isatty(STDERR_FILENO) == 0) return {};
  return [what, shown = std::uint64_t{0}](std::uint64_t bytes) mutable {
    if (bytes < shown + k_step_bytes) return;
    shown = bytes;
    std::fprintf(stderr, "\r%s %s ", what, human_bytes(bytes).c_str());
  };
}

std::vector<fs::path> paths(const cli::Arguments& arguments, const std::string& option) {
  std::vector<fs::path> all;
  for (const std::string& each : arguments.values(option)) all.emplace_back(each);
  return all;
}

int create(const cli::Arguments& arguments, const fs::path& executable) {
  const auto output = arguments.value("o");
  if (!output) throw Error(ErrorKind::usage, "-o FILE is missing");
  if (arguments.operands().size() > 1)
    throw Error(ErrorKind::usage, "name one site file; all else that goes in is named by an option");
  const Environment environment = current_environment();
  SiteParts site;
  if (!arguments.operands().empty()) site = site_parts(arguments.operands().front());
  for (const std::string& note : site.notes) cli::tell(cat("note: ", note, "\n"));
  std::vector<fs::path> images = paths(arguments, "image");
  for (fs::path& image : images) image = builder::channels::image_named(image.string(), arguments);
  const Contents contents{.images = std::move(images),
                          .elements = paths(arguments, "elements"),
                          .locks = paths(arguments, "lock"),
                          .boot = paths(arguments, "boot"),
                          .packages = paths(arguments, "packages"),
                          .site = paths(arguments, "site"),
                          .placed = std::move(site.sources),
                          .fetched = builder::fetch::fetch_directory(environment)};
  std::vector<Source> sources = collect(contents);
  if (!arguments.has("without-hearth")) {
    for (Source& source : collect_program(builder::find_installation(environment, executable))) {
      sources.push_back(std::move(source));
    }
  }
  if (sources.empty()) throw Error(ErrorKind::usage, "nothing is named that could go into the bundle");
  Manifest manifest{.name = fs::path(*output).stem().string(),
                    .created_s = creation_time(environment),
                    .made_by = cat("hearth ", HEARTH_VERSION),
                    .entries = {},
                    .site = site.file.empty() ? Json() : Json({{"file", site.file}})};
  const auto key = arguments.value("sign-key");
  manifest = write_bundle(fs::absolute(*output), std::move(manifest), std::move(sources), key ? read_file(*key) : "",
                          shown_progress("packed"));
  cli::tell(cat(*output, ": ", manifest.entries.size(), " files, ", human_bytes(manifest.bytes()),
                key ? ", signed\n" : ", not signed\n"));
  return 0;
}

std::optional<std::string> trusted_key(const cli::Arguments& arguments) {
  const auto file = arguments.value("key");
  if (!file) return std::nullopt;
  return builder::evidence::public_key_hex(*file);
}

const std::string& only_operand(const cli::Arguments& arguments) {
  if (arguments.operands().size() != 1) throw Error(ErrorKind::usage, "name one bundle");
  return arguments.operands().front();
}

std::string signer_text(const Checked& checked, bool trusted) {
  if (checked.key_id.empty()) return "not signed";
  return cat("signed by ", checked.key_id, trusted ? "" : ", which was not checked: give its key by --key");
}

int verify(const cli::Arguments& arguments) {
  const std::string& bundle = only_operand(arguments);
  const auto key = trusted_key(arguments);
  const Checked checked = check_bundle(bundle, key, shown_progress("checked"));
  cli::print(cat(bundle, ": ", checked.manifest.entries.size(), " files, ", human_bytes(checked.manifest.bytes()),
                 ", whole; ", signer_text(checked, key.has_value()), "\n"));
  return 0;
}

int list(const cli::Arguments& arguments) {
  const Checked checked = check_bundle(only_operand(arguments), trusted_key(arguments), {});
  if (arguments.has("json")) {
    cli::print(manifest_text(checked.manifest));
    return 0;
  }
  std::uint64_t fetched = 0;
  std::uint64_t fetched_bytes = 0;
  for (const Entry& entry : checked.manifest.entries) {
    if (entry.path.starts_with("fetched/objects/")) {  // by digests, which tell a person nothing
      ++fetched;
      fetched_bytes += entry.size;
      continue;
    }
    constexpr std::size_t k_room = 12;
    const std::string size = human_bytes(entry.size);
    cli::print(cat(std::string(k_room - std::min(k_room, size.size()), ' '), size, "  ", entry.path,
                   entry.is_link ? cat(" -> ", entry.content) : "", "\n"));
  }
  if (fetched > 0)
    cli::print(cat("and ", fetched, " files that builds fetched, ", human_bytes(fetched_bytes),
                   ": packages, lists and sources by their digests (fetched/objects; --json has each)\n"));
  return 0;
}

/// For a shell on the closed side: `. DIR/environment`.
std::string environment_file(const fs::path& directory, const Manifest& manifest) {
  std::string elements;
  for (const Entry& entry : manifest.entries) {
    if (entry.path.compare(0, 9, "elements/") != 0) continue;
    const std::string tree = (directory / entry.path.substr(0, entry.path.find('/', 9))).string();
    if (elements.find(tree) == std::string::npos) elements += cat(elements.empty() ? "" : ":", tree);
  }
  std::string text = cat("# What Hearth needs to know to work from this bundle; for a shell: . FILE\n",
                         "export HEARTH_CACHE=", shell_quote(directory.string()), "\n");
  if (!elements.empty()) text += cat("export ELEMENTS_PATH=", shell_quote(elements), "\n");
  // Where the caller's own Hearth is said to be, its parts must not be taken for the bundle's.
  text += "unset HEARTH_DATA_DIR HEARTH_AGENT_BINARY\n";
  return cat(text, "export PATH=", shell_quote((directory / "hearth/bin").string()), ":\"$PATH\"\n");
}

/// The place of the site file that the bundle was made for; empty where it names none of its own.
std::string site_file_of(const Manifest& manifest) {
  if (!manifest.site.is_object() || !manifest.site.contains("file")) return "";
  const Json& file = manifest.site.at("file");
  for (const Entry& entry : manifest.entries) {
    if (file == entry.path) return entry.path;
  }
  return "";
}

/// When the newest bundle of each name that was unpacked beside this directory was made.
class Unpacked {
 public:
  explicit Unpacked(const fs::path& directory) : file_(directory.parent_path() / ".hearth-bundles.json") {
    const std::optional<std::string> text = RealFileSystem().read(file_);
    if (text) times_ = parse_json(*text, file_.string()).value_or_throw();
  }
  /// An old bundle that was signed once is good for ever to whoever looks at the signature only.
  void check(const Manifest& manifest) const {
    const std::int64_t newest = times_.value(manifest.name, std::int64_t{0});
    if (manifest.created_s >= newest) return;
    throw Error(ErrorKind::input, cat("a newer bundle ", manifest.name, " was unpacked here before"))
        .hint(cat("--older unpacks it nevertheless; ", file_.string(), " keeps count"));
  }
  void keep(const Manifest& manifest) {
    times_[manifest.name] = std::max(manifest.created_s, times_.value(manifest.name, std::int64_t{0}));
    RealFileSystem().write(file_, cat(format_json(times_, {.indent = 1}), "\n"), {.mode = 0644});
  }

 private:
  fs::path file_;
  Json times_ = Json::object();
};

int unpack(const cli::Arguments& arguments) {
  const std::string& bundle = only_operand(arguments);
  const fs::path directory = fs::absolute(arguments.value_or("C", fs::path(bundle).stem().string()));
  const auto key = trusted_key(arguments);
  if (!key && !arguments.has("unsigned")) {
    throw Error(ErrorKind::usage, "whose bundle is to be unpacked?")
        .hint("give the key that must have signed it by --key, or say --unsigned to take anybody's");
  }
  Unpacked before(directory);
  if (!arguments.has("older")) before.check(check_bundle(bundle, key, {}).manifest);
  const OnBytes progress = shown_progress("unpacked");
  const StopSignals signals;  // what was unpacked until then is hidden, and large
  const Checked checked = unpack_bundle(bundle, directory, key, [&](std::uint64_t done) {
    StopSignals::check();
    if (progress) progress(done);
  });
  before.keep(checked.manifest);
  RealFileSystem().write(directory / "environment", environment_file(directory, checked.manifest), {.mode = 0644});
  cli::tell(cat(directory.string(), ": ", checked.manifest.entries.size(), " files, ",
                human_bytes(checked.manifest.bytes()), "; ", signer_text(checked, key.has_value()),
                "\nTo work from it: . ", shell_quote((directory / "environment").string()), "\n"));
  if (const std::string site = site_file_of(checked.manifest); !site.empty())
    cli::tell(cat("To play its site: hearth rehearse ", shell_quote((directory / site).string()), "\n"));
  return 0;
}

const cli::Option k_key = {"key", 0, "FILE", "the public key (PEM, or 64 hexadecimal digits) that must have signed"};
constexpr const char* k_codes =
    "Exit codes: 0 it is whole (and signed by the key that was given), 1 it is not, 2 wrong usage.";

}  // namespace

std::vector<cli::Command> commands(const fs::path& executable) {
  std::vector<cli::Command> rows = {
      {.words = "bundle create",
       .operands = "[SITE.yaml]",
       .summary = "pack what a closed site needs into one file",
       .details = "Everything goes into one signed file: images with what lies beside them, element trees, locks with "
                  "all\nthat they name, boot files, packages, the site's own files, and Hearth itself. With SITE.yaml, "
                  "the file of\n`hearth rehearse`, also all that it names: its paths must be relative and lead below "
                  "its directory, which is\nsite/ on the closed side.",
       .options = {{"", 'o', "FILE", "the bundle"},
                   {"image", 0, "FILE", "an image, with its NAME.d, or NAME@CHANNEL; repeatable, as are the next ones"},
                   {"elements", 0, "DIR", "an element tree"},
                   {"lock", 0, "FILE", "a lock file, with the recorded fetches that it names"},
                   {"boot", 0, "PATH", "a kernel, a ramdisk, a boot loader, or a directory of them"},
                   {"packages", 0, "PATH", "Debian packages for the closed site's machine"},
                   {"site", 0, "PATH", "inventory, templates, site description"},
                   {"without-hearth", 0, "", "leave the programs and the own elements out"},
                   {"sign-key", 0, "FILE", "sign with this Ed25519 private key (PEM)"}},
       .run = [executable](const cli::Arguments& arguments) { return create(arguments, executable); },
       .first = true},
      {.words = "bundle verify",
       .operands = "FILE",
       .summary = "check a bundle: whole, unaltered, and signed by whom",
       .details = k_codes,
       .options = {k_key},
       .run = verify},
      {.words = "bundle list",
       .operands = "FILE",
       .summary = "show what is in a bundle (it is checked, too)",
       .details = k_codes,
       .options = {k_key, {"json", 0, "", "print the manifest"}},
       .run = list},
      {.words = "bundle unpack",
       .operands = "FILE",
       .summary = "check a bundle and unpack it",
       .details = cat("The directory appears when all of the bundle was right, or not at all. ", k_codes),
       .options = {{"", 'C', "DIR", "where to (default: the bundle's name, here)"},
                   k_key,
                   {"unsigned", 0, "", "whoever made it"},
                   {"older", 0, "", "although a newer one of its name was unpacked beside DIR before"}},
       .run = unpack}};
  for (cli::Option& option : builder::channels::source_options()) rows.front().options.push_back(std::move(option));
  return rows;
}

}  // namespace hearth::bootstrap::bundle
