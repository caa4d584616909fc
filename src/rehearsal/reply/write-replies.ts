import type { RequestedTurn } from './extract-turn.js';
import type { MessagesRequest } from '../request-types.js';

const longestQuote = 60;
const longestLine = 200;
const mostNames = 12;

/** The reply to a message without directives: a description of the request, one sentence a delta. */
export function describeRequest(request: MessagesRequest, conversation: RequestedTurn): string[] {
  const { system = '' } = request;
  const systemLength =
    typeof system === 'string'
      ? system.length
      : system.reduce((sum, block) => sum + block.text.length, 0);
  return [
    'This is the rehearsal model.',
    ` You wrote: "${clip(conversation.text.replaceAll(/\s+/g, ' ').trim(), longestQuote)}".`,
    ` ${describeAttachments(conversation.attachments)}`,
    ` ${describeTools((request.tools ?? []).map((tool) => tool.name))}`,
    ` System prompt: ${systemLength} characters.`,
    ` Earlier messages: ${conversation.earlier}.`,
    ` Step ${conversation.step}.`,
  ];
}

/** The reply to tool results: each tool and the first line of its result. */
export function describeResults(conversation: RequestedTurn): string[] {
  return [
    'The tools answered:',
    ...conversation.results.map(
      ({ tool, firstLine, isError }) =>
        `\n- ${tool}${isError ? ' (error)' : ''}: ${clip(firstLine, longestLine)}`,
    ),
  ];
}

/** `count` words, numbered so that tests see lost and repeated ones. */
export function numberedWords(word: string, count: number): string[] {
  return Array.from(
    { length: count },
    (_, index) => `${index === 0 ? '' : ' '}${word}${index + 1}`,
  );
}

function describeAttachments(kinds: readonly string[]): string {
  if (kinds.length === 0) return 'No attachments.';
  return `Attachments: ${kinds.length} (${kinds.join(', ')}).`;
}

function describeTools(names: readonly string[]): string {
  if (names.length === 0) return 'No tools offered.';
  const more = names.length > mostNames ? ` and ${names.length - mostNames} more` : '';
  return `Tools offered: ${names.slice(0, mostNames).join(', ')}${more}.`;
}

function clip(text: string, most: number): string {
  const characters = Array.from(text);
  return characters.length > most ? `${characters.slice(0, most).join('')}…` : text;
}
