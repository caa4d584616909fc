import { plainForm } from '../../platform/parsing/plain-form.js';
import { isLongJson, isPlainObject, type JsonObject } from '../../platform/json.js';
import { withoutDirections } from '../../platform/text/well-formed.js';
import { cutText } from '../../platform/text/cut-text.js';
import type { CallAnswer, CallQuestion } from '../tool.js';

/** Characters of a form's schema, a message and a link that a server may show to people. */
const MAX_SCHEMA_CHARS = 16_384;
const MAX_MESSAGE_CHARS = 4_000;
const MAX_URL_CHARS = 4_096;
/** A field's name may be long. */
const MAX_FAULT_CHARS = 300;

/**
 * A server's question to the person of a call, from the parameters of its `elicitation/create`.
 *
 * @param server `host`: where it is; absent: it is a command of this host.
 * @returns the question; or why nobody is asked it, as the end of a sentence about the server.
 */
export function readElicitation(
  server: { name: string; host?: string | undefined },
  params: unknown,
): CallQuestion | { fault: string } {
  if (!isPlainObject(params)) return { fault: 'its question cannot be read' };
  const { mode = 'form', message, requestedSchema: schema, url } = params;
  const about = {
    server: server.name,
    ...(server.host !== undefined && { host: server.host }),
    message:
      typeof message === 'string' ? withoutDirections(cutText(message, MAX_MESSAGE_CHARS)) : '',
  };
  const reason = `the MCP server ${server.name} asks`;
  if (mode === 'url') {
    const link = readLink(url);
    if ('fault' in link) return link;
    const question = { mode, ...about, ...link };
    return {
      kind: 'elicitation',
      reason: `${reason} you to open a page of ${link.origin}`,
      question,
    };
  }
  if (mode !== 'form') return { fault: 'it asks in a way that is not known here' };
  if (isLongJson(schema, MAX_SCHEMA_CHARS)) return { fault: tooLong };
  const form = plainForm(schema);
  if ('fault' in form) {
    const why = cutText(form.fault, MAX_FAULT_CHARS);
    return { fault: `the form that it asks with cannot be shown: ${why}` };
  }
  // What is referred to is in it as often as it is.
  if (isLongJson(form.schema, MAX_SCHEMA_CHARS)) return { fault: tooLong };
  const nullable: JsonObject = form.nullable.length === 0 ? {} : { nullable: form.nullable };
  return {
    kind: 'elicitation',
    reason,
    question: { mode, ...about, schema: form.schema, ...nullable },
  };
}

const tooLong = `the form that it asks with has more than ${MAX_SCHEMA_CHARS} characters`;

/** A link that people may open. It is shown whole, and never fetched here. */
function readLink(url: unknown): { url: string; origin: string } | { fault: string } {
  if (typeof url !== 'string' || url.length > MAX_URL_CHARS || !URL.canParse(url)) {
    return { fault: 'it asks to open a link that is none' };
  }
  const { protocol, username, password, href, origin } = new URL(url);
  if (protocol !== 'https:' && protocol !== 'http:') {
    return { fault: 'it asks to open a link that is no page of the web' };
  }
  if (username !== '' || password !== '') {
    return { fault: 'it asks to open a link with a name before its host, which misleads people' };
  }
  return { url: href, origin };
}

/** What a form may hold, as the protocol has it; null where the server's schema wants the field and takes null. */
type FormValue = string | number | boolean | null | string[];

/** A person's answer as the server has it. */
export function elicitResult({ action, content = {}, question }: CallAnswer): {
  action: CallAnswer['action'];
  content?: Record<string, FormValue>;
} {
  if (action !== 'accept' || question['mode'] === 'url') return { action };
  const values = Object.entries(content).filter((entry): entry is [string, FormValue] =>
    isFormValue(entry[1]),
  );
  const { nullable } = question;
  const names: unknown[] = Array.isArray(nullable) ? nullable : [];
  const empty = names.flatMap((name) => (typeof name === 'string' ? [[name, null] as const] : []));
  return { action, content: { ...Object.fromEntries(empty), ...Object.fromEntries(values) } };
}

function isFormValue(value: unknown): boolean {
  if (Array.isArray(value)) return value.every((one) => typeof one === 'string');
  return ['string', 'number', 'boolean'].includes(typeof value);
}
