#include "simulation/timeline.hpp"

#include <array>
#include <map>

#include "base/text.hpp"

namespace hearth::simulation {

namespace {

constexpr double k_left = 90;
constexpr double k_width = 1400;
constexpr double k_row = 18;

struct Colour {
  std::string_view begins;
  std::string_view colour;
};
constexpr std::array<Colour, 10> k_colours = {{{"off", "#dddddd"},
                                               {"in its firmware", "#c9b458"},
                                               {"asks the network", "#e0a030"},
                                               {"runs iPXE", "#d08030"},
                                               {"starts its ramdisk", "#9070c0"},
                                               {"runs its agent", "#6050b0"},
                                               {"starts its system", "#70b070"},
                                               {"runs its system", "#208030"},
                                               {"stands", "#802020"},
                                               {"starts", "#208030"}}};

std::string_view colour_of(std::string_view doing) {
  for (const Colour& one : k_colours) {
    if (doing.starts_with(one.begins)) return one.colour;
  }
  return doing.starts_with("is killed") ? "#dddddd" : "#a0a0a0";
}

struct Span {
  Duration since{};
  std::string doing = "off";
};

class Picture {
 public:
  explicit Picture(const Played& played) : end_(played.elapsed), scale_(k_width / seconds_in(played.elapsed)) {
    for (const TraceLine& line : played.lines) take(line);
    for (const auto& [who, span] : open_) close(who, end_);
    for (const auto& [who, row] : rows_) text(4, top(row) + 13, who, "#000000");
  }
  [[nodiscard]] std::string svg() const {
    return cat("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"", fixed(k_left + k_width + 10, 0), "\" height=\"",
               fixed(top(rows_.size()) + 10, 0), "\" font-family=\"sans-serif\" font-size=\"11\">\n", body_, marks_,
               "</svg>\n");
  }

 private:
  static double top(std::size_t row) { return 10 + static_cast<double>(row) * k_row; }
  [[nodiscard]] double x(Duration at) const { return k_left + seconds_in(at) * scale_; }
  void text(double left, double base, const std::string& what, std::string_view colour) {
    body_ += cat("<text x=\"", fixed(left, 1), "\" y=\"", fixed(base, 1), "\" fill=\"", colour, "\">",
                 xml_escaped(what), "</text>\n");
  }
  void take(const TraceLine& line) {
    if (line.kind == "machine" || line.kind == "conductor") {
      rows_.emplace(line.who, rows_.size());
      close(line.who, line.at);
      open_[line.who] = {line.at, line.what};
    } else if (line.kind == "FAULT" || line.kind == "BROKEN") {
      const double at = x(line.at);
      marks_ +=
          cat("<line x1=\"", fixed(at, 1), "\" x2=\"", fixed(at, 1), "\" y1=\"4\" y2=\"2000\" stroke=\"",
              line.kind == "FAULT" ? "#c03030" : "#ff0000", "\" stroke-width=\"", line.kind == "FAULT" ? "0.6" : "3",
              "\"><title>", fixed(seconds_in(line.at), 3), " s: ", xml_escaped(line.what), "</title></line>\n");
    }
  }
  void close(const std::string& who, Duration at) {
    const auto span = open_.find(who);
    if (span == open_.end()) return;
    const double left = x(span->second.since);
    body_ += cat(
        "<rect x=\"", fixed(left, 1), "\" y=\"", fixed(top(rows_.at(who)), 1), "\" width=\"",
        fixed(std::max(0.5, x(at) - left), 1), "\" height=\"15\" fill=\"", colour_of(span->second.doing), "\"><title>",
        xml_escaped(cat(who, " ", span->second.doing, ", from ", fixed(seconds_in(span->second.since), 1), " s")),
        "</title></rect>\n");
  }

  Duration end_;
  double scale_;
  std::map<std::string, std::size_t> rows_;
  std::map<std::string, Span> open_;
  std::string body_;
  std::string marks_;
};

}  // namespace

std::string timeline(const Played& played) { return Picture(played).svg(); }

}  // namespace hearth::simulation
