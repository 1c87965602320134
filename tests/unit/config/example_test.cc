#include <fstream>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "config/config.h"
#include "evenmatch/config/v1/config.pb.h"
#include "gtest/gtest.h"

namespace evenmatch {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;

std::string Example() {
  std::ifstream file(EVENMATCH_SOURCE_DIR "/deploy/evenmatch.yaml");
  EXPECT_TRUE(file.good());
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

void CollectGiven(const Message& message, std::set<std::string>* given) {
  std::vector<const FieldDescriptor*> fields;
  message.GetReflection()->ListFields(message, &fields);
  for (const FieldDescriptor* field : fields) {
    given->insert(field->full_name());
    if (field->cpp_type() != FieldDescriptor::CPPTYPE_MESSAGE) continue;
    const int count = field->is_repeated() ? message.GetReflection()->FieldSize(message, field) : 1;
    for (int i = 0; i < count; ++i) {
      CollectGiven(field->is_repeated() ? message.GetReflection()->GetRepeatedMessage(message, field, i)
                                        : message.GetReflection()->GetMessage(message, field),
                   given);
    }
  }
}

void CollectAll(const google::protobuf::Descriptor& type, std::set<std::string>* all) {
  if (type.full_name() == "google.protobuf.Duration") return;
  for (int i = 0; i < type.field_count(); ++i) {
    if (!all->insert(type.field(i)->full_name()).second) continue;
    if (const auto* inner = type.field(i)->message_type()) CollectAll(*inner, all);
  }
}

TEST(Example, IsValid) {
  const ConfigResult result = ReadConfig(Example());
  for (const ConfigError& error : result.errors) ADD_FAILURE() << error.Text("deploy/evenmatch.yaml");
  EXPECT_GE(result.settings.catalog.queues.size(), 2u);
}

TEST(Example, ShowsEveryField) {
  const std::string text = Example();
  config::v1::Config config;
  Diagnosis diagnosis;
  ReadYaml(text, &config, &diagnosis);
  std::set<std::string> given, all;
  CollectGiven(config, &given);
  CollectAll(*config::v1::Config::descriptor(), &all);
  for (const std::string& field : all) {
    if (given.contains(field)) continue;
    // TLS stands in comments: its files are nowhere.
    const std::string name = field.substr(field.rfind('.') + 1);
    const bool of_tls = field.find(".Tls.") != std::string::npos || name == "tls";
    EXPECT_TRUE(of_tls && std::regex_search(text, std::regex("# +" + name + ":"))) << field;
  }
  EXPECT_GT(all.size(), 100u);
}

}  // namespace
}  // namespace evenmatch
