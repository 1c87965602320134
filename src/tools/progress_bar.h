// ProgressBar: a line on stderr that says how far a long run is, and is gone when it is over.
//
// Shape:   shown in one write, over what it showed before, so that nothing flickers; cut to 78 columns, so that it
// never
//          wraps. A run that is over at once shows nothing.
// Threads: one.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <string>
#include <string_view>

#include "absl/strings/str_format.h"
#include "base/strings.h"

namespace evenmatch {

class ProgressBar {
 public:
  static constexpr std::chrono::milliseconds kEvery{200};  // how often it is worth showing

  explicit ProgressBar(bool on) : on_(on) {}
  ProgressBar(const ProgressBar&) = delete;
  ~ProgressBar() {
    if (shown_) Write("\r\033[K");
  }

  void Show(double share, std::string_view text) {
    if (!on_) return;
    constexpr int kWidth = 30;
    constexpr size_t kColumns = 78;
    const int done = std::clamp(static_cast<int>(share * kWidth), 0, kWidth);
    std::string line = absl::StrFormat("[%s%s] %3d %%  %s", std::string(static_cast<size_t>(done), '#'),
                                       std::string(static_cast<size_t>(kWidth - done), '.'),
                                       std::clamp(static_cast<int>(share * 100), 0, 100), ToAbsl(text));
    line.resize(std::min(line.size(), kColumns));
    Write("\r" + line + "\033[K");
    shown_ = true;
  }

 private:
  static void Write(const std::string& text) {
    std::fwrite(text.data(), 1, text.size(), stderr);
    std::fflush(stderr);
  }

  const bool on_;
  bool shown_ = false;
};

}  // namespace evenmatch
