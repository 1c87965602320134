#include "rating/normal.h"

#include <algorithm>
#include <cmath>

namespace evenmatch {
namespace {

constexpr double kSqrt2 = 1.41421356237309504880;
constexpr double kSqrtPi = 1.77245385090551602730;
constexpr double kSqrt2OverPi = 0.79788456080286535588;
constexpr double kInverseSqrt2Pi = 0.39894228040143267794;

// Gauss-Legendre on [-1, 1], 20 points, the positive half (Abramowitz and Stegun, table 25.4).
constexpr int kHalf = 10;
constexpr double kNode[kHalf] = {0.076526521133497333754640409399, 0.227785851141645078080496195369,
                                 0.373706088715419560672548177025, 0.510867001950827098004364050955,
                                 0.636053680726515025452836696226, 0.746331906460150792614305070356,
                                 0.839116971822218823394529061702, 0.912234428251325905867752441203,
                                 0.963971927277913791267666131197, 0.993128599185094924786122388471};
constexpr double kWeight[kHalf] = {0.152753387130725850698084331955, 0.149172986472603746787828737002,
                                   0.142096109318382051329298325067, 0.131688638449176626898494499748,
                                   0.118194531961518417312377377711, 0.101930119817240435036750135480,
                                   0.083276741576704748724758143222, 0.062672048334109063569506535187,
                                   0.040601429800386941331039952275, 0.017614007139152118311861962352};
// Within this range of the exponent the rule is exact to the last digits.
constexpr double kPanel = 8;

// Moments of y on [0, width] under exp(-slope y - y^2 / 2): the normal density beside the point `slope`.
struct Moments {
  double mean;
  double variance;
};

Moments Integrate(double slope, double width) {
  const double range = width * (slope + width / 2);
  const int panels = 1 + static_cast<int>(range / kPanel);
  const double half = width / panels / 2;
  double m0 = 0, m1 = 0;
  const auto each = [&](auto&& act) {
    for (int panel = 0; panel < panels; ++panel) {
      const double middle = (2 * panel + 1) * half;
      for (int i = 0; i < kHalf; ++i) {
        for (const double y : {middle - half * kNode[i], middle + half * kNode[i]}) {
          act(y, kWeight[i] * std::exp(-y * (slope + y / 2)));
        }
      }
    }
  };
  each([&](double y, double weight) {
    m0 += weight;
    m1 += weight * y;
  });
  const double mean = m1 / m0;
  double m2 = 0;
  each([&](double y, double weight) { m2 += weight * (y - mean) * (y - mean); });
  return {mean, m2 / m0};
}

}  // namespace

double NormalDensity(double x) { return kInverseSqrt2Pi * std::exp(-x * x / 2); }

double NormalBelow(double x) { return std::erfc(-x / kSqrt2) / 2; }

double NormalQuantileOfUpperTail(double p) {
  if (p >= 0.5) return 0;
  // A start good to 4.5e-4 (Abramowitz and Stegun 26.2.23), then Halley's steps on the logarithm's scale of the tail.
  const double t = std::sqrt(-2 * std::log(p));
  double x = t - (2.515517 + t * (0.802853 + t * 0.010328)) / (1 + t * (1.432788 + t * (0.189269 + t * 0.001308)));
  for (int step = 0; step < 3; ++step) {
    const double error = (NormalBelow(-x) - p) / NormalDensity(x);
    x += error / (1 - x * error / 2);
  }
  return x;
}

double ScaledErfc(double x) {
  if (x < 5) return std::exp(x * x) * std::erfc(x);
  // 1 / (x + (1/2) / (x + 1 / (x + (3/2) / (x + ...)))) / sqrt(pi); from 5 on forty terms are plenty.
  double rest = x;
  for (int k = 40; k > 0; --k) rest = x + k / 2.0 / rest;
  return 1 / (kSqrtPi * rest);
}

Truncation TruncateWin(double u) {
  if (u > 0) {
    const double v = NormalDensity(u) / NormalBelow(u);
    return {v, v * (v + u)};
  }
  if (u > -50) {
    const double v = kSqrt2OverPi / ScaledErfc(-u / kSqrt2);
    return {v, v * (v + u)};
  }
  // v + u would lose its digits to subtraction.
  const double x = 1 / (u * u);
  const double rest = (1 - x * (2 - x * (10 - x * (74 - x * 706)))) / -u;
  const double v = rest - u;
  return {v, std::min(1.0, v * rest)};
}

Truncation TruncateDraw(double t, double margin) {
  const double distance = std::abs(t);
  const double low = distance - margin;
  const double high = distance + margin;
  // By symmetry as if t were negative: z lies in [low, high].
  Truncation cut;
  const double drop = 2 * distance * margin;  // of the exponent, from end to end
  if (low > 0 && drop > 40) {
    cut = TruncateWin(-low);  // the far end is out of sight
  } else if (low > 0 || margin * high <= 4) {
    const Moments moments = Integrate(low, 2 * margin);
    cut = {low + moments.mean, 1 - moments.variance};
  } else {
    const double mass = (std::erf(high / kSqrt2) - std::erf(low / kSqrt2)) / 2;
    const double v = NormalDensity(low) * -std::expm1(-drop) / mass;
    cut = {v, v * v + (high * NormalDensity(high) - low * NormalDensity(low)) / mass};
  }
  cut.w = std::clamp(cut.w, 0.0, 1.0);
  if (t >= 0) cut.v = t == 0 ? 0 : -cut.v;
  return cut;
}

}  // namespace evenmatch
