// Who includes whom, as src/FLOORS says, and what stays above the purity line.
import assert from 'node:assert/strict';
import test from 'node:test';
import { files, lines, read } from './house.mjs';

// Modules up to this floor are pure.
const PURE_FLOOR = 1;

// Time, threads, files, sockets, the environment, logs, generated code; and chance other than base/random.h.
const IMPURE_HEADER = new RegExp(
  '^(' +
    [
      'atomic|barrier|chrono|condition_variable|filesystem|fstream|future|iostream|latch|mutex|random|semaphore',
      'shared_mutex|stop_token|syncstream|thread|csignal|ctime|locale|iomanip',
      '(sys|netinet|arpa|linux|net)/.*|unistd\\.h|pthread\\.h|signal\\.h|time\\.h|fcntl\\.h|poll\\.h|dirent\\.h|netdb\\.h',
      'absl/(time|synchronization|random|log|debugging|base/internal)/.*|absl/base/(call_once|log_severity)\\.h',
      '(spdlog|fmt|grpc|grpcpp|google|prometheus|yaml-cpp|sqlite3|openssl)/?.*|httplib\\.h|CLI/.*|.*\\.pb\\.h',
    ].join('|') +
    ')$',
);
const IMPURE_WORD = /\b(thread_local|getenv|std::(rand|time|clock)|f?printf|std::cout|std::cerr|volatile)\b/;
// base/check.h speaks once, before it aborts.
const MAY_PRINT = new Set(['src/base/check.h', 'src/base/check.cc']);
// Doubles: rating is mathematics; model keeps the numbers that clients send (ratings before they become milli-points,
// attributes), and affinities compare those attributes. Pool, matching and shard decide with integers only, so that every
// compiler decides alike.
const MAY_USE_DOUBLE = ['src/rating/', 'src/model/', 'src/base/', 'src/shard/affinities.'];

function floors() {
  const modules = new Map();
  for (const { text } of lines('src/FLOORS')) {
    const match = /^(\d+) (\w+):(.*)$/.exec(text);
    if (match) modules.set(match[2], { floor: Number(match[1]), neighbours: match[3].trim().split(/\s+/) });
  }
  return modules;
}

const modules = floors();
const sources = files('src', /\.(h|cc)$/);
const moduleOf = (file) => file.split('/')[1];
const includes = (file) =>
  lines(file, { code: true }).flatMap(({ number, text }) => {
    const match = /^\s*#\s*include\s*[<"]([^>"]+)[>"]/.exec(text);
    return match ? [{ number, header: match[1] }] : [];
  });

test('every folder of src is a module with a floor', () => {
  const strangers = [...new Set(sources.map(moduleOf))].filter((name) => !modules.has(name));
  assert.deepEqual(strangers, []);
});

test('modules include downwards only, or a neighbour that src/FLOORS names', () => {
  const wrong = [];
  for (const file of sources) {
    const own = moduleOf(file);
    for (const { number, header } of includes(file)) {
      const other = header.split('/')[0];
      if (!header.includes('/') || !modules.has(other) || other === own) continue;
      const [from, to] = [modules.get(own), modules.get(other)];
      const downwards = to.floor < from.floor;
      if (!downwards && !(to.floor === from.floor && from.neighbours.includes(other))) {
        wrong.push(`${file}:${number} includes ${header}`);
      }
    }
  }
  assert.deepEqual(wrong, []);
});

test('includes are rooted at src', () => {
  const wrong = sources.flatMap((file) =>
    includes(file).flatMap(({ number, header }) => (header.startsWith('.') ? [`${file}:${number} ${header}`] : [])),
  );
  assert.deepEqual(wrong, []);
});

test('below the purity line there is no clock, thread, lock, file, socket, log or generated code', () => {
  const wrong = [];
  for (const file of sources) {
    const module = moduleOf(file);
    if (modules.get(module).floor > PURE_FLOOR) continue;
    for (const { number, header } of includes(file)) {
      if (IMPURE_HEADER.test(header)) wrong.push(`${file}:${number} <${header}>`);
    }
    for (const { number, text } of lines(file, { code: true })) {
      if (!MAY_PRINT.has(file) && IMPURE_WORD.test(text)) wrong.push(`${file}:${number} ${text.trim()}`);
      if (!MAY_USE_DOUBLE.some((prefix) => file.startsWith(prefix)) && /\b(double|float)\b/.test(text)) {
        wrong.push(`${file}:${number} ${text.trim()}`);
      }
    }
  }
  assert.deepEqual(wrong, []);
});

test('every header is included once and begins with its contract', () => {
  const wrong = sources.filter(
    (file) => file.endsWith('.h') && !(/^\/\/ \S/.test(read(file)) && read(file).includes('\n#pragma once\n')),
  );
  assert.deepEqual(wrong, []);
});
