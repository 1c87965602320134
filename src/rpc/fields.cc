#include "rpc/fields.h"

#include <cmath>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "base/strings.h"
#include "base/text.h"

namespace evenmatch {
namespace {

MilliPoints ToMilliPoints(double points) { return static_cast<MilliPoints>(std::lround(points * kPoint)); }

}  // namespace

std::string Path::ToString() const {
  std::string text = parent != nullptr ? absl::StrCat(parent->ToString(), ".", name) : name;
  if (index >= 0) absl::StrAppend(&text, "[", index, "]");
  if (key != nullptr) absl::StrAppend(&text, "[", Quote(*key), "]");
  return text;
}

bool Fields::Fail(const Path& path, std::string_view what) {
  field_ = path.ToString();
  status_ = absl::InvalidArgumentError(absl::StrCat(field_, ": ", ToAbsl(what)));
  return false;
}

bool Fields::FailLimit(const Path& path, std::string_view what, size_t limit) {
  return Fail(path, absl::StrFormat("at most %d %s", limit, what));
}

bool Fields::FailNotFound(const Path& path, std::string_view what) {
  field_ = path.ToString();
  status_ = absl::NotFoundError(absl::StrCat(field_, ": ", ToAbsl(what)));
  return false;
}

bool Fields::Text(const std::string& text, const Path& path, size_t max_bytes) {
  if (text.size() > max_bytes) return FailLimit(path, "bytes", max_bytes);
  return IsUtf8(text) || Fail(path, absl::StrCat("not UTF-8: ", Quote(text)));
}

bool Fields::Label(const std::string& text, const Path& path, size_t max_bytes) {
  if (text.size() > max_bytes) return FailLimit(path, "bytes", max_bytes);
  switch (FindTextFault(text)) {
    case TextFault::kNone:
      return true;
    case TextFault::kMalformed:
      return Fail(path, absl::StrCat("not UTF-8: ", Quote(text)));
    case TextFault::kControl:
      return Fail(path, absl::StrCat("has a control character: ", Quote(text)));
  }
  return false;
}

bool Fields::Id(const std::string& text, const Path& path, size_t max_bytes) {
  if (text.empty()) return Fail(path, "must not be empty");
  return Label(text, path, max_bytes);
}

bool Fields::Span(const google::protobuf::Duration& span, const Path& path, Micros min, Micros max, Micros* micros) {
  if (span.nanos() <= -1'000'000'000 || span.nanos() >= 1'000'000'000 || (span.seconds() > 0 && span.nanos() < 0) ||
      (span.seconds() < 0 && span.nanos() > 0)) {
    return Fail(path, "not a valid Duration");
  }
  if (span.seconds() < 0 || (span.seconds() == 0 && span.nanos() <= 0)) return Fail(path, "must be more than zero");
  // Compared before it is multiplied: seconds come from outside and may be anything.
  if (span.seconds() <= max / kSecond) {
    *micros = span.seconds() * kSecond + (span.nanos() + 999) / 1000;
    if (*micros < min) return Fail(path, absl::StrFormat("at least %g s", static_cast<double>(min) / kSecond));
    if (*micros <= max) return true;
  }
  return Fail(path, absl::StrFormat("at most %g s", static_cast<double>(max) / kSecond));
}

bool Fields::Rating(double points, const Path& path, MilliPoints* value) {
  const double limit = limits_.rating / kPoint;
  if (!(points >= -limit && points <= limit)) {  // NaN is neither
    return Fail(path, absl::StrFormat("%s is not from %g to %g", ShowNumber(points), -limit, limit));
  }
  *value = ToMilliPoints(points);
  return true;
}

bool Fields::Deviation(double points, const Path& path, MilliPoints* deviation) {
  const double limit = limits_.deviation / kPoint;
  if (!(points >= 0 && points <= limit))
    return Fail(path, absl::StrFormat("%s is not from 0 to %g", ShowNumber(points), limit));
  *deviation = ToMilliPoints(points);
  return true;
}

}  // namespace evenmatch
