// A comparison as one HTML page: plots first, then every table.
#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/strings.h"
#include "base/text.h"
#include "sim/comparison.h"
#include "sim/plot.h"

namespace evenmatch {
namespace {

constexpr int kSteps = 140;  // points of a curve

constexpr std::string_view kStyle = R"(
:root{color-scheme:light dark;
--page:#f6f7f9;--card:#fff;--ink:#1c2430;--faint:#5d6878;--grid:#e7eaef;--line:#b9c1cc}
@media (prefers-color-scheme:dark){:root{
--page:#12161c;--card:#1a2028;--ink:#e6eaf0;--faint:#98a3b3;--grid:#28303b;--line:#4b5665}}
*{box-sizing:border-box}
body{margin:0;background:var(--page);color:var(--ink);font:15px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,sans-serif}
main{max-width:1200px;margin:0 auto;padding:32px 20px 64px}
h1{font-size:26px;margin:0 0 4px;letter-spacing:-.01em}
h2{font-size:20px;margin:44px 0 14px}
h3{font-size:14px;margin:0 0 10px;font-weight:600}
.facts{display:flex;flex-wrap:wrap;gap:4px 22px;margin:8px 0 0;color:var(--faint);font-size:14px}
.facts b{color:var(--ink);font-weight:500}
.legend{display:flex;flex-wrap:wrap;gap:6px 20px;margin:14px -20px 0;padding:8px 20px;list-style:none;font-weight:500;
position:sticky;top:0;background:var(--page);z-index:1}
.swatch{display:inline-block;width:10px;height:10px;border-radius:3px;margin-right:8px;border:2px solid var(--c)}
.swatch:not(.again){background:var(--c)}
.cards{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,440px),1fr));gap:16px}
.card{background:var(--card);border:1px solid var(--grid);border-radius:10px;padding:16px 18px;margin:0 0 16px}
.card{min-width:0}
.cards .card{margin:0}
.scroll{overflow-x:auto}
table{border-collapse:collapse;font-size:14px;font-variant-numeric:tabular-nums;width:100%}
th,td{padding:5px 10px;text-align:right;white-space:nowrap;border-bottom:1px solid var(--grid)}
th{font-weight:500;color:var(--faint)}
th:first-child,td:first-child{text-align:left;padding-left:0}
tr:last-child td{border-bottom:0}
td.group{color:var(--faint);padding-top:14px}
code{font:13px ui-monospace,SFMono-Regular,Menlo,Consolas,monospace}
)";

// The points of one curve for each contender.
template <typename Points>
std::vector<Plot::Series> SeriesOf(const Comparison& comparison, Points points) {
  std::vector<Plot::Series> series;
  for (size_t i = 0; i < comparison.contenders.size(); ++i) {
    const Contender& contender = comparison.contenders[i];
    series.push_back({contender.name, i, points(contender.chronicle)});
  }
  return series;
}

// The largest of what each contender has, so that all curves share an axis.
template <typename Value>
double Widest(const Comparison& comparison, Value value) {
  double widest = 0;
  for (const Contender& contender : comparison.contenders) widest = std::max(widest, value(contender.chronicle));
  return widest;
}

Plot Waits(const Comparison& comparison, size_t queue) {
  const double last = Widest(comparison, [&](const Chronicle& chronicle) {
    return static_cast<double>(chronicle.queues[queue].all.wait.Percentile(99.5));
  });
  return {.title = "Waits",
          .x_label = "seconds",
          .y_label = "% of tickets matched within",
          .series = SeriesOf(comparison, [&](const Chronicle& chronicle) {
            const TicketMeasures& all = chronicle.queues[queue].all;
            std::vector<std::pair<double, double>> points;
            for (int i = 0; i <= kSteps && all.tickets > 0 && last > 0; ++i) {
              const double at = last * i / kSteps;
              points.emplace_back(at / kSecond, 100 * all.wait.CountWithin(0, static_cast<uint64_t>(at)) /
                                                    static_cast<double>(all.tickets));
            }
            return points;
          })};
}

// Which share of a histogram's values falls into each of `bins` ranges of `width` from `from` on, in per cent.
std::vector<std::pair<double, double>> Density(const Histogram& histogram, double from, double width, int bins,
                                               double unit) {
  std::vector<std::pair<double, double>> points;
  if (histogram.count() == 0) return points;
  for (int i = 0; i < bins; ++i) {
    const double low = from + width * i;
    const double count = histogram.CountWithin(static_cast<uint64_t>(std::ceil(low)),
                                               static_cast<uint64_t>(std::max(std::ceil(low + width) - 1, 0.0)));
    points.emplace_back((low + width / 2) / unit, 100 * count / static_cast<double>(histogram.count()));
  }
  return points;
}

Plot Gaps(const Comparison& comparison, size_t queue) {
  constexpr int kBins = 40;
  const double last = Widest(comparison, [&](const Chronicle& chronicle) {
    return static_cast<double>(chronicle.queues[queue].matches.gap.Percentile(99));
  });
  const double width = std::max(std::ceil(last / kBins / kPoint), 1.0) * kPoint;  // whole points
  return {.title = "Gap between the teams",
          .x_label = "points of mean rating",
          .y_label = absl::StrCat("% of matches per ", width / kPoint, width > kPoint ? " points" : " point"),
          .series = SeriesOf(comparison, [&](const Chronicle& chronicle) {
            return Density(chronicle.queues[queue].matches.gap, 0, width, kBins, kPoint);
          })};
}

Plot Favourites(const Comparison& comparison, size_t queue) {
  const double last = Widest(comparison, [&](const Chronicle& chronicle) {
    return static_cast<double>(chronicle.queues[queue].matches.favourite.Percentile(99.5));
  });
  const int teams = std::max(comparison.contenders[0].chronicle.queues[queue].team_count, 2);
  const double first = std::floor(100.0 / teams) * 100, width = 100;
  const int bins = std::max(static_cast<int>(std::ceil((last - first) / width)) + 1, 3);
  return {.title = "Chance of the favourite",
          .x_label = "predicted chance of the likeliest winner, %",
          .y_label = "% of matches per 1 %",
          .series = SeriesOf(comparison, [&](const Chronicle& chronicle) {
            return Density(chronicle.queues[queue].matches.favourite, first, width, bins, 100);
          })};
}

Plot Frontier(const Comparison& comparison, size_t queue) {
  return {.title = "Wait against quality: better is lower left",
          .x_label = "95 % of waits are below, s",
          .y_label = "mean gap, points",
          .kind = Plot::Kind::kPoints,
          .series = SeriesOf(comparison, [&](const Chronicle& chronicle) {
            const QueueMeasures& measures = chronicle.queues[queue];
            std::vector<std::pair<double, double>> points;
            if (measures.matches.matches > 0) {
              points.emplace_back(static_cast<double>(measures.all.wait.Percentile(95)) / kSecond,
                                  measures.matches.gap.mean() / kPoint);
            }
            return points;
          })};
}

double WaitP95(const TicketMeasures& measures) { return static_cast<double>(measures.wait.Percentile(95)) / kSecond; }
double MeanGap(const TicketMeasures& measures) { return measures.gap.mean() / kPoint; }

Plot ByRating(const Comparison& comparison, size_t queue, std::string title, std::string label,
              double (*value)(const TicketMeasures&)) {
  Plot plot{.title = std::move(title), .x_label = "percentile of rating", .y_label = std::move(label)};
  for (size_t i = 0; i < RatingBands::kCount; ++i) {
    plot.x_names.push_back(i == 0 ? "lowest"
                           : i + 1 == RatingBands::kCount
                               ? "highest"
                               : absl::StrCat(RatingBands::kPercents[i - 1], "-", RatingBands::kPercents[i]));
  }
  plot.series = SeriesOf(comparison, [&](const Chronicle& chronicle) {
    std::vector<std::pair<double, double>> points;
    for (size_t i = 0; i < RatingBands::kCount; ++i) {
      const TicketMeasures& band = chronicle.queues[queue].bands[i];
      if (band.matched > 0) points.emplace_back(static_cast<double>(i), value(band));
    }
    return points;
  });
  return plot;
}

Plot ByParty(const Comparison& comparison, size_t queue, const std::set<int>& sizes, std::string title,
             std::string label, double (*value)(const TicketMeasures&)) {
  Plot plot{.title = std::move(title), .x_label = "players in the party", .y_label = std::move(label)};
  for (const int size : sizes) plot.x_names.push_back(absl::StrCat(size));
  plot.series = SeriesOf(comparison, [&](const Chronicle& chronicle) {
    std::vector<std::pair<double, double>> points;
    double at = 0;
    for (const int size : sizes) {
      const auto found = chronicle.queues[queue].parties.find(size);
      if (found != chronicle.queues[queue].parties.end() && found->second.matched > 0) {
        points.emplace_back(at, value(found->second));
      }
      ++at;
    }
    return points;
  });
  return plot;
}

Plot OverTime(const Comparison& comparison, size_t queue, std::string title, std::string label,
              double (*value)(const SliceMeasures&, Micros slice)) {
  const double span =
      Widest(comparison, [](const Chronicle& chronicle) { return static_cast<double>(chronicle.span); });
  const Micros unit = span > 3.0 * kHour ? kHour : span > 3.0 * kMinute ? kMinute : kSecond;
  Plot plot{.title = std::move(title),
            .x_label = unit == kHour     ? "hours"
                       : unit == kMinute ? "minutes"
                                         : "seconds",
            .y_label = std::move(label)};
  plot.series = SeriesOf(comparison, [&](const Chronicle& chronicle) {
    std::vector<std::pair<double, double>> points;
    const std::vector<SliceMeasures>& slices = chronicle.queues[queue].slices;
    // What is left of the last slice says little.
    for (size_t i = 0; i + 1 < slices.size() || (i < slices.size() && slices.size() == 1); ++i) {
      points.emplace_back(
          (static_cast<double>(i) + 0.5) * static_cast<double>(chronicle.slice) / static_cast<double>(unit),
          value(slices[i], chronicle.slice));
    }
    return points;
  });
  return plot;
}

std::string Swatch(size_t number) { return absl::StrCat("<span class=\"swatch ", SeriesClasses(number), "\"></span>"); }

void AppendPlot(const Plot& plot, std::string* html) {
  absl::StrAppend(html, "<figure class=\"card\"><h3>", EscapeHtml(plot.title), "</h3>", PlotSvg(plot), "</figure>\n");
}

void AppendTable(const Comparison& comparison, const Table& table, std::string* html) {
  absl::StrAppend(html, "<section class=\"card\">");
  if (!table.title.empty()) absl::StrAppend(html, "<h3>", EscapeHtml(table.title), "</h3>");
  absl::StrAppend(html, "<div class=\"scroll\"><table><thead><tr><th></th>");
  for (const std::string& column : table.columns) absl::StrAppend(html, "<th>", EscapeHtml(column), "</th>");
  absl::StrAppend(html, "</tr></thead><tbody>\n");
  for (const Table::Row& row : table.rows) {
    if (row.cells.empty()) {
      absl::StrAppend(html, "<tr><td class=\"group\" colspan=\"", table.columns.size() + 1, "\">", EscapeHtml(row.name),
                      "</td></tr>\n");
      continue;
    }
    size_t color = 0;
    while (color < comparison.contenders.size() && comparison.contenders[color].name != row.name) ++color;
    absl::StrAppend(html, "<tr><td>", Swatch(color), EscapeHtml(row.name), "</td>");
    for (const std::string& cell : row.cells) absl::StrAppend(html, "<td>", EscapeHtml(cell), "</td>");
    absl::StrAppend(html, "</tr>\n");
  }
  absl::StrAppend(html, "</tbody></table></div></section>\n");
}

void AppendQueue(const Comparison& comparison, size_t queue, std::string* html) {
  std::set<int> sizes;
  for (const Contender& contender : comparison.contenders) {
    for (const auto& [size, measures] : contender.chronicle.queues[queue].parties) sizes.insert(size);
  }
  absl::StrAppend(html, "<h2>", EscapeHtml(TitleOf(comparison.contenders[0].chronicle.queues[queue])), "</h2>\n");
  const std::vector<Table> tables = TablesOf(comparison, queue);
  AppendTable(comparison, tables[0], html);
  absl::StrAppend(html, "<div class=\"cards\">\n");
  if (comparison.contenders.size() > 1) AppendPlot(Frontier(comparison, queue), html);
  AppendPlot(Waits(comparison, queue), html);
  AppendPlot(Gaps(comparison, queue), html);
  AppendPlot(Favourites(comparison, queue), html);
  AppendPlot(ByRating(comparison, queue, "Wait by rating", "95 % of waits are below, s", WaitP95), html);
  AppendPlot(ByRating(comparison, queue, "Gap by rating", "mean gap, points", MeanGap), html);
  if (sizes.size() > 1) {
    AppendPlot(ByParty(comparison, queue, sizes, "Wait by size of the party", "95 % of waits are below, s", WaitP95),
               html);
    AppendPlot(ByParty(comparison, queue, sizes, "Gap by size of the party", "mean gap, points", MeanGap), html);
  }
  AppendPlot(OverTime(comparison, queue, "Arrivals over time", "tickets a second",
                      [](const SliceMeasures& slice, Micros length) {
                        return static_cast<double>(slice.tickets) * kSecond / static_cast<double>(length);
                      }),
             html);
  AppendPlot(OverTime(comparison, queue, "Waits over time", "95 % of waits are below, s",
                      [](const SliceMeasures& slice, Micros) {
                        return static_cast<double>(slice.wait.Percentile(95)) / kSecond;
                      }),
             html);
  absl::StrAppend(html, "</div>\n<div style=\"height:16px\"></div>\n");
  for (size_t i = 1; i < tables.size(); ++i) AppendTable(comparison, tables[i], html);
}

}  // namespace

