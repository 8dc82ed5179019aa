// YAML text to tokens. Two things make YAML hard to scan and shape this class: indentation opens and closes collections
// (tokens of no length), and a key is known for one only when the ':' behind it is met, so that tokens wait in a queue
// until it is sure that no key token has to go before them.
//
// Format: YAML 1.1, with libyaml's limits: a simple key is at most 1024 characters, on one line.
#pragma once

#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "metadata/model/yaml_cursor.hpp"

namespace hearth::metadata::yaml {

struct Token {
  enum class Type {
    document_start,
    document_end,
    block_sequence_start,
    block_mapping_start,
    block_end,
    flow_sequence_start,
    flow_sequence_end,
    flow_mapping_start,
    flow_mapping_end,
    block_entry,
    flow_entry,
    key,
    value,
    alias,
    anchor,
    tag,
    scalar,
    end
  };
  Type type = Type::end;
  Place begin{};
  std::string text{};
  bool plain = false;  ///< a scalar without quotes: its type is resolved
  bool block = false;  ///< a literal or folded scalar
};

class Scanner {
 public:
  Scanner(std::string_view text, std::string_view source);
  [[nodiscard]] const Token& peek();
  Token take();
  /// A %YAML or %TAG line was met.
  [[nodiscard]] bool had_directive() const { return directive_; }
  [[noreturn]] void fail(const Place& at, std::string what) const { cursor_.fail(at, std::move(what)); }

 private:
  struct SimpleKey {
    bool required = false;
    std::size_t number = 0;  ///< of the token that it would stand before
    Place begin;
  };

  void fetch_more();
  void fetch_next();
  bool fetch_indicator(char c);
  bool fetch_flow_indicator(char c);
  void fetch_end();
  void fetch_directive();
  void fetch_document_mark();
  void fetch_flow_start(Token::Type type);
  void fetch_flow_end(Token::Type type);
  void fetch_flow_entry();
  void fetch_block_entry();
  void fetch_key();
  void fetch_value();
  void fetch_name(Token::Type type);
  void fetch_tag();
  void fetch_block_scalar();
  void fetch_quoted();
  void fetch_plain();
  [[nodiscard]] bool starts_plain(char c) const;

  void skip_to_token();
  void roll_indent(int column, Token::Type type, const Place& at, std::optional<std::size_t> number = std::nullopt);
  void unroll_indent(int column);
  void save_key();
  void remove_key();
  void drop_stale_keys();
  void add(Token::Type type, std::size_t length);

  Cursor cursor_;
  std::deque<Token> queue_;
  std::size_t taken_ = 0;
  std::vector<int> indents_;
  int indent_ = -1;
  bool key_allowed_ = true;
  bool ended_ = false;
  bool directive_ = false;
  std::vector<std::optional<SimpleKey>> keys_{1};  ///< one a flow level
};

}  // namespace hearth::metadata::yaml
