#include "metadata/lsp/language_server.hpp"

#include <algorithm>
#include <chrono>
#include <deque>
#include <optional>

#include "base/json.hpp"
#include "base/net/url.hpp"
#include "base/text.hpp"
#include "base/utf8.hpp"
#include "metadata/compile/files.hpp"
#include "metadata/lsp/guide.hpp"
#include "metadata/lsp/look.hpp"
#include "metadata/lsp/message_reader.hpp"
#include "metadata/lsp/names.hpp"

namespace hearth::metadata::lsp {

namespace {

constexpr std::size_t k_most_documents = 1000;
constexpr std::size_t k_most_open_bytes = 64U << 20U;
constexpr std::chrono::seconds k_longest_look{10};

std::string too_large() {
  return cat("Nothing is told of documents of more than ", human_bytes(k_largest_document),
             ", or when all that are open have more than ", human_bytes(k_most_open_bytes), ".");
}

// JSON-RPC 2.0, and LSP 3.17 "ErrorCodes".
constexpr int k_parse_error = -32700;
constexpr int k_invalid_request = -32600;
constexpr int k_method_not_found = -32601;
constexpr int k_invalid_params = -32602;
constexpr int k_internal_error = -32603;
constexpr int k_not_initialized = -32002;
constexpr int k_request_failed = -32803;

/// A request that gets this instead of a result.
struct Refusal {
  int code;
  std::string text;
};

struct Interrupted {};  ///< a look, by a message
struct Late {};         ///< a look that takes too long

std::string path_of(const std::string& uri) {
  if (uri.rfind("file://", 0) != 0) return uri;
  const std::size_t path = uri.find('/', 7);  // behind the host, which is empty as a rule
  return path == std::string::npos ? uri : fs::path(percent_decode(uri.substr(path))).lexically_normal().string();
}

std::string uri_of(const std::string& file) {
  if (file.find("://") != std::string::npos) return file;
  boost::system::error_code error;
  const fs::path whole = fs::absolute(file, error);
  return cat("file://", percent_encode(error ? file : whole.lexically_normal().string(), "/"));
}

Json spot_json(const Spot& spot) { return {{"line", spot.line}, {"character", spot.unit}}; }
Json stretch_json(const Stretch& stretch) {
  return {{"start", spot_json(stretch.begin)}, {"end", spot_json(stretch.end)}};
}

std::size_t count_in(const Json& value, std::string_view name) {
  const Json& number = member_or_null(value, name);
  if (!number.is_number_unsigned()) throw Refusal{k_invalid_params, cat("\"", name, "\" is no number of a place")};
  return number.get<std::size_t>();
}

Spot spot_in(const Json& value, std::string_view name) {
  const Json& spot = member_or_null(value, name);
  return {count_in(spot, "line"), count_in(spot, "character")};
}

Stretch stretch_in(const Json& range) { return {spot_in(range, "start"), spot_in(range, "end")}; }

struct Document {
  std::string uri;
  std::string name;  ///< of its file
  std::string language;
  Json version;
  TextDocument text{""};
  std::string unknown{};  ///< why nothing is told of it: nothing of its text is kept then
  Value readable{};       ///< as far as it could be parsed last
  std::string rest{};     ///< what was parsed then: all but the line of the cursor; empty: all
  bool is_read = false;

