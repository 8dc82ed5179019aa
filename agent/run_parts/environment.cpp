#include "agent/run_parts/environment.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>

#include "agent/run_parts/order.hpp"
#include "base/error.hpp"
#include "base/sys/file.hpp"
#include "base/text.hpp"

namespace hearth::agent {

namespace {

/// $1 is the descriptor of the real stdout, $2 the log prefix, the rest are files. Descriptor 1 carries the resulting
/// environment to us, so it is set aside while files are sourced. `return` is legal in a file, as in upstream's.
constexpr std::string_view k_source_program = R"sh(
set -ue -o pipefail
source_all() {
  for hearth_environment_file; do
    printf '%s %s Sourcing environment file %s\n' "$hearth_prefix" "$(date)" "$hearth_environment_file" >&2
    set -o xtrace
    source "$hearth_environment_file"
    { set +o xtrace; } 2>/dev/null
  done
}
exec {hearth_result}>&1 1>&"$1"
eval "exec $1>&-"
hearth_prefix=$2
shift 2
source_all "$@"
exec 1>&"$hearth_result" {hearth_result}>&-
exec env -0
)sh";

constexpr const char* k_file_pattern = "^[0-9A-Za-z_.-]+$";

/// Another descriptor of stdout, or of /dev/null when stdout is closed.
Fd copy_of_stdout() {
  const int copy = ::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 10);
  return copy >= 0 ? Fd(copy) : Fd::open("/dev/null", O_WRONLY);
}

}  // namespace

std::vector<std::string> environment_files(const std::string& directory) {
  const RealFileSystem files;
  const NamePattern pattern = NamePattern::compile(k_file_pattern).value_or_throw();
  std::vector<std::string> paths;
  for (const std::string& name : files.list(directory)) {
    const std::string path = cat(directory, "/", name);
    const std::optional<FileStatus> status = files.status(path);
    if (status && status->type == FileStatus::Type::regular && pattern.matches(name)) paths.push_back(path);
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

std::variant<Environment, SourcingEnded> source_environment(const std::vector<std::string>& files,
                                                            const std::string& prefix) {
  const Fd real_stdout = copy_of_stdout();
  Pipe result = Pipe::create();
  SpawnOptions options{.argv = {"bash", "-c", std::string(k_source_program), "dib-run-parts", "3", prefix},
                       .in = STDIN_FILENO,
                       .out = result.write.get(),
                       .extra = real_stdout.get(),
                       .own_group = false};
  options.argv.insert(options.argv.end(), files.begin(), files.end());
  Child bash = Child::spawn(options);
  result.write = Fd();
  const std::string bytes = read_all(result.read, "the environment that environment.d gives");
  const ExitStatus status = bash.wait(Deadline::never(), SystemClock()).value_or(Exited{1});
  if (bytes.empty() || !succeeded(status)) return SourcingEnded{shell_code(status)};
  return parse_environment(bytes);
}

}  // namespace hearth::agent
