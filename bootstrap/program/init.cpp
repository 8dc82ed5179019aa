#include "bootstrap/program/init.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include "base/error.hpp"
#include "base/sys/file.hpp"
#include "base/text.hpp"
#include "bootstrap/site/commands.hpp"
#include "bootstrap/site/terminal.hpp"
#include "builder/commands.hpp"
#include "builder/output/format.hpp"
#include "builder/spec/image_description.hpp"

namespace hearth::bootstrap::program {

namespace {

using bootstrap::Ask;
using bootstrap::Say;
/// Why an answer can't be; empty when it can.
using Check = std::function<std::string(const std::string& answer)>;

constexpr int k_questions = 5;  // of an image: what it is to be, and those of ask_for_image()

/// Questions in turn, each with its number and how many there are.
class Asking {
 public:
  /// `all`: 0 where that depends on the answer.
  Asking(Ask ask, Say say, int first, int all) : ask_(std::move(ask)), say_(std::move(say)), next_(first), all_(all) {}

  std::string answer(const std::string& question, const std::string& usual, const Check& check) {
    const std::string numbered = cat("(", next_++, all_ == 0 ? "" : cat(" of ", all_), ") ", question);
    while (true) {
      const std::optional<std::string> said = ask_(numbered, usual, false);
      if (!said) {
        throw Error(ErrorKind::usage, "the answers ended; nothing is written")
            .hint("hearth init asks on a terminal; examples/ and the manual's first page have files to copy.");
      }
      const std::string text = trim(*said).empty() ? usual : std::string(trim(*said));
      const std::string fault = check(text);
      if (fault.empty()) return text;
      say_(cat("  ", fault));
    }
  }