  /// For an answer at `cursor`, whose line somebody is typing: while that keeps the text from being parsed, the other
  /// lines are, and only once.
  const Value& document(std::size_t cursor) {
    if (std::exchange(is_read, true)) return readable;
    Value now = parsed(text.text());
    std::string others = now.is_map() ? "" : text.without_line_of(cursor);
    if (!others.empty() && others == rest) return readable;
    rest = std::move(others);
    if (!now.is_map()) now = parsed(rest);
    if (!now.is_map()) now = readable_part(text.text());
    if (now.is_map()) readable = std::move(now);
    return readable;
  }
  void forget(std::string why) {
    text = TextDocument("");
    unknown = std::move(why);
  }
  [[nodiscard]] bool is_template() const {
    return language == "hot" || language == "heat" || is_template_text(text.text());
  }
};

bool is_half(std::string_view text, std::size_t at, std::string_view which) {
  return at + 6 <= text.size() && text.substr(at, 2) == "\\u" && (text[at + 2] == 'd' || text[at + 2] == 'D') &&
         which.find(text[at + 3]) != std::string_view::npos;
}

/// Half of a surrogate pair, as editors may send it while pairs are typed, and bytes that are no UTF-8 become U+FFFD:
/// one unit, too, so that places stay right.
std::string with_whole_characters(std::string_view body) {
  constexpr std::string_view k_first = "89abAB";
  constexpr std::string_view k_second = "cdefCDEF";
  std::string text = replace_invalid_utf8(body);
  for (std::size_t at = text.find('\\'); at != std::string::npos; at = text.find('\\', at)) {
    const bool first = is_half(text, at, k_first);
    const bool pair = first && is_half(text, at + 6, k_second);
    if (!pair && (first || is_half(text, at, k_second))) text.replace(at, 6, "\\ufffd");
    at += pair ? 12 : 2;
  }
  return text;
}

Json finding_json(const Finding& finding) {
  Json out = {{"range", stretch_json(finding.where)},
              {"severity", finding.error ? 1 : 2},
              {"source", "hearth"},
              {"message", replace_invalid_utf8(finding.message)}};
  if (!finding.type.empty()) out["code"] = finding.type;
  if (!finding.file.empty()) {
    const Spot there{finding.line, 0};
    out["relatedInformation"] =
        Json::array({{{"location", {{"uri", uri_of(finding.file)}, {"range", stretch_json({there, there})}}},
                      {"message", "here"}}});
  }
  return out;
}

/// "… Did you mean OS::Heat::None?" → "OS::Heat::None"; empty where it says no such thing.
std::string meant_in(const std::string& message) {
  constexpr std::string_view k_before = "id you mean ";
  const std::size_t at = message.find(k_before);
  if (at == std::string::npos) return "";
  const std::size_t begin = at + k_before.size();
  const std::size_t end = message.find('?', begin);
  const std::string meant = end == std::string::npos ? "" : message.substr(begin, end - begin);
  return meant.find_first_of(" \n") == std::string::npos ? meant : "";
}

}  // namespace

class LanguageServer::State {
 public:
  State(const FileReader& disk, ServerSettings settings, Send send)
      : settings_(std::move(settings)), send_(std::move(send)), open_(disk), files_(open_) {}

  void take(std::string_view body) {
    Result<Json> message = parse_json(body, "message");
    if (!message) message = parse_json(with_whole_characters(body), "message");
    if (!message) {
      refuse(Json(), {k_parse_error, message.error().what});
      return forget_all("A message that is no JSON was passed over.");
    }
    if (!message->is_object()) return refuse(Json(), {k_invalid_request, "a message is an object"});
    const Json* id = find_member(*message, "id");
    const Json& method = member_or_null(*message, "method");
    if (!method.is_string()) {
      const bool answer = find_member(*message, "result") != nullptr || find_member(*message, "error") != nullptr;
      if (!answer) refuse(id == nullptr ? Json() : *id, {k_invalid_request, "a request has a method"});
      return;
    }
    const auto name = method.get<std::string>();
    const Json& params = member_or_null(*message, "params");
    try {
      if (id == nullptr) return notify(name, params);
      if (!id->is_string() && !id->is_number_integer() && !id->is_null())
        return refuse(Json(), {k_invalid_request, "an id is a number or a text"});
      answer(*id, request(name, params));
    } catch (const Refusal& refusal) {
      if (id != nullptr) return refuse(*id, refusal);
      log(cat(name, ": ", refusal.text));
    } catch (const std::exception& error) {  // an editor goes on with the next request, and so do we
      if (id != nullptr) return refuse(*id, {k_internal_error, error.what()});
      log(cat(name, ": ", error.what()));
    }
  }

  void take_nothing() {
    forget_all(cat("A message of more than ", human_bytes(k_longest_message), " was passed over."));
  }

  [[nodiscard]] bool has_work() const { return !unseen_.empty(); }

  void work() {
    if (unseen_.empty()) return;
    const std::string uri = unseen_.front();
    unseen_.pop_front();
    const auto found = documents_.find(uri);
    if (found == documents_.end()) return;
    const Document& document = found->second;
    try {
      publish(document, findings_of(document));
    } catch (const Interrupted&) {
      unseen_.push_front(uri);
    } catch (const Late&) {
      publish(document, {{.where = {},
                          .error = false,
                          .type = "",
                          .message = "To look at this template takes too long; it was given up after 10 seconds. "
                                     "`hearth metadata validate` has no such limit."}});
    } catch (const std::exception& error) {
      publish(document, {{.where = {}, .error = true, .type = "", .message = error.what()}});
    }
  }

