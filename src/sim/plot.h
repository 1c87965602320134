// Plot: lines or points in a frame, as an inline SVG that looks right in light and dark.
//
// Shape:   colours are the classes c0 to c7, and text, axes and grid have classes too: a page gives them with
// PlotStyle. Errors:  none; a plot without points is a frame that says so. Threads: pure functions.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace evenmatch {

struct Plot {
  enum class Kind { kLines, kPoints };
  struct Series {
    std::string name;
    size_t number = 0;
    std::vector<std::pair<double, double>> points;  // kLines: in order of x
  };

  std::string title;
  std::string x_label, y_label;
  Kind kind = Kind::kLines;
  bool from_zero = true;             // the y axis begins at 0
  std::vector<std::string> x_names;  // when not empty, the x of a point is an index into these
  std::vector<Series> series;
};

std::string PlotSvg(const Plot& plot);

// The classes of what belongs to a series.
std::string SeriesClasses(size_t number);

// The style sheet that plots and their legends need: custom properties and classes.
std::string_view PlotStyle();

// A text as it may stand in HTML.
std::string EscapeHtml(std::string_view text);

// At most `most` + 1 round numbers from `low` to `high` and beyond, evenly spaced: 1, 2 or 5 times a power of ten.
std::vector<double> TicksBetween(double low, double high, int most);

}  // namespace evenmatch
