#include "agent/apply/command.hpp"

#include <unistd.h>

#include <algorithm>
#include <csignal>

#include "agent/apply/key_value.hpp"
#include "agent/apply/log.hpp"
#include "agent/apply/options.hpp"
#include "agent/apply/tree.hpp"
#include "agent/apply/writer.hpp"
#include "base/error.hpp"
#include "base/python_json.hpp"
#include "base/text.hpp"

namespace hearth::agent {

namespace {

constexpr int k_neither_true_nor_false = 255;
constexpr std::string_view k_version = "12.0.0 (hearth " HEARTH_VERSION ")";
constexpr const char* k_log_file = "/var/log/os-apply-config.log";

class ApplyCommand {
 public:
  ApplyCommand(ApplyOptions options, const ApplyWorld& world) : options_(std::move(options)), world_(world) {}

  int run() {
    if (options_.help) return print(apply_help());
    if (options_.version) return print(cat(k_version, "\n"));
    for (const std::string& warning : options_.warnings) world_.log.warning(warning);
    if (options_.print_templates) return print(cat(options_.templates, "\n"));
    load_metadata();
    if (!options_.key.empty() && !options_.boolean_key.empty()) {
      world_.log.warning("--key is not compatible with --boolean-key. --boolean-key ignored.");
    }
    if (!options_.key.empty()) return print_key();
    if (!options_.boolean_key.empty()) return boolean_key();
    return apply_tree();
  }

 private:
  int print(std::string_view text) {
    world_.print(text);
    return 0;
  }

  void load_metadata() {
    files_ = metadata_files(options_.metadata, world_.env, world_.files, world_.log);
    std::vector<std::string> all = options_.metadata.fallback;
    all.insert(all.end(), files_.begin(), files_.end());
    metadata_ = MergedMetadata::read(all, world_.files);
  }

  int print_key() {
    if (!is_key_type(options_.type))
      throw Error(ErrorKind::input, cat("requested validation of unknown type: ", options_.type));
    const Json* value = find_key(metadata_, options_.key);
    if (value == nullptr && options_.key_default) return print(cat(*options_.key_default, "\n"));
    if (value == nullptr) {
      throw Error(ErrorKind::input, cat("key ", options_.key, " does not exist in ", python_text(Json(files_))));
    }
    const std::string text = python_text(*value);
    if (!matches_key_type(text, options_.type)) {
      throw Error(ErrorKind::input, cat("cannot interpret value '", text, "' as type ", options_.type));
    }
    return print(cat(printed_value(*value), "\n"));
  }

  int boolean_key() {
    const Json* value = find_key(metadata_, options_.boolean_key);
    if (value == nullptr || !value->is_boolean()) return k_neither_true_nor_false;
    return value->get<bool>() ? 0 : 1;
  }

  int apply_tree() {
    std::optional<JsonRoot> below;
    if (!options_.subhash.empty()) below.emplace(metadata_below(metadata_, options_.subhash));
    const RenderContext context{
        below ? static_cast<const MetadataRoot&>(*below) : metadata_,
        world_.files,
        world_.runner,
        world_.log,
        {world_.files.read("/etc/passwd").value_or(""), world_.files.read("/etc/group").value_or("")},
        options_.strict,
        options_.need_keys};
    const std::vector<RenderedFile> rendered = render_tree(scan_templates(options_.templates), context);
    // Beyond this point everything has rendered: only the disk can still refuse.
    int code = 0;
    if (options_.diff || options_.check) {
      code = preview(rendered);
    } else if (!options_.validate) {
      apply_changes(plan_changes(rendered, options_.output, world_.files), world_.files, write_together, world_.log);
    }
    world_.log.info("success");
    return code;
  }

  int preview(const std::vector<RenderedFile>& rendered) {
    const std::vector<FileChange> changes = plan_changes(rendered, options_.output, world_.files);
    bool any = false;
    for (const FileChange& change : changes) {
      any = any || change.changes_something();
      if (options_.check && change.changes_something()) world_.log.info(cat("would change ", change.path));
    }
    if (options_.diff) print(describe_changes(changes));
    return options_.check && any ? 1 : 0;
  }

  ApplyOptions options_;
  const ApplyWorld& world_;
  std::vector<std::string> files_;
  MergedMetadata metadata_;
};

void write_stderr(std::string_view text) {
  [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, text.data(), text.size());
}

}  // namespace

int run_os_apply_config(const std::vector<std::string>& args, const ApplyWorld& world) {
  try {
    return ApplyCommand(parse_apply_options(args, world.env, world.files), world).run();
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::usage) {
      write_stderr(cat(apply_usage(), "os-apply-config: error: ", error.what(), "\n"));
      return 2;
    }
    world.log.error(error.story());
    return 1;
  } catch (const std::exception& error) {  // files that boost refuses to look at; nothing has been half written
    world.log.error(error.what());
    return 1;
  }
}

int os_apply_config_main(const std::vector<std::string>& args) {
  ::signal(SIGPIPE, SIG_IGN);  // a template program that does not read its stdin must not end us
  SystemClock clock;
  RealFileSystem files;
  RealRunner runner(clock);
  // Who only looks leaves no trace, either.
  const bool keeps_log = ::geteuid() == 0 && std::find(args.begin(), args.end(), "--validate") == args.end();
  ApplyLogger log(clock, keeps_log ? k_log_file : "");
  const Environment env = current_environment();
  const auto print = [](std::string_view text) { write_all(Fd(::dup(STDOUT_FILENO)), text, "standard output"); };
  return run_os_apply_config(args, ApplyWorld{files, runner, log, env, print});
}

}  // namespace hearth::agent
