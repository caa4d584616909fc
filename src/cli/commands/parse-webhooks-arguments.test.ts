import { describe, expect, it } from '@jest/globals';
import { parseWebhooksArguments } from './webhooks-command.js';
import { UsageError } from '../arguments.js';

const parse = (line: string) => parseWebhooksArguments(line.split(' '));
const plain = { json: false, url: undefined };

describe('parseWebhooksArguments', () => {
  it.each([
    ['list --json', { ...plain, json: true, action: 'list' }],
    [
      'add https://example.com/ --events turn.ended,turn.waiting --description Mails',
      {
        ...plain,
        action: 'add',
        wanted: {
          url: 'https://example.com/',
          events: ['turn.ended', 'turn.waiting'],
          description: 'Mails',
        },
      },
    ],
    [
      'add https://example.com/',
      { ...plain, action: 'add', wanted: { url: 'https://example.com/' } },
    ],
    [
      'remove hook_1 --url http://here',
      { json: false, url: 'http://here', action: 'remove', id: 'hook_1' },
    ],
    ['enable hook_1', { ...plain, action: 'enable', id: 'hook_1' }],
    ['test hook_1', { ...plain, action: 'test', id: 'hook_1' }],
    ['rotate hook_1', { ...plain, action: 'rotate', id: 'hook_1', keepOldHours: undefined }],
    ['rotate hook_1 --keep-old 0', { ...plain, action: 'rotate', id: 'hook_1', keepOldHours: 0 }],
    [
      'deliveries hook_1 --status dead --limit 5',
      { ...plain, action: 'deliveries', id: 'hook_1', status: 'dead', limit: 5 },
    ],
    [
      'redeliver hook_1 evt_1',
      { ...plain, action: 'redeliver', id: 'hook_1', deliveryId: 'evt_1' },
    ],
  ])('takes %s', (line, expected) => expect(parse(line)).toEqual(expected));

  it.each([
    '',
    'add',
    'list hook_1',
    'remove',
    'remove hook_1 hook_2',
    'redeliver hook_1',
    'redeliver hook_1 evt_1 evt_2',
    'forget hook_1',
    'list --status dead',
    'remove hook_1 --events turn.ended',
    'rotate hook_1 --keep-old soon',
    'deliveries hook_1 --limit -1',
    'test hook_1 --wrong',
  ])('refuses %j', (line) => expect(() => parse(line)).toThrow(UsageError));
});
