#include <cstdio>

#include "base/error.hpp"
#include "base/frames/signature.hpp"
#include "base/text.hpp"
#include "builder/evidence/commands.hpp"
#include "builder/evidence/evidence.hpp"
#include "builder/evidence/statements.hpp"

namespace hearth::builder::evidence {

namespace {

/// Throws Error(input) unless the statement is signed by the owner of `key`.
void check_signature(const Statement& statement, const std::string& key, const fs::path& image) {
  if (statement.payload.empty()) {
    throw Error(ErrorKind::input, cat(image.string(), " is not signed"))
        .hint("Sign when building: hearth image create --sign-key KEY.");
  }
  if (frames::verify(signed_text(statement.payload), statement.signature, key)) return;
  throw Error(ErrorKind::input,
              statement.key_id == key
                  ? cat("the signature of ", image.string(), " does not hold: its statement was altered")
                  : cat(image.string(), " is signed by another key (", statement.key_id, ")"))
      .hint("Do not use this image; get it, with its .d directory, from its maker again.");
}

void check_digest(const Statement& statement, const fs::path& image) {
  if (!statement.digest) {
    throw Error(ErrorKind::input,
                cat("the provenance in ", statement.directory.string(), " knows no ", image.filename().string()))
        .hint("Was the file renamed? Its name is part of the statement.");
  }
  const OutputFile file = describe_output(image);
  if (file.sha256 == *statement.digest) return;
  throw Error(ErrorKind::input,
              cat(image.string(), " is sha256:", file.sha256, ", its provenance says sha256:", *statement.digest))
      .hint("It was changed, or cut short, after it was made.");
}

int verify(const fs::path& image, const std::optional<std::string>& key_file, bool json) {
  const Statement statement = read_statement(image);
  std::string signer;
  if (key_file) {
    signer = public_key_hex(*key_file);
    check_signature(statement, signer, image);
  }
  check_digest(statement, image);
  if (json) {
    const Json result = {{"image", image.string()},
                         {"sha256", *statement.digest},
                         {"signed", !statement.payload.empty()},
                         {"key", statement.key_id},
                         {"trusted", !signer.empty()}};
    std::printf("%s\n", result.dump(2).c_str());
    return 0;
  }
  std::printf("%s: sha256:%s, as its provenance says\n", image.c_str(), statement.digest->c_str());
  if (!signer.empty()) {
    std::printf("signed by %s\n", signer.c_str());
  } else if (!statement.payload.empty()) {
    std::printf("signed by %s, which was not checked: give its key by --key\n", statement.key_id.c_str());
  } else {
    std::puts("not signed");
  }
  return 0;
}

}  // namespace

cli::Command verify_command() {
  return {.words = "image verify",
          .operands = "IMAGE",
          .summary = "check an image against its provenance, and who signed that",
          .details = "Reads NAME.d beside the image. Exit codes: 0 it holds, 1 it does not, 2 wrong usage.",
          .options = {{"key", 0, "FILE", "the public key (PEM, or 64 hexadecimal digits) that must have signed"},
                      {"json", 0, "", "print the result as JSON"}},
          .run = [](const cli::Arguments& arguments) {
            if (arguments.operands().size() != 1) throw Error(ErrorKind::usage, "name one image");
            return verify(arguments.operands().front(), arguments.value("key"), arguments.has("json"));
          }};
}

}  // namespace hearth::builder::evidence
