// Waiting for what must come, never for time to pass.
import { setTimeout as pause } from 'node:timers/promises';

export const PATIENCE_MS = 15_000;

// `promise`, or an error that says what did not come.
export async function within(promise, what, ms = PATIENCE_MS) {
  const over = new AbortController();
  const late = pause(ms, undefined, { signal: over.signal }).then(() => {
    throw new Error(`after ${ms} ms still waiting for ${what}`);
  });
  late.catch(() => {});
  try {
    return await Promise.race([promise, late]);
  } finally {
    over.abort();
  }
}

// The first truthy answer of `ask`, asked again and again.
export async function eventually(ask, what, ms = PATIENCE_MS) {
  const end = Date.now() + ms;
  for (;;) {
    const answer = await ask();
    if (answer) return answer;
    if (Date.now() > end) throw new Error(`after ${ms} ms still not so: ${what}`);
    await pause(10);
  }
}
