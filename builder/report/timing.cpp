#include "builder/report/timing.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "base/foreign_json.hpp"
#include "base/text.hpp"

namespace hearth::builder {

namespace {

constexpr double k_names = 300;  // the picture's measures, in pixels
constexpr double k_axis = 700;
constexpr double k_row = 20;
constexpr double k_bar = 14;
constexpr double k_head = 52;
constexpr double k_foot = 28;
constexpr double k_share_of_a_row = 0.01;
constexpr double k_most_ticks = 8;

/// 1, 2 or 5 times a power of ten, so that at most k_most_ticks fit.
double tick_of(double total) {
  double tick = 0.01;
  for (int i = 0; total / tick > k_most_ticks; ++i) tick *= i % 3 == 1 ? 2.5 : 2;
  return tick;
}

std::string label_at(double x, double y, const char* anchor, const std::string& text) {
  return cat("<text x=\"", fixed(x, 1), "\" y=\"", fixed(y, 1), "\" text-anchor=\"", anchor, "\">", text, "</text>\n");
}

/// The picture of one time axis: rows are added from the top.
class Chart {
 public:
  explicit Chart(double total) : total_(std::max(total, 0.001)) {}

  void add_row(const std::string& name, double seconds) {
    const double y = k_head + k_row * static_cast<double>(rows_++);
    body_ += label_at(k_names - 8, y + k_bar - 3, "end", xml_escaped(clean_line(name)));
    seconds_at_ = {y, fixed(seconds, 1)};
  }
  void add_bar(const TimingRow& row) {
    const double x = k_names + k_axis * seconds_in(row.begin) / total_;
    const double width = std::max(0.5, k_axis * seconds_in(row.duration) / total_);
    body_ += cat("<rect x=\"", fixed(x, 1), "\" y=\"", fixed(seconds_at_.first, 1), "\" width=\"", fixed(width, 1),
                 "\" height=\"", fixed(k_bar, 0), "\" rx=\"2\"><title>", xml_escaped(clean_line(row.name)), ": ",
                 fixed(seconds_in(row.duration), 2), " s</title></rect>\n");
    end_ = x + width;
  }
  void end_row() {
    const bool fits = end_ < k_names + k_axis - 60;
    body_ += label_at(fits ? end_ + 5 : k_names + k_axis + 5, seconds_at_.first + k_bar - 3, "start",
                      cat(seconds_at_.second, " s"));
  }
  [[nodiscard]] std::string text(const std::string& title) const {
    const double height = k_head + k_row * static_cast<double>(rows_) + k_foot;
    const double width = k_names + k_axis + 70;
    std::string out = cat("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"", fixed(width, 0), "\" height=\"",
                          fixed(height, 0), "\" viewBox=\"0 0 ", fixed(width, 0), " ", fixed(height, 0),
                          "\" font-family=\"sans-serif\" font-size=\"11\" fill=\"#333\">\n"
                          "<style>rect{fill:#4878a8}.grid{stroke:#ddd}</style>\n"
                          "<rect width=\"100%\" height=\"100%\" style=\"fill:#fff\"/>\n");
    out += cat("<text x=\"8\" y=\"20\" font-size=\"14\">", xml_escaped(clean_line(title)), "</text>\n");
    for (double at = 0, tick = tick_of(total_); at <= total_; at += tick) {
      const std::string x = fixed(k_names + k_axis * at / total_, 1);
      out += cat("<line class=\"grid\" x1=\"", x, "\" y1=\"", fixed(k_head - 8, 0), "\" x2=\"", x, "\" y2=\"",
                 fixed(height - k_foot, 0), "\"/>\n");
      out += label_at(k_names + k_axis * at / total_, k_head - 12, "middle", cat(fixed(at, tick < 1 ? 2 : 0), " s"));
    }
    return cat(out, body_, "</svg>\n");
  }

 private:
  double total_;
  std::size_t rows_ = 0;
  std::pair<double, std::string> seconds_at_;
  double end_ = k_names;
  std::string body_;
};

}  // namespace

Json timing_json(const std::vector<TimingRow>& rows) {
  Json steps = Json::array();
  for (const TimingRow& row : rows) {
    steps.push_back({{"step", row.name}, {"seconds", seconds_in(row.duration)}, {"begin", seconds_in(row.begin)}});
  }
  return steps;
}

std::vector<TimingRow> timing_rows(const Json& json, const std::string& source) {
  std::vector<TimingRow> rows;
  Duration end{};
  try {
    for (const Json& step : json) {
      TimingRow row{.name = step.at("step").get<std::string>(),
                    .duration = duration_of(step.at("seconds").get<double>())};
      row.begin = step.contains("begin") ? duration_of(step.at("begin").get<double>()) : end;
      end = row.begin + row.duration;
      rows.push_back(std::move(row));
    }
  } catch (const Json::exception& error) {
    throw Error(ErrorKind::input, cat(source, " does not tell times of steps: ", json_fault(error)));
  }
  return rows;
}

std::string timing_picture(const std::vector<TimingRow>& rows, const std::string& title) {
  Duration end{};
  for (const TimingRow& row : rows) end = std::max(end, row.begin + row.duration);
  Chart chart(seconds_in(end));
  const auto is_small = [&](const TimingRow& row) {
    return seconds_in(row.duration) < k_share_of_a_row * seconds_in(end);
  };
  double rest = 0;
  std::size_t small = 0;
  for (const TimingRow& row : rows) {
    if (is_small(row)) {
      rest += seconds_in(row.duration);
      ++small;
      continue;
    }
    chart.add_row(row.name, seconds_in(row.duration));
    chart.add_bar(row);
    chart.end_row();
  }
  if (small > 0) {
    chart.add_row(cat(small, small == 1 ? " short step" : " short steps"), rest);
    for (const TimingRow& row : rows) {
      if (is_small(row)) chart.add_bar(row);
    }
    chart.end_row();
  }
  return chart.text(cat(title, ": ", fixed(seconds_in(end), 1), " s"));
}

}  // namespace hearth::builder
