#include "sim/plot.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "base/strings.h"

namespace evenmatch {
namespace {

constexpr double kWidth = 560, kHeight = 300;
constexpr double kLeft = 58, kRight = 18, kTop = 12, kBottom = 46;
constexpr size_t kColors = 8;
constexpr double kLetter = 6.4, kLine = 13;  // pixels of a label's letters, about

std::string Number(double number) {
  // No "-0", and as many digits as the ticks of a plot need.
  std::string text = absl::StrFormat("%.6g", number == 0 ? 0 : number);
  return text;
}

std::string At(double pixels) { return absl::StrFormat("%.1f", pixels); }

// Numbers along one side of the frame.
struct Axis {
  double low = 0, high = 1;
  double from = 0, to = 1;  // pixels
  std::vector<double> ticks;

  double Place(double value) const { return from + (to - from) * (value - low) / (high - low); }
};

Axis MakeAxis(double low, double high, bool from_zero, double from, double to, int most_ticks) {
  Axis axis{.from = from, .to = to};
  if (from_zero) low = std::min(low, 0.0);
  if (!(high > low)) high = low + 1;
  axis.ticks = TicksBetween(low, high, most_ticks);
  axis.low = from_zero ? std::min(low, axis.ticks.front()) : axis.ticks.front();
  axis.high = axis.ticks.back();
  return axis;
}

class Drawing {
 public:
  explicit Drawing(const Plot& plot) : plot_(plot) {}

  std::string Svg() {
    absl::StrAppend(&svg_, "<svg class=\"plot\" viewBox=\"0 0 ", kWidth, " ", kHeight, "\" role=\"img\" aria-label=\"",
                    EscapeHtml(plot_.title), "\">");
    double x_low = std::numeric_limits<double>::max(), x_high = -x_low, y_low = x_low, y_high = -x_low;
    for (const Plot::Series& series : plot_.series) {
      for (const auto& [x, y] : series.points) {
        x_low = std::min(x_low, x);
        x_high = std::max(x_high, x);
        y_low = std::min(y_low, y);
        y_high = std::max(y_high, y);
      }
    }
    if (x_low > x_high) {
      Text("empty", kWidth / 2, kHeight / 2, "nothing to show");
    } else {
      DrawFrame(x_low, x_high, y_low, y_high);
      for (const Plot::Series& series : plot_.series) {
        plot_.kind == Plot::Kind::kLines ? DrawLine(series) : DrawPoints(series);
      }
    }
    return svg_ + "</svg>";
  }

 private:
  void Text(const char* kind, double x, double y, std::string_view text) {
    absl::StrAppend(&svg_, "<text class=\"", kind, "\" x=\"", At(x), "\" y=\"", At(y), "\">", EscapeHtml(text),
                    "</text>");
  }

  void DrawFrame(double x_low, double x_high, double y_low, double y_high) {
    const double bottom = kHeight - kBottom, right = kWidth - kRight;
    y_ = MakeAxis(y_low, y_high, plot_.from_zero, bottom, kTop, 5);
    for (const double tick : y_.ticks) {
      const double y = y_.Place(tick);
      absl::StrAppend(&svg_, "<path class=\"grid\" d=\"M", At(kLeft), " ", At(y), "H", At(right), "\"/>");
      Text("ytick", kLeft - 8, y + 4, Number(tick));
    }
    if (plot_.x_names.empty()) {
      x_ = MakeAxis(x_low, x_high, false, kLeft, right, 7);
      // A curve ends where its numbers do, not at the next round one.
      if (plot_.kind == Plot::Kind::kLines && x_high > x_low) {
        x_.low = x_low;
        x_.high = x_high;
      }
      for (const double tick : x_.ticks) {
        if (tick < x_.low - 1e-9 || tick > x_.high + 1e-9) continue;
        Text("xtick", x_.Place(tick), bottom + 17, Number(tick));
      }
    } else {
      x_ = {.low = -0.5, .high = static_cast<double>(plot_.x_names.size()) - 0.5, .from = kLeft, .to = right};
      for (size_t i = 0; i < plot_.x_names.size(); ++i) {
        Text("xtick", x_.Place(static_cast<double>(i)), bottom + 17, plot_.x_names[i]);
      }
    }
    absl::StrAppend(&svg_, "<path class=\"axis\" d=\"M", At(kLeft), " ", At(bottom), "H", At(right), "\"/>");
    Text("xlabel", (kLeft + right) / 2, kHeight - 8, plot_.x_label);
    const double middle = (kTop + bottom) / 2;
    absl::StrAppend(&svg_, "<text class=\"ylabel\" transform=\"translate(13 ", At(middle), ") rotate(-90)\">",
                    EscapeHtml(plot_.y_label), "</text>");
  }

