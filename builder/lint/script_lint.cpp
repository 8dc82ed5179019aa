#include "builder/lint/script_lint.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <set>

#include "base/run_parts.hpp"
#include "base/text.hpp"
#include "builder/elements/phase.hpp"
#include "builder/lint/shell_commands.hpp"
#include "builder/plan/builders_variables.hpp"

namespace hearth::builder {

namespace {

bool contains(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }
/// A word by itself, not a part of another: "losetup" in "sudo losetup -f", not in "my-losetup-notes".
bool has_word(std::string_view line, std::string_view word) {
  constexpr std::string_view inside = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.";
  for (std::size_t at = line.find(word); at != std::string_view::npos; at = line.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    const bool begins = at == 0 || inside.find(line[at - 1]) == std::string_view::npos;
    if (begins && (end == line.size() || inside.find(line[end]) == std::string_view::npos)) return true;
  }
  return false;
}

class ScriptLint {
 public:
  ScriptLint(const ScriptFile& file, const Disabled& disabled)
      : file_(file), disabled_(disabled), lines_(split_lines(file.text)) {
    disabled_.merge(disabled_checks(file.text));
    for (std::string& line : lines_) {
      if (line.ends_with('\r')) line.pop_back();  // foreign_line_ends() tells of those
    }
    const std::size_t slash = file.place.find('/');
    directory_ = slash == std::string::npos ? "" : file.place.substr(0, slash);
    is_direct_ = slash != std::string::npos && file.place.find('/', slash + 1) == std::string::npos;
    first_ = lines_.empty() ? "" : lines_.front();
    has_shebang_ = first_.starts_with("#!");
    if (directory_.ends_with(".d")) phase_ = parse_phase(directory_.substr(0, directory_.size() - 2));
  }

  std::vector<Finding> run() {
    check_head();
    check_hook();
    check_strictness();
    if (directory_ == "environment.d") check_environment_file();
    check_lines();
    check_commands();
    check_layout();
    return std::move(findings_);
  }

 private:
  void find(int line, const std::string& check, std::string what, Severity severity = Severity::error) {
    if (disabled_.count(check) == 0) findings_.push_back({file_.path, line, severity, check, std::move(what)});
  }

  [[nodiscard]] bool is_bash() const { return first_.starts_with("#!") && contains(first_, "bash"); }

  void check_head() {
    if (has_shebang_ && !file_.is_executable && directory_ != "environment.d") {
      find(1, "executable", "it begins with #! and is not executable: chmod +x");
    }
    if (is_bash() && first_ != "#!/bin/bash") find(1, "shebang", "use #!/bin/bash for scripts");
    if (has_shebang_) check_python();
  }

  /// "#!/usr/bin/python", also by env.
  void check_python() {
    std::vector<std::string> words = split_words(first_.substr(2));
    if (words.size() > 1 && words[0].ends_with("/env")) words.erase(words.begin());
    const std::string program = words.empty() ? "" : words[0].substr(words[0].rfind('/') + 1);
    if (program != "python" && program != "python2") return;
    find(1, "shebang", cat("Debian has no program '", program, "' since its release 11: #!/usr/bin/env python3"),
         Severity::warning);
  }

  void check_hook() {
    if (!phase_ || !is_direct_ || !(file_.is_executable || has_shebang_)) return;
    const std::string name = file_.place.substr(directory_.size() + 1);
    if (!has_shebang_ && !file_.text.starts_with("\x7f"
                                                 "ELF")) {
      find(1, "shebang", "a hook needs a first line like #!/bin/bash to be run");
    }
    if (!is_run_parts_name(name)) {
      find(0, "hookname", cat(k_never_run, ": letters, digits, _ and - only"), Severity::warning);
    } else if (name.front() < '0' || name.front() > '9') {
      find(0, "hookname", "the name has no number: it runs before 00-…", Severity::warning);
    }
  }

  [[nodiscard]] bool sets(char letter, std::string_view name) const { return sets_option(lines_, letter, name); }

  void check_strictness() {
    if (!first_.starts_with("#!/bin/bash") || directory_ == "environment.d") return;
    if (!sets('e', "errexit")) find(1, "sete", "set -e is missing: errors would be passed over");
    if (!sets('u', "nounset")) find(1, "setu", "set -u is missing: unset variables would be empty");
    if (!sets(0, "pipefail"))
      find(1, "setpipefail", "set -o pipefail is missing: errors in pipes would be passed over");
    if (!contains(file_.text, "DIB_DEBUG_TRACE"))
      find(1, "dibdebugtrace", "it does not follow DIB_DEBUG_TRACE (set -x)");
  }

