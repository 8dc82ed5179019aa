// What a step's result depends on, as values: facts such as "env DIB_RELEASE" = digest. Pure. A kept result is valid
// while every fact that was noted when it was made still holds.
//
// What must hold: whatever can change a step's result is one of its facts, or is kept from the step. So a variable that
// is no fact is not handed to the step, and what can't be asked again is noted as "unseen", with which nothing is kept.
// One fact too many costs time, one too few makes a wrong image: where it is not certain, it is a fact.
//
// Only digests are kept, and those of what may be secret are keyed (keyed_facts.hpp): who reads a store learns no
// password.
#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "base/sys/process.hpp"
#include "builder/layers/keyed_facts.hpp"

namespace hearth::builder {

/// Kind and name, separated by one blank, to a digest:
///   "env NAME"         a variable that the step sees
///   "hook PATH"        a file of the merged hooks that it read ("missing" when there is none)
///   "list PATH"        a directory there that it listed: names, and what `ls -l` tells of each
///   "link PATH"        a link there by which it may have come to what it read
///   "elements all"     all files of the elements
///   "element NAME/FILE" a file or directory of one of them, beside "elements all": which of them has changed
///   "file NAME"        the files or directories of the host that this variable, which it sees, names
///   "beside PATH"      a file or directory there that the step may have asked for, by its name alone
///   "given host-files" what elements' files of this name list
///   "names DIR"        the names of all below a directory there, where these are many; of "hooks" all but scripts
///   "host PATH"        a file or directory of the host that its scripts name, whether they open it or not
///   "read PATH"        a file of the host that it read, or a directory whose names it read, and that nothing names
///   "asked PATH"       a path of the host that it only asked for, or that was not there, likewise: what that told
///   "copy PATH"        of the host: what is there and below it is a copy of what the next four tell
///   "repository URL"   a Release file that packages were taken by
///   "git URL REF"      the commit that was taken of a branch or tag
///   "url URL"          validators (ETag, Last-Modified) of a document that was fetched
///   "fetch METHOD URL" what a recorded or replayed request was answered with
///   "unseen WHAT"      something that can't be asked again: a step with this fact never holds
///   "package ELEMENT/FILE NAME"  what a package-installs or pkg-map file asks for; "package -p NAME" what -p does
using Facts = std::map<std::string, std::string>;

[[nodiscard]] std::string fact_kind(const std::string& fact);
[[nodiscard]] std::string fact_name(const std::string& fact);
/// A fact of something that is not on this machine.
[[nodiscard]] bool is_remote(const std::string& fact);

/// The digest of a fact's value.
[[nodiscard]] std::string fact_digest(std::string_view value);

/// A variable that programs read without being told its name: proxies, the locale, what package managers, compilers and
/// interpreters take, and diskimage-builder's own. It counts in every step.
[[nodiscard]] bool always_counts(std::string_view variable);
/// Who makes an element calls its variables so (DIB_…): no program but the element's own reads it.
[[nodiscard]] bool may_be_an_elements(std::string_view variable);
[[nodiscard]] bool is_locale(std::string_view variable);
[[nodiscard]] bool is_proxy(std::string_view variable);

/// Of a login session or a build service: a script depends on it where it names it, and never by listing all variables.
[[nodiscard]] bool is_of_session(std::string_view variable);

/// What the builder itself passes in and what differs between builds of the same steps (the image's name, the command
/// line, the list of elements): handed to a step, and counted, where it names it.
[[nodiscard]] bool is_of_builder(std::string_view variable);

/// Whether a text has the variable's name as a word.
[[nodiscard]] bool names_variable(std::string_view text, std::string_view variable);

/// A text that a step may run, as far as facts go.
class ScriptWords {
 public:
  /// `may_be_data`: one of the files of a whole directory of the machine. It is not taken at its word where it lists
  /// variables, or names one of a session. `hearths`: of Hearth's own library, which reads no variable that it only
  /// gives a value (`HOME=/root chroot …`); in a script of anybody's another program may read what was there before.
  /// `own`: of one of Hearth's own elements. In both a word that is only a word (`user`, `VERSION`) names no variable;
  /// in anybody's, who may ask for it in any way and any language, it does.
  enum class Kind { script, may_be_data, hearths, own };
  explicit ScriptWords(std::string text, Kind kind = Kind::script);
  ScriptWords(ScriptWords&&) = delete;  // words_ are parts of text_

  [[nodiscard]] const std::string& text() const { return text_; }
  /// Its names of variables and files: "MY_DIR" and, of "bin/cache-url", "cache-url".
  [[nodiscard]] bool has(std::string_view word) const { return words_.count(word) > 0; }
  [[nodiscard]] bool names(std::string_view variable) const;
  /// Of a variable that it names: in which line first; 0 where that is by other words (`~`).
  [[nodiscard]] std::size_t line_naming(std::string_view variable) const;
  /// It reads variables whose names it does not say (`${!name}`, `env`).
  [[nodiscard]] bool lists_variables() const { return lists_variables_; }

 private:
  [[nodiscard]] bool is_named_by_a_word(std::string_view variable) const;

  std::string text_;
  std::unordered_set<std::string_view> words_;
  Kind kind_ = Kind::script;
  bool lists_variables_ = false;
};

/// What the scripts of a step say of variables, all of them together.
struct Mentions {
  std::set<std::string, std::less<>> names;
  bool lists_variables = false;
  bool is_hearths = false;  ///< of its own elements and package steps: no element's variable is for their programs
};

/// Whether a step whose scripts say `mentions` may see the variable: what always counts, what they name, all but a
/// session's where they list them, and what HEARTH_HOOK_VARIABLES (`passed`, names or "*") asks for.
[[nodiscard]] bool counts(const std::string& variable, const Mentions& mentions,
                          const std::set<std::string>& passed = {});

/// Whether programs may be told this variable by the builder though it is no fact: where caches lie.
[[nodiscard]] bool never_counts(std::string_view variable);

/// "env" facts of all variables that count, with what `digest` makes of each.
using DigestOfVariable = std::function<std::string(const std::string& name, const std::string& value)>;
[[nodiscard]] Facts environment_facts(const Environment& environment, const Mentions& mentions,
                                      const std::set<std::string>& passed, const DigestOfVariable& digest);

/// Which absolute paths a value names: itself, parts of a list, file:// URLs. None for what says nothing about inputs:
/// a session's, the builder's own, places in the sandbox.
[[nodiscard]] std::vector<fs::path> input_paths(const std::string& variable, const std::string& value);

/// What makes a fact one of the step's ("named in web/install.d/50-web:3"), may be empty; and whether what it tells of
/// is there now: then one that the step has no more is not gone.
struct FactPlace {
  std::string text = {};
  bool is_there = false;
};
using PlaceOfFact = std::function<FactPlace(const std::string& fact)>;

/// What differs, as sentences: "the variable DIB_RELEASE changed", "install.d/20-x changed"; each with its place where
/// one is known.
[[nodiscard]] std::vector<std::string> describe_differences(const Facts& before, const Facts& now,
                                                            const PlaceOfFact& place_of = {});

}  // namespace hearth::builder
