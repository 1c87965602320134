#include "shard/affinities.h"

#include <utility>

namespace evenmatch {
namespace {

void AppendNumber(uint64_t number, std::string* text) {
  text->append(reinterpret_cast<const char*>(&number), sizeof(number));
}

void AppendText(std::string_view value, std::string* text) {
  AppendNumber(value.size(), text);
  text->append(value);
}

// Every value says its kind and length, so that different values never give the same text.
void AppendValue(const AttributeValue* value, std::string* text) {
  text->push_back(value == nullptr ? '-' : static_cast<char>('0' + value->index()));
  if (value == nullptr) return;
  if (const auto* word = std::get_if<std::string>(value)) {
    AppendText(*word, text);
  } else if (const auto* number = std::get_if<double>(value)) {
    const double canonical = *number == 0 ? 0.0 : *number;  // -0.0 equals 0.0
    text->append(reinterpret_cast<const char*>(&canonical), sizeof(canonical));
  } else {
    const auto& words = std::get<std::vector<std::string>>(*value);
    AppendNumber(words.size(), text);
    for (const std::string& word : words) AppendText(word, text);
  }
}

}  // namespace

uint32_t Affinities::Add(const Ticket& ticket) {
  if (required_.empty()) return 0;
  if (ticket.details == nullptr && none_ != kNoSlot) {
    ++values_[none_].tickets;
    return none_;
  }
  scratch_.clear();
  for (const std::string& key : required_) {
    const AttributeValue* value = nullptr;
    if (ticket.details != nullptr) {
      const auto found = ticket.details->attributes.find(key);
      if (found != ticket.details->attributes.end()) value = &found->second;
    }
    AppendValue(value, &scratch_);
  }
  const HashedText text(scratch_);
  uint32_t affinity = index_.Find(text);
  if (affinity == kNoSlot) {
    affinity = SlotOf(values_.Add({scratch_, 0}));
    index_.Insert(affinity, text);
  }
  if (ticket.details == nullptr) none_ = affinity;
  ++values_[affinity].tickets;
  return affinity;
}

void Affinities::Remove(uint32_t affinity) {
  if (required_.empty()) return;
  Values& values = values_[affinity];
  if (--values.tickets > 0) return;
  index_.Erase(affinity, HashedText(values.text));
  values_.Remove(affinity);
  if (affinity == none_) none_ = kNoSlot;
}

}  // namespace evenmatch
