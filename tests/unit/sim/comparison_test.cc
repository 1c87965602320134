#include "sim/comparison.h"

#include <algorithm>
#include <string>

#include "gtest/gtest.h"
#include "tests/support/tickets.h"

namespace evenmatch {
namespace {

// Two configurations of a queue, played by parties.
Comparison Played() {
  Scenario scenario;
  scenario.arrivals.rate = 50;
  scenario.tickets = 3'000;
  scenario.shares = {{{"squad"}, 1}};
  scenario.crowd.parties = *PartyDistribution::Parse("1:2,2:1");
  Comparison comparison{.scenario = {{"tickets", "3 000"}, {"seed", "1"}}, .contenders = {}};
  for (const char* name : {"tight", "<wide> & \"fast\""}) {
    QueueRules rules;
    rules.name = "squad";
    rules.team_size = 2;
    if (name[0] == '<') rules.window.base = 800 * kPoint;
    const auto chronicle = Simulate(MakeCatalog({rules}), Limits(), scenario, BandsOf(scenario));
    EXPECT_TRUE(chronicle.ok());
    comparison.contenders.push_back({name, *chronicle});
  }
  return comparison;
}

std::vector<std::string> LinesOf(const std::string& text) {
  std::vector<std::string> lines(1);
  for (const char byte : text) {
    if (byte == '\n') {
      lines.emplace_back();
    } else {
      lines.back() += byte;
    }
  }
  return lines;
}

TEST(Comparison, SameWorldsGiveTheSameBytes) {
  const Comparison a = Played(), b = Played();
  EXPECT_EQ(ComparisonText(a), ComparisonText(b));
  EXPECT_EQ(ComparisonJson(a), ComparisonJson(b));
  EXPECT_EQ(ComparisonPage(a), ComparisonPage(b));
}

TEST(Comparison, TheTableIsAligned) {
  const std::vector<std::string> lines = LinesOf(ComparisonText(Played()));
  const auto heading = std::find(lines.begin(), lines.end(), "queue squad, 2 against 2");
  ASSERT_NE(heading, lines.end());
  EXPECT_NE(heading[1].find("wait p50 s"), std::string::npos);
  EXPECT_EQ(heading[2].substr(0, 7), "  tight");
  EXPECT_EQ(heading[1].size(), heading[2].size());
  EXPECT_EQ(heading[2].size(), heading[3].size());
  for (const std::string& line : lines) EXPECT_TRUE(line.empty() || line.back() != ' ') << line;
}

TEST(Comparison, EveryTableFillsItsColumns) {
  const Comparison comparison = Played();
  const std::vector<Table> tables = TablesOf(comparison, 0);
  ASSERT_GE(tables.size(), 4u);
  bool parties = false;
  for (const Table& table : tables) {
    parties = parties || table.title == "By size of the party";
    for (const Table::Row& row : table.rows) {
      EXPECT_TRUE(row.cells.empty() || row.cells.size() == table.columns.size()) << table.title << ": " << row.name;
    }
  }
  EXPECT_TRUE(parties);
}

TEST(Comparison, ThePageIsWholeAndNamesNothingOutside) {
  const std::string page = ComparisonPage(Played());
  EXPECT_EQ(page.substr(0, 15), "<!doctype html>");
  EXPECT_NE(page.find("</html>"), std::string::npos);
  for (const char* reference : {"http:", "https:", "src=", "href=", "url(", "@import", "<script", "<link", "//"}) {
    EXPECT_EQ(page.find(reference), std::string::npos) << reference;
  }
  EXPECT_EQ(page.find("<wide>"), std::string::npos);
  EXPECT_NE(page.find("&lt;wide&gt; &amp; &quot;fast&quot;"), std::string::npos);
  for (const char* title : {"Waits", "Gap between the teams", "Chance of the favourite", "Wait against quality",
                            "Wait by rating", "Gap by size of the party", "Waits over time"}) {
    EXPECT_NE(page.find(title), std::string::npos) << title;
  }
  EXPECT_EQ(page.find("nan"), std::string::npos);
  EXPECT_EQ(page.find("inf"), std::string::npos);
}

TEST(Comparison, AWorldWithoutMatchesCanBeShown) {
  Scenario scenario;
  scenario.tickets = 1;
  scenario.shares = {{{"duel"}, 1}};
  const auto chronicle = Simulate(MakeCatalog({DuelRules("duel")}), Limits(), scenario, BandsOf(scenario));
  ASSERT_TRUE(chronicle.ok());
  const Comparison comparison{.scenario = {}, .contenders = {{"alone", *chronicle}}};
  EXPECT_NE(ComparisonText(comparison).find("alone"), std::string::npos);
  const std::string page = ComparisonPage(comparison);
  EXPECT_NE(page.find("nothing to show"), std::string::npos);
  EXPECT_EQ(page.find("nan"), std::string::npos);
  EXPECT_EQ(ComparisonJson(comparison).find("nan"), std::string::npos);
}

TEST(Comparison, RefusalsSayWhy) {
  Comparison comparison = Played();
  comparison.contenders[1].chronicle.refusals[absl::StatusCode::kResourceExhausted] = {1'234, "queue \"x\" is full"};
  EXPECT_NE(ComparisonText(comparison).find("1 234 RESOURCE_EXHAUSTED, the first: queue \"x\" is full\n"),
            std::string::npos);
  EXPECT_NE(ComparisonJson(comparison).find("\"refused\":1234"), std::string::npos);
  EXPECT_NE(ComparisonPage(comparison).find("the first: queue &quot;x&quot; is full"), std::string::npos);
}

}  // namespace
}  // namespace evenmatch
