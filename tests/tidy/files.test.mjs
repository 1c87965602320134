// Every file: is it built, is it about one thing, does it speak of the product only, is it formatted.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import test from 'node:test';
import { build, files, lines, read, top } from './house.mjs';

const ASK_AFTER_LINES = 400;
const MOST_LINES = 600;

const sources = [...files('src', /\.(h|cc)$/), ...files('tests', /\.(h|cc|mjs)$/)];
const scripts = [...files('scripts'), ...files('.ci')].filter((file) => /^#!.*bash|shellcheck shell=bash/.test(read(file)));
const texts = files('.', /(\.(h|cc|mjs|txt|cmake|proto|ya?ml|json|md|sh|service|clang-format)|Dockerfile|FLOORS)$/)
  .concat(scripts)
  .filter((file) => file !== 'tests/package-lock.json');

// A regular expression whose own source text does not match it, so that this file may be searched as well.
const banned = (...parts) => new RegExp(parts.map((part) => part.replace('_', '')).join('|'));

function search(pattern, where = texts) {
  return where.flatMap((file) =>
    lines(file).flatMap(({ number, text }) => (pattern.test(text) ? [`${file}:${number} ${text.trim()}`] : [])),
  );
}

test('every source is in the build', (t) => {
  const database = path.join(build, 'compile_commands.json');
  if (!existsSync(database)) return t.skip(`no ${database}`);
  const built = new Set(JSON.parse(readFileSync(database, 'utf8')).map(({ file }) => path.relative(top, file)));
  const missing = [...files('src', /\.cc$/), ...files('tests', /_test\.cc$/)].filter((file) => !built.has(file));
  assert.deepEqual(missing, []);
});

test('every test folder is in the build', () => {
  const missing = [...new Set(files('tests', /_test\.cc$|\.test\.mjs$/).map((file) => path.dirname(file)))].filter(
    (folder) => !existsSync(path.join(top, folder, 'CMakeLists.txt')),
  );
  assert.deepEqual(missing, []);
});

test('files are about one subject', (t) => {
  const long = sources
    .map((file) => ({ file, count: lines(file).length - 1 }))
    .filter(({ count }) => count > ASK_AFTER_LINES)
    .sort((a, b) => b.count - a.count);
  for (const { file, count } of long) t.diagnostic(`${file}: ${count} lines; what is its second subject?`);
  assert.deepEqual(long.filter(({ count }) => count > MOST_LINES), []);
});

test('nothing is left undone', () => {
  assert.deepEqual(search(banned('\\bTO_DO\\b', '\\bFIX_ME\\b', '\\bXX_X\\b', '\\bHA_CK\\b')), []);
});

test('no host of a package registry is named', () => {
  const hosts = banned('\\b(deb|security|snapshot|ftp)\\.deb_ian\\.org', 'registry\\.npm_js\\.(org|com)', 'npm_mirror\\.');
  assert.deepEqual(search(hosts, [...texts, 'tests/package-lock.json', 'tests/.npmrc']), []);
});

test('no test sleeps and none is switched off', () => {
  const tests = files('tests', /\.(h|cc|mjs)$/).filter((file) => !file.startsWith('tests/benchmark/'));
  const asleep = banned('\\bsleep_for_\\b', '\\bSleep_For\\b', '\\busl_eep\\b', '\\bDISABLED__', '\\b(it|test)\\.sk_ip\\b');
  assert.deepEqual(search(asleep, tests), []);
});

// A tool that the machine does not have checks nothing; scripts/test installs them all.
function tool(name, argumentsOf, list) {
  test(`${name} has nothing to say`, (t) => {
    if (spawnSync(name, ['--version']).error) return t.skip(`no ${name}`);
    const { status, stdout, stderr } = spawnSync(name, argumentsOf(list), { cwd: top, encoding: 'utf8' });
    assert.equal(status, 0, `${stdout}${stderr}`.slice(0, 8000));
  });
}

tool('clang-format', (list) => ['--dry-run', '-Werror', ...list], sources.filter((file) => !file.endsWith('.mjs')));
tool('shellcheck', (list) => ['--external-sources', '--source-path=SCRIPTDIR', ...list], scripts);
tool('yamllint', (list) => ['--strict', '--config-file', 'tests/tidy/yamllint.yaml', ...list], files('.', /\.ya?ml$/).filter((file) => !file.includes('/corpus/')));
