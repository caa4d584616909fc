import { describe, expect, it } from '@jest/globals';
import { encodeContent, MAX_CONTENT_BYTES } from './tracing.js';

const redact = (text: string): string => text.replaceAll('sk-secret', '[REDACTED]');
const message = (content: string, count = 1) => ({
  role: 'user',
  parts: Array.from({ length: count }, () => ({ type: 'text', content })),
});

describe('encodeContent', () => {
  it('encodes what is small as it is, without secrets', () => {
    const { json, isCut } = encodeContent({ command: 'echo "sk-secret"', times: 2 }, redact);
    expect(JSON.parse(json)).toEqual({ command: 'echo "[REDACTED]"', times: 2 });
    expect(isCut).toBe(false);
  });

  it('removes a secret that a cut would leave in part', () => {
    const { json, isCut } = encodeContent(`${'x'.repeat(8_188)}sk-secret`, redact);
    expect(json).not.toContain('sk-');
    expect(isCut).toBe(true);
  });

  it('keeps the last messages that have room', () => {
    const messages = Array.from({ length: 40 }, (_, index) => message(`${index} `.repeat(2_000)));
    const { json, isCut } = encodeContent(messages, redact);
    const kept = JSON.parse(json) as unknown[];
    expect(Buffer.byteLength(json)).toBeLessThanOrEqual(MAX_CONTENT_BYTES);
    expect(kept.length).toBeGreaterThan(5);
    expect(kept).toEqual(messages.slice(-kept.length));
    expect(isCut).toBe(true);
  });

  it('keeps the last parts of a message that has no room', () => {
    const { json, isCut } = encodeContent(
      [message('Hello'), message('é'.repeat(4_000), 20)],
      redact,
    );
    const [last, ...others] = JSON.parse(json) as ReturnType<typeof message>[];
    expect(Buffer.byteLength(json)).toBeLessThanOrEqual(MAX_CONTENT_BYTES);
    expect(others).toEqual([]);
    expect(last).toEqual(message('é'.repeat(4_000), last?.parts.length));
    expect(last?.parts.length).toBeGreaterThan(5);
    expect(isCut).toBe(true);
  });

  it('leaves out an object that has no room', () => {
    const many = Object.fromEntries(
      Array.from({ length: 20 }, (_, index) => [`field${index}`, 'x'.repeat(8_000)]),
    );
    expect(encodeContent(many, redact)).toEqual({ json: '{}', isCut: true });
    expect(encodeContent(undefined, redact)).toEqual({ json: 'null', isCut: false });
  });
});
