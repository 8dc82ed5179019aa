#include "metadata/jinja/renderer.hpp"

#include <map>

#include "base/text.hpp"
#include "metadata/jinja/evaluator.hpp"

namespace hearth::metadata::jinja {

namespace {

constexpr std::size_t k_most_output = 16'000'000;
constexpr std::size_t k_most_turns = 200'000;
constexpr int k_deepest_include = 10;

/// What all templates of one rendering share.
struct Rendering {
  const Loader& load;
  Sources& sources;
  std::size_t turns = 0;
  int includes = 0;
};

class Renderer {
 public:
  Renderer(Rendering& shared, Context& context, std::uint32_t file)
      : shared_(shared), context_(context), file_(file), evaluator_(context, file) {}

  /// The whole template, its blocks known to self.NAME() from the beginning.
  void run_template(const Statements& statements) {
    gather_blocks(statements);
    evaluator_.block = [this](const std::string& name) {
      const auto found = blocks_.find(name);
      if (found == blocks_.end()) throw EvaluationError{cat("there is no block ", name)};
      if (++shared_.includes > k_deepest_include) throw EvaluationError{"blocks are nested too deeply"};
      std::string text = captured(*found->second);
      --shared_.includes;
      return text;
    };
    run(statements);
  }

  void run(const Statements& statements) {
    for (const Statement& statement : statements) {
      one(statement);
      if (out_.size() > k_most_output) fail(statement, cat("the output is more than ", k_most_output, " bytes"));
    }
  }
  std::string out() { return std::move(out_); }

 private:
  [[noreturn]] void fail(const Statement& at, const std::string& why) const {
    throw template_fault(why, file_, at.line);
  }

  void one(const Statement& statement) {
    using Type = Statement::Type;
    switch (statement.type) {
      case Type::text: out_ += statement.text; return;
      case Type::output: out_ += printed(evaluator_.evaluate(*statement.expressions[0])); return;
      case Type::loop: return loop(statement);
      case Type::branch: return branch(statement);
      case Type::set: return assign(statement, statement.targets[0], evaluator_.evaluate(*statement.expressions[0]));
      case Type::set_block: return assign(statement, statement.targets[0], Object(captured(statement.bodies[0])));
      case Type::with: return with(statement);
      case Type::include: return include(statement);
      case Type::block: {
        context_.push();
        run(statement.bodies[0]);
        context_.pop();
        return;
      }
    }
  }

  std::string captured(const Statements& body) {
    std::string before;
    std::swap(before, out_);
    context_.push();
    run(body);
    context_.pop();
    std::swap(before, out_);
    return before;
  }

  void gather_blocks(const Statements& statements) {
    for (const Statement& statement : statements) {
      if (statement.type == Statement::Type::block) blocks_[statement.text] = &statement.bodies[0];
      for (const Statements& body : statement.bodies) gather_blocks(body);
    }
  }

  void assign(const Statement& at, const Target& target, const Object& value) {
    if (!target.member.empty()) {
      const Object* space = context_.find(target.names[0]);
      if (space == nullptr || space->members() == nullptr || !space->members()->is_namespace)
        fail(at, "cannot assign attribute on non-namespace object");
      if (!may_hold(space->members(), value)) fail(at, "lists and maps are nested too deeply, or one in itself");
      space->members()->set(Object(target.member), value);
      return;
    }
    if (!target.unpacks) return context_.set(target.names[0], value);
    List items;
    try {
      items = iterate(value);
    } catch (const EvaluationError& error) {
      fail(at, error.why);
    }
    if (items.size() != target.names.size()) fail(at, cat(items.size(), " values for ", target.names.size(), " names"));
    for (std::size_t i = 0; i < items.size(); ++i) context_.set(target.names[i], items[i]);
  }

  void branch(const Statement& statement) {
    for (std::size_t i = 0; i < statement.expressions.size(); ++i) {
      if (truth(evaluator_.evaluate(*statement.expressions[i]))) return run(statement.bodies[i]);
    }
    if (statement.bodies.size() > statement.expressions.size()) run(statement.bodies.back());
  }

