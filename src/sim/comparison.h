// Comparison: what came of one scenario under several configurations, as text, JSON and a page.
//
// Shape:   everything is a pure function of the chronicles: no date, no machine, so the same worlds give the same
// bytes. Units:   as the names and headings say: seconds, points of rating, per cent. Errors:  none. Threads: pure
// functions.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sim/measures.h"
#include "sim/world.h"

namespace evenmatch {

struct Contender {
  std::string name;
  Chronicle chronicle;
};

struct Comparison {
  std::vector<std::pair<std::string, std::string>> scenario;  // what was played, as names and values
  uint64_t seed = 1;
  std::vector<Contender> contenders;  // at least one; the same queues in each
};

// A table for people: columns of equal meaning, a row for each thing that is compared.
struct Table {
  struct Row {
    std::string name;
    std::vector<std::string> cells;  // none: a heading for the rows that follow
  };
  std::string title;
  std::vector<std::string> columns;  // without the first, which has the names of the rows
  std::vector<Row> rows;
};

// All that is worth a table about one queue; an index into Chronicle::queues. The first is the summary.
std::vector<Table> TablesOf(const Comparison& comparison, size_t queue);

// Which tickets the core did not take and why, a line for each code.
std::vector<std::string> RefusalsOf(const Contender& contender);

// "squad, 5 against 5": a heading for it.
std::string TitleOf(const QueueMeasures& queue);
std::string_view TermName(QualityTerm term);  // as in configuration files
// The signature of a run as it is shown.
std::string SignatureText(uint64_t signature);

std::string ComparisonText(const Comparison& comparison);
std::string ComparisonJson(const Comparison& comparison);  // one object on one line
std::string ComparisonPage(const Comparison& comparison);  // HTML; names no other file and no host

}  // namespace evenmatch
