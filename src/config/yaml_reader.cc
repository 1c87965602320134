#include "config/yaml_reader.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <optional>
#include <sstream>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/time/time.h"
#include "base/check.h"
#include "base/strings.h"
#include "base/text.h"
#include "google/protobuf/descriptor.h"
#include "google/protobuf/duration.pb.h"
#include "yaml-cpp/eventhandler.h"
#include "yaml-cpp/yaml.h"

namespace evenmatch {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;

size_t EditDistance(std::string_view a, std::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (size_t i = 0; i < a.size(); ++i) {
    size_t diagonal = std::exchange(row[0], i + 1);
    for (size_t j = 0; j < b.size(); ++j) {
      const size_t replaced = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, row[j] + 1, row[j + 1] + 1});
    }
  }
  return row[b.size()];
}

// The field that was probably meant; null when none is near.
const FieldDescriptor* Nearest(const Descriptor& type, std::string_view name) {
  constexpr size_t kLongestName = 64;
  if (name.size() > kLongestName) return nullptr;
  const FieldDescriptor* nearest = nullptr;
  size_t best = std::max<size_t>(2, name.size() / 3) + 1;
  for (int i = 0; i < type.field_count(); ++i) {
    const size_t distance = EditDistance(name, type.field(i)->name());
    if (distance < best) {
      best = distance;
      nearest = type.field(i);
    }
  }
  return nearest;
}

std::string Join(const std::string& path, const std::string& name) {
  return path.empty() ? name : absl::StrCat(path, ".", name);
}

