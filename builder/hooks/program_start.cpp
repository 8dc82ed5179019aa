#include "builder/hooks/program_start.hpp"

#include <elf.h>
#include <sys/utsname.h>

#include <cstring>

#include "base/error.hpp"
#include "base/sys/tree_reader.hpp"
#include "base/text.hpp"

namespace hearth::builder {

namespace {

constexpr const char* k_image_bash = "/bin/bash";
constexpr int k_most_interpreters = 5;  // each other's, in Linux (fs/exec.c)

std::optional<std::string> fault_of(const FileReader& tree, const std::string& program, int interpreters);

template <class Header>
std::optional<Header> header_at(std::string_view bytes, std::size_t offset) {
  Header header{};
  if (offset > bytes.size() || bytes.size() - offset < sizeof header) return std::nullopt;
  std::memcpy(&header, bytes.data() + offset, sizeof header);
  return header;
}

/// The machine that a program is for, as uname(2) calls it; empty for those that we don't know.
std::string machine_of(std::uint16_t number) {
  if (number == EM_X86_64) return "x86_64";
  if (number == EM_AARCH64) return "aarch64";
  if (number == EM_PPC64) return "ppc64le";
  if (number == EM_S390) return "s390x";
  return number == EM_RISCV ? "riscv64" : "";
}

std::optional<std::string> fault_of_elf(const FileReader& tree, const std::string& program, std::string_view bytes) {
  const auto header = header_at<Elf64_Ehdr>(bytes, 0);
  if (!header || header->e_ident[EI_CLASS] != ELFCLASS64) return std::nullopt;
  utsname host{};
  ::uname(&host);
  const std::string machine = machine_of(header->e_machine);
  if (!machine.empty() && machine != host.machine) {
    return cat(program, " is a program for ", machine, ", and this machine is ", host.machine);
  }
  for (std::size_t i = 0; i < header->e_phnum; ++i) {
    const auto part = header_at<Elf64_Phdr>(bytes, header->e_phoff + i * header->e_phentsize);
    if (!part) return cat(program, " is cut short");
    const bool is_inside = part->p_offset <= bytes.size() && part->p_filesz <= bytes.size() - part->p_offset;
    if (part->p_type != PT_INTERP || part->p_filesz == 0 || !is_inside) continue;
    const std::string loader(bytes.substr(part->p_offset, part->p_filesz - 1));
    if (!tree.status(loader)) return cat(program, " needs the loader ", loader, ", which is not there");
  }
  return std::nullopt;
}

std::optional<std::string> fault_of_script(const FileReader& tree, const std::string& program, std::string_view text,
                                           int interpreters) {
  if (interpreters == k_most_interpreters) return cat(program, " ends a chain of interpreters that name one another");
  const std::vector<std::string> words = split_words(text.substr(2, text.find('\n') - 2));
  if (words.empty()) return cat(program, " names no interpreter behind #!");
  if (!tree.status(words.front())) return cat(program, " is for ", words.front(), ", which is not there");
  return fault_of(tree, words.front(), interpreters + 1);
}

std::optional<std::string> fault_of(const FileReader& tree, const std::string& program, int interpreters) {
  if (program.find('/') == std::string::npos) return cat("there is no ", program, " in any directory of PATH");
  const std::optional<FileStatus> status = tree.status(program);
  if (!status) return cat("there is no ", program);
  if (status->type != FileStatus::Type::regular) return cat(program, " is no file");
  if ((status->mode & 0111U) == 0) return cat(program, " is not executable");
  const std::string bytes = tree.read(program).value_or("");
  if (bytes.starts_with("#!")) return fault_of_script(tree, program, bytes, interpreters);
  return bytes.starts_with(ELFMAG) ? fault_of_elf(tree, program, bytes) : std::nullopt;
}

/// Where PATH finds the program; the first word of a command as it is when nowhere.
std::string place_of(const FileReader& tree, const Command& command) {
  const std::string& name = command.argv.front();
  if (name.find('/') != std::string::npos || !command.env) return name;
  const auto path = command.env->find("PATH");
  if (path == command.env->end()) return name;
  for (const std::string& directory : split(path->second, ':')) {
    std::string file = cat(directory, "/", name);
    if (tree.status(file)) return file;
  }
  return name;
}

[[noreturn]] void refuse(const Command& command, const std::string& what, const std::string& why, int code) {
  const bool in_image = !command.root.empty();
  throw Error(ErrorKind::external, cat(what, " could not be started", in_image ? " in the image: " : ": ", why), code)
      .hint(in_image ? "What runs in the image needs bash and its libraries there: let a hook in root.d bring them, as "
                       "an operating-system element does, or give the hook an interpreter that the image has."
                     : "Hooks outside of the image run with this machine's programs: install what is missing here, or "
                       "change the hook's first line.");
}

/// What executes the program: the interpreter that a script names, else the program itself.
std::string interpreter_of(const FileReader& tree, const std::string& program) {
  const std::string text = tree.read(program).value_or("");
  if (!text.starts_with("#!")) return program;
  const std::vector<std::string> words = split_words(text.substr(2, text.find('\n') - 2));
  if (words.empty()) return program;
  return words.size() > 1 && words.front().ends_with("/env") ? words[1] : words.front();
}

/// Where a failed program is run by the image's bash: whether that works at all, and what it says when not.
void require_bash(CommandRunner& runner, const Command& failed, const std::string& what, int code) {
  const TreeReader tree(failed.root);
  if (!interpreter_of(tree, place_of(tree, failed)).ends_with("bash")) return;
  const Command probe{.argv = {k_image_bash, "-c", ":"}, .env = failed.env, .root = failed.root, .merge_err = true};
  std::string why;
  try {
    const CommandResult result = runner.run(probe);
    if (succeeded(result.status)) return;
    why = cat(k_image_bash, ": ", describe(result.status), result.out.empty() ? "" : ": ", trim(result.out));
  } catch (const Error& error) {
    why = why_not_executable(tree, k_image_bash).value_or(error.what());
  }
  refuse(failed, what, why, code);
}

}  // namespace

std::optional<std::string> why_not_executable(const FileReader& tree, const std::string& program) {
  return fault_of(tree, program, 0);
}

CommandResult run_program(CommandRunner& runner, const Command& command, const std::string& what) {
  try {
    CommandResult result = runner.run(command);
    if (!command.root.empty() && !succeeded(result.status)) {
      require_bash(runner, command, what, shell_code(result.status));
    }
    return result;
  } catch (const Error& error) {
    constexpr int not_started = 127;
    if (error.exit_code() != not_started || !std::string_view(error.what()).starts_with("starting ")) throw;
    const TreeReader tree(command.root.empty() ? fs::path("/") : command.root);
    const std::string place = place_of(tree, command);
    refuse(command, what, why_not_executable(tree, place).value_or(error.what()), not_started);
  }
}

}  // namespace hearth::builder
