import { describe, expect, it } from '@jest/globals';
import { ruleOf } from '../http/wire-error.js';
import { formatCases } from '../../test/support/rehearsal/format-cases.js';
import { messageCases } from '../../test/support/rehearsal/message-cases.js';
import { modelCases } from '../../test/support/rehearsal/model-cases.js';
import { requestCases } from '../../test/support/rehearsal/request-cases.js';
import type { Case } from '../../test/support/rehearsal/sample-requests.js';
import { strictRules, type RuleId } from './strict-rules.js';

/** A request that breaks each rule, and the text of its refusal. A rule without a case does not compile. */
const cases: Record<RuleId, Case[]> = {
  ...requestCases,
  ...messageCases,
  ...modelCases,
  ...formatCases,
};

describe.each(Object.keys(strictRules) as RuleId[])('%s', (rule) => {
  it.each(cases[rule])('refuses: %s', async (says, send) => {
    const thrown = await thrownBy(send);
    expect(thrown).toMatchObject({
      status: strictRules[rule].status,
      message: expect.stringContaining(says),
    });
    expect(ruleOf(thrown)).toBe(rule);
  });
});

async function thrownBy(send: () => unknown): Promise<unknown> {
  try {
    await send();
  } catch (error) {
    return error;
  }
  throw new Error('the request was taken');
}
