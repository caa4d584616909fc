/** What of the requests to the model can be compared. */
import type { Ids } from './name-ids.js';
import type { Recording } from './normalise.js';
import { blocksOf, listOf } from './scripted-messages.js';

/** The conversation that the model gets with each new prompt. */
export function takeHistory({ requests, entries }: Recording, ids: Ids): unknown[] {
  const prompts = new Set(entries.flatMap((entry) => (entry.at === 'prompt' ? [entry.text] : [])));
  return requests.flatMap(({ stream, messages }) => {
    // Whether a model is there is asked without a stream.
    if (stream !== true) return [];
    const talk = listOf(messages).filter(({ role }) => role !== 'system');
    const said = talk.map(({ role, content }) => ({
      role,
      says: saidIn(content, (text) => role === 'assistant' || prompts.has(text)),
    }));
    const isPrompt = said.at(-1)?.says.some((part) => typeof part === 'string') === true;
    return isPrompt ? [ids.tidy(said)] : [];
  });
}

/** Blocks of a message of the conversation. Of what an SDK adds to prompts, texts of ours are kept. */
function saidIn(content: unknown, isKept: (text: string) => boolean): unknown[] {
  return blocksOf(content).flatMap((block): unknown[] => {
    const { type, text, name, input, is_error } = block;
    if (type === 'text') {
      const said = String(text).trim();
      return isKept(said) ? [said] : oursOf(said);
    }
    if (type === 'tool_use') return [{ call: name, input }];
    if (type === 'tool_result') return [{ result: is_error === true ? 'failed' : 'ran' }];
    return [{ type }];
  });
}

/** The words `MARK-…` of all instructions, in their order, as the model gets them with each prompt. */
export function takeMarks({ requests }: Recording): string[][] {
  return requests.map((body) => {
    const texts = JSON.stringify([body['system'] ?? null, body['messages']]);
    return texts.match(/MARK-[A-Z0-9-]+/g) ?? [];
  });
}

/** Names of tools that the model is offered, by requests; equal ones are one. */
export function takeOffered({ requests }: Recording): string[][] {
  const lists = requests.map(({ tools }) =>
    namesOf(tools).filter((name) => !name.endsWith('Placeholder')),
  );
  return lists.filter((list, index) => String(list) !== String(lists[index - 1]));
}

/** Texts of ours that the model got in the last request, in results or beside them. */
export function takeTold({ requests }: Recording): string[] {
  const last = listOf(requests.at(-1)?.['messages']).filter(({ role }) => role !== 'assistant');
  return oursOf(JSON.stringify(last));
}

function namesOf(tools: unknown): string[] {
  return listOf(tools)
    .map(({ name }) => String(name))
    .sort();
}

function oursOf(text: string): string[] {
  return text.match(/ours: [^.]*\./g) ?? [];
}
