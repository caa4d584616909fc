import { describe, expect, it } from '@jest/globals';
import { StderrTail } from './stderr-tail.js';

function tailOf(text: string): StderrTail {
  const tail = new StderrTail((line) => line.replaceAll('s3cret', '***'));
  for (const line of text.split('\n')) tail.push(line);
  return tail;
}

describe('StderrTail', () => {
  it('shows the error of Node, not what surrounds it', () => {
    const tail = tailOf(`node:internal/modules/cjs/loader:1404
  throw err;
  ^

Error: Cannot find module '/srv/app/weather.mjs'
    at Function._resolveFilename (node:internal/modules/cjs/loader:1401:15)
    at node:internal/main/run_main_module:36:49 {
  code: 'MODULE_NOT_FOUND',
  requireStack: []
}

Node.js v24.22.3`);
    expect(tail.shown()).toEqual(["Error: Cannot find module '…/weather.mjs'"]);
    expect(tail.all()).toContain("Error: Cannot find module '/srv/app/weather.mjs'");
  });

  it('shows the error of Python', () => {
    const tail = tailOf(`Traceback (most recent call last):
  File "/srv/app/weather.py", line 3, in <module>
    import httpx
ModuleNotFoundError: No module named 'httpx'`);
    expect(tail.shown().at(-1)).toBe("ModuleNotFoundError: No module named 'httpx'");
    expect(tail.shown()).toContain('File "…/weather.py", line 3, in <module>');
  });

  it('keeps the last lines alone, without secrets, each cut', () => {
    const tail = tailOf(Array.from({ length: 100 }, (_, at) => `line ${at} s3cret`).join('\n'));
    expect(tail.all()).toHaveLength(40);
    expect(tail.shown()).toEqual([95, 96, 97, 98, 99].map((at) => `line ${at} ***`));
    tail.push('x'.repeat(1_000));
    expect(tail.shown().at(-1)?.length).toBeLessThanOrEqual(201);
    tail.clear();
    expect(tail.shown()).toEqual([]);
  });
});
