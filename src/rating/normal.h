// Normal: the standard normal distribution, and what remains of one that is cut off, to full precision in the far
// tails.
//
// Shape:   pure functions. A variable z ~ N(0, 1) known to lie above -u (a win), or within `margin` of -t (a draw), has
//          mean v and variance 1 - w.
//          In the tail everything comes from erfcx(x) = exp(x^2) erfc(x), which does not underflow, and narrow or
//          remote intervals are integrated, where differences of the closed form would lose all digits. So 0 <= w <= 1
//          and v is finite for every finite argument; the usual fall-back v = -t, w = 1 is off by 1 / |t| and divides
//          by 0 later.
// Errors:  none. Precision: about 1e-13 relative.
// Threads: pure functions.
// Source:  Herbrich, Minka, Graepel, TrueSkill (NIPS 2006), eq. for V and W below Table 1; erfcx by the continued
//          fraction of Abramowitz and Stegun 7.1.14; the tail series from 26.2.12.
#pragma once

namespace evenmatch {

double NormalDensity(double x);
double NormalBelow(double x);                // P(z < x)
double NormalQuantileOfUpperTail(double p);  // x with P(z > x) = p, 0 < p <= 1/2

// exp(x^2) erfc(x) for x >= 0.
double ScaledErfc(double x);

struct Truncation {
  double v = 0;  // the shift of the mean
  double w = 0;  // what the variance loses
};

Truncation TruncateWin(double u);                  // u = (difference - margin) / deviation
Truncation TruncateDraw(double t, double margin);  // both in deviations; margin > 0

}  // namespace evenmatch