  void check_environment_file() {
    for (std::size_t i = 0; i < lines_.size(); ++i) {
      if (contains(lines_[i], "set -x")) find(line(i), "environment", "an environment file must not set tracing");
    }
    check_exports();
    if (file_.is_executable) find(0, "environment", "an environment file must not be executable: it is sourced");
    if (has_shebang_)
      find(1, "environment", "it is sourced by the shell that runs all hooks: #! does nothing here, leave it out",
           Severity::warning);
    if (!is_environment_file_name(file_.place.substr(directory_.size() + 1))) {
      find(0, "hookname", "a file of this name is never sourced: letters, digits, _ . and - only");
    }
  }

  /// `DIB_X=1` of which the file says nothing else: what another one exports already is the builder's.
  void check_exports() {
    for (std::size_t i = 0; i < lines_.size(); ++i) {
      const std::string_view text = trim(lines_[i]);
      const std::string name(text.substr(0, text.find('=')));
      const bool is_set = name.size() < text.size() && name.starts_with("DIB_") && is_variable_name(name);
      if (!is_set || is_read_by_builder(name) || is_before_command(text.substr(name.size() + 1))) continue;
      const auto mentions =
          std::count_if(lines_.begin(), lines_.end(), [&](const std::string& other) { return contains(other, name); });
      if (mentions > 1 || sets('a', "allexport")) continue;
      find(line(i), "environment",
           cat(name, " is not exported, so no hook sees it where its caller gives none: export ", name, "=…"),
           Severity::warning);
    }
  }

  static bool is_variable_name(std::string_view name) {
    return std::all_of(name.begin(), name.end(),
                       [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; });
  }

  /// `A=b command`
  static bool is_before_command(std::string_view value) {
    const bool is_quoted = !value.empty() && std::string_view("\"'$`").find(value.front()) != std::string_view::npos;
    return !is_quoted && value.find_first_of(" \t") != std::string_view::npos;
  }

  static int line(std::size_t index) { return static_cast<int>(index) + 1; }

  void check_lines() {
    const bool is_python = contains(first_, "python");
    for (std::size_t i = 0; i < lines_.size(); ++i) {
      const std::string_view text = trim(lines_[i]);
      if (is_export_of_substitution(text)) {
        find(line(i), "export", "split export and assignment: export hides the failure of $(…)");
      }
      if (text.empty() || text.front() == '#') continue;
      if (contains(text, "which ") && !contains(text, "dib-lint: which") && has_shebang_ && !is_python) {
        find(line(i), "which", "use 'command -v' or 'type -P': which is not everywhere");
      }
      if (has_shebang_ && !is_continued(i)) check_privileges(line(i), logical_line(i));
    }
  }

  [[nodiscard]] bool is_continued(std::size_t index) const {
    return index > 0 && !lines_[index - 1].empty() && lines_[index - 1].back() == '\\';
  }

  /// The line with those that a backslash at its end joins to it.
  [[nodiscard]] std::string logical_line(std::size_t index) const {
    std::string text(trim(lines_[index]));
    while (!text.empty() && text.back() == '\\' && index + 1 < lines_.size()) {
      text.pop_back();
      text += trim(lines_[++index]);
    }
    return text;
  }

  static bool is_export_of_substitution(std::string_view text) {
    const std::size_t at = text.find("export ");
    return at != std::string_view::npos && contains(text.substr(at), "$(") && text.front() != '#';
  }

  void check_privileges(int number, std::string_view text) {
    if (has_word(text, "sudo") && !contains(text, "install-packages") && !contains(text, "dib-lint: safe_sudo")) {
      check_sudo(number, text);
    }
    for (const char* word : {"losetup", "kpartx", "dmsetup", "partx"}) {
      if (has_word(text, word)) find(number, "loop", cat(word, ": there are no loop devices in the sandbox"));
    }
    if (contains(text, "/dev/loop") || (has_word(text, "mount") && contains(text, "-o loop"))) {
      find(number, "loop", "there are no loop devices in the sandbox");
    }
  }

  void check_sudo(int number, std::string_view text) {
    static constexpr std::array<std::string_view, 4> inside = {"TARGET_ROOT", "IMAGE_BLOCK_DEVICE", "TMP_MOUNT_PATH",
                                                               "TMP_IMAGE_PATH"};
    const bool stays_inside =
        std::any_of(inside.begin(), inside.end(), [&](std::string_view name) { return contains(text, name); });
    const bool on_host = phase_ && info(*phase_).place == Place::host;
    if (on_host && !stays_inside && contains(text, "sudo ")) {
      find(number, "safe_sudo", "potentially unsafe sudo: it names nothing of the target");
    } else {
      find(number, "sudo",
           on_host ? "hooks are root already: sudo does nothing here"
                   : "hooks are root already, and an image need not have sudo: leave it out",
           Severity::warning);
    }
  }

