// Everything that is wrong with a template that is open in an editor, as `hearth metadata validate` finds it, and
// where.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/sys/file.hpp"
#include "metadata/lsp/text_document.hpp"
#include "metadata/model/value.hpp"

namespace hearth::metadata::lsp {

constexpr std::size_t k_largest_document = 4U << 20U;

/// Files as the editor has them: what is open as it stands there, the rest from the disk. What is no plain file, or too
/// large, is not there: a template may name a device that never ends.
class OpenFiles final : public FileReader {
 public:
  explicit OpenFiles(const FileReader& disk) : disk_(disk) {}
  void set(const std::string& name, const std::string* text) { open_[name] = text; }
  void close(const std::string& name) { open_.erase(name); }
  [[nodiscard]] std::optional<std::string> read(const fs::path& path) const override;
  [[nodiscard]] std::optional<FileStatus> status(const fs::path& path) const override { return disk_.status(path); }
  [[nodiscard]] std::vector<std::string> list(const fs::path& directory) const override {
    return disk_.list(directory);
  }

 private:
  const FileReader& disk_;
  std::map<std::string, const std::string*> open_;
};

struct Finding {
  Stretch where;
  bool error = true;
  std::string type;      ///< as Heat names it
  std::string message;   ///< with its advice
  std::string file;      ///< where it is, if that is another file (then `where` is where that one is named) …
  std::size_t line = 0;  ///< … and its line, from 0
};

struct Look {
  std::string name;                                       ///< of the document among the files
  std::vector<std::string> environments{};                ///< of the stack that it is for
  std::function<void()> breathe{};                        ///< called now and then; what it throws ends the look
  std::function<bool(const std::string&)> brings_hook{};  ///< as StackSettings has it
};

/// Parameters that nobody gives a value are not known, not wrong: who writes a template may have no environment yet.
[[nodiscard]] std::vector<Finding> look_at(const TextDocument& document, const OpenFiles& files, const Look& look);

/// The document; null where it can't be parsed, or is no map.
[[nodiscard]] Value parsed(const std::string& text);
/// The document as far as it can be parsed; null where it can't.
[[nodiscard]] Value readable_part(const std::string& text);

/// Whether a text names the version of a template language, however broken the rest is.
[[nodiscard]] bool is_template_text(std::string_view text);

}  // namespace hearth::metadata::lsp
