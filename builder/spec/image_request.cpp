#include "builder/spec/image_request.hpp"

#include <sys/utsname.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "base/error.hpp"
#include "base/json.hpp"
#include "base/sys/file.hpp"
#include "base/sys/user_places.hpp"
#include "base/text.hpp"
#include "builder/plan/phase.hpp"

namespace hearth::builder {

namespace {

std::string env_or(const Environment& env, const std::string& name, std::string fallback) {
  const auto found = env.find(name);
  return found == env.end() || found->second.empty() ? std::move(fallback) : found->second;
}

/// The option's value, else the variable's, else the fallback.
std::string choose(const cli::Arguments& arguments, const std::string& option, const Environment& env,
                   const std::string& variable, std::string fallback = "") {
  return arguments.value_or(option, env_or(env, variable, std::move(fallback)));
}

double parse_decimal(const std::string& text, const std::string& option) {
  double value = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (code != std::errc{} || end != text.data() + text.size() || !std::isfinite(value) || value < 0) {
    throw Error(ErrorKind::usage, cat(option, ": '", text, "' is not a number"));
  }
  return value;
}

std::uint64_t parse_whole(const std::string& text, const std::string& option) {
  const std::optional<std::uint64_t> value = parse_number(text);
  if (!value) throw Error(ErrorKind::usage, cat(option, ": '", text, "' is not a whole number"));
  return *value;
}

std::vector<std::string> comma_list(const std::vector<std::string>& values) {
  std::vector<std::string> items;
  for (const std::string& value : values) {
    for (const std::string& item : split(value, ',')) {
      if (!item.empty() && std::find(items.begin(), items.end(), item) == items.end()) items.push_back(item);
    }
  }
  return items;
}

std::string host_architecture() {
  utsname machine{};
  ::uname(&machine);
  const std::string name = machine.machine;
  if (name == "x86_64") return "amd64";
  if (name == "aarch64") return "arm64";
  return name.compare(0, 3, "arm") == 0 ? "armhf" : name;
}

/// Upstream looks at the listed names only, not at what they depend on.
bool needs_layout(const std::vector<std::string>& listed) {
  const auto is_layout = [](const std::string& name) { return name.compare(0, 13, "block-device-") == 0; };
  return std::find(listed.begin(), listed.end(), "vm") != listed.end() &&
         std::none_of(listed.begin(), listed.end(), is_layout);
}

std::vector<std::string> compose_elements(const ImageRequest& request, const cli::Arguments& arguments,
                                          const Environment& env) {
  std::vector<std::string> elements;
  if (request.ramdisk) {
    elements.push_back(arguments.value_or("ramdisk-element", env_or(env, "RAMDISK_ELEMENT", "ramdisk")));
  }
  if (!request.skip_base) elements.emplace_back("base");
  for (const std::string& name : split_words(env_or(env, "IMAGE_ELEMENT", ""))) elements.push_back(name);
  const std::vector<std::string>& listed = arguments.operands();
  if (arguments.has("metadata")) elements.emplace_back("heat-metadata");
  elements.insert(elements.end(), listed.begin(), listed.end());
  std::vector<std::string> unique;
  for (const std::string& name : elements) {
    if (std::find(unique.begin(), unique.end(), name) == unique.end()) unique.push_back(name);
  }
  return unique;
}

/// NAME.TYPE given as the output of one type means NAME.
std::string output_stem(std::string name, const std::vector<std::string>& types) {
  if (types.size() != 1) return name;
  const std::string suffix = cat(".", types.front());
  if (name.size() > suffix.size() && name.compare(name.size() - suffix.size(), suffix.size(), suffix) == 0) {
    name.resize(name.size() - suffix.size());
  }
  return name;
}

std::vector<std::string> checksum_kinds(const cli::Arguments& arguments, const Environment& env) {
  const std::string wanted =
      arguments.value_or("checksums", arguments.has("checksum") ? "1" : env_or(env, "DIB_CHECKSUM", "0"));
  if (wanted == "1") return {"md5", "sha256"};
  std::vector<std::string> kinds;
  for (const char* kind : {"md5", "sha256", "sha512"}) {
    if (wanted.find(kind) != std::string::npos) kinds.emplace_back(kind);
  }
  return kinds;
}

std::vector<std::string> break_points(const cli::Arguments& arguments, const Environment& env) {
  std::vector<std::string> points = comma_list(arguments.values("break"));
  for (const std::string& point : comma_list({env_or(env, "break", "")})) points.push_back(point);
  for (const std::string& point : points) {
    const std::size_t dash = point.find('-');
    const std::string when = point.substr(0, dash);
    const std::string what = dash == std::string::npos ? "" : point.substr(dash + 1);
    const bool known = point == "after-error" || ((when == "before" || when == "after") && parse_phase(what));
    if (!known) {
      throw Error(ErrorKind::usage, cat("--break ", point, ": use before-PHASE, after-PHASE or after-error"));
    }
  }
  return points;
}

void take_sizes(ImageRequest& request, const cli::Arguments& arguments, const Environment& env) {
  if (const std::string size = choose(arguments, "image-size", env, "DIB_IMAGE_SIZE"); !size.empty()) {
    request.image_size_gib = parse_decimal(size, "--image-size");
  }
  request.extra_size_mib =
      parse_decimal(choose(arguments, "image-extra-size", env, "DIB_IMAGE_EXTRA_SIZE", "0"), "--image-extra-size");
  request.journal_size_mib =
      parse_whole(choose(arguments, "mkfs-journal-size", env, "DIB_JOURNAL_SIZE", "64"), "--mkfs-journal-size");
  request.mkfs_options = arguments.value_or("mkfs-options", "");
  request.disk_maker = choose(arguments, "disk-maker", env, "HEARTH_DISK_MAKER", "");
  request.max_online_resize = choose(arguments, "max-online-resize", env, "MAX_ONLINE_RESIZE");
  request.root_fs_type = env_or(env, "FS_TYPE", "ext4");
  const std::string label = request.root_fs_type == "xfs" ? "img-rootfs" : "cloudimg-rootfs";
  request.root_label = choose(arguments, "root-label", env, "ROOT_LABEL", label);
}

void take_places(ImageRequest& request, const cli::Arguments& arguments, const Environment& env) {
  const fs::path home = home_directory(env);
  request.cache =
      fs::absolute(choose(arguments, "image-cache", env, "DIB_IMAGE_CACHE", (home / ".cache/image-create").string()));
  request.lock_files = fs::absolute(env_or(env, "DIB_LOCKFILES", (home / ".cache/dib/lockfiles").string()));
  request.temporary_parent = env_or(env, "TMPDIR", env_or(env, "TMP_DIR", "/tmp"));
  const bool hardened = env_or(env, "GENTOO_PROFILE", "").find("hardened") != std::string::npos;  // wants xattrs
  request.use_tmpfs = !arguments.has("no-tmpfs") && env_or(env, "DIB_NO_TMPFS", "0") == "0" && !hardened;
  request.min_tmpfs_gib = parse_whole(choose(arguments, "min-tmpfs", env, "DIB_MIN_TMPFS", "2"), "--min-tmpfs");
}

void take_log_settings(ImageRequest& request, const cli::Arguments& arguments, const Environment& env) {
  if (const auto log = choose(arguments, "logfile", env, "LOGFILE"); !log.empty()) {
    request.log_file = fs::absolute(log);
  }
  request.quiet = env_or(env, "DIB_QUIET", request.log_file ? "1" : "0") == "1";
  request.stamp_output = env_or(env, "DIB_NO_TIMESTAMP", "0") != "1";
  request.show_usage = env_or(env, "DIB_SHOW_IMAGE_USAGE", "0") != "0";
  request.show_all_usage = env_or(env, "DIB_SHOW_IMAGE_USAGE_FULL", "0") != "0";
}

void take_types(ImageRequest& request, const cli::Arguments& arguments, const Environment& env) {
  request.types = comma_list(arguments.has("t") ? arguments.values("t") : std::vector<std::string>{"qcow2"});
  if (request.types.empty()) throw Error(ErrorKind::usage, "-t: no image type is named");
  request.docker_target = arguments.value_or("docker-target", env_or(env, "DOCKER_TARGET", ""));
  const bool docker = std::find(request.types.begin(), request.types.end(), "docker") != request.types.end();
  if (docker && request.docker_target.empty()) throw Error(ErrorKind::usage, "Please set --docker-target.", 1);
  if (const std::string manifest = env_or(env, "ACI_MANIFEST", ""); !manifest.empty()) {
    request.aci_manifest = fs::absolute(manifest);
  }
}

/// The file itself, or that of one server in a directory that `hearth metadata compile` wrote (its index.json names
/// them).
fs::path metadata_file(const fs::path& given, const std::string& server) {
  if (!fs::is_directory(given)) return given;
  const fs::path index = given / "index.json";
  const Json read = parse_json(read_file(index), index.string()).value_or_throw();
  std::vector<std::string> names;
  for (const Json& each : read.value("servers", Json::array())) {
    for (const char* key : {"path", "name", "id"}) {
      if (each.value(key, "") == server && !server.empty()) return given / each.value("metadata", "");
      names.push_back(each.value(key, ""));
    }
  }
  Error error(ErrorKind::input, server.empty() ? cat(given.string(), " holds the metadata of several servers")
                                               : cat("there is no server ", server, " in ", given.string()));
  const std::optional<std::string> near = nearest(server, names);
  throw error.hint(near ? cat("Did you mean --server ", *near, "?")
                        : "Name one by --server NAME; index.json lists them.");
}

/// Metadata is checked now: on the machine it would be found wrong only at its first boot.
void take_metadata(ImageRequest& request, const cli::Arguments& arguments) {
  if (const auto given = arguments.value("metadata")) {
    const fs::path path = fs::absolute(*given, request.start_directory);
    request.environment["DIB_HEAT_METADATA"] = metadata_file(path, arguments.value_or("server", "")).string();
  }
  const std::string file = env_or(request.environment, "DIB_HEAT_METADATA", "");
  if (file.empty()) return;
  const Json metadata = parse_json(read_file(file), file).value_or_throw();
  if (!metadata.is_object()) throw Error(ErrorKind::input, cat(file, ":1:1: metadata must be a JSON object"));
}

/// How layers of earlier builds are used.
void take_cache_settings(ImageRequest& request, const cli::Arguments& arguments, const Environment& env) {
  request.use_cache = !arguments.has("no-cache") && env_or(env, "HEARTH_CACHE", "1") != "0";
  request.refresh = arguments.has("refresh");
  request.fresh_from = arguments.value("fresh-from");
  if (request.fresh_from && !parse_phase(*request.fresh_from)) {
    throw Error(ErrorKind::usage, cat("--fresh-from ", *request.fresh_from, ": there is no such phase"));
  }
  request.cache_limit = parse_whole(env_or(env, "HEARTH_CACHE_LIMIT", "10"), "HEARTH_CACHE_LIMIT") << 30U;
  request.layer_worth_ms = parse_whole(env_or(env, "HEARTH_LAYER_WORTH", "600"), "HEARTH_LAYER_WORTH");
  request.copy_layers = env_or(env, "HEARTH_LAYERS", "") == "copies";
  request.repository_age = parse_whole(env_or(env, "HEARTH_REPOSITORY_AGE", "3600"), "HEARTH_REPOSITORY_AGE");
}

/// Credentials may be in the variable; hooks and the image's evidence never see it.
void take_remote_cache(ImageRequest& request, const cli::Arguments& arguments) {
  const std::string text = arguments.value_or("remote-cache", env_or(request.environment, "HEARTH_REMOTE_CACHE", ""));
  request.remote_cache_read_only = arguments.has("remote-cache-read-only") ||
                                   env_or(request.environment, "HEARTH_REMOTE_CACHE_READ_ONLY", "0") != "0";
  request.environment.erase("HEARTH_REMOTE_CACHE");
  request.environment.erase("HEARTH_REMOTE_CACHE_READ_ONLY");
  if (text.empty()) return;
  const Result<Url> url = parse_url(text);
  if (!url.ok()) {
    throw Error(ErrorKind::usage, cat("the remote cache's URL can't be used: ", url.error().what))
        .hint("Give the http or https URL below which ac/ and cas/ are.");
  }
  if (arguments.has("remote-cache") &&
      !parse_url(arguments.value_or("remote-cache", "")).value_or_throw().user_info.empty()) {
    throw Error(ErrorKind::usage, "--remote-cache: a command line is seen by others and kept beside the image")
        .hint("Give a URL with a password in HEARTH_REMOTE_CACHE.");
  }
  request.remote_cache = url.value();
}

std::vector<fs::path> elements_path(const Environment& env) {
  std::vector<fs::path> path;
  const auto found = env.find("ELEMENTS_PATH");
  if (found == env.end() || found->second.empty()) return path;
  for (const std::string& entry : split(found->second, ':')) {
    path.push_back(entry.empty() ? fs::path() : fs::absolute(entry));
  }
  return path;
}

}  // namespace

namespace {

std::vector<cli::Option> content_options() {
  return cli::under(
      k_content, {{"", 'a', "ARCH", "architecture of the image (default: this machine's)", {"amd64", "arm64"}},
                  {"", 'n', "", "do not add the element 'base'"},
                  {"", 'p', "PACKAGE[,…]", "packages to install after install.d; repeatable"},
                  {"install-type",
                   0,
                   "TYPE",
                   "default way to install: source, package, repo or any",
                   {"source", "package", "repo", "any"}},
                  {"metadata", 0, "FILE",
                   "bake this JSON as local Heat metadata (adds the element heat-metadata); or a compiled directory"},
                  {"server", 0, "NAME", "which server's of a compiled directory, by path, name or id"},
                  {"ramdisk-element", 0, "ELEMENT", "main element of ramdisk-image-create (default: ramdisk)"}});
}

std::vector<cli::Option> result_options() {
  return cli::under(
      k_results,
      {{"", 'o', "NAME", "output: NAME.TYPE for each type, NAME.d for manifests and the log (default: image)"},
       {"",
        't',
        "TYPE[,TYPE…]",
        "qcow2 (default), raw, vhd, vhdx, vmdk, vdi, tar, tgz, tar.zst, squashfs, erofs, ext4, xfs, btrfs, docker, "
        "oci, oci-archive, aci, kernel, uki, iso, or another of qemu-img's; several at once",
        {"qcow2", "raw", "vhd",   "vhdx",   "vmdk", "vdi",         "tar", "tgz",    "tar.zst", "squashfs", "erofs",
         "ext4",  "xfs", "btrfs", "docker", "oci",  "oci-archive", "aci", "kernel", "uki",     "iso"}},
       {"", 'u', "", "do not compress qcow2"},
       {"compression",
        0,
        "KIND",
        "of qcow2: fast (default; any QEMU reads it), best (smaller), zstd (QEMU 5.1) or none",
        {"fast", "best", "zstd", "none"}},
       {"qemu-img-options", 0, "K=V[,…]", "options for qemu-img convert -o"},
       {"docker-target", 0, "REPO:TAG", "name of the image that -t docker writes, for docker load"},
       {"checksum", 0, "", "write FILE.md5 and FILE.sha256"},
       {"checksums", 0, "KIND[,…]", "write these checksum files: md5, sha256, sha512", {"md5", "sha256", "sha512"}}});
}

std::vector<cli::Option> disk_options() {
  return cli::under(k_disk,
                    {{"image-size", 0, "GIB", "size of the disk in GiB; decimals allowed (default: as the tree needs)"},
                     {"image-extra-size", 0, "MIB", "space to add to the root file system, in MiB"},
                     {"root-label", 0, "LABEL", "label of the root file system (default: cloudimg-rootfs)"},
                     {"mkfs-options", 0, "OPTIONS", "further options for the root file system's mkfs"},
                     {"mkfs-journal-size", 0, "MIB", "ext4 journal in MiB (default: 64)"},
                     {"max-online-resize", 0, "BLOCKS", "ext4: blocks that the file system can grow to while mounted"},
                     {"disk-maker",
                      0,
                      "MAKER",
                      "who makes the disk: direct (user space), guestfs (libguestfs), auto (default)",
                      {"direct", "guestfs", "auto"}}});
}

std::vector<cli::Option> reuse_options() {
  std::vector<std::string> phases;
  for (const PhaseInfo& phase : k_phases) phases.emplace_back(phase.name);
  return cli::under(
      k_reuse,
      {{"image-cache", 0, "DIR", "where downloads are kept (default: ~/.cache/image-create)"},
       {"no-cache", 0, "", "run every step; keep nothing for later builds (also HEARTH_CACHE=0)"},
       {"refresh", 0, "", "look at the package repositories now, even if that was done within the last hour"},
       {"fresh-from", 0, "PHASE", "run every step from PHASE (root, install, …) on", phases},
       {"remote-cache", 0, "URL",
        "share layers by the HTTP cache protocol: URL/ac and URL/cas (also HEARTH_REMOTE_CACHE, which may have a "
        "password)"},
       {"remote-cache-read-only", 0, "", "upload nothing there (also HEARTH_REMOTE_CACHE_READ_ONLY=1)"},
       {"offline", 0, "",
        "cut the network: replay what the lock file names (disk-image-create: do not refresh caches)"}});
}

std::vector<cli::Option> watching_options() {
  return cli::under(
      k_watching,
      {{"", 'x', "", "trace hooks; twice: trace the helpers too"},
       {"logfile", 0, "FILE", "append the log to FILE too"},
       {"break", 0, "POINT[,…]", "open a shell before-PHASE, after-PHASE or after-error"},
       {"", 'c', "", "clear the environment: hooks see only PATH, HOME, USER, TERM, LANG and what options set"},
       {"no-tmpfs", 0, "", "build on disk, under TMPDIR or TMP_DIR, not in memory"},
       {"min-tmpfs", 0, "GIB", "build in memory only if twice this is available (default: 2)"}});
}

}  // namespace

const std::vector<cli::Option>& image_options() {
  static const std::vector<cli::Option> options = [] {
    std::vector<cli::Option> all;
    for (const auto& part : {content_options(), result_options(), disk_options(), reuse_options(), watching_options()})
      all.insert(all.end(), part.begin(), part.end());
    return all;
  }();
  return options;
}

ImageRequest make_request(const cli::Arguments& arguments, const Environment& environment,
                          const fs::path& start_directory, Cycles cycles, BuildKind kind) {
  if (arguments.operands().empty()) {
    throw Error(ErrorKind::usage, "ERROR: At least one distribution root element must be specified", 1);
  }
  ImageRequest request;
  request.environment = environment;
  request.start_directory = start_directory;
  request.cycles = cycles;
  request.ramdisk = kind == BuildKind::ramdisk;
  request.skip_base = arguments.has("n") || env_or(environment, "SKIP_BASE", "0") == "1";
  request.elements = compose_elements(request, arguments, environment);
  request.default_layout = needs_layout(arguments.operands());
  request.elements_path = elements_path(environment);
  request.architecture = choose(arguments, "a", environment, "ARCH", host_architecture());
  take_types(request, arguments, environment);
  request.image_name = output_stem(choose(arguments, "o", environment, "IMAGE_NAME", "image"), request.types);
  request.output = fs::absolute(request.image_name, start_directory);
  request.packages =
      comma_list(arguments.has("p") ? arguments.values("p") : split_words(env_or(environment, "INSTALL_PACKAGES", "")));
  request.compression =
      qcow2::parse_compression(arguments.has("u") ? "none" : arguments.value_or("compression", "fast"));
  request.qemu_img_options = choose(arguments, "qemu-img-options", environment, "QEMU_IMG_OPTIONS");
  request.checksums = checksum_kinds(arguments, environment);
  take_metadata(request, arguments);
  take_sizes(request, arguments, environment);
  take_places(request, arguments, environment);
  take_cache_settings(request, arguments, environment);
  take_remote_cache(request, arguments);
  take_log_settings(request, arguments, environment);
  request.offline = arguments.has("offline") || !env_or(environment, "DIB_OFFLINE", "").empty();
  request.trace = static_cast<int>(arguments.count("x") +
                                   parse_whole(env_or(environment, "DIB_DEBUG_TRACE", "0"), "DIB_DEBUG_TRACE"));
  request.install_type = choose(arguments, "install-type", environment, "DIB_DEFAULT_INSTALLTYPE", "source");
  if (!env_or(environment, "DIB_DEFAULT_INSTALLTYPE", "").empty()) {
    request.environment["DIB_DEFAULT_INSTALLTYPE"] = request.install_type;  // the option beats the variable
  }
  request.breaks = break_points(arguments, environment);
  request.overwrite = env_or(environment, "OVERWRITE_OLD_IMAGE", "0") != "0";
  return request;
}

}  // namespace hearth::builder
