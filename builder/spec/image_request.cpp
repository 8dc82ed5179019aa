#include "builder/spec/image_request.hpp"

#include <sys/utsname.h>

#include <algorithm>
#include <set>

#include "base/error.hpp"
#include "base/frames/signature.hpp"
#include "base/json.hpp"
#include "base/net/inner_address.hpp"
#include "base/sys/file.hpp"
#include "base/sys/user_places.hpp"
#include "base/text.hpp"
#include "base/utf8.hpp"
#include "builder/elements/condition_values.hpp"
#include "builder/elements/upstream_tree.hpp"
#include "builder/evidence/evidence.hpp"
#include "builder/evidence/image_facts.hpp"
#include "builder/fetch/fetch_session.hpp"
#include "builder/fetch/local_access.hpp"
#include "builder/spec/checked_values.hpp"
#include "builder/spec/machine_settings.hpp"

namespace hearth::builder {

namespace {

constexpr std::uint64_t k_spec_mib = std::uint64_t{1} << 20U;
constexpr std::uint64_t k_spec_gib = std::uint64_t{1} << 30U;
constexpr std::size_t k_longest_identity = 200;
constexpr std::uint64_t k_most_journal_mib = 40000;       // 10,240,000 blocks of 4 KiB, mke2fs(8)
constexpr std::uint64_t k_last_second = 253402300799ULL;  // of the year 9999, RFC 3339
constexpr std::uint64_t k_most_cache_gib = std::uint64_t{1} << 30U;

std::string env_or(const Environment& env, const std::string& name, const std::string& fallback) {
  const auto found = env.find(name);
  return found == env.end() || found->second.empty() ? fallback : found->second;
}

/// The option's value, else the variable's, else the fallback.
std::string choose(const cli::Arguments& arguments, const std::string& option, const Environment& env,
                   const std::string& variable, const std::string& fallback = "") {
  return arguments.value_or(option, env_or(env, variable, fallback));
}

/// The same with where it comes from; a fallback counts as the option's.
GivenValue given(const cli::Arguments& arguments, const std::string& option, const Environment& env,
                 const std::string& variable, const std::string& fallback = "") {
  const std::string from = cat(option.size() == 1 ? "-" : "--", option);
  if (const auto value = arguments.value(option)) return {*value, from};
  const std::string value = env_or(env, variable, "");
  return value.empty() ? GivenValue{fallback, from} : GivenValue{value, variable};
}

GivenValue variable_or(const Environment& env, const std::string& name, const std::string& fallback) {
  return {env_or(env, name, fallback), name};
}

/// -c: what hooks keep of the caller's environment.
Environment cleared(const Environment& environment) {
  Environment kept;
  for (const char* name : {"PATH", "HOME", "USER", "TERM", "LANG"}) {
    const auto found = environment.find(name);
    if (found != environment.end()) kept.insert(*found);
  }
  return kept;
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

/// The listed elements. Upstream's shell splits each operand at blanks and drops empty ones: scripts of its users count
/// on that.
std::vector<std::string> listed_elements(const cli::Arguments& arguments, Manner manner) {
  if (manner == Manner::hearth) return arguments.operands();
  std::vector<std::string> names;
  for (const std::string& operand : arguments.operands()) {
    for (std::string& name : split_words(operand)) names.push_back(std::move(name));
  }
  return names;
}

/// Upstream looks at the listed names only, not at what they depend on.
bool needs_layout(const std::vector<std::string>& listed) {
  const auto is_layout = [](const std::string& name) { return name.compare(0, 13, "block-device-") == 0; };
  return std::find(listed.begin(), listed.end(), "vm") != listed.end() &&
         std::none_of(listed.begin(), listed.end(), is_layout);
}

std::vector<std::string> compose_elements(const ImageRequest& request, const cli::Arguments& arguments,
                                          const std::vector<std::string>& listed, const Environment& env) {
  std::vector<std::string> elements;
  if (request.ramdisk) {
    elements.push_back(arguments.value_or("ramdisk-element", env_or(env, "RAMDISK_ELEMENT", "ramdisk")));
  }
  if (!request.skip_base) elements.emplace_back("base");
  if (arguments.has("metadata")) elements.emplace_back("heat-metadata");
  elements.insert(elements.end(), listed.begin(), listed.end());
  std::vector<std::string> unique;
  for (const std::string& name : elements) {
    if (std::find(unique.begin(), unique.end(), name) == unique.end()) unique.push_back(name);
  }
  return unique;
}

void require_way_to(const fs::path& output) {
  boost::system::error_code fault;
  (void)fs::weakly_canonical(output, fault);
  if (fault) throw Error(ErrorKind::input, cat("the image's path ", output.string(), ": ", fault.message()));
}

/// NAME.TYPE given as the output of one type means NAME.
std::string output_stem(std::string name, const std::vector<OutputFormat>& formats) {
  if (formats.size() != 1) return name;
  const std::string suffix = cat(".", formats.front().name);
  if (name.size() > suffix.size() && name.compare(name.size() - suffix.size(), suffix.size(), suffix) == 0) {
    name.resize(name.size() - suffix.size());
  }
  return name;
}

void take_checksums(ImageRequest& request, const cli::Arguments& arguments, const Environment& env) {
  const std::string fallback = arguments.has("checksum") ? "1" : "0";
  request.checksums = checksum_kinds(
      given(arguments, "checksums", arguments.has("checksum") ? Environment() : env, "DIB_CHECKSUM", fallback));
}

void take_breaks(ImageRequest& request, const cli::Arguments& arguments, const Environment& env) {
  for (const std::string& point : comma_list(arguments.values("break"))) {
    request.breaks.push_back(break_point({point, "--break"}));
  }
  for (const std::string& point : comma_list({env_or(env, "break", "")})) {
    request.breaks.push_back(break_point({point, "break"}));
  }
}

/// In MiB; with a unit as other sizes have it.
std::uint64_t journal_size(const GivenValue& given) {
  const bool has_unit = !given.text.empty() && !is_digit(given.text.back());
  if (!has_unit) return whole_number_of(given, 0, k_most_journal_mib);
  const double mib = size_in(given, k_spec_mib);
  const auto whole = static_cast<std::uint64_t>(std::min(mib, static_cast<double>(k_most_journal_mib) + 1));
  if (static_cast<double>(whole) == mib && whole <= k_most_journal_mib) return whole;
  throw Error(ErrorKind::usage,
              cat(given.from, ": '", given.text, "' is not a whole number of MiB up to ", k_most_journal_mib));
}

void take_sizes(ImageRequest& request, const cli::Arguments& arguments, const Environment& env) {
  if (const GivenValue size = given(arguments, "image-size", env, "DIB_IMAGE_SIZE"); !size.text.empty()) {
    request.image_size_gib = size_in(size, k_spec_gib);
    if (*request.image_size_gib == 0)
      throw Error(ErrorKind::usage, cat(size.from, ": a disk of 0 bytes holds nothing"));
  }
  const GivenValue extra = given(arguments, "image-extra-size", env, "DIB_IMAGE_EXTRA_SIZE", "0");
  request.extra_size_mib = size_in(extra, k_spec_mib);
  request.journal_size_mib = journal_size(given(arguments, "mkfs-journal-size", env, "DIB_JOURNAL_SIZE", "64"));
  request.mkfs_options = arguments.value_or("mkfs-options", "");
  request.disk_maker = parse_disk_maker(choose(arguments, "disk-maker", env, "HEARTH_DISK_MAKER", ""));
  if (const GivenValue blocks = given(arguments, "max-online-resize", env, "MAX_ONLINE_RESIZE"); !blocks.text.empty()) {
    request.max_online_resize = whole_number_of(blocks, 1, UINT32_MAX);  // what resize2fs keeps room for
  }
  if (const std::string sector = env_or(env, "DIB_BLOCK_SIZE", ""); !sector.empty()) {
    request.sector_size = one_of({sector, "DIB_BLOCK_SIZE"}, {"512", "4096"}) == "512" ? 512 : 4096;
  }
  request.root_fs_type = env_or(env, "FS_TYPE", "ext4");
  const std::string label = request.root_fs_type == "xfs" ? "img-rootfs" : "cloudimg-rootfs";
  request.root_label = choose(arguments, "root-label", env, "ROOT_LABEL", label);
}

void take_places(ImageRequest& request, const cli::Arguments& arguments, const Environment& env) {
  const fs::path home = home_directory(env);
  const auto place = [&](const std::string& path) { return fs::absolute(path, request.start_directory); };
  request.cache =
      place(choose(arguments, "image-cache", env, "DIB_IMAGE_CACHE", (home / ".cache/image-create").string()));
  request.lock_files = place(env_or(env, "DIB_LOCKFILES", (home / ".cache/dib/lockfiles").string()));
  request.temporary_parent = env_or(env, "TMPDIR", env_or(env, "TMP_DIR", "/tmp"));
  const bool hardened = env_or(env, "GENTOO_PROFILE", "").find("hardened") != std::string::npos;  // wants xattrs
  request.use_tmpfs = !arguments.has("no-tmpfs") && env_or(env, "DIB_NO_TMPFS", "0") == "0" && !hardened;
  request.min_tmpfs_gib = whole_number(given(arguments, "min-tmpfs", env, "DIB_MIN_TMPFS", "2"));
}

void take_log_settings(ImageRequest& request, const cli::Arguments& arguments, const Environment& env) {
  if (const auto log = choose(arguments, "logfile", env, "LOGFILE"); !log.empty()) {
    request.log_file = fs::absolute(log, request.start_directory);
  }
  request.quiet = env_or(env, "DIB_QUIET", request.log_file ? "1" : "0") == "1";
  request.stamp_output = env_or(env, "DIB_NO_TIMESTAMP", "0") != "1";
  request.show_usage = env_or(env, "DIB_SHOW_IMAGE_USAGE", "0") != "0";
  request.show_all_usage = env_or(env, "DIB_SHOW_IMAGE_USAGE_FULL", "0") != "0";
}

/// Read before any hook runs, so that hooks need not see the place where it lies.
void take_aci_manifest(ImageRequest& request, const Environment& env) {
  const std::string manifest = env_or(env, "ACI_MANIFEST", "");
  if (manifest.empty()) return;
  const fs::path file = fs::absolute(manifest, request.start_directory);
  try {
    if (!fs::is_regular_file(file)) throw Error(ErrorKind::input, cat(file.string(), " is not a file"));
    request.aci_manifest = read_file(file.string());
  } catch (Error& error) {
    throw error.during("reading ACI_MANIFEST").hint("It names the manifest that an image of the type aci gets.");
  }
}

void take_types(ImageRequest& request, const cli::Arguments& arguments, Manner manner, const Environment& env) {
  std::vector<std::string> given_types = arguments.has("t") ? arguments.values("t") : std::vector<std::string>{"qcow2"};
  if (manner == Manner::upstream) given_types = {given_types.back()};  // as upstream has it, and its callers repeat it
  const std::vector<std::string> types = comma_list(given_types);
  if (types.empty()) throw Error(ErrorKind::usage, "-t: no image type is named");
  request.formats = parse_formats(join(types, ","));
  const GivenValue target = given(arguments, "docker-target", env, "DOCKER_TARGET");
  if (!target.text.empty()) request.docker_target = container_name(target);
  request.gzip_program = split_words(env_or(env, "DIB_GZIP_BIN", ""));
  if (std::find(types.begin(), types.end(), "aci") != types.end()) take_aci_manifest(request, env);
}

/// Upstream's words. Asked once all that was said of the container is known to be right.
void require_container_name(const ImageRequest& request) {
  const bool docker = std::any_of(request.formats.begin(), request.formats.end(),
                                  [](const OutputFormat& format) { return format.name == "docker"; });
  if (!docker || !request.docker_target.empty()) return;
  const std::string name = to_lower(request.output.filename().string());
  throw Error(ErrorKind::usage, "Please set --docker-target.", 1)
      .hint(cat("The name by which docker load and podman load are to know the image that -t docker writes: "
                "--docker-target ",
                name, ":latest, or with a registry, registry.example.com/", name,
                ":1 (in a file of images: docker-target). -t oci needs none."));
}

/// How containers of the image start. The variable has an instruction a line, options come after it.
void take_container_config(ImageRequest& request, const cli::Arguments& arguments, const Environment& env) {
  std::vector<std::string> instructions;
  for (const std::string& line : split_lines(env_or(env, "DIB_CONTAINER_CONFIG", ""))) {
    if (!trim(line).empty()) instructions.push_back(line);
  }
  (void)parse_container_config(instructions, "DIB_CONTAINER_CONFIG");
  const std::vector<std::string> options = arguments.values("container-config");
  (void)parse_container_config(options, "--container-config");
  instructions.insert(instructions.end(), options.begin(), options.end());
  request.container = parse_container_config(instructions, "--container-config");
  if (!request.version.empty()) request.container.labels.emplace("org.opencontainers.image.version", request.version);
}

/// The file itself, or that of one server in a directory that `hearth metadata compile` wrote (its index.json names
/// them).
fs::path metadata_file(const fs::path& given, const std::string& server) {
  if (!fs::is_directory(given)) {
    if (!server.empty())
      throw Error(ErrorKind::usage, cat("--server ", server, " is one of a compiled directory's, and ", given.string(),
                                        fs::exists(given) ? " is one server's metadata" : " is not there"))
          .hint("Leave --server out, or name the directory by --metadata DIR.");
    return given;
  }
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
  if (arguments.has("server") && !arguments.has("metadata")) {
    throw Error(ErrorKind::usage, "--server NAME goes with --metadata DIR");
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
  request.if_outdated = arguments.has("if-outdated");
  if (const auto phase = arguments.value("fresh-from")) request.fresh_from = phase_named({*phase, "--fresh-from"});
  const std::uint64_t limit = whole_number(variable_or(env, "HEARTH_CACHE_LIMIT", "10"));
  if (limit > k_most_cache_gib) throw Error(ErrorKind::usage, cat("HEARTH_CACHE_LIMIT: ", limit, " GiB are too many"));
  request.cache_limit = limit * k_spec_gib;
  request.layer_worth_ms = whole_number(variable_or(env, "HEARTH_LAYER_WORTH", "600"));
  if (const GivenValue layers = variable_or(env, "HEARTH_LAYERS", ""); !layers.text.empty())
    request.copy_layers = one_of(layers, {"copies"}) == "copies";
  request.repository_age = whole_number(variable_or(env, "HEARTH_REPOSITORY_AGE", "3600"));
}

/// Hooks find nothing at its path. By a hard link they would find it at another one, which nobody knows.
void keep_from_hooks(const fs::path& key, ImageRequest& request) {
  const fs::path file = fs::canonical(key);
  if (const auto names = fs::hard_link_count(file); fs::is_regular_file(file) && names > 1) {
    throw Error(ErrorKind::input,
                cat(file.string(), " has ", names, " names (hard links), by which hooks could read it"))
        .hint(cat("Give a copy with one name: cp ", file.string(), " NEW && chmod 600 NEW. find DIRECTORY -samefile ",
                  file.string(), " finds the other names."));
  }
  request.private_keys.push_back(file);
}

/// Of each file the public half, of one of them the private one.
RecordKeys read_record_keys(const std::vector<std::string>& files, ImageRequest& request) {
  RecordKeys keys;
  for (const std::string& name : files) {
    const fs::path file = fs::absolute(name, request.start_directory);
    try {
      keys.trusted.push_back(evidence::public_key_hex(file));
      const std::string text = read_file(file);
      if (text.find("PRIVATE KEY") == std::string::npos) continue;
      if (!keys.signing.empty()) throw Error(ErrorKind::usage, "a second private key: one signs");
      keys.signing = text;
      keep_from_hooks(file, request);
    } catch (Error& error) {
      throw error.during(cat("reading --remote-cache-key ", name));
    }
  }
  return keys;
}

bool is_this_machine(const Url& url) {
  if (url.host == "localhost") return true;
  return is_address(url.host) &&
         inner_kind(look_up(url.host, url.port, Deadline::never(), SystemClock()).front()) == "loopback";
}

/// What makes others' images is believed when it is signed, and sent where nobody listens, or the user says otherwise.
void require_safe_cache(const ImageRequest& request, bool insecure) {
  if (insecure) return;
  if (request.remote_cache_keys.trusted.empty()) {
    throw Error(ErrorKind::usage, "--remote-cache: without a key, whoever can write there decides what images hold")
        .hint(
            "Give --remote-cache-key FILE (`openssl genpkey -algorithm ed25519` makes one; builders that only read "
            "need "
            "its public half), or --remote-cache-insecure.");
  }
  if (request.remote_cache->is_tls() || is_this_machine(*request.remote_cache)) return;
  throw Error(ErrorKind::usage, cat("--remote-cache ", request.remote_cache->masked(),
                                    ": layers and passwords would pass there unencrypted"))
      .hint("Give an https URL, or --remote-cache-insecure.");
}

/// A matter of the machine, whatever a file of images says or clears. Credentials may be in the variable; hooks and the
/// image's evidence never see it.
void take_remote_cache(ImageRequest& request, const cli::Arguments& arguments, const Environment& machine) {
  std::erase_if(request.environment, [](const auto& variable) { return is_of_machine(variable.first); });
  const auto variable = [&](const char* name) { return env_or(machine, name, ""); };
  const auto is_set = [&](const char* name) {
    const std::string value = variable(name);
    return !value.empty() && one_of({value, name}, {"0", "1"}) == "1";
  };
  const std::string text = arguments.value_or("remote-cache", variable("HEARTH_REMOTE_CACHE"));
  std::vector<std::string> keys = split(variable("HEARTH_REMOTE_CACHE_KEY"), ':');
  const bool insecure = is_set("HEARTH_REMOTE_CACHE_INSECURE") || arguments.has("remote-cache-insecure");
  request.remote_cache_read_only = is_set("HEARTH_REMOTE_CACHE_READ_ONLY") || arguments.has("remote-cache-read-only");
  if (arguments.has("remote-cache-key")) keys = arguments.values("remote-cache-key");
  std::erase(keys, "");
  if (text.empty()) return;
  const Result<Url> url = parse_url(text);
  if (!url.ok()) {
    throw Error(ErrorKind::usage, cat("the remote cache's URL can't be used: ", url.error().what))
        .hint("Give the http or https URL below which ac/ and cas/ are.");
  }
  if (arguments.has("remote-cache") &&
      !parse_url(arguments.value_or("remote-cache", "")).value_or_throw().user_info.empty()) {
    throw Error(ErrorKind::usage, "--remote-cache: a command line is seen by others and kept beside the image")
        .hint("Give a URL with a password in HEARTH_REMOTE_CACHE, or as remote-cache in ~/.config/hearth/hearth.conf.");
  }
  request.remote_cache = url.value();
  request.remote_cache_keys = read_record_keys(keys, request);
  require_safe_cache(request, insecure);
  // Who has only public halves can sign nothing that others would believe.
  if (!keys.empty() && request.remote_cache_keys.signing.empty()) request.remote_cache_read_only = true;
}

std::vector<fs::path> elements_path(const ImageRequest& request) {
  std::vector<fs::path> path;
  const auto found = request.environment.find("ELEMENTS_PATH");
  if (found == request.environment.end() || found->second.empty()) return path;
  for (const std::string& entry : split(found->second, ':')) {
    path.push_back(entry.empty() ? fs::path() : fs::absolute(entry, request.start_directory));
  }
  return path;
}

void take_upstream_tree(ImageRequest& request) {
  const std::optional<UpstreamTree> tree = find_upstream_tree(RealFileSystem(), request.environment);
  if (!tree) return;
  const auto is_it = [&](const fs::path& entry) { return entry == tree->elements; };
  if (std::any_of(request.elements_path.begin(), request.elements_path.end(), is_it)) return;
  (tree->first ? request.elements_path : request.fallback_elements).push_back(tree->elements);
}

/// Whether to build, which is no matter of the image.
const std::set<std::string> k_when_to_build = {"refresh", "if-outdated"};
/// Nor is whether what it is made of is recorded or replayed: hooks are told the same, or a replay would make another
/// image.
const std::set<std::string> k_not_told_to_hooks = {"refresh", "if-outdated", "record", "offline", "locked", "lock"};

/// The words of a command line that asks for the same image, also where there are no files of `directory` that list
/// packages; without these options.
std::vector<std::string> argument_words(const cli::Arguments& arguments, const std::set<std::string>& without,
                                        const fs::path& directory) {
  std::vector<std::string> words;
  for (const cli::Option& option : image_options()) {
    if (without.count(option.name) > 0) continue;
    for (const std::string& value : arguments.values(option.key())) {
      words.push_back(option.display());
      const bool lists_packages = option.key() == "p" && value.find('@') != std::string::npos;
      if (!option.value_name.empty())
        words.push_back(lists_packages ? join(package_names({value}, directory), ",") : value);
    }
  }
  words.insert(words.end(), arguments.operands().begin(), arguments.operands().end());
  return words;
}

/// DIB_ARGS.
std::string told_arguments(const cli::Arguments& arguments, const Caller& caller) {
  if (!caller.typed.empty()) return join(caller.typed, " ");
  const cli::Arguments told =
      caller.first_arguments ? cli::parse_options(image_options(), *caller.first_arguments) : arguments;
  return shell_join(argument_words(told, k_not_told_to_hooks, caller.start_directory));
}

/// What is to be fetched how; a lock's settings become part of the environment.
void take_fetching(ImageRequest& request, const cli::Arguments& arguments, const Caller& caller, const Clock& clock) {
  request.fetching = fetch::make_fetch_plan(arguments, request.start_directory, caller.manner == Manner::hearth);
  // Of the caller's environment, before that of the lock is added, which may come from anywhere.
  std::vector<std::string>& local = request.fetching.local;
  if (caller.local) {
    local = *caller.local;
  } else {
    for (std::string& server : fetch::locally_named(request.environment, RealFileSystem())) {
      local.push_back(std::move(server));
    }
  }
  if (request.fetching.mode) {
    Environment settled = fetch::settled_environment(request.fetching, request.environment, clock);
    for (const auto& [name, value] : settled) {
      if (env_or(request.environment, name, "") == value || evidence::tells_what_is_built(name)) continue;
      throw Error(ErrorKind::input, cat(request.fetching.lock.string(), " sets ", name, ", which no lock may"))
          .hint("A lock may say what is built (DIB_…, SOURCE_DATE_EPOCH), not what runs here: who made this one?");
    }
    for (const auto& [name, value] : settled) {
      if (env_or(request.environment, name, "") != value) request.from_lock.insert(name);
    }
    request.environment = std::move(settled);
  }
  request.offline = arguments.has("offline") || !env_or(request.environment, "DIB_OFFLINE", "").empty();
  if (const std::string epoch = env_or(request.environment, "SOURCE_DATE_EPOCH", ""); !epoch.empty()) {
    (void)whole_number_of({epoch, "SOURCE_DATE_EPOCH"}, 0, k_last_second);
  }
}

/// What the provenance says of the image, and who signs it.
void take_identity(ImageRequest& request, const cli::Arguments& arguments) {
  request.version = arguments.value_or("image-version", "");
  request.builder = arguments.value_or("builder", "urn:hearth:builder");
  for (const char* option : {"image-version", "builder"}) {
    const std::string value = arguments.value_or(option, "x");
    const bool plain = std::all_of(value.begin(), value.end(), [](char c) { return c > ' ' && c < '\x7f'; });
    if (!plain || value.empty() || value.size() > k_longest_identity) {
      throw Error(ErrorKind::usage, cat("--", option, ": '", value, "' is not one word of ASCII"));
    }
  }
  const auto file = arguments.value("sign-key");
  if (!file) return;
  try {
    request.signing_key = Secret::read(fs::absolute(*file, request.start_directory));
    (void)frames::public_key_of(request.signing_key->text());
    keep_from_hooks(fs::absolute(*file, request.start_directory), request);
  } catch (Error& error) {
    if (!fs::exists(fs::absolute(*file, request.start_directory)))
      error.hint(cat("openssl genpkey -algorithm ed25519 -out ", *file, " makes one"));
    throw error.during(cat("reading --sign-key ", *file));
  }
}

void take_install_type(ImageRequest& request, const cli::Arguments& arguments) {
  const std::string variable = "DIB_DEFAULT_INSTALLTYPE";
  const bool is_set = !env_or(request.environment, variable, "").empty();
  request.install_type =
      one_of(given(arguments, "install-type", request.environment, variable, "source"), known_install_types());
  if (is_set) request.environment[variable] = request.install_type;  // the option beats the variable
}

/// What a make that calls Hearth says to its own children (how many jobs, by which pipe) is no word to a make in an
/// image, and no input of it. Who says something to that one says it without a make around, or in an image's settings.
void drop_words_of_make(Environment& environment) {
  if (environment.count("MAKELEVEL") == 0) return;
  for (const char* name : {"MAKELEVEL", "MAKEFLAGS", "MFLAGS", "MAKE_TERMOUT", "MAKE_TERMERR"}) environment.erase(name);
}

Environment environment_of(const cli::Arguments& arguments, const Caller& caller) {
  Environment environment = arguments.has("c") ? cleared(caller.environment) : caller.environment;
  drop_words_of_make(environment);
  for (const auto& [name, value] : caller.settings) environment[name] = value;
  return environment;
}

/// The caller's environment with what the machine's files say of variables that it has not set.
Environment take_machine_settings(ImageRequest& request, const Caller& caller) {
  MachineSettings settings = machine_settings(caller.environment);
  for (const fs::path& file : settings.secrets) keep_from_hooks(file, request);
  for (const auto& [name, value] : settings.variables) {
    if (!is_of_machine(name) && caller.environment.count(name) == 0) request.environment.emplace(name, value);
  }
  Environment machine = caller.environment;
  machine.merge(settings.variables);
  return machine;
}

/// What is told of a build in JSON, which holds nothing else.
void require_utf8(const ImageRequest& request) {
  const auto require = [](const std::string& what, const std::string& value) {
    if (is_valid_utf8(value)) return;
    throw Error(ErrorKind::input, cat(what, " is no UTF-8: '", replace_invalid_utf8(value), "'"))
        .hint("How an image was built is kept beside it as JSON, which can hold no other text.");
  };
  for (const std::string& word : request.arguments) require("a word of the command line", word);
  require("the image's path", request.output.string());
  for (const auto& [name, value] : evidence::telling_variables(request.environment)) {
    require(cat("the variable ", replace_invalid_utf8(name)), cat(name, "=", value));
  }
}

}  // namespace

std::string host_architecture() {
  utsname machine{};
  ::uname(&machine);
  const std::string name = debian_architecture(machine.machine);
  return name.starts_with("armv") ? "armhf" : name;
}

ImageRequest resolve(const cli::Arguments& arguments, const Caller& caller, const Clock& clock) {
  std::vector<std::string> listed = listed_elements(arguments, caller.manner);
  if (listed.empty()) {
    throw Error(ErrorKind::usage, "ERROR: At least one distribution root element must be specified", 1)
        .hint("name elements: hearth image create -o web vm debian-minimal (hearth element list has them)");
  }
  ImageRequest request;
  request.start_directory = caller.start_directory;
  request.environment = environment_of(arguments, caller);
  const Environment machine = take_machine_settings(request, caller);
  request.element_digests = caller.element_digests;
  take_fetching(request, arguments, caller, clock);
  const Environment environment = request.environment;
  request.arguments = argument_words(arguments, k_when_to_build, request.start_directory);
  request.arguments_text = told_arguments(arguments, caller);
  const bool cycles = caller.manner == Manner::upstream || arguments.has("accept-cycles");
  request.cycles = cycles ? Cycles::accept : Cycles::refuse;
  request.ramdisk = caller.kind == BuildKind::ramdisk;
  request.skip_base = arguments.has("n") || env_or(environment, "SKIP_BASE", "0") == "1";
  const std::vector<std::string> before = split_words(env_or(environment, "IMAGE_ELEMENT", ""));
  request.default_layout = needs_layout(listed);
  listed.insert(listed.begin(), before.begin(), before.end());
  if (caller.manner == Manner::upstream) request.default_layout = needs_layout(listed);
  request.elements = compose_elements(request, arguments, listed, environment);
  request.elements_path = elements_path(request);
  take_upstream_tree(request);
  request.architecture = one_of(given(arguments, "a", environment, "ARCH", host_architecture()), known_architectures());
  take_types(request, arguments, caller.manner, environment);
  request.image_name =
      output_stem(output_name(given(arguments, "o", environment, "IMAGE_NAME", "image")), request.formats);
  request.output = fs::absolute(request.image_name, request.start_directory);
  require_way_to(request.output);
  request.packages = package_names(
      arguments.has("p") ? arguments.values("p") : split_words(env_or(environment, "INSTALL_PACKAGES", "")),
      request.start_directory);
  request.compression =
      qcow2::parse_compression(arguments.has("u") ? "none" : arguments.value_or("compression", "fast"));
  request.qemu_img_options = choose(arguments, "qemu-img-options", environment, "QEMU_IMG_OPTIONS");
  take_checksums(request, arguments, environment);
  take_metadata(request, arguments);
  take_sizes(request, arguments, environment);
  take_places(request, arguments, environment);
  take_cache_settings(request, arguments, environment);
  take_remote_cache(request, arguments, machine);
  take_log_settings(request, arguments, environment);
  request.trace =
      static_cast<int>(arguments.count("x") + whole_number(variable_or(environment, "DIB_DEBUG_TRACE", "0")));
  take_install_type(request, arguments);
  take_breaks(request, arguments, environment);
  request.overwrite = env_or(environment, "OVERWRITE_OLD_IMAGE", "0") != "0";
  request.strict = arguments.has("strict");
  take_identity(request, arguments);
  take_container_config(request, arguments, environment);
  require_container_name(request);
  require_utf8(request);
  return request;
}

}  // namespace hearth::builder
