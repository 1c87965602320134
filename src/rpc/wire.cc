#include "rpc/wire.h"

#include <map>

#include "absl/strings/str_cat.h"
#include "base/text.h"
#include "google/protobuf/unknown_field_set.h"

namespace evenmatch {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;
using google::protobuf::UnknownField;
using google::protobuf::UnknownFieldSet;

bool Read(std::string_view bytes, UnknownFieldSet* fields) {
  return fields->ParseFromArray(bytes.data(), static_cast<int>(bytes.size()));
}

// Prepends to `path` from the inside out. Types of requests do not contain themselves, so the depth is bounded.
bool FindIn(std::string_view bytes, const Descriptor& type, std::string* path) {
  UnknownFieldSet fields;
  if (!Read(bytes, &fields)) return false;
  std::map<int, int> seen;
  for (int i = 0; i < fields.field_count(); ++i) {
    const UnknownField& field = fields.field(i);
    const FieldDescriptor* known = type.FindFieldByNumber(field.number());
    if (known == nullptr || field.type() != UnknownField::TYPE_LENGTH_DELIMITED) continue;
    const int index = seen[field.number()]++;
    std::string inner;
    if (known->type() == FieldDescriptor::TYPE_STRING) {
      if (IsUtf8(field.length_delimited())) continue;
    } else if (known->type() != FieldDescriptor::TYPE_MESSAGE ||
               !FindIn(field.length_delimited(), *known->message_type(), &inner)) {
      continue;
    }
    *path = known->name();
    // The entry of a map has no name of its own: its key may be what is wrong.
    if (known->is_map()) return true;
    if (known->is_repeated()) absl::StrAppend(path, "[", index, "]");
    if (!inner.empty()) absl::StrAppend(path, ".", inner);
    return true;
  }
  return false;
}

}  // namespace

std::optional<std::string> FindBadText(std::string_view bytes, const Descriptor& type) {
  std::string path;
  if (!FindIn(bytes, type, &path)) return std::nullopt;
  return path;
}

bool SalvageSession(std::string_view bytes, v1::SessionRequest* request, std::vector<BadCommand>* bad) {
  request->Clear();
  UnknownFieldSet fields;
  if (!Read(bytes, &fields)) return false;
  for (int i = 0; i < fields.field_count(); ++i) {
    const UnknownField& field = fields.field(i);
    if (field.type() != UnknownField::TYPE_LENGTH_DELIMITED) continue;
    if (field.number() == v1::SessionRequest::kSessionIdFieldNumber) {
      if (!IsUtf8(field.length_delimited())) return false;
      request->set_session_id(field.length_delimited());
    }
    if (field.number() != v1::SessionRequest::kCommandsFieldNumber) continue;
    const std::string& command = field.length_delimited();
    if (request->add_commands()->ParseFromString(command)) continue;
    request->mutable_commands()->RemoveLast();

    BadCommand& fault = bad->emplace_back();
    UnknownFieldSet parts;
    if (!Read(command, &parts)) continue;
    for (int k = 0; k < parts.field_count(); ++k) {
      if (parts.field(k).number() == v1::SessionCommand::kRequestFieldNumber &&
          parts.field(k).type() == UnknownField::TYPE_VARINT) {
        fault.request = parts.field(k).varint();
      }
    }
    // Paths begin below the command, as in the unary calls.
    const std::optional<std::string> path = FindBadText(command, *v1::SessionCommand::descriptor());
    if (path.has_value()) fault.field = path->substr(path->find('.') + 1);
  }
  return true;
}

}  // namespace evenmatch
