import { describe, expect, it } from '@jest/globals';
import type { RequestBlock } from '../request-types.js';
import { validateCitations } from './check-messages.js';

const document = (citations?: { enabled?: boolean }): RequestBlock => ({
  type: 'document',
  source: { type: 'text', media_type: 'text/plain', data: 'x' },
  ...(citations === undefined ? {} : { citations }),
});
const check = (...content: RequestBlock[]) => validateCitations([{ role: 'user', content }]);

describe('validateCitations', () => {
  it('takes documents that are all cited, or none', () => {
    check({ type: 'text', text: 'hi' });
    check(document(), document({ enabled: false }));
    check(document({ enabled: true }), document({ enabled: true }));
  });

  it('refuses a mixture, in the output of a tool too', () => {
    const refusal = 'citations must be enabled on all documents of a request, or on none';
    expect(() => check(document(), document({ enabled: true }))).toThrow(refusal);
    const result: RequestBlock = { type: 'tool_result', tool_use_id: 't', content: [document()] };
    expect(() => check(result, document({ enabled: true }))).toThrow(refusal);
  });
});
