#include "metadata/serve/peer_notes.hpp"

#include <algorithm>
#include <vector>

#include "base/text.hpp"

namespace hearth::metadata {

namespace {

constexpr std::size_t k_most_peers = 256;
constexpr std::size_t k_most_told = 3;
constexpr std::int64_t k_old = 900;  ///< seconds
constexpr std::size_t k_longest_path = 60;

/// Where agents ask, and nobody else does.
bool is_for_agents(std::string_view listener) {
  return listener == "cfn" || listener == "objects" || listener == "identity";
}

/// A stranger's text, on people's terminals.
std::string plain_path(const std::string& path) {
  std::string text;
  for (const char c : path.substr(0, k_longest_path)) text += c > 0x20 && c < 0x7F ? c : '?';
  return cat(text, path.size() > k_longest_path ? "…" : "");
}

}  // namespace

std::int64_t PeerNotes::now() const { return unix_seconds(clock_.wall()); }

void PeerNotes::note(const std::string& peer, std::string what) {
  if (notes_.size() >= k_most_peers && notes_.count(peer) == 0) {
    notes_.erase(std::min_element(notes_.begin(), notes_.end(), [](const auto& left, const auto& right) {
      return left.second.at < right.second.at;
    }));
  }
  notes_[peer] = {std::move(what), now()};
}

void PeerNotes::record(const AccessRecord& record) noexcept {
  next_.record(record);
  if (!is_for_agents(record.listener)) return;
  try {
    const std::string& peer = record.request.peer;
    if (record.status < 400)
      notes_.erase(peer);
    else if (record.status < 500)
      note(peer, cat("is refused (HTTP ", record.status, " to ", plain_path(record.request.method), " ",
                     plain_path(record.request.path), " of ", record.listener, ")"));
  } catch (const std::exception&) {  // then nothing is known of it
  }
}

void PeerNotes::refused_certificate(std::string_view peer, std::string_view why) noexcept {
  next_.refused_certificate(peer, why);
  try {
    note(std::string(peer), cat("does not take our certificate (", why, ")"));
  } catch (const std::exception&) {
  }
}

std::string PeerNotes::told(const std::string& address, std::int64_t since,
                            const std::function<bool(const std::string&)>& is_known) const {
  std::vector<std::pair<std::int64_t, std::string>> lines;
  for (const auto& [peer, note] : notes_) {
    const bool is_meant = address.empty() ? !is_known(peer) : peer == address;
    if (!is_meant || note.at < since || now() - note.at > k_old) continue;
    const std::int64_t ago = std::max<std::int64_t>(now() - note.at, 0);
    lines.emplace_back(-note.at, cat(peer, " ", note.what, ", ", ago, " s ago"));
  }
  std::sort(lines.begin(), lines.end());
  std::vector<std::string> texts;
  for (const auto& [at, text] : lines) {
    if (texts.size() < k_most_told) texts.push_back(text);
  }
  return join(texts, "; ");
}

}  // namespace hearth::metadata