template <typename Number>
std::optional<Number> ParseNumber(std::string_view text) {
  Number number;
  if (!text.empty() && text.front() == '+') text.remove_prefix(1);
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

bool LooksLikeInteger(std::string_view text) {
  if (!text.empty() && (text.front() == '-' || text.front() == '+')) text.remove_prefix(1);
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

// What a field belongs to: "a.b[2].c" -> "a.b[2]" -> "a.b" -> "a" -> "".
std::string_view Owner(std::string_view field) {
  const size_t cut = field.find_last_of(".[");
  return cut == std::string_view::npos ? std::string_view() : field.substr(0, cut);
}

class Reader {
 public:
  explicit Reader(Diagnosis* diagnosis) : diagnosis_(*diagnosis) {}

  void ReadMessage(const YAML::Node& node, const std::string& path, Message* message) {
    if (!Visit(node, path)) return;
    if (!node.IsMap()) return Wrong(node, path, "must be a mapping of fields");
    const Descriptor& type = *message->GetDescriptor();
    std::set<std::string> seen;
    for (const auto& entry : node) {
      const YAML::Node& key = entry.first;
      if (!key.IsScalar()) {
        Wrong(key, path, "the name of a field must be a plain text");
        continue;
      }
      const std::string& name = key.Scalar();
      const FieldDescriptor* field = type.FindFieldByName(name);
      if (field == nullptr) {
        Unknown(key, path, type);
        continue;
      }
      const std::string field_path = Join(path, name);
      if (!seen.insert(name).second) {
        diagnosis_.Add(LineOf(key), field_path,
                       absl::StrCat("is given twice; first on line ", diagnosis_.LineOf(field_path)));
        continue;
      }
      // The line of the name, not of the value: that is where people look.
      diagnosis_.SetLine(field_path, LineOf(key));
      ReadField(entry.second, field_path, *field, message);
      if (exhausted_) return;
    }
  }

 private:
  static int LineOf(const YAML::Node& node) { return node.Mark().is_null() ? 0 : node.Mark().line + 1; }

  void Wrong(const YAML::Node& node, const std::string& path, std::string what) {
    diagnosis_.Add(LineOf(node), path, std::move(what));
  }

  // Aliases let a short text stand for a huge one, so what counts is the visits, not the bytes.
  bool Visit(const YAML::Node& node, const std::string& path) {
    if (exhausted_) return false;
    if (++visited_ > kMaxYamlNodes) {
      exhausted_ = true;
      Wrong(node, path, absl::StrCat("the file has more than ", kMaxYamlNodes, " values"));
      return false;
    }
    if (node.IsNull()) {
      Wrong(node, path, "has no value; leave the field out to get its default");
      return false;
    }
    // "?" and "!" are how the library marks plain and quoted texts.
    if (!node.Tag().empty() && node.Tag() != "?" && node.Tag() != "!") {
      Wrong(node, path, absl::StrCat("has the tag ", Quote(node.Tag()), "; tags are not used here"));
      return false;
    }
    return true;
  }

  void Unknown(const YAML::Node& key, const std::string& path, const Descriptor& type) {
    std::string what;
    if (const FieldDescriptor* meant = Nearest(type, key.Scalar())) {
      what = absl::StrCat("unknown field; did you mean ", Quote(meant->name()), "?");
      diagnosis_.MarkKnown(Join(path, meant->name()));
    } else {
      std::vector<std::string> names;
      for (int i = 0; i < type.field_count(); ++i) names.push_back(type.field(i)->name());
      what = absl::StrCat("unknown field; there are ", absl::StrJoin(names, ", "));
    }
    const std::string quoted = Quote(key.Scalar());
    Wrong(key, Join(path, quoted.substr(1, quoted.rfind('"') - 1)), std::move(what));
  }

  void ReadField(const YAML::Node& node, const std::string& path, const FieldDescriptor& field, Message* message) {
    if (!field.is_repeated()) return ReadValue(node, path, field, message);
    if (!Visit(node, path)) return;
    if (!node.IsSequence()) return Wrong(node, path, "must be a list");
    size_t index = 0;
    for (const YAML::Node& element : node) {
      const std::string element_path = absl::StrCat(path, "[", index++, "]");
      diagnosis_.SetLine(element_path, LineOf(element));
      ReadValue(element, element_path, field, message);
      if (exhausted_) return;
    }
  }

  // Sets the field, or adds an element to it; also when the value is wrong, so that elements keep their numbers.
  void ReadValue(const YAML::Node& node, const std::string& path, const FieldDescriptor& field, Message* message) {
    const Reflection& reflection = *message->GetReflection();
    const bool add = field.is_repeated();
    if (field.cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE) {
      Message* child = add ? reflection.AddMessage(message, &field) : reflection.MutableMessage(message, &field);
      if (auto* duration = dynamic_cast<google::protobuf::Duration*>(child)) {
        ReadDuration(node, path, duration);
      } else {
        ReadMessage(node, path, child);
      }
      return;
    }
    const std::optional<std::string> text = ReadScalar(node, path, field);
    switch (field.cpp_type()) {
      case FieldDescriptor::CPPTYPE_STRING:
        if (add) {
          reflection.AddString(message, &field, text.value_or(""));
        } else if (text.has_value()) {
          reflection.SetString(message, &field, *text);
        }
        return;
      case FieldDescriptor::CPPTYPE_ENUM:
        CHECK(!add);
        return ReadEnum(node, path, text, field, message);
      case FieldDescriptor::CPPTYPE_BOOL:
        CHECK(!add);
        if (!text.has_value()) return;
        if (*text != "true" && *text != "false") return Wrong(node, path, Not(*text, "true or false"));
        return reflection.SetBool(message, &field, *text == "true");
      case FieldDescriptor::CPPTYPE_INT32: {
        const auto number = ReadInteger<int32_t>(node, path, text);
        if (add) {
          reflection.AddInt32(message, &field, number.value_or(0));
        } else if (number.has_value()) {
          reflection.SetInt32(message, &field, *number);
        }
        return;
      }
      case FieldDescriptor::CPPTYPE_UINT64:
        CHECK(!add);
        if (const auto number = ReadInteger<uint64_t>(node, path, text)) reflection.SetUInt64(message, &field, *number);
        return;
      case FieldDescriptor::CPPTYPE_DOUBLE: {
        std::optional<double> number = text.has_value() ? ParseNumber<double>(*text) : std::nullopt;
        if (number.has_value() && !std::isfinite(*number)) number.reset();
        if (text.has_value() && !number.has_value()) Wrong(node, path, Not(*text, "a number"));
        if (add) {
          reflection.AddDouble(message, &field, number.value_or(0));
        } else if (number.has_value()) {
          reflection.SetDouble(message, &field, *number);
        }
        return;
      }
      default:
        CHECK(!"the schema has a type that the reader does not know");
    }
  }

  static std::string Not(std::string_view text, std::string_view wanted) {
    return absl::StrCat("must be ", ToAbsl(wanted), ", not ", Quote(text));
  }

  std::optional<std::string> ReadScalar(const YAML::Node& node, const std::string& path, const FieldDescriptor& field) {
    if (!Visit(node, path)) return std::nullopt;
    const bool is_text =
        field.cpp_type() == FieldDescriptor::CPPTYPE_STRING || field.cpp_type() == FieldDescriptor::CPPTYPE_ENUM;
    if (!node.IsScalar()) {
      Wrong(node, path,
            absl::StrCat("must be ", is_text ? "a text" : "a single value", ", not a ",
                         node.IsMap() ? "mapping" : "list"));
      return std::nullopt;
    }
    if (!is_text && node.Tag() == "!") {
      Wrong(node, path, absl::StrCat("must not be in quotes: ", Quote(node.Scalar())));
      return std::nullopt;
    }
    return node.Scalar();
  }

  template <typename Integer>
  std::optional<Integer> ReadInteger(const YAML::Node& node, const std::string& path,
                                     const std::optional<std::string>& text) {
    if (!text.has_value()) return std::nullopt;
    const std::optional<Integer> number = ParseNumber<Integer>(*text);
    if (!number.has_value()) {
      const bool out_of_range = LooksLikeInteger(*text);
      Wrong(node, path, out_of_range ? absl::StrCat("is out of range: ", Quote(*text)) : Not(*text, "a whole number"));
    }
    return number;
  }

  // WAIT_BASIS_STRICTEST of an enum whose first value is WAIT_BASIS_UNSPECIFIED is written "strictest".
  void ReadEnum(const YAML::Node& node, const std::string& path, const std::optional<std::string>& text,
                const FieldDescriptor& field, Message* message) {
    if (!text.has_value()) return;
    const google::protobuf::EnumDescriptor& type = *field.enum_type();
    const size_t prefix = type.value(0)->name().size() - std::string_view("UNSPECIFIED").size();
    std::vector<std::string> words;
    for (int i = 1; i < type.value_count(); ++i) {
      words.push_back(absl::AsciiStrToLower(type.value(i)->name().substr(prefix)));
      if (words.back() == *text) return message->GetReflection()->SetEnum(message, &field, type.value(i));
    }
    Wrong(node, path, Not(*text, absl::StrCat("one of ", absl::StrJoin(words, ", "))));
  }

  void ReadDuration(const YAML::Node& node, const std::string& path, google::protobuf::Duration* duration) {
    if (!Visit(node, path)) return;
    if (!node.IsScalar()) return Wrong(node, path, R"(must be a duration like "100ms", "90s" or "1h")");
    const std::string& text = node.Scalar();
    absl::Duration parsed;
    if (!absl::ParseDuration(text, &parsed)) {
      return Wrong(node, path, Not(text, R"(a duration with its unit, like "100ms", "90s" or "1h")"));
    }
    // The range of a Duration message; it also refuses "inf".
    if (parsed > absl::Hours(24 * 3660'000) || parsed < -absl::Hours(24 * 3660'000)) {
      return Wrong(node, path, absl::StrCat("is out of range: ", Quote(text)));
    }
    absl::Duration rest;
    duration->set_seconds(absl::IDivDuration(parsed, absl::Seconds(1), &rest));
    duration->set_nanos(static_cast<int32_t>(absl::ToInt64Nanoseconds(rest)));
    if (duration->nanos() % 1000 != 0) Wrong(node, path, Not(text, "a whole number of microseconds"));
  }

  Diagnosis& diagnosis_;
  size_t visited_ = 0;
  bool exhausted_ = false;
};

// Where a second document begins, if one does; throws what the parser throws. LoadAll cannot tell: on some broken texts
// the library's parser stands still and hands out empty documents for ever.
std::optional<int> LineOfSecondDocument(const std::string& yaml) {
  struct LineOfStart final : YAML::EventHandler {
    void OnDocumentStart(const YAML::Mark& mark) override { line = mark.line + 1; }
    void OnDocumentEnd() override {}
    void OnNull(const YAML::Mark&, YAML::anchor_t) override {}
    void OnAlias(const YAML::Mark&, YAML::anchor_t) override {}
    void OnScalar(const YAML::Mark&, const std::string&, YAML::anchor_t, const std::string&) override {}
    void OnSequenceStart(const YAML::Mark&, const std::string&, YAML::anchor_t, YAML::EmitterStyle::value) override {}
    void OnSequenceEnd() override {}
    void OnMapStart(const YAML::Mark&, const std::string&, YAML::anchor_t, YAML::EmitterStyle::value) override {}
    void OnMapEnd() override {}
    int line = 0;
  };
  std::istringstream stream(yaml);
  YAML::Parser parser(stream);
  LineOfStart events;
  if (parser.HandleNextDocument(events) && parser.HandleNextDocument(events)) return events.line;
  return std::nullopt;
}

}  // namespace

std::string ConfigError::Text(std::string_view file) const {
  std::string text(file);
  if (line > 0) absl::StrAppend(&text, ":", line);
  if (!field.empty()) absl::StrAppend(&text, ": ", field);
  return absl::StrCat(text, ": ", what);
}

int Diagnosis::LineOf(std::string_view field) const {
  while (!field.empty()) {
    if (const auto found = lines_.find(field); found != lines_.end()) return found->second;
    field = Owner(field);
  }
  return 0;
}

void Diagnosis::Add(int line, std::string field, std::string what) {
  wrong_.insert(field);
  errors_.push_back({line, std::move(field), std::move(what)});
}

void Diagnosis::AddUnlessKnown(std::string field, std::string what) {
  if (wrong_.contains("")) return;
  for (std::string_view part = field; !part.empty(); part = Owner(part)) {
    if (wrong_.contains(part)) return;
  }
  const int line = LineOf(field);
  Add(line, std::move(field), std::move(what));
}

bool Diagnosis::IsWrongInside(const std::string& field) const {
  const auto starts_with_field = [&](char next) {
    const std::string prefix = field + next;
    const auto found = wrong_.lower_bound(prefix);
    return found != wrong_.end() && found->starts_with(prefix);
  };
  return starts_with_field('.') || starts_with_field('[');
}

std::vector<ConfigError> Diagnosis::Take() {
  std::stable_sort(errors_.begin(), errors_.end(),
                   [](const ConfigError& a, const ConfigError& b) { return a.line < b.line; });
  return std::move(errors_);
}

void ReadYaml(std::string_view yaml, Message* message, Diagnosis* diagnosis) {
  if (yaml.size() > kMaxYamlBytes) {
    return diagnosis->Add(0, "", absl::StrCat("has ", yaml.size(), " bytes; at most ", kMaxYamlBytes, " are read"));
  }
  try {
    const std::string text(yaml);
    if (const std::optional<int> line = LineOfSecondDocument(text)) {
      return diagnosis->Add(*line, "", "a second document begins; there must be only one");
    }
    const YAML::Node document = YAML::Load(text);
    if (document.IsNull()) return diagnosis->Add(0, "", "is empty");
    Reader(diagnosis).ReadMessage(document, "", message);
  } catch (const YAML::Exception& error) {
    diagnosis->Add(error.mark.is_null() ? 0 : error.mark.line + 1, "",
                   absl::StrCat("is not valid YAML: ", error.msg, " (column ", error.mark.column + 1, ")"));
  } catch (const std::exception& error) {
    diagnosis->Add(0, "", absl::StrCat("cannot be read as YAML: ", error.what()));
  }
}

}  // namespace evenmatch
