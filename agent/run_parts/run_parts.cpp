#include "agent/run_parts/run_parts.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <ctime>

#include "agent/run_parts/environment.hpp"
#include "base/error.hpp"
#include "base/sys/file.hpp"
#include "base/text.hpp"

namespace hearth::agent {

namespace {

constexpr const char* k_usual_pattern = "^[0-9A-Za-z_-]+$";
constexpr int k_cannot_execute = 126;
constexpr int k_no_interpreter = 127;

std::string date_text() {
  const std::time_t now = std::time(nullptr);
  std::tm local{};
  ::localtime_r(&now, &local);
  std::array<char, 64> text{};
  return {text.data(), std::strftime(text.data(), text.size(), "%a %b %e %H:%M:%S %Z %Y", &local)};
}

std::string padded(std::string text, std::size_t width) {
  if (text.size() < width) text.append(width - text.size(), ' ');
  return text;
}

std::string right_aligned(const std::string& text, std::size_t width) {
  return text.size() < width ? std::string(width - text.size(), ' ') + text : text;
}

std::string base_name(std::string_view path) {
  while (path.size() > 1 && path.back() == '/') path.remove_suffix(1);
  const std::size_t slash = path.rfind('/');
  return std::string(slash == std::string_view::npos || path.size() == 1 ? path : path.substr(slash + 1));
}

void say_ignored(const Selection& selection, const Say& say) {
  const auto list = [&say](std::string_view title, const std::vector<std::string>& names) {
    if (names.empty()) return;
    say(title);
    for (const std::string& name : names) say(name);
  };
  list("Ignoring non-executable files:", selection.not_executable);
  list("Ignoring non-conforming filenames:", selection.nonconforming);
}

/// The kernel starts ELF files and files with a "#!" line; a shell runs any other text file itself.
bool needs_a_shell(const std::string& path) {
  const Fd file = Fd::open(path, O_RDONLY);
  std::array<char, 4> magic{};
  const ssize_t got = ::read(file.get(), magic.data(), magic.size());
  const std::string_view begin(magic.data(), got > 0 ? static_cast<std::size_t>(got) : 0);
  return begin.substr(0, 2) != "#!" && begin !=
                                           "\x7f"
                                           "ELF";
}

/// The script is there: what is not is what its first line names.
std::string interpreter_of(const std::string& path) {
  const std::string text = RealFileSystem().read(path).value_or("");
  const std::string line = text.substr(0, text.find('\n'));
  if (line.rfind("#!", 0) != 0) return "";
  const bool windows = !line.empty() && line.back() == '\r';
  return cat(": its first line asks for ", trim(line.substr(2)),
             windows ? ", and its lines end as on Windows (CRLF)" : "");
}

/// A script that can't be started (no interpreter, unknown format) fails as it would under a shell.
int run_script(const std::string& path, const std::optional<Environment>& env, const RunPartsRequest& request,
               CommandRunner& runner, const Say& say) {
  Command command{.argv = {path},
                  .env = env,
                  .inherit_input = true,
                  .out = Output::inherit,
                  .err = Output::inherit,
                  .deadline = request.deadline,
                  .own_group = false};
  try {
    if (needs_a_shell(path)) command.argv.insert(command.argv.begin(), "bash");
    return shell_code(runner.run(command).status);
  } catch (const Error& error) {
    const std::string_view reason = error.what();
    const bool missing = reason.ends_with(std::strerror(ENOENT));
    say(cat(reason, missing ? interpreter_of(path) : ""));
    return missing ? k_no_interpreter : k_cannot_execute;
  }
}

}  // namespace

Say say_on_stderr(std::string name) {
  return [name = std::move(name)](std::string_view text) {
    const std::string line = cat(name, " ", date_text(), " ", text, "\n");
    [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, line.data(), line.size());
  };
}

Selection scripts_in(const std::string& directory, const std::string& name_pattern) {
  const NamePattern pattern =
      NamePattern::compile(name_pattern.empty() ? k_usual_pattern : name_pattern).value_or_throw();
  const RealFileSystem files;
  std::vector<Candidate> candidates;
  for (const std::string& name : files.list(directory)) {
    const fs::path path = fs::path(directory) / name;
    const std::optional<FileStatus> status = files.status(path);
    candidates.push_back(
        {name, status && status->type == FileStatus::Type::regular, ::access(path.c_str(), X_OK) == 0});
  }
  return select_scripts(candidates, pattern);
}

std::vector<std::string> profile_table(const std::string& target, std::vector<ScriptTiming> timings) {
  std::vector<std::string> lines = {"----------------------- PROFILING -----------------------",
                                    "",
                                    cat("Target: ", target),
                                    "",
                                    cat(padded("Script", 40), " ", right_aligned("Seconds", 9)),
                                    cat(padded(std::string(39, '-'), 40), " ", std::string(10, '-')),
                                    ""};
  std::sort(timings.begin(), timings.end(),
            [](const ScriptTiming& a, const ScriptTiming& b) { return a.name < b.name; });
  for (const ScriptTiming& timing : timings) {
    lines.push_back(cat(padded(timing.name, 40), " ", right_aligned(fixed(timing.seconds, 3), 10)));
  }
  lines.emplace_back("");
  lines.emplace_back("--------------------- END PROFILING ---------------------");
  return lines;
}

int run_parts(const RunPartsRequest& request, CommandRunner& runner, const Clock& clock, const Say& say) {
  const Selection selection = scripts_in(request.directory, request.name_pattern);
  if (request.trace) say_ignored(selection, say);
  std::optional<Environment> env;
  const std::vector<std::string> files = environment_files(cat(request.directory, "/../environment.d"));
  if (!files.empty()) {
    std::variant<Environment, SourcingEnded> sourced = source_environment(files, "dib-run-parts");
    if (const auto* ended = std::get_if<SourcingEnded>(&sourced)) return ended->status;
    env = std::get<Environment>(std::move(sourced));
  }
  std::vector<ScriptTiming> timings;
  for (const std::string& name : selection.scripts) {
    const std::string path = cat(request.directory, "/", name);
    say(cat("Running ", path));
    const MonotonicTime begin = clock.now();
    const int status = run_script(path, env, request, runner, say);
    if (status != 0) return status;
    timings.push_back({name, std::chrono::duration<double>(clock.now() - begin).count()});
    say(cat(name, " completed"));
  }
  for (const std::string& line : profile_table(base_name(request.directory), timings)) say(line);
  return 0;
}

}  // namespace hearth::agent