  /// What does nothing while an image is made, or asks a person there.
  void check_commands() {
    const bool is_in_target = phase_ && info(*phase_).place == Place::target && is_direct_;
    if (!is_in_target || !has_shebang_ || !(first_.ends_with("sh") || contains(first_, "bash"))) return;
    for (const ShellCommand& command : shell_commands(file_.text)) {
      const std::string& program = command.words.front();
      if (program == "systemctl") check_systemctl(command);
      if (program == "service" && command.words.size() > 2 &&
          (command.words[2] == "start" || command.words[2] == "restart"))
        find(command.line, "service",
             cat("no service runs while an image is made: systemctl enable ", command.words[1],
                 " has it start with the machine"),
             Severity::warning);
      check_apt(command);
    }
  }

  void check_systemctl(const ShellCommand& command) {
    static const std::set<std::string_view> k_of_running = {"start", "restart", "try-restart", "reload-or-restart",
                                                            "reload"};
    const auto verb = std::find_if(command.words.begin() + 1, command.words.end(),
                                   [](const std::string& word) { return !word.starts_with('-'); });
    if (verb == command.words.end()) return;
    const bool is_now = std::count(command.words.begin(), command.words.end(), "--now") > 0;
    const std::string unit = verb + 1 == command.words.end() ? "UNIT" : *(verb + 1);
    if (k_of_running.contains(*verb)) {
      find(command.line, "service",
           cat("no service runs while an image is made, and systemctl ", *verb, " does nothing: systemctl enable ",
               unit, " has it start with the machine"),
           Severity::warning);
    } else if (is_now && *verb == "enable") {
      find(command.line, "service", "no service runs while an image is made: --now does nothing", Severity::warning);
    }
  }

  void check_apt(const ShellCommand& command) {
    static const std::set<std::string_view> k_that_ask = {"install", "upgrade", "dist-upgrade", "full-upgrade",
                                                          "remove",  "purge",   "autoremove",   "build-dep"};
    if (!k_that_ask.contains(apt_action(command))) return;
    const bool is_answered = std::any_of(command.words.begin(), command.words.end(), [](const std::string& word) {
      const bool are_letters = word.size() > 1 && word[0] == '-' && word[1] != '-';
      return word == "--yes" || word == "--assume-yes" || word == "-qq" || contains(word, "Assume-Yes") ||
             contains(word, "$") || (are_letters && contains(word, "y"));  // a variable may have it
    });
    if (!is_answered)
      find(command.line, "apt",
           cat(command.words.front(), " ", apt_action(command),
               " asks before it does more than it is told to, and nobody answers: -y"),
           Severity::warning);
  }

  void check_layout() {
    const bool is_shell = has_shebang_ && !contains(first_, "python") && !contains(first_, "perl");
    const bool is_read = file_.is_executable || file_.place.ends_with(".rst") || file_.place.ends_with(".md");
    for (std::size_t i = 0; i < lines_.size(); ++i) {
      const std::size_t blanks = lines_[i].find_first_not_of(' ');
      if (blanks == std::string::npos) continue;
      if (lines_[i][blanks] == '\t') {
        if (is_read) find(line(i), "tabindent", "indented with a tab");
      } else if (is_shell && blanks % 4 != 0) {
        find(line(i), "indent", "use 4 spaces to indent");
      }
    }
    const bool lists_sources = file_.place.starts_with("source-repository-");
    if ((is_read || lists_sources) && !file_.text.empty() && file_.text.back() != '\n') {
      find(line(lines_.size() - 1), "newline", "no newline at the end of the file");
    }
  }

  const ScriptFile& file_;
  Disabled disabled_;
  std::vector<std::string> lines_;
  std::string directory_;
  std::string first_;
  bool is_direct_ = false;
  bool has_shebang_ = false;
  std::optional<Phase> phase_;
  std::vector<Finding> findings_;
};

}  // namespace

bool sets_option(const std::vector<std::string>& lines, char letter, std::string_view name) {
  return std::any_of(lines.begin(), lines.end(), [&](const std::string& line) {
    const std::vector<std::string> words = split_words(line);
    if (words.empty() || words[0] != "set") return false;
    for (std::size_t i = 1; i < words.size(); ++i) {
      if (words[i].size() < 2 || words[i][0] != '-') continue;
      if (letter != 0 && words[i].find(letter) != std::string::npos) return true;
      const bool takes_name = words[i].find('o') != std::string::npos && i + 1 < words.size();
      if (takes_name && words[i + 1] == name) return true;
    }
    return false;
  });
}

std::vector<Finding> lint_script(const ScriptFile& file, const Disabled& disabled) {
  return ScriptLint(file, disabled).run();
}

}  // namespace hearth::builder
