#include <algorithm>

#include "base/cli/working.hpp"
#include "base/error.hpp"
#include "base/text.hpp"
#include "builder/evidence/commands.hpp"
#include "builder/evidence/policy.hpp"
#include "builder/evidence/verification.hpp"

namespace hearth::builder::evidence {

namespace {

constexpr int k_not_what_was_asked = 3;

std::vector<cli::Option> policy_options() {
  return cli::under(
      "What the signed statement has to say",
      {{"builder", 0, "ID", "who built it (--builder of its build)"},
       {"name", 0, "NAME", "the image's name"},
       {"image-version", 0, "VERSION", "the image's version (--image-version of its build)"},
       {"minimum-version", 0, "VERSION", "this version or a later one, in the order of Debian's: no roll-back"},
       {"not-before", 0, "TIME", "that its build ended then or later: 2026-11-23, 2026-11-23T10:00:00Z, or seconds"}});
}

Policy policy_of(const cli::Arguments& arguments) {
  Policy policy{.builder = arguments.value("builder"),
                .name = arguments.value("name"),
                .version = arguments.value("image-version"),
                .minimum_version = arguments.value("minimum-version"),
                .not_before = std::nullopt};
  if (const auto text = arguments.value("not-before")) {
    policy.not_before = parse_time(*text);
    if (!policy.not_before) {
      throw Error(ErrorKind::usage, cat("--not-before: '", *text, "' is no time"))
          .hint("Give a day (2026-11-23), a time (2026-11-23T10:00:00Z) or seconds since 1970.");
    }
  }
  for (const cli::Option& option : policy_options()) {
    if (!arguments.has(option.key())) continue;
    if (arguments.value_or(option.key(), "").empty()) {  // as of a script's variable that is not set
      throw Error(ErrorKind::usage, cat(option.display(), ": nothing is asked for"));
    }
    if (arguments.has("key")) continue;
    throw Error(ErrorKind::usage, cat(option.display(), " goes with --key: anyone can write what is not signed"));
  }
  return policy;
}

std::string text_of(const Statement& statement, const fs::path& image, const std::vector<std::string>& keys) {
  std::string text =
      cat(image.string(), ": sha256:", *statement.digest, ", as its provenance says; so is what lies beside it\n");
  if (statement.signatures.empty()) text += "not signed\n";
  for (const Signature& signature : statement.signatures) {
    const bool is_checked = std::find(keys.begin(), keys.end(), signature.key_id) != keys.end();
    text += cat(is_checked ? "signed by " : "not checked, since its key was not given by --key: a signature of ",
                signature.key_id, "\n");
  }
  return text;
}

Json json_of(const Statement& statement, const fs::path& image, bool is_trusted) {
  Json keys = Json::array();
  for (const Signature& signature : statement.signatures) keys.push_back(signature.key_id);
  Json json = {{"image", image.string()},
               {"sha256", *statement.digest},
               {"signed", !statement.signatures.empty()},
               {"key", keys.empty() ? Json("") : keys.front()},
               {"keys", keys},
               {"trusted", is_trusted}};
  for (const auto& [name, value] : identity_in(statement.content)) json[name] = value;
  return json;
}

int verify(const cli::Arguments& arguments) {
  if (arguments.operands().size() != 1) throw Error(ErrorKind::usage, "name one image");
  const fs::path image = arguments.operands().front();
  const Policy policy = policy_of(arguments);
  std::vector<std::string> keys;
  for (const std::string& file : arguments.values("key")) keys.push_back(public_key_hex(file));
  std::optional<cli::Working> working(std::in_place, cat("checking ", image.filename().string()));
  const Statement statement = checked_statement(image, keys);
  require_image(statement, image);
  working.reset();
  if (const auto faults = policy_faults(statement.content, policy); !faults.empty()) {
    throw Error(ErrorKind::input, cat(image.string(), " is not what was asked for: ", join(faults, "; ")),
                k_not_what_was_asked);
  }
  const bool is_trusted = !keys.empty();
  cli::print(arguments.has("json") ? json_document(json_of(statement, image, is_trusted))
                                   : text_of(statement, image, keys));
  return 0;
}

}  // namespace

cli::Command verify_command() {
  std::vector<cli::Option> options = {
      {"key", 0, "FILE", "a public key (PEM, or 64 hexadecimal digits) that must have signed; each of several must"},
      {"json", 0, "", "print the result as JSON"}};
  for (cli::Option& option : policy_options()) options.push_back(std::move(option));
  return {
      .words = "image verify",
      .operands = "IMAGE",
      .summary = "check an image, its SBOM, lock and manifest against its provenance, and who signed that",
      .details =
          "Reads NAME.d beside the image; an image, or directory, that has another name by now is found by the image's "
          "digest. Without --key nobody answers for what stands there.\n\n"
          "Exit codes: 0 it holds; 1 it does not: image or evidence changed, not signed, or by another key;\n"
          "2 wrong usage; 3 it holds, but is not what was asked for (--name, --minimum-version, …).",
      .options = std::move(options),
      .run = verify};
}

}  // namespace hearth::builder::evidence