  bool over = false;
  bool shut_down = false;

 private:
  using Requests = std::map<std::string, Json (State::*)(const Json&), std::less<>>;
  using Notices = std::map<std::string, void (State::*)(const Json&), std::less<>>;

  Json request(const std::string& name, const Json& params) {
    static const Requests known{
        {"textDocument/completion", &State::completion},      {"textDocument/hover", &State::hover},
        {"textDocument/definition", &State::definition},      {"textDocument/documentSymbol", &State::symbols},
        {"textDocument/references", &State::references},      {"textDocument/documentHighlight", &State::highlights},
        {"textDocument/prepareRename", &State::renamed_word}, {"textDocument/rename", &State::rename},
        {"textDocument/codeAction", &State::code_actions}};
    if (shut_down) throw Refusal{k_invalid_request, "the server was asked to shut down"};
    if (name == "initialize") return initialize();
    if (!initialized_) throw Refusal{k_not_initialized, "initialize comes first"};
    if (name == "shutdown") {
      shut_down = true;
      return {};
    }
    const auto found = known.find(name);
    if (found == known.end()) throw Refusal{k_method_not_found, cat("there is no request ", name)};
    return (this->*found->second)(params);
  }

  void notify(const std::string& name, const Json& params) {
    static const Notices known{{"textDocument/didOpen", &State::opened},
                               {"textDocument/didChange", &State::changed},
                               {"textDocument/didClose", &State::closed},
                               {"textDocument/didSave", &State::saved},
                               {"workspace/didChangeWatchedFiles", &State::saved}};
    if (name == "exit") {
      over = true;
      return;
    }
    const auto found = known.find(name);
    if (initialized_ && !shut_down && found != known.end()) (this->*found->second)(params);
  }

  Json initialize() {
    if (initialized_) throw Refusal{k_invalid_request, "it was initialized before"};
    initialized_ = true;
    read_environments();
    Json able;
    able["positionEncoding"] = "utf-16";
    able["textDocumentSync"] = {{"openClose", true}, {"change", 2}, {"save", true}};
    able["completionProvider"] = {{"triggerCharacters", {" ", ":", "[", "{"}}};
    able["hoverProvider"] = true;
    able["definitionProvider"] = true;
    able["documentSymbolProvider"] = true;
    able["referencesProvider"] = true;
    able["documentHighlightProvider"] = true;
    able["renameProvider"] = {{"prepareProvider", true}};
    able["codeActionProvider"] = {{"codeActionKinds", {"quickfix"}}};
    return {{"capabilities", std::move(able)}, {"serverInfo", {{"name", "hearth"}, {"version", settings_.version}}}};
  }

  /// What the environments map, for completion and definition; what is wrong with them is told by the look.
  void read_environments() {
    std::vector<Value> registries;
    try {
      for (const std::string& name : settings_.environments) {
        const std::optional<std::string> text = open_.read(name);
        if (!text) continue;
        const EnvironmentFile file = read_environment(*text, name, registered_.sources);
        registries.push_back(member(file.sections, "resource_registry"));
      }
      registered_.registry = Registry(merge_registries(registries));
    } catch (const Fault& fault) {
      log(fault.located(registered_.sources).story());
    }
  }

  // Documents

  /// After a message that nobody could read: what it would have changed is not known.
  void forget_all(const std::string& why) {
    log(why);
    for (auto& [uri, document] : documents_) {
      document.forget(cat(why, " Close this document and open it again."));
      take_change(document);
    }
  }

  [[nodiscard]] std::size_t open_bytes() const {
    std::size_t bytes = 0;
    for (const auto& [uri, document] : documents_) bytes += document.text.text().size();
    return bytes;
  }

  Document& document_in(const Json& params) {
    const std::string uri = text_member(member_or_null(params, "textDocument"), "uri");
    const auto found = documents_.find(uri);
    if (found == documents_.end()) throw Refusal{k_invalid_params, cat("the document \"", uri, "\" is not open")};
    return found->second;
  }