 private:
  Ask ask_;
  Say say_;
  int next_;
  int all_;
};

Check one_of(const std::vector<std::string>& known) {
  return [known](const std::string& text) {
    if (std::find(known.begin(), known.end(), text) != known.end()) return std::string();
    const std::optional<std::string> near = nearest(text, known);
    return cat("'", text, "' is none of ", join(known, ", "), near ? cat("; did you mean ", *near, "?") : "");
  };
}

/// Words of a list, with commas or blanks between them, of which each is a name that needs no quotes in YAML.
std::vector<std::string> words_in(const std::string& text) { return split_words(replace_all(text, ",", " ")); }

std::string name_fault(const std::string& text) {
  constexpr std::string_view k_allowed = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+-._:/=";
  for (const std::string& word : words_in(text)) {
    const bool good = word.find_first_not_of(k_allowed) == std::string::npos &&
                      std::string_view("+-._:/=").find(word.front()) == std::string_view::npos;
    if (!good) return cat("'", word, "' is no name: letters, digits, + - . _ are expected, a letter or digit first");
  }
  return "";
}

/// Files of the image are called so.
std::string image_fault(const std::string& text) {
  const bool is_one = words_in(text).size() == 1 && text.find_first_of("/:=,") == std::string::npos;
  return is_one ? name_fault(text) : cat("'", text, "' is no name of an image: web-server is one");
}

std::string formats_fault(const std::string& text) {
  try {
    (void)builder::parse_formats(join(words_in(text), ","));
    return "";
  } catch (const Error& error) {
    return error.story();
  }
}

std::string user_fault(const std::string& text) {
  constexpr std::string_view k_allowed = "abcdefghijklmnopqrstuvwxyz0123456789_-";
  // Users of each Debian and Ubuntu (package base-passwd): one who is there can't be made.
  constexpr std::array<std::string_view, 19> k_taken{"daemon", "bin",  "sys",    "sync",     "games",  "man",  "lp",
                                                     "mail",   "news", "uucp",   "proxy",    "backup", "list", "irc",
                                                     "gnats",  "_apt", "nobody", "www-data", "sshd"};
  if (text.empty()) return "";
  if (std::find(k_taken.begin(), k_taken.end(), text) != k_taken.end())
    return cat("'", text, "' is a user of the system already");
  const bool good = text.size() <= 32 && text.find_first_not_of(k_allowed) == std::string::npos &&
                    !is_digit(text.front()) && text.front() != '-' && text != "root";
  return good ? "" : cat("'", text, "' is no user's name: small letters, digits, - and _ are expected, not root");
}

/// "'a', 'b'": quoted, for some names are other things in YAML.
std::string yaml_list(const std::vector<std::string>& words) {
  std::vector<std::string> quoted;
  for (const std::string& word : words) quoted.push_back(cat("'", word, "'"));
  return cat("[", join(quoted, ", "), "]");
}

/// The file, if it is not there yet and can be made.
std::string new_file(const cli::Arguments& arguments, const char* usual) {
  const std::string file = arguments.operands().empty() ? usual : arguments.operands().front();
  if (!file.ends_with(".yaml") && !file.ends_with(".yml"))
    throw Error(ErrorKind::usage, cat(file, ": a description ends in .yaml"));
  if (fs::exists(fs::symlink_status(file)))
    throw Error(ErrorKind::input, cat(file, " is there already; nothing is written"))
        .hint("Name another one: hearth init FILE.yaml");
  const fs::path folder = fs::absolute(file).parent_path();
  if (::access(folder.c_str(), W_OK | X_OK) != 0)
    throw Error(ErrorKind::input, cat(file, " can't be written to ", folder.string(), ": ", std::strerror(errno)))
        .hint("Make the directory, or name a file in another: hearth init DIR/FILE.yaml");
  return file;
}

/// "web" of web.yaml; where no file says it, the directory's name.
std::string image_of(const std::string& file) {
  const std::string stem = fs::path(file).stem().string();
  if (stem != "images" && image_fault(stem).empty()) return stem;
  const std::string here = fs::current_path().filename().string();
  return image_fault(here).empty() ? here : "image";
}

/// What it is to be. A file that is there already is told before somebody has answered five questions for another.
std::string kind_to_make(const cli::Arguments& arguments) {
  Asking asking(bootstrap::ask_person, bootstrap::say_to_person, 1, 0);
  const bool is_named = !arguments.operands().empty();
  const auto taken = [&](const char* file) { return !is_named && fs::exists(fs::symlink_status(file)); };
  const std::string images = "images.yaml is there already and stays; for another image: hearth init FILE.yaml";
  if (taken("images.yaml")) bootstrap::say_to_person(images);
  if (taken("images.yaml") && taken("site.yaml")) (void)new_file(arguments, "site.yaml");
  return asking.answer(
      cat("what is it to be: image (a disk to build: ", k_questions,
          " questions) or site (machines to install: 9 questions, and those about BMCs and machines that no inventory "
          "has)"),
      taken("images.yaml") ? "site" : "image", [&](const std::string& text) {
        return text == "image" && taken("images.yaml") ? images : one_of({"image", "site"})(text);
      });
}

/// What `image plan` would say of the packages of such an image; empty where that is nothing.
std::string doubts(const std::string& system, const std::string& packages, const fs::path& executable) {
  const TempDir folder = TempDir::create(fs::temp_directory_path(), "hearth-init-");
  const std::string file = (folder.path() / "images.yaml").string();
  RealFileSystem().write(file,
                         cat("- imagename: 'image'\n  elements: ", yaml_list({"vm", system}),
                             "\n  packages: ", yaml_list(words_in(packages)), "\n"),
                         {});
  constexpr std::string_view k_of_packages = "-p: ";
  std::vector<std::string> said;
  for (const std::string& line : builder::warnings_of(file, executable)) {
    if (line.starts_with(k_of_packages)) said.push_back(line.substr(k_of_packages.size()));
  }
  return join(said, "\n  ");
}

int init(const cli::Arguments& arguments, const fs::path& executable) {
  if (arguments.operands().size() > 1) throw Error(ErrorKind::usage, "name one file to write, or none");
  if (!arguments.operands().empty()) (void)new_file(arguments, "");
  if (kind_to_make(arguments) == "site") return bootstrap::ask_for_new_site(new_file(arguments, "site.yaml"));
  const std::string file = new_file(arguments, "images.yaml");
  const std::string name = image_of(file);
  bootstrap::say_to_person(cat("the image is called ", name, "; imagename in ", file, " may say otherwise"));
  const std::string text = ask_for_image(
      bootstrap::ask_person, bootstrap::say_to_person, name,
      [&](const std::string& of, const std::string& packages) { return doubts(of, packages, executable); });
  const auto images = builder::parse_image_descriptions({{file, text}});
  if (!images)
    throw Error(ErrorKind::input, cat("nothing is written: the file would be wrong\n", images.error().text()));
  (void)new_file(arguments, "images.yaml");  // answering takes its time
  RealFileSystem().write(file, text, {});
  for (const std::string& warning : builder::warnings_of(file, executable)) cli::tell(cat(warning, "\n"));
  cli::print(cat(file, ": an image. Next:\n  hearth image create --dry-run ", file,
                 "    what that would run\n  hearth image create ", file, "              build it\n"));
  return 0;
}

}  // namespace

std::string ask_for_image(const Ask& ask, const Say& say, const std::string& name, const PackageDoubts& doubts) {
  Asking asking(ask, say, 2, k_questions);
  const std::string system = asking.answer("the operating system: debian-minimal or ubuntu-minimal", "debian-minimal",
                                           one_of({"debian-minimal", "ubuntu-minimal"}));
  const std::string packages =
      asking.answer("packages besides it, with commas between (nginx-light,curl); nothing for none", "",
                    [&, before = std::string()](const std::string& text) mutable {
                      if (std::string fault = name_fault(text); !fault.empty() || text.empty()) return fault;
                      if (text == before || !doubts) return std::string();  // they may come from elsewhere
                      before = text;
                      const std::string doubt = doubts(system, text);
                      return doubt.empty() ? "" : cat(doubt, "\n  the same answer once more is taken as it stands");
                    });
  const std::string user = asking.answer(
      "a user who logs in by ssh with your key in ~/.ssh, and is root by sudo; nothing for none", "", user_fault);
  const std::string formats = asking.answer("formats of the disk, with commas between", "qcow2", formats_fault);
  std::vector<std::string> elements = {"vm", system, "enable-serial-console"};
  if (!user.empty()) elements.insert(elements.end(), {"openssh-server", "devuser"});
  std::string text =
      cat("# Images for `hearth image create`. `hearth help image create` tells what else may stand here.\n",
          "- imagename: '", name, "'\n  elements: ", yaml_list(elements), "\n  types: ", yaml_list(words_in(formats)),
          "\n");
  if (!packages.empty()) text += cat("  packages: ", yaml_list(words_in(packages)), "\n");
  if (!user.empty()) {
    text += cat("  environment:\n    DIB_DEV_USER_USERNAME: '", user,
                "'\n    DIB_DEV_USER_PWDLESS_SUDO: 'yes'    # sudo asks for no password\n");
  }
  return text;
}

std::vector<cli::Command> init_commands(const fs::path& executable) {
  return {{.words = "init",
           .operands = "[FILE.yaml]",
           .summary = "some questions become an image description, or a site file",
           .details =
               "Writes images.yaml, or site.yaml as hearth site new does; a file that is there stays. Nothing is "
               "written when the answers end, or at Ctrl-C.\n\nExample: hearth init web.yaml",
           .options = {},
           .run = [executable](const cli::Arguments& arguments) { return init(arguments, executable); },
           .first = true}};
}

}  // namespace hearth::bootstrap::program
