import * as z from 'zod/mini';
import type { ExtensionTrigger } from '../extend/extend.js';
import type { Notice, NoticeLevel } from '../notices/notice.js';
import type { Trigger } from '../notices/trigger.js';
import { storableJson, storableText } from '../storage/storable.js';
import { onWrongType } from '../parsing/shapes.js';
import { isPlainObject } from '../platform/json.js';
import { isPromise } from './check-answers.js';
import { expectShape } from './expect-shape.js';

const lastPriority = 100;
const everyLevel: readonly NoticeLevel[] = ['message', 'step'];

const textOf = (most: number) => {
  const expected = `must be text of 1 to ${most} characters`;
  return z
    .string(expected)
    .check(z.refine((text) => text.trim() !== '' && text.length <= most, expected));
};

const noticeShape = z.object(
  {
    mark: z._default(textOf(200), 'once'),
    text: textOf(20_000),
    metadata: z._default(z.unknown(), {}),
    seenByModel: z._default(z.boolean(), true),
  },
  { error: onWrongType('must be an object') },
);

/** Wraps an extension's trigger: its notices are checked, and its marks get its id as a prefix. */
export function guardTrigger(trigger: ExtensionTrigger): Trigger {
  const { id, priority = lastPriority, levels = everyLevel } = trigger;
  return {
    id,
    name: id,
    description: '',
    rearms: '',
    priority,
    enabled: true,
    levels: [...levels],
    check: (facts) => {
      const given: unknown = trigger.check(facts);
      if (isPromise(given)) {
        void given.then(undefined, () => undefined);
        throw new Error('check gave a promise: a trigger answers at once');
      }
      if (!Array.isArray(given)) throw new Error('check must give a list of notices');
      return given.map((notice: unknown) => parseNotice(id, notice));
    },
  };
}

/** Validates a notice of an extension. @throws Error with the fault. */
function parseNotice(id: string, given: unknown): Omit<Notice, 'level' | 'urgency'> {
  const { mark, text, metadata, seenByModel } = expectShape(noticeShape, given, 'a notice');
  return {
    mark: `${id}:${storableText(mark)}`,
    kind: id,
    text: storableText(text),
    metadata: toJson(metadata),
    seenByModel,
  };
}

/** The metadata as JSON. @throws Error when JSON cannot represent it. */
function toJson(metadata: unknown): Record<string, unknown> {
  const json: unknown = storableJson(JSON.parse(JSON.stringify(metadata)));
  if (!isPlainObject(json)) throw new Error('the metadata of a notice must be an object');
  return json;
}