  void opened(const Json& params) {
    const Json& given = member_or_null(params, "textDocument");
    const std::string uri = text_member(given, "uri");
    if (uri.empty()) throw Refusal{k_invalid_params, "a document has a uri"};
    if (documents_.count(uri) == 0 && documents_.size() >= k_most_documents)
      throw Refusal{k_invalid_params, cat("more than ", k_most_documents, " documents are open")};
    Document& document = documents_[uri];
    document.uri = uri;
    document.name = path_of(uri);
    document.language = text_member(given, "languageId");
    document.version = member_or_null(given, "version");
    document.unknown.clear();
    document.text = TextDocument(text_member(given, "text"));
    take_change(document);
  }

  void changed(const Json& params) {
    Document& document = document_in(params);
    document.version = member_or_null(member_or_null(params, "textDocument"), "version");
    try {
      for (const Json& change : list_member(params, "contentChanges")) apply(change, document);
    } catch (const Refusal& refusal) {  // the text is no longer what the editor has
      document.forget(cat("A change was refused: ", refusal.text, ". Close this document and open it again."));
      take_change(document);
      throw;
    }
    take_change(document);
  }

  static void apply(const Json& change, Document& document) {
    const Json& text = member_or_null(change, "text");
    const Json& range = member_or_null(change, "range");
    if (!text.is_string()) throw Refusal{k_invalid_params, "a change has a text"};
    if (range.is_null()) {
      document.text = TextDocument(text.get<std::string>());
      document.unknown.clear();
    } else if (document.unknown.empty()) {
      document.text.replace(stretch_in(range), text.get<std::string>());
    }
    if (document.text.text().size() > k_largest_document) document.forget(too_large());
  }

  void take_change(Document& document) {
    if (document.text.text().size() > k_largest_document || open_bytes() > k_most_open_bytes)
      document.forget(too_large());
    document.is_read = false;
    open_.set(document.name, &document.text.text());
    see_again(document.uri);
  }

  /// This one first; then all others, in which it may be nested.
  void see_again(const std::string& first) {
    unseen_.clear();
    if (documents_.count(first) > 0) unseen_.push_back(first);
    for (const auto& [uri, document] : documents_) {
      if (uri != first) unseen_.push_back(uri);
    }
  }

  void saved(const Json& params) {
    read_environments();
    see_again(text_member(member_or_null(params, "textDocument"), "uri"));
  }

  void closed(const Json& params) { close(document_in(params).uri); }

  void close(const std::string& uri) {
    const auto found = documents_.find(uri);
    Document gone = std::move(found->second);
    open_.close(gone.name);
    documents_.erase(found);
    for (const auto& [other, document] : documents_) {  // a file may be open by two names
      if (document.name == gone.name) open_.set(document.name, &document.text.text());
    }
    gone.version = Json();
    publish(gone, {});
    see_again("");
  }

  // Looks

  [[nodiscard]] std::vector<Finding> findings_of(const Document& document) {
    if (!document.unknown.empty()) return {{.where = {}, .error = false, .type = "", .message = document.unknown}};
    open_.set(document.name, &document.text.text());
    if (!document.is_template()) return {};
    const auto began = std::chrono::steady_clock::now();
    const auto breathe = [&] {
      if (settings_.is_asked()) throw Interrupted{};
      if (std::chrono::steady_clock::now() - began > k_longest_look) throw Late{};
    };
    return look_at(document.text, open_, {document.name, settings_.environments, breathe, settings_.brings_hook});
  }

  void publish(const Document& document, const std::vector<Finding>& findings) {
    Json params = {{"uri", document.uri}, {"diagnostics", Json::array()}};
    if (document.version.is_number_integer()) params["version"] = document.version;
    for (const Finding& finding : findings) params["diagnostics"].push_back(finding_json(finding));
    say({{"jsonrpc", "2.0"}, {"method", "textDocument/publishDiagnostics"}, {"params", std::move(params)}});
  }

  // Requests

  struct Asked {
    Document& document;
    CursorPlace place;
    Vocabulary words;
  };

  Asked asked(const Json& params) {
    Document& document = document_in(params);
    const std::size_t offset = document.text.offset_of(spot_in(params, "position"));
    return {document,
            place_at(document.text.text(), offset),
            {document.document(offset), document.name, files_, registered_}};
  }

