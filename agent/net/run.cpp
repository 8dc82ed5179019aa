#include "agent/net/run.hpp"

#include "agent/net/config_file.hpp"
#include "agent/net/nics.hpp"
#include "agent/net/reader.hpp"
#include "agent/net/schema.hpp"
#include "base/error.hpp"
#include "base/python_json.hpp"
#include "base/text.hpp"

namespace hearth::agent::net {

namespace {

constexpr std::size_t k_most_fallbacks = 2;

Json load_document(const std::string& path, const FileReader& files) {
  const std::optional<std::string> text = files.read(path);
  if (!text) throw Error(ErrorKind::not_found, cat("The config file ", path, " is not found"));
  return parse_config(*text, path).value_or_throw();
}

/// The object interface_mapping of the mapping file; null when there is none.
Json load_mapping(const std::string& path, const FileReader& files, Logger& log) {
  const std::optional<std::string> text = files.read(path);
  log.info(text ? cat("Using mapping file at: ", path) : "Not using any mapping file.");
  if (!text) return nullptr;
  const Json document = parse_config(*text, path).value_or_throw();
  const Json* found = find_member(document, "interface_mapping");
  if (found == nullptr) {
    throw Error(ErrorKind::input, cat(path, ": there is no mapping 'interface_mapping'"));
  }
  return *found;
}

class Run {
 public:
  Run(const NetOptions& options, World& world) : options_(options), world_(world) {}

  int bits() {
    const Json mapping = load_mapping(options_.mapping_file, world_.files, world_.log);
    read_.nics = map_nics(mapping, world_.files, world_.log);
    read_.persist_mapping = options_.persist_mapping && !mapping.is_null();
    read_.only_shown = options_.noop;
    if (options_.report_interfaces) return report();
    world_.log.info(cat("Using config file at: ", options_.config_file));
    document_ = load_document(options_.config_file, world_.files);
    validate();
    settings_ = settings();
    repair_after_crash(settings_, world_);
    int bits = 0;
    for (const auto part : {&Run::removal, &Run::network_is_there, &Run::purge, &Run::minimum, &Run::network}) {
      const int more = (this->*part)();
      bits |= more;
      if (ends_here_) return bits;
    }
    return bits;
  }

 private:
  int report() {
    const NicReport found = report_nics(read_.nics, options_.interfaces);
    world_.print(python_json(found.mapping) + "\n");
    return found.complete ? 0 : k_error;
  }

  [[nodiscard]] const Json& section(const char* name) const {
    return section_of(document_, name, options_.config_file);
  }

  void validate() {
    std::vector<std::string> all;
    for (const char* name : {"remove_config", "network_config", "minimum_config", "fallback_config"}) {
      for (std::string& message : validate_section(section(name), name)) all.push_back(std::move(message));
    }
    if (all.empty()) return;
    const std::string text = join(all, "\n");
    if (options_.exit_on_validation_errors) throw Error(ErrorKind::input, text);
    world_.log.warning(text);
  }

  [[nodiscard]] ApplySettings settings() const {
    const Provider provider =
        options_.provider.empty() ? guess_provider(options_.root, world_.files) : provider_of(options_.provider);
    return {.provider = provider,
            .root = options_.root,
            .noop = options_.noop,
            .activate = options_.activate,
            .cleanup = options_.cleanup,
            .check = options_.check,
            .patience = options_.patience};
  }

  /// Runs `body`, which returns whether files changed. On failure the story is logged and `failed` is the result.
  template <class Body>
  int guarded(int failed, const char* what, Body body) {
    try {
      return body() ? k_files_changed : 0;
    } catch (const Error& error) {
      world_.log.error(cat(what, " failed: ", error.story()));
      return failed;
    }
  }

  int removal() {
    if (!options_.remove_config) return 0;
    const Json& entries = section("remove_config");
    if (entries.empty()) {
      world_.log.warning(cat("--remove-config was given, but ", options_.config_file, " has no section remove_config"));
      return 0;
    }
    const int result = guarded(k_remove_failed, "remove_config", [&] {
      std::set<std::string> names;
      for (const Json& entry : entries) names.insert(removed_name(entry));
      names.erase("lo");
      return remove_units(names, settings_, world_);
    });
    ends_here_ = result == k_remove_failed;
    return result;
  }

  [[nodiscard]] std::string removed_name(const Json& entry) const {
    const std::string name = entry.is_object() && entry.contains("remove_name") && entry["remove_name"].is_string()
                                 ? entry["remove_name"].get<std::string>()
                                 : "";
    if (name.empty()) throw Error(ErrorKind::input, "remove_config: an entry without remove_name");
    const auto alias = read_.nics.find(name);
    return alias == read_.nics.end() ? name : alias->second;
  }

  int network_is_there() {
    if (!section("network_config").empty()) return 0;
    world_.log.error(cat(options_.config_file, ": the section network_config is empty or missing"));
    ends_here_ = true;
    return k_error;
  }

  int purge() {
    if (options_.purge_provider.empty()) return 0;
    const int result = guarded(k_purge_failed, "purging", [&] {
      ApplySettings settings = settings_;
      settings.provider = provider_of(options_.purge_provider);
      settings.check.reset();
      std::set<std::string> names;
      for (const Device& device : read("network_config").devices) names.insert(device.name);
      return remove_units(names, settings, world_);
    });
    ends_here_ = result == k_purge_failed;
    return result;
  }

  int minimum() {
    if (!options_.minimum_config) return 0;
    if (section("minimum_config").empty()) {
      world_.log.error(cat("--minimum-config was given, but ", options_.config_file, " has no section minimum_config"));
      return k_minimum_failed;
    }
    const int result = apply("minimum_config", k_minimum_failed);
    ends_here_ = result == k_minimum_failed;
    return result;
  }

  int network() {
    if (!options_.network_config) return 0;
    const int result = apply("network_config", k_network_failed);
    const Json& fallback = section("fallback_config");
    if (result != k_network_failed || !options_.fallback_config || fallback.empty()) return result;
    if (fallback.size() > k_most_fallbacks) {
      world_.log.error("fallback_config has more than two entries: it is there to make the machine reachable, only");
      return result | k_fallback_failed;
    }
    return result | apply("fallback_config", k_fallback_failed);
  }

  [[nodiscard]] Network read(const char* name) const { return read_network(section(name), name, read_, world_.files); }

  int apply(const char* name, int failed) {
    return guarded(failed, name, [&] {
      ApplySettings settings = settings_;
      const bool last = std::string_view(name) == "network_config";
      settings.cleanup = settings.cleanup && last;
      if (!last) settings.check.reset();
      return apply_layout(render(settings.provider, read(name), settings.root, world_.files), settings, world_);
    });
  }

  const NetOptions& options_;
  World& world_;
  ReadSettings read_;
  Json document_;
  ApplySettings settings_;
  bool ends_here_ = false;
};

}  // namespace

int exit_code(int bits, bool detailed) {
  if (detailed) return bits;
  return (bits & ~k_files_changed) == 0 ? 0 : 1;
}

int run_net_config(const NetOptions& options, World& world) {
  try {
    return exit_code(Run(options, world).bits(), options.detailed_exit_codes);
  } catch (const Error& error) {
    world.log.error(error.story());
    return k_error;
  }
}

}  // namespace hearth::agent::net
