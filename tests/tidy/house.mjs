// What the tidy tests share: where the house stands and which files are in it.
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

export const top = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..');
export const build = process.env.EVENMATCH_BUILD ?? path.join(top, 'build');

const foreign = /^(\.git|node_modules|build.*|\.cache)$/;

// Every file of the house below `folder`, as paths from the top; `pattern` is tried on them.
export function files(folder = '.', pattern = /./) {
  const found = [];
  const walk = (relative) => {
    for (const entry of readdirSync(path.join(top, relative), { withFileTypes: true })) {
      if (foreign.test(entry.name)) continue;
      const inside = path.join(relative, entry.name);
      if (entry.isDirectory()) walk(inside);
      else if (entry.isFile() && pattern.test(inside)) found.push(inside);
    }
  };
  walk(folder);
  return found.sort();
}

export const read = (file) => readFileSync(path.join(top, file), 'utf8');

// Lines of a file as {number, text}, without what stands in // comments when `code` is set.
export function lines(file, { code = false } = {}) {
  return read(file)
    .split('\n')
    .map((text, index) => ({ number: index + 1, text: code ? text.replace(/\/\/.*$/, '') : text }));
}