  Json completion(const Json& params) {
    const Asked at = asked(params);
    const std::string& text = at.document.text.text();
    const std::size_t typed = at.place.begin + at.place.typed.size();
    const bool has_colon = text.substr(std::min(at.place.end, text.size()), 1) == ":";
    Json items = Json::array();
    for (const Choice& choice : choices_at(at.place, at.words)) {
      Json item = {{"label", choice.name}, {"kind", static_cast<int>(choice.kind)}};
      if (!choice.detail.empty()) item["detail"] = choice.detail;
      const Stretch word = at.document.text.stretch_of(at.place.begin, has_colon ? at.place.end : typed);
      item["textEdit"] = {{"range", stretch_json(word)}, {"newText", has_colon ? choice.name : choice.insert}};
      items.push_back(std::move(item));
    }
    return {{"isIncomplete", false}, {"items", std::move(items)}};
  }

  Json hover(const Json& params) {
    const Asked at = asked(params);
    const std::string text = about(at.place, at.words);
    if (text.empty()) return {};
    return {{"contents", {{"kind", "markdown"}, {"value", text}}},
            {"range", stretch_json(at.document.text.stretch_of(at.place.begin, at.place.end))}};
  }

  Json definition(const Json& params) {
    const Asked at = asked(params);
    const std::optional<Target> target = target_of(at.place, at.words);
    if (!target) return {};
    if (!target->file.empty()) return {{"uri", uri_of(target->file)}, {"range", stretch_json({})}};
    MarkedText marks(at.document.text.text());
    const Spot spot = at.document.text.spot_of(marks.offset_of(target->mark.line, target->mark.column));
    return {{"uri", at.document.uri}, {"range", stretch_json({spot, spot})}};
  }

  static Json symbol_json(const TextDocument& text, const Symbol& symbol) {
    Json children = Json::array();
    for (const Symbol& child : symbol.children) children.push_back(symbol_json(text, child));
    Json shown = {{"name", symbol.name},
                  {"kind", static_cast<int>(symbol.kind)},
                  {"range", stretch_json(text.stretch_of(symbol.begin, symbol.end))},
                  {"selectionRange", stretch_json(text.stretch_of(symbol.begin, symbol.name_end))},
                  {"children", std::move(children)}};
    if (!symbol.detail.empty()) shown["detail"] = symbol.detail;
    return shown;
  }

  Json symbols(const Json& params) {
    const Document& document = document_in(params);
    Json shown = Json::array();
    if (!document.is_template()) return shown;
    const std::string& text = document.text.text();
    Value readable = parsed(text);
    if (!readable.is_map()) readable = readable_part(text);
    for (const Symbol& symbol : outline(text, readable)) shown.push_back(symbol_json(document.text, symbol));
    return shown;
  }

  /// Where the name at the cursor stands; nothing where there is none.
  static std::vector<Occurrence> places_of_name(const Asked& at) {
    const std::optional<Name> name = name_at(at.place, at.words);
    if (!name) return {};
    std::optional<std::vector<Occurrence>> found = occurrences(at.document.text.text(), *name, at.words);
    if (!found) throw Refusal{k_request_failed, cat(name->name, " stands at too many places of too long a template")};
    return std::move(*found);
  }

  Json references(const Json& params) {
    const Asked at = asked(params);
    const bool with_definition = member_or_null(member_or_null(params, "context"), "includeDeclaration") == Json(true);
    Json shown = Json::array();
    for (const Occurrence& place : places_of_name(at)) {
      if (!place.defines || with_definition)
        shown.push_back(
            {{"uri", at.document.uri}, {"range", stretch_json(at.document.text.stretch_of(place.begin, place.end))}});
    }
    return shown;
  }

  Json highlights(const Json& params) {
    constexpr int k_read = 2;  // LSP 3.17, "DocumentHighlightKind"
    constexpr int k_write = 3;
    const Asked at = asked(params);
    Json shown = Json::array();
    for (const Occurrence& place : places_of_name(at))
      shown.push_back({{"range", stretch_json(at.document.text.stretch_of(place.begin, place.end))},
                       {"kind", place.defines ? k_write : k_read}});
    return shown;
  }

