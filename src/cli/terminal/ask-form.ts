import {
  checkContent,
  readForm,
  type ChoiceValue,
  type FormField,
} from '../../platform/parsing/form.js';
import type { TurnEvents, TurnpikeClient } from '../../client/turnpike-client.js';
import { oneLine, plainText, type Screen } from './screen.js';
import type { ChatInput } from './terminal-input.js';

interface FormDeps {
  client: Pick<TurnpikeClient, 'approvals'>;
  input: ChatInput;
  screen: Screen;
}

const linkPrompt = 'd done · n no · c close ';
const formPrompt = 'f fill in · n no · c close ';

/**
 * Asks the user what a call asks: to open a link, or a form field by field.
 *
 * @returns whether it is answered; false at the end of input, `again` where the form is to be filled in anew.
 */
export async function answerQuestion(
  { client, input, screen }: FormDeps,
  { approvalId, question = {} }: Pick<TurnEvents['approval:request'], 'approvalId' | 'question'>,
): Promise<boolean | 'again'> {
  const isLink = question['mode'] === 'url';
  const chosen = await input.key(isLink ? linkPrompt : formPrompt, isLink ? 'dnc' : 'fnc');
  if (chosen === undefined) return false;
  if (chosen.key === 'n') await client.approvals.deny(approvalId);
  else if (chosen.key === 'c') await client.approvals.dismiss(approvalId);
  else if (isLink) await client.approvals.say(approvalId);
  else {
    const form = readForm(question['schema']);
    const content: Record<string, unknown> = {};
    for (const field of 'fields' in form ? form.fields : []) {
      const given = await askField({ input, screen }, field);
      if (given === undefined) return false;
      if (given.value !== undefined) content[field.name] = given.value;
    }
    await client.approvals.say(approvalId, content);
  }
  return true;
}

/** Asks for a field until what is given fits. @returns undefined at the end of input. */
async function askField(
  { input, screen }: Pick<FormDeps, 'input' | 'screen'>,
  field: FormField,
): Promise<{ value: unknown } | undefined> {
  for (const line of describeField(field)) screen.err(`${line}\n`);
  for (;;) {
    const standard = field.standard === undefined ? '' : ` [${shownValue(field.standard)}]`;
    const line = await input.line(`${oneLine(field.title, 100)}${standard}: `);
    if (line === undefined) return undefined;
    const text = line.trim();
    const value = text === '' ? field.standard : parseField(field, text);
    if (value === undefined && !field.isRequired) return { value };
    const content = value === undefined ? {} : { [field.name]: value };
    const checked = checkContent({ fields: [field] }, content);
    if ('content' in checked) return { value };
    const fault = `! it ${checked.faults[field.name] ?? 'does not fit'}`;
    screen.err(`${screen.paint('yellow', plainText(fault))}\n`);
  }
}

/** The lines above a field's prompt: its description, its choices, and whether it may stay empty. */
function describeField({ description, kind, options, isRequired }: FormField): string[] {
  const many = kind === 'choices' ? 'one or more, with commas between them' : 'one of';
  return [
    ...(description === undefined ? [] : [`  ${oneLine(description, 300)}`]),
    ...(options.length === 0 ? [] : [`  ${many}:`]),
    ...options.map(({ value, title }) => {
      const shown = oneLine(String(value), 80);
      return title === shown ? `    ${shown}` : `    ${shown}  ${oneLine(title, 120)}`;
    }),
    ...(kind === 'yes-no' ? ['  y or n'] : []),
    ...(isRequired ? [] : ['  may be left empty']),
  ];
}

/** What a line of text means in a field. A choice may be named by its title. */
function parseField({ kind, options }: FormField, text: string): unknown {
  const choose = (given: string): ChoiceValue =>
    options.find(({ value, title }) => String(value) === given || title === given)?.value ?? given;
  switch (kind) {
    case 'number':
    case 'integer':
      return Number(text);
    case 'yes-no':
      return /^(y|yes|true)$/i.test(text) ? true : /^(n|no|false)$/i.test(text) ? false : text;
    case 'choice':
      return choose(text);
    case 'choices':
      return text.split(',').map((one) => choose(one.trim()));
    case 'text':
      return text;
  }
}

function shownValue(value: unknown): string {
  if (typeof value === 'boolean') return value ? 'y' : 'n';
  return oneLine(Array.isArray(value) ? value.join(', ') : String(value), 80);
}
