// Certificates made for a test, in a folder of their own.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <string>

#include "openssl/evp.h"
#include "openssl/pem.h"
#include "openssl/x509.h"
#include "openssl/x509v3.h"

namespace evenmatch {

// A key and a certificate for "localhost", signed by itself or by another.
class TestIdentity {
 public:
  explicit TestIdentity(const std::string& name, const TestIdentity* issuer = nullptr) {
    key_ = EVP_EC_gen("P-256");
    certificate_ = X509_new();
    X509_set_version(certificate_, 2);
    static int serial = 1;
    ASN1_INTEGER_set(X509_get_serialNumber(certificate_), serial++);
    X509_gmtime_adj(X509_getm_notBefore(certificate_), -3600);
    X509_gmtime_adj(X509_getm_notAfter(certificate_), 3600);
    X509_set_pubkey(certificate_, key_);
    X509_NAME* subject = X509_get_subject_name(certificate_);
    X509_NAME_add_entry_by_txt(subject, "CN", MBSTRING_ASC, reinterpret_cast<const unsigned char*>(name.c_str()), -1,
                               -1, 0);
    X509_set_issuer_name(certificate_, issuer != nullptr ? X509_get_subject_name(issuer->certificate_) : subject);
    AddExtension(NID_subject_alt_name, "DNS:localhost");
    AddExtension(NID_basic_constraints, issuer != nullptr ? "CA:FALSE" : "CA:TRUE");
    X509_sign(certificate_, issuer != nullptr ? issuer->key_ : key_, EVP_sha256());
  }
  ~TestIdentity() {
    X509_free(certificate_);
    EVP_PKEY_free(key_);
  }
  TestIdentity(const TestIdentity&) = delete;
  TestIdentity& operator=(const TestIdentity&) = delete;

  std::string certificate() const {
    return Pem([this](BIO* bio) { PEM_write_bio_X509(bio, certificate_); });
  }
  std::string key() const {
    return Pem([this](BIO* bio) { PEM_write_bio_PrivateKey(bio, key_, nullptr, nullptr, 0, nullptr, nullptr); });
  }

 private:
  void AddExtension(int nid, const char* value) {
    X509_EXTENSION* extension = X509V3_EXT_conf_nid(nullptr, nullptr, nid, value);
    X509_add_ext(certificate_, extension, -1);
    X509_EXTENSION_free(extension);
  }

  template <typename Write>
  static std::string Pem(Write write) {
    BIO* bio = BIO_new(BIO_s_mem());
    write(bio);
    char* data = nullptr;
    const long size = BIO_get_mem_data(bio, &data);
    std::string text(data, static_cast<size_t>(size));
    BIO_free(bio);
    return text;
  }

  EVP_PKEY* key_ = nullptr;
  X509* certificate_ = nullptr;
};

class TestFolder {
 public:
  TestFolder() {
    std::string pattern = testing::TempDir() + "evenmatch-XXXXXX";
    path_ = mkdtemp(pattern.data());
  }
  ~TestFolder() { std::filesystem::remove_all(path_); }

  // The path of a file with this text.
  std::string Write(const std::string& name, const std::string& text) const {
    const std::string path = Path(name);
    std::ofstream(path, std::ios::binary) << text;
    return path;
  }
  std::string Path(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

}  // namespace evenmatch
