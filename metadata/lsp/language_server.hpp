// The language server: JSON-RPC messages in, JSON-RPC messages out (LSP 3.17). It reads no descriptor and starts
// nothing; whoever has the messages calls it.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/sys/file.hpp"

namespace hearth::metadata::lsp {

struct ServerSettings {
  std::string version;                      ///< of Hearth
  std::vector<std::string> environments{};  ///< of the stacks that the templates are for
  /// Whether the editor has something to say: then a look at a template is given up, and begun again later.
  std::function<bool()> is_asked = [] { return false; };
  std::function<bool(const std::string&)> brings_hook = {};  ///< as StackSettings has it
};

class LanguageServer {
 public:
  using Send = std::function<void(std::string_view body)>;

  LanguageServer(const FileReader& disk, ServerSettings settings, Send send);
  LanguageServer(const LanguageServer&) = delete;
  LanguageServer& operator=(const LanguageServer&) = delete;
  ~LanguageServer();

  /// One message, whatever is in it.
  void take(std::string_view body);
  /// One came that was too long: what it would have changed nobody knows, so nothing is told of any document until it
  /// is opened again. `take` does the same for what is no JSON.
  void take_nothing();
  /// Whether a document has changed that nobody has looked at since.
  [[nodiscard]] bool has_work() const;
  /// Looks at one of them and tells what is wrong with it.
  void work();
  [[nodiscard]] bool is_over() const;
  [[nodiscard]] int exit_code() const;  ///< 0 when the editor asked to shut down before (LSP 3.17, "exit")

 private:
  class State;
  std::unique_ptr<State> state_;
};

}  // namespace hearth::metadata::lsp
