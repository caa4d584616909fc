import { describe, expect, it } from '@jest/globals';
import { describeNotice, isRepeatedByReply } from './describe-notice.js';

const notice = (noticeKind: string, metadata = {}, seenByModel = true) => ({
  kind: 'notice' as const,
  key: 'a',
  noticeKind,
  text: 'Consider wrapping up.',
  metadata,
  seenByModel,
});

describe('the line of a notice', () => {
  const used = { current_value: 14_000, limit_value: 15_000 };

  it.each<[string, object, string | undefined]>([
    ['iteration-limit', used, 'Warning to the model: 1,000 of 15,000 steps left'],
    ['time-limit', {}, 'Warning to the model: few seconds left'],
    ['files-kept', { paths: [], more: 0 }, 'Note to the model: files were not changed back'],
    [
      'files-kept',
      { paths: ['a.txt', 'b.txt'], more: 3 },
      'Note to the model: files were not changed back: a.txt, b.txt and 3 more',
    ],
    ['of-an-extension', {}, 'Note to the model: of an extension'],
  ])('%s with %j is %j', (kind, metadata, line) => {
    expect(describeNotice(notice(kind, metadata))).toBe(line);
  });

  it('is its own text where the model does not get it', () => {
    expect(describeNotice(notice('window-full', {}, false))).toBeUndefined();
  });

  it.each<[string, boolean, string, boolean]>([
    [
      'limit-reached',
      false,
      'I read on.\n\n[Stopped: the limit of 3 iterations was reached.]',
      true,
    ],
    ['limit-reached', true, '[Stopped: the limit of 3 iterations was reached.]', false],
    ['limit-reached', false, 'It says [Stopped: here] in the file.', false],
    ['no-progress', false, '[Stopped: no progress was made.]', true],
    ['window-full', false, '[Stopped: no progress was made.]', false],
  ])('%s (to the model: %j) beside %j: said by the reply: %j', (kind, toModel, text, isSaid) => {
    const reply = { kind: 'text' as const, key: 'b', step: 1, text, isOpen: false };
    expect(isRepeatedByReply(notice(kind, {}, toModel), [reply])).toBe(isSaid);
  });
});
