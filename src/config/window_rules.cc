#include <algorithm>
#include <optional>

#include "config/rule_checks.h"

namespace evenmatch {
namespace {

namespace proto = evenmatch::config::v1;

void CheckLinear(const std::string& field, const proto::LinearWindow& linear, WindowRules* rules, Checks* checks) {
  if (linear.has_base()) rules->base = checks->Points(field + ".base", linear.base(), 0, kMaxDistancePoints);
  if (linear.has_growth_per_second()) {
    rules->growth_per_second =
        checks->Points(field + ".growth_per_second", linear.growth_per_second(), 0, kMaxDistancePoints);
  }
  if (linear.has_max()) rules->max = checks->Points(field + ".max", linear.max(), 0, kMaxDistancePoints);
  if (rules->max < rules->base) {
    checks->Wrong(linear.has_max() ? field + ".max" : field + ".base",
                  absl::StrCat("max ", PointsText(rules->max), linear.has_max() ? "" : " (its default)",
                               " must not be below base ", PointsText(rules->base)));
  }
}

void CheckSteps(const std::string& field, const proto::Window& window, WindowRules* rules, Checks* checks) {
  checks->Count(field, window.steps_size(), Checks::kMostSteps);
  std::optional<Micros> before;
  for (int i = 0; i < window.steps_size(); ++i) {
    const proto::WindowStep& step = window.steps(i);
    const std::string element = absl::StrCat(field, "[", i, "]");
    WindowRules::Step rule{.after = checks->AfterFromZero(element, step, before), .width = kUnlimitedWindow};
    if (step.has_width()) rule.width = checks->Points(element + ".width", step.width(), 0, kMaxDistancePoints);
    if (i > 0 && rule.width < rules->steps.back().width) {
      const MilliPoints width = rules->steps.back().width;
      checks->Wrong(element + ".width", width == kUnlimitedWindow
                                            ? "must not be narrower than the step before, which takes any distance"
                                            : "must not be narrower than the step before, " + PointsText(width));
    }
    before = rule.after;
    rules->steps.push_back(rule);
  }
}

std::vector<WindowRules::Step> StepsOf(proto::Window::Preset preset) {
  switch (preset) {
    case proto::Window::PRESET_REGION_FIRST:
      return {{0, 100 * kPoint}, {15 * kSecond, 200 * kPoint}, {30 * kSecond, 400 * kPoint}, {kMinute, 600 * kPoint}};
    case proto::Window::PRESET_OPEN:
      return {{0, 50 * kPoint},
              {5 * kSecond, 150 * kPoint},
              {15 * kSecond, 300 * kPoint},
              {30 * kSecond, kUnlimitedWindow}};
    default:
      return {};
  }
}

// The widest width that is a limit, and the field that says it.
MilliPoints WidestLimit(const std::string& field, const proto::Window& window, const WindowRules& rules,
                        std::string* source) {
  *source = field;
  if (rules.steps.empty()) {
    *source += window.linear().has_max() ? ".linear.max" : window.preset() != 0 ? ".preset" : " by default";
    return rules.max;
  }
  MilliPoints widest = 0;
  for (size_t i = 0; i < rules.steps.size(); ++i) {
    if (rules.steps[i].width == kUnlimitedWindow) break;
    widest = rules.steps[i].width;
    *source = window.preset() != 0 ? field + ".preset" : absl::StrCat(field, ".steps[", i, "].width");
  }
  return widest;
}

}  // namespace

WindowRules CheckWindow(const std::string& field, const proto::Window& window, Checks* checks) {
  WindowRules rules;
  const bool preset = window.preset() != proto::Window::PRESET_UNSPECIFIED;
  const bool steps = checks->IsGiven(field + ".steps");
  if (preset + steps + window.has_linear() > 1) {
    checks->Wrong(field, "has more than one of preset, linear and steps; only one may be given");
  }
  if (window.has_linear()) CheckLinear(field + ".linear", window.linear(), &rules, checks);
  if (preset) rules.steps = StepsOf(window.preset());
  if (steps) {
    rules.steps.clear();
    CheckSteps(field + ".steps", window, &rules, checks);
  }
  if (window.has_deviation_factor()) {
    rules.deviation_factor = checks->Points(field + ".deviation_factor", window.deviation_factor(), 0, 10);
  }
  return rules;
}

std::vector<RegionRules::Step> RegionStepsOf(const proto::Window& window) {
  if (window.preset() != proto::Window::PRESET_REGION_FIRST) return {};
  return {{.after = 0, .delta_ms = 30},
          {.after = 15 * kSecond, .delta_ms = 60},
          {.after = 30 * kSecond, .delta_ms = 100},
          {.after = kMinute, .delta_ms = 150}};
}

void CheckInstant(const std::string& field, const proto::Queue& queue, QueueRules* rules, Checks* checks) {
  if (!queue.instant()) return;
  const auto refuse = [&](bool given, const char* name) {
    if (given) checks->Wrong(field + "." + name, "does not go with instant, which takes anyone at once");
  };
  refuse(queue.has_window(), "window");
  refuse(queue.has_max_difference(), "max_difference");
  refuse(queue.has_tiers(), "tiers");
  refuse(queue.has_shelter(), "shelter");
  refuse(queue.has_streak(), "streak");
  refuse(queue.has_target_wait_p95(), "target_wait_p95");
  rules->window.steps = {{.after = 0, .width = kUnlimitedWindow}};
}

void CheckMaxDifference(const std::string& field, const proto::Queue& queue, QueueRules* rules, Checks* checks) {
  if (!queue.has_max_difference()) return;
  rules->max_difference = checks->Points(field + ".max_difference", queue.max_difference(), 0, kMaxDistancePoints);
  std::string source;
  const MilliPoints widest = WidestLimit(field + ".window", queue.window(), rules->window, &source);
  if (rules->max_difference < widest) {
    checks->Wrong(field + ".max_difference",
                  absl::StrCat("must not be below the window, which grows to ", PointsText(widest), " (", source, ")"));
  }
}

void CheckTargetWait(const std::string& field, const proto::Queue& queue, QueueRules* rules, Checks* checks) {
  if (!queue.has_target_wait_p95()) return;
  const std::string name = field + ".target_wait_p95";
  // It is meant in place of a window: whoever wants both gives both.
  if (!queue.has_window()) rules->window.steps = {{.after = 0, .width = kUnlimitedWindow}};
  rules->target_wait_p95 = checks->Duration(name, queue.target_wait_p95(), 0, Checks::kLongestWait);
  if (rules->target_wait_p95 <= rules->tick) {
    checks->Wrong(name, absl::StrCat("must be longer than the tick, ", DurationText(rules->tick)));
  }
  if (rules->target_wait_p95 > rules->default_timeout) {
    checks->Wrong(name,
                  absl::StrCat("must not be longer than default_timeout, ", DurationText(rules->default_timeout)));
  }
}

}  // namespace evenmatch
