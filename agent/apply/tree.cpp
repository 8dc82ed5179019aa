#include "agent/apply/tree.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

#include "agent/apply/mustache_renderer.hpp"
#include "base/error.hpp"
#include "base/python_json.hpp"
#include "base/text.hpp"
#include "base/utf8.hpp"

namespace hearth::agent {

namespace {

constexpr std::string_view k_control_ending = ".oac";

std::optional<std::string> read_control(const std::string& template_path) {
  const fs::path path = cat(template_path, k_control_ending);
  return fs::is_regular_file(path) ? RealFileSystem().read(path) : std::nullopt;
}

class Scanner {
 public:
  explicit Scanner(std::string root) : root_(std::move(root)) {}

  std::vector<Template> run() {
    walk("");
    return std::move(found_);
  }

 private:
  void walk(const std::string& below) {
    for (const std::string& name : RealFileSystem().list(fs::path(root_) / below)) {
      const std::string relative = below.empty() ? name : cat(below, "/", name);
      const fs::path path = fs::path(root_) / relative;
      if (!fs::is_directory(path)) {
        add(path.string(), relative);
      } else if (!fs::is_symlink(path)) {
        walk(relative);
      }
    }
  }

  void add(const std::string& path, const std::string& relative) {
    if (relative.ends_with(k_control_ending)) return;
    found_.push_back({path, relative, ::access(path.c_str(), X_OK) == 0, read_control(path)});
  }

  std::string root_;
  std::vector<Template> found_;
};

/// Partials come from the current directory of a program that mostly runs as root: a file that someone else could have
/// put there is not taken.
bool is_trusted_partial(const std::string& file, Logger& log) {
  struct stat info {};
  if (::stat(file.c_str(), &info) != 0) return false;
  const bool owner_ok = info.st_uid == ::geteuid() || info.st_uid == 0;
  if (S_ISREG(info.st_mode) && owner_ok && (info.st_mode & S_IWOTH) == 0) return true;
  log.warning(cat("partial ", file, " is ignored: it must be a file that only you or root can write"));
  return false;
}

std::optional<std::string> load_partial(const std::string& name, const RenderContext& context) {
  const std::string file = cat(name, ".mustache");
  return is_trusted_partial(file, context.log) ? context.reader.read(file) : std::nullopt;
}

Error render_failure(const Template& source, const std::string& cause, Logger& log) {
  log.error(cause);
  return template_error(cat("could not render moustache template ", source.path), source.path);
}

std::string cause_of(const ParseError& error) {
  return error.at.line > 0 ? cat(error.what, " (", error.source, ":", error.at.line, ":", error.at.column, ")")
                           : error.what;
}

void report_unclosed(const Template& source, const MustacheTemplate& parsed, const RenderContext& context) {
  for (const UnclosedSection& section : parsed.unclosed) {
    const std::string text = cat("section ", section.name, " is never closed (", source.path, ":", section.at.line, ":",
                                 section.at.column, ")");
    if (context.strict) throw render_failure(source, text, context.log);
    context.log.warning(cat(text, ": the text before it is lost"));
  }
}

/// Logs what the metadata lack, and counts it.
class MissingKeys {
 public:
  [[nodiscard]] MissingReport report(const Template& source, const RenderContext& context) {
    if (!context.need_keys) return {};
    return [this, &source, &context](const MissingKey& key) {
      const std::string file = key.partial.empty() ? source.path : cat(key.partial, ".mustache");
      context.log.error(cat(file, ":", key.line, ": the metadata have no ", key.name));
      ++count_;
    };
  }
  void refuse_any() const {
    if (count_ == 0) return;
    throw Error(ErrorKind::input, cat("templates need ", count_, count_ == 1 ? " value" : " values",
                                      " that the metadata do not have; nothing is written"));
  }

 private:
  std::size_t count_ = 0;
};

std::string render_mustache_template(const Template& source, const RenderContext& context, MissingKeys& missing) {
  std::optional<std::string> text;
  try {
    text = context.reader.read(source.path);
  } catch (const Error& error) {
    throw render_failure(source, error.what(), context.log);
  }
  if (!text) throw render_failure(source, cat("there is no file ", source.path), context.log);
  const Result<MustacheTemplate> parsed = parse_mustache(*text, source.path);
  if (!parsed) throw render_failure(source, cause_of(parsed.error()), context.log);
  report_unclosed(source, *parsed, context);
  try {
    return render_mustache(
        *parsed, context.metadata, [&context](const std::string& name) { return load_partial(name, context); },
        missing.report(source, context));
  } catch (const Error& error) {
    throw render_failure(source, error.what(), context.log);
  }
}

/// A program: no arguments, this directory and environment, metadata on stdin.
std::string run_template(const Template& source, const RenderContext& context) {
  const fs::path program = source.path.find('/') == std::string::npos ? cat("./", source.path) : source.path;
  CommandResult result;
  try {
    result = context.runner.run({.argv = {program.string()}, .input = python_json(context.metadata.value())});
  } catch (const Error& error) {
    throw template_error(cat("config script failed: ", source.path, "\n\nwith output:\n\n", error.what()), source.path);
  }
  if (!succeeded(result.status)) {
    throw template_error(cat("config script failed: ", source.path, "\n\nwith output:\n\n",
                             replace_invalid_utf8(cat(result.out, result.err)), "\n", describe(result.status)),
                         source.path);
  }
  if (!is_valid_utf8(result.out)) {
    throw template_error(cat("config script failed: ", source.path, "\n\nits output is not valid UTF-8"), source.path);
  }
  return std::move(result.out);
}

}  // namespace

std::vector<Template> scan_templates(const std::string& root) { return Scanner(root).run(); }

std::vector<RenderedFile> render_tree(const std::vector<Template>& templates, const RenderContext& context) {
  std::vector<RenderedFile> files;
  MissingKeys missing;
  for (const Template& one : templates) {
    RenderedFile file;
    file.relative = one.relative;
    file.content = one.executable ? run_template(one, context) : render_mustache_template(one, context, missing);
    if (one.control) file.control = parse_control(*one.control, one.path, context.accounts);
    files.push_back(std::move(file));
  }
  missing.refuse_any();
  return files;
}

}  // namespace hearth::agent
