import { toldInRules } from './told-in-rules.js';
import { toldInSessions } from './told-in-sessions.js';

/** A case where ours gives something else, on purpose. */
export interface ToldDifference {
  group: string;
  name: string;
  /** What of the case may differ; the rest of it may not. */
  aspects: readonly string[];
  /** One sentence. */
  why: string;
}

const throwsDeny =
  'A hook that throws or is too late denies the call: what fails does not open a door.';
const editsOnly = 'The mode acceptEdits is for edits alone: a command is asked about.';
const reserved = 'The cost of a call is reserved before it: nothing overruns a budget.';
const stays = 'A deferred call stays open as an approval, with every other call of its reply.';

const oneText = 'Texts of a reply that follow each other are one block.';
const endsThere =
  'A reply that is cut, or declined, ends the turn; one without a block is asked for again without a message.';
const ownFormat =
  'An object comes in the format of the model itself: there is no call for it, and no answer is an error.';
const atOnce = 'An abort ends the turn at once: nothing comes between it and the throw.';
const refusedHook = 'Hooks for other events are refused by name, before a request is sent.';
const tooLate =
  'After a call the model is called again at once: what a hook adds there could come too late, and is refused.';
const inSession =
  'About a command the same command is suggested: acceptEdits does not cover commands, and no folder is added.';
const ofSubagents =
  'The last text of a subagent is a message, too; its prompt and its progress are none.';
const noted = 'The model is told in its conversation that a reply, or a call, was interrupted.';

const ofHooks: readonly ToldDifference[] = [
  ...told('hooks', ['hooks', 'calls', 'files', 'results', 'end'], {
    names: ['allow, in the mode plan'],
    why: 'The mode plan denies what does more than read: nobody is asked, and no hook.',
  }),
  ...told('hooks', ['calls', 'files', 'results', 'end'], {
    names: ['a hook that ends the turn'],
    why: 'A hook that ends the turn before a call ends it without that call.',
  }),
  ...told('hooks', ['told', 'end'], {
    names: ['context after a call', 'block after a call'],
    why: tooLate,
  }),
  ...told('hooks', ['hooks'], {
    names: ['at the begin of the session'],
    why: 'Hooks for the begin of a session are called.',
  }),
  ...told('hooks', ['told'], {
    names: ['the end is blocked once'],
    why: 'What a hook says at the end is one message to the model, and comes once.',
  }),
  ...told('hooks', ['calls', 'end', 'order'], {
    names: ['defer, then a resume where the hook allows it'],
    why: 'An open turn is read again from its first message, and the one result is that of the new prompt.',
  }),
  ...told('hooks', ['hooks', 'calls', 'results', 'end', 'failed'], {
    names: ['at the begin and the end of a subagent'],
    why: refusedHook,
  }),
  ...told('hooks', ['end', 'failed'], {
    names: ['at the begin and the end of a session, and of one that goes on'],
    why: refusedHook,
  }),
  ...told('hooks', ['calls', 'files', 'results', 'end', 'failed'], {
    names: ['a notice that the person is asked'],
    why: refusedHook,
  }),
];

const ofQuestions: readonly ToldDifference[] = [
  ...told('asked', ['asked'], {
    names: ['about a command'],
    why: inSession,
  }),
  ...told('asked', ['asked', 'files'], {
    names: ['yes with a rule that denies: the next call does not run'],
    why: 'An answer may add rules that allow; one that denies is refused by name.',
  }),
  ...told('asked', ['asked'], {
    names: ['about a read of another folder'],
    why: 'What reads runs unasked, and fails outside of the project.',
  }),
  ...told('asked', ['asked'], {
    names: ['not about a command that only reads'],
    why: 'Every command is asked about, also one that only reads.',
  }),
];

const ofStreams: readonly ToldDifference[] = [
  ...told('ends', ['end'], { names: ['two texts in the last reply'], why: oneText }),
  ...told('ends', ['end'], {
    names: ['a model that refuses', 'a reply without a block'],
    why: endsThere,
  }),
  ...told('ends', ['end'], {
    names: [
      'structured output',
      'structured output, then a text',
      'structured output after a call and a wrong answer',
      'structured output that is never right',
      'structured output that never comes',
    ],
    why: ownFormat,
  }),
  ...told('blocks', ['blocks'], { names: ['two texts'], why: oneText }),
  ...told('blocks', ['blocks'], {
    names: ['a reply that is cut off at its length'],
    why: endsThere,
  }),
  ...told('deltas', ['deltas', 'order'], { names: ['two texts'], why: oneText }),
  ...told('deltas', ['deltas', 'order'], { names: ['of a subagent'], why: ofSubagents }),
  ...told('order', ['order'], { names: ['a subagent that is waited for'], why: ofSubagents }),
];

const ofStops: readonly ToldDifference[] = [
  ...told('abort', ['order'], {
    names: ['at its first message', 'while the model answers'],
    why: atOnce,
  }),
  ...told('abort', ['order', 'end'], { names: ['while the person is asked'], why: atOnce }),
  ...told('abort', ['order', 'history'], {
    names: ['resume after an abort'],
    why: `${atOnce} ${noted}`,
  }),
  ...told('turns', ['order', 'history'], {
    names: ['an interrupt while the model answers, then another message'],
    why: `${noted} No stream event follows an interrupt.`,
  }),
  ...told('turns', ['history'], {
    names: ['an interrupt while a command runs, then another message'],
    why: noted,
  }),
  ...told('turns', ['order'], {
    names: ['another model for the second message'],
    why: 'No message tells of setModel.',
  }),
  ...told('turns', ['order', 'end', 'history'], {
    names: ['a message while a turn runs'],
    why: 'A message that comes while a turn runs is the next turn: each has a result.',
  }),
];

/**
 * Every difference that is told. The list may only become shorter: `cases.test.ts` has its length. A difference
 * that is not here fails the suite over ours, and so does an entry whose case has become equal.
 */
export const toldDifferences: readonly ToldDifference[] = [
  ...ofHooks,
  ...ofQuestions,
  ...ofStreams,
  ...ofStops,
  ...toldInRules,
  ...toldInSessions,
  ...ofRules(['none', 'allow Bash(touch *)'], 'acceptEdits', {
    aspects: ['calls', 'asked', 'files'],
    why: editsOnly,
  }),
  {
    group: 'hooks',
    name: 'a hook that throws',
    aspects: ['calls', 'files', 'results', 'told', 'end'],
    why: throwsDeny,
  },
  {
    group: 'hooks',
    name: 'a hook that takes too long',
    aspects: ['results', 'end'],
    why: throwsDeny,
  },
  {
    group: 'hooks',
    name: 'defer at one of two calls',
    aspects: ['calls', 'files', 'results', 'end'],
    why: stays,
  },
  {
    group: 'ends',
    name: 'a budget that the first reply overruns',
    aspects: ['end'],
    why: reserved,
  },
  {
    group: 'ends',
    name: 'a budget that the last reply overruns',
    aspects: ['end'],
    why: reserved,
  },
];

function told(
  group: string,
  aspects: readonly string[],
  { names, why }: { names: readonly string[]; why: string },
): ToldDifference[] {
  return names.map((name) => ({ group, name, aspects, why }));
}

function ofRules(
  rules: readonly string[],
  mode: string,
  told: Pick<ToldDifference, 'aspects' | 'why'>,
): ToldDifference[] {
  return rules.map((rule) => ({ group: 'rules', name: `${mode}: ${rule}`, ...told }));
}
