import { describe, expect, it } from '@jest/globals';
import { ConnectionLostError, TurnpikeError } from '#src/client/transport/client-errors.js';
import { describeFileFault } from './describe-file-fault.js';

const refusal = (reason: string) =>
  new TurnpikeError('ATTACHMENT_FAILURE', {
    status: 400,
    message: `No file was taken. a.png: ${reason}`,
    retryable: false,
    details: { attachmentErrors: [{ path: 'a.png', reason }] },
  });

describe('why a file is refused', () => {
  it.each([
    [refusal('the file is no image that can be read'), 'The file is no image that can be read'],
    [
      refusal('Attachment exceeds per-file size limit (10485760 bytes)'),
      'Attachment exceeds per-file size limit (10.0 MiB)',
    ],
    [new Error('Too large: 11.0 MiB; a file may have 10.0 MiB.'), /^Too large: 11/],
    [new ConnectionLostError('', { url: '', cause: undefined }), /^The server does not answer/],
  ])('is said without its name, in sizes that people read: %s', (fault, words) => {
    expect(describeFileFault(fault)).toEqual(
      typeof words === 'string' ? words : expect.stringMatching(words),
    );
  });
});