std::string ComparisonPage(const Comparison& comparison) {
  std::string html = absl::StrCat(
      "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
      "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\"><title>Evenmatch "
      "simulation</title><style>",
      ToAbsl(kStyle), ToAbsl(PlotStyle()),
      "</style></head><body><main>\n<h1>Evenmatch simulation</h1>\n<div class=\"facts\">");
  for (const auto& [name, value] : comparison.scenario) {
    absl::StrAppend(&html, "<span>", EscapeHtml(name), " <b>", EscapeHtml(value), "</b></span>");
  }
  absl::StrAppend(&html, "</div>\n<ul class=\"legend\">");
  for (size_t i = 0; i < comparison.contenders.size(); ++i) {
    absl::StrAppend(&html, "<li>", Swatch(i), EscapeHtml(comparison.contenders[i].name), "</li>");
  }
  absl::StrAppend(&html, "</ul>\n");
  for (size_t queue = 0; queue < comparison.contenders[0].chronicle.queues.size(); ++queue) {
    AppendQueue(comparison, queue, &html);
  }
  bool refused = false;
  for (const Contender& contender : comparison.contenders) refused = refused || contender.chronicle.refused() > 0;
  if (refused) {
    absl::StrAppend(&html, "<section class=\"card\"><h3>Refused</h3>");
    for (size_t i = 0; i < comparison.contenders.size(); ++i) {
      for (const std::string& line : RefusalsOf(comparison.contenders[i])) {
        absl::StrAppend(&html, "<div>", Swatch(i), EscapeHtml(line), "</div>");
      }
    }
    absl::StrAppend(&html, "</section>\n");
  }
  absl::StrAppend(&html, "<section class=\"card\"><h3>Signatures: equal for equal behaviour</h3><table><tbody>\n");
  for (size_t i = 0; i < comparison.contenders.size(); ++i) {
    const Chronicle& chronicle = comparison.contenders[i].chronicle;
    absl::StrAppend(&html, "<tr><td>", Swatch(i), EscapeHtml(comparison.contenders[i].name), "</td><td>",
                    Grouped(chronicle.events), " events</td><td><code>", SignatureText(chronicle.signature),
                    "</code></td></tr>\n");
  }
  return absl::StrCat(html, "</tbody></table></section>\n</main></body></html>\n");
}

}  // namespace evenmatch
