import type { ToldDifference } from './differences.js';

const both = 'The files of project and local come together.';
const listed = 'Agents are listed in the description of the tool that delegates.';
const keeps = 'What a turn came to when it ended early is in the history, marked.';

/** Differences in what files say, what is remembered, and what tools of the program answer. */
export const toldInSessions: readonly ToldDifference[] = [
  of('instructions', 'CLAUDE.local.md without the source of it', ['marks'], both),
  of(
    'instructions',
    'a rule for some paths',
    ['marks'],
    'A rule with paths is there from the start.',
  ),
  of(
    'instructions',
    'CLAUDE.md of a folder below, at the first read there',
    ['marks'],
    'Instructions of folders below are not read by themselves.',
  ),
  of(
    'instructions',
    'CLAUDE.md of the folders above',
    ['marks'],
    'What lies outside of the folder of the session is not read.',
  ),
  of(
    'instructions',
    'a skill that the model may not use',
    ['init'],
    'A skill that people alone may call is a command, and no skill of the list.',
  ),
  of(
    'instructions',
    'a skill that the model loads',
    ['marks', 'calls', 'order', 'end'],
    'A skill takes no arguments from the model, and its text is the result of the call.',
  ),
  of(
    'instructions',
    'a command that the prompt names',
    ['marks'],
    'What the person typed stays in the message, before the text of the command.',
  ),
  of('instructions', 'an agent of a file', ['marks'], listed),
  of('instructions', 'an agent of the program, and one of a file with its name', ['marks'], listed),
  of(
    'history',
    'the list of sessions',
    ['notes'],
    'The first prompt of a session is in getSessionMessages.',
  ),
  of('history', 'resume after an error', ['history', 'end'], keeps),
  of('history', 'resume after the most turns', ['history', 'end'], keeps),
  of(
    'sdk-tools',
    'a handler that answers with two texts',
    ['results'],
    'Texts of a result are one text.',
  ),
  of(
    'sdk-tools',
    'a handler that answers with an image',
    ['results'],
    'A message has the text of a result; the model sees its files.',
  ),
];

function of(group: string, name: string, aspects: readonly string[], why: string): ToldDifference {
  return { group, name, aspects, why };
}
