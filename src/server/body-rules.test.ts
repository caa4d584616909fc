import { describe, expect, it } from '@jest/globals';
import { bodyRules } from './body-rules.js';

const rulesOf = bodyRules({ maxBodyBytes: 1_000, maxConversationBytes: 2_000 });

describe('bodyRules', () => {
  it.each(['/api/chat', '/api/chat/?x=1', '/awp', '/agent/a/ag-ui', '/Agent/A/AG-UI/'])(
    'gives a conversation more bytes and values, and no more levels: %s',
    (url) => {
      expect(rulesOf(url)).toMatchObject({
        maxBytes: 2_000,
        variable: 'TURNPIKE_MAX_CONVERSATION_BYTES',
        limits: { levels: 64, keys: 1_000, values: 100_000 },
      });
    },
  );

  it.each(['/api/harness/turn', '/api/chat/c1/stop', '/api/oracle', '/sessions/x'])(
    'gives any other body the common ones: %s',
    (url) => {
      expect(rulesOf(url)).toMatchObject({
        maxBytes: 1_000,
        variable: 'TURNPIKE_MAX_BODY_BYTES',
        limits: { levels: 64, keys: 1_000, values: 10_000 },
      });
    },
  );

  it.each(['/agent/a/chat', '/agent/a/chat/stream/multipart', '/api/harness/attachments?x'])(
    'leaves a body with files to its route: %s',
    (url) => {
      expect(rulesOf(url)).toBeUndefined();
    },
  );
});
