// The tables of a comparison, and how they look on a terminal.
#include <algorithm>
#include <cstdint>
#include <functional>
#include <set>
#include <string_view>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "base/text.h"
#include "sim/comparison.h"

namespace evenmatch {
namespace {

std::string Seconds(double micros) { return absl::StrFormat("%.2f", micros / kSecond); }
std::string Points(double milli_points) { return absl::StrFormat("%.1f", milli_points / kPoint); }
std::string Percent(double share) { return absl::StrFormat("%.1f", share * 100); }

double Share(uint64_t part, uint64_t whole) {
  return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

// What a histogram tells, or nothing where it is empty.
std::string IfAny(const Histogram& histogram, const std::string& text) { return histogram.count() == 0 ? "-" : text; }

std::string WaitAt(const Histogram& wait, double percent) {
  return IfAny(wait, Seconds(static_cast<double>(wait.Percentile(percent))));
}

Table Summary(const Comparison& comparison, size_t queue) {
  Table table{.title = "",
              .columns = {"matched %", "wait p50 s", "p90", "p95", "p99", "gap mean", "p95", "spread", "favourite %",
                          "even %", "quality"}};
  for (const Contender& contender : comparison.contenders) {
    const QueueMeasures& measures = contender.chronicle.queues[queue];
    const TicketMeasures& all = measures.all;
    const MatchMeasures& matches = measures.matches;
    table.rows.push_back({contender.name,
                          {Percent(Share(all.matched, all.tickets)), WaitAt(all.wait, 50), WaitAt(all.wait, 90),
                           WaitAt(all.wait, 95), WaitAt(all.wait, 99), IfAny(matches.gap, Points(matches.gap.mean())),
                           IfAny(matches.gap, Points(static_cast<double>(matches.gap.Percentile(95)))),
                           IfAny(matches.spread, Points(matches.spread.mean())),
                           IfAny(matches.favourite, absl::StrFormat("%.1f", matches.favourite.mean() / 100)),
                           IfAny(matches.gap, Percent(Share(matches.even, matches.matches))),
                           IfAny(matches.quality, absl::StrFormat("%.0f", matches.quality.mean()))}});
  }
  return table;
}

Table Fates(const Comparison& comparison, size_t queue) {
  Table table{.title = "What became of the tickets",
              .columns = {"tickets", "matched", "elsewhere", "cancelled", "expired", "waiting", "refused", "matches"}};
  for (const Contender& contender : comparison.contenders) {
    const TicketMeasures& all = contender.chronicle.queues[queue].all;
    table.rows.push_back({contender.name,
                          {Grouped(all.tickets), Grouped(all.matched), Grouped(all.elsewhere), Grouped(all.cancelled),
                           Grouped(all.expired), Grouped(all.waiting()), Grouped(contender.chronicle.refused()),
                           Grouped(contender.chronicle.queues[queue].matches.matches)}});
  }
  return table;
}

// One block of rows for each measure, a row for each contender, a column for each kind of ticket.
using KindsOf = std::function<std::vector<const TicketMeasures*>(const QueueMeasures&)>;
Table ByKind(const Comparison& comparison, size_t queue, std::string title, std::vector<std::string> columns,
             const KindsOf& kinds_of) {
  struct Measure {
    const char* name;
    std::function<std::string(const TicketMeasures&)> show;
  };
  const Measure measures[] = {
      {"wait p50, s", [](const TicketMeasures& kind) { return WaitAt(kind.wait, 50); }},
      {"wait p95, s", [](const TicketMeasures& kind) { return WaitAt(kind.wait, 95); }},
      {"gap mean, points", [](const TicketMeasures& kind) { return IfAny(kind.gap, Points(kind.gap.mean())); }},
      {"matched, %", [](const TicketMeasures& kind) { return Percent(Share(kind.matched, kind.tickets)); }},
  };
  Table table{.title = std::move(title), .columns = std::move(columns)};
  for (const Measure& measure : measures) {
    table.rows.push_back({measure.name, {}});
    for (const Contender& contender : comparison.contenders) {
      Table::Row& row = table.rows.emplace_back();
      row.name = contender.name;
      for (const TicketMeasures* kind : kinds_of(contender.chronicle.queues[queue])) {
        row.cells.push_back(kind == nullptr || kind->tickets == 0 ? "-" : measure.show(*kind));
      }
    }
  }
  return table;
}

Table Bands(const Comparison& comparison, size_t queue) {
  std::vector<std::string> names;
  for (size_t band = 0; band < RatingBands::kCount; ++band) names.push_back(RatingBands::Name(band));
  return ByKind(comparison, queue, "By rating", std::move(names), [](const QueueMeasures& measures) {
    std::vector<const TicketMeasures*> kinds;
    for (const TicketMeasures& band : measures.bands) kinds.push_back(&band);
    return kinds;
  });
}

Table Parties(const Comparison& comparison, size_t queue, const std::set<int>& sizes) {
  std::vector<std::string> names;
  for (const int size : sizes) names.push_back(size == 1 ? "alone" : absl::StrCat("party of ", size));
  return ByKind(comparison, queue, "By size of the party", std::move(names), [&sizes](const QueueMeasures& measures) {
    std::vector<const TicketMeasures*> kinds;
    for (const int size : sizes) {
      const auto found = measures.parties.find(size);
      kinds.push_back(found == measures.parties.end() ? nullptr : &found->second);
    }
    return kinds;
  });
}

Table Stages(const Comparison& comparison, size_t queue, size_t count) {
  Table table{.title = "Matches by the furthest stage of their tickets, %", .columns = {}};
  for (size_t stage = 0; stage < count; ++stage) table.columns.push_back(absl::StrCat("stage ", stage));
  for (const Contender& contender : comparison.contenders) {
    const MatchMeasures& matches = contender.chronicle.queues[queue].matches;
    Table::Row& row = table.rows.emplace_back();
    row.name = contender.name;
    for (size_t stage = 0; stage < count; ++stage) {
      row.cells.push_back(stage < matches.stages.size() ? Percent(Share(matches.stages[stage].matches, matches.matches))
                                                        : "-");
    }
  }
  return table;
}

Table Terms(const Comparison& comparison, size_t queue, const std::set<size_t>& terms) {
  Table table{.title = "What each term took from quality, mean points", .columns = {}};
  for (const size_t term : terms) table.columns.emplace_back(TermName(static_cast<QualityTerm>(term)));
  for (const Contender& contender : comparison.contenders) {
    const MatchMeasures& matches = contender.chronicle.queues[queue].matches;
    Table::Row& row = table.rows.emplace_back();
    row.name = contender.name;
    for (const size_t term : terms) {
      const TermMeasures& measures = matches.terms[term];
      row.cells.push_back(measures.matches == 0 ? "-"
                                                : absl::StrFormat("%.1f", static_cast<double>(measures.cost) /
                                                                              static_cast<double>(matches.matches)));
    }
  }
  return table;
}

Table Roles(const Comparison& comparison, size_t queue) {
  Table table{.title = "Roles", .columns = {"filled in %", "teams equal %", "differ by 1 %", "by more %"}};
  for (const Contender& contender : comparison.contenders) {
    const MatchMeasures& matches = contender.chronicle.queues[queue].matches;
    const Histogram& difference = matches.fill_difference;
    const auto share = [&](double count) {
      return IfAny(difference, Percent(count / static_cast<double>(difference.count())));
    };
    const double equal = difference.CountWithin(0, 0), one = difference.CountWithin(1, 1);
    table.rows.push_back({contender.name,
                          {Percent(Share(matches.fills, matches.seats_with_role)), share(equal), share(one),
                           share(static_cast<double>(difference.count()) - equal - one)}});
  }
  return table;
}

Table Latencies(const Comparison& comparison, size_t queue) {
  Table table{.title = "Latency of a player, ms",
              .columns = {"p50", "p90", "p95", "p99", "beyond his best: mean", "p95", "p99"}};
  for (const Contender& contender : comparison.contenders) {
    const MatchMeasures& matches = contender.chronicle.queues[queue].matches;
    Table::Row& row = table.rows.emplace_back();
    row.name = contender.name;
    const auto whole = [](uint64_t number) { return absl::StrCat(number); };
    for (const double percent : {50.0, 90.0, 95.0, 99.0}) {
      row.cells.push_back(IfAny(matches.latency, whole(matches.latency.Percentile(percent))));
    }
    row.cells.push_back(IfAny(matches.detour, absl::StrFormat("%.1f", matches.detour.mean())));
    for (const double percent : {95.0, 99.0}) {
      row.cells.push_back(IfAny(matches.detour, whole(matches.detour.Percentile(percent))));
    }
  }
  return table;
}

// Characters, of which those beyond ASCII have several bytes.
size_t WidthOf(std::string_view text) {
  return static_cast<size_t>(
      std::count_if(text.begin(), text.end(), [](char byte) { return (static_cast<uint8_t>(byte) & 0xc0) != 0x80; }));
}

void AppendRight(std::string_view text, size_t width, std::string* out) {
  out->append(width - std::min(width, WidthOf(text)), ' ');
  *out += text;
}

void AppendLeft(std::string_view text, size_t width, std::string* out) {
  *out += text;
  out->append(width - std::min(width, WidthOf(text)), ' ');
}

std::string TableText(const Table& table) {
  size_t name_width = 0;
  for (const Table::Row& row : table.rows) {
    if (!row.cells.empty()) name_width = std::max(name_width, WidthOf(row.name) + 2);
  }
  std::vector<size_t> widths;
  for (size_t i = 0; i < table.columns.size(); ++i) {
    size_t width = WidthOf(table.columns[i]);
    for (const Table::Row& row : table.rows) {
      if (!row.cells.empty()) width = std::max(width, WidthOf(row.cells[i]));
    }
    widths.push_back(width);
  }
  std::string text;
  if (!table.title.empty()) absl::StrAppend(&text, table.title, "\n");
  text.append(name_width, ' ');
  for (size_t i = 0; i < widths.size(); ++i) {
    AppendRight(table.columns[i], widths[i] + 2, &text);
  }
  text += '\n';
  for (const Table::Row& row : table.rows) {
    if (row.cells.empty()) {
      absl::StrAppend(&text, row.name, "\n");
      continue;
    }
    text += "  ";
    AppendLeft(row.name, name_width - 2, &text);
    for (size_t i = 0; i < widths.size(); ++i) AppendRight(row.cells[i], widths[i] + 2, &text);
    text += '\n';
  }
  return text;
}

}  // namespace

std::string_view TermName(QualityTerm term) {
  switch (term) {
    case QualityTerm::kDistance:
      return "distance";
    case QualityTerm::kEvenness:
      return "evenness";
    case QualityTerm::kLatency:
      return "latency";
    case QualityTerm::kParty:
      return "party";
    case QualityTerm::kFill:
      return "fill";
    case QualityTerm::kPreference:
      return "preference";
    case QualityTerm::kRecent:
      return "recent";
    case QualityTerm::kAvoid:
      return "avoid";
    case QualityTerm::kAttributes:
      return "attributes";
  }
  return "";
}

std::string TitleOf(const QueueMeasures& queue) {
  std::string text = absl::StrCat(queue.queue, ", ", queue.team_size);
  for (int team = 1; team < queue.team_count; ++team) {
    if (team == 3 && queue.team_count > 4) {
      absl::StrAppend(&text, " against ... (", queue.team_count, " teams)");
      break;
    }
    absl::StrAppend(&text, " against ", queue.team_size);
  }
  return text;
}

std::string SignatureText(uint64_t signature) { return absl::StrFormat("%016x", signature); }

std::vector<Table> TablesOf(const Comparison& comparison, size_t queue) {
  std::set<int> sizes;
  std::set<size_t> terms;
  size_t stages = 0;
  bool roles = false, latencies = false;
  for (const Contender& contender : comparison.contenders) {
    const QueueMeasures& measures = contender.chronicle.queues[queue];
    for (const auto& [size, kind] : measures.parties) sizes.insert(size);
    for (size_t term = 0; term < kQualityTerms; ++term) {
      if (measures.matches.terms[term].matches > 0) terms.insert(term);
    }
    stages = std::max(stages, measures.matches.stages.size());
    roles = roles || measures.matches.seats_with_role > 0;
    latencies = latencies || measures.matches.latency.count() > 0;
  }
  std::vector<Table> tables{Summary(comparison, queue), Fates(comparison, queue), Bands(comparison, queue)};
  if (sizes.size() > 1) tables.push_back(Parties(comparison, queue, sizes));
  if (stages > 1) tables.push_back(Stages(comparison, queue, stages));
  if (roles) tables.push_back(Roles(comparison, queue));
  if (latencies) tables.push_back(Latencies(comparison, queue));
  if (!terms.empty()) tables.push_back(Terms(comparison, queue, terms));
  return tables;
}

std::vector<std::string> RefusalsOf(const Contender& contender) {
  std::vector<std::string> lines;
  for (const auto& [code, refusals] : contender.chronicle.refusals) {
    lines.push_back(
        absl::StrCat(Grouped(refusals.tickets), " ", absl::StatusCodeToString(code), ", the first: ", refusals.first));
  }
  return lines;
}

std::string ComparisonText(const Comparison& comparison) {
  std::string text;
  size_t width = 0;
  for (const auto& [name, value] : comparison.scenario) width = std::max(width, WidthOf(name));
  for (const auto& [name, value] : comparison.scenario) {
    AppendLeft(name, width + 2, &text);
    absl::StrAppend(&text, value, "\n");
  }
  for (size_t queue = 0; queue < comparison.contenders[0].chronicle.queues.size(); ++queue) {
    absl::StrAppend(&text, "\nqueue ", TitleOf(comparison.contenders[0].chronicle.queues[queue]), "\n");
    bool first = true;
    for (const Table& table : TablesOf(comparison, queue)) {
      absl::StrAppend(&text, first ? "" : "\n", TableText(table));
      first = false;
    }
  }
  bool first = true;
  for (const Contender& contender : comparison.contenders) {
    for (const std::string& line : RefusalsOf(contender)) {
      absl::StrAppend(&text, first ? "\nRefused\n" : "", "  ", contender.name, ": ", line, "\n");
      first = false;
    }
  }
  Table signatures{.title = "Signatures", .columns = {"events", "signature"}};
  for (const Contender& contender : comparison.contenders) {
    signatures.rows.push_back(
        {contender.name, {Grouped(contender.chronicle.events), SignatureText(contender.chronicle.signature)}});
  }
  absl::StrAppend(&text, "\n", TableText(signatures));
  return text;
}

}  // namespace evenmatch
