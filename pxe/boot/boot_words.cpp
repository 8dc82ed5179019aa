#include "pxe/boot/boot_words.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "base/text.hpp"

namespace hearth::pxe {

namespace {

// What none of the three languages gives a meaning inside a word: iPXE has ${}, #, && and ||; GRUB's shell has
// $ \ ' " ; & | < > { } ( ) # * ? ` and blanks; PXELINUX ends a value at the line's end.
constexpr std::string_view k_word_marks = "._=,:/@%+~^-[]";
/// In a URL further what queries and signatures are made of. GRUB and PXELINUX get no URLs.
constexpr std::string_view k_url_marks = "._=,:/@%+~-[]?&!*";

bool is_letter_or_digit(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9'); }

bool is_plain(char c, std::string_view marks) {
  return is_letter_or_digit(c) || marks.find(c) != std::string_view::npos;
}

std::string shown(char c) {
  if (c >= ' ' && c <= '~') return cat("'", c, "'");
  return c == '\n' ? "a line end" : "a control or foreign character";
}

std::string refused(std::string_view text, std::size_t at) {
  return cat(shown(text[at]), " at character ", at + 1, " can't be handed to a boot loader");
}

}  // namespace

Result<KernelArguments, std::string> KernelArguments::parse(std::string_view given) {
  const std::string_view text = trim(given);
  bool quoted = false;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] == '"') {
      quoted = !quoted;
    } else if (text[at] != ' ' && !is_plain(text[at], k_word_marks)) {
      return refused(text, at);
    }
  }
  if (quoted) return std::string("a double quote has no other to close it");
  KernelArguments arguments;
  arguments.text_ = text;
  return arguments;
}

KernelArguments::KernelArguments(const std::string& text) {
  Result<KernelArguments, std::string> parsed = parse(text);
  if (!parsed) throw Error(ErrorKind::input, cat("kernel arguments: ", parsed.error()));
  text_ = std::move(parsed).value().text_;
}

KernelArguments KernelArguments::with(const KernelArguments& more) const {
  KernelArguments both;
  both.text_ = text_.empty() || more.empty() ? text_ + more.text_ : cat(text_, ' ', more.text_);
  return both;
}

Result<BootSource, std::string> BootSource::parse(std::string_view text) {
  BootSource source;
  source.text_ = text;
  const bool url = source.is_url();
  for (std::size_t at = 0; at < text.size(); ++at) {
    const bool good = url ? is_plain(text[at], k_url_marks) : static_cast<unsigned char>(text[at]) >= ' ';
    if (!good) return refused(text, at);
  }
  if (url && !text.starts_with("http://") && !text.starts_with("https://") && !text.starts_with("tftp://"))
    return std::string("boot loaders fetch by http, https and tftp only");
  return source;
}

BootSource::BootSource(const std::string& text) {
  Result<BootSource, std::string> parsed = parse(text);
  if (!parsed) throw Error(ErrorKind::input, cat("kernel or ramdisk ", text, ": ", parsed.error()));
  text_ = std::move(parsed).value().text_;
}

bool is_boot_name(std::string_view name) {
  return name.size() <= 255 && std::all_of(name.begin(), name.end(), [](char c) { return is_plain(c, "._~-"); });
}

}  // namespace hearth::pxe
