import { describe, expect, it } from '@jest/globals';
import { composePrompt } from './resolve-attachments.js';
import type { AttachmentRef } from '../storage/shapes/stored-step.js';

const file = (name: string): AttachmentRef => ({
  name,
  path: `/p/${name}`,
  mimeType: 'text/plain',
  size: 1,
  sha256: 'ab',
});
const error = (n: number) => ({ path: `/p/bad${n}.txt`, reason: `reason ${n}` });
const warning = [
  'Attachment warning: 1 attachment(s) could not be processed. Continuing with available content.',
  'Rejected attachments:',
  '- bad1.txt: reason 1',
].join('\n');
const text = (value: string) => ({ type: 'text', text: value });
const ref = (name: string) => ({ type: 'file', file: file(name) });

describe('composePrompt', () => {
  it('counts what was refused and not listed', () => {
    const refused = { files: [], errors: [error(1)], unlisted: 7 };
    expect(composePrompt('Hi', refused).parts).toEqual([
      text(
        [
          'Attachment warning: 8 attachment(s) could not be processed. Continuing with available content.',
          'Rejected attachments:',
          '- bad1.txt: reason 1',
          '- ... 7 additional attachment error(s) omitted\n\nHi',
        ].join('\n'),
      ),
    ]);
    expect(() => composePrompt('', refused)).toThrow(
      expect.objectContaining({
        details: expect.objectContaining({ rejectedAttachmentCount: 8 }),
      }),
    );
  });

  it.each([
    ['string mode', ' Hi\n', [], [], [text(' Hi\n')]],
    ['string mode with a warning', ' Hi', [], [error(1)], [text(`${warning}\n\n Hi`)]],
    ['text and files', 'Hi', ['a', 'b'], [], [text('Hi'), ref('a'), ref('b')]],
    ['files only', '', ['a'], [], [ref('a')]],
    ['a blank text and files', ' \n\t', ['a'], [], [ref('a')]],
    ['warning, text, files', 'Hi', ['a'], [error(1)], [text(warning), text('Hi'), ref('a')]],
    ['warning and files', '', ['a'], [error(1)], [text(warning), ref('a')]],
  ])('%s', (...row) => {
    const [, message, files, errors, parts] = row;
    expect(composePrompt(message, { files: files.map(file), errors })).toEqual({ parts });
  });

  it.each([
    [3, ['- bad1.txt: reason 1', '- bad2.txt: reason 2', '- bad3.txt: reason 3']],
    [
      5,
      [
        '- bad1.txt: reason 1',
        '- bad2.txt: reason 2',
        '- bad3.txt: reason 3',
        '- ... 2 additional attachment error(s) omitted',
      ],
    ],
  ])('shows at most three of %d reasons', (count, bullets) => {
    const errors = Array.from({ length: count }, (_, i) => error(i + 1));
    const [first] = composePrompt('', { files: [file('a')], errors }).parts;
    expect(first).toEqual(
      text(
        [
          `Attachment warning: ${count} attachment(s) could not be processed. Continuing with available content.`,
          'Rejected attachments:',
          ...bullets,
        ].join('\n'),
      ),
    );
  });

  it.each([
    ['', []],
    [' \n ', [error(1), error(2), error(3), error(4)]],
  ])('refuses %j with errors %j', (message, errors) => {
    const compose = () => composePrompt(message, { files: [], errors });
    expect(compose).toThrow(
      expect.objectContaining({
        type: 'ATTACHMENT_FAILURE',
        status: 400,
        message: 'Turn requires text content or at least one valid attachment',
        details: {
          category: 'ALL_ATTACHMENTS_FAILED_NO_TEXT',
          attachmentErrors: errors,
          rejectedAttachmentCount: errors.length,
        },
      }),
    );
  });
});
