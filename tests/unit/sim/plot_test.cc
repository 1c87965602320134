#include "sim/plot.h"

#include <string>
#include <vector>

#include "gtest/gtest.h"

namespace evenmatch {
namespace {

size_t CountOf(const std::string& text, const std::string& part) {
  size_t count = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

TEST(Plot, TicksAreRoundAndHoldTheRange) {
  EXPECT_EQ(TicksBetween(0, 10, 5), (std::vector<double>{0, 2, 4, 6, 8, 10}));
  EXPECT_EQ(TicksBetween(0, 87, 5), (std::vector<double>{0, 20, 40, 60, 80, 100}));
  EXPECT_EQ(TicksBetween(98, 103, 5), (std::vector<double>{98, 99, 100, 101, 102, 103}));
  for (const double high : {1e-6, 0.3, 1.0, 7.7, 950.0, 1e7}) {
    const std::vector<double> ticks = TicksBetween(0, high, 5);
    EXPECT_LE(ticks.size(), 7u) << high;
    EXPECT_GE(ticks.size(), 3u) << high;
    EXPECT_GE(ticks.back(), high * (1 - 1e-9));
  }
}

TEST(Plot, EverySeriesIsDrawnInItsColour) {
  Plot plot{.title = "t", .series = {{"a", 0, {{0, 1}, {1, 2}}}, {"b", 9, {{0, 2}, {1, 1}}}}};
  const std::string lines = PlotSvg(plot);
  EXPECT_EQ(CountOf(lines, "class=\"line c0\""), 1u);
  EXPECT_EQ(CountOf(lines, "class=\"line c1 again\""), 1u);  // there are eight colours
  plot.kind = Plot::Kind::kPoints;
  const std::string points = PlotSvg(plot);
  EXPECT_EQ(CountOf(points, "<circle"), 4u);
  EXPECT_EQ(CountOf(points, ">b</text>"), 2u);
}

TEST(Plot, NoNameCoversAnother) {
  const Plot plot{.kind = Plot::Kind::kPoints,
                  .series = {{"first", 0, {{1, 1}}}, {"second", 1, {{1, 1.01}}}, {"third", 2, {{9, 9}}}}};
  const std::string svg = PlotSvg(plot);
  EXPECT_EQ(CountOf(svg, ">first</text>"), 1u);
  EXPECT_EQ(CountOf(svg, ">second</text>"), 0u);
  EXPECT_EQ(CountOf(svg, ">third</text>"), 1u);
  EXPECT_EQ(CountOf(svg, "<title>second"), 1u);
}

TEST(Plot, PlacesFollowTheValues) {
  const std::string svg = PlotSvg({.kind = Plot::Kind::kPoints, .series = {{"a", 0, {{0, 0}, {10, 10}}}}});
  // Lower left and upper right of the frame.
  EXPECT_NE(svg.find("cx=\"58.0\" cy=\"254.0\""), std::string::npos) << svg;
  EXPECT_NE(svg.find("cx=\"542.0\" cy=\"12.0\""), std::string::npos) << svg;
}

TEST(Plot, ASingleValueHasAFrameToo) {
  const std::string svg = PlotSvg({.kind = Plot::Kind::kPoints, .series = {{"a", 0, {{3, 3}}}}});
  EXPECT_EQ(CountOf(svg, "<circle"), 1u);
  EXPECT_EQ(svg.find("nan"), std::string::npos);
  EXPECT_EQ(svg.find("inf"), std::string::npos);
}

TEST(Plot, NothingIsSaidToBeNothing) {
  EXPECT_NE(PlotSvg({.series = {{"a", 0, {}}}}).find("nothing to show"), std::string::npos);
}

TEST(Plot, TextsAreEscaped) { EXPECT_EQ(EscapeHtml("<a & \"b\">"), "&lt;a &amp; &quot;b&quot;&gt;"); }

}  // namespace
}  // namespace evenmatch
