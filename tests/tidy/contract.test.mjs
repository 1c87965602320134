// The published contract: well formed by buf's rules, and nothing that clients use is taken away.
//
// proto/published.binpb is the contract as it was last published. After a wanted change:
//   cd proto && ../tests/node_modules/.bin/buf build -o published.binpb --exclude-source-info --path evenmatch/v1
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';
import test from 'node:test';
import { top } from './house.mjs';

const buf = path.join(top, 'tests/node_modules/.bin/buf');

function run(...args) {
  assert.ok(existsSync(buf), 'tests/node_modules is missing: run scripts/test once, or `npm ci` in tests');
  const { status, stdout, stderr } = spawnSync(buf, args, { cwd: path.join(top, 'proto'), encoding: 'utf8' });
  assert.equal(status, 0, `buf ${args.join(' ')}\n${stdout}${stderr}`);
}

test('buf lint has nothing to say', () => run('lint'));

test('nothing that was published is broken', () => run('breaking', '--against', 'published.binpb', '--path', 'evenmatch/v1'));
