#include "metadata/lsp/lsp_command.hpp"

#include <poll.h>
#include <unistd.h>

#include <cerrno>

#include "base/error.hpp"
#include "base/sys/broken_pipe.hpp"
#include "base/sys/fd.hpp"
#include "base/sys/heat_hooks.hpp"
#include "base/sys/process.hpp"
#include "base/variable.hpp"
#include "base/version.hpp"
#include "metadata/lsp/language_server.hpp"
#include "metadata/lsp/message_reader.hpp"

namespace hearth::metadata::lsp {

namespace {

constexpr int k_pause = 150;  ///< milliseconds of silence after which a template is looked at

/// Whether standard input has bytes, or is at its end.
bool has_input(int milliseconds) {
  pollfd input{.fd = STDIN_FILENO, .events = POLLIN, .revents = 0};
  return ::poll(&input, 1, milliseconds) > 0;
}

/// False at the end.
bool read_some(MessageReader& reader) {
  std::string bytes(65536, '\0');
  const ssize_t got = ::read(STDIN_FILENO, bytes.data(), bytes.size());
  if (got < 0 && errno == EINTR) return true;
  if (got < 0) throw Error::from_errno("read", "standard input");
  reader.add(std::string_view(bytes).substr(0, static_cast<std::size_t>(got)));
  return got > 0;
}

void take_all(MessageReader& reader, LanguageServer& server) {
  while (!server.is_over()) {
    const std::optional<Message> message = reader.next();
    if (!message) return;
    if (message->passed_over) {
      server.take_nothing();
    } else {
      server.take(message->body);
    }
  }
}

int serve_editor(const cli::Arguments& arguments) {
  if (!arguments.operands().empty())
    throw Error(ErrorKind::usage, "it takes no operands; an editor opens the templates");
  if (::isatty(STDIN_FILENO) == 1) {
    throw Error(ErrorKind::usage, "standard input is a terminal; an editor talks to this command")
        .hint("`hearth help editors` tells how to set one up; hearth metadata validate looks at a template here.");
  }
  const RealFileSystem disk;
  const NoBrokenPipeSignal quiet;
  const Fd output(::dup(STDOUT_FILENO));
  const auto send = [&](std::string_view body) { write_all(output, framed(body), "standard output"); };
  ServerSettings settings{.version = build_version(), .environments = arguments.values("environment")};
  settings.is_asked = [] { return has_input(0); };
  settings.brings_hook = [&disk](const std::string& group) {
    return brings_hook_in(disk, variable(current_environment(), "ELEMENTS_PATH"), group);
  };
  LanguageServer server(disk, std::move(settings), send);
  MessageReader reader;
  bool more = true;
  bool silent = false;  // since a pause; one is enough for all documents
  while (more && !server.is_over()) {
    const int pause = silent ? 0 : k_pause;
    silent = !has_input(server.has_work() ? pause : -1);
    if (silent) {
      server.work();
    } else {
      more = read_some(reader);
      take_all(reader, server);
    }
  }
  return server.exit_code();
}

}  // namespace

std::vector<cli::Command> commands() {
  return {{.words = "metadata lsp",
           .operands = "",
           .summary = "a language server for templates: an editor starts it",
           .details =
               "Talks the Language Server Protocol on standard input and output: all errors of hearth metadata "
               "validate while one types, completion of sections, types, properties, functions and names, what a type "
               "or a property is, the definition of what is named and all places where it is used, its renaming in "
               "the document, and the template's outline. 'hearth help editors' tells how to set an "
               "editor up. Parameters without a value are no errors here. Exit code 0 when the editor asked to shut "
               "down before it ended the talk, else 1.",
           .options = {{"environment", 'e', "FILE",
                        "an environment of the stacks, for its resource_registry and parameters; may be given again"}},
           .run = serve_editor}};
}

}  // namespace hearth::metadata::lsp
