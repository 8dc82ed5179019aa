#include <algorithm>
#include <array>

#include "base/text.hpp"
#include "metadata/jinja/syntax.hpp"

namespace hearth::metadata::jinja {

namespace {

constexpr int k_parser_deepest = 100;

class Parser {
 public:
  Parser(std::vector<Piece> pieces, std::uint32_t file) : pieces_(std::move(pieces)), file_(file) {}

  Statements all() {
    Statements statements = body({});
    if (at_ < pieces_.size()) {
      throw template_fault(cat("'", word(), "' closes nothing that is open"), file_, pieces_[at_].line);
    }
    return statements;
  }

 private:
  /// The first word of a statement.
  [[nodiscard]] const std::string& word() const { return pieces_[at_].words.front().text; }

  /// Statements up to one of `ends`, which stays.
  Statements body(const std::vector<std::string_view>& ends) {
    if (++depth_ > k_parser_deepest)
      throw template_fault("statements are nested too deeply", file_, pieces_[std::min(at_, pieces_.size() - 1)].line);
    Statements statements;
    for (; at_ < pieces_.size(); ++at_) {
      const Piece& piece = pieces_[at_];
      if (piece.type == Piece::Type::text) {
        statements.push_back({.type = Statement::Type::text, .line = piece.line, .text = piece.text});
      } else if (piece.type == Piece::Type::output) {
        statements.push_back(output(piece));
      } else {
        if (std::find(ends.begin(), ends.end(), word()) != ends.end()) break;
        static constexpr std::array<std::string_view, 8> k_closing{"endfor", "endif",   "else",     "elif",
                                                                   "endset", "endwith", "endblock", "endraw"};
        if (std::find(k_closing.begin(), k_closing.end(), word()) != k_closing.end()) {
          const std::string open = ends.empty() ? "nothing that is open" : cat("not what is open (", ends.back(), ")");
          throw template_fault(cat("'", word(), "' closes ", open), file_, piece.line);
        }
        statements.push_back(statement(piece));
      }
    }
    --depth_;
    return statements;
  }

  Statement output(const Piece& piece) {
    ExpressionParser parser(piece.words, file_, piece.line);
    Statement made{.type = Statement::Type::output, .line = piece.line};
    made.expressions.push_back(parser.tuple());
    finish(parser);
    return made;
  }

  static void finish(const ExpressionParser& parser) {
    if (!parser.at_end()) parser.fail(cat("unexpected '", parser.peek().text, "'"));
  }

  Statement statement(const Piece& piece) {
    ExpressionParser parser(piece.words, file_, piece.line);
    if (parser.at_end()) parser.fail("an empty statement");
    const std::string tag = parser.name();
    if (tag == "for") return loop(piece, parser);
    if (tag == "if") return branch(piece, parser);
    if (tag == "set") return assignment(piece, parser);
    if (tag == "with") return with(piece, parser);
    if (tag == "include") return include(piece, parser);
    if (tag == "block") return block(piece, parser);
    static constexpr std::array<std::string_view, 10> k_tags{"for",   "if",    "set",     "with", "include",
                                                             "block", "macro", "extends", "call", "import"};
    if (std::find(k_tags.begin() + 6, k_tags.end(), tag) != k_tags.end() || tag == "from" || tag == "filter" ||
        tag == "autoescape" || tag == "do") {
      parser.fail(cat("'", tag, "' is not supported"));
    }
    Fault fault = template_fault(cat("unknown tag '", tag, "'"), file_, piece.line);
    throw fault.suggest(tag, {k_tags.begin(), k_tags.end()});
  }

  /// Takes the statement that closes a body.
  void close(std::string_view end, std::uint32_t opened) {
    if (at_ >= pieces_.size()) throw template_fault(cat("this is not closed: no ", end), file_, opened);
    ExpressionParser parser(pieces_[at_].words, file_, pieces_[at_].line);
    parser.expect(end);
    if (end == "endblock" && !parser.at_end()) (void)parser.name();
    finish(parser);
  }

  Statement loop(const Piece& piece, ExpressionParser& parser) {
    Statement made{.type = Statement::Type::loop, .line = piece.line};
    made.targets.push_back(parser.target());
    parser.expect("in");
    made.expressions.push_back(parser.tuple(false));
    made.expressions.push_back(parser.take("if") ? parser.expression() : nullptr);
    if (parser.take("recursive")) parser.fail("recursive loops are not supported");
    finish(parser);
    ++at_;
    made.bodies.push_back(body({"else", "endfor"}));
    if (at_ < pieces_.size() && word() == "else") {
      ++at_;
      made.bodies.push_back(body({"endfor"}));
    }
    close("endfor", piece.line);
    return made;
  }

  Statement branch(const Piece& piece, ExpressionParser& first) {
    Statement made{.type = Statement::Type::branch, .line = piece.line};
    made.expressions.push_back(first.tuple());
    finish(first);
    ++at_;
    made.bodies.push_back(body({"elif", "else", "endif"}));
    while (at_ < pieces_.size() && word() == "elif") {
      ExpressionParser parser(pieces_[at_].words, file_, pieces_[at_].line);
      parser.expect("elif");
      made.expressions.push_back(parser.tuple());
      finish(parser);
      ++at_;
      made.bodies.push_back(body({"elif", "else", "endif"}));
    }
    if (at_ < pieces_.size() && word() == "else") {
      ++at_;
      made.bodies.push_back(body({"endif"}));
    }
    close("endif", piece.line);
    return made;
  }

  Statement assignment(const Piece& piece, ExpressionParser& parser) {
    Statement made{.type = Statement::Type::set, .line = piece.line};
    made.targets.push_back(parser.target());
    if (parser.take("=")) {
      made.expressions.push_back(parser.tuple());
      finish(parser);
      return made;
    }
    finish(parser);
    made.type = Statement::Type::set_block;
    ++at_;
    made.bodies.push_back(body({"endset"}));
    close("endset", piece.line);
    return made;
  }

  Statement with(const Piece& piece, ExpressionParser& parser) {
    Statement made{.type = Statement::Type::with, .line = piece.line};
    while (!parser.at_end()) {
      Target target{.names = {parser.name()}};
      parser.expect("=");
      made.targets.push_back(std::move(target));
      made.expressions.push_back(parser.expression());
      if (!parser.at_end()) parser.expect(",");
    }
    ++at_;
    made.bodies.push_back(body({"endwith"}));
    close("endwith", piece.line);
    return made;
  }

  static Statement include(const Piece& piece, ExpressionParser& parser) {
    Statement made{.type = Statement::Type::include, .line = piece.line};
    made.expressions.push_back(parser.expression());
    if (parser.take("ignore")) {
      parser.expect("missing");
      made.ignore_missing = true;
    }
    if (parser.take("without")) {
      parser.expect("context");
      made.with_context = false;
    } else if (parser.take("with")) {
      parser.expect("context");
    }
    finish(parser);
    return made;
  }

  Statement block(const Piece& piece, ExpressionParser& parser) {
    Statement made{.type = Statement::Type::block, .line = piece.line, .text = parser.name()};
    finish(parser);
    ++at_;
    made.bodies.push_back(body({"endblock"}));
    close("endblock", piece.line);
    return made;
  }

  std::vector<Piece> pieces_;
  std::uint32_t file_;
  std::size_t at_ = 0;
  int depth_ = 0;
};

}  // namespace

Syntax parse_template(std::string_view text, std::uint32_t file) {
  return {file, Parser(split_template(text, file), file).all()};
}

}  // namespace hearth::metadata::jinja
