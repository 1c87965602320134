#include "rating/normal.h"

#include <cmath>

namespace evenmatch {
namespace {

void ExpectRelative(double is, double must, double precision) {
  EXPECT_NEAR(is, must, precision * std::max(std::abs(must), 1e-300)) << is << " instead of " << must;
}

// All values below were computed with sixty digits and more.
TEST(NormalTest, ScaledErfcKeepsItsDigitsWhereErfcIsNothing) {
  const struct {
    double x, value;
  } kKnown[] = {{0, 1},
                {1, 0.427583576155807},
                {4.9, 0.11287909055975876},
                {5, 0.11070463773306863},
                {5.1, 0.10861102631393279},
                {10, 0.056140992743822586},
                {30, 0.018795888861416751},
                {1e6, 5.6418958354747419e-7}};
  for (const auto& known : kKnown) ExpectRelative(ScaledErfc(known.x), known.value, 1e-14);
}

TEST(NormalTest, QuantilesReachTheFarTail) {
  const struct {
    double p, x;
  } kKnown[] = {{0.5, 0},
                {0.45, 0.12566134685507403},
                {0.25, 0.67448975019608174},
                {0.0005, 3.2905267314918948},
                {1e-9, 5.9978070150076869},
                {1e-17, 8.4937932241095981}};
  for (const auto& known : kKnown) ExpectRelative(NormalQuantileOfUpperTail(known.p), known.x, 1e-13);
}

TEST(NormalTest, AWinIsExactFromCertaintyToTheImpossible) {
  const struct {
    double u, v, beyond, w;  // beyond = v + u
  } kKnown[] = {{5.0, 1.4867199409049057e-6, 5.0000014867199409, 7.4336019148607112e-6},
                {0.5, 0.50916043383703349, 1.0091604338370335, 0.5138245643036329},
                {0.0, 0.79788456080286536, 0.79788456080286536, 0.63661977236758134},
                {-1.0, 1.5251352761609812, 0.52513527616098121, 0.80090233442965121},
                {-4.9, 5.0898286001298833, 0.18982860012988329, 0.96619503806369925},
                {-5.1, 5.2832876169091574, 0.18328761690915736, 0.96836119674894059},
                {-10.0, 10.098093233962512, 0.098093233962511963, 0.99055462217434374},
                {-29.0, 29.034401237736326, 0.034401237736325563, 0.99881933951123252},
                {-37.4, 37.426699872897796, 0.026699872897795652, 0.99928812959031584},
                {-38.0, 38.026279466575869, 0.026279466575868988, 0.99931034024653374},
                {-49.9, 49.920024016001275, 0.020024016001275378, 0.99959935968046071},
                {-50.1, 50.119944207046456, 0.019944207046455546, 0.99960254442213474},
                {-100.0, 100.00999800099926, 0.0099980009992607052, 0.99990005995005174},
                {-1e4, 10000.000099999998, 9.9999998e-5, 0.9999999900000006},
                {-1e8, 100000000.00000001, 9.999999999999998e-9, 0.9999999999999999}};
  for (const auto& known : kKnown) {
    SCOPED_TRACE(known.u);
    const Truncation cut = TruncateWin(known.u);
    ExpectRelative(cut.v, known.v, 1e-14);
    ExpectRelative(cut.w, known.w, 1e-11);
    EXPECT_LE(cut.w, 1);
  }
}

TEST(NormalTest, ADrawIsExactForNarrowMarginsAndFarFromTheMiddle) {
  const struct {
    double t, margin, v, w;
  } kKnown[] = {{0, 0.7, 0.0, 0.84708125517918836},
                {0.3, 0.7, -0.25424302749227672, 0.84826480233979501},
                {-0.3, 0.7, 0.25424302749227672, 0.84826480233979501},
                {2, 0.1, -1.9933598610891454, 0.99669750686177745},
                {3, 2, -1.525128660943642, 0.8009262545758446},
                {-5, 0.1, 4.9836258519367046, 0.99683078991778516},
                {0.5, 1e-9, -0.5, 1.0},
                {20, 1e-9, -20.0, 1.0},
                {-30, 0.3, 29.733594112368991, 0.99887397345010877},
                {-30, 1, 29.034401237736326, 0.99881933951123252},
                {60, 0.2, -59.816713068588767, 0.99972082917316849},
                {1000, 1e-6, -999.99999999966667, 0.99999999999966667},
                {-1000, 0.02, 999.98100001800029, 0.99999899996599923},
                {1e4, 1e-3, -9999.9991000000039, 0.99999999000000684},
                {0.1, 6, -7.6978793992084937e-9, 8.5232099530633733e-8},
                {5, 5, -0.79788456080286536, 0.63661977236758134},
                {6, 8, -0.055247862678989959, 0.11354805168857645},
                {1e6, 0.1, -999999.900001, 0.999999999999},
                {1e8, 1e3, -99999000.00000001, 1.0}};
  for (const auto& known : kKnown) {
    SCOPED_TRACE(testing::Message() << known.t << " within " << known.margin);
    const Truncation cut = TruncateDraw(known.t, known.margin);
    EXPECT_NEAR(cut.v, known.v, 1e-13 * (1 + std::abs(known.v)));
    EXPECT_NEAR(cut.w, known.w, 1e-12);
    EXPECT_LE(cut.w, 1);
  }
}

// Across every switch from one form to another: no jump, mirrored in t, 0 <= w <= 1.
TEST(NormalTest, FormsMeetWhereTheyChange) {
  for (const double margin : {1e-12, 1e-6, 0.01, 0.3, 1.0, 3.0, 10.0, 100.0}) {
    Truncation last;
    bool first = true;
    for (double t = 0; t < 3 * margin + 120; t += 0.01) {
      const Truncation cut = TruncateDraw(t, margin);
      const Truncation mirrored = TruncateDraw(-t, margin);
      ASSERT_EQ(cut.v, -mirrored.v);
      ASSERT_EQ(cut.w, mirrored.w);
      ASSERT_TRUE(cut.w >= 0 && cut.w <= 1) << t;
      // dv / dt = -w (Herbrich, Minka, Graepel): the mean rule over a small step.
      if (!first) {
        ASSERT_NEAR(last.v - cut.v, 0.005 * (last.w + cut.w), 1e-6) << t << " within " << margin;
      }
      first = false;
      last = cut;
    }
  }
  Truncation last = TruncateWin(-120);
  for (double u = -119.99; u < 12; u += 0.01) {
    const Truncation cut = TruncateWin(u);
    ASSERT_NEAR(last.v - cut.v, 0.005 * (last.w + cut.w), 1e-6) << u;
    last = cut;
  }
}

}  // namespace
}  // namespace evenmatch