  void DrawLine(const Plot::Series& series) {
    if (series.points.empty()) return;
    std::string path;
    for (const auto& [x, y] : series.points) {
      absl::StrAppend(&path, path.empty() ? "M" : "L", At(x_.Place(x)), " ", At(y_.Place(y)));
    }
    absl::StrAppend(&svg_, "<path class=\"line ", SeriesClasses(series.number), "\" d=\"", path, "\"><title>",
                    EscapeHtml(series.name), "</title></path>");
    if (plot_.x_names.empty()) return;
    for (const auto& [x, y] : series.points) Dot(series, x, y, 3.5, absl::StrCat(series.name, ": ", Number(y)));
  }

  void DrawPoints(const Plot::Series& series) {
    for (const auto& [x, y] : series.points) {
      Dot(series, x, y, 6, absl::StrCat(series.name, ": ", Number(x), ", ", Number(y)));
      Label(series.name, x_.Place(x), y_.Place(y));
    }
  }

  // Names a point beside it, unless that would cover another name; its title and the legend have it too.
  void Label(const std::string& name, double x, double y) {
    const bool left = x > (kLeft + kWidth) / 2;
    const double width = kLetter * static_cast<double>(name.size());
    const double begin = left ? x - 11 - width : x + 11;
    for (const auto& [other_begin, other_end, other_y] : labels_) {
      if (begin < other_end && other_begin < begin + width && std::abs(y - other_y) < kLine) return;
    }
    labels_.push_back({begin, begin + width, y});
    Text(left ? "before" : "behind", x + (left ? -11 : 11), y + 4, name);
  }

  void Dot(const Plot::Series& series, double x, double y, double radius, const std::string& title) {
    absl::StrAppend(&svg_, "<circle class=\"dot ", SeriesClasses(series.number), "\" cx=\"", At(x_.Place(x)),
                    "\" cy=\"", At(y_.Place(y)), "\" r=\"", At(radius), "\"><title>", EscapeHtml(title),
                    "</title></circle>");
  }

  struct Labelled {
    double begin, end, y;
  };

  const Plot& plot_;
  Axis x_, y_;
  std::vector<Labelled> labels_;
  std::string svg_;
};

}  // namespace

std::string PlotSvg(const Plot& plot) { return Drawing(plot).Svg(); }

std::string SeriesClasses(size_t number) {
  return absl::StrCat("c", number % kColors, number / kColors % 2 == 1 ? " again" : "");
}

std::string_view PlotStyle() {
  return R"(
:root{--c0:#2563eb;--c1:#d9610a;--c2:#0d9488;--c3:#b5279f;--c4:#5b8c0a;--c5:#d31f4c;--c6:#7c3aed;--c7:#6b6460}
@media (prefers-color-scheme:dark){:root{
--c0:#6ea8ff;--c1:#ff9d57;--c2:#3fd4c3;--c3:#ee7fdc;--c4:#a8d64f;--c5:#ff7d97;--c6:#b79bff;--c7:#b8b0aa}}
.c0{--c:var(--c0)}.c1{--c:var(--c1)}.c2{--c:var(--c2)}.c3{--c:var(--c3)}
.c4{--c:var(--c4)}.c5{--c:var(--c5)}.c6{--c:var(--c6)}.c7{--c:var(--c7)}
.plot{display:block;width:100%;height:auto;overflow:visible}
.plot text{font-size:12px;fill:var(--faint);text-anchor:middle;font-variant-numeric:tabular-nums}
.plot .ytick,.plot .before{text-anchor:end}
.plot .behind{text-anchor:start}
.plot .grid{stroke:var(--grid);stroke-width:1;fill:none}
.plot .axis{stroke:var(--line);stroke-width:1;fill:none}
.plot .line{stroke:var(--c);stroke-width:2;fill:none;stroke-linejoin:round;stroke-linecap:round}
.plot .line.again{stroke-dasharray:5 4}
.plot .dot{fill:var(--c);stroke:var(--card);stroke-width:1.5}
.plot .dot.again{fill:var(--card);stroke:var(--c)}
)";
}

std::string EscapeHtml(std::string_view text) {
  std::string escaped;
  for (const char byte : text) {
    switch (byte) {
      case '&':
        escaped += "&amp;";
        break;
      case '<':
        escaped += "&lt;";
        break;
      case '>':
        escaped += "&gt;";
        break;
      case '"':
        escaped += "&quot;";
        break;
      default:
        escaped += byte;
    }
  }
  return escaped;
}

std::vector<double> TicksBetween(double low, double high, int most) {
  const double rough = (high - low) / most;
  const double power = std::pow(10, std::floor(std::log10(rough)));
  double step = 10 * power;
  for (const double factor : {5.0, 2.0, 1.0}) {
    if (factor * power >= rough * (1 - 1e-9)) step = factor * power;
  }
  const double first = std::floor(low / step + 1e-9), last = std::ceil(high / step - 1e-9);
  std::vector<double> ticks;
  for (double i = first; i <= last; ++i) ticks.push_back(i * step);
  return ticks;
}

}  // namespace evenmatch
