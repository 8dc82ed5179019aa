#include <algorithm>

#include "base/error.hpp"
#include "base/text.hpp"
#include "builder/channels/web_exchange.hpp"

namespace hearth::builder::channels {

namespace {

constexpr int k_nothing_there = 404;

class WebPlace final : public Place {
 public:
  WebPlace(Url url, const Environment& environment, const Clock& clock)
      : url_(std::move(url)), exchange_(environment, clock) {}

  [[nodiscard]] std::string text() const override { return url_.masked(); }

  [[nodiscard]] std::optional<std::string> pointer(const Reference& reference) override {
    return text_at(pointer_path(reference));
  }

  /// The list first: it may name what is not there yet, and that is passed over.
  void set_pointer(const Pointer& pointer, const std::string& envelope) override {
    make_folders("channels", pointer.reference.name);
    std::vector<Reference> all = list_or_none();
    if (std::find(all.begin(), all.end(), pointer.reference) == all.end()) {
      all.push_back(pointer.reference);
      std::sort(all.begin(), all.end());
      put_text(k_list, list_text(all));
    }
    put_text(pointer_path(pointer.reference), envelope);
  }

  [[nodiscard]] bool has(const std::string& /*name*/, const NamedFile& file) override {
    return says_whole(exchange_.send(exchange_.request("HEAD", at(blob_path(file)))), file);
  }

  void put(const std::string& /*name*/, const NamedFile& file, const Pieces& next) override {
    make_folders("blobs", "sha256");
    const HttpRequest put = exchange_.request("PUT", at(blob_path(file)), file.size);
    const HttpResponse answer = exchange_.upload(put, file.size, next);
    if (!answer.ok()) throw unexpected(put, answer);
  }

  void get(const std::string& /*name*/, const NamedFile& file, const Take& take) override {
    const HttpRequest get = exchange_.request("GET", at(blob_path(file)), file.size);
    const HttpResponse answer = exchange_.download(get, take);
    if (answer.status == k_nothing_there)
      throw Error(ErrorKind::not_found, cat("there is no ", get.url.masked(), " (", file.path, ")"));
    if (answer.status != 200) throw unexpected(get, answer);
  }

  [[nodiscard]] std::vector<Reference> list() override {
    const std::optional<std::string> text = text_at(k_list);
    return text ? parse_list(*text, at(k_list).masked()) : std::vector<Reference>();
  }

 private:
  static constexpr const char* k_list = "/channels/index.json";

  /// None where it can't be read: it is made anew.
  [[nodiscard]] std::vector<Reference> list_or_none() try { return list(); } catch (const Error& error) {
    if (error.kind() != ErrorKind::input) throw;
    return {};
  }
  [[nodiscard]] Url at(const std::string& path) const { return joined(url_, path); }
  static std::string pointer_path(const Reference& reference) {
    return cat("/channels/", reference.name, "/", reference.channel, ".json");
  }
  static std::string blob_path(const NamedFile& file) { return cat("/blobs/sha256/", file.sha256); }

  [[nodiscard]] std::optional<std::string> text_at(const std::string& path) {
    HttpRequest get = exchange_.request("GET", at(path));
    get.max_redirects = 3;
    get.headers.emplace_back("Cache-Control", "no-cache");  // a proxy's copy may be older than what was seen
    const HttpResponse answer = exchange_.send(get);
    if (answer.status == k_nothing_there) return std::nullopt;
    if (answer.status != 200) throw unexpected(get, answer);
    return answer.body;
  }
  void put_text(const std::string& path, const std::string& text) {
    HttpRequest put = exchange_.request("PUT", at(path));
    put.body = text;
    const HttpResponse answer = exchange_.send(put);
    if (!answer.ok()) throw unexpected(put, answer);
  }
  /// Some servers make them by themselves, and some know no MKCOL: what counts is whether PUT is taken.
  void make_folders(const std::string& outer, const std::string& inner) {
    for (const std::string& path : {std::string(), cat("/", outer), cat("/", outer, "/", inner)})
      static_cast<void>(exchange_.send(exchange_.request("MKCOL", at(cat(path, "/")))));
  }

  Url url_;
  WebExchange exchange_;
};

}  // namespace

std::unique_ptr<Place> web_place(const std::string& url, const Environment& environment, const Clock& clock) {
  return std::make_unique<WebPlace>(parse_url(url).value_or_throw(), environment, clock);
}

}  // namespace hearth::builder::channels
