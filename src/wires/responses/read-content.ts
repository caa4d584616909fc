import { cleanName } from '../../attachments/clean-name.js';
import { isPlainObject, type JsonObject } from '../../platform/json.js';
import { isBase64 } from '../../platform/text/is-base64.js';
import { parseDataUrl, type InlineFile } from '../conversation/inline-files.js';
import { badParam } from './responses-errors.js';

/** A part of a message or of an output. */
export interface ReadPart {
  text: string;
  file: InlineFile | undefined;
  /** The part as `input_items` gives it back: a file without its bytes. */
  kept: JsonObject;
}

const notFetched =
  'this server fetches no files and keeps none under ids: send the bytes, or give the agent a tool that reads the address';

/**
 * The parts of a content: a text, or a list. Pure.
 *
 * @param field where it is in the request.
 * @param isOutput whether it is the assistant's: its texts have another type.
 * @throws TypedError INVALID_REQUEST 400.
 */
export function readContent(content: unknown, field: string, isOutput = false): ReadPart[] {
  if (typeof content === 'string') return [textPart(content, isOutput)];
  if (!Array.isArray(content)) {
    throw badParam(
      field,
      `'${field}' must be a text, or a list of input_text, input_image and input_file`,
    );
  }
  return (content as unknown[]).map((part, index) =>
    readPart(part, `${field}[${index}]`, isOutput),
  );
}

function readPart(part: unknown, field: string, isOutput: boolean): ReadPart {
  const { type, ...fields } = isPlainObject(part) ? part : {};
  switch (type) {
    case 'input_text':
    case 'output_text':
    case 'text':
    case 'summary_text':
    case 'reasoning_text':
      return textPart(textOf(fields['text'], `${field}.text`), isOutput);
    case 'refusal': {
      const refusal = textOf(fields['refusal'], `${field}.refusal`);
      return { ...textPart(refusal, isOutput), kept: { type, refusal } };
    }
    case 'input_image':
      return imagePart(fields, field);
    case 'input_file':
      return filePart(fields, field);
    default:
      throw badParam(
        `${field}.type`,
        `'${field}.type' must be one of input_text, input_image, input_file; a message of the assistant has output_text`,
      );
  }
}

function textPart(text: string, isOutput: boolean): ReadPart {
  const kept: JsonObject = isOutput
    ? { type: 'output_text', text, annotations: [], logprobs: [] }
    : { type: 'input_text', text };
  return { text, file: undefined, kept };
}

function imagePart(fields: Record<string, unknown>, field: string): ReadPart {
  const { image_url: url, file_id, detail = 'auto' } = fields;
  if (typeof url !== 'string' || (file_id !== undefined && file_id !== null)) {
    throw badParam(`${field}.image_url`, `'${field}.image_url' must be a data: URL: ${notFetched}`);
  }
  if (typeof detail !== 'string')
    throw badParam(`${field}.detail`, `'${field}.detail' must be text`);
  const { name, bytes } = readDataUrl(url, nameAt('image', field), `${field}.image_url`);
  const kept = { type: 'input_image', image_url: null, file_id: null, detail, filename: name };
  return { text: '', file: { name, bytes }, kept };
}

function filePart(fields: Record<string, unknown>, field: string): ReadPart {
  const { file_data: data, filename, file_url, file_id } = fields;
  const given = typeof filename === 'string' ? filename : nameAt('file', field);
  const isElsewhere = [file_url, file_id].some((one) => one !== undefined && one !== null);
  if (typeof data !== 'string' || isElsewhere) {
    throw badParam(
      `${field}.file_data`,
      `'${field}.file_data' must be base64 or a data: URL: ${notFetched}`,
    );
  }
  const file = /^data:/i.test(data)
    ? readDataUrl(data, given, `${field}.file_data`)
    : readBase64(data, given, `${field}.file_data`);
  return { text: '', file, kept: { type: 'input_file', filename: file.name } };
}

/** The name of a file that has none, by its place: `image-2-1`. An extension would claim a type. */
function nameAt(kind: string, field: string): string {
  const numbers = [...field.matchAll(/\[(\d+)\]/g)].map(([, index]) => Number(index) + 1);
  return [kind, ...numbers].join('-');
}

/** What the file is says its content: the type that the URL declares counts for nothing. */
function readDataUrl(url: string, name: string, field: string): InlineFile {
  if (!/^data:/i.test(url)) throw badParam(field, `'${field}' is no data: URL: ${notFetched}`);
  const data = parseDataUrl(url);
  if (data === undefined) {
    throw badParam(field, `'${field}' cannot be read: send data:<type>;base64,<content>`);
  }
  return { name: cleanName(name), bytes: data.bytes };
}

function readBase64(data: string, name: string, field: string): InlineFile {
  if (data.length % 4 !== 0 || !isBase64(data)) throw badParam(field, `'${field}' is not base64`);
  return { name: cleanName(name), bytes: Buffer.from(data, 'base64') };
}

function textOf(text: unknown, field: string): string {
  if (typeof text === 'string') return text;
  throw badParam(field, `'${field}' must be text`);
}
