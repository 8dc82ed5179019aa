// What a command says: the one way to standard output and standard error. Names, reasons and errors in it are texts of
// others (BMCs, machines, images, files), which give the terminal no order here.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace hearth::cli {

/// What a command answers, to standard output: text for people, or JSON. Controls and what reorders or hides text are
/// shown as shown_text() shows them, which in JSON means the same.
void print(std::string_view text);

/// For programs, which must get each byte (a script to source, a value): as it is, unless a terminal gets it.
void print_exact(std::string_view bytes);

/// Whoever follows gets what was printed until now. Throws Error where nobody reads any more.
void flush();

/// Notes, warnings and errors, to standard error.
void tell(std::string_view text);

/// A line at the end of standard error, which is a terminal: it stands there until another one is shown, "" for none.
/// Whatever is printed or told goes above it, and has its place until it is shown again.
void show_live(std::string_view line);

/// An error's story, as tell() takes it: a word of the command line that has control characters or fills the screen is
/// shown in one line and cut, and no line is longer than somebody reads.
[[nodiscard]] std::string bounded_story(std::string story, const std::vector<std::string>& words);

/// Something for standard output was lost, for this reason (errno): by who writes there without the calls above.
void lost_output(int error_number) noexcept;

/// A program's last act: its exit code, where all that it printed was written; else says so, and no success is one.
[[nodiscard]] int ended(const std::string& program, int code) noexcept;

}  // namespace hearth::cli