  void loop(const Statement& statement) {
    List items;
    const Object over = evaluator_.evaluate(*statement.expressions[0]);
    try {
      items = iterate(over);
    } catch (const EvaluationError& error) {
      fail(statement, error.why);
    }
    if (statement.expressions[1]) items = filtered(statement, items);
    if (items.empty() && statement.bodies.size() > 1) return run(statement.bodies[1]);
    for (std::size_t i = 0; i < items.size(); ++i) {
      if (++shared_.turns > k_most_turns) fail(statement, cat("more than ", k_most_turns, " turns of loops"));
      context_.push();
      assign(statement, statement.targets[0], items[i]);
      context_.set("loop", turn(items, i));
      run(statement.bodies[0]);
      context_.pop();
      if (out_.size() > k_most_output) fail(statement, cat("the output is more than ", k_most_output, " bytes"));
    }
  }

  List filtered(const Statement& statement, const List& items) {
    List kept;
    for (const Object& item : items) {
      context_.push();
      assign(statement, statement.targets[0], item);
      if (truth(evaluator_.evaluate(*statement.expressions[1]))) kept.push_back(item);
      context_.pop();
    }
    return kept;
  }

  static Object turn(const List& items, std::size_t i) {
    Object loop = Object::dict();
    const auto at = static_cast<std::int64_t>(i);
    const auto size = static_cast<std::int64_t>(items.size());
    const auto set = [&](std::string_view name, Object value) {
      loop.members()->members.emplace_back(Object::text(name), std::move(value));
    };
    set("index", at + 1);
    set("index0", at);
    set("revindex", size - at);
    set("revindex0", size - at - 1);
    set("first", i == 0);
    set("last", at + 1 == size);
    set("length", size);
    if (i > 0) set("previtem", items[i - 1]);
    if (i + 1 < items.size()) set("nextitem", items[i + 1]);
    return loop;
  }

  void with(const Statement& statement) {
    std::vector<Object> values;
    for (const ExpressionPtr& each : statement.expressions) values.push_back(evaluator_.evaluate(*each));
    context_.push();
    for (std::size_t i = 0; i < values.size(); ++i) context_.set(statement.targets[i].names[0], values[i]);
    run(statement.bodies[0]);
    context_.pop();
  }

  void include(const Statement& statement) {
    const Object wanted = evaluator_.evaluate(*statement.expressions[0]);
    List names = wanted.items() != nullptr ? *wanted.items() : List{wanted};
    for (const Object& name : names) {
      const auto found = shared_.load ? shared_.load(printed(name)) : std::nullopt;
      if (!found) continue;
      if (++shared_.includes > k_deepest_include) fail(statement, "includes are nested too deeply");
      Context empty;
      Context& context = statement.with_context ? context_ : empty;
      context.push();
      const Syntax syntax = parse_template(found->first, shared_.sources.add(found->second));
      Renderer inner(shared_, context, syntax.file);
      inner.run_template(syntax.statements);
      context.pop();
      out_ += inner.out();
      --shared_.includes;
      return;
    }
    if (!statement.ignore_missing) fail(statement, cat("there is no template ", printed(wanted), " to include"));
  }

  Rendering& shared_;
  Context& context_;
  std::uint32_t file_;
  Evaluator evaluator_;
  std::map<std::string, const Statements*> blocks_;
  std::string out_;
};

}  // namespace

std::string render(const RenderRequest& request, Sources& sources) {
  Context context;
  for (const auto& [name, value] : request.variables) context.set(name, from_value(value));
  const Syntax syntax = parse_template(request.text, sources.add(request.name));
  Rendering shared{request.load, sources};
  Renderer renderer(shared, context, syntax.file);
  renderer.run_template(syntax.statements);
  return renderer.out();
}

}  // namespace hearth::metadata::jinja
