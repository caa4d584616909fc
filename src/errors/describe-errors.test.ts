import { describe, expect, it } from '@jest/globals';
import { describeErrors } from './describe-errors.js';
import { errorTable } from './error-table.js';

describe('describeErrors', () => {
  it('has each status once, in order, with the codes of the table', () => {
    const { QUEUE_FULL, RATE_LIMITED, TURN_NOT_FOUND } = errorTable;
    expect(describeErrors(['QUEUE_FULL', 'TURN_NOT_FOUND', 'RATE_LIMITED'])).toEqual([
      {
        status: 404,
        codes: ['TURN_NOT_FOUND'],
        description: `\`TURN_NOT_FOUND\`: ${TURN_NOT_FOUND.means}`,
      },
      {
        status: 429,
        codes: ['QUEUE_FULL', 'RATE_LIMITED'],
        description: `\`QUEUE_FULL\`: ${QUEUE_FULL.means}\n\n\`RATE_LIMITED\`: ${RATE_LIMITED.means}`,
      },
    ]);
  });

  it('has the status and the words of a case', () => {
    const { status, means } = errorTable.SDK_FAILURE.cases.timedOut;
    const description = `\`SDK_FAILURE\`, ${means}.`;
    expect(describeErrors(['SDK_FAILURE/timedOut'])).toEqual([
      { status, codes: ['SDK_FAILURE'], description },
    ]);
  });

  it('has an error once that is listed twice', () => {
    const [answer, ...others] = describeErrors(['QUEUE_FULL', 'QUEUE_FULL']);
    expect([answer?.codes, others]).toEqual([['QUEUE_FULL'], []]);
    expect(answer?.description).toBe(`\`QUEUE_FULL\`: ${errorTable.QUEUE_FULL.means}`);
  });
});
