// Metrics: what operators scrape, by the names under which they scrape it; the only place that knows those names.
//
// Shape:   a Prometheus registry; families of counters, gauges and histograms in base units, prefix evenmatch_.
// Cost:    an increment is an atomic addition; children are looked up once, at the start.
// Threads: any.
#pragma once

#include <memory>
#include <string>

#include "model/queue_rules.h"
#include "prometheus/registry.h"

namespace evenmatch {

class Metrics {
 public:
  explicit Metrics(const Catalog& catalog);

  // The exposition in Prometheus' text format, version 0.0.4.
  std::string Text() const;
};

}  // namespace evenmatch
