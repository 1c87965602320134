// Certificates for one test: an authority of its own, and what it signs.
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

const openssl = (...args) => execFileSync('openssl', args, { stdio: ['ignore', 'pipe', 'pipe'] });
const KEY = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];

// An authority in `folder`: {file, pem, sign(name)}. A signed pair has {certificate, key} as PEM texts.
export function authority(folder, name = 'authority') {
  mkdirSync(folder, { recursive: true });
  const at = (file) => path.join(folder, file);
  const file = at(`${name}.pem`);
  openssl('req', '-x509', ...KEY, '-days', '2', '-subj', `/CN=${name}`, '-keyout', at(`${name}.key`), '-out', file);
  let serial = 1;
  return {
    file,
    pem: readFileSync(file),
    sign(subject) {
      const number = ++serial;
      const [request, key, certificate, extensions] = ['csr', 'key', 'crt', 'ext'].map((ext) => at(`${subject}-${number}.${ext}`));
      openssl('req', ...KEY, '-subj', `/CN=${subject}`, '-keyout', key, '-out', request);
      writeFileSync(extensions, 'subjectAltName=DNS:localhost,IP:127.0.0.1\n');
      openssl('x509', '-req', '-in', request, '-CA', file, '-CAkey', at(`${name}.key`), '-set_serial', String(number),
        '-days', '2', '-extfile', extensions, '-out', certificate);
      return { certificate: readFileSync(certificate, 'utf8'), key: readFileSync(key, 'utf8'), serial: number };
    },
  };
}