  /// The name that is to have another. Throws Refusal that says why it can't.
  static Name name_to_change(const Asked& at) {
    if (at.place.word.starts_with("OS::"))
      throw Refusal{k_request_failed, cat(at.place.word, " is Heat's own name; it can't be changed")};
    const std::optional<Name> name = name_at(at.place, at.words);
    if (!name)
      throw Refusal{k_request_failed, "here is no name of a parameter, a resource or a condition of this template"};
    if (!parsed(at.document.text.text()).is_map())
      throw Refusal{k_request_failed, "this template can't be read as it stands: mend what is wrong with it first"};
    return *name;
  }

  Json renamed_word(const Json& params) {
    const Asked at = asked(params);
    const Name name = name_to_change(at);
    return {{"range", stretch_json(at.document.text.stretch_of(at.place.begin, at.place.end))},
            {"placeholder", name.name}};
  }

  /// In this document: who gives a parameter its value calls it by its name elsewhere, too.
  Json rename(const Json& params) {
    const Asked at = asked(params);
    const Name name = name_to_change(at);
    const std::string wanted = text_member(params, "newName");
    if (const std::string fault = rename_fault(name, wanted, at.words); !fault.empty())
      throw Refusal{k_request_failed, fault};
    Json edits = Json::array();
    for (const Occurrence& place : places_of_name(at))
      edits.push_back(
          {{"range", stretch_json(at.document.text.stretch_of(place.begin, place.end))}, {"newText", wanted}});
    return {{"changes", {{at.document.uri, std::move(edits)}}}};
  }

  /// What a diagnostic says was meant is put in place of what stands there, where it is one word that is like it.
  Json code_actions(const Json& params) {
    Document& document = document_in(params);
    const std::string& text = document.text.text();
    Json actions = Json::array();
    for (const Json& diagnostic : list_member(member_or_null(params, "context"), "diagnostics")) {
      const std::string meant = meant_in(text_member(diagnostic, "message"));
      Stretch where = stretch_in(member_or_null(diagnostic, "range"));
      std::size_t begin = document.text.offset_of(where.begin);
      std::size_t end = document.text.offset_of(where.end);
      if (end > begin + 1 && (text[begin] == '"' || text[begin] == '\'') && text[end - 1] == text[begin]) {
        ++begin;
        --end;
      }
      if (meant.empty() || end <= begin || nearest(text.substr(begin, end - begin), {meant}) != meant) continue;
      where = document.text.stretch_of(begin, end);
      const Json edit = {{"range", stretch_json(where)}, {"newText", meant}};
      actions.push_back({{"title", cat("Change to ", meant)},
                         {"kind", "quickfix"},
                         {"diagnostics", Json::array({diagnostic})},
                         {"isPreferred", true},
                         {"edit", {{"changes", {{document.uri, Json::array({edit})}}}}}});
    }
    return actions;
  }

  // Messages

  void answer(const Json& id, Json result) { say({{"jsonrpc", "2.0"}, {"id", id}, {"result", std::move(result)}}); }
  void refuse(const Json& id, const Refusal& refusal) {
    say({{"jsonrpc", "2.0"}, {"id", id}, {"error", {{"code", refusal.code}, {"message", refusal.text}}}});
  }
  void log(const std::string& text) {
    say({{"jsonrpc", "2.0"}, {"method", "window/logMessage"}, {"params", {{"type", 2}, {"message", text}}}});
  }
  void say(const Json& message) { send_(format_json(message, {.lossy = true})); }

  ServerSettings settings_;
  Send send_;
  OpenFiles open_;
  DiskFiles files_;
  Registered registered_;
  std::map<std::string, Document> documents_;  ///< by URI; texts stay where they are
  std::deque<std::string> unseen_;
  bool initialized_ = false;
};

LanguageServer::LanguageServer(const FileReader& disk, ServerSettings settings, Send send)
    : state_(std::make_unique<State>(disk, std::move(settings), std::move(send))) {}
LanguageServer::~LanguageServer() = default;

void LanguageServer::take(std::string_view body) { state_->take(body); }
void LanguageServer::take_nothing() { state_->take_nothing(); }
bool LanguageServer::has_work() const { return state_->has_work(); }
void LanguageServer::work() { state_->work(); }
bool LanguageServer::is_over() const { return state_->over; }
int LanguageServer::exit_code() const { return state_->shut_down ? 0 : 1; }

}  // namespace hearth::metadata::lsp
